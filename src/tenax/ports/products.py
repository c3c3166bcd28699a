"""What do we ask of the ledger about products? Which there are, what they cost before, and how
well their sites can be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from tenax.model import Product, Stock


class ProductFilter(Struct, frozen=True):
    """Which products: those that meet everything named here."""

    text: str = ""
    """In its name, brand, article number, category or URL."""
    job: str | None = None
    host: str | None = None
    brand: str | None = None
    category: str | None = None
    availability: Stock | None = None
    lowest: float | None = None
    highest: float | None = None
    currency: str | None = None
    changed_since: float | None = None
    is_cheaper: bool = False
    """It costs less than it did at first."""


class ProductRecord(Struct, frozen=True):
    """A stored product, and since when it is as it is."""

    target_id: int
    job: str
    product: Product
    first_seen_at: float
    updated_at: float


class PriceRecord(Struct, frozen=True):
    """What a product costs from this moment on."""

    at: float
    price: str
    currency: str
    regular_price: str = ""


class RateRecord(Struct, frozen=True):
    """How a parser did on a site in one day."""

    site: str
    parser: str
    version: str
    day: int
    """Days since the epoch."""
    pages: int
    complete: int
    """Those of them whose product has everything a product must have."""

    @property
    def rate(self) -> float:
        return self.complete / self.pages if self.pages else 0.0


class Sighting(Struct, frozen=True):
    """What a page said about its product just now."""

    target_id: int
    at: float
    product: Product | None
    """None when it offers none."""
    job_id: int = 0
    """0 lets the ledger look it up, and the site with it."""
    site: str = ""


class Products(Protocol):
    async def find(
        self, wanted: ProductFilter, after: int = 0, limit: int = 100
    ) -> list[ProductRecord]:
        """In the order in which their pages were found."""

    async def get(self, target_ids: Sequence[int]) -> list[ProductRecord]: ...

    async def count(self, wanted: ProductFilter) -> int: ...

    async def history(self, target_id: int) -> list[PriceRecord]:
        """Every price it had, first to last."""

    async def rates(self, since_day: int = 0) -> list[RateRecord]:
        """By site, parser, version and day."""

    async def note(self, sightings: Sequence[Sighting]) -> int:
        """Note what pages say when they are read again; how many products changed by it."""
