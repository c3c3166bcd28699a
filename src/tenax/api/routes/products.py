"""`/api/products`: what is offered for sale, and what it cost before."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path

from tenax.api import cursors
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, Limit, Name, checked_job, listed
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.ops.export.product_json import price_json, product_json
from tenax.ports.api_keys import ApiRole
from tenax.ports.products import ProductFilter

Id = Annotated[int, Path(ge=1, le=2**63 - 1)]


def add(doors: Doors, opened: Opened) -> None:
    products = _Products(opened)
    doors.get("/api/products", products.list, ApiRole.USER)
    doors.get("/api/products/{target_id}/prices", products.prices, ApiRole.USER)


class _Products:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger
        self._products = opened.products

    async def list(
        self,
        job: Name = None,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """Products, in the order in which their pages were found. By price, brand, category or
        words: `GET /api/search`."""
        wanted = ProductFilter(job=await checked_job(self._ledger, job))
        found = await self._products.find(wanted, cursors.number(cursor), limit)
        place = found[-1].target_id if len(found) == limit else None
        return listed((product_json(record) for record in found), place)

    async def prices(self, target_id: Id) -> dict[str, Any]:
        """Every price a product had, first to last."""
        found = await self._products.get([target_id])
        if not found:
            raise Problem(404, "No product of this number is stored. GET /api/products lists them.")
        history = await self._products.history(target_id)
        return {**product_json(found[0]), "prices": [price_json(price) for price in history]}
