"""How was a product offered over time? Its prices and its availability, as one history. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from tenax.model import ProductStatus, Stock
from tenax.ports.products import PriceRecord, ProductHistory, StockRecord


class OfferPoint(Struct, frozen=True):
    """How a product is offered from this moment on."""

    at: float
    price: str = ""
    currency: str = ""
    regular_price: str = ""
    availability: Stock = Stock.UNKNOWN
    status: ProductStatus = ProductStatus.LISTED


def timeline(history: ProductHistory) -> list[OfferPoint]:
    """First to last; each says all of it, whichever part of it changed then."""
    points: list[OfferPoint] = []
    last = OfferPoint(0.0)
    for at, changes in _by_moment(history.prices, history.stock).items():
        last = replace(last, at=at)
        for change in changes:
            if isinstance(change, PriceRecord):
                last = replace(
                    last,
                    price=change.price,
                    currency=change.currency,
                    regular_price=change.regular_price,
                )
            else:
                last = replace(last, availability=change.availability, status=change.status)
        points.append(last)
    return points


def _by_moment(
    prices: Sequence[PriceRecord], stock: Sequence[StockRecord]
) -> dict[float, list[PriceRecord | StockRecord]]:
    moments: dict[float, list[PriceRecord | StockRecord]] = {}
    changes: list[PriceRecord | StockRecord] = [*prices, *stock]
    for change in sorted(changes, key=lambda each: each.at):
        moments.setdefault(change.at, []).append(change)
    return moments
