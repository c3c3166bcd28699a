"""The bodies of visits: stored before their pages, and there again after every visit (STORE-3).

Where bodies are laid out by URL they have a time to live. A visit that finds its page unchanged
gives the body its time anew, and lays it out again from wherever it is; where it has gone for good,
the page is fetched as if for the first time: no condition is sent, and no bytes are the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from tenax.model import Copy
from tenax.outcome import Later, Settlement
from tenax.ports import ContentStore, Shelf, Unavailable

_AT_ONCE = 8
"""Bodies that are read together: each may have ten megabytes."""
_Place = tuple[bytes, bytes]
"""The hash of a URL, and the digest of its body."""


class Bodies:
    """A content store, and the shelf where the latest body of each page lies by its URL."""

    def __init__(
        self, content: ContentStore, shelf: Shelf | None = None, *, expires: bool = False
    ) -> None:
        """With `expires` bodies are on the shelf and nowhere else."""
        self._content = content
        self._shelf = shelf
        self._expires = expires

    async def holds(self, url_hash: bytes, copy: Copy) -> bool:
        """Whether the body of an earlier visit is there still, and will be for a while."""
        if not self._expires or not copy.digest:
            return True
        try:
            return not await self._lay_out_again([(url_hash, copy.digest)])
        except Unavailable:
            return False

    async def put(self, batch: Sequence[Settlement]) -> list[Settlement]:
        """See that the bodies of these visits are there; then the visits, of which one that has
        confirmed a body that is gone by now is to be made once more."""
        kept = [page for s in batch for page in (s.page, s.image) if page is not None]
        bodies = [(page.digest, page.body) for page in kept if page.body]
        if bodies:
            if self._shelf is not None:
                await self._shelf.put(_laid_out(batch))
            await self._content.put(bodies)
        gone = await self._lay_out_again([_place(s) for s in batch if s.confirmed])
        if not gone or not self._expires:
            return list(batch)
        return [_once_more(s) if s.confirmed and _place(s) in gone else s for s in batch]

    async def _lay_out_again(self, places: Sequence[_Place]) -> set[_Place]:
        """Those of them that are nowhere to be had."""
        if self._shelf is None or not places:
            return set()
        there = await self._shelf.renew(places)
        left = [place for place, is_there in zip(places, there, strict=True) if not is_there]
        gone: set[_Place] = set()
        for start in range(0, len(left), _AT_ONCE):
            some = left[start : start + _AT_ONCE]
            found = await asyncio.gather(*(self.get(digest) for _, digest in some))
            both = list(zip(some, found, strict=True))
            await self._shelf.put([(*place, body) for place, body in both if body is not None])
            gone.update(place for place, body in both if body is None)
        return gone

    async def get(self, digest: bytes) -> bytes | None:
        try:
            return await self._content.get(digest)
        except Unavailable:
            if self._expires:
                raise
            return None  # a copy that cannot be made holds up nothing


def _place(settlement: Settlement) -> _Place:
    return settlement.url_hash, settlement.confirmed


def _laid_out(batch: Iterable[Settlement]) -> list[tuple[bytes, bytes, bytes]]:
    return [(s.url_hash, s.page.digest, s.page.body) for s in batch if s.page and s.page.body]


def _once_more(settlement: Settlement) -> Settlement:
    next = Later(0.0, counts=False, reason="its body has expired meanwhile")
    return replace(settlement, next=next, kept=None, confirmed=b"")
