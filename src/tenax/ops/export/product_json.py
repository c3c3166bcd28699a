"""How do a product and its prices read as JSON? What is not known is null, everywhere."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from tenax.ops.plain import plain
from tenax.ports.products import PriceRecord, ProductRecord


def product_json(record: ProductRecord) -> dict[str, Any]:
    """Everything known of it, and how sure it is."""
    return {
        **_known(record.product),
        "target_id": record.target_id,
        "job": record.job,
        **plain({"first_seen_at": record.first_seen_at, "updated_at": record.updated_at}),
    }


def price_json(price: PriceRecord) -> dict[str, Any]:
    """What it cost from a moment on."""
    return _known(price)


def _known(value: Struct) -> dict[str, Any]:
    """Texts are empty where nothing is known."""
    told: dict[str, Any] = plain(value)
    return {name: None if each == "" else each for name, each in told.items()}
