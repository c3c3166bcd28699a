"""How does something that was found read as JSON?"""

from __future__ import annotations

from msgspec import Struct

from tenax.ops.search.snippets import snippet
from tenax.page.product.prices import settled, spelled
from tenax.ports.search import Doc, Hit, Query


class HitFacts(Struct, frozen=True):
    """A page that was found, and the product it offers; or a record of your own, and its page."""

    url: str
    job: str
    host: str
    fetched_at: float
    score: float
    """Higher is better; to be compared within one answer only."""
    snippet: list[tuple[str, bool]]
    """The part of its text with most of the words, in pieces; true for those looked for."""
    title: str = ""
    language: str = ""
    brand: str = ""
    category: str = ""
    price: str = ""
    """Decimal text, spelled as products have it."""
    currency: str = ""
    sku: str = ""
    mpn: str = ""
    gtin: str = ""
    availability: str = ""
    status: str = ""
    rating: float | None = None
    record: str = ""
    """The name of the record; empty where it is a page."""


def hit_facts(hit: Hit, query: Query) -> HitFacts:
    doc = hit.doc
    return HitFacts(
        url=doc.url, title=doc.title, job=doc.job, host=doc.host,
        fetched_at=doc.at, language=doc.language, score=round(hit.score, 4),
        brand=doc.brand, category=doc.category, price=_spelled(doc),
        currency=doc.currency, sku=doc.sku, mpn=doc.mpn, gtin=doc.gtin,
        availability=doc.availability, status=doc.status, rating=doc.rating,
        record=doc.record,
        snippet=[(piece.text, piece.is_match) for piece in snippet(doc.text, query)],
    )  # fmt: skip


def _spelled(doc: Doc) -> str:
    """An index has amounts as numbers, to compare them; none has so many digits that some are lost
    there."""
    return "" if doc.price is None else spelled(settled(repr(doc.price)), doc.currency)
