"""What do several sources say about one thing, and which of them is believed?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from msgspec import Struct, field

_LONE: Final = re.compile("[\ud800-\udfff]")
_NO_TEXT: Final = re.compile("[\x00-\x1f\x7f-\x9f]")
FIELDS: Final = (
    "name", "description", "price", "currency", "regular_price", "availability", "brand",
    "category", "breadcrumbs", "sku", "mpn", "gtin", "rating", "reviews",
)  # fmt: skip


class Claim(Struct, frozen=True):
    value: Any
    confidence: float
    source: str


class ProductClaims(Struct):
    """Claims by field, in the order in which they were made."""

    made: dict[str, list[Claim]] = field(default_factory=dict)

    def add(self, name: str, value: Any, confidence: float, source: str) -> None:
        """Claim something; what is empty claims nothing."""
        if isinstance(value, str):
            value = storable(value)
        elif isinstance(value, tuple):
            value = tuple(each for each in map(storable, value) if each)
        if value is None or value == "" or value == ():
            return
        self.made.setdefault(name, []).append(Claim(value, confidence, source))

    def take(self, others: Iterable[ProductClaims]) -> None:
        for other in others:
            for name, claims in other.made.items():
                self.made.setdefault(name, []).extend(claims)

    def of(self, name: str) -> list[Claim]:
        return self.made.get(name, [])

    def best(self, name: str) -> Claim | None:
        """What is believed: sources that agree make each other surer; first wins a tie."""
        sure: dict[Any, float] = {}
        spoken: dict[Any, set[str]] = {}
        first: dict[Any, Claim] = {}
        for claim in self.of(name):
            key = _alike(claim.value)
            sources = spoken.setdefault(key, set())
            if claim.source in sources:
                # Said twice by the same one is said once.
                sure[key] = max(sure[key], claim.confidence)
                continue
            sources.add(claim.source)
            sure[key] = 1 - (1 - sure.get(key, 0.0)) * (1 - claim.confidence)
            first.setdefault(key, claim)
        if not sure:
            return None
        key = max(sure, key=lambda each: sure[each])
        believed = first[key]
        return Claim(believed.value, min(0.99, sure[key]), believed.source)


def storable(text: str) -> str:
    """JSON can name what is no character, or what PostgreSQL has no room for."""
    if text.isprintable():
        return text
    return " ".join(_NO_TEXT.sub(" ", _LONE.sub("\N{REPLACEMENT CHARACTER}", text)).split())


def _alike(value: Any) -> Any:
    return " ".join(value.lower().split()) if isinstance(value, str) else value
