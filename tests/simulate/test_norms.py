"""Whole visits: what site owners wish beyond access is obeyed, kept and told (ROB-3 to ROB-6)."""

from __future__ import annotations

import hashlib

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.compose.why import books_of
from tenax.model import Headers, Reason, Response, State
from tenax.ops.export.export import Stored, choose
from tenax.ops.why.story import House, JobStory, tell
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, crawl, page, robots, simulate, status
from tenax.urls.addresses import AddressRules
from tests.simulate.sites import record, stored

HOME = "https://a.example/"
NEXT = "https://a.example/next"


def html(markup: str, *headers: tuple[str, str]) -> Response:
    pairs = (("content-type", "text/html; charset=utf-8"), *headers)
    return Response("", 200, Headers(pairs), f"<!doctype html>{markup}".encode())


def link(url: str = NEXT) -> str:
    return f'<a href="{url}">next</a>'


async def why(app: Crawler, url: str) -> JobStory:
    """What `tenax why` tells of this URL."""
    settings = app.ledger.settings
    house = House(settings.job, AddressRules(), settings.token, settings.robots)
    ledger = books_of(app.ledger)
    (told,) = (await tell(url, ledger, house, app.parts.clock.now())).jobs
    return told


# ROB-3: what a page asks of robots.


@pytest.mark.parametrize(
    "answer",
    [
        html(link(), ("X-Robots-Tag", "noindex")),
        html(link(), ("X-Robots-Tag", "noai"), ("x-robots-tag", "tenax: noindex")),
        html(link(), ("X-Robots-Tag", "googlebot: nofollow, tenax: noindex")),
        html("<meta name=robots content=noindex>" + link()),
        html("<META NAME='Tenax' CONTENT='NOINDEX'>" + link()),
        html("<meta name=robots content=all>" + link(), ("X-Robots-Tag", "noindex")),
        html(link(), ("X-Robots-Tag", "unavailable_after: 1 Jan 2020 00:00:00 GMT")),
    ],
)
def test_a_page_that_asks_not_to_be_kept_is_not_kept_and_its_links_are_followed(
    answer: Response,
) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, answer)
        web.at(NEXT, page("next"))
        await crawl(app, HOME)
        assert list(await stored(app)) == [NEXT]
        assert (await record(app, HOME)).reason == "noindex"
        assert "noindex" in (await why(app, HOME)).answer

    simulate(story)


@pytest.mark.parametrize(
    "answer",
    [
        html(link(), ("X-Robots-Tag", "nofollow")),
        html(link(), ("X-Robots-Tag", "tenax: nofollow")),
        html("<meta name=robots content='index, nofollow'>" + link()),
        html("<meta name=robots content=follow><meta name=tenax content=nofollow>" + link()),
        html(f'<a rel="nofollow" href="{NEXT}">x</a>'),
        html(f'<a rel="noopener UGC" href="{NEXT}">x</a>'),
        html(f'<a rel="sponsored" href="{NEXT}">x</a>'),
    ],
)
def test_links_not_to_be_followed_are_counted_and_not_asked_for(answer: Response) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, answer)
        counts = await crawl(app, HOME)
        assert web.urls() == [HOME]
        assert list(await stored(app)) == [HOME]
        assert counts.rejected == {Reason.NOFOLLOW: 1}

    simulate(story)


def test_none_means_neither_kept_nor_followed() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, html(link(), ("X-Robots-Tag", "none")))
        counts = await crawl(app, HOME)
        assert web.urls() == [HOME]
        assert counts.pages == 0
        assert counts.states == {State.DONE: 1}

    simulate(story)


@pytest.mark.parametrize(
    "answer",
    [
        html(link(), ("X-Robots-Tag", "googlebot: noindex, nofollow")),
        html("<meta name=googlebot content=none>" + link()),
        html(link(), ("X-Robots-Tag", "noarchive, noai, max-snippet:-1")),
        html(link(), ("X-Robots-Tag", "unavailable_after: 1 Jan 2090 00:00:00 GMT")),
    ],
)
def test_what_is_asked_of_others_or_about_use_changes_nothing_here(answer: Response) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, answer)
        web.at(NEXT, page("next"))
        await crawl(app, HOME)
        assert set(await stored(app)) == {HOME, NEXT}

    simulate(story)


def test_the_canonical_url_is_recorded_and_the_page_kept_under_its_own() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, html("<link rel=canonical href=/proper><p>hello, this is a page"))
        await crawl(app, HOME)
        assert (await stored(app))[HOME].canonical == "https://a.example/proper"

    simulate(story)


# ROB-4: rights kept with each page.

ROBOTS = """License: https://a.example/rsl.xml
User-agent: *
Content-Signal: search=yes, ai-train=no
Content-Usage: train-ai=n
Content-Usage: /free train-ai=y
Allow: /
"""
SAID = html(
    "<meta name=robots content='noimageai'><meta name=tdm-reservation content=1>"
    "<link rel=license href=/by-nc><p>A page with words of its own.",
    ("X-Robots-Tag", "noai"),
    ("X-Robots-Tag", "otherbot: noindex"),
    ("Content-Usage", "train-ai=n"),
    ("TDM-Reservation", "1"),
    ("TDM-Policy", "https://a.example/tdm.json"),
    ("Link", '</licence>; rel="license"; type="application/rsl+xml", </x.css>; rel=preload'),
)
KEPT = (
    ("header x-robots-tag", "noai"),
    ("header x-robots-tag", "otherbot: noindex"),
    ("header content-usage", "train-ai=n"),
    ("header tdm-reservation", "1"),
    ("header tdm-policy", "https://a.example/tdm.json"),
    ("header link rel=license", "https://a.example/licence"),
    ("meta robots", "noimageai"),
    ("meta tdm-reservation", "1"),
    ("link rel=license", "https://a.example/by-nc"),
    ("robots.txt sha256", hashlib.sha256(ROBOTS.encode()).hexdigest()),
    ("robots Content-Usage", "train-ai=n"),
    ("robots Content-Signal", "search=yes, ai-train=no"),
    ("robots License", "https://a.example/rsl.xml"),
)


def test_every_signal_about_use_is_kept_with_the_page_and_exported() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{HOME}robots.txt", robots(ROBOTS))
        web.at(HOME, SAID)
        await crawl(app, HOME)
        found = (await stored(app))[HOME]
        assert set(found.rights) == set(KEPT)
        (rights,) = choose(["rights"])
        assert rights.get(Stored(found, None)) == found.rights
        told = (await why(app, HOME)).page
        assert told is not None
        assert told.rights == found.rights

    simulate(story)


def test_a_page_keeps_what_robots_txt_says_about_its_own_path() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{HOME}robots.txt", robots(ROBOTS))
        web.at(HOME, page("home", "/free"))
        web.at(f"{HOME}free", page("free"))
        await crawl(app, HOME)
        found = await stored(app)
        assert ("robots Content-Usage", "train-ai=n") in found[HOME].rights
        assert ("robots Content-Usage", "train-ai=y") in found[f"{HOME}free"].rights

    simulate(story)


def test_the_robots_txt_of_the_moment_counts_not_a_later_one() -> None:
    """ROB-4: the hash is that of the file under which the page was fetched."""
    first, second = "User-agent: *\nAllow: /", "User-agent: *\nAllow: /\nDisallow: /secret"

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(
            f"{HOME}robots.txt",
            status(200, first, content_type="text/plain", cache_control="max-age=300"),
            robots(second),
        )
        web.at(HOME, page("home", NEXT))
        web.at(NEXT, page("next"))
        await crawl(app, HOME, max_pages=1)
        await app.parts.clock.sleep(301)
        await crawl(app, HOME)
        found = await stored(app)
        for url, text in ((HOME, first), (NEXT, second)):
            hashed = hashlib.sha256(text.encode()).hexdigest()
            assert ("robots.txt sha256", hashed) in found[url].rights

    simulate(story)


def test_rights_are_kept_although_robots_txt_ran_out_while_the_page_was_fetched() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.latency = 400.0
        web.at(
            f"{HOME}robots.txt",
            status(200, ROBOTS, content_type="text/plain", cache_control="max-age=300"),
        )
        web.at(HOME, page("home"))
        await crawl(app, HOME)
        assert ("robots Content-Usage", "train-ai=n") in (await stored(app))[HOME].rights

    simulate(story)


def test_a_site_without_robots_txt_leaves_no_hash() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("home"))
        await crawl(app, HOME)
        assert (await stored(app))[HOME].rights == ()

    simulate(story)


# ROB-5: 402.


def test_a_priced_page_is_asked_for_once_and_its_price_told() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(
            HOME,
            status(402, "pay", crawler_price="USD 0.01", payment_required="eyJ4IjoxfQ=="),
        )
        for _ in range(2):
            counts = await crawl(app, HOME)
        assert web.urls() == [HOME]
        assert counts.states == {State.BLOCKED: 1}
        told = await why(app, HOME)
        said = "priced: crawler-price: USD 0.01; payment-required: eyJ4IjoxfQ=="
        assert told.answer == f"blocked: {said}"
        assert [(a.outcome, a.status) for a in told.attempts] == [("priced", 402)]
        assert told.next.what.startswith("nothing")

    simulate(story)


def test_a_price_in_control_characters_cannot_reach_a_terminal() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, status(402, crawler_price="1\x1b]0;pwned\x07 EUR"))
        await crawl(app, HOME)
        assert (await record(app, HOME)).reason == "priced: crawler-price: 1 ]0;pwned EUR"

    simulate(story)


# ROB-6: who we are.


def test_every_request_tells_who_we_are_and_how_to_reach_us() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("home"))
        await crawl(app, HOME)
        agents = [dict(request.headers)["User-Agent"] for request in web.requests]
        assert len(agents) == 2
        assert all(each.startswith("tenax/") for each in agents)
        assert all(each.endswith(" (+https://example.org/bot)") for each in agents)

    simulate(story, replace(Settings(), contact="https://example.org/bot"))
