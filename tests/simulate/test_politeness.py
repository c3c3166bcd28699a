"""Whole crawls: no host is ever asked more often than it and we agreed (FR-5, HOST-1)."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.policy import FeedPolicy, LeasePolicy
from tenax.crawl.turns import HostTurns
from tenax.fetch.turns import LeaseExpired
from tenax.hosts.conduct import HostPolicies
from tenax.hosts.pace import PacePolicy
from tenax.model import Host, Request, Response, ScopeKind, State
from tenax.settings import Settings
from tenax.testing import (
    SimulatedWeb,
    VirtualClock,
    crawl,
    open_test_app,
    page,
    redirect,
    robots,
    run_virtually,
    simulate,
    start_job,
    status,
    throttled,
)
from tests.simulate.sites import assert_polite, assert_whole, gaps, small_site, state, stored

CONTACT = "mailto:test@example.org"
UNPACED = Settings(contact=CONTACT, pace=PacePolicy(delay=0.0))
# Looking for work less often only makes the long waits cheap to simulate.
PATIENT = Settings(
    contact=CONTACT, feed=FeedPolicy(patience=10_000.0, poll_most=30.0, reclaim=60.0)
)


def test_requests_to_a_host_keep_the_delay_with_robots_and_redirects_included() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 6)
        small_site(web, "b.example", 4)
        web.at("https://a.example/3", redirect("/moved"))
        web.at("https://a.example/moved", redirect("/moved-again"))
        web.at("https://a.example/moved-again", page("here"))
        await crawl(app, "https://a.example/", "https://b.example/")
        assert_polite(web)
        assert len(web.asked("a.example")) == 1 + 6 + 2
        await assert_whole(app)

    simulate(story)


def test_hosts_do_not_wait_for_each_other() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        for name in "abcdefgh":
            small_site(web, f"{name}.example", 10)
        await crawl(app, *(f"https://{name}.example/" for name in "abcdefgh"))
        times = [request.at for request in web.requests]
        assert len(times) == 8 * 11
        assert max(times) - min(times) < 13

    simulate(story)


def test_jobs_on_one_ledger_share_a_hosts_pace() -> None:
    """FR-2: politeness is per host across all jobs."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 5)
        await asyncio.gather(
            crawl(app, "https://a.example/", name="one"),
            crawl(app, "https://a.example/", name="two"),
        )
        assert_polite(web)
        assert len(web.urls()) == 10
        await assert_whole(app)

    simulate(story)


def test_workers_on_one_ledger_share_a_hosts_pace(tmp_path: Path) -> None:
    async def main() -> None:
        web = SimulatedWeb()
        small_site(web, "a.example", 8)
        async with (
            open_test_app(web, tmp_path) as one,
            open_test_app(web, tmp_path) as two,
            open_test_app(web, tmp_path) as three,
        ):
            await start_job(one, "https://a.example/")
            await asyncio.gather(*(crawl(app, "https://a.example/") for app in (one, two, three)))
            assert_polite(web)
            assert len(web.urls()) == 8
            await assert_whole(one)

    run_virtually(main())


def test_an_unpaced_host_never_has_more_requests_under_way_than_its_slots(tmp_path: Path) -> None:
    """FR-4, with three workers that come one after the other."""

    async def main() -> None:
        web = Crowded(latency=0.5)
        small_site(web, "a.example", 150)
        async with (
            open_test_app(web, tmp_path, UNPACED) as one,
            open_test_app(web, tmp_path, UNPACED) as two,
            open_test_app(web, tmp_path, UNPACED) as three,
        ):
            apps = []
            for app in (one, two, three):
                apps.append(asyncio.create_task(crawl(app, "https://a.example/")))
                await asyncio.sleep(2.0)
            await asyncio.gather(*apps)
            assert len(web.urls()) == 150
            assert web.most == 8
            await assert_whole(one)

    run_virtually(main())


def test_who_comes_late_to_an_unpaced_host_gets_a_share_as_soon_as_it_is_free(
    tmp_path: Path,
) -> None:
    """The holder has targets for many seconds in hand; the other does not wait for their end."""

    async def main() -> None:
        web = SimulatedWeb(latency=1.0)
        small_site(web, "a.example", 400)
        async with (
            open_test_app(web, tmp_path, UNPACED) as one,
            open_test_app(web, tmp_path, UNPACED) as two,
        ):
            heard: list[float] = []
            job = await start_job(one, "https://a.example/")
            first = asyncio.create_task(one.run(job).run())
            await asyncio.sleep(8.0)
            came = one.parts.clock.now()
            late = two.run(job, lambda _: heard.append(two.parts.clock.now()))
            await asyncio.gather(first, late.run())
            assert len(web.urls()) == 400
            in_hand = UNPACED.lease.targets_per_slot
            assert heard[0] - came < in_hand

    run_virtually(main())


class Crowded(SimulatedWeb):
    """Remembers how many requests it ever had at once."""

    most = 0

    async def send(self, request: Request) -> Response:
        self.most = max(self.most, self.under_way + 1)
        answer = await super().send(request)
        assert isinstance(answer, Response)
        return answer


def test_crawl_delay_is_honoured() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 4)
        web.at("https://a.example/robots.txt", robots("User-agent: *\nCrawl-delay: 7"))
        await crawl(app, "https://a.example/")
        assert len(web.asked("a.example")) == 5
        assert_polite(web, 7.0)

    simulate(story)


def test_crawl_delay_is_honoured_where_we_would_not_wait_at_all() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 4)
        web.at("https://a.example/robots.txt", robots("User-agent: *\nCrawl-delay: 7"))
        await crawl(app, "https://a.example/")
        assert len(web.asked("a.example")) == 5
        assert_polite(web, 7.0)

    simulate(story, UNPACED)


def test_crawl_delay_is_capped_at_a_minute() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 4)
        web.at("https://a.example/robots.txt", robots("User-agent: *\nCrawl-delay: 86400"))
        await crawl(app, "https://a.example/")
        between = gaps(web.asked("a.example"))
        assert len(between) == 4
        assert all(60 <= gap < 61 for gap in between)

    simulate(story, replace(PATIENT, feed=FeedPolicy(patience=10_000.0)))


def test_both_schemes_of_a_host_share_the_longer_crawl_delay() -> None:
    """http and https are one host with two robots.txt: the lenient one must not undo the other."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        plain = [f"http://a.example/{n}" for n in range(3)]
        secure = [f"https://a.example/s{n}" for n in range(3)]
        web.at("https://a.example/robots.txt", robots("User-agent: *\nCrawl-delay: 9"))
        for url in plain + secure:
            web.at(url, page("x"))
        mixed = [url for pair in zip(secure, plain, strict=True) for url in pair]
        web.at("https://a.example/", page("home", *mixed))
        await crawl(app, "https://a.example/")
        assert len(web.urls()) == 7
        asked = [r for r in web.requests if not r.url.endswith("robots.txt")]
        for earlier, later in pairwise(asked):
            if later.url.startswith("https:"):
                assert later.at - earlier.at >= 9

    simulate(story)


def test_a_throttled_host_is_left_alone_until_it_says_while_others_go_on() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 5)
        small_site(web, "b.example", 20)
        web.at("https://a.example/", throttled(retry_after=50), page("hello", "/1", "/2"))
        counts = await crawl(app, "https://a.example/", "https://b.example/")
        _, first, second, *_ = web.asked("a.example")
        assert second - first >= 50
        assert max(web.asked("b.example")) < first + 30
        assert counts.unfinished == 0
        assert_polite(web)

    simulate(story)


@pytest.mark.parametrize("code", [429, 503])
def test_a_host_throttling_midway_is_not_asked_for_anything_until_it_says(code: int) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 9)
        web.at("https://a.example/4", throttled(retry_after=40, code=code), page("four"))
        counts = await crawl(app, "https://a.example/")
        told = next(r.at for r in web.requests if r.url == "https://a.example/4")
        # The answer arrives a latency after the question.
        assert not [at for at in web.asked("a.example") if told < at < told + 40]
        assert counts.pages == 9

    simulate(story)


@pytest.mark.parametrize("settings", [None, UNPACED], ids=["paced", "unpaced"])
def test_a_host_silent_for_longer_than_our_patience_ends_the_crawl(
    settings: Settings | None,
) -> None:
    """Nobody holds a host while it is to be left alone: the wait is in the ledger (FE-7)."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 30)
        web.at("https://a.example/4", throttled(retry_after=3600))
        started = app.parts.clock.now()
        counts = await crawl(app, "https://a.example/")
        assert app.parts.clock.now() - started < 60
        assert counts.of(State.LEASED) == 0
        assert counts.of(State.PENDING) > 0
        ready = await app.parts.frontier.next_ready([1])
        assert ready is not None
        assert ready > started + 3600
        await assert_whole(app)

    simulate(story, settings)


def test_unpaced_workers_all_heed_a_throttle_one_of_them_got(tmp_path: Path) -> None:
    async def main() -> None:
        web = SimulatedWeb(latency=0.2)
        small_site(web, "a.example", 80)
        web.at("https://a.example/40", throttled(retry_after=30), page("forty"))
        async with (
            open_test_app(web, tmp_path, UNPACED) as one,
            open_test_app(web, tmp_path, UNPACED) as two,
        ):
            await asyncio.gather(*(crawl(app, "https://a.example/") for app in (one, two)))
            told = next(r.at for r in web.requests if r.url == "https://a.example/40") + 0.2
            late = [at for at in web.asked("a.example") if told + 5 < at < told + 29.7]
            assert late == []
            assert len(await stored(one)) == 80
            await assert_whole(one)

    run_virtually(main())


def test_a_throttled_target_spends_no_attempt() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        answers = [throttled(retry_after=5)] * 6
        web.at("https://a.example/", *answers, page("at last"))
        counts = await crawl(app, "https://a.example/")
        assert counts.pages == 1
        assert min(gaps(web.asked("a.example")[1:])) >= 5

    simulate(story, PATIENT)


def test_a_throttle_without_a_time_silences_us_for_the_default() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at("https://a.example/", throttled(), page("hello"))
        await crawl(app, "https://a.example/")
        _, first, second = web.asked("a.example")
        assert second - first >= 45

    simulate(story)


def test_a_crawl_stopped_and_resumed_at_once_keeps_the_delay(tmp_path: Path) -> None:
    """Also when it stops between robots.txt and the first page, with nothing settled yet."""

    async def crawl_until(web: SimulatedWeb, folder: Path, seconds: float) -> None:
        async with open_test_app(web, folder, UNHURRIED) as app:
            job = await start_job(app, "https://a.example/")
            run = app.run(job)
            task = asyncio.create_task(run.run())
            await asyncio.sleep(seconds)
            run.stop()
            await task

    async def main(seconds: float, folder: Path) -> None:
        web = SimulatedWeb(latency=0.3)
        small_site(web, "a.example", 5)
        web.at("https://a.example/robots.txt", robots("User-agent: *\nCrawl-delay: 5"))
        await crawl_until(web, folder, seconds)
        async with open_test_app(web, folder, UNHURRIED) as app:
            assert await app.ledger.auditor.audit() == []
            await crawl(app, "https://a.example/")
            assert len(await stored(app)) == 5
            assert_polite(web)
            # A robots.txt cut off on its way tells nothing; from the last one on its delay holds.
            asked = web.requests
            last = max(n for n, r in enumerate(asked) if r.url.endswith("/robots.txt"))
            assert min(gaps(r.at for r in asked[last:])) >= 5.0
            await assert_whole(app)

    for tenths in range(1, 120, 7):
        run_virtually(main(tenths / 10, tmp_path / str(tenths)))


UNHURRIED = Settings(contact=CONTACT, feed=FeedPolicy(grace=0.1))


def test_a_worker_that_was_away_past_its_lease_is_not_impolite(tmp_path: Path) -> None:
    """FR-4: one that hung past its lease asks nothing more for it, whoever has the host now."""
    settings = Settings(
        contact=CONTACT, lease=LeasePolicy(seconds=10.0), feed=FeedPolicy(heartbeat=1e9)
    )

    async def main() -> None:
        web = SimulatedWeb()
        small_site(web, "a.example", 15)
        hung = Hanging(web)
        async with open_test_app(hung, tmp_path, settings) as one:
            first = asyncio.create_task(crawl(one, "https://a.example/"))
            await asyncio.sleep(12.0)
            async with open_test_app(web, tmp_path, settings) as two:
                await crawl(two, "https://a.example/")
                await first
                together = sorted(hung.asked("a.example") + web.asked("a.example"))
                assert min(gaps(together)) >= 1.0
                assert hung.hung_at
                assert max(together) < hung.hung_at + 30
                await assert_whole(two)

    run_virtually(main())


def test_a_worker_stopped_in_its_sleep_finds_its_lease_gone() -> None:
    """As SIGSTOP and SIGCONT do it: the moment of sending is what counts."""

    class Stopped(VirtualClock):
        away = 0.0

        def now(self) -> float:
            return super().now() + self.away

        async def sleep(self, seconds: float) -> None:
            await super().sleep(seconds)
            self.away += 3_600

    async def main() -> None:
        clock = Stopped()
        turns = HostTurns(
            Host("a.example", "https://a.example"),
            clock,
            HostPolicies(),
            Random(1),
            clock.now() + 300,
        )
        await turns.take()
        with pytest.raises(LeaseExpired):
            await turns.take()

    run_virtually(main())


class Hanging(SimulatedWeb):
    """One worker's view of a web: its third page takes half a minute."""

    def __init__(self, web: SimulatedWeb) -> None:
        super().__init__()
        self._web = web
        self.hung_at = 0.0

    async def send(self, request: Request) -> Response:
        await super().send(request)
        if len(self.urls()) == 3 and not self.hung_at:
            self.hung_at = self.requests[-1].at
            await asyncio.sleep(30.0)
        answer = self._web._answer(request)
        assert isinstance(answer, Response)
        return replace(answer, url=request.url)


def test_once_a_crawl_has_stopped_nobody_goes_on_asking_for_robots() -> None:
    """Its host is given back: whoever takes it must be alone with it."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at("https://a.example/robots.txt", status(500))
        run = app.run(await start_job(app, "https://a.example/"))
        task = asyncio.create_task(run.run())
        await asyncio.sleep(0.5)
        run.stop()
        await task
        await asyncio.sleep(60.0)
        assert len(web.requests) == 1

    simulate(story, UNHURRIED)


def test_robots_of_an_unreachable_host_is_asked_for_again_after_an_hour() -> None:
    """ROB-1: until then nothing is requested."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 3)
        web.at("https://a.example/robots.txt", *[status(500)] * 3, robots("User-agent: *"))
        counts = await crawl(app, "https://a.example/")
        first, second, third, again, page_at, *_ = web.asked("a.example")
        assert second - first >= 2
        assert third - second >= 4
        assert 3600 <= again - third < 3640
        assert web.urls(robots=True)[3].endswith("/robots.txt")
        assert page_at > again
        assert counts.pages == 3

    simulate(story, PATIENT)


def test_while_robots_is_unreachable_nothing_is_requested_and_the_crawl_ends() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 3)
        web.at("https://a.example/robots.txt", status(503))
        counts = await crawl(app, "https://a.example/")
        assert web.urls() == []
        assert counts.states == {State.PENDING: 1}
        assert await state(app, "https://a.example/") is State.PENDING

    simulate(story)


@pytest.mark.parametrize("code", [401, 403, 404, 410])
def test_a_host_without_robots_may_be_crawled(code: int) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 2)
        web.at("https://a.example/robots.txt", status(code))
        assert (await crawl(app, "https://a.example/")).pages == 2

    simulate(story)


def test_one_host_may_be_visited_by_more_jobs_without_asking_its_robots_again() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 2)
        await crawl(app, "https://a.example/", name="one", scope=ScopeKind.ANY)
        await crawl(app, "https://a.example/", name="two", scope=ScopeKind.ANY)
        assert web.urls(robots=True).count("https://a.example/robots.txt") == 1

    simulate(story)
