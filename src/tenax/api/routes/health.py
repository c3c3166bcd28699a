"""`GET /health`: is this process alive, and has it what it needs? `/api/alerts`: what is wrong?"""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Path, Response
from msgspec import Struct
from pydantic import BaseModel, ConfigDict, StringConstraints

from tenax.api import cursors
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, Limit, ListPart, listed
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.ops.alerts.facts import AlertJson, RuleJson, alert_facts, rule_facts
from tenax.ops.alerts.silence import silenced_until
from tenax.ports import ProcessHealth
from tenax.ports.accounts import ApiRole

AlertId = Annotated[int, Path(ge=1, le=2**63 - 1)]
_KEPT = 1.0
"""Seconds for which an answer is given again: whoever asks without end asks nobody else."""


class HealthAnswer(Struct, frozen=True):
    live: bool
    ready: bool
    parts: dict[str, Literal["ok", "away"]]


def add(doors: Doors, opened: Opened) -> None:
    health = _Health(opened)
    doors.get("/health", health.get, ApiRole.ANONYMOUS, counted=False, also=(503,))
    alerts = _Alerts(opened)
    doors.get("/api/alerts", alerts.list, ApiRole.USER)
    doors.get("/api/alerts/rules", alerts.rules, ApiRole.USER)
    doors.post("/api/alerts/{id}/silence", alerts.silence, ApiRole.ADMIN, problems=(404,))


class Silence(BaseModel):
    """For how long nobody is told of an alert."""

    model_config = ConfigDict(extra="forbid")

    lasting: Annotated[str, StringConstraints(max_length=50)] = "1h"
    """`30m`, `8h`, `2d`; at most 30 days."""


class Silenced(Struct, frozen=True):
    id: int
    silent_until: float


class _Alerts:
    def __init__(self, opened: Opened) -> None:
        self._book = opened.ledger.alerts
        self._clock = opened.ledger.clock
        self._rules = opened.ledger.settings.alerts

    async def list(
        self, all: bool = False, limit: Limit = 100, cursor: Cursor = None
    ) -> ListPart[AlertJson]:
        """What is wrong, the latest first; with `all` also what is over."""
        before = cursors.number(cursor) or None
        found = await self._book.latest(before, limit, open_only=not all)
        now = self._clock.now()
        place = found[-1].id if len(found) == limit else None
        return listed((alert_facts(alert, now) for alert in found), place)

    async def rules(self) -> ListPart[RuleJson]:
        """The rules by which alerts are raised, those of the settings among them."""
        return listed(rule_facts(self._rules))

    async def silence(self, id: AlertId, order: Silence | None = None) -> Silenced:
        """Tell nobody of an alert for a while."""
        try:
            until = silenced_until((order or Silence()).lasting, self._clock.now())
        except ValueError as error:
            raise Problem(422, f"lasting: {error}") from error
        if not await self._book.silence(id, until):
            raise Problem(404, f"There is no alert {id}.")
        return Silenced(id, until)


class _Health:
    def __init__(self, opened: Opened) -> None:
        self._pulse = opened.pulse
        self._clock = opened.ledger.clock
        self._known: tuple[float, ProcessHealth] | None = None

    async def get(self, response: Response) -> HealthAnswer:
        """Live, ready, and each part; 503 while not ready. What is wrong with a part is not for
        everybody: the log says it, and the port of `health.port`."""
        health = await self._look()
        response.status_code = 200 if health.is_ready else 503
        return HealthAnswer(
            live=True,
            ready=health.is_ready,
            parts={name: "away" if wrong else "ok" for name, wrong in health.parts.items()},
        )

    async def _look(self) -> ProcessHealth:
        now = self._clock.now()
        if self._known is None or now - self._known[0] >= _KEPT:
            self._known = (now, await self._pulse.health())
        return self._known[1]
