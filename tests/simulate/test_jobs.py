"""Do several jobs get on with one another, and does each heed its owner? (FR-7)"""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.policy import FeedPolicy
from tenax.crawl.run import CrawlRun
from tenax.hosts.pace import PacePolicy
from tenax.model import Job, JobState, Reason, State
from tenax.settings import Settings
from tenax.testing import START, SimulatedWeb, page, simulate, start_job, throttled
from tests.simulate.sites import assert_polite, assert_whole, small_site

PATIENT = Settings(
    contact="mailto:test@example.org",
    feed=FeedPolicy(patience=1e6, patience_at_first=1e6),
)
SLOW = replace(PATIENT, pace=PacePolicy(delay=30.0))
UNPACED = replace(PATIENT, pace=PacePolicy(delay=0.0))
HOME = "https://a.example/"


async def at(second: float) -> None:
    await asyncio.sleep(second - asyncio.get_running_loop().time())


async def set_state(app: Crawler, job: Job, state: JobState) -> None:
    await app.parts.jobs.set_state(job.id, state)


def asked_between(web: SimulatedWeb, begin: float, end: float) -> int:
    return sum(begin <= request.at - START < end for request in web.requests)


@pytest.mark.parametrize("settings", [PATIENT, SLOW, UNPACED], ids=["paced", "slow", "unpaced"])
def test_a_pause_takes_effect_within_two_seconds_and_a_resume_goes_on(settings: Settings) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.latency = 0.5
        hosts = [f"{letter}.example" for letter in "abcdefgh"]
        pages = 15 if settings.pace.delay else 60
        for name in hosts:
            small_site(web, name, pages)
        job = await start_job(app, *(f"https://{name}/" for name in hosts))
        run = asyncio.ensure_future(app.run(job).run())
        await at(3)
        await set_state(app, job, JobState.PAUSED)
        await at(6)
        counts = await app.parts.jobs.counts(job.id)
        assert counts.of(State.LEASED) == 0
        assert counts.unfinished
        await assert_whole(app)
        await at(200)
        assert asked_between(web, 5, 200) == 0
        await set_state(app, job, JobState.RUNNING)
        await run
        counts = await app.parts.jobs.counts(job.id)
        assert counts.states == {State.DONE: 8 * pages}
        assert len(web.urls()) == len(set(web.urls()))
        if settings.pace.delay:
            assert_polite(web, settings.pace.delay)

    simulate(story, settings)


def test_a_paused_job_asks_for_nothing_and_loses_nothing() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 40)
        job = await start_job(app, HOME)
        await set_state(app, job, JobState.PAUSED)
        run = asyncio.ensure_future(app.run(job).run())
        await at(60)
        assert web.requests == []
        assert (await app.parts.jobs.counts(job.id)).states == {State.PENDING: 1}
        await set_state(app, job, JobState.STOPPED)
        await run

    simulate(story)


def test_a_stopped_job_ends_the_crawl_and_keeps_what_is_left() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 40)
        job = await start_job(app, HOME)
        run = asyncio.ensure_future(app.run(job).run())
        await at(10)
        await set_state(app, job, JobState.STOPPED)
        await asyncio.wait_for(run, 5)
        counts = await app.parts.jobs.counts(job.id)
        assert counts.of(State.PENDING)
        assert counts.of(State.LEASED) == 0
        await assert_whole(app)

    simulate(story)


def test_pausing_one_job_leaves_the_other_at_the_same_host_alone() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 40)
        one = await start_job(app, HOME, name="one")
        two = await start_job(app, HOME, name="two")
        async with serving(app):
            await at(10)
            await set_state(app, one, JobState.PAUSED)
            await at(12)
            kept = (await app.parts.jobs.counts(one.id)).of(State.DONE)
            await at(100)
            assert (await app.parts.jobs.counts(one.id)).of(State.DONE) == kept
            assert (await app.parts.jobs.counts(two.id)).states == {State.DONE: 40}
            assert await state_of(app, "two") is JobState.DONE
            assert await state_of(app, "one") is JobState.PAUSED
        assert_polite(web)
        await assert_whole(app)

    simulate(story, PATIENT)


def test_a_job_started_later_is_found_and_done_by_whoever_serves_jobs() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 5)
        small_site(web, "b.example", 5)
        await start_job(app, HOME, name="one")
        async with serving(app):
            await at(60)
            assert await state_of(app, "one") is JobState.DONE
            await start_job(app, "https://b.example/", name="two")
            await at(120)
            assert await state_of(app, "two") is JobState.DONE
        assert (await app.parts.jobs.counts(2)).states == {State.DONE: 5}

    simulate(story)


def test_a_small_job_is_not_kept_waiting_by_a_large_one_at_the_same_host() -> None:
    """Fair shares: with half of the turns each, 20 pages take about 40 turns."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 400)
        for n in range(20):
            web.at(f"https://a.example/small/{n}", page(f"small {n}", f"/small/{n + 1}"))
        await start_job(app, HOME, name="large")
        small = await start_job(
            app, *(f"https://a.example/small/{n}" for n in range(20)), name="small", max_depth=0
        )
        async with serving(app):
            await at(60)
            assert (await app.parts.jobs.counts(small.id)).states == {State.DONE: 20}
        assert_polite(web)

    simulate(story, PATIENT)


def test_a_small_job_is_not_kept_waiting_by_one_with_very_many_hosts() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        names = [f"h{n}.example" for n in range(120)]
        for name in names:
            small_site(web, name, 20)
        small_site(web, "a.example", 20)
        await start_job(app, *(f"https://{name}/" for name in names), name="large")
        async with serving(app):
            await at(5)
            small = await start_job(app, HOME, name="small")
            await at(60)
            assert (await app.parts.jobs.counts(small.id)).states == {State.DONE: 20}

    simulate(story, replace(PATIENT, feed=replace(PATIENT.feed, hosts=40, claim=20)))


def test_a_small_job_is_done_while_a_large_one_goes_on() -> None:
    """It is written down at once: others may wait for it, or its schedule does."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 5)
        small_site(web, "b.example", 500)
        await start_job(app, HOME, name="small")
        await start_job(app, "https://b.example/", name="large")
        async with serving(app):
            await at(30)
            assert await state_of(app, "small") is JobState.DONE
            assert await state_of(app, "large") is JobState.RUNNING
            await at(60)
            assert web.asked("b.example")[-1] > START + 55

    simulate(story, PATIENT)


def test_whoever_serves_jobs_waits_for_hosts_that_are_closed_for_hours() -> None:
    """A crawl would end and say so; but who would start a job again that a worker gave up?"""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, throttled(retry_after=7_200), page("home at last"))
        job = await start_job(app, HOME, name="one")
        async with serving(app):
            await at(3_600)
            assert await state_of(app, "one") is JobState.RUNNING
            await at(8_000)
            assert await state_of(app, "one") is JobState.DONE
        assert (await app.parts.jobs.counts(job.id)).pages == 1

    simulate(story, replace(PATIENT, feed=FeedPolicy(poll_most=20.0, reclaim=60.0, look=30.0)))


def test_what_was_changed_binds_a_worker_once_the_job_is_resumed() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        for n in range(100):
            web.at(f"{HOME}{n}", page(f"page {n}", f"/{n + 1}", f"/secret/{n}"))
        web.host("a.example", lambda request: page("secret"))
        job = await start_job(app, f"{HOME}0", name="one", max_depth=100)
        async with serving(app):
            await at(10)
            await set_state(app, job, JobState.PAUSED)
            await at(15)
            await app.parts.jobs.save("one", replace(job.spec, exclude=("*/secret/*",)))
            known = (await app.parts.jobs.counts(job.id)).known
            await set_state(app, job, JobState.RUNNING)
            await at(60)
        paths = await app.ledger.pages.find(limit=1_000)
        secret = [record for record in paths if "/secret/" in record.url]
        assert len(secret) <= known
        assert (await app.parts.jobs.counts(job.id)).rejected[Reason.EXCLUDED] > 10

    simulate(story, PATIENT)


def test_what_is_changed_while_a_job_runs_binds_a_worker_soon() -> None:
    """Also where it was paused and resumed for it, before the worker looked again."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        for n in range(100):
            web.at(f"{HOME}{n}", page(f"page {n}", f"/{n + 1}", f"/secret/{n}"))
        web.host("a.example", lambda request: page("secret"))
        job = await start_job(app, f"{HOME}0", name="one", max_depth=100)
        async with serving(app):
            await at(10)
            await app.parts.jobs.save("one", replace(job.spec, exclude=("*/secret/*",)))
            await at(60)
        assert (await app.parts.jobs.counts(job.id)).rejected[Reason.EXCLUDED] > 10

    simulate(story, PATIENT)


def test_a_job_deleted_from_under_a_worker_leaves_the_other_one_alone() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 200)
        gone = await start_job(app, HOME, name="gone")
        kept = await start_job(app, HOME, name="kept")
        async with serving(app):
            await at(20)
            await set_state(app, gone, JobState.STOPPED)
            await at(25)
            while not (await app.parts.jobs.delete(gone.id)).is_gone:
                await assert_whole(app)
            await assert_whole(app)
            again = await start_job(app, HOME, name="gone", max_depth=0)
            assert again.id != gone.id
            await at(300)
        assert (await app.parts.jobs.counts(kept.id)).states == {State.DONE: 200}
        assert (await app.parts.jobs.counts(again.id)).states == {State.DONE: 1}
        assert_polite(web)
        await assert_whole(app)

    simulate(story, PATIENT)


class serving:
    """All jobs are worked on while the body runs."""

    def __init__(self, app: Crawler) -> None:
        self._run: CrawlRun = app.serve_jobs()

    async def __aenter__(self) -> None:
        self._task = asyncio.ensure_future(self._run.run())

    async def __aexit__(self, *_: object) -> None:
        self._run.stop()
        await self._task


async def state_of(app: Crawler, name: str) -> JobState:
    job = await app.parts.jobs.get(name)
    assert job is not None
    return job.state
