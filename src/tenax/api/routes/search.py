"""`GET /api/search`: pages with words in them, the best first."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import Query

from tenax.api import cursors
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, listed
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.ops.dates import iso
from tenax.ops.search.hits import hit_facts
from tenax.ops.search.query import QueryError, parse
from tenax.ports.accounts import ApiRole

_AGAIN = 60.0
"""Seconds after which an index of our own is brought up to date again, when somebody searches."""
_PATIENCE = 5.0
"""Seconds that a search waits for that; then it is answered from the index as it is."""
_MOST_SKIPPED = 1_000
"""Whoever looks further should say better what they look for."""


def add(doors: Doors, opened: Opened) -> None:
    doors.get("/api/search", _SearchRoute(opened).get, ApiRole.USER)


class _SearchRoute:
    def __init__(self, opened: Opened) -> None:
        self._index = opened.index
        self._indexer = opened.indexer
        self._clock = opened.ledger.clock
        self._beside = opened.beside
        self._freshening: asyncio.Task[object] | None = None
        self._fresh_at: float | None = None

    async def get(
        self,
        q: Annotated[str, Query(min_length=1, max_length=1_000)],
        limit: Annotated[int, Query(ge=1, le=100)] = 10,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """The query language of `tenax search`. `as_of` is when the index was last brought up to
        date, where that is done here."""
        if self._index is None:
            raise Problem(501, "This fleet has no search index. Name one by the setting search.")
        try:
            query = parse(q)
        except QueryError as error:
            raise Problem(422, f"q: {error}") from error
        skip = cursors.number(cursor)
        if skip > _MOST_SKIPPED:
            raise Problem(422, "That is far down the list: say better what you look for.")
        await self._freshen()
        found = await self._index.search(query, limit, skip)
        behind = skip + len(found.hits)
        place = behind if found.hits and behind < found.total else None
        items = (hit_facts(hit, query) for hit in found.hits)
        return {**listed(items, place), "total": found.total, "as_of": iso(self._fresh_at)}

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
