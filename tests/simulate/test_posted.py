"""How is a URL visited to which something is sent? Once, by all rules, and told apart (URL-3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.fetch.freshness import FreshnessPolicy
from tenax.model import Fault, Page, Post, Request, Response, Sends, SiteRules, State, Url
from tenax.page.handlers.crawled_page import CrawledPage
from tenax.ports import Letters, PageRecord
from tenax.settings import Settings
from tenax.testing import (
    Answer,
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

HOST = "a.example"
SEARCH = f"https://{HOST}/search"
SETTINGS = Settings(contact="mailto:test@example.org")
Asked = tuple[str, str, str]
"""Method, URL and what was sent."""


class Library:
    """A site with a search that is posted; it notes who asked for what."""

    def __init__(self, web: SimulatedWeb, host: str = HOST) -> None:
        self.asked: list[Asked] = []
        self.headers: list[dict[str, str]] = []
        self.answers: dict[str, Callable[[Request], Answer]] = {}
        self._host = host
        web.host(host, self)

    def __call__(self, request: Request) -> Answer:
        path = request.url.removeprefix(f"https://{self._host}")
        if path == "/robots.txt":
            return robots("User-agent: *\nDisallow: /closed\n")
        self.asked.append((request.method, path, request.body.decode()))
        self.headers.append({name.lower(): value for name, value in request.headers})
        if path in self.answers:
            return self.answers[path](request)
        if request.method == "POST":
            found = request.body.decode()
            return page(f"What was found for {found}", f"/book/{len(found)}", etag='"1"')
        return page(f"The page {path}")

    def posts(self) -> Counter[tuple[str, str]]:
        return Counter((path, sent) for method, path, sent in self.asked if method == "POST")


def post(*bodies: str, url: str = SEARCH) -> tuple[Post, ...]:
    return tuple(Post(url, body) for body in bodies)


async def stored(app: Crawler) -> dict[tuple[str, str], PageRecord]:
    return {(each.url, each.sent): each for each in await app.ledger.pages.find(limit=500)}


def test_each_thing_sent_is_a_page_and_is_sent_once() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site = Library(web)
        counts = await crawl(app, SEARCH, posts=post("q=tea", "q=coffee"))
        assert counts.states == {State.DONE: 5}
        assert sorted(site.asked) == [
            ("GET", "/book/5", ""), ("GET", "/book/8", ""), ("GET", "/search", ""),
            ("POST", "/search", "q=coffee"), ("POST", "/search", "q=tea"),
        ]  # fmt: skip
        pages = await stored(app)
        tea, plain = pages[SEARCH, "q=tea"], pages[SEARCH, ""]
        assert (tea.sends, tea.method) == (Sends("q=tea"), "POST")
        assert (plain.sends, plain.method) == (None, "GET")
        assert len({each.url_hash for each in pages.values()}) == 5
        sent = next(h for (m, _, _), h in zip(site.asked, site.headers, strict=True) if m == "POST")
        assert sent["content-type"] == "application/x-www-form-urlencoded"
        assert sent["origin"] == f"https://{HOST}"

    simulate(story, SETTINGS)


def test_robots_txt_holds_for_it() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site = Library(web)
        counts = await crawl(app, posts=post("q=tea", url=f"https://{HOST}/closed"))
        assert counts.states == {State.BLOCKED: 1}
        assert site.asked == []

    simulate(story, SETTINGS)


@pytest.mark.parametrize("fault", [Fault.READ_TIMEOUT, Fault.RESET, Fault.PROTOCOL])
def test_what_may_have_been_received_is_not_sent_again(fault: Fault) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site = Library(web)
        site.answers["/search"] = lambda _: failing(fault)
        counts = await crawl(app, posts=post("q=tea"))
        assert counts.states == {State.FAILED: 1}
        assert site.posts() == {("/search", "q=tea"): 1}
        (letter,) = await app.ledger.dead.find(Letters())
        assert (letter.fault, letter.attempts) == (fault, 1)

    simulate(story, SETTINGS)


@pytest.mark.parametrize("code", [500, 502, 503])
def test_a_failure_of_the_server_is_for_a_person_to_judge(code: int) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site = Library(web)
        site.answers["/search"] = lambda _: status(code)
        counts = await crawl(app, posts=post("q=tea"))
        assert counts.states == {State.FAILED: 1}
        assert site.posts() == {("/search", "q=tea"): 1}

    simulate(story, SETTINGS)


@pytest.mark.parametrize(
    "refusal", [failing(Fault.CONNECT_REFUSED), failing(Fault.TLS), throttled(5), throttled(5, 503)]
)
def test_what_had_not_left_or_was_not_looked_at_is_sent_again(refusal: Answer) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site, first = Library(web), [refusal]
        site.answers["/search"] = lambda _: first.pop() if first else page("found")
        counts = await crawl(app, posts=post("q=tea"))
        assert counts.states == {State.DONE: 1}
        assert [each for each in site.asked if each[0] == "POST"] == 2 * [
            ("POST", "/search", "q=tea")
        ]

    simulate(story, SETTINGS)


@pytest.mark.parametrize("code", [301, 302, 303])
def test_most_redirects_lead_to_what_came_of_it(code: int) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site = Library(web)
        site.answers["/search"] = lambda r: (
            redirect("/search", code) if r.method == "POST" else page("found")
        )
        assert (await crawl(app, posts=post("q=tea"))).states == {State.DONE: 1}
        assert site.asked == [("POST", "/search", "q=tea"), ("GET", "/search", "")]

    simulate(story, SETTINGS)


@pytest.mark.parametrize("code", [307, 308])
def test_some_redirects_take_along_what_was_sent(code: int) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site = Library(web)
        site.answers["/old"] = lambda _: redirect("/search", code)
        old = f"https://{HOST}/old"
        assert (await crawl(app, posts=post("q=tea", url=old), max_depth=0)).pages == 1
        assert site.asked == [("POST", "/old", "q=tea"), ("POST", "/search", "q=tea")]
        (record,) = (await stored(app)).values()
        assert (record.url, record.final_url, record.sent) == (old, SEARCH, "q=tea")

    simulate(story, SETTINGS)


@pytest.mark.parametrize(("code", "method", "sent"), [(303, "GET", ""), (307, "POST", "q=tea")])
def test_a_move_to_another_host_is_a_visit_of_its_own(code: int, method: str, sent: str) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        first, second = Library(web), Library(web, "b.example")
        first.answers["/search"] = lambda _: redirect("https://b.example/found", code)
        counts = await crawl(app, posts=post("q=tea"), scope="any", max_depth=0)
        assert counts.states == {State.DONE: 2}
        assert first.asked == [("POST", "/search", "q=tea")]
        assert second.asked == [(method, "/found", sent)]

    simulate(story, SETTINGS)


def test_no_copy_is_as_good_as_the_answer() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site = Library(web)
        await crawl(app, SEARCH, posts=post("q=tea"), max_depth=0)
        site.asked.clear()
        site.headers.clear()
        await crawl(app, SEARCH, posts=post("q=tea"), max_depth=0, again=True)
        assert site.asked == [("POST", "/search", "q=tea")], "the other one is fresh"
        assert "if-none-match" not in site.headers[0]
        known = await app.ledger.pages.posted(Url(SEARCH), HOST)
        assert [(each.state, each.cause) for each in known] == [(State.DONE, "same bytes")]

    simulate(
        story, Settings(contact="mailto:t@example.org", freshness=FreshnessPolicy(max_age=1e6))
    )


def test_no_browser_sends_it() -> None:
    shell = (
        "<!doctype html><html><body><div id=root></div><noscript>You need to enable JavaScript to"
        " run this app.</noscript><script src=/app.js></script></body></html>"
    )

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site = Library(web)
        site.answers["/search"] = lambda _: as_page(shell)
        counts = await crawl(app, posts=post("q=tea"))
        assert counts.states == {State.REJECTED: 1}, "waiting for a browser would be in vain"
        assert site.posts() == {("/search", "q=tea"): 1}

    always = (SiteRules(HOST, render="always"),)
    simulate(story, Settings(contact="mailto:test@example.org", sites=always))


def as_page(body: str) -> Response:
    return replace(page(), body=body.encode())


FOLLOWS = """
from tenax import Page, on

@on("*/search")
def results(page: Page):
    yield page.follow("/search", post="q=tea&page=2")
    yield page.follow("/search")
"""


def test_a_handler_follows_a_form(tmp_path: Path) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site = Library(web)
        await crawl(app, posts=post("q=tea"))
        assert site.posts() == {("/search", "q=tea"): 1, ("/search", "q=tea&page=2"): 1}
        assert ("GET", "/search", "") in site.asked

    (tmp_path / "follows.py").write_text(FOLLOWS)
    settings = Settings(contact="mailto:test@example.org", handlers=(str(tmp_path / "follows.py"),))
    simulate(story, settings)


def test_a_form_that_cannot_be_sent_is_an_error_of_the_handler() -> None:
    crawled = CrawledPage(Page(SEARCH, 200, "text/html", b"<p>hello</p>", 0.0))
    with pytest.raises(ValueError, match=r"content_type = .*: use 1 to 255"):
        crawled.follow("/search", post="q=tea", content_type="a\r\nb")
    with pytest.raises(ValueError, match="body = "):
        crawled.follow("/search", post="a\0b")


def test_no_link_of_a_page_sends_anything() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site = Library(web)
        form = '<form method=post action="/search"><input name=q value=x><button>Go</button></form>'
        site.answers["/"] = lambda _: as_page(
            f"<html><body><p>A page with a form in it.</p>{form}"
            "<a href='/search#POST q=x'>Search</a></body></html>"
        )
        await crawl(app, f"https://{HOST}/")
        assert site.posts() == {}

    simulate(story, SETTINGS)
