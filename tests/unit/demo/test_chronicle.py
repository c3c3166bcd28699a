"""Is the deep archive as deep as it says, and is every way into it there that it offers?"""

from __future__ import annotations

import gzip
import re
from collections.abc import Sequence

import pytest

from tenax.demo import ChronicleSite, SiteRequest
from tests.unit.demo.reference import Reader, walk
from tests.unit.demo.test_truth import placed, status

VARIANTS = {
    "full": ChronicleSite(),
    "unlisted": ChronicleSite("unlisted", ways=("feed", "archives")),
    "blog": ChronicleSite("blog", ways=("pagination",)),
}
placed(*VARIANTS.values())
FULL, UNLISTED, BLOG = VARIANTS.values()


@pytest.mark.parametrize("name", VARIANTS)
def test_links_lead_to_exactly_the_pages_of_the_truth(name: str) -> None:
    site = VARIANTS[name]
    met, known = walk(site, site.truth()), site.truth()
    assert met.stored == known.pages
    assert met.files == known.files
    assert met.gone == {}


@pytest.mark.parametrize("name", VARIANTS)
def test_the_front_page_links_to_one_article_in_twenty(name: str) -> None:
    site = VARIANTS[name]
    articles = site.truth().articles
    assert len(articles) == 400
    assert len(set(links(site, "/")) & set(articles)) == 20


@pytest.mark.parametrize("name", VARIANTS)
def test_what_is_hidden_is_there_and_no_link_leads_to_it(name: str) -> None:
    site = VARIANTS[name]
    met, hidden = walk(site, site.truth()), site.truth().hidden
    urls = frozenset[str]().union(*hidden.values())
    assert not urls & met.requested
    assert {status(site, url) for url in urls} == {200}
    assert set(site.truth().articles) <= met.stored | urls, "every article has a way to it"


def test_the_sitemaps_name_three_fifths_and_the_feed_the_latest() -> None:
    index = locations(text(FULL, "/sitemap_index.xml"))
    assert f"Sitemap: {FULL.origin}/sitemap_index.xml" in text(FULL, "/robots.txt")
    listed = [url for child in index for url in locations(text(FULL, child))]
    assert len(listed) == len(set(listed)) == 240
    assert text(FULL, index[0]).count("<lastmod>") == len(locations(text(FULL, index[0])))
    fed = re.findall("<item>.*?<link>(.*?)</link>", text(FULL, "/feed.xml"))
    newest = sorted(FULL.truth().articles.values(), key=lambda each: each.published)[-30:]
    assert set(fed) == {each.url for each in newest}


@pytest.mark.parametrize("site", [FULL, UNLISTED])
def test_the_months_name_every_article_once(site: ChronicleSite) -> None:
    months = [f"/news/{n // 12}/{n % 12 + 1:02d}/" for n in range(2021 * 12 + 6, 2026 * 12 + 6)]
    named: list[str] = []
    articles = site.truth().articles
    for month in months:
        page: str | None = month
        while page is not None:
            found = links(site, page)
            named += [url for url in found if url in articles]
            page = next((url for url in found if "?page=" in url), None)
    assert sorted(named) == sorted(articles)


def test_a_month_ends_with_its_last_page() -> None:
    assert f"{UNLISTED.url}news/2024/03/?page=2" in links(UNLISTED, "/news/2024/03/")
    assert not [url for url in links(UNLISTED, "/news/2024/03/?page=2") if "?page=" in url]
    assert status(UNLISTED, f"{UNLISTED.origin}/news/2024/03/?page=9") == 404
    assert status(UNLISTED, f"{UNLISTED.origin}/news/2020/03/") == 404
    assert status(UNLISTED, f"{UNLISTED.origin}/news/2024/") == 404


def test_the_pages_of_the_blog_name_every_article_once_and_only_two_pages() -> None:
    pages = ["/", *(f"/page/{number}" for number in range(2, 21))]
    found = [url for page in pages for url in links(BLOG, page)]
    articles = BLOG.truth().articles
    assert sorted(url for url in found if url in articles) == sorted(articles)
    assert {url for url in found if "/page/" in url} == {f"{BLOG.url}page/2", f"{BLOG.url}page/3"}
    assert [status(BLOG, f"{BLOG.url}page/{n}") for n in (1, 21)] == [404, 404]


def test_a_blog_offers_nothing_else() -> None:
    for path in ("sitemap_index.xml", "sitemap-recent.xml", "feed.xml", "news/2024/03/"):
        assert status(BLOG, BLOG.url + path) == 404
    assert status(UNLISTED, UNLISTED.url + "sitemap_index.xml") == 404
    assert "Sitemap" not in text(UNLISTED, "/robots.txt")


def test_where_empty_pages_are_shown_they_name_nothing_new() -> None:
    site = ChronicleSite(ways=("archives", "pagination"), has_empty_pages=True)
    placed(site)
    front = set(links(site, "/"))
    for path in ("/news/2019/01/", "/news/2024/03/?page=9", "/page/21", "/page/1"):
        assert status(site, site.origin + path) == 200
        assert set(links(site, path)) <= front
    assert status(site, f"{site.url}news/2024/") == 404


def text(site: ChronicleSite, target: str) -> str:
    body = site.answer(SiteRequest("GET", target.removeprefix(site.origin), {})).body
    return (gzip.decompress(body) if target.endswith(".gz") else body).decode()


def locations(xml: str) -> list[str]:
    return re.findall("<loc>(.*?)</loc>", xml)


def links(site: ChronicleSite, target: str) -> Sequence[str]:
    """In the order of the page, whole."""
    reader = Reader()
    reader.feed(text(site, target))
    return [site.origin + link if link.startswith("/") else link for link in reader.links]
