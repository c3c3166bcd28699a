"""Retry with backoff while the content store is away: no page without its body, so workers wait.

Meanwhile results wait in memory, no more of them than the commit policy allows, and then the
workers wait, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

from tenax.crawl.outages.outage import Away, OutagePatience
from tenax.ports import ContentStore, Shelf, Unavailable, Unusable

T = TypeVar("T")
_LEFT = (
    "The store of the bodies does not answer, and is not waited for any longer: this process was"
    " told to end. Nothing stored so far is lost; see that the server is up."
)


class PatientStore:
    """A content store elsewhere. Only putting waits: who reads wants to know at once."""

    def __init__(self, store: ContentStore, patience: OutagePatience) -> None:
        self._store = store
        self._patience = patience
        self._under_way: set[asyncio.Timeout] = set()
        self._ending: float | None = None
        """Seconds that each call has once we are to end."""
        self._is_left = False

    @property
    def stock(self) -> ContentStore:
        """The store itself, for who wants to know what it holds and can wait for another time."""
        return self._store

    @property
    def trouble(self) -> str:
        """Why the store counts as away; empty while it takes bodies."""
        return self._patience.trouble

    def hasten(self, seconds: float) -> None:
        """Wait no longer than this from now on, also for a server that says nothing at all."""
        self._patience.hasten(seconds)
        self._ending = seconds
        by = asyncio.get_running_loop().time() + seconds
        for limit in self._under_way:
            if not limit.expired():
                limit.reschedule(by)

    async def put(self, bodies: Iterable[tuple[bytes, bytes]]) -> None:
        pairs = list(bodies)

        async def put() -> None:
            async with self._limited():
                await self._store.put(pairs)

        await _insist(self._patience, put)

    async def get(self, digest: bytes) -> bytes | None:
        async with self._limited():
            return await self._store.get(digest)

    async def missing(self, digests: Iterable[bytes]) -> list[bytes]:
        async with self._limited():
            return await self._store.missing(digests)

    async def close(self) -> None:
        await self._store.close()

    @asynccontextmanager
    async def _limited(self) -> AsyncIterator[None]:
        """One call, let go of when we are to end and it takes too long; then none begins."""
        if self._is_left:
            raise Away(_LEFT)
        try:
            async with asyncio.timeout(self._ending) as limit:
                self._under_way.add(limit)
                try:
                    yield
                finally:
                    self._under_way.discard(limit)
        except TimeoutError:
            if not limit.expired():
                raise
            self._is_left = True
            self._patience.give_up(_LEFT)
            raise Away(_LEFT) from None


class PatientShelf:
    """The shelf of such a store."""

    def __init__(self, shelf: Shelf, patience: OutagePatience) -> None:
        self._shelf = shelf
        self._patience = patience

    async def put(self, pages: Iterable[tuple[bytes, bytes, bytes]]) -> None:
        laid_out = list(pages)
        await _insist(self._patience, lambda: self._shelf.put(laid_out))

    async def renew(self, pages: Sequence[tuple[bytes, bytes]]) -> list[bool]:
        return await _insist(self._patience, lambda: self._shelf.renew(pages))


async def _insist(patience: OutagePatience, put: Callable[[], Awaitable[T]]) -> T:
    async def attempt() -> T:
        try:
            return await put()
        except (Away, Unusable):
            raise
        except Unavailable as error:
            raise Away(str(error)) from error

    return await patience.insist(attempt)
