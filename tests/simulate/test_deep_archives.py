"""Is a deep archive found of which the front page links to one article in twenty? (DISC-1 … 3)

And at what price: a guess is wasted when nobody named its URL and it brought nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tenax.compose.crawler import Crawler
from tenax.demo import ChronicleSite
from tenax.demo import SiteRequest as Asked
from tenax.demo.chronicle import SITEMAPS
from tenax.model import Headers, Request, Response, Timing, UrlSource
from tenax.testing import SimulatedWeb, crawl, simulate
from tests.simulate.sites import assert_polite, assert_whole

ORIGIN = "https://chronicle.example"
BLOG = ("pagination",)
VARIANTS = {
    "sitemaps, feed and archives": ChronicleSite(),
    "no sitemap": ChronicleSite(ways=("feed", "archives")),
    "archives of empty months": ChronicleSite(ways=("archives",), has_empty_pages=True),
    "a blog": ChronicleSite(ways=BLOG),
    "a blog of empty pages": ChronicleSite(ways=BLOG, has_empty_pages=True),
}
DOCUMENTS = ("/sitemap_index.xml", *(f"/{name}" for name in SITEMAPS))


@dataclass(frozen=True)
class Found:
    articles: int
    found: int
    requests: int
    wasted: int
    """Requests for what is not there, or was asked for before."""

    @property
    def share(self) -> float:
        return self.found / self.articles

    @property
    def waste(self) -> float:
        return self.wasted / self.requests


def crawled(site: ChronicleSite, discover: tuple[UrlSource, ...]) -> Found:
    site.place({site.name: ORIGIN})

    async def story(web: SimulatedWeb, app: Crawler) -> Found:
        web.host("chronicle.example", lambda request: answer(site, request))
        await crawl(app, f"{ORIGIN}/", discover=discover)
        await assert_whole(app)
        assert_polite(web)
        stored = {record.url for record in await app.ledger.pages.find(limit=10_000)}
        asked, known = web.urls(), site.truth()
        there = {*known.pages, *known.files, *(site.origin + path for path in DOCUMENTS)}
        there = there.union(*known.hidden.values())
        articles = known.articles.keys()
        wasted = len(asked) - len(there & set(asked))
        return Found(len(articles), len(articles & stored), len(asked), wasted)

    return simulate(story)


def answer(site: ChronicleSite, request: Request) -> Response:
    reply = site.answer(Asked(request.method, request.url.removeprefix(ORIGIN), {}))
    headers = Headers((("content-type", reply.kind), *reply.headers))
    return Response(request.url, reply.status, headers, reply.body, Timing(1.0, 40.0, 50.0, 1_000))


@pytest.mark.parametrize("name", VARIANTS)
def test_nearly_all_of_it_is_found_and_hardly_a_request_is_wasted(name: str) -> None:
    result = crawled(VARIANTS[name], tuple(UrlSource))
    assert result.share >= 0.95, result
    assert result.waste < 0.05, result


def test_by_links_alone_hardly_anything_is_found_and_nothing_guessed() -> None:
    result = crawled(VARIANTS["sitemaps, feed and archives"], ())
    assert result.share == 0.05
    assert result.wasted == 0
