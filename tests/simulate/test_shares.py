"""Do jobs that want the same hosts, or the same worker, get equal shares? (FR-7)"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.policy import FeedPolicy
from tenax.hosts.pace import PacePolicy
from tenax.model import Job, State
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, page, simulate, start_job
from tests.simulate.sites import assert_polite, assert_whole
from tests.simulate.test_jobs import at, serving

PATIENT = Settings(
    contact="mailto:test@example.org", feed=FeedPolicy(patience=1e6, patience_at_first=1e6)
)
HOST = "shop.example"


async def wanting(app: Crawler, web: SimulatedWeb, name: str, pages: int, host: str = HOST) -> Job:
    """A job with so many pages to visit at the host, and no links to follow."""
    web.host(host, lambda request: page(request.url))
    urls = [f"https://{host}/{name}/{n}" for n in range(pages)]
    return await start_job(app, *urls, name=name, max_depth=0)


def turns(web: SimulatedWeb) -> list[str]:
    """Whose request each was, in order."""
    return [url.split("/")[3] for url in web.urls()]


def test_two_large_jobs_at_one_polite_host_get_equal_turns() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        await wanting(app, web, "one", 1_000)
        await wanting(app, web, "two", 1_000)
        async with serving(app):
            await at(700)
        shares = Counter(turns(web))
        assert sum(shares.values()) > 600
        assert abs(shares["one"] - shares["two"]) <= 1
        assert_polite(web)

    simulate(story, PATIENT)


@pytest.mark.parametrize("delay", [2.9, 30.0], ids=["an-odd-number", "one"])
def test_shares_are_equal_however_many_turns_are_handed_out_at_once(delay: float) -> None:
    """Of seven turns one job has four; of a single one somebody has all. Then the other has."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        await wanting(app, web, "one", 100)
        await wanting(app, web, "two", 100)
        async with serving(app):
            await at(40 * delay)
        shares = Counter(turns(web))
        assert sum(shares.values()) > 30
        assert abs(shares["one"] - shares["two"]) <= 1
        assert_polite(web, delay)

    simulate(story, replace(PATIENT, pace=PacePolicy(delay=delay)))


def test_no_job_waits_long_while_the_other_is_served() -> None:
    """Not only in the end: they take turns all the way."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        await wanting(app, web, "one", 300)
        await wanting(app, web, "two", 300)
        async with serving(app):
            await at(400)
        served = turns(web)
        places = [n for n, (a, b) in enumerate(pairwise(served)) if a == b]
        assert len(places) <= 1 + len(served) // 20, "only where one assignment follows another"

    simulate(story, PATIENT)


def test_a_job_with_a_single_url_is_not_starved_by_two_large_ones() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        await wanting(app, web, "one", 1_000)
        await wanting(app, web, "two", 1_000)
        async with serving(app):
            await at(100)
            small = await wanting(app, web, "small", 1)
            await at(150)
            assert (await app.parts.jobs.counts(small.id)).states == {State.DONE: 1}
            await at(400)
        shares = Counter(turns(web))
        # Whoever is first when a third one comes or goes may have a turn more.
        assert abs(shares["one"] - shares["two"]) <= 2
        assert_polite(web)
        await assert_whole(app)

    simulate(story, PATIENT)


@pytest.mark.parametrize("delay", [1.0, 0.0], ids=["paced", "unpaced"])
def test_three_jobs_of_one_size_are_done_about_together(delay: float) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.latency = 0.5
        for name in ("one", "two", "three"):
            await wanting(app, web, name, 200)
        async with serving(app):
            await at(700)
        last = {name: n for n, name in enumerate(turns(web))}
        assert len(turns(web)) == 600
        assert min(last.values()) > 600 - 100
        await assert_whole(app)

    simulate(story, replace(PATIENT, pace=PacePolicy(delay=delay)))


def test_a_job_started_later_gets_its_share_of_a_host_without_a_delay() -> None:
    """Such a host is held as long as there is work for it: it must not be one job's for hours."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.latency = 1.0
        await wanting(app, web, "large", 1_000)
        async with serving(app):
            await at(10)
            small = await wanting(app, web, "small", 20)
            await at(30)
            assert (await app.parts.jobs.counts(small.id)).states == {State.DONE: 20}
            assert "large" in turns(web)[-10:], "and the other one has the rest"

    simulate(story, replace(PATIENT, pace=PacePolicy(delay=0.0)))


def test_a_job_near_its_page_limit_gets_its_turns_like_any_other() -> None:
    """It is handed few at a time, so that no hanging host keeps the rest: not few in all."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.host(HOST, lambda request: page(request.url))
        urls = [f"https://{HOST}/few/{n}" for n in range(200)]
        few = await start_job(app, *urls, name="few", max_depth=0, max_pages=40)
        await wanting(app, web, "many", 1_000)
        async with serving(app):
            await at(100)
            assert (await app.parts.jobs.counts(few.id)).pages == 40
        shares = Counter(turns(web)[: 2 * 40])
        assert abs(shares["few"] - shares["many"]) <= 2
        assert_polite(web)

    simulate(story, PATIENT)


@pytest.mark.parametrize("hosts", [1, 10])
def test_where_hosts_have_to_wait_for_a_worker_the_jobs_share_it(hosts: int) -> None:
    """A worker that holds few hosts at once takes them from all jobs in turn."""
    few = replace(PATIENT, feed=replace(PATIENT.feed, hosts=hosts, claim=10))

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        for name in ("one", "two"):
            names = [f"{name}{n}.example" for n in range(100)]
            for host in names:
                web.host(host, lambda request: page(request.url))
            urls = [f"https://{host}/{name}/{n}" for host in names for n in range(5)]
            await start_job(app, *urls, name=name, max_depth=0)
        async with serving(app):
            await at(100)
        shares = Counter(turns(web))
        assert sum(shares.values()) > 40
        assert 0.8 < shares["one"] / shares["two"] < 1.25

    simulate(story, few)
