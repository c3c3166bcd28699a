"""What do the commands of `tenax jobs` change? Create, change, order about, run again."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tenax.cli.crawl.seed_files import SeedFile
from tenax.cli.crawl.seeds import Planting, as_typed
from tenax.cli.look.show_pages import chosen_jobs
from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_WORK_LEFT,
    as_json,
    fail,
    note,
    plural,
    printable,
)
from tenax.compose import App, open_app
from tenax.crawl.run import revisit
from tenax.jobs.states import JobOrder, Refusal
from tenax.model import Job, JobSpec, JobState
from tenax.ops.jobs.facts import order_about
from tenax.settings import Settings, SettingsError


class Creation(Struct, frozen=True):
    name: str
    urls: tuple[str, ...]
    is_started: bool


class Change(Struct, frozen=True):
    name: str
    urls: tuple[str, ...]
    given: tuple[str, ...]
    """Fields of the spec that flags were given for."""
    unset: tuple[str, ...]
    """Flags that are taken back."""


async def create_job(
    settings: Settings, order: Creation, files: Sequence[SeedFile], json: bool
) -> int:
    spec = _starting(settings.job, order.urls)
    if not (spec.seeds or spec.sitemaps or files):
        return fail(
            "jobs create: where to start? Name a URL, a file with --seeds, or a sitemap with"
            " --sitemap.",
            EXIT_BAD_INPUT,
        )
    if not order.name.strip():
        return fail("jobs create: a job needs a name.", EXIT_BAD_INPUT)
    async with open_app(settings) as app:
        name, data = printable(order.name), _data(settings)
        if await app.parts.jobs.get(order.name) is not None:
            change = f"tenax jobs change {shlex.quote(order.name)}{data}"
            return fail(f"there is a job {name!r} already. Change it: {change}", EXIT_BAD_INPUT)
        planting = Planting(app, files, quiet=json)
        planted = await planting.prepare(order.name, spec)
        sown = await planting.sow_for_others(planted.job, start=order.is_started)
        if sown is None:
            return _has_to_wait(settings, order.name)
        if not planted.taken and not sown.taken:
            await app.parts.jobs.delete(planted.job.id)
            return fail(f"job {name!r} is not created: none of its seeds can be crawled.",
                        EXIT_BAD_INPUT)  # fmt: skip
        if order.is_started:
            await app.parts.jobs.set_state(planted.job.id, JobState.RUNNING)
        await _tell(app, order.name, "created", json)
    if not json:
        start = f"tenax jobs start {shlex.quote(order.name)}{data}"
        when = ", and its schedule with it" if spec.schedule else ""
        note(f"  {_worked_on(settings)}" if order.is_started else f"  Start it{when}: {start}")
    return 0


async def change_job(
    settings: Settings, order: Change, files: Sequence[SeedFile], json: bool
) -> int:
    if not (order.urls or order.given or order.unset or files):
        return fail(
            "jobs change: change what? Name URLs to add, or give flags; --help has them.",
            EXIT_BAD_INPUT,
        )
    async with open_app(settings, create=False) as app:
        found = await chosen_jobs(app, order.name)
        if found is None:
            return EXIT_BAD_INPUT
        (job,) = found
        changed = {name: getattr(settings.job, name) for name in order.given}
        spec = replace(job.spec, **{**changed, **_unset(order.unset)})
        planting = Planting(app, files, quiet=json)
        planted = await planting.prepare(order.name, _starting(spec, order.urls))
        if await planting.sow_for_others(planted.job) is None:
            return _has_to_wait(settings, order.name)
        await _tell(app, order.name, "changed", json)
    if not json and job.state is JobState.RUNNING:
        name = f"{shlex.quote(order.name)}{_data(settings)}"
        note("  Processes at work go by it once the job is resumed:"
             f" tenax jobs pause {name} && tenax jobs resume {name}")  # fmt: skip
    return 0


async def order_job(settings: Settings, name: str, order: JobOrder, json: bool) -> int:
    async with open_app(settings, create=False) as app:
        found = await chosen_jobs(app, name)
        if found is None:
            return EXIT_BAD_INPUT
        (job,) = found
        answer = await order_about(app.parts.jobs, job, order)
        if isinstance(answer, Refusal):
            return _refuse(settings, job, order, answer)
        already = " already" if answer is job.state else ""
        await _tell(app, name, f"{answer}{already}", json)
    if not json:
        quoted = f"{shlex.quote(name)}{_data(settings)}"
        match answer:
            case JobState.RUNNING:
                note(f"  {_worked_on(settings)}")
            case JobState.PAUSED:
                note("  Whoever works on it asks for nothing more within two seconds.")
                note(f"  To go on: tenax jobs resume {quoted}")
            case _:
                note(f"  What is left stays. To go on: tenax jobs start {quoted}")
    return 0


async def run_job(settings: Settings, name: str, json: bool) -> int:
    async with open_app(settings, create=False) as app:
        found = await chosen_jobs(app, name)
        if found is None:
            return EXIT_BAD_INPUT
        (job,) = found
        if job.state is JobState.PAUSED:
            refusal = Refusal("it is paused", (JobOrder.RESUME,))
            return _refuse(settings, job, "run", refusal)
        again = await revisit(app.parts, job)
        left = (await app.parts.jobs.counts(job.id)).unfinished
        if not left:
            return fail(
                f"job {printable(name)!r} has nothing to visit: it has no URL, or all of them"
                f" failed or are gone. See: tenax jobs show {shlex.quote(name)}{_data(settings)}",
                EXIT_BAD_INPUT,
            )
        await app.parts.jobs.set_state(job.id, JobState.RUNNING)
    if json:
        as_json({"job": name, "state": JobState.RUNNING, "again": again, "pending": left})
    else:
        note(f"{printable(name)} is running: {plural(again, 'URL')} to be visited again,"
             f" {left:,} pending in all.")  # fmt: skip
        note(f"  {_worked_on(settings)}")
    return 0


async def _tell(app: App, name: str, did: str, json: bool) -> None:
    job = await app.parts.jobs.get(name)
    assert job is not None
    counts = await app.parts.jobs.counts(job.id)
    if json:
        as_json({
            "job": name, "did": did, "state": job.state, "known": counts.known,
            "pages": counts.pages, "pending": counts.unfinished,
        })  # fmt: skip
        return
    waits = plural(counts.unfinished, "URL", "URLs")
    stands = "" if did.startswith(job.state) else f", {job.state}"
    note(f"{printable(name)} is {did}{stands}: {waits} pending, {plural(counts.pages, 'page')}.")


def _refuse(settings: Settings, job: Job, order: str, refusal: Refusal) -> int:
    quoted = f"{shlex.quote(job.name)}{_data(settings)}"
    instead = ", or ".join(
        f"tenax jobs {word} {quoted} {flags}".rstrip()
        for word, _, flags in (each.partition(" ") for each in refusal.instead)
    )
    hint = f" Perhaps you want: {instead}" if instead else ""
    return fail(f"cannot {order} {printable(job.name)}: {refusal.why}.{hint}", EXIT_BAD_INPUT)


def _has_to_wait(settings: Settings, name: str) -> int:
    quoted = f"{shlex.quote(name)}{_data(settings)}"
    return fail(
        f"as many URLs wait in {printable(name)} as may (feed.frontier_limit), and it is not"
        f" running. Start it: tenax jobs start {quoted}; with a worker at it, add the rest:"
        f" tenax jobs change {quoted} --seeds FILE",
        EXIT_WORK_LEFT,
    )


def _starting(spec: JobSpec, urls: tuple[str, ...]) -> JobSpec:
    return replace(spec, seeds=as_typed(urls), sitemaps=as_typed(spec.sitemaps))


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
    worker = f"tenax worker{_data(settings)}"
    return f"A worker under way takes it up within a second; else start one: {worker}"


def _data(settings: Settings) -> str:
    return "" if settings.data == "./tenax-data" else f" --data {shlex.quote(settings.data)}"
