"""Search what was crawled: one question, one answer, from an index that is brought up to date."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from msgspec import Struct

from tenax.ops.search.hits import HitFacts, hit_facts
from tenax.ops.search.indexing import Indexer
from tenax.ops.search.query import QueryError, parse
from tenax.ports import Clock
from tenax.ports.search import SearchIndex

_AGAIN = 60.0
"""Seconds after which an index of our own is brought up to date again, when somebody searches."""
_PATIENCE = 5.0
"""Seconds that a search waits for that; then it is answered from the index as it is."""
MOST_SKIPPED = 1_000
"""Whoever looks further should say better what they look for."""


class SearchAnswer(Struct, frozen=True):
    items: list[HitFacts]
    next: int | None
    """How many to skip for what follows."""
    total: int
    as_of: float | None
    """When the index was last brought up to date, where that is done here."""


class SearchUnclear(Struct, frozen=True):
    why: str


class NoIndex(Struct, frozen=True):
    """This machine's alone would have to hold what a fleet brings."""


class Searching:
    """`beside` begins what goes on when the answer is given."""

    def __init__(
        self,
        index: SearchIndex | None,
        indexer: Indexer | None,
        clock: Clock,
        beside: Callable[[Coroutine[Any, Any, object]], asyncio.Task[object]],
    ) -> None:
        self._index = index
        self._indexer = indexer
        self._clock = clock
        self._beside = beside
        self._freshening: asyncio.Task[object] | None = None
        self._fresh_at: float | None = None

    async def search(
        self, text: str, limit: int, skip: int = 0
    ) -> SearchAnswer | SearchUnclear | NoIndex:
        """The query language of `tenax search`."""
        if self._index is None:
            return NoIndex()
        try:
            query = parse(text)
        except QueryError as error:
            return SearchUnclear(f"q: {error}")
        if skip > MOST_SKIPPED:
            return SearchUnclear("That is far down the list: say better what you look for.")
        await self._freshen()
        found = await self._index.search(query, limit, skip)
        behind = skip + len(found.hits)
        place = behind if found.hits and behind < found.total else None
        items = [hit_facts(hit, query) for hit in found.hits]
        return SearchAnswer(items, place, found.total, self._fresh_at)

    async def _freshen(self) -> None:
        if self._indexer is None:
            return
        now = self._clock.now()
        if self._freshening is None or self._freshening.done():
            if self._fresh_at is not None and now - self._fresh_at < _AGAIN:
                return
            self._freshening = self._beside(self._indexer.freshen())
        done, _ = await asyncio.wait({self._freshening}, timeout=_PATIENCE)
        if done:
            self._freshening.result()
            self._fresh_at = self._clock.now()
