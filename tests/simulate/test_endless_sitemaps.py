"""Sitemaps without end come to one: within a budget per host that is told, and behind pages."""

from __future__ import annotations

from hashlib import sha256

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.discover.gathered import ListingPolicy
from tenax.hosts.pace import PacePolicy
from tenax.model import Reason, Request, Response, Role, UrlSource
from tenax.ports import ListingCount
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, crawl, page, robots, simulate
from tests.simulate.test_listings import index, urlset

BUDGET, AHEAD = 30, 5
SETTINGS = Settings(
    contact="mailto:test@example.org",
    pace=PacePolicy(delay=0.0),
    listing=ListingPolicy(budget=BUDGET, ahead=AHEAD),
)
SITE = "https://a.example"
PAGES = [f"{SITE}/p/{n}" for n in range(20)]


def endless(request: Request) -> Response:
    """Every sitemap names twenty more that nobody has seen."""
    name = request.url.removesuffix(".xml")
    return index(*(f"{name}-{n}.xml" for n in range(20)))


def site(web: SimulatedWeb) -> None:
    web.at(f"{SITE}/robots.txt", robots(f"Sitemap: {SITE}/s.xml\nSitemap: {SITE}/good.xml"))
    web.at(f"{SITE}/", page("front", *PAGES[:10]))
    web.at(f"{SITE}/good.xml", urlset(*PAGES[10:]))
    for url in PAGES:
        # Words of its own, or they would wait for each other.
        web.at(url, page(" ".join(sha256(f"{url}{n}".encode()).hexdigest() for n in range(20))))
    web.host("a.example", endless)


def test_they_end_by_a_budget_that_is_told_and_no_page_is_lost(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site(web)
        counts = await crawl(app, f"{SITE}/", discover=(UrlSource.SITEMAPS,))
        asked = [url for url in web.urls() if url.endswith(".xml")]
        assert len(asked) == BUDGET
        assert counts.pages == 21
        assert counts.rejected[Reason.LISTING_LIMIT] > 20
        assert await app.ledger.hosts.listings("a.example") == [
            ListingCount("test", Role.SITEMAP, BUDGET)
        ]
        named = [f"{url.removesuffix('.xml')}-{n}.xml" for url in asked for n in range(20)]
        url = next(url for url in named if url not in asked and url.count("-") == 2)
        ((_, reason, _),) = await app.ledger.pages.rejection(url)
        assert reason is Reason.LISTING_LIMIT
        assert await app.ledger.auditor.audit() == []

    simulate(story, SETTINGS)
    told = [record.message for record in caplog.records if "listing.budget" in record.message]
    assert len(told) == 1
    assert "a.example names more than 30 sitemaps" in told[0]


def test_past_the_first_few_they_wait_behind_pages() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site(web)
        await crawl(app, f"{SITE}/", discover=(UrlSource.SITEMAPS,))
        order = [url.endswith(".xml") for url in web.urls()]
        before_the_last_page = order[: len(order) - order[::-1].index(False)]
        assert sum(before_the_last_page) <= AHEAD

    simulate(story, replace(SETTINGS, pace=PacePolicy(delay=1.0)))


def test_feeds_have_a_budget_of_their_own() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        links = [f"{SITE}/p/{n}" for n in range(2 * BUDGET)]
        web.at(f"{SITE}/", page("front", *links))
        for url in links:
            answer = page(f"page {url}")
            feed = f'<link rel="alternate" type="application/rss+xml" href="{url}/feed">'
            web.at(url, replace(answer, body=(answer.body or b"") + feed.encode()))
        counts = await crawl(app, f"{SITE}/", discover=(UrlSource.FEEDS,))
        assert counts.pages == 2 * BUDGET + 1
        assert sum(url.endswith("/feed") for url in web.urls()) == BUDGET
        assert counts.rejected[Reason.LISTING_LIMIT] == BUDGET

    simulate(story, SETTINGS)
