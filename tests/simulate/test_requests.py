"""All requests together: their rate, what is recorded of each, and which scheme they take."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.policy import FeedPolicy
from tenax.crawl.run import conclude
from tenax.fetch.fetch_policy import FetchPolicy
from tenax.hosts.pace import PacePolicy
from tenax.hosts.robots_policy import RobotsPolicy
from tenax.model import ScopeKind, SiteRules, State
from tenax.outcome import Attempt
from tenax.settings import Settings
from tenax.testing import (
    SimulatedWeb,
    crawl,
    open_test_app,
    page,
    redirect,
    robots,
    simulate,
    start_job,
    status,
)
from tests.simulate.sites import assert_polite, record, small_site

SETTINGS = Settings(contact="mailto:test@example.org")
HOME = "https://a.example/"


def rated(rate: float, delay: float = 0.0) -> Settings:
    return replace(SETTINGS, fetch=FetchPolicy(rate=rate), pace=PacePolicy(delay=delay))


def sites(web: SimulatedWeb, count: int, pages: int) -> list[str]:
    return [small_site(web, f"h{n}.example", pages)[0] for n in range(count)]


def gaps(web: SimulatedWeb) -> list[float]:
    times = [request.at for request in web.requests]
    assert times == sorted(times)
    return [later - earlier for earlier, later in pairwise(times)]


def test_all_hosts_together_are_asked_no_faster_than_the_rate() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        counts = await crawl(app, *sites(web, 10, 3), scope=ScopeKind.HOST)
        assert counts.pages == 30
        # robots.txt takes part in it.
        assert len(web.requests) == 40
        assert min(gaps(web)) >= 0.25 - 1e-5
        assert sum(gaps(web)) < 0.25 * 45

    simulate(story, rated(4.0))


def test_the_rate_does_not_loosen_the_pace_of_a_host() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        await crawl(app, *sites(web, 3, 4), scope=ScopeKind.HOST)
        assert_polite(web)
        assert min(gaps(web)) >= 0.5 - 1e-5

    simulate(story, rated(2.0, delay=1.0))


def test_processes_share_the_rate() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        job = await start_job(app, *sites(web, 12, 10), scope=ScopeKind.HOST)
        others = SimulatedWeb()
        sites(others, 12, 10)
        folder = Path(app.ledger.settings.data)
        async with open_test_app(others, folder, app.ledger.settings, seed=1) as other:
            await asyncio.gather(app.run(job).run(), other.run(job).run())
        await conclude(app.parts, job)
        assert (await app.parts.jobs.counts(job.id)).pages == 120
        both = [[request.at for request in each.requests] for each in (web, others)]
        assert min(map(len, both)) > 30
        # Until they know of each other, which they look up every five seconds.
        known = min(map(min, both)) + 5.5
        ended = min(map(max, both))
        taken = [at for times in both for at in times if known < at < ended]
        assert len(taken) / (ended - known) <= 4.0 * 1.1

    few = replace(rated(4.0), feed=FeedPolicy(hosts=4))
    simulate(story, few)


def test_without_a_rate_nothing_waits() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        await crawl(app, *sites(web, 10, 3), scope=ScopeKind.HOST)
        assert sum(gaps(web)) < 2.0

    simulate(story, rated(0.0))


async def attempts(app: Crawler, url: str = HOME) -> list[Attempt]:
    return await app.ledger.pages.attempts((await record(app, url)).id)


def test_each_attempt_tells_how_fast_its_answer_came() -> None:
    """FE-12: 1,000 bytes within the last 10 of 50 ms."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 1)
        await crawl(app, HOME)
        (tried,) = await attempts(app)
        assert (tried.ttfb_ms, tried.download_ms, tried.total_ms) == (40, 10, 50)
        assert tried.kbps == 800
        assert tried.body == ""

    simulate(story, SETTINGS)


@pytest.mark.parametrize(
    ("most", "kept"), [(0, ""), (12, "We are down."), (100, "We are down. Sorry")]
)
def test_what_an_error_answered_is_kept_as_far_as_it_is_wanted(most: int, kept: str) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, status(500, "We are down. Sorry\0", **{"content-type": "text/html"}))
        counts = await crawl(app, HOME)
        assert counts.of(State.FAILED) == 1
        assert [tried.body for tried in await attempts(app)] == [kept] * 3

    simulate(story, replace(SETTINGS, fetch=FetchPolicy(error_bodies=most)))


def test_force_https_holds_for_redirects_too() -> None:
    sites = (SiteRules("*.example", force_https=True),)

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at("https://a.example/robots.txt", redirect("http://a.example/rules.txt"))
        web.at("https://a.example/rules.txt", robots("User-agent: *\nDisallow: /private"))
        web.at(HOME, page("home", "http://a.example/old", "/round", "/away", "/private"))
        web.at("https://a.example/old", redirect("http://a.example/new"))
        web.at("https://a.example/new", page("new"))
        web.at("https://a.example/round", redirect("http://a.example/round"))
        web.at("https://a.example/away", redirect("http://b.example/"))
        web.at("https://b.example/", page("another host"))
        counts = await crawl(app, HOME, scope=ScopeKind.ANY)
        assert not [url for url in web.urls(robots=True) if url.startswith("http:")]
        assert (counts.pages, counts.of(State.BLOCKED)) == (3, 1)
        round = await record(app, "https://a.example/round")
        assert "redirect loop" in round.reason

    simulate(story, replace(SETTINGS, sites=sites))


def test_crawling_without_robots_txt_is_said_at_the_start_and_once_for_each_host(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        for host in ("a.example", "b.example"):
            small_site(web, host, 3)
            web.at(f"https://{host}/robots.txt", status(503))
        small_site(web, "c.example", 3)
        counts = await crawl(
            app, HOME, "https://b.example/", "https://c.example/", scope=ScopeKind.HOST
        )
        assert counts.pages == 9

    simulate(story, replace(SETTINGS, robots=RobotsPolicy(on_error="allow")))
    start, *hosts = [r.message for r in caplog.records if "on_error" in r.message]
    assert "RFC 9309 says to leave them alone" in start
    assert sorted(hosts) == [
        f"https://{host}.example is crawled although its robots.txt answered 503: on_error ="
        ' "allow"'
        for host in "ab"
    ]
