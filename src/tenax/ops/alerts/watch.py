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
from tenax.ops.alerts.symptoms import Symptoms, silent_ledger
from tenax.ops.events.delivery import DeliveryPatience, RelayPolicy
from tenax.ports import Clock, Outbox, Unavailable
from tenax.ports.checks import AlertBook, AlertRecord

log = logging.getLogger(__name__)
_RAISED, _CLEARED = "raised", "cleared"
_HELD = 3
"""For how many looks whoever looks may be silent until another one does."""
_OTHERS = 4
"""Looks after which whoever looks has told of what it knows."""


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
        if not await self._book.hold(self._holder, _HELD * self._policy.look):
            now = self._clock.now()
            if now - self._asked > self._policy.look:
                self._silence = self._asked, now
            self._asked = None
            await self._tell_of_silence(now)
            return
        # The ledger may go in the middle of this, and an adapter may wait for it, or give up and
        # be asked again: for how long it was away is known when all else is.
        await self._tell_of_silence(self._clock.now())
        known = await self._book.open()
        # What another has raised may be over already, as an outage of the ledger always is.
        await self._tell([record for record in known if not record.heard])
        symptoms = await self._symptoms.look()
        now = self._clock.now()
        symptoms.append(silent_ledger(now - self._asked))
        found = judge(self._rules, symptoms, known, now)
        if found.new or found.changed or found.over:
            await self._book.write(found.new, found.changed, found.over)
        untold = await self._book.untold(tuple(self._sinks))
        went_since = self._clock.now() - now > self._policy.look
        self._asked = now if went_since else None
        await self._tell(untold)

    async def _tell_of_silence(self, now: float) -> None:
        """Of one that we have left to whoever looks, who may have died as soon as the ledger was
        back, or begun only then, and know nothing of it."""
        if self._silence is None or now - self._silence[1] < _OTHERS * self._policy.look:
            return
        began, ended = self._silence
        for record in judge(self._rules, [silent_ledger(ended - began)], (), now).new:
            if record.raised_at is not None:
                await self._book.raise_once(record, began)
        self._silence = None

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
