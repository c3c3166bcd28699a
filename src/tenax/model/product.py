"""What is for sale on a page, and how sure are we of it?"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field


class Stock(StrEnum):
    """Whether a product can be had; the words of schema.org, those that mean the same as one."""

    UNKNOWN = ""
    IN_STOCK = "InStock"
    OUT_OF_STOCK = "OutOfStock"
    PRE_ORDER = "PreOrder"
    BACK_ORDER = "BackOrder"
    DISCONTINUED = "Discontinued"


class ProductStatus(StrEnum):
    """Whether a product is still offered where it was found (PROD-3)."""

    LISTED = "listed"
    DELISTED = "delisted"
    """Its page is gone, or offers nothing any more."""
    UNKNOWN = "unknown"
    """The last visit could not tell: the host failed, or turned us away."""


class OfferState(Struct, frozen=True):
    """What is watched of a product: what it costs, and whether it can be had."""

    price: str = ""
    currency: str = ""
    regular_price: str = ""
    availability: Stock = Stock.UNKNOWN
    status: ProductStatus = ProductStatus.LISTED
    """As it was last known for sure: listed or delisted."""


class ImageKind(StrEnum):
    PRIMARY = "primary"
    GALLERY = "gallery"
    THUMBNAIL = "thumbnail"


class Image(Struct, frozen=True):
    """A picture of a product, as its page shows it (PROD-4)."""

    url: str
    alt: str = ""
    kind: ImageKind = ImageKind.GALLERY
    position: int = 0
    """Its place among the product's pictures; 0 is the first."""
    width: int | None = None
    height: int | None = None
    """In pixels: as the page says, or as it is once it was downloaded."""
    size: int | None = None
    """Bytes; None when it was not downloaded."""
    digest: str = ""
    """SHA-256 of the downloaded bytes: their name in the content store."""


class Product(Struct, frozen=True):
    """One product as its page states it. Texts are empty, numbers None, where it says nothing."""

    url: str
    name: str = ""
    description: str = ""
    price: str = ""
    """Decimal text without grouping, as "1299.00"; of a range the lowest."""
    currency: str = ""
    """ISO 4217."""
    regular_price: str = ""
    """What it cost before, or costs elsewhere, where the page says so; always above the price."""
    availability: Stock = Stock.UNKNOWN
    brand: str = ""
    category: str = ""
    breadcrumbs: tuple[str, ...] = ()
    sku: str = ""
    mpn: str = ""
    gtin: str = ""
    rating: float | None = None
    """Out of five, whatever the page counts in."""
    reviews: int | None = None
    images: tuple[Image, ...] = ()
    confidence: float = 0.0
    """How sure it is that the page is about this one product."""
    confidences: dict[str, float] = field(default_factory=dict)
    """How sure each field is, by its name; fields that say nothing are not in it."""
    problems: tuple[str, ...] = ()
    """What a complete record would have and this one has not."""
    extra: dict[str, str] = field(default_factory=dict)
    """What else the site's own parser told, under names of its own."""
    parser: str = "generic"
    parser_version: str = ""

    @property
    def is_complete(self) -> bool:
        return not self.problems
