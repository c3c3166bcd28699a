"""`GET /metrics`: this process and the ledger in figures, for Prometheus."""

from __future__ import annotations

from fastapi import Response

from tenax.api.guard import Doors
from tenax.compose.api import Opened
from tenax.ports.accounts import ApiRole

_TEXT = "text/plain; version=0.0.4; charset=utf-8"


def add(doors: Doors, opened: Opened) -> None:
    async def metrics() -> Response:
        """Text format 0.0.4. Counters are of this process and those it started; the figures of the
        ledger are the same, whichever process is asked."""
        return Response(await opened.metrics(), media_type=_TEXT)

    doors.get("/metrics", metrics, ApiRole.USER, media=("text/plain",))
