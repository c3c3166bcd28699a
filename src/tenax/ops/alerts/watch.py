"""Who looks whether somebody has to be woken? One process at a time, by lease. What it finds stands
in the ledger, and everybody who is to be told is told until they have heard it (OBS-4)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Literal, Protocol

from tenax.crawl.event import alert_told
from tenax.crawl.observe.visit_log import log_event
from tenax.model import EventKind
from tenax.ops.alerts.judge import judge
from tenax.ops.alerts.rules import AlertingPolicy, AlertWhat, Limit
from tenax.ops.alerts.symptoms import LEDGER, Symptoms, silent_ledger
from tenax.ops.events.delivery import DeliveryPatience, RelayPolicy
from tenax.ports import Clock, Outbox, Unavailable
from tenax.ports.checks import AlertBook, AlertRecord

log = logging.getLogger(__name__)
_RAISED, _CLEARED = "raised", "cleared"
_NEWS = 600.0
"""Seconds for which it is worth telling that the ledger was away."""
_LATEST = 200
"""Alerts among which one of the ledger is looked for."""


class AlertSink(Protocol):
    async def send(self, event: str, alert: AlertRecord) -> None:
        """Told that it was `raised` or `cleared`. Raises `Unavailable` when it was not heard: then
        it is told again."""


class AlertLog:
    """Everybody's first sink."""

    async def send(self, event: str, alert: AlertRecord) -> None:
        log_event(log, logging.WARNING, f"alert_{event}", id=alert.id, what=alert.what,
                  about=alert.about, told=alert.told)  # fmt: skip


class AlertEvents:
    """Those who are told by events: the outbox has it from here on, and webhooks get it."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox

    async def send(self, event: str, alert: AlertRecord) -> None:
        is_over = event == _CLEARED
        at = alert.cleared_at if is_over else alert.raised_at
        rule = f"{alert.what} {alert.about}".strip()
        state: Literal["raised", "cleared"] = "cleared" if is_over else "raised"
        value = alert_told(rule, state, alert.told, alert.value, at or alert.since)
        await self._outbox.put(EventKind.ALERT, sha256(rule.encode()).digest(), value)


class AlertWatch:
    def __init__(
        self,
        book: AlertBook,
        symptoms: Symptoms,
        rules: Mapping[AlertWhat, Limit],
        sinks: Mapping[str, AlertSink],
        clock: Clock,
        policy: AlertingPolicy,
        holder: str,
    ) -> None:
        self._book = book
        self._symptoms = symptoms
        self._rules = rules
        self._sinks = sinks
        self._clock = clock
        self._policy = policy
        self._holder = holder
        self._patience: dict[str, DeliveryPatience] = {}
        self._backoffs = RelayPolicy()
        self._asked: float | None = None
        """Since when the ledger was asked in vain."""
        self._silence: tuple[float, float] | None = None
        """From when until when it did not answer, which is for another one to tell."""

    async def run(self) -> None:
        """Beside the work. A ledger that is away is told of by whoever works with it."""
        while True:
            try:
                await self.look()
            except Unavailable as error:
                log.debug("alerts could not be looked at: %s", error)
            await self._clock.sleep(self._policy.look)

    async def look(self) -> None:
        if self._asked is None:
            self._asked = self._clock.now()
        if not await self._book.hold(self._holder, 3 * self._policy.look):
            self._leave_it_to_another(self._asked, self._clock.now())
            self._asked = None
            return
        # The ledger may go in the middle of this, and an adapter may wait for it, or give up and
        # be asked again: for how long it was away is known when all else is.
        known = await self._book.open()
        symptoms = await self._symptoms.look()
        now = self._clock.now()
        symptoms.append(silent_ledger(max(now - self._asked, await self._untold_silence())))
        found = judge(self._rules, symptoms, known, now)
        if found.new or found.changed or found.over:
            await self._book.write(found.new, found.changed, found.over)
        untold = await self._book.untold(tuple(self._sinks))
        went_since = self._clock.now() - now > self._policy.look
        self._asked = now if went_since else None
        await self._tell(untold)

    def _leave_it_to_another(self, asked: float, now: float) -> None:
        """Whoever looks may have died as soon as the ledger was back, or know nothing of it."""
        if now - asked > self._policy.look:
            self._silence = asked, now

    async def _untold_silence(self) -> float:
        """Seconds of the last one that we have left to somebody who has not told of it."""
        if self._silence is None:
            return 0.0
        (began, ended), self._silence = self._silence, None
        if self._clock.now() - ended > _NEWS:
            return 0.0
        latest = await self._book.latest(None, _LATEST, open_only=False)
        told = any(
            record.about == LEDGER and record.raised_at is not None and record.raised_at >= began
            for record in latest
        )
        return 0.0 if told else ended - began

    async def _tell(self, untold: Sequence[AlertRecord]) -> None:
        now = self._clock.now()
        for record in untold:
            if now < record.silent_until:
                continue
            for name, sink in self._sinks.items():
                for event in _unheard(record, name):
                    if await self._told(name, sink, event, record):
                        await self._book.heard(record.id, f"{event}:{name}")

    async def _told(self, name: str, sink: AlertSink, event: str, alert: AlertRecord) -> bool:
        now, patience = self._clock.now(), self._patience.get(name, DeliveryPatience())
        if patience.wait(now):
            return False
        try:
            await sink.send(event, alert)
        except Unavailable as error:
            if not patience.failures:
                log.warning("%s was not told of an alert: %s It is told again.", name, error)
            self._patience[name] = patience.failed(now, self._backoffs)
            return False
        self._patience.pop(name, None)
        return True


def _unheard(record: AlertRecord, sink: str) -> list[str]:
    """What this sink has to be told. That something is over is news to those who knew of it."""
    was_told = f"{_RAISED}:{sink}" in record.heard
    if record.raised_at is None:
        return []
    if record.cleared_at is None:
        return [] if was_told else [_RAISED]
    return [_CLEARED] if was_told and f"{_CLEARED}:{sink}" not in record.heard else []
