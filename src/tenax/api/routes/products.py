"""`/api/products`: what is offered for sale, what it cost before, and what it looks like."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query
from fastapi.responses import Response

from tenax.api import cursors
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, Limit, Name, checked_job, listed
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.ops.export.product_json import history_json, product_json
from tenax.ops.products.pictures import NoPicture, picture
from tenax.ops.products.wanted import ProductQuestion, UnclearQuestion, product_filter
from tenax.ports.accounts import ApiRole
from tenax.ports.products import ProductRecord

Id = Annotated[int, Path(ge=1, le=2**63 - 1)]
Place = Annotated[int, Path(ge=0, le=1_000)]
Amount = Annotated[float | None, Query(ge=0, le=1e15)]
Rating = Annotated[float | None, Query(ge=0, le=5, description="Out of five.")]
When = Annotated[
    str | None, Query(max_length=40, description="A date (ISO 8601), or how long ago: 12h.")
]


def add(doors: Doors, opened: Opened) -> None:
    products = _Products(opened)
    doors.get("/api/products", products.list, ApiRole.USER)
    doors.get("/api/products/{product_id}", products.get, ApiRole.USER)
    doors.get("/api/products/{product_id}/prices", products.prices, ApiRole.USER)
    doors.get("/api/products/{product_id}/images/{position}", products.image, ApiRole.USER)


class _Products:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger
        self._products = opened.products

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
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """Products that meet all of this, in the order in which they were found. By words:
        `GET /api/search`."""
        asked = ProductQuestion(
            job=await checked_job(self._ledger, job), host=host, brand=brand, category=category,
            sku=sku, gtin=gtin, mpn=mpn, availability=availability, status=status,
            min_price=min_price, max_price=max_price, currency=currency, min_rating=min_rating,
            changed_since=changed_since,
        )  # fmt: skip
        try:
            wanted = product_filter(asked, self._ledger.clock.now())
        except UnclearQuestion as error:
            raise Problem(422, f"{error.field}: {error}") from error
        found = await self._products.find(wanted, cursors.number(cursor), limit)
        place = found[-1].id if len(found) == limit else None
        return listed((product_json(record) for record in found), place)

    async def get(self, product_id: Id) -> dict[str, Any]:
        """Everything known of a product, and how sure it is."""
        return product_json(await self._product(product_id))

    async def prices(self, product_id: Id) -> dict[str, Any]:
        """Every price a product had, and every availability, first to last."""
        return await history_json(self._products, await self._product(product_id))

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
