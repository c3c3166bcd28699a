"""Whole crawls of a shop: every product right, and of a second crawl only what changed."""

from __future__ import annotations

from dataclasses import replace

from tenax.adapters.sql.products import SqlProducts
from tenax.compose import App
from tenax.demo import markup
from tenax.demo.catalogue import products, reviews
from tenax.demo.truth import Product as Truth
from tenax.model import Request, Response
from tenax.ports.products import PriceRecord, ProductRecord, Wanted
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, crawl, page, simulate, status

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


async def stored(app: App) -> dict[str, ProductRecord]:
    found = await SqlProducts(app.database).find(Wanted(), limit=1_000)
    return {record.product.url: record for record in found}


def told(truth: Truth) -> tuple[str, ...]:
    return (truth.name, truth.price, truth.currency, truth.availability, truth.brand, truth.sku,
            truth.gtin, truth.was or "")  # fmt: skip


def read(record: ProductRecord) -> tuple[str, ...]:
    found = record.product
    return (found.name, found.price, found.currency, found.availability, found.brand, found.sku,
            found.gtin, found.regular_price)  # fmt: skip


def test_a_crawl_of_a_shop_gives_every_product_right() -> None:
    async def story(web: SimulatedWeb, app: App) -> None:
        shop = Shop(web, most=84)
        await crawl(app, HOME)
        found = {url: read(record) for url, record in (await stored(app)).items()}
        assert found == {url: told(truth) for url, truth in shop.goods.items()}

    simulate(story, USUAL)


def test_a_second_crawl_touches_what_changed_and_keeps_the_price_before() -> None:
    """PROD-3."""

    async def story(web: SimulatedWeb, app: App) -> None:
        shop = Shop(web, most=24)
        await crawl(app, HOME)
        before = await stored(app)
        changed = list(shop.goods)[3:24:7]
        for url in changed:
            shop.reprice(url, "7.50" if "." in shop.goods[url].price else "750")
        await app.parts.clock.sleep(86_400)
        await crawl(app, HOME, again=True)
        after = await stored(app)
        assert {url for url in after if after[url] != before[url]} == set(changed)
        for url in changed:
            was, now = before[url], after[url]
            assert (now.first_seen_at, now.product.price) == (
                was.first_seen_at, shop.goods[url].price,
            )  # fmt: skip
            assert now.updated_at >= was.updated_at + 86_400
            assert await SqlProducts(app.database).history(was.target_id) == [
                PriceRecord(was.updated_at, was.product.price, was.product.currency,
                            was.product.regular_price),
                PriceRecord(now.updated_at, now.product.price, now.product.currency, ""),
            ]  # fmt: skip

    simulate(story, USUAL)


def test_a_job_that_wants_no_products_reads_none() -> None:
    async def story(web: SimulatedWeb, app: App) -> None:
        Shop(web, most=3)
        await crawl(app, HOME, products=False)
        assert await stored(app) == {}

    simulate(story, USUAL)
