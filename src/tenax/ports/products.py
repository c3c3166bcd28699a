"""What do we ask of the ledger about products? Which there are, what they cost before, and how
well their sites can be read."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from tenax.model import OfferState, Product, ProductStatus, Stock


class ProductFilter(Struct, frozen=True):
    """Which products: those that meet everything named here. Whole values, whatever their case."""

    text: str = ""
    """In its name, brand, article number, category or URL."""
    job: str | None = None
    """Seen by this job; others may have seen it, too."""
    host: str | None = None
    brand: str | None = None
    category: str | None = None
    sku: str | None = None
    mpn: str | None = None
    gtin: str | None = None
    """With or without leading zeros: EAN-13 and GTIN-14 of one product are the same."""
    availability: Stock | None = None
    status: ProductStatus | None = None
    lowest: float | None = None
    highest: float | None = None
    currency: str | None = None
    lowest_rating: float | None = None
    changed_since: float | None = None
    is_cheaper: bool = False
    """It costs less than it did at first."""


TERMS = ("sku", "gtin", "mpn", "brand", "category", "availability", "currency")
"""What products are found by whole; the first of these tell them apart best."""


def folded(field: str, value: str) -> str:
    """What two values have in common that mean the same."""
    if field == "gtin":
        return "".join(filter(str.isdigit, value)).lstrip("0")
    return " ".join(value.casefold().split())


class ProductRecord(Struct, frozen=True):
    """A stored product, and since when it is as it is."""

    id: int
    jobs: tuple[str, ...]
    """Those that have seen it, the first one first."""
    product: Product
    status: ProductStatus
    first_seen_at: float
    updated_at: float
    last_seen_at: float
    """When its page last offered it."""
    confirmed_at: float
    """When a visit last told for sure whether it is offered."""

    @property
    def job(self) -> str:
        """The job that found it."""
        return self.jobs[0] if self.jobs else ""


class PriceRecord(Struct, frozen=True):
    """What a product costs from this moment on."""

    at: float
    price: str = ""
    currency: str = ""
    regular_price: str = ""


class StockRecord(Struct, frozen=True):
    """Whether a product can be had from this moment on."""

    at: float
    availability: Stock
    status: ProductStatus
    """Listed or delisted: what nobody knew is no history."""


class ProductHistory(Struct, frozen=True):
    """Every price a product had, and every availability, first to last."""

    prices: tuple[PriceRecord, ...] = ()
    stock: tuple[StockRecord, ...] = ()


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


class ProductFinding(StrEnum):
    """What a visit found where a product is, or was."""

    READ = "read"
    """A page: it offers a product, or none."""
    SAME = "same"
    """The page as it was read last."""
    GONE = "gone"
    """No page any more."""
    UNSURE = "unsure"
    """Nothing that tells: the host failed, refused, or sent something else."""


class Sighting(Struct, frozen=True):
    """What a visit said about the product of its page."""

    target_id: int
    at: float
    product: Product | None = None
    """Of a page that was read; None when it offers none."""
    finding: ProductFinding = ProductFinding.READ
    site: str = ""
    """Empty lets the ledger look it up."""


class ProductChange(Struct, frozen=True):
    """What a visit changed of what is watched of a product."""

    target_id: int
    product_id: int
    name: str
    sku: str
    gtin: str
    at: float
    old: OfferState
    new: OfferState


class Products(Protocol):
    async def find(
        self, wanted: ProductFilter, after: int = 0, limit: int = 100
    ) -> list[ProductRecord]:
        """In the order in which they were found; behind the product of this id."""

    async def get(self, ids: Sequence[int]) -> list[ProductRecord]: ...

    async def of_targets(self, target_ids: Sequence[int]) -> dict[int, ProductRecord]:
        """What the pages of these targets offered, by target."""

    async def count(self, wanted: ProductFilter) -> int: ...

    async def history(self, product_id: int) -> list[PriceRecord]:
        """Every price it had, first to last."""

    async def stock(self, product_id: int) -> list[StockRecord]:
        """Every availability it had, and when it was listed and delisted, first to last."""

    async def histories(self, ids: Sequence[int]) -> dict[int, ProductHistory]:
        """Both, of many products; all of them are in it."""

    async def rates(self, since_day: int = 0) -> list[RateRecord]:
        """By site, parser, version and day."""

    async def note(self, sightings: Sequence[Sighting]) -> int:
        """Note what pages say when they are read again; how many products changed by it."""
