"""Which products does a page offer? By its URL, in every job that knows it."""

from __future__ import annotations

from collections.abc import Iterable

from tenax.model import Job
from tenax.ops.why.lookup import targets_of
from tenax.ports import Pages
from tenax.ports.products import ProductRecord, Products


async def products_at(
    text: str, jobs: Iterable[Job], pages: Pages, products: Products
) -> list[ProductRecord]:
    """One product that several jobs have seen there comes once."""
    targets = await targets_of(text, jobs, pages)
    offered = await products.of_targets([target.id for target in targets])
    return [*{record.id: record for record in offered.values()}.values()]
