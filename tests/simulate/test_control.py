"""Does a crawl under way heed a person who pauses, resumes or resets a host? (FR-7, HOST-5)"""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.policy import FeedPolicy, LeasePolicy
from tenax.hosts.pace import PacePolicy
from tenax.model import Failure, Fault, Request, Response, State
from tenax.settings import Settings
from tenax.testing import (
    START,
    SimulatedWeb,
    crawl,
    failing,
    page,
    redirect,
    robots,
    simulate,
    status,
    throttled,
)
from tests.simulate.sites import assert_polite, assert_whole, small_site, state

PATIENT = Settings(
    contact="mailto:test@example.org",
    feed=FeedPolicy(patience=1e6, patience_at_first=1e6, poll_most=2.0, reclaim=60.0),
)
UNPACED = replace(PATIENT, pace=PacePolicy(delay=0.0))
HORIZON = LeasePolicy().horizon
HOME = "https://a.example/"


async def at(second: float) -> None:
    await asyncio.sleep(second - asyncio.get_running_loop().time())


def between(web: SimulatedWeb, host: str, begin: float, end: float) -> list[float]:
    return [when - START for when in web.asked(host) if begin <= when - START < end]


def test_a_pause_takes_effect_within_one_assignment_and_a_resume_goes_on() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 120)
        small_site(web, "b.example", 500)

        async def person() -> None:
            await at(30)
            await app.ledger.hosts.pause("a.example")
            await at(200)
            await app.ledger.hosts.resume("a.example")

        hand = asyncio.ensure_future(person())
        counts = await crawl(app, HOME, "https://b.example/")
        await hand
        assert counts.states == {State.DONE: 620}
        assert between(web, "a.example", 0, 30)
        assert between(web, "a.example", 30 + HORIZON + 2, 200) == []
        assert len(between(web, "a.example", 200, 400)) > 60
        assert len(between(web, "b.example", 50, 200)) >= 130, "others go on meanwhile"
        assert_polite(web)
        await assert_whole(app)

    simulate(story, PATIENT)


def test_a_pause_reaches_a_worker_that_would_be_refilled_for_ever() -> None:
    """A host without delay is one long assignment: its holder hears when it asks for more."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 900)
        small_site(web, "b.example", 50)
        web.at("https://b.example/", page("home", *(f"/{n}" for n in range(1, 50))))
        seen = []

        async def person() -> None:
            await at(2)
            seen.append(len(web.asked("a.example")))
            await app.ledger.hosts.pause("a.example")
            await at(4)
            seen.append(len(web.asked("a.example")))

        hand = asyncio.ensure_future(person())
        counts = await crawl(app, HOME, "https://b.example/")
        await hand
        before, after = seen
        assert 0 < before < 900
        in_hand = UNPACED.pace.slots_unpaced * 8
        assert after - before <= in_hand / 2, "what it has in hand is given back, not worked off"
        assert len(web.asked("a.example")) == after, "and nothing more comes"
        assert counts.of(State.PENDING) >= 900 - after
        assert await app.ledger.hosts.waiting(1) == [("a.example", float("inf"), "paused")]
        await app.ledger.hosts.resume("a.example")
        counts = await crawl(app, HOME, "https://b.example/")
        assert counts.states == {State.DONE: 950}
        await assert_whole(app)

    simulate(story, UNPACED)


def test_a_pause_in_the_middle_of_a_redirect_keeps_no_url_waiting_for_ever() -> None:
    """The hop meets a paused host; its URL has to be due again once that is resumed."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 400)
        for n in range(1, 400):
            web.at(f"{HOME}{n}", redirect(f"{HOME}to/{n}"))
            web.at(f"{HOME}to/{n}", page(f"page {n}"))

        async def person() -> None:
            await at(2.0)
            await app.ledger.hosts.pause("a.example")

        hand = asyncio.ensure_future(person())
        await crawl(app, HOME)
        await hand
        cut = [u for n in range(1, 400) if await state(app, u := f"{HOME}{n}") is State.PENDING]
        assert cut
        await app.ledger.hosts.resume("a.example")
        counts = await crawl(app, HOME)
        assert counts.of(State.PENDING) == 0

    simulate(story, UNPACED)


@pytest.mark.parametrize(
    "answer",
    [failing(Fault.CONNECT_REFUSED), status(403), status(400), throttled(retry_after=3_000)],
    ids=["breaker", "cooldown", "budget", "throttle"],
)
def test_a_reset_opens_a_host_at_once(answer: Failure | Response) -> None:
    """HOST-5: whatever closed it, and whatever its URLs were told to wait for."""
    repaired, back = 15.0, 20.0

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        urls = small_site(web, "a.example", 60)
        pages = {url: page(url) for url in urls[1:]}

        def script(request: Request) -> Failure | Response:
            now = asyncio.get_running_loop().time()
            if request.url.endswith("/robots.txt"):
                return status(404)
            if request.url == HOME and now < repaired:
                return page("home", *urls[1:])
            return pages.get(request.url, page("home")) if now > repaired else answer

        web._answers.clear()
        web.host("a.example", script)

        async def person() -> None:
            await at(back)
            assert await app.ledger.hosts.reset("a.example")

        hand = asyncio.ensure_future(person())
        counts = await crawl(app, HOME)
        await hand
        assert between(web, "a.example", repaired, back) == [], "it was closed"
        first, *_ = between(web, "a.example", back, 1e9)
        assert first < back + 4
        asked = next(request for request in web.requests if request.at - START >= back)
        assert asked.method == "GET", "no probe"
        assert counts.of(State.PENDING) == 0
        assert between(web, "a.example", back + 120, 1e9) == [], "all of it without another wait"
        assert_polite(web)
        await assert_whole(app)

    simulate(story, PATIENT)


def test_a_reset_has_a_robots_file_asked_for_again_by_a_crawl_under_way() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 5)
        web.at(f"{HOME}robots.txt", *[status(503)] * 3, robots("User-agent: *\nAllow: /"))

        async def person() -> None:
            await at(60)
            await app.ledger.hosts.reset("a.example")

        hand = asyncio.ensure_future(person())
        counts = await crawl(app, HOME)
        await hand
        assert counts.states == {State.DONE: 5}
        first, *_ = between(web, "a.example", 60, 1e9)
        assert first < 70

    simulate(story, PATIENT)
