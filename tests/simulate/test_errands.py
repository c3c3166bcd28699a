"""Is what was handed in worked on until it is settled, and no longer than its turn?"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.fleet.tasks import Errands
from tenax.crawl.source import Handed
from tenax.hosts.pace import PacePolicy
from tenax.model import Job, JobState, State
from tenax.ports import Ticket
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, open_test_app, simulate, start_job
from tests.simulate.sites import assert_polite, assert_whole, small_site

SETTINGS = Settings(contact="mailto:test@example.org")
UNPACED = replace(SETTINGS, pace=PacePolicy(delay=0.0))
HOME = "https://a.example/"
TURN = 5.0
Offer = Callable[[], Awaitable[list[Ticket]]]


@asynccontextmanager
async def errands(app: Crawler, turn: float = 600.0) -> AsyncIterator[Errands]:
    source = Handed(app.parts.frontier)
    opened = Errands(app.serve_jobs(source=source), source, turn)
    running = asyncio.create_task(opened.run())
    yield opened
    opened.stop()
    await running


@asynccontextmanager
async def at_work(
    web: SimulatedWeb, app: Crawler, job: Job, turn: float = 600.0
) -> AsyncIterator[tuple[Errands, Offer]]:
    """Errands here, and a process besides that offers them work."""
    async with open_test_app(web, Path(app.ledger.settings.data), app.ledger.settings) as scheduler:

        async def offer() -> list[Ticket]:
            return await scheduler.parts.frontier.offer([job.id], 10)

        async with errands(app, turn) as hands:
            yield hands, offer


def test_a_ticket_is_worked_on_until_its_visits_are_in_the_ledger() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 5)
        job = await start_job(app, HOME)
        async with at_work(web, app, job) as (hands, offer):
            (ticket,) = await offer()
            assert await hands.work(ticket)
            counts = await app.parts.jobs.counts(job.id)
            assert counts.pages == 1
            assert counts.of(State.LEASED) == 0
            assert not await hands.work(ticket), "the second time it is worth nothing"
        await assert_whole(app)
        assert_polite(web)

    simulate(story, SETTINGS)


def test_many_are_worked_on_side_by_side() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        names = [f"{letter}.example" for letter in "abcdefgh"]
        for name in names:
            small_site(web, name, 1)
        job = await start_job(app, *(f"https://{name}/" for name in names))
        async with at_work(web, app, job) as (hands, offer):
            tickets = await offer()
            started = app.parts.clock.now()
            assert all(await asyncio.gather(*map(hands.work, tickets)))
            assert app.parts.clock.now() - started < 4.0
        assert (await app.parts.jobs.counts(job.id)).pages == len(names)

    simulate(story, SETTINGS)


def test_a_host_with_very_many_pages_is_given_back_after_its_turn() -> None:
    """RabbitMQ takes a task that lasts too long for lost."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 2_000)
        job = await start_job(app, HOME)
        async with at_work(web, app, job, TURN) as (hands, offer):
            (first,) = await offer()
            assert await hands.work(first)
            (ticket,) = await offer()
            started = app.parts.clock.now()
            assert await hands.work(ticket)
            assert TURN <= app.parts.clock.now() - started < TURN + 3
            counts = await app.parts.jobs.counts(job.id)
            assert counts.of(State.LEASED) == 0
            assert counts.of(State.PENDING) > 100
        await assert_whole(app)

    simulate(story, UNPACED)


def test_a_paused_job_lets_its_tasks_end_at_once() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 30)
        job = await start_job(app, HOME)
        async with at_work(web, app, job) as (hands, offer):
            (first,) = await offer()
            await hands.work(first)
            await asyncio.sleep(2)
            (ticket,) = await offer()
            task = asyncio.create_task(hands.work(ticket))
            await asyncio.sleep(3.5)
            asked = len(web.requests)
            await app.parts.jobs.set_state(job.id, JobState.PAUSED)
            async with asyncio.timeout(2.5):
                assert await task
            assert len(web.requests) <= asked + 2
        await assert_whole(app)

    simulate(story, SETTINGS)


def test_whoever_waits_when_it_ends_waits_no_longer() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 30)
        job = await start_job(app, HOME)
        async with at_work(web, app, job) as (hands, offer):
            (first,) = await offer()
            await hands.work(first)
            await asyncio.sleep(2)
            (ticket,) = await offer()
            task = asyncio.create_task(hands.work(ticket))
            await asyncio.sleep(3.5)
        assert await task, "it was given back, and its visits are in the ledger"
        with pytest.raises(asyncio.CancelledError):
            await hands.work(ticket)
        assert (await app.parts.jobs.counts(job.id)).of(State.LEASED) == 0
        await assert_whole(app)

    simulate(story, SETTINGS)
