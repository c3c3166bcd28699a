"""`/api/products`: what is offered for sale, what it cost before, and what it looks like."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from fastapi.responses import Response, StreamingResponse
from msgspec import Struct

from tenax.api import cursors
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, Limit, ListPart, Name, checked_job, listed
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.ops.dates import iso_day
from tenax.ops.export.formats import Format
from tenax.ops.export.product_json import (
    ProductFacts,
    ProductPrices,
    product_facts,
    product_prices,
)
from tenax.ops.export.products import PRICE_FIELDS, PriceExporter
from tenax.ops.products.by_url import products_at
from tenax.ops.products.pictures import NoPicture, picture
from tenax.ops.products.wanted import ProductQuestion, UnclearQuestion, product_filter, since
from tenax.ports.accounts import ApiRole
from tenax.ports.products import ProductRecord, RateRecord

_LINES = "application/x-ndjson"
ProductUrl = Annotated[str | None, Query(max_length=8_192, description="Of its page.")]
Days = Annotated[int, Query(ge=1, le=366)]
Id = Annotated[int, Path(ge=1, le=2**63 - 1)]
Place = Annotated[int, Path(ge=0, le=1_000)]
Amount = Annotated[float | None, Query(ge=0, le=1e15)]
Rating = Annotated[float | None, Query(ge=0, le=5, description="Out of five.")]
When = Annotated[
    str | None, Query(max_length=40, description="A date (ISO 8601), or how long ago: 12h.")
]


class DayRate(Struct, frozen=True):
    """How a parser did on a site in one day."""

    site: str
    parser: str
    version: str
    day: str
    """ISO 8601, in UTC."""
    pages: int
    complete: int
    """Those of them whose product has everything a product must have."""


def add(doors: Doors, opened: Opened) -> None:
    products = _Products(opened)
    doors.get("/api/products", products.list, ApiRole.USER, problems=(404,))
    doors.get("/api/products/rates", products.rates, ApiRole.USER)
    doors.get(
        "/api/products/prices",
        products.all_prices,
        ApiRole.USER,
        streams=True,
        problems=(404,),
        media=(_LINES,),
    )
    doors.get("/api/products/{product_id}", products.get, ApiRole.USER, problems=(404,))
    doors.get("/api/products/{product_id}/prices", products.prices, ApiRole.USER, problems=(404,))
    doors.get(
        "/api/products/{product_id}/images/{position}",
        products.image,
        ApiRole.USER,
        problems=(404,),
        media=("image/*",),
    )


class _Products:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger
        self._products = opened.products
        self._overview = opened.overview

    async def list(
        self,
        job: Name = None,
        host: Name = None,
        brand: Name = None,
        category: Name = None,
        sku: Name = None,
        gtin: Name = None,
        mpn: Name = None,
        availability: Name = None,
        status: Name = None,
        min_price: Amount = None,
        max_price: Amount = None,
        currency: Name = None,
        min_rating: Rating = None,
        changed_since: When = None,
        q: Name = None,
        cheaper: bool = False,
        url: ProductUrl = None,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> ListPart[ProductFacts]:
        """Products that meet all of this, in the order in which they were found. `q` is looked for
        in name, brand, numbers, category and URL; `cheaper` are those that cost less than at
        first; `url` asks for what one page offers, in all jobs or in `job`, and goes with no other
        filter."""
        await checked_job(self._ledger, job)
        asked = ProductQuestion(
            job=job, host=host, brand=brand, category=category,
            sku=sku, gtin=gtin, mpn=mpn, availability=availability, status=status,
            min_price=min_price, max_price=max_price, currency=currency, min_rating=min_rating,
            changed_since=changed_since, text=q or "", cheaper=cheaper,
        )  # fmt: skip
        if url is not None:
            if asked != ProductQuestion(job=job):
                raise Problem(422, "url: it asks for what one page offers; only job goes with it.")
            jobs = [each for each in await self._ledger.jobs.all() if job in (None, each.name)]
            found = await products_at(url, jobs, self._ledger.pages, self._products)
            return listed(map(product_facts, found))
        try:
            wanted = product_filter(asked, self._ledger.clock.now())
        except UnclearQuestion as error:
            raise Problem(422, f"{error.field}: {error}") from error
        found, place = await self._overview.products(wanted, cursors.number(cursor), limit)
        return listed(map(product_facts, found), place)

    async def rates(self, days: Days = 7) -> ListPart[DayRate]:
        """How many pages of each site had a whole product, by parser and day."""
        today = int(self._ledger.clock.now() // 86_400)
        return listed(map(_day_rate, await self._products.rates(today - days + 1)))

    async def all_prices(self, job: Name = None, changed_since: When = None) -> StreamingResponse:
        """How products were offered over time, all of them, as JSON lines: as
        `tenax export --prices` has them. `changed_since` leaves out what came before."""
        name = await checked_job(self._ledger, job)
        try:
            begin = since(changed_since, self._ledger.clock.now())
        except UnclearQuestion as error:
            raise Problem(422, f"{error.field}: {error}") from error
        exporter = PriceExporter(self._products, PRICE_FIELDS, begin)
        return StreamingResponse(exporter.lines(Format.JSONL, name), media_type=_LINES)

    async def get(self, product_id: Id) -> ProductFacts:
        """Everything known of a product, and how sure it is."""
        return product_facts(await self._product(product_id))

    async def prices(self, product_id: Id) -> ProductPrices:
        """Every price a product had, and every availability, first to last."""
        return await product_prices(self._products, await self._product(product_id))

    async def image(self, product_id: Id, position: Place) -> Response:
        """The stored bytes of a picture that was downloaded."""
        found = await picture(await self._product(product_id), position, self._ledger.content)
        if isinstance(found, NoPicture):
            raise Problem(404, f"There is no such picture: {found.why}")
        # Whatever a server sent: nothing that is shown here is to run here.
        return Response(
            found.body,
            media_type=found.content_type,
            headers={"Content-Security-Policy": "sandbox; default-src 'none'"},
        )

    async def _product(self, product_id: int) -> ProductRecord:
        found = await self._products.get([product_id])
        if not found:
            raise Problem(404, "No product of this number is stored. GET /api/products lists them.")
        return found[0]


def _day_rate(rate: RateRecord) -> DayRate:
    return DayRate(
        rate.site, rate.parser, rate.version, iso_day(rate.day), rate.pages, rate.complete
    )
