"""Sitemaps and feeds bring pages that no link names (DISC-1)."""

from __future__ import annotations

import gzip

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.policy import FeedPolicy
from tenax.discover.archives import SITEMAPS
from tenax.hosts.pace import PacePolicy
from tenax.model import Headers, Reason, Response, ScopeKind, State, UrlSource
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, crawl, page, robots, simulate, status

SETTINGS = Settings(contact="mailto:test@example.org", pace=PacePolicy(delay=0.0))
SITE = "https://a.example"
FRONT = f"{SITE}/"
BY_SITEMAP = (UrlSource.SITEMAPS,)
BY_FEED = (UrlSource.FEEDS,)


def xml(text: str) -> Response:
    return status(200, f'<?xml version="1.0"?>{text}', **{"content-type": "application/xml"})


def urlset(*urls: str) -> Response:
    entries = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return xml(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>')


def index(*urls: str) -> Response:
    entries = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return xml(
        f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</sitemapindex>'
    )


def packed(answer: Response) -> Response:
    """As a .gz file, which is not an encoding."""
    headers = Headers((("content-type", "application/octet-stream"),))
    return replace(answer, body=gzip.compress(answer.body or b""), headers=headers)


def pages(web: SimulatedWeb, count: int, folder: str = "p") -> list[str]:
    urls = [f"{SITE}/{folder}/{n}" for n in range(count)]
    for url in urls:
        web.at(url, page(url))
    return urls


def test_a_sitemap_that_robots_txt_names_is_read_and_what_it_lists_is_crawled() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{SITE}/robots.txt", robots(f"Sitemap: {SITE}/maps/all.xml.gz"))
        web.at(FRONT, page("front"))
        web.at(f"{SITE}/maps/all.xml.gz", packed(urlset(*pages(web, 25))))
        counts = await crawl(app, FRONT, discover=BY_SITEMAP)
        assert counts.pages == 26
        assert await app.ledger.auditor.audit() == []

    simulate(story, SETTINGS)


def test_the_sitemap_itself_is_no_page_and_its_story_tells_what_it_listed() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{SITE}/robots.txt", robots(f"Sitemap: {SITE}/map.xml"))
        web.at(FRONT, page("front"))
        web.at(f"{SITE}/map.xml", urlset(*pages(web, 3)))
        await crawl(app, FRONT, discover=BY_SITEMAP)
        found = await app.ledger.pages.find(limit=100)
        assert f"{SITE}/map.xml" not in {record.url for record in found}
        admission_url = f"{SITE}/map.xml"
        (record,) = await app.ledger.pages.targets(admission_url, "a.example")  # type: ignore[arg-type]
        assert (record.state, record.reason) == (State.DONE, "sitemap: 3 URLs")

    simulate(story, SETTINGS)


def test_without_a_word_in_robots_txt_the_usual_place_is_tried() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(FRONT, page("front"))
        web.at(f"{SITE}/sitemap.xml", urlset(*pages(web, 10)))
        counts = await crawl(app, FRONT, discover=BY_SITEMAP)
        assert counts.pages == 11

    simulate(story, SETTINGS)


@pytest.mark.parametrize("place", ["sitemap.xml", "sitemap_index.xml", "wp-sitemap.xml"])
def test_it_is_tried_although_robots_txt_names_another(place: str) -> None:
    """Many name that of their news, or of one language, and not the one of all pages."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{SITE}/robots.txt", robots(f"Sitemap: {SITE}/news.xml"))
        web.at(FRONT, page("front"))
        web.at(f"{SITE}/news.xml", urlset(*pages(web, 3)))
        web.at(f"{SITE}/{place}", urlset(*pages(web, 10, "all")))
        counts = await crawl(app, FRONT, discover=BY_SITEMAP)
        assert counts.pages == 14

    simulate(story, SETTINGS)


def test_where_robots_txt_names_a_usual_place_no_other_is_tried() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{SITE}/robots.txt", robots(f"Sitemap: {SITE}/sitemap_index.xml"))
        web.at(FRONT, page("front"))
        web.at(f"{SITE}/sitemap_index.xml", urlset(*pages(web, 3)))
        await crawl(app, FRONT, discover=BY_SITEMAP)
        assert f"{SITE}/sitemap.xml" not in web.urls()
        assert f"{SITE}/wp-sitemap.xml" not in web.urls()

    simulate(story, SETTINGS)


def test_a_page_in_its_place_costs_one_request_and_is_not_stored() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(FRONT, page("front"))
        web.at(f"{SITE}/sitemap.xml", page("Sorry, nothing here", "/elsewhere"))
        counts = await crawl(app, FRONT, discover=BY_SITEMAP)
        assert counts.pages == 1
        assert counts.of(State.GONE) == len(SITEMAPS)
        assert f"{SITE}/elsewhere" not in web.urls()

    simulate(story, SETTINGS)


def test_indexes_lead_to_sitemaps_three_deep_and_no_deeper() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{SITE}/robots.txt", robots(f"Sitemap: {SITE}/0.xml"))
        web.at(FRONT, page("front"))
        for depth in range(5):
            web.at(f"{SITE}/{depth}.xml", index(f"{SITE}/{depth + 1}.xml", f"{SITE}/m{depth}.xml"))
            web.at(f"{SITE}/m{depth}.xml", urlset(*pages(web, 2, f"d{depth}")))
        counts = await crawl(app, FRONT, discover=BY_SITEMAP)
        assert f"{SITE}/3.xml" in web.urls()
        assert f"{SITE}/4.xml" not in web.urls()
        assert counts.pages == 1 + 3 * 2
        assert counts.rejected[Reason.TOO_DEEP] == 2

    simulate(story, SETTINGS)


def test_a_sitemap_cannot_send_us_to_documents_of_other_sites() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{SITE}/robots.txt", robots(f"Sitemap: {SITE}/map.xml"))
        web.at(FRONT, page("front"))
        others = [f"https://victim{n}.example/sitemap.xml" for n in range(20)]
        web.at(f"{SITE}/map.xml", index(*others))
        counts = await crawl(app, FRONT, discover=BY_SITEMAP)
        assert not [asked for asked in web.urls(robots=True) if "victim" in asked]
        assert counts.rejected[Reason.OUT_OF_SCOPE] == 20

    simulate(story, SETTINGS)


def test_what_it_lists_out_of_scope_stays_out() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{SITE}/robots.txt", robots(f"Sitemap: {SITE}/map.xml"))
        web.at(f"{SITE}/docs/", page("front"))
        web.at(f"{SITE}/map.xml", urlset(*pages(web, 3, "docs"), *pages(web, 3, "other")))
        counts = await crawl(app, f"{SITE}/docs/", discover=BY_SITEMAP, scope=ScopeKind.PREFIX)
        assert counts.pages == 4

    simulate(story, SETTINGS)


def test_a_sitemap_of_thousands_is_added_in_pieces_and_all_of_it() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{SITE}/robots.txt", robots(f"Sitemap: {SITE}/map.xml"))
        web.at(FRONT, page("front"))
        web.at(f"{SITE}/map.xml", urlset(*(f"{SITE}/gone/{n}" for n in range(2_200))))
        counts = await crawl(app, FRONT, discover=BY_SITEMAP)
        assert counts.of(State.GONE) == 2_200 + len(SITEMAPS)

    simulate(story, SETTINGS)


def test_while_the_frontier_is_full_the_sitemap_waits_and_nothing_is_lost() -> None:
    """FR-8"""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{SITE}/robots.txt", robots(f"Sitemap: {SITE}/map.xml"))
        web.at(FRONT, page("front", *pages(web, 30, "linked")))
        web.at(f"{SITE}/map.xml", urlset(*pages(web, 40, "listed")))
        counts = await crawl(app, FRONT, discover=BY_SITEMAP)
        assert counts.pages == 71

    feed = FeedPolicy(frontier_limit=20, patience=600.0, patience_at_first=600.0)
    simulate(story, replace(SETTINGS, pace=PacePolicy(delay=1.0), feed=feed))


def test_feeds_that_a_page_names_are_read() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        html = (
            '<!doctype html><title>Front</title><link rel="alternate" type="application/rss+xml"'
            ' href="/feed.xml"><main><p>A front page with enough words on it to count as a page of'
            " its own, and not as a shell that waits for a script to fill it.</p></main>"
        )
        web.at(FRONT, status(200, html, **{"content-type": "text/html"}))
        items = "".join(f"<item><link>{url}</link></item>" for url in pages(web, 8))
        web.at(f"{SITE}/feed.xml", xml(f'<rss version="2.0"><channel>{items}</channel></rss>'))
        counts = await crawl(app, FRONT, discover=BY_FEED)
        assert counts.pages == 9

    simulate(story, SETTINGS)


def test_nothing_is_looked_for_by_a_job_that_does_not_want_it() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{SITE}/robots.txt", robots(f"Sitemap: {SITE}/map.xml"))
        web.at(FRONT, page("front"))
        web.at(f"{SITE}/map.xml", urlset(*pages(web, 3)))
        await crawl(app, FRONT, discover=())
        assert web.urls() == [FRONT]

    simulate(story, SETTINGS)


def test_sitemaps_are_looked_for_once_by_each_job() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{SITE}/robots.txt", robots(f"Sitemap: {SITE}/map.xml"))
        web.at(FRONT, page("front", *pages(web, 20, "linked")))
        web.at(f"{SITE}/map.xml", urlset(*pages(web, 3)))
        await crawl(app, FRONT, name="one", discover=BY_SITEMAP)
        await crawl(app, FRONT, name="two", discover=BY_SITEMAP)
        assert web.urls().count(f"{SITE}/map.xml") == 2

    simulate(story, SETTINGS)


def test_a_user_may_start_from_a_sitemap() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{SITE}/map.xml", urlset(*pages(web, 12)))
        counts = await crawl(app, sitemaps=(f"{SITE}/map.xml",))
        assert counts.pages == 12

    simulate(story, SETTINGS)
