"""What does a visit mean for the product at its URL: listed, delisted, changed? Pure (PROD-3).

| the visit | the product |
|---|---|
| read a page that offers it | listed; seen and confirmed now |
| read a page that offers nothing | delisted |
| 304, or the same bytes | what the last reading said, confirmed now |
| 404, 410, a "not found" in disguise | delisted |
| anything else that ends a visit | unknown, until a visit tells |

Several jobs may visit one URL, and stored bodies are read again: what is older than the newest
reading changes nothing.
"""

from __future__ import annotations

from hashlib import sha256

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tenax.model import OfferState, OutcomeWord, Product, ProductStatus, Role
from tenax.outcome import End, Settlement
from tenax.ports.products import ProductFinding, Sighting

_PAGES = (Role.PAGE, Role.POSTED)
_SOFT_404 = "soft_404"
_SAID = (
    "name", "description", "price", "currency", "regular_price", "availability", "brand",
    "category", "breadcrumbs", "sku", "mpn", "gtin", "rating", "reviews",
)  # fmt: skip
_SILENT = frozenset({OutcomeWord.READ, OutcomeWord.DUPLICATE})
"""Read, and no page of the site's: a sitemap, or a page that asks not to be kept."""


class ProductLife(Struct, frozen=True):
    """What is known of a product over time."""

    offer: OfferState
    digest: bytes
    """Of all that it is; another one is another product."""
    is_sure: bool
    """Whether the last visit told if it is listed."""
    is_offered: bool
    """What the last reading of its page said."""
    first_seen_at: float
    updated_at: float
    offer_at: float
    """Since when the offer is what it is."""
    read_at: float
    last_seen_at: float
    confirmed_at: float

    @property
    def status(self) -> ProductStatus:
        return self.offer.status if self.is_sure else ProductStatus.UNKNOWN

    @property
    def is_listed(self) -> bool:
        return self.offer.status is ProductStatus.LISTED


def sighting(settled: Settlement, now: float, *, wants_products: bool) -> Sighting | None:
    """What a visit tells of the product at its URL, if there is one; None when nothing.

    Of a page whose products nobody wanted to know nobody knows what it offers.
    """
    if not isinstance(settled.next, End) or settled.role not in _PAGES:
        return None
    site = settled.host.name if settled.host else ""
    if settled.page is not None:
        page = settled.page
        if not wants_products:
            return None
        return Sighting(settled.target_id, page.fetched_at, page.product, site=site)
    finding = _finding(settled)
    if finding is None:
        return None
    at = settled.attempt.at if settled.attempt else now
    return Sighting(settled.target_id, at, finding=finding, site=site)


def _finding(settled: Settlement) -> ProductFinding | None:
    word = settled.outcome
    if word is None or word in _SILENT:
        return None
    if word is OutcomeWord.UNCHANGED:
        # A copy that nobody asked about says nothing new.
        return ProductFinding.SAME if settled.attempt else None
    is_missing = word is OutcomeWord.GARBAGE and settled.cause == _SOFT_404
    if word is OutcomeWord.GONE or is_missing:
        return ProductFinding.GONE
    return ProductFinding.UNSURE


def born(product: Product, at: float) -> ProductLife:
    """A product that nobody has seen before."""
    at = round(at, 3)
    offer = offer_of(product)
    return ProductLife(offer, digest_of(product), True, True, at, at, at, at, at, at)


def after(life: ProductLife, seen: Sighting) -> ProductLife:
    """What is known of it now that this was seen."""
    at = round(seen.at, 3)
    match seen.finding:
        case ProductFinding.READ:
            return _read(life, seen.product, at)
        case ProductFinding.SAME:
            return _told(life, at, is_listed=life.is_offered)
        case ProductFinding.GONE:
            return _told(life, at, is_listed=False)
        case ProductFinding.UNSURE:
            return replace(life, is_sure=False) if at >= life.confirmed_at else life


def _read(life: ProductLife, product: Product | None, at: float) -> ProductLife:
    if at < life.read_at:
        return life
    if product is None:
        # The very page that offered it, read by other code: the page has not changed.
        return life if at == life.read_at else _told(
            replace(life, read_at=at, is_offered=False), at, is_listed=False
        )  # fmt: skip
    digest, offer = digest_of(product), replace(offer_of(product), status=life.offer.status)
    if digest != life.digest:
        life = replace(life, digest=digest, updated_at=max(life.updated_at, at))
    if offer != life.offer:
        life = replace(life, offer=offer, offer_at=max(life.offer_at, at))
    return _told(replace(life, read_at=at, is_offered=True), at, is_listed=True)


def _told(life: ProductLife, at: float, *, is_listed: bool) -> ProductLife:
    """It is there, or not; unless a later visit has told otherwise."""
    if is_listed:
        life = replace(life, last_seen_at=max(life.last_seen_at, at))
    if at < life.confirmed_at:
        return life
    status = ProductStatus.LISTED if is_listed else ProductStatus.DELISTED
    life = replace(life, is_sure=True, confirmed_at=at)
    if status is life.offer.status:
        return life
    offer = replace(life.offer, status=status)
    return replace(life, offer=offer, offer_at=at, updated_at=at)


def offer_of(product: Product) -> OfferState:
    """What is watched of it, where a page offers it."""
    return OfferState(product.price, product.currency, product.regular_price, product.availability)


def digest_of(product: Product) -> bytes:
    """SHA-256 of what a product is; how sure we are of it, and who read it, is none of that."""
    said = [getattr(product, name) for name in _SAID]
    said += [[(i.url, i.alt, i.kind, i.width, i.height) for i in product.images]]
    if product.extra:
        said.append(product.extra)
    return sha256(msgspec.json.encode(said)).digest()
