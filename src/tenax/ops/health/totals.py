"""The totals of all jobs, cheap enough to be asked for twice a second, however many jobs there are.

Those that run are added up each time. The others change when a person acts, or one of them is
started or ends: they are added up again then, and every few seconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TypeVar

from tenax.ports import Clock, Counts
from tenax.ports.overview import Overview

AGAIN = 5.0
"""Seconds for which the sum of jobs that do not run is believed."""
K = TypeVar("K", bound=str)


class LedgerTotals:
    def __init__(self, overview: Overview, clock: Clock) -> None:
        self._overview = overview
        self._clock = clock
        self._rest = Counts()
        self._running: frozenset[int] | None = None
        self._asked_at = 0.0

    async def now(self) -> Counts:
        now = self._clock.now()
        running, counts = await self._overview.running_totals()
        if running != self._running or not 0 <= now - self._asked_at < AGAIN:
            self._rest = await self._overview.resting_totals(running)
            self._running, self._asked_at = running, now
        return together(counts, self._rest)


def together(one: Counts, other: Counts) -> Counts:
    return Counts(
        states=_sum(one.states, other.states),
        pages=one.pages + other.pages,
        renewing=one.renewing + other.renewing,
        duplicates=one.duplicates + other.duplicates,
        unrendered=one.unrendered + other.unrendered,
        rejected=_sum(one.rejected, other.rejected),
        deferred=one.deferred + other.deferred,
        statuses=_sum(one.statuses, other.statuses),
    )


def _sum(one: Mapping[K, int], other: Mapping[K, int]) -> dict[K, int]:
    found = Counter(one)
    found.update(other)
    return dict(sorted(found.items()))
