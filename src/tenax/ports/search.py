"""What do we ask of a search index? To keep documents, and to find them, ranked.

Words are compared without case and accents, whole words only. What is found brings its text along:
what of it is shown, and how, is the same whoever found it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct, field

FIELDS = ("title", "description", "url", "text")
"""Those with words in them, weightiest first."""


RECORDS = 2**52
"""Behind this are the ids of records: behind those of all pages, and whole in any JSON."""


class Doc(Struct, frozen=True):
    """A page, and the product it offers, as they are searched for; or a record of the user's own,
    and the page that told it."""

    id: int
    """Of its target in the ledger; of a record its own, behind `RECORDS`."""
    version: str
    """Another one whenever anything else here is."""
    job: str
    host: str
    url: str
    at: float
    """When it was fetched."""
    title: str = ""
    description: str = ""
    text: str = ""
    language: str = ""
    brand: str = ""
    category: str = ""
    price: float | None = None
    currency: str = ""
    sku: str = ""
    mpn: str = ""
    gtin: str = ""
    availability: str = ""
    status: str = ""
    """Whether the product is listed, delisted or unknown."""
    rating: float | None = None
    record: str = ""
    """The name of the record; empty for a page."""


class Words(Struct, frozen=True):
    """Words that stand next to each other, in any field or in one."""

    words: tuple[str, ...]
    """Folded: no case, no accents; one at least."""
    field: str = ""


class Span(Struct, frozen=True):
    """From here to there, both included; None for no bound."""

    low: float | None = None
    high: float | None = None


class Query(Struct, frozen=True):
    """What is looked for: everything that meets all of this."""

    all_of: tuple[Words, ...] = ()
    none_of: tuple[Words, ...] = ()
    equal: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Of the fields in `EQUAL`: one of these values, in any case."""
    unequal: dict[str, tuple[str, ...]] = field(default_factory=dict)
    price: Span = Span()
    at: Span = Span()
    rating: Span = Span()

    @property
    def spans(self) -> tuple[tuple[str, Span], ...]:
        """All of them, by the field of the document."""
        return ("price", self.price), ("at", self.at), ("rating", self.rating)


class Hit(Struct, frozen=True):
    doc: Doc
    score: float
    """Higher is better; to be compared within one answer only."""


class SearchResults(Struct, frozen=True):
    hits: tuple[Hit, ...]
    total: int


class SearchIndex(Protocol):
    """A copy of what the ledger has, made to be searched. It can be made anew at any time."""

    async def put(self, docs: Sequence[Doc]) -> None:
        """Add or replace these; the next search finds them."""

    async def remove(self, ids: Sequence[int]) -> None: ...

    async def versions(self, after: int, limit: int) -> list[tuple[int, str]]:
        """(id, version) of documents behind this id, in order."""

    async def search(self, query: Query, limit: int = 10, skip: int = 0) -> SearchResults:
        """The best first; without words, those fetched last first."""

    async def clear(self) -> None:
        """Forget everything."""

    async def close(self) -> None: ...


EQUAL = (
    "host", "job", "language", "brand", "category", "currency", "sku", "mpn", "gtin",
    "availability", "status", "record",
)  # fmt: skip
"""What is compared whole, and found by an index."""
