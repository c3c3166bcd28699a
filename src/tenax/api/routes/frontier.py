"""`/api/frontier`: which URLs are known, and where they stand."""

from __future__ import annotations

from typing import Any

from tenax.api import cursors
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, Limit, Name, checked_job, listed, the_job
from tenax.compose.api import Opened
from tenax.model import State
from tenax.ops.plain import plain
from tenax.ports.accounts import ApiRole
from tenax.ports.overview import Sieve


def add(doors: Doors, opened: Opened) -> None:
    frontier = _Frontier(opened)
    doors.get("/api/frontier/stats", frontier.stats, ApiRole.USER)
    doors.get("/api/frontier/urls", frontier.urls, ApiRole.USER)


class _Frontier:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger
        self._overview = opened.overview

    async def stats(self, job: Name = None) -> dict[str, Any]:
        """How many URLs are in which state, and why others were not taken; of a job, or of all."""
        if job is None:
            counts = await self._overview.totals()
        else:
            counts = await self._ledger.jobs.counts((await the_job(self._ledger, job)).id)
        return {
            "known": counts.known,
            "pending": counts.unfinished,
            "deferred": counts.deferred,
            "states": {state.value: counts.of(state) for state in State},
            "not_taken": {reason.value: n for reason, n in sorted(counts.rejected.items())},
        }

    async def urls(
        self,
        job: Name = None,
        host: Name = None,
        state: State | None = None,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """Known URLs, in the order they were found."""
        sieve = Sieve(await checked_job(self._ledger, job), host, state)
        found, place = await self._overview.urls(sieve, cursors.number(cursor), limit)
        return listed((plain(each) for each in found), place)
