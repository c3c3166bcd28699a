"""Which stored pages say nearly the same as this one, and how nearly? (PAGE-2)"""

from __future__ import annotations

from msgspec import Struct

from tenax.page.similar import BITS, distance
from tenax.ports import PageRecord, Pages

_MOST_NAMED = 10


class Likeness(Struct, frozen=True):
    """What a page shares its text with, in its job."""

    original: str
    """The URL of the page that it is a near-duplicate of; empty when it is the original."""
    bits: int | None
    """In how many bits of 64 the two differ; None for an original."""
    others: tuple[str, ...]
    """Other near-duplicates of the same original, the first ones."""

    @property
    def told(self) -> str:
        """The near-duplicate's side of it; empty for an original."""
        if not self.original:
            return ""
        apart = "same SimHash" if not self.bits else f"{self.bits} of {BITS} bits differ"
        return f"near-duplicate of {self.original} ({apart})"


async def likeness(page: PageRecord, pages: Pages) -> Likeness | None:
    """None for a page that is like no other."""
    found = await pages.similar(page.target_id, _MOST_NAMED + 1)
    if not found:
        return None
    others = tuple(other.url for other in found if other.duplicate_of)[:_MOST_NAMED]
    first = found[0]
    if not page.duplicate_of or first.duplicate_of:
        return Likeness("", None, others)
    return Likeness(first.url, distance(int(page.simhash, 16), int(first.simhash, 16)), others)
