"""`GET /api/workers`: who works on this ledger."""

from __future__ import annotations

from typing import Any

from tenax.api.guard import Doors
from tenax.compose.api import Opened
from tenax.ops.health.metrics import SILENT
from tenax.ops.plain import plain
from tenax.ports.accounts import ApiRole


def add(doors: Doors, opened: Opened) -> None:
    doors.get("/api/workers", _Workers(opened).list, ApiRole.USER)


class _Workers:
    def __init__(self, opened: Opened) -> None:
        self._overview = opened.overview
        self._clock = opened.ledger.clock

    async def list(self) -> dict[str, Any]:
        """Processes that work on this ledger; one that is not heard of for two minutes counts as
        gone, and what it had in hand is taken back."""
        now = self._clock.now()
        found = await self._overview.workers()
        return {
            "items": [{**plain(each), "is_active": now - each.seen_at < SILENT} for each in found]
        }
