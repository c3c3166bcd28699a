"""A robots.txt that leads to another host: read politely there, once for all who lead to it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.policy import FeedPolicy
from tenax.hosts.pace import PacePolicy, PoliteTo
from tenax.hosts.robots_policy import RobotsPolicy
from tenax.model import Failure, Fault, Request, Response, ScopeKind, State, UrlSource
from tenax.settings import Settings
from tenax.testing import (
    START,
    SimulatedWeb,
    crawl,
    failing,
    open_test_app,
    page,
    redirect,
    robots,
    simulate,
    start_job,
    status,
)
from tenax.urls.normalise import host_of
from tests.simulate.sites import assert_polite, gaps, record, small_site, state

SETTINGS = Settings(contact="mailto:test@example.org")
VICTIM = "https://victim.example"
MANY = [f"https://h{n}.example" for n in range(50)]
SOME = MANY[:6]
PATIENT = replace(
    SETTINGS,
    feed=FeedPolicy(patience=1e6, patience_at_first=1e6, poll_most=5.0, reclaim=60.0, look=30.0),
)
AWAY = 100.0
"""Seconds from the start for which the victim is not there."""


def aimed(web: SimulatedWeb, sites: list[str], path: str = "/robots.txt") -> list[str]:
    """Sites whose robots.txt leads to the victim; `{}` in the path is a number of their own."""
    for n, site in enumerate(sites):
        web.at(f"{site}/robots.txt", redirect(VICTIM + path.format(n)))
        web.at(f"{site}/", page(f"home of {site}", f"{site}/private"))
        web.at(f"{site}/private", page(f"private {site}"))
    return [f"{site}/" for site in sites]


def at_victim(web: SimulatedWeb) -> list[str]:
    return [url.removeprefix(VICTIM) for url in web.urls(robots=True) if url.startswith(VICTIM)]


def test_many_that_lead_to_one_host_cost_it_one_request_and_its_rules_are_theirs() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{VICTIM}/robots.txt", robots("User-agent: *\nDisallow: /private"))
        counts = await crawl(app, *aimed(web, MANY), scope=ScopeKind.HOST)
        assert at_victim(web) == ["/robots.txt"]
        assert (counts.pages, counts.of(State.BLOCKED)) == (50, 50)

    simulate(story, SETTINGS)


def test_what_the_other_hosts_robots_txt_forbids_is_asked_by_none() -> None:
    """The fault that was seen: 200 requests in 42 ms, for paths that it forbids."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{VICTIM}/robots.txt", robots("User-agent: *\nDisallow: /cgi"))
        counts = await crawl(app, *aimed(web, MANY, "/cgi?{}"), scope=ScopeKind.HOST)
        assert at_victim(web) == ["/robots.txt"]
        # The rules are there, and we may not read them: nothing may be asked for.
        assert (counts.pages, counts.of(State.PENDING)) == (0, 50)
        why = (await record(app, f"{MANY[0]}/")).reason
        assert "robots.txt there forbids it, line 2: Disallow: /cgi" in why

    simulate(story, replace(SETTINGS, feed=FeedPolicy(patience=60.0)))


def test_documents_elsewhere_are_asked_for_in_turn_and_once() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{VICTIM}/robots.txt", robots("User-agent: *\nCrawl-delay: 3"))
        web.host("victim.example", lambda _: robots("User-agent: *\nDisallow: /private"))
        seeds = aimed(web, SOME, "/rules/{}") + aimed(web, [f"https://x{n}.example" for n in "ab"])
        web.at("https://xa.example/robots.txt", redirect(f"{VICTIM}/rules/0"))
        counts = await crawl(app, *seeds, scope=ScopeKind.HOST)
        assert sorted(at_victim(web)) == ["/robots.txt", *(f"/rules/{n}" for n in range(6))]
        assert counts.pages == 9  # that of xb, which shares the victim's own file, is not private
        first, second, *rest = web.asked("victim.example")
        assert second - first >= 1.0
        assert all(b - a >= 3.0 for a, b in zip([second, *rest], rest, strict=False))

    simulate(story, SETTINGS)


@pytest.mark.parametrize("key", list(PoliteTo))
def test_a_host_that_is_crawled_itself_is_not_asked_beyond_its_pace(key: PoliteTo) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "victim.example", 20)
        for n in range(6):
            web.at(f"{VICTIM}/rules/{n}", robots("User-agent: *\nDisallow: /private"))
        counts = await crawl(
            app, f"{VICTIM}/", *aimed(web, SOME, "/rules/{}"), scope=ScopeKind.HOST
        )
        assert_polite(web)
        assert (counts.pages, counts.of(State.BLOCKED)) == (26, 6)

    simulate(story, replace(SETTINGS, pace=PacePolicy(key=key)))


def test_while_another_process_holds_the_host_it_is_waited_for(tmp_path: Path) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "victim.example", 20)
        await start_job(app, f"{VICTIM}/", name="its own")
        async with open_test_app(web, Path(app.ledger.settings.data), SETTINGS) as other:
            (held,) = await other.parts.frontier.claim([1], 1)
            assert held.host.name == "victim.example"
            job = await start_job(app, *aimed(web, SOME[:1], "/rules"), name="led")
            await app.run(job).run()
            assert at_victim(web) == []
            (waiting,) = await app.ledger.hosts.waiting(job.id)
            assert waiting[1] > START

    simulate(story, replace(SETTINGS, feed=FeedPolicy(patience=5.0)))


def test_two_that_lead_to_each_other_come_to_an_end() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at("https://a.example/robots.txt", redirect("https://b.example/robots.txt"))
        web.at("https://b.example/robots.txt", redirect("https://a.example/robots.txt"))
        homes = ("https://a.example/", "https://b.example/")
        for url in homes:
            web.at(url, page(url))
        counts = await crawl(app, *homes, scope=ScopeKind.HOST)
        assert counts.pages == 2
        assert len(web.urls(robots=True)) <= 6

    simulate(story, SETTINGS)


def test_trouble_elsewhere_is_trouble_here() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{VICTIM}/robots.txt", status(503))
        counts = await crawl(app, *aimed(web, SOME), scope=ScopeKind.HOST)
        assert counts.of(State.PENDING) == 6
        assert len(at_victim(web)) == 3  # one and two retries, for all of them

    simulate(story, replace(SETTINGS, feed=FeedPolicy(patience=60.0)))


@pytest.mark.parametrize("is_led", [True, False], ids=["by a redirect", "by name"])
def test_sitemaps_elsewhere_are_asked_for_at_their_hosts_pace_as_its_robots_txt_allows(
    is_led: bool,
) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{VICTIM}/robots.txt", robots("User-agent: *\nDisallow: /cgi"))
        for n, site in enumerate(SOME):
            path = "cgi" if n % 2 else "open"
            there = f"{VICTIM}/{path}/{n}.xml"
            named = f"{site}/map.xml" if is_led else there
            web.at(f"{site}/robots.txt", robots(f"Sitemap: {named}"))
            web.at(f"{site}/map.xml", redirect(there))
            web.at(f"{site}/", page(f"home of {site}"))
        homes = [f"{site}/" for site in SOME]
        await crawl(app, *homes, scope=ScopeKind.ANY, discover=(UrlSource.SITEMAPS,))
        assert_polite(web)
        assert not [url for url in at_victim(web) if url.startswith("/cgi")]
        assert at_victim(web).count("/robots.txt") == 1
        assert {f"/open/{n}.xml" for n in (0, 2, 4)} <= {*at_victim(web)}

    simulate(story, SETTINGS)


def victim_away(web: SimulatedWeb) -> None:
    def script(_: Request) -> Failure | Response:
        is_away = asyncio.get_running_loop().time() < AWAY
        return failing(Fault.CONNECT_REFUSED) if is_away else robots("User-agent: *\nDisallow: /p")

    web.host("victim.example", script)


async def breaker_of(app: Crawler, name: str) -> int:
    host = await app.ledger.hosts.view(name)
    assert host is not None
    return host.health.trouble.breaker.trips if host.health.trouble else 0


@pytest.mark.parametrize("is_crawled", [False, True], ids=["nobody's", "crawled too"])
@pytest.mark.parametrize("path", ["/robots.txt", "/rules"])
def test_a_host_that_is_away_opens_its_own_breaker_and_not_that_of_who_leads_there(
    path: str, is_crawled: bool
) -> None:
    """HOST-3: it is asked again with its breaker, for all who lead there; they are crawled then."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        victim_away(web)
        own = [f"{VICTIM}/"] if is_crawled else []
        job = await start_job(app, *aimed(web, SOME, path), *own, scope=ScopeKind.HOST)
        running = asyncio.ensure_future(app.run(job).run())
        await app.ledger.clock.sleep(AWAY / 2)
        assert await breaker_of(app, "victim.example") in (1, 2)
        assert [await breaker_of(app, host_of(f"{site}/")) for site in SOME] == [0] * len(SOME)
        await running
        assert [await state(app, f"{site}/") for site in SOME] == [State.DONE] * len(SOME)
        before = [r.at for r in web.requests if r.url.startswith(VICTIM) and r.at < START + AWAY]
        assert len(before) in (4, 5), "it depends on who asks first after a minute"
        waits = [2, 4, 30, 60][: len(before) - 1]
        assert gaps(before) == pytest.approx(waits, abs=10)
        assert all(gap >= wait for gap, wait in zip(gaps(before), waits, strict=True))
        at = [r.at for r in web.requests if r.url == f"{SOME[0]}/"]
        assert at[0] < START + 3 * AWAY, "not after an hour"
        assert_polite(web)

    simulate(story, PATIENT)


def test_a_copy_serves_while_the_host_is_away_that_robots_txt_leads_to() -> None:
    """RFC 9309 section 2.3.1.4: for 30 days, also where it was another host's document."""
    settings = replace(PATIENT, robots=RobotsPolicy(cache=600.0))

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site = SOME[0]
        aimed(web, [site])
        web.host("victim.example", lambda _: robots("User-agent: *\nDisallow: /p"))
        await crawl(app, f"{site}/", scope=ScopeKind.HOST, name="first")
        await app.ledger.clock.sleep(700.0)
        web.host("victim.example", lambda _: failing(Fault.CONNECT_REFUSED))
        began = app.ledger.clock.now()
        counts = await crawl(app, f"{site}/", scope=ScopeKind.HOST, name="second")
        assert (counts.pages, counts.of(State.BLOCKED)) == (1, 1)
        assert app.ledger.clock.now() - began < 60
        assert any(r.at > began and r.url.startswith(VICTIM) for r in web.requests)

    simulate(story, settings)
