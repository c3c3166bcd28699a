"""Does a job run when its schedule says so, once, whoever works? (FR-6, FR-7)"""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.policy import FeedPolicy, LeasePolicy
from tenax.hosts.pace import PacePolicy
from tenax.model import JobState
from tenax.settings import Settings
from tenax.testing import (
    START,
    SimulatedWeb,
    open_test_app,
    page,
    run_virtually,
    scratch,
    simulate,
    start_job,
)
from tests.simulate.sites import assert_polite, assert_whole, small_site
from tests.simulate.test_recrawl import at, serving, visits

HOUR, DAY = 3_600.0, 86_400.0
STEP = 300.0
FEED = FeedPolicy(poll=100.0, poll_most=STEP, look=STEP, reclaim=STEP, heartbeat=STEP)
LEASE = LeasePolicy(seconds=3 * STEP)
SETTINGS = Settings(contact="mailto:test@example.org", feed=FEED, lease=LEASE)
HOME = "https://a.example/"


def at_hours(web: SimulatedWeb, url: str = HOME) -> list[float]:
    """When it was asked for, in whole hours of the story."""
    return [moment // HOUR for moment in visits(web, url)]


async def state_of(app: Crawler) -> JobState:
    (job,) = await app.parts.jobs.all()
    return job.state


def test_a_job_runs_every_six_hours_and_visits_everything_each_time() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        urls = small_site(web, "a.example", 5)
        await start_job(app, HOME, schedule="every 6h")
        async with serving(app):
            await at(3 * DAY - 1)
            assert await state_of(app) is JobState.DONE, "in between"
        for url in urls:
            assert at_hours(web, url) == [6.0 * n for n in range(12)]
        assert_polite(web)
        await assert_whole(app)

    simulate(story, SETTINGS)


def test_a_run_finds_what_is_new_at_the_seeds() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("home"), page("home", "/new"))
        web.at(f"{HOME}new", page("new"))
        await start_job(app, HOME, schedule="every 6h")
        async with serving(app):
            await at(7 * HOUR)
        assert at_hours(web, f"{HOME}new") == [6.0]

    simulate(story, SETTINGS)


def test_a_cron_line_goes_by_the_clocks_of_its_zone() -> None:
    """The story begins at 14:13:20 UTC: 3 o'clock in Berlin is in ten hours and 46 minutes."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("home"))
        await start_job(app, HOME, schedule="0 3 * * * Europe/Berlin")
        async with serving(app):
            await at(2 * DAY)
        first, second, third = visits(web, HOME)
        assert second == pytest.approx(1_790_038_800 - START, abs=2 * STEP)
        assert third - second == pytest.approx(DAY, abs=2 * STEP)
        assert first < STEP

    simulate(story, SETTINGS)


@pytest.mark.parametrize("state", [JobState.PAUSED, JobState.STOPPED])
def test_what_a_person_has_halted_does_not_start_by_itself(state: JobState) -> None:
    """Once it goes on, one run makes up for all that were missed."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("home"))
        job = await start_job(app, HOME, schedule="every 6h")
        async with serving(app):
            await at(HOUR)
            await app.parts.jobs.set_state(job.id, state)
            await at(2 * DAY + HOUR)
            assert at_hours(web) == [0.0]
            await app.parts.jobs.set_state(job.id, JobState.RUNNING)
            await at(2 * DAY + 7 * HOUR)
        assert at_hours(web) == [0.0, 49.0, 54.0]

    simulate(story, SETTINGS)


def test_runs_that_nobody_was_there_for_are_made_up_for_by_one() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("home"))
        await start_job(app, HOME, schedule="every 6h")
        async with serving(app):
            await at(7 * HOUR)
        await at(2 * DAY + 2 * HOUR)
        async with serving(app):
            await at(3 * DAY - 1)
        assert at_hours(web) == [0.0, 6.0, 50.0, 54.0, 60.0, 66.0]

    simulate(story, SETTINGS)


def test_a_run_is_left_out_while_the_last_one_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    """Seventy pages a minute apart take longer than half an hour."""
    feed = replace(FEED, poll=1.0, poll_most=30.0, look=60.0)
    slow = replace(SETTINGS, feed=feed, pace=PacePolicy(delay=60.0))

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 70)
        await start_job(app, HOME, schedule="every 30m")
        with caplog.at_level(logging.WARNING):
            async with serving(app):
                await at(4 * HOUR)
        times = visits(web, HOME)
        assert len(times) == 3, "after 0, 1.5 and 3 hours"
        told = [record.getMessage() for record in caplog.records]
        assert told.count("job test: a run is left out: the last one is still going") >= 4
        await assert_whole(app)

    simulate(story, slow)


def test_a_job_that_recrawls_runs_by_its_schedule_all_the_same() -> None:
    """There is always something it waits for: that alone is no reason to leave out a run."""
    busy = replace(SETTINGS, feed=replace(FEED, patience=DAY, patience_at_first=DAY))

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 3)
        await start_job(app, HOME, schedule="every 12h", recrawl=4 * HOUR)
        async with serving(app):
            await at(2 * DAY)
        assert {12.0, 24.0, 36.0} <= set(at_hours(web))
        await assert_whole(app)

    simulate(story, busy)


def test_of_two_processes_only_one_begins_a_run() -> None:
    async def main() -> None:
        web = SimulatedWeb()
        urls = small_site(web, "a.example", 5)
        with scratch() as folder:
            async with (
                open_test_app(web, Path(folder), SETTINGS) as one,
                open_test_app(web, Path(folder), SETTINGS, seed=1) as two,
            ):
                await start_job(one, HOME, schedule="every 6h")
                async with serving(one), serving(two):
                    await at(DAY - 1)
                for url in urls:
                    assert at_hours(web, url) == [0.0, 6.0, 12.0, 18.0]
                assert_polite(web)
                await assert_whole(one)

    run_virtually(main())


def test_a_schedule_this_machine_cannot_read_harms_nobody_else(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("home"))
        web.at("https://b.example/", page("home"))
        await start_job(app, HOME, name="a", schedule="0 * * * * Europe/Berlin")
        await start_job(app, "https://b.example/", name="b", schedule="every 1h")
        monkeypatch.setattr("tenax.jobs.calendar.ZoneInfo", _no_zone)
        async with serving(app):
            await at(3 * HOUR)
        assert len(visits(web, HOME)) == 1
        assert len(visits(web, "https://b.example/")) == 3
        (told,) = [r.getMessage() for r in caplog.records if r.levelno == logging.ERROR]
        assert told.startswith("job a does not run by its schedule: 'Europe/Berlin': no such")

    simulate(story, SETTINGS)


def _no_zone(name: str) -> object:
    raise KeyError(name)
