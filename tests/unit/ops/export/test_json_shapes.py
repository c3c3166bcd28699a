"""Do command and API say the same of the same thing, field by field?"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from tenax.model import JobState, Product, ProductStatus
from tenax.ops.export.export import DEFAULT, Stored, choose, line
from tenax.ops.export.formats import Format
from tenax.ops.export.page_json import PAGE_FIELDS, page_facts
from tenax.ops.export.product_json import product_facts
from tenax.ops.plain import plain
from tenax.ports.products import ProductRecord
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, crawl, open_test_app, page, run_virtually, start_job, status
from tests.asking import Asker, opened
from tests.cli import invoke

SHOP = "https://shop.example/"
_TRAY = """<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Product",
"name": "Tray", "sku": "tray-1", "aggregateRating": {"ratingValue": 4, "reviewCount": 0},
"offers": {"price": "24.99", "priceCurrency": "EUR"}}</script>"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shop with a product, something that failed, and a job that rests."""
    folder = tmp_path_factory.mktemp("shop")

    async def story() -> None:
        web = SimulatedWeb()
        web.at(SHOP, page("home", "/tray", "/broken"))
        web.at(f"{SHOP}tray", page(f"tray{_TRAY}"))
        web.at(f"{SHOP}broken", status(500))
        async with open_test_app(web, folder, Settings(contact="mailto:t@example.org")) as app:
            await crawl(app, SHOP, name="shop")
            job = await start_job(app, "https://rest.example/", name="rest")
            await app.parts.jobs.set_state(job.id, JobState.PAUSED)

    run_virtually(story())
    return folder


@pytest.fixture
async def asker(data: Path) -> AsyncIterator[Asker]:
    async with opened(data, Settings(data=str(data))) as made:
        asker = Asker(made)
        await asker.make_keys()
        yield asker
        for name in ("user", "admin"):
            await made.keys.revoke(name)


async def printed(data: Path, *words: str) -> list[dict[str, Any]]:
    command = [*words, "--json", "--data", str(data)]
    result = await asyncio.to_thread(invoke, command)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def by_url(found: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {each["url"]: each for each in found}


async def items(asker: Asker, path: str) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = (await asker.ask(path)).json["items"]
    return listed


async def test_pages_are_the_same_for_both_and_as_they_are_exported(
    asker: Asker, data: Path
) -> None:
    told = by_url(await items(asker, "/api/pages"))
    assert told == by_url(await printed(data, "pages"))
    assert len(told) == 2
    records = await asker.opened.ledger.pages.find()
    exported = [line(Format.JSONL, choose(DEFAULT), Stored(each, None)) for each in records]
    assert [orjson.dumps(plain(page_facts(each))) + b"\n" for each in records] == exported
    assert PAGE_FIELDS == DEFAULT
    one = (await asker.ask(f"/api/pages/{told[SHOP]['url_hash']}")).json
    assert one.pop("text").startswith("home")
    assert one.pop("headline") == "home"
    assert one == told[SHOP]


async def test_products_are_the_same_for_both(asker: Asker, data: Path) -> None:
    (told,) = await items(asker, "/api/products")
    assert [told] == await printed(data, "products")
    assert (told["price"], told["brand"], told["images"]) == ("24.99", None, [])
    history = (await asker.ask(f"/api/products/{told['id']}/prices")).json
    prices, points = history.pop("prices"), history.pop("history")
    assert history == told
    assert (await asker.ask(f"/api/products/{told['id']}")).json == told
    assert [{"url": told["url"], **each} for each in points] == await printed(
        data, "products", "--history", f"{SHOP}tray"
    )
    assert [each["price"] for each in points] == [each["price"] for each in prices] == ["24.99"]
    assert (points[0]["availability"], points[0]["status"]) == (told["availability"], "listed")
    assert prices[0]["regular_price"] is None


def a_record(product: Product) -> ProductRecord:
    return ProductRecord(1, ("shop",), product, ProductStatus.LISTED, 1.0, 2.0, 3.0, 3.0)


def test_what_is_nothing_is_known_and_what_is_empty_is_not() -> None:
    told = plain(product_facts(a_record(Product(SHOP, reviews=0, rating=0.0))))
    assert (told["reviews"], told["rating"], told["name"]) == (0, 0.0, None)
    assert told["updated_at"] == "1970-01-01T00:00:02.000Z"


async def test_jobs_are_the_same_for_both(asker: Asker, data: Path) -> None:
    listed = await items(asker, "/api/jobs")
    assert listed == await printed(data, "jobs")
    assert [each["job"] for each in listed] == ["shop", "rest"]
    (shown,) = await printed(data, "jobs", "show", "shop")
    assert (await asker.ask("/api/jobs/shop")).json == shown
    assert (await asker.ask("/api/jobs/shop/progress")).json == shown
    assert shown.keys() - listed[0].keys() == {"spec", "queues", "waiting"}


async def test_an_order_answers_the_same_to_both(asker: Asker, data: Path) -> None:
    (ordered,) = await printed(data, "jobs", "stop", "rest")
    assert ordered.pop("did") == "stopped"
    assert (await asker.ask("/api/jobs/rest/stop", "POST")).json == ordered
    assert ordered["state"] == "stopped"


async def test_dead_letters_are_returned_with_the_same_answer(asker: Asker, data: Path) -> None:
    (letter,) = await items(asker, "/api/dead-letters")
    assert [letter] == await printed(data, "dead")
    which = {"host": SHOP, "job": "shop", "fault": "server_error"}
    answer = await asker.ask("/api/dead-letters/return", "POST", body=which)
    assert answer.json == {"returned": 1, "jobs": {"shop": 1}, "not_found": []}
    again = await printed(data, "dead", "return", "--host", "shop.example", "--job", "shop")
    assert again == [{"returned": 0, "jobs": {}, "not_found": []}]


@pytest.mark.parametrize(
    ("body", "status"),
    [({"host": ""}, 200), ({"job": "nobody"}, 404), ({"all": False}, 422), ({"fault": "x"}, 422)],
)
async def test_what_names_no_letters_is_refused(
    asker: Asker, body: dict[str, Any], status: int
) -> None:
    assert (await asker.ask("/api/dead-letters/return", "POST", body=body)).status == status
