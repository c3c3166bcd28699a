"""The rate limit across processes: where leases could overlap, every request asks the guard, too.

A worker that was paused, or cut off from the ledger, may believe that it still holds a host. The
guard makes its requests and those of its successor one row of starts.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from itertools import count
from typing import Protocol

from tenax.fetch.turns import HostClosed, LeaseExpired, Turn
from tenax.hosts.conduct import HostEntry, Stance
from tenax.hosts.pace import PacePolicy, pace_at
from tenax.model import Assignment, Host
from tenax.ports import Clock, Granted, Start, StartGuard
from tenax.urls.sites import Sites

_SHORT = 1.0
"""Seconds not worth giving a closed host back for."""


class HostHolder(Turn, Protocol):
    """Whoever holds the host, as it sees it."""

    host: Host
    is_waiting: bool

    @property
    def delay(self) -> float: ...

    def leave_alone_until(self, until: float) -> None: ...


class Watch:
    """The guard as one process asks it."""

    def __init__(
        self, guard: StartGuard, clock: Clock, policy: PacePolicy, sites: Sites | None = None
    ) -> None:
        self._sites = Sites() if sites is None else sites
        self._guard = guard
        self._clock = clock
        self._policy = policy
        # A process is nobody's successor: no two of them have ever used one name.
        name = os.urandom(16).hex()
        self._names: Iterator[str] = (f"{name}:{number}" for number in count())

    def over(self, assignment: Assignment) -> Guarded:
        """Watch over the requests of an assignment."""
        host = assignment.host.name
        unit = assignment.unit or host
        policy = pace_at(self._policy, self._sites.of(host))
        return Guarded(self._guard, self._clock, policy, self._names, host, unit)


class Guarded:
    """One host's requests, as far as others may be asking it."""

    def __init__(
        self,
        guard: StartGuard,
        clock: Clock,
        policy: PacePolicy,
        names: Iterator[str],
        host: str,
        unit: str,
    ) -> None:
        self._guard = guard
        self._clock = clock
        self._policy = policy
        self._names = names
        self._host = host
        self.unit = unit
        """Whom the delay is for; known later where that is the host's address."""
        self._shut_until = 0.0

    async def take(self, holder: HostHolder) -> Turn:
        """Wait until nobody's request stands against ours. What others were told ends it."""
        while True:
            asked_at = self._clock.now()
            start = self._start(holder.delay)
            said = await self._guard.take(start)
            if isinstance(said, Granted):
                turn = GuardedTurn(holder, start, self._guard, self._clock)
                turn.expires_at = asked_at + said.seconds
                return turn
            if said.why and said.seconds > _SHORT:
                self._shut_until = asked_at + said.seconds
                holder.leave_alone_until(self._shut_until)
                raise HostClosed
            holder.is_waiting = True
            try:
                await self._clock.sleep(said.seconds)
            finally:
                holder.is_waiting = False
            if not holder.may_leave():
                raise LeaseExpired

    def learned(self, stance: Stance) -> None:
        """Tell the others when the host is closed, once for every later end of it."""
        if stance.entry is not HostEntry.CLOSED or stance.until <= self._shut_until:
            return
        if stance.why is None or math.isinf(stance.until):
            return
        self._shut_until = stance.until
        self._guard.shut(self._host, stance.until - self._clock.now(), stance.why)

    def _start(self, delay: float) -> Start:
        # Less than the holder adds itself: asked in time, the guard has nothing against it.
        waits = delay + self._policy.margin / 2 if delay > 0 else 0.0
        return Start(next(self._names), self._host, self.unit, waits, self._policy.slots_unpaced)


class GuardedTurn:
    """One request that was granted, until it is over."""

    def __init__(self, holder: HostHolder, start: Start, guard: StartGuard, clock: Clock) -> None:
        self.expires_at = math.inf
        self._holder = holder
        self._start = start
        self._guard = guard
        self._clock = clock
        self._left_at: float | None = None

    def may_leave(self) -> bool:
        now = self._clock.now()
        if now >= self.expires_at or not self._holder.may_leave():
            return False
        # Should it be cut off from here on, it counts as sent.
        self._left_at = now
        return True

    def sent(self, at: float, status: int | None = None, ms: float = 0.0) -> None:
        self._left_at = at
        self._holder.sent(at, status, ms)

    def over(self) -> None:
        ago = None if self._left_at is None else max(0.0, self._clock.now() - self._left_at)
        self._guard.over(self._start, ago)
