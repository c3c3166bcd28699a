"""How are products, their prices and the rates of their parsers shown?"""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import date, timedelta

from tenax.cli.look.show_pages import chosen_jobs
from tenax.cli.terminal import options
from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_NOTHING,
    as_json,
    fail,
    moment,
    note,
    plain,
    plural,
    printable,
)
from tenax.cli.terminal.table import TableColumn, table, terminal_width
from tenax.compose import Ledger, open_ledger
from tenax.model import Job, Stock
from tenax.ops.export.product_json import price_json, product_json
from tenax.ops.health.parse_rates import SiteRate, by_site
from tenax.ops.why.lookup import as_asked, target_in
from tenax.ports.products import PriceRecord, ProductFilter, ProductRecord, Products
from tenax.settings import Settings

_BATCH = 500


def stock_word(text: str | None) -> Stock | None:
    """The availability a person means: in any spelling, as in "out of stock"."""
    if text is None:
        return None
    bare = "".join(text.lower().replace("-", " ").replace("_", " ").split())
    for stock in Stock:
        if stock and stock.value.lower() == bare:
            return stock
    known = ", ".join(stock.value for stock in Stock if stock)
    raise options.bad_input(f"--availability {text!r}: there are {known}.")


async def _each(
    products: Products, wanted: ProductFilter, limit: int
) -> AsyncIterator[ProductRecord]:
    """So many at most; some at a time, however many that is."""
    after = 0
    while limit > 0 and (batch := await products.find(wanted, after, min(limit, _BATCH))):
        for record in batch:
            yield record
        after, limit = batch[-1].target_id, limit - len(batch)


async def list_products(settings: Settings, wanted: ProductFilter, limit: int, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        if await chosen_jobs(ledger, wanted.job) is None:
            return EXIT_BAD_INPUT
        products = ledger.products
        if json:
            async for record in _each(products, wanted, limit):
                as_json(product_json(record))
            return 0
        found = [record async for record in _each(products, wanted, limit)]
        if found:
            print("\n".join(table(_COLUMNS, [_row(r) for r in found], terminal_width())))
        total = await products.count(wanted)
        more = f"{len(found):,} of " if total > len(found) else ""
        end = "; --limit for more." if more else "."
        note(f"{more}{plural(total, 'product')}{end}" if total else "No products like that.")
        return 0


async def show_history(settings: Settings, url: str, job: str | None, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        jobs = await chosen_jobs(ledger, job)
        if jobs is None:
            return EXIT_BAD_INPUT
        record = await _product_at(ledger, url, jobs)
        if record is None:
            return fail(f"{url}: no product stored. `tenax why URL` tells more.", EXIT_NOTHING)
        history = await ledger.products.history(record.target_id)
        if json:
            for price in history:
                as_json({"url": record.product.url, **price_json(price)})
            return 0
        print(f"{printable(record.product.name)}\n{record.product.url}\n")
        earlier = [None, *history]
        rows = [_priced(price, earlier[n]) for n, price in enumerate(history)]
        columns = (
            TableColumn("since"), TableColumn("price", right=True),
            TableColumn("change", right=True), TableColumn("regular", right=True),
        )  # fmt: skip
        print("\n".join(table(columns, rows, terminal_width())))
        return 0


async def show_rates(settings: Settings, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        rates = by_site(await ledger.products.rates())
        if json:
            for rate in rates:
                as_json({**plain(rate), "last_day": _day(rate.last_day)})
            return 0
        columns = (
            TableColumn("site", yields=True), TableColumn("parser"), TableColumn("version"),
            TableColumn("pages", right=True), TableColumn("complete", right=True),
            TableColumn("last day"), TableColumn("complete then", right=True), TableColumn(""),
        )  # fmt: skip
        if rates:
            print("\n".join(table(columns, [_rated(r) for r in rates], terminal_width())))
        else:
            note("No product has been read yet.")
        return 0


_COLUMNS = (
    TableColumn("price", right=True), TableColumn(""), TableColumn("availability"),
    TableColumn("brand", most=20), TableColumn("number", most=20),
    TableColumn("name", most=50, yields=True), TableColumn("URL", yields=True),
)  # fmt: skip


def _row(record: ProductRecord) -> tuple[str, ...]:
    product = record.product
    cells = (product.brand, product.sku or product.gtin, product.name)
    return (
        product.price or "-",
        product.currency,
        product.availability or "-",
        *(printable(cell) or "-" for cell in cells),
        product.url,
    )


async def _product_at(ledger: Ledger, url: str, jobs: list[Job]) -> ProductRecord | None:
    href = as_asked(url)
    if href is None:
        return None
    found = [await target_in(job, href, ledger.pages) for job in jobs]
    records = await ledger.products.get([record.id for record in found if record])
    return max(records, key=lambda record: record.updated_at, default=None)


def _priced(price: PriceRecord, before: PriceRecord | None) -> tuple[str, ...]:
    change = ""
    if before is not None and before.currency == price.currency and before.price and price.price:
        share = (float(price.price) / float(before.price) - 1) * 100 if float(before.price) else 0
        change = f"{share:+.1f} %"
    told = f"{price.price} {price.currency}".strip() or "-"
    return moment(price.at), told, change, price.regular_price or "-"


def _rated(rate: SiteRate) -> tuple[str, ...]:
    return (
        rate.site, rate.parser, rate.version, f"{rate.pages:,}",
        _share(rate.complete, rate.pages), _day(rate.last_day),
        _share(rate.last_complete, rate.last_pages), "dropped" if rate.has_dropped else "",
    )  # fmt: skip


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def _day(day: int) -> str:
    return (date(1970, 1, 1) + timedelta(days=day)).isoformat()
