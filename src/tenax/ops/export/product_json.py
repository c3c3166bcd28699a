"""How do a product and its prices read as JSON? What is not known is null, everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from tenax.ops.plain import plain
from tenax.ports.products import PriceRecord, ProductRecord, Products

if TYPE_CHECKING:
    from tenax.ops.products.timeline import OfferPoint


def product_json(record: ProductRecord) -> dict[str, Any]:
    """Everything known of it, and how sure it is."""
    return {
        **_known(record.product),
        "id": record.id,
        "job": record.job,
        "jobs": list(record.jobs),
        "status": record.status.value,
        **plain({
            "first_seen_at": record.first_seen_at,
            "updated_at": record.updated_at,
            "last_seen_at": record.last_seen_at,
            "confirmed_at": record.confirmed_at,
        }),
    }  # fmt: skip


async def history_json(products: Products, record: ProductRecord) -> dict[str, Any]:
    """The product, every price it had, and how it was offered over time."""
    from tenax.ops.products.timeline import timeline

    history = (await products.histories([record.id]))[record.id]
    return {
        **product_json(record),
        "prices": [price_json(price) for price in history.prices],
        "history": [point_json(point) for point in timeline(history)],
    }


def price_json(price: PriceRecord) -> dict[str, Any]:
    """What it cost from a moment on."""
    return _known(price)


def point_json(point: OfferPoint) -> dict[str, Any]:
    """How it was offered from a moment on."""
    return _known(point)


def _known(value: Struct) -> dict[str, Any]:
    """Texts are empty where nothing is known."""
    told: dict[str, Any] = plain(value)
    return {name: None if each == "" else each for name, each in told.items()}
