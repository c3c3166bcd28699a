"""Who gathers the figures when somebody scrapes this process? The ledger's are asked for, and done
without when it does not answer in time; the process's own are at hand."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from tenax.crawl.observe.observer import Observer
from tenax.crawl.outages.self_care import SelfCare
from tenax.crawl.steps import Steps
from tenax.fetch.tally import Tallies
from tenax.model import Step
from tenax.ops.health.metrics import LedgerFigures, ProcessFigures, measure, series
from tenax.ops.health.pulse import Pulse
from tenax.page.native import VERIFIED
from tenax.ports import Clock, DeadLetters, Outbox, Unavailable
from tenax.ports.checks import MetricSeries
from tenax.ports.overview import Overview

_KEPT = 1.0
"""Seconds for which the ledger's figures are told again: who scrapes without end asks it not."""


class Scrape:
    def __init__(
        self,
        overview: Overview,
        dead: DeadLetters,
        outbox: Outbox,
        clock: Clock,
        tallies: Tallies,
        observer: Observer,
        steps: Steps,
        pulse: Pulse,
        free: Callable[[], float | None] = lambda: None,
        pushed: Callable[[], Awaitable[int]] | None = None,
        tickets: Callable[[], Awaitable[int]] | None = None,
        care: SelfCare | None = None,
    ) -> None:
        """`free` is the share of the disk, `pushed` counts what others have pushed, `tickets` what
        is in the queue."""
        self._ledger = overview, dead, outbox
        self._clock = clock
        self._tallies = tallies
        self._observer = observer
        self._steps = steps
        self._pulse = pulse
        self._free = free
        self._pushed = pushed
        self._tickets = tickets
        self._care = care
        self._known: tuple[float, LedgerFigures | None] | None = None

    async def series(self) -> tuple[MetricSeries, ...]:
        now = self._clock.now()
        if self._known is None or not 0 <= now - self._known[0] < _KEPT:
            self._known = now, await self._measure()
        return series(await self._process(now), self._known[1])

    async def _measure(self) -> LedgerFigures | None:
        try:
            async with asyncio.timeout(self._pulse.limit):
                figures = await measure(*self._ledger, self._clock)
        except (Unavailable, TimeoutError):
            return None
        pushed, tickets = await _asked(self._pushed), await _asked(self._tickets)
        return replace(figures, pushed=pushed or 0, tickets=tickets)

    async def _process(self, now: float) -> ProcessFigures:
        tally = self._tallies.total()
        tally.verified += VERIFIED.pages
        tally.different += VERIFIED.different
        hosts = self._observer.hosts
        steps = self._steps.look(0).steps
        health = await self._pulse.health()
        return ProcessFigures(
            tally=tally,
            at=now,
            worst=hosts.worst(now),
            circuits=hosts.circuits(now),
            parts={name: not wrong for name, wrong in health.parts.items()},
            under_way={step: steps.get(step, 0) for step in Step},
            late=self._pulse.late,
            active_at=self._steps.active_at,
            disk=self._free(),
            is_stalled=self._care is not None and self._care.stalled is not None,
            is_held=self._care is not None and bool(self._care.held),
        )


async def _asked(count: Callable[[], Awaitable[int]] | None) -> int | None:
    """None where there is none, or it does not answer: that it is away is told elsewhere."""
    if count is None:
        return None
    try:
        async with asyncio.timeout(_KEPT):
            return await count()
    except (Unavailable, TimeoutError):
        return None
