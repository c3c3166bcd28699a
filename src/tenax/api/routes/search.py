"""`GET /api/search`: pages with words in them, the best first."""

from __future__ import annotations

from typing import Annotated, assert_never

from fastapi import Query

from tenax.api import cursors
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, ListPart, listed
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.ops.plain import extended
from tenax.ops.search.hits import HitFacts
from tenax.ops.search.searching import NoIndex, SearchAnswer, Searching, SearchUnclear
from tenax.ports.accounts import ApiRole


class FoundPages(ListPart[HitFacts], frozen=True, kw_only=True):
    total: int
    as_of: float | None
    """When the index was last brought up to date, where that is done here."""


def add(doors: Doors, opened: Opened) -> None:
    doors.get("/api/search", _SearchRoute(opened).get, ApiRole.USER, problems=(501,))


class _SearchRoute:
    def __init__(self, opened: Opened) -> None:
        clock = opened.ledger.clock
        self._searching = Searching(opened.index, opened.indexer, clock, opened.beside)

    async def get(
        self,
        q: Annotated[str, Query(min_length=1, max_length=1_000)],
        limit: Annotated[int, Query(ge=1, le=100)] = 10,
        cursor: Cursor = None,
    ) -> FoundPages:
        """The query language of `tenax search`. `as_of` is when the index was last brought up to
        date, where that is done here."""
        found = await self._searching.search(q, limit, cursors.number(cursor))
        match found:
            case SearchAnswer(items=items, next=place, total=total, as_of=as_of):
                return extended(FoundPages, listed(items, place), total=total, as_of=as_of)
            case SearchUnclear(why=why):
                raise Problem(422, why)
            case NoIndex():
                told = "This fleet has no search index. Name one by the setting search."
                raise Problem(501, told)
            case _:
                assert_never(found)
