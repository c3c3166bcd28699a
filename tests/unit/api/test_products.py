"""Are products told as they were found, with all that they cost? Of a shop crawled twice."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tenax.compose.api import open_api
from tenax.ports.accounts import ApiRole
from tenax.testing import SimulatedWeb, crawl, open_test_app, page, run_virtually
from tests.asking import Asker
from tests.unit.cli.products.test_command import SHOP, visit_twice

Story = Callable[[Asker], Awaitable[None]]


@pytest.fixture
def tell(tmp_path: Path) -> Callable[[Story], None]:
    """Runs a story on a ledger of three products, one of them cheaper than at first."""

    async def work(story: Story) -> None:
        web = SimulatedWeb()
        async with open_test_app(web, tmp_path) as app:
            await visit_twice(app, web)
            web.at("https://other.example/", page("nothing for sale here, only words"))
            await crawl(app, "https://other.example/", name="other")
            async with open_api(app.ledger, None, app) as made:
                asker = Asker(made)
                await asker.make_keys()
                await story(asker)

    return lambda story: run_virtually(work(story))


async def names(asker: Asker, query: str) -> list[str]:
    answer = await asker.ask(f"/api/products?{query}", role=ApiRole.USER)
    assert answer.status == 200, answer.body
    return [each["sku"] for each in answer.json["items"]]


def test_products_are_found_by_each_filter(tell: Callable[[Story], None]) -> None:
    async def story(asker: Asker) -> None:
        for query, found in (
            ("", ["tray-1", "bowl-1", "lamp-1"]),
            ("brand=oak", ["tray-1", "bowl-1"]),
            ("availability=out%20of%20stock", ["lamp-1"]),
            ("min_price=50&max_price=100", ["bowl-1"]),
            ("currency=USD", []),
            ("min_rating=4", ["tray-1"]),
            ("gtin=4006381333931", ["tray-1"]),
            ("mpn=M-lamp", ["lamp-1"]),
            ("q=LAMP", ["lamp-1"]),
            ("cheaper=true", ["bowl-1"]),
            ("changed_since=30m", ["bowl-1"]),
            ("job=other", []),
            ("host=shop.example&limit=2", ["tray-1", "bowl-1"]),
        ):
            assert sorted(await names(asker, query)) == sorted(found), query

    tell(story)


def test_a_page_tells_what_it_offers(tell: Callable[[Story], None]) -> None:
    async def story(asker: Asker) -> None:
        assert await names(asker, f"url={SHOP}bowl") == ["bowl-1"]
        assert await names(asker, f"url={SHOP}bowl&job=shop") == ["bowl-1"]
        assert await names(asker, f"url={SHOP}bowl&job=other") == [], "not seen there"
        assert await names(asker, f"url={SHOP}") == []
        both = await asker.ask(f"/api/products?url={SHOP}bowl&q=tray", role=ApiRole.USER)
        assert both.status == 422

    tell(story)


def test_every_price_is_told_of_one_and_of_all(tell: Callable[[Story], None]) -> None:
    async def story(asker: Asker) -> None:
        (bowl,) = (await asker.ask(f"/api/products?url={SHOP}bowl")).json["items"]
        whole = (await asker.ask(f"/api/products/{bowl['id']}/prices", role=ApiRole.USER)).json
        assert [each["price"] for each in whole["prices"]] == ["80.00", "60.00"]
        assert [each["price"] for each in whole["history"]] == ["80.00", "60.00"]
        lines = await told(asker, "")
        assert sorted(line["price"] for line in lines) == ["120.00", "24.99", "60.00", "80.00"]
        assert [line["price"] for line in lines if line["sku"] == "bowl-1"] == ["80.00", "60.00"]
        assert [line["price"] for line in await told(asker, "?changed_since=30m")] == ["60.00"]
        assert await told(asker, "?job=other") == []

    tell(story)


def test_rates_are_told_by_day(tell: Callable[[Story], None]) -> None:
    async def story(asker: Asker) -> None:
        (rate,) = (await asker.ask("/api/products/rates?days=2", role=ApiRole.USER)).json["items"]
        (bowl,) = (await asker.ask(f"/api/products?url={SHOP}bowl")).json["items"]
        assert (rate["site"], rate["pages"], rate["complete"]) == ("shop.example", 4, 4)
        assert rate["day"] == bowl["last_seen_at"][:10]

    tell(story)


async def told(asker: Asker, query: str) -> list[Any]:
    answer = await asker.ask(f"/api/products/prices{query}", role=ApiRole.USER)
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    return [json.loads(line) for line in answer.body.splitlines()]
