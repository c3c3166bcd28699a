"""What of products leaves the ledger? The fields of their records, in the forms that pages have."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from tenax.ops.dates import iso
from tenax.ops.export.export import ExportField, ExportTally, heading, line
from tenax.ops.export.formats import Format
from tenax.ports.products import ProductFilter, ProductRecord, Products
from tenax.ports.tables import Cells

_BATCH = 500


class Sold:
    """A product as it is exported."""

    def __init__(self, record: ProductRecord) -> None:
        self.record = record

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


class ProductExporter:
    """As `Exporter`, of products."""

    def __init__(self, products: Products, fields: Sequence[ExportField]) -> None:
        self._products = products
        self._fields = fields
        self.tally = ExportTally()

    async def lines(self, form: Format, job: str | None = None) -> AsyncIterator[bytes]:
        if top := heading(form, self._fields):
            yield top
        async for sold in self.stored(job):
            yield line(form, self._fields, sold)

    async def stored(self, job: str | None = None, after: int = 0) -> AsyncIterator[Sold]:
        wanted = ProductFilter(job=job)
        while batch := await self._products.find(wanted, after=after, limit=_BATCH):
            after = batch[-1].id
            for record in batch:
                self.tally.pages += 1
                yield Sold(record)
