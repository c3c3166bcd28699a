"""How are products, their prices and the rates of their parsers shown?"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

from tenax.cli.look.show_pages import chosen_jobs
from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_INFRASTRUCTURE,
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
from tenax.model import Job, ProductStatus
from tenax.ops.dates import iso_day
from tenax.ops.export.product_json import product_facts
from tenax.ops.products.wanted import ProductQuestion, UnclearQuestion, product_filter
from tenax.ops.why.lookup import as_asked, target_in
from tenax.ports.products import ProductFilter, ProductRecord, Products
from tenax.settings import Settings

if TYPE_CHECKING:
    from tenax.ops.health.parse_rates import SiteRate
    from tenax.ops.products.pictures import StoredPicture
    from tenax.ops.products.timeline import OfferPoint

_BATCH = 500


async def _each(
    products: Products, wanted: ProductFilter, limit: int
) -> AsyncIterator[ProductRecord]:
    """So many at most; some at a time, however many that is."""
    after = 0
    while limit > 0 and (batch := await products.find(wanted, after, min(limit, _BATCH))):
        for record in batch:
            yield record
        after, limit = batch[-1].id, limit - len(batch)


async def list_products(settings: Settings, asked: ProductQuestion, limit: int, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        try:
            wanted = product_filter(asked, ledger.clock.now())
        except UnclearQuestion as error:
            flag = f"--{error.field.replace('_', '-')}"
            return fail(f"{flag} {getattr(asked, error.field)!r}: {error}", EXIT_BAD_INPUT)
        if await chosen_jobs(ledger, wanted.job) is None:
            return EXIT_BAD_INPUT
        products = ledger.products
        if json:
            async for record in _each(products, wanted, limit):
                as_json(product_facts(record))
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
    from tenax.ops.products.timeline import timeline

    async with open_ledger(settings, create=False) as ledger:
        jobs = await chosen_jobs(ledger, job)
        if jobs is None:
            return EXIT_BAD_INPUT
        record = await _product_at(ledger, url, jobs)
        if record is None:
            return fail(f"{url}: no product stored. `tenax why URL` tells more.", EXIT_NOTHING)
        history = (await ledger.products.histories([record.id]))[record.id]
        points = timeline(history)
        if json:
            for point in points:
                as_json({"url": record.product.url, **plain(point)})
            return 0
        print(f"{printable(record.product.name)}\n{record.product.url}\n{_standing(record)}\n")
        earlier = [None, *points]
        rows = [_offered(point, earlier[n]) for n, point in enumerate(points)]
        columns = (
            TableColumn("since"), TableColumn("price", right=True),
            TableColumn("change", right=True), TableColumn("regular", right=True),
            TableColumn("availability"), TableColumn("status"),
        )  # fmt: skip
        print("\n".join(table(columns, rows, terminal_width())))
        return 0


async def save_picture(
    settings: Settings, url: str, job: str | None, number: int, output: Path | None
) -> int:
    from tenax.ops.products.pictures import NoPicture, picture

    async with open_ledger(settings, create=False) as ledger:
        jobs = await chosen_jobs(ledger, job)
        if jobs is None:
            return EXIT_BAD_INPUT
        record = await _product_at(ledger, url, jobs)
        if record is None:
            return fail(f"{url}: no product stored. `tenax why URL` tells more.", EXIT_NOTHING)
        found = await picture(record, number, ledger.content)
    if isinstance(found, NoPicture):
        return fail(f"{url}: no picture {number}: {found.why}", EXIT_NOTHING)
    return _put(found, output)


def _put(found: StoredPicture, output: Path | None) -> int:
    if output is None:
        sys.stdout.buffer.write(found.body)
        sys.stdout.buffer.flush()
        return 0
    try:
        output.write_bytes(found.body)
    except OSError as error:
        return fail(f"{output}: cannot be written ({error.strerror}).", EXIT_INFRASTRUCTURE)
    note(f"{output}: {len(found.body):,} bytes, {found.content_type}.")
    return 0


async def show_rates(settings: Settings, json: bool) -> int:
    from tenax.ops.health.parse_rates import by_site

    async with open_ledger(settings, create=False) as ledger:
        rates = by_site(await ledger.products.rates())
        if json:
            for rate in rates:
                as_json({**plain(rate), "last_day": iso_day(rate.last_day)})
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
    TableColumn("status"), TableColumn("brand", most=20), TableColumn("number", most=20),
    TableColumn("name", most=50, yields=True), TableColumn("URL", yields=True),
)  # fmt: skip


def _row(record: ProductRecord) -> tuple[str, ...]:
    product = record.product
    cells = (product.brand, product.sku or product.gtin, product.name)
    return (
        product.price or "-",
        product.currency,
        product.availability or "-",
        record.status.value,
        *(printable(cell) or "-" for cell in cells),
        product.url,
    )


async def _product_at(ledger: Ledger, url: str, jobs: list[Job]) -> ProductRecord | None:
    href = as_asked(url)
    if href is None:
        return None
    found = [await target_in(job, href, ledger.pages) for job in jobs]
    offered = await ledger.products.of_targets([record.id for record in found if record])
    return max(offered.values(), key=lambda record: record.updated_at, default=None)


def _standing(record: ProductRecord) -> str:
    """Whether it is still there, in words."""
    told = f"{record.status}, last seen {moment(record.last_seen_at)}"
    if record.status is ProductStatus.LISTED:
        return told
    return f"{told}, last known {moment(record.confirmed_at)}"


def _offered(point: OfferPoint, before: OfferPoint | None) -> tuple[str, ...]:
    change = ""
    if before is not None and before.currency == point.currency and before.price and point.price:
        share = (float(point.price) / float(before.price) - 1) * 100 if float(before.price) else 0
        change = f"{share:+.1f} %" if share else ""
    told = f"{point.price} {point.currency}".strip() or "-"
    stock = point.availability.value or "-"
    return moment(point.at), told, change, point.regular_price or "-", stock, point.status.value


def _rated(rate: SiteRate) -> tuple[str, ...]:
    return (
        rate.site, rate.parser, rate.version, f"{rate.pages:,}",
        _share(rate.complete, rate.pages), iso_day(rate.last_day),
        _share(rate.last_complete, rate.last_pages), "dropped" if rate.has_dropped else "",
    )  # fmt: skip


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"
