"""What did the crawl bring, what went wrong, and what to do next?"""

from __future__ import annotations

import math

from msgspec import Struct

from tenax.cli.terminal.say import duration, moment, note, plural, printable, told_wait
from tenax.compose import Ledger
from tenax.model import Job, JobState, State
from tenax.ports import Counts, Letters
from tenax.ports.handled import RecordFilter
from tenax.version import pip_install

_SHOWN = 5
_MOST = 100
_EXAMPLES = 3


class Wait(Struct, frozen=True):
    """A host that work is left for."""

    host: str
    until: float | None
    """None while it is paused: nobody knows."""
    why: str


class Summary(Struct, frozen=True):
    """The figures of a crawl, as `--json` prints them."""

    job: str
    state: str
    pages: int
    new_pages: int
    renewed: int
    """Pages visited again."""
    duplicates: int
    """Pages nearly the same as another one."""
    known: int
    pending: int
    deferred: int
    """URLs of kinds that brought nothing new, which nobody has asked for yet (URL-6)."""
    done: int
    failed: int
    gone: int
    blocked: int
    rejected: int
    not_taken: dict[str, int]
    waiting: tuple[Wait, ...]
    waiting_for_browser: int
    """Those of the pending that only a browser may get; there was none."""
    records: int
    """Of the job, that handlers told and pages still tell."""
    handler_failures: dict[str, int]
    """How often each handler failed, in all."""
    seconds: float
    pages_per_second: float
    data: str


async def summarise(
    ledger: Ledger, job: Job, state: JobState, before: Counts, seconds: float
) -> Summary:
    counts = await ledger.jobs.counts(job.id)
    fetched = counts.pages - before.pages
    renewed = before.renewing - counts.renewing
    waits = await ledger.hosts.waiting(job.id, _MOST) if _is_left(counts, state) else []
    return Summary(
        job=job.name,
        state=state.value,
        pages=counts.pages,
        new_pages=fetched,
        renewed=renewed,
        duplicates=counts.duplicates,
        known=counts.known,
        pending=counts.unfinished,
        deferred=counts.deferred,
        done=counts.of(State.DONE),
        failed=counts.of(State.FAILED),
        gone=counts.of(State.GONE),
        blocked=counts.of(State.BLOCKED),
        rejected=counts.of(State.REJECTED),
        not_taken={reason.value: count for reason, count in sorted(counts.rejected.items())},
        waiting=tuple(_wait(*wait) for wait in waits),
        waiting_for_browser=counts.unrendered,
        records=await ledger.records.count(RecordFilter(job=job.name, status="there")),
        handler_failures=await _failures(ledger, job),
        seconds=round(seconds, 3),
        pages_per_second=round((fetched + renewed) / seconds, 1) if seconds > 0 else 0.0,
        data=ledger.settings.data,
    )


async def _failures(ledger: Ledger, job: Job) -> dict[str, int]:
    failed: dict[str, int] = {}
    for rate in await ledger.records.rates(job=job.name):
        if rate.failures:
            failed[rate.handler] = failed.get(rate.handler, 0) + rate.failures
    return failed


def _is_left(counts: Counts, state: JobState) -> bool:
    return bool(counts.unfinished) and state is not JobState.DONE


def _wait(name: str, until: float, why: str) -> Wait:
    return Wait(name, None if math.isinf(until) else until, why)


async def tell(ledger: Ledger, job: Job, summary: Summary, *, interrupted: bool) -> None:
    """The summary for people."""
    took = f"in {duration(summary.seconds)}, {summary.pages_per_second:g} a second"
    again = f" and {summary.renewed:,} visited again" if summary.renewed else ""
    brought = f"{plural(summary.new_pages, 'new page')}{again}"
    note(f"{_headline(summary, interrupted)}: {brought} {took}.")
    note(f"  {plural(summary.known, 'URL')} known: {_states(summary)}.")
    if summary.duplicates:
        doubled = plural(summary.duplicates, "near-duplicate")
        note(f"  {doubled} among the pages: tenax pages --duplicates{_data(summary)}")
    for reason, count in await ledger.pages.failures(job.id, limit=5):
        note(f"    {count:>7,}x {printable(reason)[:160]}")
    not_taken = {k: v for k, v in summary.not_taken.items() if k != "known"}
    if not_taken:
        listed = ", ".join(f"{v:,} {k}" for k, v in sorted(not_taken.items(), key=_by_count))
        note(f"  Links not taken: {listed}.")
    waits = () if interrupted else summary.waiting
    for wait in waits[:_SHOWN]:
        note(f"  {told_wait(wait.host, wait.until, wait.why)}.")
    if len(waits) > _SHOWN:
        more = " or more" if len(waits) == _MOST else ""
        note(f"  {len(waits) - _SHOWN:,}{more} other hosts wait too: tenax hosts{_data(summary)}")
    if summary.waiting_for_browser:
        pages = plural(summary.waiting_for_browser, "page waits", "pages wait")
        note(f"  {pages} for a browser, and there was none here.")
    if summary.deferred and not interrupted:
        await _tell_deferred(ledger, job, summary)
    if summary.handler_failures:
        await _tell_failures(ledger, job, summary)
    letters = await ledger.dead.counts(Letters(job=job.name)) if summary.failed else {}
    if letters:
        data = _data(summary)
        told = plural(sum(letters.values()), "dead letter")
        again = f"tenax dead return --job {printable(job.name)}{data}"
        note(f"  {told}: see tenax dead{data} · try again: {again}")
    for line in _next_steps(ledger, summary, interrupted):
        note(f"  {line}")


async def _tell_failures(ledger: Ledger, job: Job, summary: Summary) -> None:
    """Each handler that failed, once, with where and how it did last."""
    last = {failure.handler: failure for failure in await ledger.records.failures(job.name)}
    for handler, count in sorted(summary.handler_failures.items()):
        told = f"  {printable(handler)} failed {plural(count, 'time')}; its pages are stored."
        if (failure := last.get(handler)) is None:
            note(told)
            continue
        lines = failure.error.rstrip().splitlines()
        note(f"{told} Last at {printable(failure.url)}: {printable(lines[-1] if lines else '')}")
    note(f"  The whole story: tenax records --rates{_data(summary)}")


async def _tell_deferred(ledger: Ledger, job: Job, summary: Summary) -> None:
    """What was not visited because its like brought nothing new, and how to have it visited."""
    left = plural(summary.deferred, "URL was", "URLs were")
    note(f"  {left} deferred, as their like brought nothing new. For example:")
    for url, why in await ledger.frontier.deferred(job.id, _EXAMPLES):
        note(f"    {printable(url)[:120]}  ({printable(why.removeprefix('deferred: '))})")
    note("  Run the same command with --deferred to visit them.")


def _headline(summary: Summary, interrupted: bool) -> str:
    if interrupted:
        return f"Stopped {summary.job}"
    if summary.state == JobState.DONE and summary.pending:
        return f"Finished {summary.job} at its page limit"
    return f"Finished {summary.job}" if summary.state == JobState.DONE else f"Left {summary.job}"


def _states(summary: Summary) -> str:
    states = {
        "pages": summary.pages,
        "moved, noindex or sitemaps": max(0, summary.done - summary.pages),
        "pending": summary.pending, "deferred": summary.deferred, "gone": summary.gone,
        "failed": summary.failed, "blocked": summary.blocked, "rejected": summary.rejected,
    }  # fmt: skip
    return ", ".join(f"{count:,} {name}" for name, count in states.items() if count) or "none"


def _by_count(item: tuple[str, int]) -> int:
    return -item[1]


def _next_steps(ledger: Ledger, summary: Summary, interrupted: bool) -> list[str]:
    data = _data(summary)
    steps = []
    if summary.pending and summary.state == JobState.DONE and not interrupted:
        steps.append("Run it again with a larger --max-pages to go on where this ended.")
    elif summary.waiting and not interrupted:
        steps += _when_to_go_on(summary, data)
    elif summary.pending > summary.waiting_for_browser:
        steps.append("Run the same command again to go on where this ended.")
    if summary.waiting_for_browser:
        steps.append(f"For those: {pip_install('browser')} and a Chromium (tenax doctor looks")
        steps.append("for one), then run the same command again; or tenax worker where one is.")
    if summary.pages:
        steps.append(f"See them: tenax pages{data} · take them: tenax export{data} > pages.jsonl")
    if summary.records:
        records = plural(summary.records, "record")
        steps.append(f"{records} of your own: tenax records{data}")
    if summary.failed or summary.blocked or summary.gone or not summary.pages:
        steps.append(f"Ask about any URL: tenax why URL{data}")
    return steps


def _when_to_go_on(summary: Summary, data: str) -> list[str]:
    """Later by itself, or now, by a person who knows better."""
    steps = []
    closed = [wait for wait in summary.waiting if wait.until is not None]
    if closed:
        first = min(wait.until or 0.0 for wait in closed)
        steps.append(f"Run the same command again after {moment(first)} to go on.")
        host = closed[0].host if len(closed) == 1 else "HOST"
        steps.append(f"Is it well again? Open it at once: tenax hosts {host} --reset{data}")
    paused = [wait.host for wait in summary.waiting if wait.until is None]
    if paused:
        host = paused[0] if len(paused) == 1 else "HOST"
        steps.append(f"Go on with what is paused: tenax hosts {host} --resume{data}")
    return steps


def _data(summary: Summary) -> str:
    return "" if summary.data == "./tenax-data" else f" --data {summary.data}"
