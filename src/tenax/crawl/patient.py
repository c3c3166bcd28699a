"""What does a crawl do while the store of its bodies is away? It waits: no page without its body.

Meanwhile results wait in memory, no more of them than the commit policy allows, and then the
workers wait, too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from tenax.crawl.outage import Away, Patience
from tenax.ports import ContentStore, Shelf, Unavailable, Unusable


class PatientStore:
    """A content store elsewhere. Only putting waits: who reads wants to know at once."""

    def __init__(self, store: ContentStore, patience: Patience) -> None:
        self._store = store
        self._patience = patience

    @property
    def trouble(self) -> str:
        """Why the store counts as away; empty while it takes bodies."""
        return self._patience.trouble

    def hasten(self, seconds: float) -> None:
        """Wait no longer than this from now on."""
        self._patience.hasten(seconds)

    async def put(self, bodies: Iterable[tuple[bytes, bytes]]) -> None:
        pairs = list(bodies)
        await _insist(self._patience, lambda: self._store.put(pairs))

    async def get(self, digest: bytes) -> bytes | None:
        return await self._store.get(digest)

    async def missing(self, digests: Iterable[bytes]) -> list[bytes]:
        return await self._store.missing(digests)

    async def close(self) -> None:
        await self._store.close()


class PatientShelf:
    """The shelf of such a store."""

    def __init__(self, shelf: Shelf, patience: Patience) -> None:
        self._shelf = shelf
        self._patience = patience

    async def put(self, pages: Iterable[tuple[bytes, bytes, bytes]]) -> None:
        laid_out = list(pages)
        await _insist(self._patience, lambda: self._shelf.put(laid_out))


async def _insist(patience: Patience, put: Callable[[], Awaitable[None]]) -> None:
    async def attempt() -> None:
        try:
            await put()
        except Unusable:
            raise
        except Unavailable as error:
            raise Away(str(error)) from error

    await patience.insist(attempt)
