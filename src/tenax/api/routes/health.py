"""`GET /health`: is this process alive, and has it what it needs?"""

from __future__ import annotations

from fastapi import Response

from tenax.api.guard import Doors
from tenax.compose.api import Opened
from tenax.ports import ProcessHealth
from tenax.ports.accounts import ApiRole

_KEPT = 1.0
"""Seconds for which an answer is given again: whoever asks without end asks nobody else."""


def add(doors: Doors, opened: Opened) -> None:
    doors.get("/health", _Health(opened).get, ApiRole.ANONYMOUS, counted=False)


class _Health:
    def __init__(self, opened: Opened) -> None:
        self._pulse = opened.pulse
        self._clock = opened.ledger.clock
        self._known: tuple[float, ProcessHealth] | None = None

    async def get(self, response: Response) -> dict[str, object]:
        """Live, ready, and each part; 503 while not ready. What is wrong with a part is not for
        everybody: the log says it, and the port of `health.port`."""
        health = await self._look()
        response.status_code = 200 if health.is_ready else 503
        return {
            "live": True,
            "ready": health.is_ready,
            "parts": {name: "away" if wrong else "ok" for name, wrong in health.parts.items()},
        }

    async def _look(self) -> ProcessHealth:
        now = self._clock.now()
        if self._known is None or now - self._known[0] >= _KEPT:
            self._known = (now, await self._pulse.health())
        return self._known[1]
