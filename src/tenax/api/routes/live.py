"""`/api/stats`, `/api/live`, `/api/visits`: how much there is, what is going on, what went on."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import StreamingResponse
from msgspec import Struct

from tenax.api import cursors
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, Limit, Name, checked_job, listed, the_job
from tenax.api.live import Figures, LiveHub
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.model import State
from tenax.ops.dates import iso
from tenax.ops.health.metrics import SILENT
from tenax.ops.plain import plain
from tenax.ports.accounts import ApiRole
from tenax.ports.overview import DoneSums, VisitSieve

_MINUTE = 60
_MOST_POINTS = 1_500
_MOST_MINUTES = 10
_STALE = 5.0
"""Seconds after which the last look says nothing of how fast it goes now."""
_RATES = ("visits", "pages", "failures", "bytes")
Minutes = Annotated[int, Query(ge=1, le=10_080, description="Minutes.")]
Status = Annotated[int | None, Query(ge=100, le=599)]
Word = Annotated[str | None, Query(max_length=40)]


def add(doors: Doors, opened: Opened) -> None:
    live = _Live(opened)
    doors.keep("live", live.hub)
    doors.get("/api/stats", live.stats, ApiRole.ANONYMOUS)
    doors.get("/api/live", live.stream, ApiRole.ANONYMOUS, streams=True)
    doors.get("/api/stats/timeseries", live.timeseries, ApiRole.USER)
    doors.get("/api/visits", live.visits, ApiRole.USER)


class _Seen(Struct):
    """What was done until the last look, to tell how much it is a second."""

    at: float
    since: int
    """The minute from which on `sums` are counted."""
    sums: DoneSums


class _Live:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger
        self._overview = opened.overview
        self.hub = LiveHub(self._look, opened.ledger.clock)
        self._seen: _Seen | None = None

    async def stats(self) -> dict[str, Any]:
        """Totals, and what was done in the last minutes. No names, hosts or URLs."""
        overview, ledger = self._overview, self._ledger
        totals, lately = await overview.totals(), await overview.lately()
        jobs = Counter((await ledger.jobs.states()).values())
        now = ledger.clock.now()
        return {
            "pages": totals.pages,
            "known": totals.known,
            "states": {state.value: totals.of(state) for state in State},
            "jobs": {state.value: n for state, n in sorted(jobs.items())},
            "workers": sum(now - each.seen_at < SILENT for each in await overview.workers()),
            "lately": {
                "seconds": round(lately.seconds, 1),
                "visits": lately.visits,
                "pages": lately.pages,
                "failures": lately.failures,
                "bytes": lately.bytes,
            },
        }

    async def stream(self) -> StreamingResponse:
        """Figures as server-sent events: `full` first, with the last five minutes, then `tick` when
        something changed, at most twice a second. No names, hosts or URLs."""
        if self.hub.is_full:
            raise Problem(503, "As many listen as may.", {"Retry-After": "10"})
        return StreamingResponse(self.hub.listen(), media_type="text/event-stream")

    async def timeseries(
        self, job: Name = None, minutes: Minutes = 60, step: Minutes = 1
    ) -> dict[str, Any]:
        """What was done in each step of the last minutes: visits, pages, failures, bytes. It is
        kept by the minute, for a week."""
        if minutes / step > _MOST_POINTS:
            raise Problem(422, f"step: more than {_MOST_POINTS:,} points; make it longer.")
        id = None if job is None else (await the_job(self._ledger, job)).id
        # Whole steps, so that the same minute is always in the same one.
        last = int(self._ledger.clock.now() // _MINUTE) // step
        first = last - -(-minutes // step) + 1
        found = await self._overview.done_by_step(id, first * step, step)
        points = [
            {"at": iso(number * step * _MINUTE), **plain(found.get(number, DoneSums()))}
            for number in range(first, last + 1)
        ]
        return {"step_seconds": step * _MINUTE, "items": points}

    async def visits(
        self,
        job: Name = None,
        host: Name = None,
        outcome: Word = None,
        status: Status = None,
        limit: Limit = 50,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """The latest visits, newest first. Of a rare kind an answer may be short, or empty,
        although there is more."""
        sieve = VisitSieve(await checked_job(self._ledger, job), host, outcome, status)
        before = cursors.number(cursor) or None
        found, place = await self._overview.latest_visits(sieve, before, limit)
        return listed((plain(each) for each in found), place)

    async def _look(self) -> Figures:
        now = self._ledger.clock.now()
        totals = await self._overview.totals()
        workers = await self._overview.workers()
        return {
            "at": iso(now),
            "pages": totals.pages,
            "known": totals.known,
            "states": {state.value: totals.of(state) for state in State},
            "workers": sum(now - each.seen_at < SILENT for each in workers),
            "a_second": await self._rates(now),
        }

    async def _rates(self, now: float) -> dict[str, float]:
        """By the difference of exact sums between two looks."""
        before, minute = self._seen, int(now // _MINUTE)
        if before is not None and not before.at < now <= before.at + _STALE:
            before = None
        since = minute - 1 if before is None else before.since
        sums = await self._overview.done_since(since)
        rates = dict.fromkeys(_RATES, 0.0)
        if before is not None:
            passed = now - before.at
            rates = {
                name: round((getattr(sums, name) - getattr(before.sums, name)) / passed, 1)
                for name in _RATES
            }
        if minute - since > _MOST_MINUTES:
            # Nobody counts an hour of minutes twice a second.
            since = minute - 1
            sums = await self._overview.done_since(since)
        self._seen = _Seen(now, since, sums)
        return rates
