"""Whole crawls of a shop: every product right, and of a second crawl only what changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tenax.adapters.sql.records.products import SqlProducts
from tenax.compose.crawler import Crawler
from tenax.compose.replay import make_replay
from tenax.demo import markup
from tenax.demo.catalogue import products, reviews
from tenax.demo.truth import TrueProduct as Truth
from tenax.library import Crawl
from tenax.model import ProductStatus, Request, Response
from tenax.ops.health.bodies import PICTURED, inspect
from tenax.ops.products.pictures import NoPicture, StoredPicture
from tenax.ops.products.pictures import picture as picture_of
from tenax.ports import ContentStore
from tenax.ports.products import PriceRecord, ProductFilter, ProductRecord
from tenax.ports.replayed import PageFilter
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, crawl, page, robots, simulate, status
from tests.simulate.sites import assert_polite, assert_whole

SHOP = "https://shop.example"
HOME = f"{SHOP}/"
USUAL = Settings(contact="mailto:test@example.org")


class Shop:
    """Products of the demo's shop on a simulated web; their prices can be changed."""

    def __init__(self, web: SimulatedWeb, most: int) -> None:
        self.goods = {each.url: each for each in products(SHOP)[:most]}
        web.at(HOME, page("shop", *self.goods))
        for url in self.goods:
            web.at(url, self._answer)

    def reprice(self, url: str, price: str) -> None:
        self.goods[url] = replace(self.goods[url], price=price, was=None)

    def _answer(self, request: Request) -> Response:
        good = self.goods[request.url]
        crumbs = [(HOME, "Home"), (f"{SHOP}/shop", good.category), (good.url, good.name)]
        html = (
            f'<!doctype html><html lang="{good.locale}"><head><title>{good.name}</title>'
            f"{markup.head(good, crumbs)}</head><body><main>{markup.body(good, reviews(good))}"
            '<p><a href="/cart?add=1">Put into basket</a></p></main></body></html>'
        )
        return status(200, html, **{"content-type": "text/html; charset=utf-8"})


async def stored(app: Crawler) -> dict[str, ProductRecord]:
    found = await SqlProducts(app.ledger.database).find(ProductFilter(), limit=1_000)
    return {record.product.url: record for record in found}


def told(truth: Truth) -> tuple[str, ...]:
    return (truth.name, truth.price, truth.currency, truth.availability, truth.brand, truth.sku,
            truth.gtin, truth.was or "")  # fmt: skip


def read(record: ProductRecord) -> tuple[str, ...]:
    found = record.product
    return (found.name, found.price, found.currency, found.availability, found.brand, found.sku,
            found.gtin, found.regular_price)  # fmt: skip


def test_a_crawl_of_a_shop_gives_every_product_right() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        shop = Shop(web, most=84)
        await crawl(app, HOME)
        found = {url: read(record) for url, record in (await stored(app)).items()}
        assert found == {url: told(truth) for url, truth in shop.goods.items()}

    simulate(story, USUAL)


def test_a_second_crawl_touches_what_changed_and_keeps_the_price_before() -> None:
    """PROD-3."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        shop = Shop(web, most=24)
        await crawl(app, HOME)
        before = await stored(app)
        changed = list(shop.goods)[3:24:7]
        for url in changed:
            shop.reprice(url, "7.50" if "." in shop.goods[url].price else "750")
        await app.parts.clock.sleep(86_400)
        await crawl(app, HOME, again=True)
        after = await stored(app)
        touched = {url for url in after if after[url].updated_at != before[url].updated_at}
        assert touched == set(changed)
        assert all(after[url].last_seen_at >= before[url].last_seen_at + 86_400 for url in after)
        for url in changed:
            was, now = before[url], after[url]
            assert (now.first_seen_at, now.product.price) == (
                was.first_seen_at, shop.goods[url].price,
            )  # fmt: skip
            assert now.updated_at >= was.updated_at + 86_400
            assert await SqlProducts(app.ledger.database).history(was.id) == [
                PriceRecord(was.updated_at, was.product.price, was.product.currency,
                            was.product.regular_price),
                PriceRecord(now.updated_at, now.product.price, now.product.currency, ""),
            ]  # fmt: skip

    simulate(story, USUAL)


def test_a_product_whose_page_is_gone_says_so_until_it_is_back() -> None:
    """PROD-3: by 404, by a page that offers nothing, by a host that fails."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        shop = Shop(web, most=4)
        gone, empty, away, there = shop.goods
        await crawl(app, HOME)
        web.at(gone, status(404))
        web.at(empty, page("Sold out for good. There is nothing here to buy any more.", HOME))
        web.at(away, status(403))
        await app.parts.clock.sleep(86_400)
        await crawl(app, HOME, again=True)
        found = await stored(app)
        assert {url: found[url].status for url in found} == {
            gone: ProductStatus.DELISTED, empty: ProductStatus.DELISTED,
            away: ProductStatus.UNKNOWN, there: ProductStatus.LISTED,
        }  # fmt: skip
        web.at(gone, shop._answer)
        await app.parts.clock.sleep(2 * 86_400)
        await crawl(app, HOME, again=True)
        back = (await stored(app))[gone]
        assert back.status is ProductStatus.LISTED
        stock = await app.ledger.products.stock(back.id)
        assert [each.status for each in stock] == ["listed", "delisted", "listed"]
        await assert_whole(app)

    simulate(story, USUAL)


def picture(width: int, shade: int) -> Response:
    """The head of a PNG of this size: nobody looks further."""
    head = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR" + width.to_bytes(4, "big") * 2
    found = status(200, **{"content-type": "image/png"})
    return replace(found, body=head + bytes([shade]) * 40)


CDN = "https://images.example"


class _Without:
    """A content store that has lost one body."""

    def __init__(self, inner: ContentStore, lost: bytes) -> None:
        self._inner, self._lost = inner, lost

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def get(self, digest: bytes) -> bytes | None:
        return None if digest == self._lost else await self._inner.get(digest)


def with_pictures(web: SimulatedWeb) -> None:
    """Two products at one host, their pictures at another; two of them are the same."""
    names = {"tray": ("a", "b"), "bowl": ("a", "c", "gone", "secret/d")}
    for name, pictures in names.items():
        urls = ", ".join(f'"{CDN}/{each}.png"' for each in pictures)
        html = (
            f'<!doctype html><title>{name}</title><script type="application/ld+json">'
            f'{{"@type":"Product","name":"{name}","image":[{urls}],'
            '"offers":{"price":"5.00","priceCurrency":"EUR"}}</script>'
            f"<main><h1>{name}</h1><p>Made by hand of walnut, to hold what a table has no room for,"
            " for as long as you like and longer than you think.</p></main>"
        )
        web.at(f"{SHOP}/{name}", status(200, html, **{"content-type": "text/html"}))
    web.at(HOME, page("shop", *(f"{SHOP}/{name}" for name in names)))
    web.at(f"{CDN}/robots.txt", robots("User-agent: *\nDisallow: /secret/\n"))
    web.at(f"{CDN}/a.png", picture(640, 1))
    web.at(f"{CDN}/b.png", picture(320, 2))
    web.at(f"{CDN}/c.png", picture(320, 2))
    web.at(f"{CDN}/gone.png", status(404))


def test_pictures_are_downloaded_by_the_rules_of_pages_and_kept_once() -> None:
    """PROD-4."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        with_pictures(web)
        counts = await crawl(app, HOME, images=True)
        asked = [each.url for each in web.requests if each.url.startswith(CDN)]
        assert sorted(asked) == [
            f"{CDN}/{name}" for name in ("a.png", "b.png", "c.png", "gone.png", "robots.txt")
        ]
        found = await stored(app)
        tray = found[f"{SHOP}/tray"].product.images
        bowl = found[f"{SHOP}/bowl"].product.images
        assert [(i.width, i.height, i.size) for i in tray] == [(640, 640, 64), (320, 320, 64)]
        assert [i.size for i in bowl] == [64, 64, None, None]
        # Two URLs, one content: one body.
        assert tray[1].digest == bowl[1].digest
        assert await app.ledger.content.get(bytes.fromhex(tray[1].digest)) == picture(320, 2).body
        # To be had by whoever asks for the product.
        shown = found[f"{SHOP}/tray"]
        assert await Crawl(app).picture(shown) == picture(640, 1).body
        had = await picture_of(shown, 0, app.ledger.content)
        assert isinstance(had, StoredPicture)
        assert had.content_type == "image/png"
        missing = await picture_of(found[f"{SHOP}/bowl"], 2, app.ledger.content)
        assert isinstance(missing, NoPicture)
        assert "images = true" in missing.why
        assert "tenax why" in missing.why
        pages, content = app.ledger.pages, app.ledger.content
        seen = await inspect(pages, content, products=app.ledger.products)
        assert (seen.checked, seen.findings) == (3 + 2, ())
        lost = _Without(content, bytes.fromhex(tray[1].digest))
        (finding,) = (await inspect(pages, lost, products=app.ledger.products)).findings
        assert (finding.promise, finding.count) == (PICTURED, 1)
        # No page of the site's, and nothing is guessed at the host of the pictures.
        assert counts.pages == 3
        assert_polite(web)
        await assert_whole(app)

    simulate(story, USUAL)


def test_pictures_are_not_fetched_again_with_the_pages() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        with_pictures(web)
        await crawl(app, HOME, images=True)
        before = len([each for each in web.requests if each.url.startswith(f"{CDN}/a")])
        await app.parts.clock.sleep(86_400)
        await crawl(app, HOME, images=True, again=True)
        assert len([each for each in web.requests if each.url.startswith(f"{CDN}/a")]) == before

    simulate(story, USUAL)


def test_without_being_asked_for_no_picture_is_fetched() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        with_pictures(web)
        await crawl(app, HOME)
        assert not [each for each in web.requests if each.url.startswith(CDN)]
        assert len((await stored(app))[f"{SHOP}/tray"].product.images) == 2

    simulate(story, USUAL)


def test_reading_stored_pages_again_finds_their_products() -> None:
    """LIFE-3."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        shop = Shop(web, most=6)
        await crawl(app, HOME, products=False)
        asked = len(web.requests)
        replay = await make_replay(app.ledger, PageFilter(), dry=False, links=False)
        first, second = await replay.stretch(0, 1_000), await replay.stretch(0, 1_000)
        assert (first.products, second.products) == (6, 0)
        found = {url: read(record) for url, record in (await stored(app)).items()}
        assert found == {url: told(truth) for url, truth in shop.goods.items()}
        assert len(web.requests) == asked

    simulate(story, USUAL)


def test_a_job_that_wants_no_products_reads_none() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        Shop(web, most=3)
        await crawl(app, HOME, products=False)
        assert await stored(app) == {}

    simulate(story, USUAL)


HOSTILE = (
    r'{"@type":"Product","name":"Lone \ud83d tail\u0000\u0007",'
    r'"sku":"A\ud800\u0000B","mpn":"\udc00",'
    r'"description":"d\udc00\u0000","brand":"b\u0000\ud800","category":"c\ud800",'
    r'"image":"https://shop.example/\ud800\u0000.jpg",'
    r'"offers":{"price":"5","priceCurrency":"USD","sku":"\ud800"},'
    r'"aggregateRating":{"ratingValue":"4","reviewCount":"99999999999999999999"}}'
)


def test_what_no_database_can_hold_costs_no_page() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        ld = f'<script type="application/ld+json">{HOSTILE}</script>'
        words = "<p>It is made of oak, and lasts as long as its owner does.</p>" * 10
        html = (
            f"<html><head><title>Thing</title>{ld}</head><body><h1>Thing</h1>{words}</body></html>"
        )
        web.at(HOME, status(200, html, **{"content-type": "text/html"}))
        await crawl(app, HOME)
        (record,) = (await stored(app)).values()
        assert record.product.name == "Lone \N{REPLACEMENT CHARACTER} tail"
        assert record.product.price == "5.00"
        assert record.product.reviews is None
        await assert_whole(app)

    simulate(story, USUAL)


def test_a_program_has_products_prices_and_files_of_them(tmp_path: Path) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        shop = Shop(web, most=3)
        await crawl(app, HOME)
        library = Crawl(app)
        found = [record async for record in library.products()]
        assert {record.product.url for record in found} == set(shop.goods)
        (price,) = await library.price_history(found[0])
        assert price.price == found[0].product.price
        file = tmp_path / "products.csv"
        assert await library.export(file, "csv", fields=["sku", "price"], products=True) == 3
        rows = [f"{record.product.sku},{record.product.price}" for record in found]
        assert file.read_text().split() == ["sku,price", *rows]
        with pytest.raises(ValueError, match="its name says csv, and --format says warc"):
            await library.export(file, "warc", products=True)

    simulate(story, USUAL)
