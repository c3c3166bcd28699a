"""`GET /api/stats`: how much there is, for everybody."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tenax.api.guard import Doors
from tenax.compose.api import Opened
from tenax.model import State
from tenax.ops.health.metrics import SILENT
from tenax.ports.accounts import ApiRole


def add(doors: Doors, opened: Opened) -> None:
    doors.get("/api/stats", _Stats(opened).get, ApiRole.ANONYMOUS)


class _Stats:
    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    async def get(self) -> dict[str, Any]:
        """Totals, and what was done in the last minutes. No names, hosts or URLs."""
        overview, ledger = self._opened.overview, self._opened.ledger
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
