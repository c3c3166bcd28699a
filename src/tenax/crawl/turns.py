"""The rate limit of a held host: a permit for every request, and what its answers say of it.

A visit passes the gate once; its turn is asked for by the fetch, last of all before a request
leaves, and as often as requests leave. So this stands behind the fetch, not in the gate.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from random import Random
from typing import TypeAlias

from msgspec.structs import replace

from tenax.crawl.fleet.start_guard import Guarded
from tenax.fetch.cookies.jar import Jar
from tenax.fetch.turns import LeaseExpired, Turn
from tenax.hosts import conduct, pace
from tenax.hosts.signs import Sign
from tenax.model import Habit, Host, HostTrouble, Pace, Step
from tenax.outcome import RequestStart
from tenax.ports import Clock

Treated: TypeAlias = Callable[[Host, Host, conduct.HostPolicies], None]
"""Told of a host before and after something was learned of it, and by which policies."""


class HostTurns:
    """The holder's live view of a host: takes its turns and learns from its answers."""

    def __init__(
        self,
        host: Host,
        clock: Clock,
        policies: conduct.HostPolicies,
        rng: Random,
        expires_at: float = math.inf,
        guarded: Guarded | None = None,
        treated: Treated | None = None,
    ) -> None:
        """`guarded` asks whoever else could hold the host, where leases can overlap; `treated` is
        told when the host is to be treated otherwise."""
        self.host = host
        self.jar: Jar | None = None
        """Of no job: robots.txt and probes are asked for by a stranger."""
        self.expires_at = expires_at
        self.is_waiting = False
        self._clock = clock
        self._policies = policies
        self._rng = rng
        self._guarded = guarded
        self._starts: list[RequestStart] = []
        self._treated = treated

    @property
    def longest_delay(self) -> float:
        return self._policies.pace.crawl_delay_cap

    @property
    def is_paced(self) -> bool:
        return self.delay > 0

    @property
    def delay(self) -> float:
        return pace.delay_of(self.host.pace, self._policies.pace)

    @property
    def habit(self) -> Habit:
        return self.host.habit

    @habit.setter
    def habit(self, new: Habit) -> None:
        if new is not self.host.habit:
            self.host = replace(self.host, habit=new)

    @property
    def trouble(self) -> HostTrouble | None:
        return self.host.health.trouble

    @property
    def stance(self) -> conduct.Stance:
        return conduct.stance(self.host, self._clock.now(), self._policies)

    @property
    def is_silenced(self) -> bool:
        """Whether the host is to be left alone beyond the usual delay."""
        return self.stance.entry is conduct.HostEntry.CLOSED

    def treat(self, policies: conduct.HostPolicies) -> bool:
        """The rules of its site have changed; whether the host is to be asked at another pace."""
        before, self._policies = self._policies, policies
        if policies.pace == before.pace:
            return False
        now = self._clock.now()
        self._set_pace(pace.retimed(self.host.pace, now, before.pace, policies.pace))
        return True

    async def take(self) -> Turn:
        """Wait for a turn. It is spent before the wait, so that two never share one."""
        now = self._clock.now()
        before = self.host.pace
        spent, at = pace.start(before, now, self._policies.pace)
        self._set_pace(spent)
        if at > now:
            self.is_waiting = True
            try:
                await self._clock.sleep(at - now)
            except asyncio.CancelledError:
                # By how much, not to what: the delay may be another one by now.
                unspent = self.host.pace.next_at - (spent.next_at - before.next_at)
                self._set_pace(replace(self.host.pace, next_at=unspent))
                raise
            finally:
                self.is_waiting = False
        if not self.may_leave():
            raise LeaseExpired
        return self if self._guarded is None else await self._guarded.take(self)

    def enter(self, step: Step) -> None:
        """Nobody's: a visit has marked turns of its own, and is at the gate while that asks."""

    def may_leave(self) -> bool:
        """Asked last, at the moment of sending: a process may be stopped for hours before it."""
        return self._clock.now() < self.expires_at

    def forfeit(self) -> None:
        """Somebody else holds the host: nothing more may leave for it from here."""
        self.expires_at = -math.inf

    def sent(self, at: float, status: int | None = None, ms: float = 0.0) -> None:
        self._starts.append(RequestStart(at, status, ms, self.delay))
        self._set_pace(pace.sent(self.host.pace, at, self._policies.pace))

    def take_starts(self) -> tuple[RequestStart, ...]:
        """The requests that have left since this was last asked, to be written down."""
        starts = tuple(self._starts)
        self._starts.clear()
        return starts

    def over(self) -> None:
        """Nobody but the guard waits for the end of a request."""

    def obey(self, crawl_delay: float | None) -> None:
        now = self._clock.now()
        self._set_pace(pace.obey(self.host.pace, crawl_delay, now, self._policies.pace))

    def leave_alone_until(self, until: float) -> None:
        later = max(self.host.pace.backoff_until, until)
        self._set_pace(replace(self.host.pace, backoff_until=later))

    def learn(self, sign: Sign | None) -> None:
        """What a visit or a probe says about the host."""
        now = self._clock.now()
        before = self.host
        after = self.host = conduct.learn(before, sign, now, self._policies, self._rng)
        # Of nearly every page all three are the same.
        if self._treated is not None and (
            after.health.trouble is not before.health.trouble
            or after.health.failures != before.health.failures
            or after.pace.throttle is not before.pace.throttle
        ):
            self._treated(before, after, self._policies)
        if self._guarded is not None:
            self._guarded.learned(self.stance)

    def heed(self, other: Host) -> None:
        """What others who hold the host were told holds for us too, and whether it is paused."""
        heeding = conduct.heed(self.host, other, self._policies)
        self.host = replace(heeding, paused=other.paused)

    def share(self, unit: str) -> None:
        """The host takes turns with all at this address."""
        if self._guarded is not None and unit and self.is_paced:
            self._guarded.unit = unit

    def _set_pace(self, new: Pace) -> None:
        host = self.host
        if new is not host.pace:
            # Spelled out: `replace` costs three times as much, and this runs twice a page.
            self.host = Host(
                host.name, host.origin, host.id, host.visits, new, host.health, host.paused,
                host.habit,
            )  # fmt: skip
