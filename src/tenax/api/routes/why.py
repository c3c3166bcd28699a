"""`GET /api/why?url=`: the whole story of a URL, known or not."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query

from tenax.api.guard import Doors
from tenax.api.listing import Name, checked_job
from tenax.compose.api import Opened
from tenax.compose.why import books_of, house_of
from tenax.ops.plain import plain
from tenax.ops.why.story import tell
from tenax.ports.accounts import ApiRole


def add(doors: Doors, opened: Opened) -> None:
    doors.get("/api/why", _Why(opened).get, ApiRole.USER)


class _Why:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger

    async def get(
        self, url: Annotated[str, Query(min_length=1, max_length=8_192)], job: Name = None
    ) -> Any:
        """Where it stands, why, and what happens next; of a URL never seen, what would happen."""
        ledger = self._ledger
        books = books_of(ledger)
        name = await checked_job(ledger, job)
        house = house_of(ledger.settings, ledger.sites)
        return plain(await tell(url, books, house, ledger.clock.now(), name))
