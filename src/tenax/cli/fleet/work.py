"""How are all jobs worked on from a terminal? Until there is nothing to do, or somebody says so."""

from __future__ import annotations

import asyncio
from typing import Any

from msgspec import Struct

from tenax.cli.crawl.crew import Crew
from tenax.cli.crawl.progress import ProgressLine
from tenax.cli.terminal.interrupts import interruptible
from tenax.cli.terminal.restarts import Begun, go_on, hand_on
from tenax.cli.terminal.say import (
    EXIT_INTERRUPTED,
    EXIT_MEMORY,
    EXIT_WORK_LEFT,
    as_json,
    duration,
    note,
    plural,
    printable,
)
from tenax.compose import Ledger, require_contact
from tenax.compose.crawler import Crawler, open_crawler
from tenax.compose.health import telling_health, watching_alerts
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
    async with open_crawler(order.settings) as crawler:
        crawler.ledger.works_as("worker")
        await require_contacts(crawler.ledger)
        begun = go_on() or Begun(
            crawler.parts.clock.now(), Counts(pages=await _pages(crawler.ledger))
        )
        hand_on(begun)
        interruptions = await _work(order, crawler)
        await crawler.parts.frontier.reclaim()
        active = [
            job
            for job in await _active(crawler.ledger)
            if not await conclude_if_done(crawler.parts, job)
        ]
        left = [(job, await crawler.parts.jobs.counts(job.id)) for job in active]
        seconds = crawler.parts.clock.now() - begun.at
        brought = max(0, await _pages(crawler.ledger) - begun.before.pages)
    if order.as_json:
        as_json({
            "seconds": round(seconds, 3),
            "new_pages": brought,
            "interrupted": interruptions > 0,
            "jobs": [_facts(job, counts) for job, counts in left],
        })  # fmt: skip
    else:
        _tell(order, brought, seconds, left)
    return EXIT_MEMORY if crawler.ledger.care.is_full else _exit_code(order, interruptions, left)


async def _work(order: Shift, crawler: Crawler) -> int:
    """Until it ends; how often it was interrupted."""
    ledger = crawler.ledger
    async with (
        open_queue(order.settings, ledger.clock) as queue,
        telling_health(ledger, queue),
        watching_alerts(ledger, queue),
    ):
        crew = make_crew(crawler, queue, until_done=order.until_done)
        quiet = order.quiet or order.as_json
        async with (
            interruptible(crew, ledger) as interruption,
            ProgressLine.shown(ledger, None, quiet=quiet),
        ):
            try:
                async with ledger.telling_dead(note):
                    await crew.run()
            except asyncio.CancelledError:
                if not interruption.count:
                    raise
    return interruption.count


def make_crew(crawler: Crawler, queue: WorkQueue | None, *, until_done: bool) -> Crew | CrawlRun:
    """Whoever works on all jobs there are: this process, or several."""
    source = crawler.queued(queue)
    if crawler.ledger.settings.processes > 1:
        return Crew(crawler, None, until_done=until_done, source=source)
    return crawler.serve_jobs(until_done=until_done, source=source)


async def require_contacts(ledger: Ledger) -> None:
    """Site owners must be able to reach whoever crawls them: told before anything starts."""
    for job in await _active(ledger):
        require_contact(ledger.settings, job.spec.starts)


async def _active(ledger: Ledger) -> list[Job]:
    return [job for job in await ledger.jobs.all() if job.state is JobState.RUNNING]


async def _pages(ledger: Ledger) -> int:
    states = await ledger.jobs.states()
    return sum([(await ledger.jobs.counts(id)).pages for id in states])


def _facts(job: Job, counts: Counts) -> dict[str, Any]:
    return {"job": job.name, "pages": counts.pages, "pending": counts.unfinished}


def _tell(order: Shift, brought: int, seconds: float, left: list[tuple[Job, Counts]]) -> None:
    note(f"{plural(brought, 'new page')} in {duration(seconds)}.")
    for job, counts in left[:10]:
        waits = plural(counts.unfinished, "URL is", "URLs are")
        browser = f", {counts.unrendered:,} waiting for a browser" if counts.unrendered else ""
        note(f"  {printable(job.name)}: {waits} left{browser}")
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
