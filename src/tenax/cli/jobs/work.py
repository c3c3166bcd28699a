"""What do the commands of `tenax jobs` change? Create, change, order about, run again."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tenax.cli.crawl.seed_files import SeedFile
from tenax.cli.crawl.seeds import Planting
from tenax.cli.look.show_pages import chosen_jobs
from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_WORK_LEFT,
    as_json,
    at_data,
    fail,
    note,
    plain,
    plural,
    printable,
)
from tenax.compose import Ledger, open_ledger
from tenax.jobs.states import JobOrder, Refusal
from tenax.model import Job, JobSpec, JobState, Post, Sends
from tenax.ops.jobs.change import JobChange, change_job
from tenax.ops.jobs.create import (
    JobCreated,
    JobExists,
    JobInvalid,
    NewJob,
    create_job,
    whole_starts,
)
from tenax.ops.jobs.facts import job_facts, job_summary
from tenax.ops.jobs.orders import order_job, run_again
from tenax.settings import Settings, SettingsError


class Creation(Struct, frozen=True):
    name: str
    urls: tuple[str, ...]
    is_started: bool
    sends: Sends | None = None
    """What is sent to the URLs, by POST; None to ask for them."""


class Change(Struct, frozen=True):
    name: str
    urls: tuple[str, ...]
    given: tuple[str, ...]
    """Fields of the spec that flags were given for."""
    unset: tuple[str, ...]
    """Flags that are taken back."""
    sends: Sends | None = None
    """As of a new job."""


async def create(settings: Settings, order: Creation, files: Sequence[SeedFile], json: bool) -> int:
    spec = starting(settings.job, order.urls, order.sends)
    async with open_ledger(settings) as ledger:
        await ledger.know_sites()
        planting = Planting(ledger, files, quiet=json)
        wanted = NewJob(order.name, spec, order.is_started, planting.grounds(spec))
        answer = await create_job(ledger.job_context, wanted)
        if isinstance(answer, JobExists) and not (answer.is_same and files):
            return _taken(settings, order.name)
        if isinstance(answer, JobInvalid):
            return _invalid(planting, spec, order.name, answer)
        if isinstance(answer, JobCreated):
            planting.tell(spec, answer)
        if (code := await _sow(ledger, planting, answer.job, order.is_started)) is not None:
            return code
        await _tell(ledger, order.name, "created", json)
    if not json:
        start = f"tenax jobs start {shlex.quote(order.name)}{at_data(settings)}"
        when = ", and its schedule with it" if spec.schedule else ""
        note(f"  {_worked_on(settings)}" if order.is_started else f"  Start it{when}: {start}")
    return 0


async def _sow(ledger: Ledger, planting: Planting, job: Job, is_started: bool) -> int | None:
    """Add the seeds of the files to a new job, or to one whose creation was cut off; the exit
    code when that is not the end of it."""
    sown = await planting.sow_for_others(job, start=is_started)
    if sown is None:
        return _has_to_wait(ledger.settings, job.name)
    if not (await ledger.jobs.counts(job.id)).known:
        await ledger.jobs.delete(job.id)
        return _not_created(job.name)
    if is_started:
        await ledger.jobs.set_state(job.id, JobState.RUNNING)
    return None


def _invalid(planting: Planting, spec: JobSpec, name: str, answer: JobInvalid) -> int:
    if answer.field == "name":
        return fail(f"jobs create: {answer.why}.", EXIT_BAD_INPUT)
    if answer.field == "seeds" and not answer.refused:
        return fail(
            "jobs create: where to start? Name a URL, a file with --seeds, or a sitemap with"
            " --sitemap.",
            EXIT_BAD_INPUT,
        )
    planting.tell(spec, answer)
    return _not_created(name)


def _not_created(name: str) -> int:
    return fail(f"job {printable(name)!r} is not created: none of its seeds can be crawled.",
                EXIT_BAD_INPUT)  # fmt: skip


def _taken(settings: Settings, name: str) -> int:
    change = f"tenax jobs change {shlex.quote(name)}{at_data(settings)}"
    told = f"there is a job {printable(name)!r} already. Change it: {change}"
    return fail(told, EXIT_BAD_INPUT)


async def change(settings: Settings, order: Change, files: Sequence[SeedFile], json: bool) -> int:
    if not (order.urls or order.given or order.unset or files):
        return fail(
            "jobs change: change what? Name URLs to add, or give flags; --help has them.",
            EXIT_BAD_INPUT,
        )
    async with open_ledger(settings, create=False) as ledger:
        await ledger.know_sites()
        found = await chosen_jobs(ledger, order.name)
        if found is None:
            return EXIT_BAD_INPUT
        (job,) = found
        changed = {name: getattr(settings.job, name) for name in order.given}
        kept = replace(job.spec, **{**changed, **_unset(order.unset)})
        spec = starting(kept, order.urls, order.sends)
        planting = Planting(ledger, files, quiet=json)
        wanted = JobChange(job, spec, planting.grounds(spec, job))
        answer = await change_job(ledger.job_context, wanted)
        planting.tell(spec, answer)
        if isinstance(answer, JobInvalid):
            return EXIT_BAD_INPUT
        if await planting.sow_for_others(answer.job) is None:
            return _has_to_wait(settings, order.name)
        await _tell(ledger, order.name, "changed", json)
    if not json and job.state is JobState.RUNNING:
        name = f"{shlex.quote(order.name)}{at_data(settings)}"
        note("  Processes at work go by it once the job is resumed:"
             f" tenax jobs pause {name} && tenax jobs resume {name}")  # fmt: skip
    return 0


async def order(settings: Settings, name: str, order: JobOrder, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        await ledger.know_sites()
        found = await chosen_jobs(ledger, name)
        if found is None:
            return EXIT_BAD_INPUT
        (job,) = found
        answer = await order_job(ledger.job_context, job, order)
        if isinstance(answer, Refusal):
            return _refuse(settings, job, order, answer)
        already = " already" if answer is job.state else ""
        await _tell(ledger, name, f"{answer}{already}", json)
    if not json:
        quoted = f"{shlex.quote(name)}{at_data(settings)}"
        match answer:
            case JobState.RUNNING:
                note(f"  {_worked_on(settings)}")
            case JobState.PAUSED:
                note("  Whoever works on it asks for nothing more within two seconds.")
                note(f"  To go on: tenax jobs resume {quoted}")
            case _:
                note(f"  What is left stays. To go on: tenax jobs start {quoted}")
    return 0


async def run(settings: Settings, name: str, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        await ledger.know_sites()
        found = await chosen_jobs(ledger, name)
        if found is None:
            return EXIT_BAD_INPUT
        (job,) = found
        answer = await run_again(ledger.job_context, job)
        if isinstance(answer, Refusal):
            return _refuse(settings, job, "run", answer)
    again, left = answer.again, answer.pending
    if json:
        as_json({"job": name, "state": JobState.RUNNING, "again": again, "pending": left})
    else:
        note(f"{printable(name)} is running: {plural(again, 'URL')} to be visited again,"
             f" {left:,} pending in all.")  # fmt: skip
        note(f"  {_worked_on(settings)}")
    return 0


async def _tell(ledger: Ledger, name: str, did: str, json: bool) -> None:
    job = await ledger.jobs.get(name)
    assert job is not None
    facts = await job_facts(ledger.jobs, job, ledger.settings.pace)
    if json:
        as_json({**plain(job_summary(facts)), "did": did})
        return
    counts = facts.counts
    waits = plural(counts.unfinished, "URL", "URLs")
    stands = "" if did.startswith(job.state) else f", {job.state}"
    note(f"{printable(name)} is {did}{stands}: {waits} pending, {plural(counts.pages, 'page')}.")


def _refuse(settings: Settings, job: Job, order: str, refusal: Refusal) -> int:
    quoted = f"{shlex.quote(job.name)}{at_data(settings)}"
    instead = ", or ".join(
        f"tenax jobs {word} {quoted} {flags}".rstrip()
        for word, _, flags in (each.partition(" ") for each in refusal.instead)
    )
    hint = f" Perhaps you want: {instead}" if instead else ""
    return fail(f"cannot {order} {printable(job.name)}: {refusal.why}.{hint}", EXIT_BAD_INPUT)


def _has_to_wait(settings: Settings, name: str) -> int:
    quoted = f"{shlex.quote(name)}{at_data(settings)}"
    return fail(
        f"as many URLs wait in {printable(name)} as may (feed.frontier_limit), and it is not"
        f" running. Start it: tenax jobs start {quoted}; with a worker at it, add the rest:"
        f" tenax jobs change {quoted} --seeds FILE",
        EXIT_WORK_LEFT,
    )


def starting(spec: JobSpec, urls: tuple[str, ...], sends: Sends | None) -> JobSpec:
    """From these URLs; where something is to be sent, by sending it there."""
    if sends is None:
        return whole_starts(replace(spec, seeds=urls))
    posts = tuple(Post(url, sends.body, sends.content_type) for url in urls)
    return whole_starts(replace(spec, seeds=(), posts=posts))


_CAN_BE_UNSET = ("include", "exclude", "max_pages", "max_depth", "scope", "recrawl", "schedule")


def _unset(flags: tuple[str, ...]) -> dict[str, Any]:
    """The fields of these flags as they are when nobody says anything."""
    defaults = JobSpec()
    values = {}
    for flag in flags:
        name = flag.removeprefix("--").replace("-", "_")
        if name not in _CAN_BE_UNSET:
            flags_known = [each.replace("_", "-") for each in _CAN_BE_UNSET]
            close = difflib.get_close_matches(flag, flags_known, n=1)
            hint = f"Did you mean {close[0]}?" if close else f"Use one of {', '.join(flags_known)}."
            raise SettingsError(f"--unset {printable(flag)}: cannot be taken back. {hint}")
        values[name] = getattr(defaults, name)
    return values


def _worked_on(settings: Settings) -> str:
    worker = f"tenax worker{at_data(settings)}"
    return f"A worker under way takes it up within a second; else start one: {worker}"
