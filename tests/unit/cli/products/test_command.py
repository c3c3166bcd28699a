"""Does `tenax products` show what shops sell, and end with the right code? (CLI-1)"""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from typer.testing import Result

from tenax.cli.terminal.say import EXIT_BAD_INPUT, EXIT_NOTHING
from tenax.compose import open_ledger
from tenax.compose.crawler import Crawler
from tenax.compose.exports import make_exporter, make_writer
from tenax.model import Request, Response
from tenax.ops.export.files import Export
from tenax.ops.export.formats import Format
from tenax.ops.export.products import PRICE_FIELDS, PRODUCT_FIELDS
from tenax.ops.health.parse_rates import by_site
from tenax.ports.products import RateRecord
from tenax.settings import load
from tenax.testing import (
    SimulatedWeb,
    crawl,
    open_test_app,
    page,
    run_virtually,
    status,
)
from tests.cli import invoke

SHOP = "https://shop.example/"
PRICES = {"tray": "24.99", "bowl": "80.00", "lamp": "120.00"}


def product(name: str, price: str) -> Response:
    stock = "OutOfStock" if name == "lamp" else "InStock"
    data = {
        "@type": "Product", "name": f"{name.title()} \x1b[2J", "sku": f"{name}-1",
        "brand": "Oak" if name != "lamp" else "Lumen", "mpn": f"M-{name}",
        **({"gtin13": "4006381333931", "aggregateRating": {"ratingValue": "4.5"}}
           if name == "tray" else {}),
        "offers": {"price": price, "priceCurrency": "EUR", "availability": stock},
    }  # fmt: skip
    html = (
        f'<!doctype html><title>{name}</title><script type="application/ld+json">{json.dumps(data)}'
        f"</script><main><h1>{name.title()}</h1><p>{price} €</p><p>Made of walnut, in Leeds,"
        " by hand, to hold what a table has no room for, for as long as you like.</p></main>"
    )
    return status(200, html, **{"content-type": "text/html; charset=utf-8"})


async def visit_twice(opened: Crawler, web: SimulatedWeb) -> None:
    prices = dict(PRICES)

    def answer(request: Request) -> Response:
        name = request.url.rpartition("/")[2]
        return product(name, prices[name])

    web.at(SHOP, page("shop", *(f"{SHOP}{name}" for name in PRICES)))
    for name in PRICES:
        web.at(f"{SHOP}{name}", answer)
    await crawl(opened, SHOP, name="shop")
    prices["bowl"] = "60.00"
    await opened.parts.clock.sleep(3_600)
    await crawl(opened, SHOP, name="shop", again=True)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crawl")

    async def work() -> None:
        web = SimulatedWeb()
        async with open_test_app(web, folder) as opened:
            await visit_twice(opened, web)

    run_virtually(work())
    return folder


def tenax(*words: str, data: Path) -> Result:
    return invoke(["products", *words, "--data", str(data)])


def objects(*words: str, data: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in tenax(*words, "--json", data=data).stdout.splitlines()]


def names(*words: str, data: Path) -> list[str]:
    return [found["sku"] for found in objects(*words, data=data)]


def test_products_are_listed_without_what_could_steer_a_terminal(ledger: Path) -> None:
    result = tenax(data=ledger)
    assert result.exit_code == 0
    assert "24.99  EUR  InStock" in result.stdout
    assert "\x1b" not in result.stdout
    assert "3 products." in result.stderr


def test_products_are_filtered(ledger: Path) -> None:
    assert names("bow", data=ledger) == ["bowl-1"]
    assert names("--brand", "oak", data=ledger) == ["tray-1", "bowl-1"]
    assert names("--availability", "out of stock", data=ledger) == ["lamp-1"]
    assert names("--min-price", "60", "--max-price", "100", data=ledger) == ["bowl-1"]
    assert names("--currency", "USD", data=ledger) == []
    assert names("--cheaper", data=ledger) == ["bowl-1"]
    assert names("--sku", "BOWL-1", data=ledger) == ["bowl-1"]
    assert names("--sku", "bowl", data=ledger) == []
    assert names("--gtin", "4006381333931", data=ledger) == ["tray-1"]
    assert names("--mpn", "m-tray", data=ledger) == ["tray-1"]
    assert names("--min-rating", "4", data=ledger) == ["tray-1"]
    assert names("--status", "listed", "--brand", "Lumen", data=ledger) == ["lamp-1"]
    assert names("--status", "delisted", data=ledger) == []
    assert names("--host", "shop.example", "--limit", "1", data=ledger) == ["tray-1"]


def test_an_object_has_everything_and_says_how_sure_it_is(ledger: Path) -> None:
    (tray,) = objects("tray", data=ledger)
    assert (tray["price"], tray["currency"], tray["availability"]) == ("24.99", "EUR", "InStock")
    assert tray["url"] == f"{SHOP}tray"
    assert tray["regular_price"] is None
    assert 0.9 < tray["confidences"]["price"] <= 1
    assert tray["updated_at"] == tray["first_seen_at"]


def test_the_history_of_a_price_is_told(ledger: Path) -> None:
    told = objects("--history", f"{SHOP}bowl", data=ledger)
    assert [price["price"] for price in told] == ["80.00", "60.00"]
    assert "-25.0 %" in tenax("--history", f"{SHOP}bowl", data=ledger).stdout


def test_a_url_without_a_product_has_no_history(ledger: Path) -> None:
    assert tenax("--history", SHOP, data=ledger).exit_code == EXIT_NOTHING


def test_rates_are_told_by_site(ledger: Path) -> None:
    (rate,) = objects("--rates", data=ledger)
    assert (rate["site"], rate["parser"], rate["pages"], rate["complete"]) == (
        "shop.example", "generic", 4, 4,
    )  # fmt: skip
    assert "100 %" in tenax("--rates", data=ledger).stdout


def test_what_cannot_be_meant_is_said(ledger: Path) -> None:
    assert tenax("--availability", "perhaps", data=ledger).exit_code == EXIT_BAD_INPUT
    assert tenax("--status", "lost", data=ledger).exit_code == EXIT_BAD_INPUT
    assert "a date" in tenax("--changed-since", "lately", data=ledger).stderr
    assert tenax("--number", "1", data=ledger).exit_code == EXIT_BAD_INPUT
    assert tenax("--history", SHOP, "--rates", data=ledger).exit_code == EXIT_BAD_INPUT


def test_what_changed_since_a_moment_is_found(ledger: Path) -> None:
    (bowl,) = objects("bowl", data=ledger)
    assert bowl["updated_at"] > bowl["first_seen_at"]
    assert names("--changed-since", bowl["updated_at"], data=ledger) == ["bowl-1"]
    assert names("--changed-since", "2020-01-01", data=ledger) == ["tray-1", "bowl-1", "lamp-1"]
    assert tenax("--job", "shoop", data=ledger).exit_code == EXIT_BAD_INPUT


def rate(day: int, pages: int, complete: int, version: str = "1") -> RateRecord:
    return RateRecord("a.example", "generic", version, day, pages, complete)


def test_a_site_that_was_read_well_and_is_not_any_more_has_dropped() -> None:
    assert [r.has_dropped for r in by_site([rate(1, 50, 50), rate(2, 50, 20)])] == [True]
    assert [r.has_dropped for r in by_site([rate(1, 50, 50), rate(2, 50, 45)])] == [False]
    assert [r.has_dropped for r in by_site([rate(1, 50, 50), rate(2, 5, 0)])] == [False]


def test_a_new_version_that_reads_less_is_a_drop_too() -> None:
    found = by_site([rate(1, 50, 50), rate(2, 50, 10, "2")])
    assert [(r.version, r.has_dropped) for r in found] == [("1", False), ("2", True)]


def export(*words: str, data: Path) -> Result:
    return invoke(["export", "--products", *words, "--data", str(data)])


def test_products_are_exported_with_all_that_is_known(ledger: Path) -> None:
    """STORE-5."""
    rows = [json.loads(line) for line in export(data=ledger).stdout.splitlines()]
    assert [(row["sku"], row["price"]) for row in rows] == [
        ("tray-1", "24.99"), ("bowl-1", "60.00"), ("lamp-1", "120.00"),
    ]  # fmt: skip
    assert list(rows[0]) == [field.name for field in PRODUCT_FIELDS]


def test_a_table_of_products_has_prices_to_reckon_with(ledger: Path, tmp_path: Path) -> None:
    file = tmp_path / "products.parquet"
    result = export("--format", "parquet", "-o", str(file), data=ledger)
    assert "Exported 3 products" in result.stderr
    table = pq.read_table(file)
    assert sum(table["price"].to_pylist()) == Decimal("204.99")
    assert table["regular_price"].to_pylist() == [None, None, None]


def test_products_go_to_spreadsheets_by_chosen_fields(ledger: Path) -> None:
    result = export("--format", "csv", "--fields", "sku,currency", data=ledger)
    assert result.stdout.split() == ["sku,currency", "tray-1,EUR", "bowl-1,EUR", "lamp-1,EUR"]


@pytest.mark.parametrize("flags", [["--format", "warc"], ["--text"], ["--fields", "simhash"]])
def test_what_products_have_not_is_refused(ledger: Path, flags: list[str]) -> None:
    assert export(*flags, data=ledger).exit_code == EXIT_BAD_INPUT


def test_any_number_of_products_can_be_listed(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenax.cli.products.work._BATCH", 2)
    assert names("--limit", "1000000", data=ledger) == ["tray-1", "bowl-1", "lamp-1"]
    assert names("--limit", "2", data=ledger) == ["tray-1", "bowl-1"]


def prices(*words: str, data: Path) -> Result:
    return invoke(["export", "--prices", *words, "--data", str(data)])


def test_all_histories_leave_in_one_stream(ledger: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in prices(data=ledger).stdout.splitlines()]
    assert [(row["sku"], row["price"], row["availability"]) for row in rows] == [
        ("tray-1", "24.99", "InStock"), ("bowl-1", "80.00", "InStock"),
        ("bowl-1", "60.00", "InStock"), ("lamp-1", "120.00", "OutOfStock"),
    ]  # fmt: skip
    assert list(rows[0]) == [field.name for field in PRICE_FIELDS]
    as_csv = prices("--format", "csv", "--fields", "sku,price", data=ledger).stdout.split()
    assert as_csv == ["sku,price", "tray-1,24.99", "bowl-1,80.00", "bowl-1,60.00", "lamp-1,120.00"]
    file = tmp_path / "prices.parquet"
    prices("--format", "parquet", "-o", str(file), data=ledger)
    assert sum(pq.read_table(file)["price"].to_pylist()) == Decimal("284.99")
    recent = prices("--changed-since", rows[2]["at"], "--fields", "price", data=ledger).stdout
    assert recent.split() == ['{"price":"60.00"}']
    assert prices("--products", data=ledger).exit_code == EXIT_BAD_INPUT


async def test_a_history_that_was_cut_off_goes_on_behind_a_whole_product(
    ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mark behind half of one would lose the rest of it, or write it twice."""
    monkeypatch.setattr("tenax.ops.export.files._MARKED_EVERY", 2)
    settings = load({"data": str(ledger)}).settings
    file = tmp_path / "prices.jsonl"
    async with open_ledger(settings, create=False) as opened:
        exporter, fields = make_exporter(opened, Format.JSONL, None, prices=True)
        first = Export(exporter, make_writer(opened, Format.JSONL, file, fields), file, "x",
                        lambda rows: first.stop() if rows == 2 else None)  # fmt: skip
        assert not await first.run(None, resume=False)
        assert exporter.tally.pages == 3, "the second price of the bowl, too"
        again, fields = make_exporter(opened, Format.JSONL, None, prices=True)
        rest = Export(again, make_writer(opened, Format.JSONL, file, fields), file, "x")
        assert await rest.run(None, resume=True)
    told = [json.loads(line)["price"] for line in file.read_text().splitlines()]
    assert told == ["24.99", "80.00", "60.00", "120.00"]


def test_the_bytes_of_a_picture_that_was_not_downloaded_cannot_be_had(ledger: Path) -> None:
    result = tenax("--picture", f"{SHOP}tray", data=ledger)
    assert result.exit_code == EXIT_NOTHING
    assert "0 pictures" in result.stderr
