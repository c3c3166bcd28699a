"""`GET /metrics`: the ledger in figures, for Prometheus."""

from __future__ import annotations

from fastapi import Response

from tenax.api.guard import Doors
from tenax.compose.api import Opened
from tenax.ops.health.metrics import CONTENT_TYPE, VisitCount, measure, series, text
from tenax.ports.accounts import ApiRole


def add(doors: Doors, opened: Opened) -> None:
    doors.get("/metrics", _Metrics(opened).get, ApiRole.USER, response_class=Response)


class _Metrics:
    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._count = VisitCount(opened.overview, opened.ledger.clock)

    async def get(self) -> Response:
        """Text format 0.0.4. The figures are those of the ledger, whichever process is asked."""
        ledger = self._opened.ledger
        figures = await measure(self._opened.overview, ledger.dead, self._count, ledger.clock)
        return Response(text(series(figures)), media_type=CONTENT_TYPE)
