"""How do a product and its prices read as JSON? What is not known is null, everywhere."""

from __future__ import annotations

from tenax.model import Product, ProductStatus
from tenax.ops.plain import extended
from tenax.ops.products.timeline import OfferPoint, timeline
from tenax.ports.products import PriceRecord, ProductRecord, Products


class ProductFacts(Product, frozen=True, kw_only=True):
    """Everything known of a product, and how sure it is."""

    id: int
    job: str
    """The one that found it."""
    jobs: tuple[str, ...]
    status: ProductStatus
    first_seen_at: float
    updated_at: float
    last_seen_at: float
    """When its page last offered it."""
    confirmed_at: float
    """When a visit last told for sure whether it is offered."""


class ProductPrices(ProductFacts, frozen=True, kw_only=True):
    """A product, every price it had, and how it was offered over time."""

    prices: tuple[PriceRecord, ...]
    history: list[OfferPoint]


def product_facts(record: ProductRecord) -> ProductFacts:
    return extended(
        ProductFacts,
        record.product,
        id=record.id,
        job=record.job,
        jobs=record.jobs,
        status=record.status,
        first_seen_at=record.first_seen_at,
        updated_at=record.updated_at,
        last_seen_at=record.last_seen_at,
        confirmed_at=record.confirmed_at,
    )


async def product_prices(products: Products, record: ProductRecord) -> ProductPrices:
    history = (await products.histories([record.id]))[record.id]
    known = product_facts(record)
    return extended(ProductPrices, known, prices=history.prices, history=timeline(history))
