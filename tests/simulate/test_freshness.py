"""Whole crawls of sites visited before: 304, equal bytes, copies that serve (FE-4, FE-5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.policy import FeedPolicy, RetryPolicy
from tenax.crawl.run import revisit
from tenax.fetch.freshness import FreshnessPolicy
from tenax.model import Failure, Fault, JobState, Request, Response, State
from tenax.settings import Settings
from tenax.testing import (
    Asked,
    SimulatedWeb,
    crawl,
    failing,
    page,
    redirect,
    robots,
    simulate,
    start_job,
    status,
    throttled,
)
from tests.simulate.sites import assert_polite, assert_whole, record, small_site, state, stored

HOME = "https://a.example/"
DATE = "Sun, 06 Nov 1994 08:49:37 GMT"
DAY = 86_400.0
CONTACT = "mailto:test@example.org"
USUAL = Settings(contact=CONTACT)
PATIENT = Settings(contact=CONTACT, feed=FeedPolicy(patience=1e6, patience_at_first=1e6))


@dataclass
class Versioned:
    """A server that knows of validators, and whose pages can be changed."""

    web: SimulatedWeb
    version: dict[str, int] = field(default_factory=dict)
    down: Response | Failure | None = None
    tags: bool = True
    dates: bool = False

    def serve(self, url: str, *links: str) -> str:
        self.version[url] = 1
        self.web.at(url, lambda request: self._answer(request, links))
        return url

    def change(self, url: str) -> None:
        self.version[url] += 1

    def _answer(self, request: Request, links: tuple[str, ...]) -> Response | Failure:
        if self.down is not None:
            return self.down
        version = self.version[request.url]
        named = {}
        if self.tags:
            named["etag"] = f'"v{version}"'
        if self.dates:
            named["last_modified"] = DATE if version == 1 else DATE.replace("1994", "2005")
        asked = dict(request.headers)
        if self.tags and asked.get("If-None-Match") == named["etag"]:
            return status(304, **named)
        if (
            not self.tags
            and self.dates
            and asked.get("If-Modified-Since") == named["last_modified"]
        ):
            return status(304, **named)
        return page(f"version {version}", *links, **named)


def site(web: SimulatedWeb, pages: int = 4, *, tags: bool = True, dates: bool = False) -> Versioned:
    """A home page and those it links to."""
    server = Versioned(web, tags=tags, dates=dates)
    others = [f"{HOME}{n}" for n in range(1, pages)]
    server.serve(HOME, *others)
    for url in others:
        server.serve(url, HOME)
    return server


async def wait(app: Crawler, seconds: float) -> None:
    await app.parts.clock.sleep(seconds)


def asked_since(web: SimulatedWeb, count: int) -> list[Asked]:
    return [r for r in web.requests[count:] if not r.url.endswith("/robots.txt")]


async def outcomes(app: Crawler, url: str) -> list[str]:
    return [a.outcome for a in await app.ledger.pages.attempts((await record(app, url)).id)]


@pytest.mark.parametrize(
    ("how", "condition"),
    [
        ({"tags": True}, ("If-None-Match", '"v1"')),
        ({"tags": False, "dates": True}, ("If-Modified-Since", DATE)),
        ({"tags": True, "dates": True}, ("If-Modified-Since", DATE)),
    ],
    ids=["etag", "date", "both"],
)
def test_a_site_that_has_not_changed_is_asked_conditionally_and_nothing_is_stored(
    how: dict[str, bool], condition: tuple[str, str]
) -> None:
    """FE-4."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site(web, **how)
        await crawl(app, HOME)
        before, count = await stored(app), len(web.requests)
        await wait(app, 3_600)
        counts = await crawl(app, HOME, again=True)
        asked = asked_since(web, count)
        assert sorted(r.url for r in asked) == sorted(before)
        assert all(condition in r.headers for r in asked)
        assert counts.states == {State.DONE: 4}
        assert (counts.pages, counts.renewing) == (4, 0)
        after = await stored(app)
        for url, old in before.items():
            new = after[url]
            assert new.checked_at is not None
            assert new.checked_at > old.fetched_at + 3_600
            assert replace(new, checked_at=None) == old
            assert (await record(app, url)).reason == "unchanged: 304"
            assert await outcomes(app, url) == ["read", "unchanged"]
        assert_polite(web)
        await assert_whole(app)

    simulate(story, USUAL)


def test_a_first_visit_sends_no_condition() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site(web)
        await crawl(app, HOME)
        sent = {name.lower() for r in web.requests for name, _ in r.headers}
        assert not sent & {"if-none-match", "if-modified-since"}

    simulate(story, USUAL)


def test_without_again_nothing_is_visited_twice() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site(web)
        await crawl(app, HOME)
        count = len(web.requests)
        await crawl(app, HOME)
        assert len(web.requests) == count

    simulate(story, USUAL)


def test_304_counts_as_a_success_for_the_host() -> None:
    """FE-4: it ends a row of failures, and the host is known to be up."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site(web)
        await crawl(app, HOME)
        web.at(f"{HOME}x", failing(Fault.READ_TIMEOUT), page("there"))
        await crawl(app, HOME, f"{HOME}x", again=True)
        known = await app.ledger.hosts.get("a.example")
        assert known is not None
        assert known.host.health.failures == 0
        checked = [p.checked_at for p in (await stored(app)).values() if p.checked_at]
        assert known.host.health.last_success_at is not None
        assert known.host.health.last_success_at >= max(checked)

    simulate(story, USUAL)


def test_equal_bytes_are_unchanged_where_the_server_knows_no_validators() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site(web, tags=False)
        await crawl(app, HOME)
        before = await stored(app)
        await wait(app, 60)
        await crawl(app, HOME, again=True)
        for url, new in (await stored(app)).items():
            assert replace(new, checked_at=None) == before[url]
            assert new.checked_at is not None
            assert (await record(app, url)).reason == "unchanged: same bytes"
        await assert_whole(app)

    simulate(story, USUAL)


def test_a_page_that_changed_is_replaced_and_its_links_are_taken() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        server = site(web)
        await crawl(app, HOME)
        before = await stored(app)
        server.serve(f"{HOME}new")
        server.serve(f"{HOME}1", f"{HOME}new")
        server.change(f"{HOME}1")
        await wait(app, 60)
        counts = await crawl(app, HOME, again=True)
        after = await stored(app)
        assert counts.pages == 5
        assert after[f"{HOME}1"].digest != before[f"{HOME}1"].digest
        assert after[f"{HOME}1"].etag == '"v2"'
        assert after[f"{HOME}1"].fetched_at > before[f"{HOME}1"].fetched_at + 60
        assert after[f"{HOME}1"].checked_at is None
        assert (await record(app, f"{HOME}1")).reason == "read"
        assert f"{HOME}new" in after
        await assert_whole(app)

    simulate(story, USUAL)


@pytest.mark.parametrize(
    ("down", "fault", "pages"),
    [
        (failing(Fault.CONNECT_REFUSED), "connect_refused", 3),
        (failing(Fault.DNS), "dns", 3),
        (status(502), "bad_gateway", 3),
        (failing(Fault.READ_TIMEOUT), "read_timeout", 1),
        (status(500), "server_error", 1),
        (status(400), "client_error", 3),
    ],
    ids=["refused", "dns", "502", "hanging", "500", "400"],
)
def test_when_a_host_fails_its_copies_serve_and_are_healed_later(
    down: Response | Failure, fault: str, pages: int
) -> None:
    """FE-5."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        server = site(web, pages)
        await crawl(app, HOME)
        before = await stored(app)
        server.down = down
        counts = await crawl(app, HOME, again=True)
        assert counts.states == {State.DONE: pages}
        failed = await stored(app)
        for url, old in before.items():
            assert failed[url] == replace(old, stale=fault)
            assert (await record(app, url)).reason == f"stale: {fault}"
            assert await app.ledger.content.get(bytes.fromhex(old.digest)) is not None
        await assert_whole(app)
        server.down = None
        await wait(app, DAY)
        counts = await crawl(app, HOME, again=True)
        assert counts.states == {State.DONE: pages}
        for url, new in (await stored(app)).items():
            assert new.stale == ""
            assert new.checked_at is not None
            assert (await record(app, url)).reason == "unchanged: 304"
        await assert_whole(app)

    simulate(story, USUAL)


def test_when_a_host_is_down_for_long_the_rest_of_its_pages_wait_and_stay() -> None:
    """HOST-3: it is not asked for each of them to learn that it is down."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        server = site(web, 20)
        await crawl(app, HOME)
        before = await stored(app)
        server.down = failing(Fault.CONNECT_REFUSED)
        counts = await crawl(app, HOME, again=True)
        assert counts.states == {State.DONE: 5, State.PENDING: 15}
        after = await stored(app)
        assert {url: replace(p, stale="") for url, p in after.items()} == before
        assert sorted(p.stale for p in after.values())[-6:] == ["", *["connect_refused"] * 5]
        server.down = None
        await wait(app, 3_600)
        counts = await crawl(app, HOME)
        assert counts.states == {State.DONE: 20}
        assert sum(p.checked_at is not None for p in (await stored(app)).values()) == 15
        await assert_whole(app)

    simulate(story, USUAL)


def test_what_has_tries_left_is_tried_again_before_its_copy_serves() -> None:
    """FE-7: a 500 may pass."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("one"), status(500), status(500), page("two"))
        await crawl(app, HOME)
        old = (await stored(app))[HOME]
        await crawl(app, HOME, again=True)
        new = (await stored(app))[HOME]
        assert (new.stale, new.digest != old.digest) == ("", True)
        assert await outcomes(app, HOME) == ["read", "failed", "failed", "read"]

    simulate(story, USUAL)


def test_a_throttled_page_waits_as_on_its_first_visit() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("one"), throttled(retry_after=30), page("two"))
        await crawl(app, HOME)
        await crawl(app, HOME, again=True)
        assert await outcomes(app, HOME) == ["read", "throttled", "read"]

    simulate(story, USUAL)


def test_a_page_that_is_gone_leaves_its_last_copy_marked() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("here"), status(404))
        await crawl(app, HOME)
        await crawl(app, HOME, again=True)
        assert await state(app, HOME) is State.GONE
        assert (await stored(app))[HOME].stale == "gone"
        await assert_whole(app)

    simulate(story, USUAL)


def test_a_page_that_robots_txt_forbids_now_is_not_asked_for() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 3)
        web.at(f"{HOME}robots.txt", status(404), robots("User-agent: *\nDisallow: /1"))
        await crawl(app, HOME)
        count = len(web.requests)
        await wait(app, DAY + 60)
        counts = await crawl(app, HOME, again=True)
        assert counts.states == {State.DONE: 2, State.BLOCKED: 1}
        assert f"{HOME}1" not in [r.url for r in web.requests[count:]]
        assert (await stored(app))[f"{HOME}1"].stale == "refused"
        await assert_whole(app)

    simulate(story, USUAL)


def test_a_page_that_asks_not_to_be_kept_any_more_is_dropped() -> None:
    """ROB-3, also when its bytes are the same: the wish may be in the headers."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("here"), page("here", x_robots_tag="noindex"))
        await crawl(app, HOME)
        counts = await crawl(app, HOME, again=True)
        assert (counts.pages, counts.states) == (0, {State.DONE: 1})
        assert await stored(app) == {}
        await assert_whole(app)

    simulate(story, USUAL)


@pytest.mark.parametrize(("passed", "times"), [(DAY / 2, 1), (DAY + 60, 2)])
def test_a_404_is_remembered_for_a_day(passed: float, times: int) -> None:
    """FE-5."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("home", "/gone"))
        await crawl(app, HOME)
        assert await state(app, f"{HOME}gone") is State.GONE
        await wait(app, passed)
        await crawl(app, HOME, again=True)
        assert web.urls().count(f"{HOME}gone") == times
        assert web.urls().count(HOME) == 2

    simulate(story, USUAL)


def test_a_copy_younger_than_max_age_serves_without_a_request() -> None:
    """FE-5: nor does it get younger by serving."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        server = site(web)
        await crawl(app, HOME)
        count = len(web.requests)
        for _ in range(3):
            await wait(app, 1_000)
            counts = await crawl(app, HOME, again=True)
            assert counts.states == {State.DONE: 4}
            assert (await record(app, HOME)).reason == "unchanged: cache"
        assert len(web.requests) == count, "not even robots.txt: what we have of it holds"
        assert {p.checked_at for p in (await stored(app)).values()} == {None}
        server.change(HOME)
        await wait(app, 1_000)
        await crawl(app, HOME, again=True)
        assert {r.url for r in web.requests[count:]} == set(server.version)
        assert (await stored(app))[HOME].etag == '"v2"'
        await assert_whole(app)

    simulate(story, replace(USUAL, freshness=FreshnessPolicy(max_age=3_600)))


def test_a_preferred_cache_serves_whatever_its_age_and_new_pages_are_fetched() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site(web)
        await crawl(app, HOME)
        count = len(web.requests)
        await wait(app, 30 * DAY)
        web.at(f"{HOME}new", page("new"))
        counts = await crawl(app, HOME, f"{HOME}new", again=True)
        assert counts.pages == 5
        assert [r.url for r in asked_since(web, count)] == [f"{HOME}new"]

    simulate(story, replace(USUAL, freshness=FreshnessPolicy(prefer_cache=True)))


def test_robots_txt_comes_before_the_cache() -> None:
    """FE-1: what it forbids now does not serve as fresh either."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 2)
        web.at(f"{HOME}robots.txt", status(404), robots("User-agent: *\nDisallow: /"))
        await crawl(app, HOME)
        await wait(app, DAY + 60)
        counts = await crawl(app, HOME, again=True)
        assert counts.states == {State.BLOCKED: 2}

    simulate(story, replace(USUAL, freshness=FreshnessPolicy(max_age=30 * DAY)))


@pytest.mark.parametrize("to", ["/end", "/other"])
def test_validators_of_a_redirected_page_go_to_where_it_came_from(to: str) -> None:
    """A 304 from anywhere else would be about a page that we do not have."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        server = Versioned(web)
        server.serve(f"{HOME}end")
        server.serve(f"{HOME}other")
        web.at(HOME, redirect(f"{HOME}end"), redirect(HOME[:-1] + to))
        await crawl(app, HOME)
        count = len(web.requests)
        await crawl(app, HOME, again=True)
        first, second = asked_since(web, count)
        assert "If-None-Match" not in dict(first.headers)
        assert ("If-None-Match" in dict(second.headers)) == (to == "/end")
        assert (await stored(app))[HOME].final_url == HOME[:-1] + to

    simulate(story, USUAL)


def test_equal_bytes_behind_the_same_redirect_are_unchanged() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, redirect(f"{HOME}end"))
        web.at(f"{HOME}end", page("here"))
        await crawl(app, HOME)
        await crawl(app, HOME, again=True)
        assert (await record(app, HOME)).reason == "unchanged: same bytes"

    simulate(story, USUAL)


def test_the_newest_validators_are_asked_with() -> None:
    """Servers behind one name often disagree about the tag of the same bytes."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, *(page("here", etag=f'"{n}"') for n in range(3)))
        await crawl(app, HOME)
        await crawl(app, HOME, again=True)
        await crawl(app, HOME, again=True)
        tags = [dict(r.headers).get("If-None-Match") for r in asked_since(web, 0)]
        assert tags == [None, '"0"', '"1"']

    simulate(story, USUAL)


def test_a_page_limit_holds_when_pages_are_visited_again() -> None:
    """URL-5: all that are stored are visited, and no further one."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 30)
        counts = await crawl(app, HOME, max_pages=7)
        before = await stored(app)
        assert counts.pages == 7
        count = len(web.requests)
        counts = await crawl(app, HOME, max_pages=7, again=True)
        assert (counts.pages, counts.renewing) == (7, 0)
        assert sorted(r.url for r in asked_since(web, count)) == sorted(before)
        job = await app.parts.jobs.get("test")
        assert job is not None
        assert job.state is JobState.DONE
        counts = await crawl(app, HOME, max_pages=12, again=True)
        assert counts.pages == 12
        assert all(p.checked_at or p.url not in before for p in (await stored(app)).values())
        await assert_whole(app)

    simulate(story, USUAL)


def test_a_full_job_does_not_wait_for_ever_for_a_host_that_is_down() -> None:
    """Although other hosts of it have new URLs, which it may not visit."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        server = site(web, 8)
        small_site(web, "b.example", 3)
        seeds = (HOME, "https://b.example/")
        await crawl(app, HOME, max_pages=8, scope="any")
        server.down = failing(Fault.CONNECT_REFUSED)
        began = app.parts.clock.now()
        counts = await crawl(app, *seeds, max_pages=8, scope="any", again=True)
        assert app.parts.clock.now() - began < 3_600
        assert counts.states == {State.DONE: 5, State.PENDING: 4}
        assert counts.pages == 8
        job = await app.parts.jobs.get("test")
        assert job is not None
        assert job.state is JobState.STOPPED

    simulate(story, USUAL)


def test_an_interrupted_round_goes_on_without_again() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site(web, pages=20)
        await crawl(app, HOME)
        count = len(web.requests)
        job = await start_job(app, HOME)
        assert await revisit(app.parts, job) == 20
        run = app.run(job, lambda settled: run.stop() if settled else None)
        await run.run()
        assert 0 < len(asked_since(web, count)) < 20
        await crawl(app, HOME)
        asked = [r.url for r in asked_since(web, count)]
        assert len(asked) == len(set(asked)) == 20
        await assert_whole(app)

    simulate(story, USUAL)


def test_no_target_is_lost_when_a_round_meets_every_kind_of_answer() -> None:
    """All of them settle, and the ledger adds up after each round."""
    answers: tuple[Callable[[Request], Response | Failure], ...] = (
        lambda _: page("same"),
        lambda _: status(304),
        lambda _: status(404),
        lambda _: status(402),
        lambda _: status(403),
        lambda _: status(500),
        lambda _: failing(Fault.RESET),
        lambda _: redirect("https://b.example/"),
        lambda _: page("same", x_robots_tag="noindex"),
        lambda _: page("new"),
    )

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at("https://b.example/", page("b"))
        targets = [f"{HOME}{n}" for n in range(len(answers))]
        for url in targets:
            web.at(url, page("same"))
        await crawl(app, *targets)
        for shift in range(3):
            for n, url in enumerate(targets):
                web.at(url, answers[(n + shift) % len(answers)])
            await wait(app, 2 * DAY)
            counts = await crawl(app, *targets, again=True)
            assert counts.unfinished == 0
            assert counts.renewing == 0
            assert counts.of(State.FAILED) + counts.known > 0
            await assert_whole(app)

    simulate(story, replace(PATIENT, retry=RetryPolicy(attempts=2)))
