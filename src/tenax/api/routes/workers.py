"""`GET /api/workers`: who works on this ledger."""

from __future__ import annotations

from tenax.api.guard import Doors
from tenax.api.listing import ListPart, listed
from tenax.compose.api import Opened
from tenax.ops.health.metrics import SILENT
from tenax.ops.plain import extended
from tenax.ports.accounts import ApiRole
from tenax.ports.overview import WorkerRecord


class WorkerFacts(WorkerRecord, frozen=True, kw_only=True):
    is_active: bool


_SHOWN = 20
"""Hosts in hand that are told of each."""


def add(doors: Doors, opened: Opened) -> None:
    doors.get("/api/workers", _Workers(opened).list, ApiRole.USER)


class _Workers:
    def __init__(self, opened: Opened) -> None:
        self._overview = opened.overview
        self._clock = opened.ledger.clock

    async def list(self) -> ListPart[WorkerFacts]:
        """Processes that work on this ledger; one that is not heard of for two minutes counts as
        gone, and what it had in hand is taken back."""
        now = self._clock.now()
        found = await self._overview.workers(held=_SHOWN)
        return listed(
            extended(WorkerFacts, each, is_active=now - each.seen_at < SILENT) for each in found
        )
