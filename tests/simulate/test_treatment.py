"""Whole crawls of hosts in trouble, and of those beside them (HOST-1 to HOST-5)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count, pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.policy import FeedPolicy
from tenax.hosts.conduct import HostEntry, Why, opens_at, stance
from tenax.hosts.pace import PacePolicy
from tenax.hosts.robots_policy import is_fresh
from tenax.model import Failure, Fault, Forbidden, Host, Request, Response, State
from tenax.settings import Settings
from tenax.testing import (
    START,
    SimulatedWeb,
    VirtualClock,
    crawl,
    failing,
    open_test_app,
    page,
    run_virtually,
    scratch,
    simulate,
    status,
    throttled,
)
from tests.simulate.sites import assert_polite, assert_whole, gaps, small_site, state

CONTACT = "mailto:test@example.org"
# Looking for work less often only makes the long waits cheap to simulate.
PATIENT = Settings(
    contact=CONTACT,
    feed=FeedPolicy(patience=1e6, patience_at_first=1e6, poll_most=5.0, reclaim=60.0, look=30.0),
)
PAGES = 40
HOUR = 3_600.0


async def known(app: Crawler, name: str) -> Host:
    record = await app.ledger.hosts.get(name)
    assert record is not None
    return record.host


def site(
    host: str, pages: int = PAGES, *, by_home_alone: bool = False
) -> Callable[[Request], Response]:
    """Every page names every other one; or the home page does, and the others name it."""

    def script(request: Request) -> Response:
        if request.url.endswith("/robots.txt"):
            return status(404)
        if by_home_alone and request.url != f"https://{host}/":
            return page(request.url, "/")
        return page(request.url, *(f"/{n}" for n in range(1, pages)))

    return script


def away(
    web: SimulatedWeb, host: str, begin: float, end: float, answer: Failure | Response
) -> None:
    """The site, except that between these seconds of the simulation it answers otherwise."""
    normal = site(host)

    def script(request: Request) -> Failure | Response:
        passed = asyncio.get_running_loop().time()
        return answer if begin <= passed < end else normal(request)

    web.host(host, script)


@pytest.mark.parametrize(
    "answer",
    [failing(Fault.CONNECT_REFUSED), failing(Fault.READ_TIMEOUT), status(502), status(503)],
    ids=["refused", "hanging", "502", "503"],
)
def test_an_outage_of_two_hours_costs_no_url_and_no_person(answer: Failure | Response) -> None:
    """HOST-3, FE-8: five failures, then probes at 30, 60, 120, 300 … seconds, then all of it."""
    begin, end = 10.0, 10.0 + 2 * HOUR

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        away(web, "a.example", begin, end, answer)
        counts = await crawl(app, "https://a.example/")
        assert counts.states == {State.DONE: PAGES}
        during = [r for r in web.requests if begin <= r.at - START < end]
        failed = [r for r in during if r.method == "GET"]
        probes = [r for r in during if r.method == "HEAD"]
        assert len(failed) == 5
        assert {r.url for r in probes} == {"https://a.example/"}
        waits = gaps([failed[-1].at, *(r.at for r in probes)])
        wanted = [30.0, 60.0, 120.0] + [300.0] * (len(waits) - 3)
        assert waits == pytest.approx(wanted, abs=6)
        assert all(wait >= due for wait, due in zip(waits, wanted, strict=True))
        assert len(waits) == pytest.approx(2 * HOUR / 300, abs=3)
        after = [r for r in web.requests if r.at - START >= end]
        assert after[0].method == "HEAD"
        assert after[0].at - START < end + 310
        assert_polite(web)
        await assert_whole(app)

    simulate(story, PATIENT)


def test_the_breaker_holds_across_a_restart() -> None:
    """HOST-5: a new process does not begin by asking again."""

    async def main() -> None:
        web = SimulatedWeb()
        away(web, "a.example", 5.0, 1e9, failing(Fault.CONNECT_REFUSED))
        with scratch() as folder:
            short = replace(PATIENT, feed=FeedPolicy(patience=5.0))
            async with open_test_app(web, Path(folder), short) as app:
                await crawl(app, "https://a.example/")
            asked = len(web.requests)
            async with open_test_app(web, Path(folder), short) as app:
                host = await known(app, "a.example")
                assert (
                    stance(host, web.requests[-1].at + 1, short.treatment).entry is HostEntry.CLOSED
                )
                counts = await crawl(app, "https://a.example/")
                assert counts.of(State.FAILED) == 0
            assert len(web.requests) == asked

    run_virtually(main())


def test_a_storm_of_429_slows_us_down_and_the_rate_recovers_by_steps() -> None:
    """HOST-1: never a request inside a blackout, and no target pays for it."""
    blackouts: list[tuple[float, float]] = []

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        asked = count(1)
        normal = site("a.example", 400, by_home_alone=True)

        def script(request: Request) -> Response:
            # By how many requests there were: which URL comes when is another's business.
            if next(asked) in (50, 60, 70):
                now = asyncio.get_running_loop().time()
                blackouts.append((now, now + 30))
                return throttled(retry_after=30)
            return normal(request)

        web.host("a.example", script)
        counts = await crawl(app, "https://a.example/")
        assert counts.states == {State.DONE: 400}
        assert len(blackouts) == 3
        times = [r.at - START for r in web.requests]
        for begin, end in blackouts:
            assert not [at for at in times if begin < at < end]
        silences = [min(at for at in times if at > begin) - begin for begin, _ in blackouts]
        assert silences[0] >= 30
        assert silences[1] >= 300, "the second in a row"
        assert silences[2] >= 900, "the third in a row"
        last = [at for at in times if at > blackouts[2][1] + 900]
        steps = [b - a for a, b in pairwise(last)]
        assert steps[0] >= 4 * 4 * 0.9, "cut to a quarter, more than once"
        assert steps[-1] < steps[0], "and recovering"
        assert sorted(set(map(round, steps)), reverse=True) == list(
            dict.fromkeys(map(round, steps))
        )
        await assert_whole(app)

    simulate(story, PATIENT)


def test_a_burst_of_429_at_an_unpaced_host_is_one_incident() -> None:
    """HOST-1: eight requests in flight are told to wait at once, and it counts as one."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        normal = site("a.example", 60)

        def script(request: Request) -> Response:
            now = asyncio.get_running_loop().time()
            return throttled() if 0.3 < now < 5 else normal(request)

        web.host("a.example", script)
        counts = await crawl(app, "https://a.example/")
        assert counts.states == {State.DONE: 60}
        told = [r.at - START for r in web.requests if 0.3 - 0.05 < r.at - START < 5]
        assert len(told) > 1
        first_back = min(r.at - START for r in web.requests if r.at - START > 5)
        assert 45 * 0.9 <= first_back - max(told) <= 45 * 1.1 + 6
        throttle = (await known(app, "a.example")).pace.throttle
        assert throttle is not None
        assert throttle.incidents <= 1

    simulate(story, replace(PATIENT, pace=PacePolicy(delay=0.0)))


def test_hosts_in_trouble_take_no_slot_from_the_others() -> None:
    """A third of the hosts hang, refuse or complain; the rest is as fast as without them."""
    hosts = [f"h{n}.example" for n in range(60)]

    async def duration(hostile: bool) -> float:
        began = VirtualClock().now()
        web = SimulatedWeb()
        for number, host in enumerate(hosts):
            small_site(web, host, 8)
            if hostile and number % 3 == 0:
                bad = (failing(Fault.READ_TIMEOUT), throttled(), status(503), status(403))
                web._answers = {u: a for u, a in web._answers.items() if f"//{host}/" not in u}
                web.host(host, lambda _, answer=bad[number // 3 % 4]: answer)  # type: ignore[misc]
        with scratch() as folder:
            chosen = replace(PATIENT, feed=FeedPolicy(patience=1.0), fetch=PATIENT.fetch)
            async with open_test_app(web, Path(folder), chosen) as app:
                await crawl(app, *(f"https://{host}/" for host in hosts))
                healthy = {host for n, host in enumerate(hosts) if n % 3}
                assert len(await app.ledger.pages.find(limit=1_000)) >= 8 * len(healthy)
        return max(r.at for r in web.requests if r.url.split("/")[2] in healthy) - began

    async def main() -> None:
        calm, rough = await duration(hostile=False), await duration(hostile=True)
        assert rough <= calm * 1.15

    run_virtually(main())


def test_a_forbidding_host_cools_down_after_five_refusals() -> None:
    """HOST-4."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        urls = small_site(web, "a.example", 20)
        for url in urls[1:]:
            web.at(url, status(403), page("let in"))
        await crawl(app, "https://a.example/")
        refused = [r.at for r in web.requests if not r.url.endswith(("/robots.txt", ".example/"))]
        assert refused[5] - refused[4] >= 600
        assert max(gaps(refused[:5])) < 3

    simulate(story, PATIENT)


def test_six_failures_lock_a_host_for_two_minutes() -> None:
    """HOST-2: failures that are single URLs' own count as well, gone pages do not."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        urls = small_site(web, "a.example", 30)
        for url in urls[1:15]:
            web.at(url, status(404))
        for url in urls[15:]:
            web.at(url, status(400))
        counts = await crawl(app, "https://a.example/")
        assert counts.of(State.GONE) == 14
        assert counts.of(State.FAILED) == 15
        bad = [r.at for r in web.requests if r.url in urls[15:]]
        assert [n for n, gap in enumerate(gaps(bad), 1) if gap >= 120] == [6, 12]

    simulate(story, PATIENT)


def test_a_host_that_is_not_there_ends_the_crawl_soon_and_loses_nothing() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.host("a.example", lambda _: failing(Fault.DNS))
        await crawl(app, "https://a.example/")
        assert asyncio.get_running_loop().time() < 30
        assert await state(app, "https://a.example/") is State.PENDING
        await assert_whole(app)

    simulate(story, Settings(contact=CONTACT))


@pytest.mark.parametrize("fault", [Fault.CONNECT_REFUSED, Fault.DNS, Fault.READ_TIMEOUT])
def test_a_host_that_is_away_at_first_contact_is_asked_again_with_its_breaker(
    fault: Fault,
) -> None:
    """HOST-3: by its robots.txt, and by nothing else before it was had."""
    back = 100.0

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        away(web, "a.example", 0.0, back, failing(fault))
        counts = await crawl(app, "https://a.example/")
        assert counts.states == {State.DONE: PAGES}
        before = [r for r in web.requests if r.at - START < back]
        assert {r.url for r in before} == {"https://a.example/robots.txt"}
        waits = gaps([r.at for r in before])
        assert waits == pytest.approx([2, 4, 30, 60], abs=3)
        assert all(wait >= due for wait, due in zip(waits, [2, 4, 30, 60], strict=True))
        first = next(r for r in web.requests if r.at - START >= back)
        assert (first.method, first.url) == ("GET", "https://a.example/robots.txt")
        assert first.at - before[-1].at == pytest.approx(120, abs=6)
        assert {r.method for r in web.requests} == {"GET"}, "it is the probe, and serves as one"
        assert_polite(web)
        await assert_whole(app)

    simulate(story, PATIENT)


def test_a_host_away_at_first_contact_is_asked_by_the_breaker_after_a_restart_too() -> None:
    async def main() -> None:
        web = SimulatedWeb()
        away(web, "a.example", 0.0, 20.0, failing(Fault.CONNECT_REFUSED))
        with scratch() as folder:
            short = replace(PATIENT, feed=FeedPolicy(patience=5.0, patience_at_first=5.0))
            async with open_test_app(web, Path(folder), short) as app:
                await crawl(app, "https://a.example/")
                host = await known(app, "a.example")
                assert opens_at(host, short.treatment).why is Why.BREAKER
                record = await app.ledger.robots.load("https://a.example")
                assert record is not None
                assert not is_fresh(record, record.fetched_at), "nobody relies on it for an hour"
            asked = len(web.requests)
            async with open_test_app(web, Path(folder), PATIENT) as app:
                counts = await crawl(app, "https://a.example/")
                assert counts.states == {State.DONE: PAGES}
            assert web.requests[asked].at - web.requests[asked - 1].at < 60

    run_virtually(main())


@pytest.mark.parametrize("answer", [status(503), status(500), throttled(retry_after=5)])
def test_a_robots_txt_that_is_answered_by_an_error_shuts_the_host_for_an_hour(
    answer: Response,
) -> None:
    """RFC 9309 section 2.3.1.4: the host is there, and may mean it."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        away(web, "a.example", 0.0, 100.0, answer)
        counts = await crawl(app, "https://a.example/")
        assert counts.states == {State.DONE: PAGES}
        before = [r for r in web.requests if r.at - START < 100]
        assert {r.url for r in before} == {"https://a.example/robots.txt"}
        assert len(before) <= 3
        assert web.requests[len(before)].at - before[-1].at >= HOUR

    simulate(story, PATIENT)


def test_a_scheme_that_is_not_served_does_not_close_the_one_that_is() -> None:
    """Port 80 is shut: links to it wait, and the site is crawled meanwhile."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        served = site("a.example")

        def script(request: Request) -> Failure | Response:
            if request.url.startswith("http://"):
                return failing(Fault.CONNECT_REFUSED)
            if request.url == "https://a.example/":
                links = (f"/{n}" for n in range(1, PAGES))
                return page("home", *links, *(f"http://a.example/old/{n}" for n in range(9)))
            return served(request)

        web.host("a.example", script)
        feed = FeedPolicy(poll_most=5.0, reclaim=60.0, look=30.0)
        counts = await crawl(app, "https://a.example/")
        assert counts.states == {State.DONE: PAGES, State.PENDING: 9}
        assert asyncio.get_running_loop().time() < PAGES + 30 + feed.patience
        assert {r.url for r in web.requests if r.url.startswith("http://")} == {
            "http://a.example/robots.txt"
        }

    simulate(story, replace(PATIENT, feed=FeedPolicy(poll_most=5.0, reclaim=60.0, look=30.0)))


@pytest.mark.parametrize("answer", [status(500), failing(Fault.RESET), failing(Fault.READ_TIMEOUT)])
def test_a_url_that_always_fails_does_not_hold_up_a_crawl_that_is_done(
    answer: Failure | Response,
) -> None:
    """FE-8: after an answered probe such a fault costs the URL its attempts, not the host."""
    bad = [f"https://a.example/bad/{n}" for n in range(3)]

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        served = site("a.example")
        web.host("a.example", served)
        web.at("https://a.example/", page("home", *(f"/{n}" for n in range(1, PAGES)), *bad))
        for url in bad:
            web.at(url, answer)
        counts = await crawl(app, "https://a.example/")
        assert counts.states == {State.DONE: PAGES, State.FAILED: len(bad)}
        for url in bad:
            assert web.urls().count(url) == 3, "its attempts, and no more"
        times = [r.at for r in web.requests]
        rests = sorted(gap for gap in gaps(times) if gap > 15)
        assert rests == pytest.approx([30, 120], abs=6), "one back-off, one lock of the budget"
        assert_polite(web)

    simulate(story, PATIENT)


class OneHangs(SimulatedWeb):
    """A web with a host that takes half a minute for every page but its first."""

    async def send(self, request: Request) -> Response | Failure | Forbidden:
        if request.url.startswith("https://slow.example/p"):
            await asyncio.sleep(30)
        return await super().send(request)


def test_near_a_page_limit_a_hanging_host_does_not_hold_up_the_others() -> None:
    async def main() -> None:
        web = OneHangs()
        for host in ("slow.example", "a.example", "b.example"):
            web.at(f"https://{host}/", page(host, *(f"/p{n}" for n in range(60))))
            web.host(host, lambda request: page(request.url))
        with scratch() as folder:
            async with open_test_app(web, Path(folder), Settings(contact=CONTACT)) as app:
                seeds = [f"https://{host}/" for host in ("slow.example", "a.example", "b.example")]
                counts = await crawl(app, *seeds, max_pages=60)
                assert counts.pages == 60
        # Two healthy hosts at a page a second: half a minute, and the slow one's share after it.
        assert asyncio.get_running_loop().time() < 120

    run_virtually(main())
