"""Which products are meant? What a person or a program asks for, as a filter of the ledger."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeVar

from msgspec import Struct

from tenax.model import ProductStatus, Stock
from tenax.ports.products import ProductFilter

W = TypeVar("W", bound=StrEnum)
_BEST = 5.0


class ProductQuestion(Struct, frozen=True):
    """Products asked for in words, as flags and parameters have them."""

    text: str = ""
    job: str | None = None
    host: str | None = None
    brand: str | None = None
    category: str | None = None
    sku: str | None = None
    mpn: str | None = None
    gtin: str | None = None
    availability: str | None = None
    status: str | None = None
    min_price: float | None = None
    max_price: float | None = None
    currency: str | None = None
    min_rating: float | None = None
    changed_since: str | None = None
    """A date, or how long ago: `2026-11-01`, `12h`."""
    cheaper: bool = False


class UnclearQuestion(ValueError):
    """A value that means nothing: of which field, and what to write."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(why)
        self.field = field


def product_filter(asked: ProductQuestion, now: float) -> ProductFilter:
    """Raises `UnclearQuestion`."""
    if asked.min_rating is not None and not 0 <= asked.min_rating <= _BEST:
        raise UnclearQuestion("min_rating", "ratings are out of five: use 0 to 5.")
    return ProductFilter(
        text=asked.text,
        job=asked.job,
        host=asked.host,
        brand=asked.brand,
        category=asked.category,
        sku=asked.sku,
        mpn=asked.mpn,
        gtin=asked.gtin,
        availability=_word("availability", asked.availability, Stock),
        status=_word("status", asked.status, ProductStatus),
        lowest=asked.min_price,
        highest=asked.max_price,
        currency=asked.currency,
        lowest_rating=asked.min_rating,
        changed_since=since(asked.changed_since, now),
        is_cheaper=asked.cheaper,
    )


def _word(field: str, text: str | None, words: type[W]) -> W | None:
    """The one a person means: in any spelling, as in "out of stock"."""
    if text is None:
        return None
    bare = "".join(text.lower().replace("-", " ").replace("_", " ").split())
    for word in words:
        if word and word.value.lower() == bare:
            return word
    known = ", ".join(word.value for word in words if word)
    raise UnclearQuestion(field, f"there are {known}.")


def since(text: str | None, now: float) -> float | None:
    """When that was: a date, or so long ago. Raises `UnclearQuestion`."""
    if text is None:
        return None
    from tenax.jobs.durations import DurationError, parse_duration  # most questions have none

    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        try:
            return now - parse_duration(text)
        except DurationError:
            raise UnclearQuestion(
                "changed_since",
                "use a date, as 2026-11-01 or 2026-11-01T08:00Z, or an age, as 12h.",
            ) from None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
