"""DISC-1: how sitemaps and feeds are fetched: whole, by machines' means, and in nobody's way."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from tenax.discover.gathered import ListingPolicy
from tenax.fetch.cookies.jar import Jar
from tenax.fetch.fetch_policy import FetchPolicy
from tenax.fetch.fetcher import Fetcher, FetcherParts, FetchResult
from tenax.model import (
    Client,
    Copy,
    Failure,
    Fault,
    Forbidden,
    Habit,
    Listing,
    ListingEntry,
    Page,
    Request,
    RequestLimits,
    Response,
    Role,
    SiteRules,
    Step,
)
from tenax.outcome import Failed, Gone, Moved, Outcome, Throttled
from tenax.page.verdict.pattern_table import shipped
from tenax.testing import (
    START,
    SimulatedWeb,
    VirtualClock,
    failing,
    page,
    redirect,
    run_virtually,
    status,
    throttled,
)
from tenax.urls.sites import Sites

URL = "https://a.example/sitemap.xml"
SITEMAP = "<urlset><url><loc>/1</loc></url></urlset>"
LISTED = Listing(Role.SITEMAP, (ListingEntry("https://a.example/1"),))
WALL = "<html><title>Access denied</title><h1>Access denied</h1>You have been blocked.</html>"


class Web(SimulatedWeb):
    """Remembers what was asked of it, and how."""

    def __init__(self, name: str = "simulated") -> None:
        super().__init__()
        self.name = name
        self.sent: list[Request] = []
        self.most_under_way = 0

    async def send(self, request: Request) -> Response | Failure | Forbidden:
        self.sent.append(request)
        self.most_under_way = max(self.most_under_way, self.under_way + 1)
        return await super().send(request)


@dataclass
class Turns:
    habit: Habit = field(default_factory=Habit)
    delay: float = 0.0
    is_silenced: bool = False
    jar: Jar | None = None

    def enter(self, step: Step) -> None:
        pass

    async def take(self) -> Turns:
        return self

    def may_leave(self) -> bool:
        return True

    def sent(self, at: float, status: int | None = None, ms: float = 0.0) -> None:
        pass

    def over(self) -> None:
        pass


async def anywhere(url: str) -> Outcome | None:
    return None


@dataclass
class Stage:
    """A fetcher with a web for each client."""

    listings: ListingPolicy = field(default_factory=ListingPolicy)
    sites: tuple[SiteRules, ...] = ()
    web: Web = field(default_factory=Web)
    curl: Web = field(default_factory=lambda: Web("curl"))
    browser: Web = field(default_factory=lambda: Web("browser"))
    turns: Turns = field(default_factory=Turns)

    def fetcher(self) -> Fetcher:
        clients = {
            Client.HTTP: self.web,
            Client.CURL: self.curl,
            Client.BROWSER: self.browser,
        }
        parts = FetcherParts(clients, VirtualClock(), shipped())
        policy = FetchPolicy(user_agent="tenax")
        return Fetcher(parts, policy, sites=Sites(self.sites), listings=self.listings)

    def fetch(
        self, url: str = URL, role: Role = Role.SITEMAP, copy: Copy | None = None
    ) -> FetchResult:
        async def story() -> FetchResult:
            return await self.fetcher().fetch(url, self.turns, anywhere, copy, role)

        return run_virtually(story())


def xml(text: str = SITEMAP, **headers: str) -> Response:
    return status(200, text, **{"content-type": "application/xml", **headers})


@pytest.mark.parametrize("role", [Role.SITEMAP, Role.FEED])
def test_it_is_a_page_with_nothing_but_its_listing(role: Role) -> None:
    stage = Stage()
    stage.web.at(URL, xml(etag='"1"', x_robots_tag="noindex, nofollow"))
    fetched = stage.fetch(role=role)
    assert fetched.result == Page(
        URL, 200, "application/xml", None, START, etag='"1"', base=URL, listing=LISTED
    )
    assert fetched.attempt is not None
    assert fetched.attempt.outcome == "read"


def test_it_may_be_larger_and_slower_than_a_page_and_of_any_type() -> None:
    stage = Stage(ListingPolicy(limits=RequestLimits(total=77.0, body_bytes=123_456)))
    stage.web.at(URL, xml())
    stage.fetch()
    (asked,) = stage.web.sent
    assert asked.limits == RequestLimits(total=77.0, body_bytes=123_456)
    assert asked.any_type
    assert dict(asked.headers)["Accept"].startswith("application/xml,")


def test_pages_are_asked_for_as_before() -> None:
    stage = Stage()
    stage.web.at(URL, page("hello"))
    stage.fetch(role=Role.PAGE)
    (asked,) = stage.web.sent
    assert asked.limits == RequestLimits()
    assert not asked.any_type
    assert dict(asked.headers)["Accept"].startswith("text/html,")


def test_what_the_rules_of_a_site_accept_stays() -> None:
    stage = Stage(sites=(SiteRules("a.example", headers={"Accept": "x/y"}),))
    stage.web.at(URL, xml())
    stage.fetch()
    assert dict(stage.web.sent[0].headers)["Accept"] == "x/y"


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        (page("Sorry, there is nothing here"), "no sitemap or feed, but text/html"),
        (status(200, WALL, content_type="text/html"), "no sitemap or feed, but text/html"),
        (status(200, ""), "no sitemap or feed, and of no type"),
        (status(204), "no sitemap or feed, and of no type"),
    ],
)
def test_what_is_none_is_gone_and_never_garbage(answer: Response, detail: str) -> None:
    stage = Stage()
    stage.web.at(URL, answer)
    fetched = stage.fetch()
    assert fetched.result == Gone(answer.status, detail)
    assert fetched.attempt is not None
    assert (fetched.attempt.outcome, fetched.attempt.error) == ("gone", detail)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (status(404), Gone(404)),
        (status(403, WALL, content_type="text/html"), Failed(Fault.CLIENT_ERROR, "http 403", 403)),
        (status(500), Failed(Fault.SERVER_ERROR, "http 500", 500)),
        (throttled(60), Throttled(429, 60.0)),
        (failing(Fault.DNS), Failed(Fault.DNS, "simulated")),
        (failing(Fault.TOO_LARGE), Failed(Fault.TOO_LARGE, "simulated")),
        (redirect("https://b.example/s.xml", 301), Moved("https://b.example/s.xml", 301, True)),
    ],
)
def test_every_other_end_is_that_of_a_page(answer: Response | Failure, expected: Outcome) -> None:
    stage = Stage()
    stage.web.at(URL, answer)
    assert stage.fetch().result == expected
    assert stage.browser.sent == []


def test_a_redirect_at_the_host_is_followed_and_relative_urls_are_those_of_its_end() -> None:
    stage = Stage()
    stage.web.at(URL, redirect("/maps/1.xml"))
    stage.web.at("https://a.example/maps/1.xml", xml("<urlset><url><loc>x</loc></url></urlset>"))
    result = stage.fetch().result
    assert isinstance(result, Page)
    assert result.listing == Listing(Role.SITEMAP, (ListingEntry("https://a.example/maps/x"),))


def test_a_host_that_needs_a_browser_is_asked_without_and_still_needs_it_for_pages() -> None:
    habit = Habit(Client.BROWSER, wins=3, until=START + 1_000)
    stage = Stage(sites=(SiteRules("a.example", render="always"),), turns=Turns(habit))
    stage.web.at(URL, xml())
    assert isinstance(stage.fetch().result, Page)
    assert stage.browser.sent == []
    assert stage.turns.habit == habit


def test_what_a_server_does_not_give_to_one_client_another_may_get() -> None:
    stage = Stage()
    stage.web.at(URL, failing(Fault.RESET))
    stage.curl.at(URL, xml())
    fetched = stage.fetch()
    assert isinstance(fetched.result, Page)
    assert [attempt.outcome for attempt in fetched.earlier] == ["failed"]
    assert stage.turns.habit == Habit()


@pytest.mark.parametrize("most", [1, 3])
def test_no_more_of_them_are_under_way_than_memory_should_hold(most: int) -> None:
    stage = Stage(replace(ListingPolicy(), at_once=most))
    urls = [f"https://{n}.example/" for n in range(10)]
    for url in urls:
        stage.web.at(url, xml())

    async def story() -> None:
        fetcher = stage.fetcher()
        fetches = (fetcher.fetch(url, Turns(), anywhere, None, Role.SITEMAP) for url in urls)
        for fetched in await asyncio.gather(*fetches):
            assert isinstance(fetched.result, Page)

    run_virtually(story())
    assert stage.web.most_under_way == most


def test_one_that_fails_or_is_cut_off_leaves_its_place_to_others() -> None:
    stage = Stage(replace(ListingPolicy(), at_once=1))
    stage.web.at("https://b.example/", failing(Fault.DNS))
    stage.web.at(URL, xml())

    async def story() -> None:
        fetcher = stage.fetcher()
        await fetcher.fetch("https://b.example/", Turns(), anywhere, None, Role.SITEMAP)
        cut = asyncio.ensure_future(fetcher.fetch(URL, Turns(), anywhere, None, Role.SITEMAP))
        await asyncio.sleep(0.01)
        cut.cancel()
        await asyncio.wait([cut])
        fetched = await fetcher.fetch(URL, Turns(), anywhere, None, Role.SITEMAP)
        assert isinstance(fetched.result, Page)

    run_virtually(story())


def test_while_a_large_one_is_read_others_are_heard_and_small_ones_are_read() -> None:
    url = "<url><loc>https://a.example/{}</loc></url>"
    large = f"<urlset>{''.join(url.format(n) for n in range(30_000))}</urlset>"
    stage = Stage()
    # On a virtual clock no time passes while anybody is busy.
    stage.web.latency = 0.0
    stage.web.at(URL, xml(large))
    stage.web.at("https://b.example/", xml())
    heard: list[str] = []

    async def story() -> None:
        fetcher = stage.fetcher()

        async def fetch(url: str) -> None:
            fetched = await fetcher.fetch(url, Turns(), anywhere, None, Role.SITEMAP)
            assert isinstance(fetched.result, Page)
            heard.append(url)

        fetches = asyncio.gather(fetch(URL), fetch("https://b.example/"))
        while not fetches.done():
            heard.append("others")
            await asyncio.sleep(0)
        await fetches

    run_virtually(story())
    assert heard.count("others") > len(large) / 16_384
    assert heard.index("https://b.example/") < heard.index(URL)
