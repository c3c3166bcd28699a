"""What of products leaves the ledger? Their records, or all their histories in one stream, in the
forms that pages have."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from msgspec.structs import replace

from tenax.ops.dates import iso
from tenax.ops.export.export import ExportField, ExportTally, heading, line
from tenax.ops.export.formats import Format
from tenax.ops.products.timeline import OfferPoint, timeline
from tenax.ports.products import ProductFilter, ProductRecord, Products
from tenax.ports.tables import Cells

_BATCH = 500


class Sold:
    """A product as it is exported."""

    is_last = True

    def __init__(self, record: ProductRecord) -> None:
        self.record = record

    @property
    def id(self) -> int:
        return self.record.id


class OfferRow:
    """One moment of a product's history as it is exported."""

    def __init__(self, record: ProductRecord, point: OfferPoint, *, is_last: bool) -> None:
        self.record = record
        self.point = point
        self.is_last = is_last

    @property
    def id(self) -> int:
        return self.record.id


def _of_product(
    name: str, meaning: str, get: Callable[[Any], Any] | None = None, cells: Cells = Cells.TEXT
) -> ExportField:
    def ask(sold: Sold) -> Any:
        product = sold.record.product
        return getattr(product, name) if get is None else get(product)

    return ExportField(name, meaning, ask, cells=cells)


PRODUCT_FIELDS = (
    ExportField("id", "its number in the ledger", lambda sold: sold.record.id,
                cells=Cells.NUMBER),
    ExportField("job", "the job that found it", lambda sold: sold.record.job),
    ExportField("jobs", "all jobs that have seen it", lambda sold: list(sold.record.jobs),
                cells=Cells.TEXTS),
    _of_product("url", "the URL of its page"),
    _of_product("name", "what it is called"),
    _of_product("price", "what it costs, decimal text; a decimal in Parquet", cells=Cells.AMOUNT),
    _of_product("currency", "ISO 4217"),
    _of_product("regular_price", "what it cost before, as the page says", cells=Cells.AMOUNT),
    ExportField("status", "listed, delisted (gone, or nothing offered) or unknown",
                lambda sold: sold.record.status.value),
    _of_product("availability", "InStock, OutOfStock, …", lambda p: p.availability.value),
    _of_product("brand", "its brand"),
    _of_product("category", "its category"),
    _of_product("breadcrumbs", "the way to it", lambda p: list(p.breadcrumbs), Cells.TEXTS),
    _of_product("sku", "the shop's number"),
    _of_product("mpn", "the maker's number"),
    _of_product("gtin", "EAN, UPC or ISBN"),
    _of_product("rating", "out of five", cells=Cells.REAL),
    _of_product("reviews", "how many", cells=Cells.NUMBER),
    _of_product("description", "what the shop says about it"),
    _of_product("images", "the URLs of its pictures", lambda p: [i.url for i in p.images],
                Cells.TEXTS),
    _of_product("image_alts", "what is said of each of them", lambda p: [i.alt for i in p.images],
                Cells.TEXTS),
    _of_product("extra", "what else the site's own parser told",
                lambda p: [[name, value] for name, value in p.extra.items()], Cells.PAIRS),
    _of_product("confidence", "how sure it is that the page is about it, from 0 to 1",
                cells=Cells.REAL),
    _of_product("problems", "what is missing", lambda p: list(p.problems), Cells.TEXTS),
    _of_product("parser", "which parser read it"),
    _of_product("parser_version", "in which version"),
    ExportField("first_seen_at", "when it was first seen, UTC",
          lambda sold: iso(sold.record.first_seen_at), cells=Cells.MOMENT),
    ExportField("updated_at", "since when it is as it is, UTC",
          lambda sold: iso(sold.record.updated_at), cells=Cells.MOMENT),
    ExportField("last_seen_at", "when its page last offered it, UTC",
          lambda sold: iso(sold.record.last_seen_at), cells=Cells.MOMENT),
    ExportField("confirmed_at", "when a visit last told whether it is offered, UTC",
          lambda sold: iso(sold.record.confirmed_at), cells=Cells.MOMENT),
)  # fmt: skip


def _of_point(name: str, meaning: str, cells: Cells = Cells.TEXT) -> ExportField:
    return ExportField(name, meaning, lambda row: str(getattr(row.point, name)), cells=cells)


PRICE_FIELDS = (
    ExportField("product_id", "the product's number in the ledger", lambda row: row.id,
                cells=Cells.NUMBER),
    ExportField("url", "the URL of its page", lambda row: row.record.product.url),
    ExportField("name", "what it is called", lambda row: row.record.product.name),
    ExportField("sku", "the shop's number", lambda row: row.record.product.sku),
    ExportField("gtin", "EAN, UPC or ISBN", lambda row: row.record.product.gtin),
    ExportField("at", "from when on it was offered so, UTC", lambda row: iso(row.point.at),
                cells=Cells.MOMENT),
    _of_point("price", "what it cost then, decimal text; a decimal in Parquet", Cells.AMOUNT),
    _of_point("currency", "ISO 4217"),
    _of_point("regular_price", "what it cost before, as the page said", Cells.AMOUNT),
    _of_point("availability", "InStock, OutOfStock, …"),
    _of_point("status", "listed or delisted"),
)  # fmt: skip


class ProductExporter:
    """As `Exporter`, of products."""

    def __init__(
        self, products: Products, fields: Sequence[ExportField], changed_since: float | None = None
    ) -> None:
        self._products = products
        self._fields = fields
        self._wanted = ProductFilter(changed_since=changed_since)
        self.tally = ExportTally()

    async def lines(self, form: Format, job: str | None = None) -> AsyncIterator[bytes]:
        if top := heading(form, self._fields):
            yield top
        async for sold in self.stored(job):
            yield line(form, self._fields, sold)

    async def stored(self, job: str | None = None, after: int = 0) -> AsyncIterator[Sold]:
        async for batch in _batches(self._products, self._wanted, job, after):
            for record in batch:
                self.tally.pages += 1
                yield Sold(record)


class PriceExporter:
    """The same of their histories: every price and availability of every product."""

    def __init__(
        self, products: Products, fields: Sequence[ExportField], changed_since: float | None = None
    ) -> None:
        """`changed_since` leaves out what came before it."""
        self._products = products
        self._fields = fields
        self._since = changed_since or 0.0
        self._wanted = ProductFilter(changed_since=changed_since)
        self.tally = ExportTally()

    async def lines(self, form: Format, job: str | None = None) -> AsyncIterator[bytes]:
        if top := heading(form, self._fields):
            yield top
        async for row in self.stored(job):
            yield line(form, self._fields, row)

    async def stored(self, job: str | None = None, after: int = 0) -> AsyncIterator[OfferRow]:
        async for batch in _batches(self._products, self._wanted, job, after):
            histories = await self._products.histories([record.id for record in batch])
            for record in batch:
                points = [p for p in timeline(histories[record.id]) if p.at >= self._since]
                for place, point in enumerate(points, 1):
                    self.tally.pages += 1
                    yield OfferRow(record, point, is_last=place == len(points))


async def _batches(
    products: Products, wanted: ProductFilter, job: str | None, after: int
) -> AsyncIterator[list[ProductRecord]]:
    wanted = replace(wanted, job=job)
    while batch := await products.find(wanted, after=after, limit=_BATCH):
        yield batch
        after = batch[-1].id
