"""How are all jobs worked on from a terminal? Until there is nothing to do, or somebody says so."""

from __future__ import annotations

import asyncio
from typing import Any

from msgspec import Struct

from tenax.cli.crawl.crew import Crew
from tenax.cli.crawl.drive import interruptible
from tenax.cli.crawl.progress import ProgressLine
from tenax.cli.terminal.restarts import Begun, go_on, hand_on
from tenax.cli.terminal.say import (
    EXIT_INTERRUPTED,
    EXIT_WORK_LEFT,
    as_json,
    duration,
    note,
    plural,
    printable,
)
from tenax.compose import App, open_app, require_contact
from tenax.compose.health import telling_health
from tenax.compose.queue import open_queue
from tenax.crawl.run import CrawlRun, conclude_if_done
from tenax.model import Job, JobState
from tenax.ports import Counts, WorkQueue
from tenax.settings import Settings


class Shift(Struct, frozen=True):
    """One `tenax worker` as the user asked for it."""

    settings: Settings
    until_done: bool
    quiet: bool
    as_json: bool


async def work(order: Shift) -> int:
    async with open_app(order.settings) as app:
        await require_contacts(app)
        begun = go_on() or Begun(app.parts.clock.now(), Counts(pages=await _pages(app)))
        hand_on(begun)
        interruptions = await _work(order, app)
        await app.parts.frontier.reclaim()
        active = [job for job in await _active(app) if not await conclude_if_done(app.parts, job)]
        left = [(job, await app.parts.jobs.counts(job.id)) for job in active]
        seconds = app.parts.clock.now() - begun.at
        brought = max(0, await _pages(app) - begun.before.pages)
    if order.as_json:
        as_json({
            "seconds": round(seconds, 3),
            "new_pages": brought,
            "interrupted": interruptions > 0,
            "jobs": [_facts(job, counts) for job, counts in left],
        })  # fmt: skip
    else:
        _tell(order, brought, seconds, left)
    return _exit_code(order, interruptions, left)


async def _work(order: Shift, app: App) -> int:
    """Until it ends; how often it was interrupted."""
    async with open_queue(order.settings, app.parts.clock) as queue, telling_health(app, queue):
        crew = make_crew(app, queue, until_done=order.until_done)
        quiet = order.quiet or order.as_json
        async with (
            interruptible(crew, app) as interruption,
            ProgressLine.shown(app, None, quiet=quiet),
        ):
            try:
                async with app.telling_dead(note):
                    await crew.run()
            except asyncio.CancelledError:
                if not interruption.count:
                    raise
    return interruption.count


def make_crew(app: App, queue: WorkQueue | None, *, until_done: bool) -> Crew | CrawlRun:
    """Whoever works on all jobs there are: this process, or several."""
    source = app.queued(queue)
    if app.settings.processes > 1:
        return Crew(app, None, until_done=until_done, source=source)
    return app.serve_jobs(until_done=until_done, source=source)


async def require_contacts(app: App) -> None:
    """Site owners must be able to reach whoever crawls them: told before anything starts."""
    for job in await _active(app):
        require_contact(app.settings, (*job.spec.seeds, *job.spec.sitemaps))


async def _active(app: App) -> list[Job]:
    return [job for job in await app.parts.jobs.all() if job.state is JobState.RUNNING]


async def _pages(app: App) -> int:
    states = await app.parts.jobs.states()
    return sum([(await app.parts.jobs.counts(id)).pages for id in states])


def _facts(job: Job, counts: Counts) -> dict[str, Any]:
    return {"job": job.name, "pages": counts.pages, "pending": counts.unfinished}


def _tell(order: Shift, brought: int, seconds: float, left: list[tuple[Job, Counts]]) -> None:
    note(f"{plural(brought, 'new page')} in {duration(seconds)}.")
    for job, counts in left[:10]:
        waits = plural(counts.unfinished, "URL is", "URLs are")
        note(f"  {printable(job.name)}: {waits} left")
    if len(left) > 10:
        note(f"  and {len(left) - 10:,} more jobs: tenax jobs")
    if left:
        note("  They are still running: the next tenax worker goes on with them.")
    elif order.until_done:
        note("  No job is running any more.")


def _exit_code(order: Shift, interruptions: int, left: list[tuple[Job, Counts]]) -> int:
    """To stop a worker that would never end by itself is no accident."""
    if interruptions > 1 or (interruptions and order.until_done):
        return EXIT_INTERRUPTED
    return EXIT_WORK_LEFT if order.until_done and left else 0
