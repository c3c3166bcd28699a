"""Do the sites show what they promise? Content, markup, oddities and traps, page by page."""

from __future__ import annotations

import gzip
import json
import re
import time
from html import unescape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenax.demo import SITES, Reply, Site, SiteRequest, TreeSite, TrueProduct
from tenax.demo.catalogue import BY_TAG, display
from tenax.demo.wire import compose
from tests.unit.demo.reference import Reader
from tests.unit.demo.test_truth import placed

WEB = placed(*SITES, TreeSite(pages=500))
SHOP, NEWS, DOCS, TRAPS = (WEB.sites[name] for name in ("shop", "news", "docs", "traps"))
PRODUCTS = tuple(SHOP.truth().products.values())


def get(site: Site, target: str) -> Reply:
    return site.answer(SiteRequest("GET", target.removeprefix(site.origin), {}))


def text(site: Site, target: str) -> str:
    return unescape(get(site, target).body.decode())


def links(site: Site, target: str) -> list[str]:
    reader = Reader()
    reader.feed(get(site, target).body.decode())
    return reader.links


def of_kind(*markups: str) -> list[TrueProduct]:
    return [product for product in PRODUCTS if product.markup in markups]


def test_a_site_says_the_same_in_every_run() -> None:
    again = placed(*SITES, TreeSite(pages=500))
    for name, site in WEB.sites.items():
        if name != "flaky":
            pages = sorted(site.truth().pages)[:40]
            assert [get(site, url) for url in pages] == [
                get(again.sites[name], url) for url in pages
            ]


def test_no_two_pages_of_a_site_are_the_same_by_accident() -> None:
    for name in ("shop", "news", "docs", "tree", "slow"):
        site = WEB.sites[name]
        bodies = [get(site, url).body for url in site.truth().pages]
        assert len(set(bodies)) == len(bodies), name


PIECES = st.text(max_size=4) | st.sampled_from([
    "shop", "filter", "product", "calendar", "2026", "13", "00", "0", "-1", "deep", "a", "grow",
    "p", "page", "missing", "lobby", ";", "session", "old", "far", "found", "appendix", "data",
    ".json", "feed.xml", "item", "hour", "notes", "img", "²", "٣", "9" * 5000, "color", "é", "%ff",
])  # fmt: skip


@given(st.sampled_from(sorted(WEB.sites)), st.lists(PIECES, max_size=6), st.text(max_size=12))
def test_no_request_breaks_a_site(name: str, segments: list[str], query: str) -> None:
    """Whatever is asked, there is an answer that can be sent."""
    request = SiteRequest("GET", "/" + "/".join(segments) + "?" + query, {})
    head, _ = compose(request, WEB.sites[name].answer(request))
    assert head.startswith(b"HTTP/1.1 ")


def test_small_pages_are_made_at_three_thousand_a_second() -> None:
    tree = WEB.sites["tree"]
    started = time.process_time()
    for number in range(1, 500):
        request = SiteRequest("GET", f"/p/{number}", {})
        compose(request, tree.answer(request))
    assert (time.process_time() - started) / 499 < 1 / 3000


# The shop


def test_prices_are_written_as_each_place_writes_them() -> None:
    prices = {tag: display("129900.50", locale) for tag, locale in BY_TAG.items()}
    assert prices["en-US"] == "$129,900.50"
    assert prices["de-DE"] == "129.900,50 €"
    assert prices["en-IN"] == "₹1,29,900.50"
    assert prices["de-CH"] == "CHF 129'900.50"
    assert display("12800", BY_TAG["ja-JP"]) == "¥12,800"


@pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.sku)
def test_a_product_page_shows_its_product_to_people(product: TrueProduct) -> None:
    page = text(SHOP, product.url)
    locale = BY_TAG[product.locale]
    shown = [product.name, display(product.price, locale), product.sku, product.brand]
    shown += [display(product.was, locale)] if product.was else []
    assert [each for each in shown if each not in page] == []


@pytest.mark.parametrize("product", of_kind("json-ld", "json-ld-graph"), ids=lambda p: p.sku)
def test_json_ld_says_what_the_truth_says(product: TrueProduct) -> None:
    blocks = re.findall(r'ld\+json">(.*?)</script>', get(SHOP, product.url).body.decode(), re.S)
    nodes: list[dict[str, Any]] = []
    for block in map(json.loads, blocks):
        nodes += block.get("@graph", [block])
    said = next(node for node in nodes if node["@type"] == "Product")
    assert (said["name"], said["sku"], said["gtin13"]) == (product.name, product.sku, product.gtin)
    assert (said["offers"]["price"], said["offers"]["priceCurrency"]) == (
        product.price,
        product.currency,
    )
    assert said["offers"]["availability"].endswith(product.availability)


@pytest.mark.parametrize("kind", ["microdata", "rdfa", "open-graph"])
def test_other_markup_holds_the_exact_price(kind: str) -> None:
    for product in of_kind(kind):
        assert f'content="{product.price}"' in get(SHOP, product.url).body.decode()


def test_some_products_have_nothing_for_machines() -> None:
    for product in of_kind("text"):
        page = get(SHOP, product.url).body.decode()
        assert not re.search(r"itemprop|ld\+json|og:|typeof", page)


def test_article_numbers_are_valid_and_unique() -> None:
    for product in PRODUCTS:
        digits = [int(digit) for digit in product.gtin]
        assert (sum(digits[0::2]) + 3 * sum(digits[1::2])) % 10 == 0
    assert len({product.gtin for product in PRODUCTS}) == len(PRODUCTS)


def test_pictures_are_pictures() -> None:
    reply = get(SHOP, PRODUCTS[0].images[0])
    assert (reply.kind, reply.body[:4], reply.body[-8:-4]) == ("image/png", b"\x89PNG", b"IEND")


def test_facets_offer_more_wherever_one_stands() -> None:
    for start in ("/shop/filter?color=red", "/filter/color/red"):
        here, seen = start, set()
        for _ in range(8):
            seen.add(here)
            here = next(
                each for each in links(SHOP, here) if "/filter" in each and each not in seen
            )
        assert len(seen) == 8


def test_a_list_beyond_its_end_repeats_its_last_page() -> None:
    assert get(SHOP, "/shop/tents/?page=2") == get(SHOP, "/shop/tents/?page=700")


# The newspaper


def test_an_article_holds_its_text_and_date() -> None:
    for article in NEWS.truth().articles.values():
        page = text(NEWS, article.url)
        assert all(part in page for part in article.text.split("\n\n"))
        exact = article.dated_by in {"json-ld", "meta", "time"}
        assert (article.published in page) is exact


def test_the_hidden_archive_is_in_the_compressed_sitemap() -> None:
    index = text(NEWS, "/sitemap_index.xml")
    child = next(url for url in re.findall("<loc>(.*?)</loc>", index) if url.endswith(".gz"))
    listed = set(re.findall("<loc>(.*?)</loc>", gzip.decompress(get(NEWS, child).body).decode()))
    assert listed < NEWS.truth().hidden["sitemap"]
    assert len(NEWS.truth().hidden["sitemap"] - listed) == 1, "one is in the recent sitemap only"


def test_the_feed_knows_an_article_that_nothing_else_names() -> None:
    (url,) = NEWS.truth().hidden["feed"]
    assert url in text(NEWS, "/feed.xml")
    assert url not in text(NEWS, "/sitemap-recent.xml")


def test_near_duplicates_differ_by_a_word_or_two() -> None:
    articles = NEWS.truth().articles
    for left, right in NEWS.truth().similar:
        ours, theirs = articles[left].text.split(), articles[right].text.split()
        assert 1 <= sum(a != b for a, b in zip(ours, theirs, strict=True)) <= 2


# The manual


def test_an_oddly_encoded_page_reads_well_in_its_own_charset() -> None:
    for url, (charset, title) in DOCS.truth().charsets.items():
        assert f"<title>{title}</title>" in get(DOCS, url).body.decode(charset)


def test_the_wrong_header_is_provably_wrong() -> None:
    with pytest.raises(UnicodeDecodeError):
        get(DOCS, "/appendix/wrong-header").body.decode("utf-8")


def test_the_long_page_is_long_and_the_huge_one_beyond_any_limit() -> None:
    assert 1_000_000 < len(get(DOCS, "/appendix/long").body) < 10_000_000
    assert len(get(DOCS, "/appendix/everything").body) > 10_000_000


def test_the_pdf_finds_its_own_cross_references() -> None:
    body = get(DOCS, "/files/manual.pdf").body
    start = int(body.split(b"startxref\n")[1].split(b"\n")[0])
    assert body[start : start + 4] == b"xref"
    for number, row in enumerate(body[start:].split(b"\n")[3:8], 1):
        assert body[int(row[:10]) :].startswith(b"%d 0 obj" % number)


# Traps, walls, scripts


def test_the_calendar_ends_with_the_year_9999() -> None:
    assert "/calendar/9999/12" in links(TRAPS, "/calendar/9999/11")
    assert not any("10000" in link for link in links(TRAPS, "/calendar/9999/12"))
    assert get(TRAPS, "/calendar/10000/01").status == 404


def test_session_ids_change_with_every_page_and_the_words_do_not() -> None:
    first, second = "/session/2?sid=0001", "/session/2?sid=0002"
    rooms = [{each for each in links(TRAPS, url) if "sid" in each} for url in (first, second)]
    assert rooms[0].isdisjoint(rooms[1])
    assert re.sub(r"sid=\w+", "", text(TRAPS, first)) == re.sub(r"sid=\w+", "", text(TRAPS, second))


def test_the_order_of_a_query_does_not_change_the_page() -> None:
    assert get(TRAPS, "/mirror?c=3&a=1&b=2") == get(TRAPS, "/mirror?a=1&b=2&c=3")


def test_any_missing_path_is_a_soft_404() -> None:
    reply = get(TRAPS, "/missing/whatever/you/like")
    assert reply.status == 200
    assert b"not found" in reply.body


def test_a_shell_holds_neither_text_nor_links() -> None:
    site = WEB.sites["script"]
    for url, seen in site.truth().rendered.items():
        reader = Reader()
        reader.feed(get(site, url).body.decode())
        assert reader.links == []
        markup = re.sub("<script.*?</script>", "", get(site, url).body.decode(), flags=re.S)
        assert seen.text[:40] not in markup


def test_the_article_about_captchas_uses_the_words_of_the_walls() -> None:
    page = text(WEB.sites["wall"], "/articles/captchas").lower()
    words = ("captcha", "access denied", "checking your browser", "403 forbidden", "been blocked")
    assert [word for word in words if word not in page] == []
