"""How do jobs read? A line each, or everything about one."""

from __future__ import annotations

from collections.abc import Sequence

from tenax.cli.look.show_pages import chosen_jobs
from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    as_json,
    at_data,
    duration,
    moment,
    note,
    plural,
    printable,
    size,
    told_wait,
)
from tenax.cli.terminal.table import TableColumn, table, terminal_width
from tenax.compose import Ledger, open_ledger
from tenax.jobs.calendar import ScheduleError, describe_schedule, parse_schedule
from tenax.jobs.durations import tell_duration
from tenax.jobs.eta import least_time, visits_left
from tenax.model import Job, JobSpec, JobState, State, UrlSource
from tenax.ops.jobs.facts import (
    MOST_WAITS,
    JobFacts,
    at_work,
    job_detail,
    job_facts,
    job_summary,
)
from tenax.settings import Settings

_SHOWN = MOST_WAITS - 1


async def list_jobs(settings: Settings, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        every = await ledger.jobs.all()
        seen = [await job_facts(ledger.jobs, job, settings.pace) for job in every]
        advice = "" if json else await _advice(ledger, seen, at_data(settings))
    if json:
        for sight in seen:
            as_json(job_summary(sight))
        return 0
    data = at_data(settings)
    if not seen:
        note(f"No jobs. Create one: tenax jobs create NAME URL{data}, or tenax crawl URL{data}")
        return 0
    columns = (
        TableColumn("job", yields=True), TableColumn("state"), TableColumn("pages", right=True),
        TableColumn("pending", right=True), TableColumn("failed", right=True),
        TableColumn("rate", right=True), TableColumn("to go"), TableColumn("next run"),
    )  # fmt: skip
    print("\n".join(table(columns, [_row(sight) for sight in seen], terminal_width())))
    if advice:
        note(advice)
    return 0


async def show_job(settings: Settings, name: str, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        found = await chosen_jobs(ledger, name)
        if found is None:
            return EXIT_BAD_INPUT
        sight = await job_facts(ledger.jobs, found[0], settings.pace, ledger.hosts)
        advice = "" if json else await _advice(ledger, [sight], at_data(settings))
    if json:
        as_json(job_detail(sight))
        return 0
    waits = sight.waits
    lines = [
        f"{printable(name)}: {sight.job.state}",
        *_figures(sight),
        *_outlook(sight, settings),
        *(f"  waits for   {told_wait(*wait)}" for wait in waits[:_SHOWN]),
        *_asked(sight.job.spec),
        *_times(sight.job),
    ]
    if len(waits) > _SHOWN:
        lines.insert(-1, f"{'':14}and others: tenax hosts{at_data(settings)}")
    print("\n".join(lines))
    if advice:
        note(advice)
    return 0


def _row(sight: JobFacts) -> tuple[str, ...]:
    job, counts = sight.job, sight.counts
    return (
        printable(job.name),
        job.state.value,
        f"{counts.pages:,}",
        f"{counts.unfinished:,}",
        f"{counts.of(State.FAILED):,}",
        f"{sight.lately.rate:,.1f}/s" if sight.is_running else "-",
        _to_go(sight),
        _next_run(job),
    )


def _to_go(sight: JobFacts) -> str:
    if not sight.is_running or not sight.counts.unfinished:
        return "-"
    return "unknown yet" if sight.left is None else roughly(sight.left)


def roughly(seconds: float) -> str:
    """A guess as people say it: nobody knows it to the second."""
    for name, length in (("day", 86_400), ("h", 3_600), ("min", 60)):
        count = round(seconds / length)
        if count > 1 or (count == 1 and name != "day"):
            return f"about {count:,} {name}{'s' if name == 'day' else ''}"
    return "under a minute"


def _figures(sight: JobFacts) -> list[str]:
    counts = sight.counts
    again = f", {counts.renewing:,} of them to be visited again" if counts.renewing else ""
    states = " + ".join(f"{n:,} {state}" for state, n in counts.states.items() if n)
    lines = [
        f"  pages       {counts.pages:,} stored{again}",
        f"  URLs        {counts.known:,} known{f' = {states}' if states else ''}",
    ]
    if counts.unrendered:
        told = plural(counts.unrendered, "URL of them waits", "URLs of them wait")
        lines.append(f"  browser     {told} for a worker that has one")
    if counts.rejected:
        ordered = sorted(counts.rejected.items(), key=lambda item: -item[1])
        lines.append(f"  not taken   {', '.join(f'{n:,} {reason}' for reason, n in ordered)}")
    return lines


def _outlook(sight: JobFacts, settings: Settings) -> list[str]:
    if not sight.is_running:
        return []
    lately = sight.lately
    if not lately.visits:
        return ["  rate        nothing was visited in the last five minutes"]
    failed = f", {lately.failures / lately.visits:.0%} failed" if lately.failures else ""
    lines = [
        f"  rate        {lately.rate:,.1f} visits a second over the last"
        f" {duration(lately.seconds)}{failed}, {size(lately.bytes)}"
    ]
    if sight.left is None or not sight.counts.unfinished:
        return lines
    left = visits_left(sight.job, sight.counts)
    lines.append(f"  to go       {roughly(sight.left)}, for what is known now")
    if sight.left > left / lately.rate and sight.left <= least_time(lately, settings.pace, left):
        longest = lately.queues[0]
        lines.append(
            f"{'':14}{longest.waiting:,} URLs of {longest.host.name} take that long by its delay"
        )
    return lines


def _asked(spec: JobSpec) -> list[str]:
    lines = [*_listed("seeds", spec.seeds), *_listed("sitemaps", spec.sitemaps)]
    lines += _listed("sends", [f"{post.url}  {post.body}" for post in spec.posts])
    limits = [f"scope {spec.scope}", f"depth {spec.max_depth}"]
    for name in ("max_pages", "max_pages_per_host", "max_urls"):
        if (most := getattr(spec, name)) is not None:
            limits.append(f"{name.replace('_', ' ')} {most:,}")
    lines.append(f"  limits      {', '.join(limits)}")
    for name in ("include", "exclude", "allowed_hosts", "blocked_hosts"):
        lines += _listed(name.replace("_", " "), getattr(spec, name))
    if spec.discover != tuple(UrlSource):
        lines.append(f"  discovers   {', '.join(spec.discover) or 'nothing but links'}")
    return lines


def _listed(name: str, values: Sequence[str]) -> list[str]:
    """One a line, the first with its name."""
    names = (name, *("" for _ in values))
    lines = [
        f"  {told:<12}{' ' * (len(told) >= 12)}{printable(value)}"
        for told, value in zip(names, values[:_SHOWN], strict=False)
    ]
    if len(values) > _SHOWN:
        lines.append(f"{'':14}and {len(values) - _SHOWN:,} more")
    return lines


def _times(job: Job) -> list[str]:
    lines = []
    if job.spec.recrawl is not None:
        often = tell_duration(job.spec.recrawl) if job.spec.recrawl else "recrawl.interval"
        lines.append(f"  recrawl     each page after {often} at first, then as it changes")
    if job.spec.schedule:
        lines.append(f"  schedule    {_schedule(job.spec.schedule)}")
        lines.append(f"  next run    {_next_run(job)}")
    lines.append(f"  created     {moment(job.created_at)}")
    if job.ended_at:
        lines.append(f"  done        {moment(job.ended_at)}")
    return lines


def _next_run(job: Job) -> str:
    if job.next_run_at is None or job.state in (JobState.RUNNING, JobState.DONE):
        return moment(job.next_run_at)
    # What a person stopped or paused is not started by a clock.
    return "once started" if job.state is JobState.STOPPED else "once resumed"


def _schedule(text: str) -> str:
    try:
        return f"{describe_schedule(parse_schedule(text))} ({text})"
    except ScheduleError as error:
        return str(error)


async def _advice(ledger: Ledger, seen: Sequence[JobFacts], data: str) -> str:
    """What to do next, where nothing would happen by itself. Whoever waits for a host is there,
    although nothing was visited for a while."""
    idle = [
        s
        for s in seen
        if s.is_running and s.counts.unfinished > s.counts.unrendered and not s.lately.visits
    ]
    if not idle:
        waiting = sum(sight.counts.unrendered for sight in seen)
        told = plural(waiting, "URL waits", "URLs wait")
        rendering = f"{told} for a browser: the next crawl or worker that has one reads them."
        return rendering if waiting else ""
    workers = await at_work(ledger.overview, ledger.clock.now())
    names = ", ".join(printable(sight.job.name) for sight in idle[:3])
    if not workers:
        return f"Nobody seems to work on {names}. Start a worker: tenax worker{data}"
    there = plural(workers, "worker is", "workers are")
    for sight in idle:
        for wait in await ledger.hosts.waiting(sight.job.id, 1):
            return f"{there} there; {printable(sight.job.name)} waits for {told_wait(*wait)}"
    return f"{there} there, and visited nothing of {names} for five minutes: tenax hosts{data}"
