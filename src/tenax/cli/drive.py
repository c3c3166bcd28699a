"""How is a crawl driven from a terminal? Signals, processes, progress and the final summary."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from tenax.cli import options
from tenax.cli.crew import Crew
from tenax.cli.progress import Progress
from tenax.cli.say import (
    EXIT_BAD_INPUT,
    EXIT_INTERRUPTED,
    EXIT_NOTHING,
    EXIT_WORK_LEFT,
    as_json,
    fail,
    note,
    plain,
    plural,
)
from tenax.cli.summary import Summary, summarise, tell
from tenax.compose import App, open_app
from tenax.crawl.run import CrawlRun, conclude, offer_seeds, revisit
from tenax.crawl.settle import Busy
from tenax.model import Job, JobState
from tenax.settings import Settings
from tenax.urls.normalise import host_of, resolve, seed_url


@dataclass(frozen=True, slots=True)
class Drive:
    """One `tenax crawl` as the user asked for it."""

    settings: Settings
    urls: tuple[str, ...]
    job: str | None
    quiet: bool
    as_json: bool
    again: bool = False


def drive(order: Drive) -> int:
    """Crawl, and say how it went; the exit code."""
    return options.run(_drive(order))


async def _drive(order: Drive) -> int:
    async with open_app(order.settings) as app:
        job = await _prepare(order, app)
        if job is None:
            return EXIT_BAD_INPUT
        if order.again:
            known = await revisit(app.parts, job)
            if not (order.quiet or order.as_json):
                note(f"Visiting {plural(known, 'URL')} of {job.name} again.")
        started = app.parts.clock.now()
        before = await app.parts.jobs.counts(job.id)
        interrupted = await _crawl(order, app, job)
        state = await conclude(app.parts, job)
        seconds = app.parts.clock.now() - started
        summary = await summarise(app, job, state, before, seconds)
        if order.as_json:
            as_json(plain(summary))
        else:
            await tell(app, job, summary, interrupted=interrupted)
        return _exit_code(summary, interrupted)


async def _prepare(order: Drive, app: App) -> Job | None:
    """Create or resume the job and offer its seeds; None when none of them can be crawled."""
    seeds = tuple(resolve(seed_url(url)) or url for url in order.urls)
    name = order.job or host_of(seeds[0]) or "crawl"
    known = await app.parts.jobs.get(name)
    if known is not None:
        seeds = tuple(dict.fromkeys(known.spec.seeds + seeds))
    job = await app.parts.jobs.save(name, replace(order.settings.job, seeds=seeds))
    await app.parts.jobs.set_state(job.id, JobState.RUNNING)
    admission = app.admission(job)
    offer = await offer_seeds(app.parts, admission)
    if isinstance(offer, Busy):
        # What waits already is work enough; the seeds are part of the job for the next time.
        note(f"{plural(offer.waiting, 'URL')} wait in {name} already: going on with those first.")
        return job
    for seed, reason in offer.kept:
        fail(f"{seed}: not crawled: {reason}. `tenax why` tells more.", EXIT_BAD_INPUT)
    if offer.found:
        return job
    await conclude(app.parts, job)
    return None


async def _crawl(order: Drive, app: App, job: Job) -> bool:
    """Work until the job ends; True when the user interrupted it."""
    many = order.settings.processes > 1
    work: Crew | CrawlRun = Crew(app, job) if many else app.run(job)
    quiet = order.quiet or order.as_json
    async with _interruptible(work) as interruption, Progress.shown(app, job, quiet=quiet):
        try:
            await work.run()
        except asyncio.CancelledError:
            if not interruption.count:
                raise
    return interruption.count > 0


@dataclass(slots=True)
class _Interruption:
    count: int = 0


@asynccontextmanager
async def _interruptible(work: Crew | CrawlRun) -> AsyncIterator[_Interruption]:
    """Ctrl-C once ends politely, twice at once; SIGTERM is the polite one."""
    interruption = _Interruption()
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None

    def interrupt() -> None:
        interruption.count += 1
        if interruption.count == 1:
            note("\nStopping: finishing what is under way. Ctrl-C again stops at once.")
            work.stop()
        elif interruption.count == 2:
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt)
    try:
        yield interruption
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _exit_code(summary: Summary, interrupted: bool) -> int:
    if interrupted:
        return EXIT_INTERRUPTED
    if summary.state != JobState.DONE:
        return EXIT_WORK_LEFT
    return 0 if summary.pages else EXIT_NOTHING
