"""What does a scheduler look after besides filling the queue? (MODE-3)"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.fleet.dispatch import Dispatch
from tenax.crawl.fleet.handout import DispatchPolicy
from tenax.crawl.policy import FeedPolicy
from tenax.model import JobState, State
from tenax.ports import Ticket, Unavailable
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, open_test_app, simulate, start_job
from tests.queues import MemoryQueue
from tests.simulate.sites import assert_polite, assert_whole, small_site

PATIENCE = 5.0
SETTINGS = Settings(
    contact="mailto:test@example.org",
    dispatch=DispatchPolicy(patience=PATIENCE, again=1.0, alone=1e6),
    feed=FeedPolicy(heartbeat=2.0),
)
HOME = "https://a.example/"


@dataclass
class Choosy(MemoryQueue):
    """Says how full it is, and takes nothing."""

    takes: bool = False

    async def put(self, tickets: Sequence[Ticket], keep: float) -> None:
        if not self.takes:
            raise Unavailable("The queue takes nothing.")
        await super().put(tickets, keep)


@asynccontextmanager
async def scheduling(app: Crawler, queue: MemoryQueue) -> AsyncIterator[Dispatch]:
    queue.now = app.parts.clock.now
    dispatch = app.dispatch(queue)
    running = asyncio.create_task(dispatch.run())
    yield dispatch
    dispatch.stop()
    await running


@asynccontextmanager
async def working(web: SimulatedWeb, app: Crawler, queue: MemoryQueue) -> AsyncIterator[Crawler]:
    """Another process, which takes from the queue."""
    async with open_test_app(
        web, Path(app.ledger.settings.data), app.ledger.settings, seed=1
    ) as other:
        run = other.serve_jobs(source=other.queued(queue))
        running = asyncio.create_task(run.run())
        yield other
        run.stop()
        await running


async def state(app: Crawler, name: str = "test") -> JobState:
    job = await app.parts.jobs.get(name)
    assert job is not None
    return job.state


def test_a_job_is_crawled_and_then_written_down_as_done() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 6)
        job = await start_job(app, HOME)
        queue = MemoryQueue()
        async with scheduling(app, queue), working(web, app, queue):
            await asyncio.sleep(30)
            assert await state(app) is JobState.DONE
        assert (await app.parts.jobs.counts(job.id)).pages == 6
        assert_polite(web)
        await assert_whole(app)

    simulate(story, SETTINGS)


def test_a_scheduled_run_begins_although_workers_leave_that_to_it() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 2)
        await start_job(app, HOME, schedule="every 30m")
        queue = MemoryQueue()
        async with working(web, app, queue):
            async with scheduling(app, queue):
                await asyncio.sleep(300)
                first = web.urls().count(HOME)
                await asyncio.sleep(1_800)
                assert web.urls().count(HOME) == first + 1
            await asyncio.sleep(3_600)
            assert web.urls().count(HOME) == first + 1, "nobody else begins one"
        await assert_whole(app)

    calm = FeedPolicy(poll_most=20.0, look=20.0, reclaim=60.0, heartbeat=60.0)
    simulate(story, replace(SETTINGS, feed=calm, dispatch=DispatchPolicy(poll_most=20.0)))


def test_what_the_queue_does_not_take_is_given_back_at_once() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 2)
        job = await start_job(app, HOME)
        queue = Choosy()
        async with scheduling(app, queue):
            await asyncio.sleep(0.2)
            assert (await app.parts.jobs.counts(job.id)).of(State.LEASED) == 0
            queue.takes = True
            await asyncio.sleep(2)
            assert queue.waiting
            assert (await app.parts.jobs.counts(job.id)).of(State.LEASED) == 1

    simulate(story, SETTINGS)


def test_a_job_started_a_moment_ago_is_worked_on_by_who_has_not_heard_of_it() -> None:
    """Or its hosts would be handed to and fro until every worker has looked at the jobs again."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 2)
        queue = MemoryQueue()
        async with working(web, app, queue):
            await asyncio.sleep(5)  # so the scheduler looks in between two looks of the worker
            async with scheduling(app, queue):
                await asyncio.sleep(27)
                await start_job(app, HOME)
                await asyncio.sleep(60)
            assert web.urls().count(HOME) == 1
            assert len(queue.seen) <= 3
        await assert_whole(app)

    rarely = FeedPolicy(look=10.0, reclaim=10.0)
    simulate(story, replace(SETTINGS, feed=rarely))


def test_when_it_ends_nothing_is_left_in_its_hands() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 2)
        job = await start_job(app, HOME)
        queue = MemoryQueue()
        async with scheduling(app, queue):
            await asyncio.sleep(1)
            assert queue.waiting
        assert (await app.parts.jobs.counts(job.id)).of(State.LEASED) == 0
        await assert_whole(app)

    simulate(story, SETTINGS)


def test_what_it_holds_without_knowing_is_given_back() -> None:
    """The ledger may have written an offer whose answer was lost on the way."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 2)
        job = await start_job(app, HOME)
        await app.parts.frontier.offer([job.id], 10)
        queue = MemoryQueue()
        async with scheduling(app, queue):
            await asyncio.sleep(PATIENCE + 4)
            assert queue.waiting

    simulate(story, SETTINGS)


def test_a_ledger_that_is_away_does_not_keep_it_from_ending(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 2)
        await start_job(app, HOME)

        async def hang(*_: Any) -> Any:
            await asyncio.sleep(3600)

        async with scheduling(app, MemoryQueue()) as dispatch:
            await asyncio.sleep(1)
            for name in ("renew", "withdraw", "offer", "reclaim", "revive"):
                setattr(app.parts.frontier, name, hang)
            await asyncio.sleep(1)
            dispatch.stop()
            started = app.parts.clock.now()
        assert app.parts.clock.now() - started < 10

    simulate(story, SETTINGS)
    assert "comes back by itself" in caplog.text


def test_a_queue_that_is_down_is_said_once_and_tried_until_it_is_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 2)
        await start_job(app, HOME)
        queue = MemoryQueue(is_down=True)
        async with scheduling(app, queue):
            await asyncio.sleep(120)
            queue.is_down = False
            await asyncio.sleep(15)
            assert queue.waiting

    simulate(story, replace(SETTINGS, dispatch=DispatchPolicy()))
    assert caplog.text.count("The queue is down") == 1
    assert "handing out work: works again" in caplog.text


def test_a_worker_that_nobody_hands_work_says_so_once_and_works(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A scheduler that was forgotten would show as slowness only."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 2)
        job = await start_job(app, HOME)
        await app.serve_jobs(until_done=True, source=app.queued(MemoryQueue())).run()
        assert (await app.parts.jobs.counts(job.id)).pages == 2

    simulate(story, replace(SETTINGS, dispatch=DispatchPolicy()))
    assert caplog.text.count("is a `tenax scheduler` running") == 1
