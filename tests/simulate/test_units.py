"""Hosts that share an owner or a server share its patience (FR-5)."""

from __future__ import annotations

import itertools

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.policy import FeedPolicy
from tenax.hosts.pace import PacePolicy, PoliteTo
from tenax.model import JobState, ScopeKind, State
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, crawl, page, simulate, start_job, throttled

DELAY = 1.0
SETTINGS = Settings(
    contact="mailto:test@example.org",
    feed=FeedPolicy(patience=7_200.0, patience_at_first=7_200.0),
)


def polite_to(key: PoliteTo, delay: float = DELAY) -> Settings:
    return replace(SETTINGS, pace=PacePolicy(delay=delay, key=key))


def site(web: SimulatedWeb, host: str, pages: int) -> str:
    """A front page with this many pages behind it; its URL."""
    front = f"https://{host}/"
    web.at(front, page(host, *(f"/{n}" for n in range(pages))))
    for n in range(pages):
        web.at(f"{front}{n}", page(f"{host} {n}"))
    return front


def gaps(web: SimulatedWeb) -> list[float]:
    times = sorted(asked.at for asked in web.requests)
    return [later - earlier for earlier, later in itertools.pairwise(times)]


async def audited(app: Crawler) -> None:
    assert await app.ledger.auditor.audit() == []


@pytest.mark.parametrize("hosts", [2, 7])
def test_the_hosts_of_a_domain_are_asked_as_if_they_were_one(hosts: int) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        seeds = [site(web, f"h{n}.shop.example", 30) for n in range(hosts)]
        counts = await crawl(app, *seeds, scope=ScopeKind.HOST)
        assert counts.pages == hosts * 31
        assert min(gaps(web)) >= DELAY
        await audited(app)

    simulate(story, polite_to(PoliteTo.DOMAIN))


def test_by_default_each_host_has_a_patience_of_its_own() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        await crawl(app, *(site(web, f"h{n}.shop.example", 10) for n in range(3)))
        assert min(gaps(web)) < DELAY

    simulate(story, polite_to(PoliteTo.HOST))


def test_other_domains_do_not_wait() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        await crawl(app, site(web, "a.shop.example", 20), site(web, "a.news.example", 20))
        times = [asked.at for asked in web.requests]
        assert max(times) - min(times) < 30 * DELAY

    simulate(story, polite_to(PoliteTo.DOMAIN))


def test_the_hosts_of_a_domain_take_turns() -> None:
    """None of them is done long before the others, or waits for ever."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        names = [f"h{n}.shop.example" for n in range(4)]
        await crawl(app, *(site(web, name, 60) for name in names))
        ends = [web.asked(name)[-1] for name in names]
        assert max(ends) - min(ends) < 0.5 * (max(ends) - web.requests[0].at)
        for name in names:
            times = web.asked(name)
            silences = [b - a for a, b in itertools.pairwise(times)]
            assert max(silences) < 130

    simulate(story, polite_to(PoliteTo.DOMAIN))


def test_a_host_that_is_silenced_does_not_keep_its_neighbours_waiting() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        healthy = site(web, "a.shop.example", 100)
        web.at("https://b.shop.example/", throttled(retry_after=600), page("b"))
        counts = await crawl(app, healthy, "https://b.shop.example/")
        assert counts.pages == 102
        assert web.asked("a.shop.example")[-1] - web.requests[0].at < 400

    simulate(story, polite_to(PoliteTo.DOMAIN))


def test_the_hosts_of_a_server_are_asked_as_if_they_were_one() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        names = ["a.example", "b.example", "c.example"]
        web.addresses = dict.fromkeys(names, "192.0.2.7")
        counts = await crawl(app, *(site(web, name, 25) for name in names))
        assert counts.pages == 3 * 26
        assert min(gaps(web)) >= DELAY
        await audited(app)

    simulate(story, polite_to(PoliteTo.IP))


def test_hosts_of_different_servers_do_not_wait() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        await crawl(app, site(web, "a.example", 20), site(web, "b.example", 20))
        times = [asked.at for asked in web.requests]
        assert max(times) - min(times) < 30 * DELAY

    simulate(story, polite_to(PoliteTo.IP))


def test_a_host_that_moves_to_another_server_joins_its_neighbours_there() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.addresses = {"a.example": "192.0.2.1", "b.example": "192.0.2.2"}
        first, second = site(web, "a.example", 5), site(web, "b.example", 5)
        await crawl(app, first, second)
        web.addresses = dict.fromkeys(("a.example", "b.example"), "192.0.2.9")
        web.requests.clear()
        counts = await crawl(app, first, second, again=True)
        assert counts.of(State.DONE) == 12
        assert min(gaps(web)) >= DELAY

    simulate(story, polite_to(PoliteTo.IP))


def test_a_host_without_an_address_fails_by_itself() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        async def nowhere(name: str) -> str | None:
            return None

        web.address = nowhere  # type: ignore[method-assign]  # a resolver that knows nothing
        counts = await crawl(app, site(web, "a.example", 3))
        assert counts.pages == 4

    simulate(story, polite_to(PoliteTo.IP))


def test_without_a_delay_nobody_takes_turns() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        seeds = [site(web, f"h{n}.shop.example", 10) for n in range(3)]
        counts = await crawl(app, *seeds)
        assert counts.pages == 33
        assert web.requests[-1].at - web.requests[0].at < 5

    simulate(story, polite_to(PoliteTo.DOMAIN, delay=0.0))


def test_a_paused_job_does_not_keep_the_line_of_another_waiting() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        other = await start_job(app, site(web, "a.shop.example", 30), name="other")
        await app.parts.jobs.set_state(other.id, JobState.PAUSED)
        counts = await crawl(app, site(web, "b.shop.example", 30), name="mine")
        assert counts.pages == 31
        assert web.requests[-1].at - web.requests[0].at < 60

    simulate(story, polite_to(PoliteTo.DOMAIN))
