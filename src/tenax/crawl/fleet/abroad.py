"""A turn at a host that another host's robots.txt leads to: ours if we hold it, else the ledger's.

Nobody is asked because a third party says so, unless at their own pace. Whoever holds the host
takes turns there; where nobody does, a turn is spent in the ledger before the request leaves, so
that the next holder counts from it. While another process holds it, we wait. What its answers say
of it is learned as from any other: a host that is away opens its own breaker.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from weakref import WeakValueDictionary

from tenax.crawl.turns import HostTurns
from tenax.fetch.cookies.jar import Jar
from tenax.fetch.turns import HostAtGate, NotOurTurn, Turn
from tenax.hosts.conduct import HostPolicies
from tenax.hosts.signs import Sign
from tenax.model import Habit, Host, HostTrouble, Step
from tenax.ports import Clock, HostBook, NotNow
from tenax.urls.normalise import host_of, origin_of

_LONGEST = 10.0
"""Seconds that are waited for a turn: more would make others wait for strangers."""
_ASK_LATER = 30.0


class TurnsAbroad:
    """The turns of all hosts that this process holds, and single ones of all others."""

    def __init__(self, hosts: HostBook, clock: Clock, treatment: HostPolicies, rng: Random) -> None:
        self._hosts = hosts
        self._clock = clock
        self._treatment = treatment
        self._rng = rng
        self._held: dict[str, HostTurns] = {}
        self._views: WeakValueDictionary[str, HostTurns] = WeakValueDictionary()
        """What is known of those that nobody holds; who waits for one answer learns it together."""

    def hold(self, turns: HostTurns) -> None:
        self._held[turns.host.name] = turns

    def leave(self, turns: HostTurns) -> None:
        if self._held.get(turns.host.name) is turns:
            del self._held[turns.host.name]

    @asynccontextmanager
    async def at(self, url: str, crawl_delay: float | None = None) -> AsyncIterator[HostAtGate]:
        name = host_of(url)
        held = self._held.get(name)
        if held is not None:
            yield _GuestTurns(held, self._clock)
            return
        view = self._views.get(name)
        if view is None:
            found = await self._hosts.view(name) or Host(name, origin_of(url))
            new = HostTurns(found, self._clock, self._treatment, self._rng)
            view = self._views.setdefault(name, new)
        known = view.host
        spent = _SpentTurns(view, self._clock, self._hosts, crawl_delay)
        yield spent
        if spent.host is not known:
            await self._hosts.heed(spent.host)


class _GuestTurns:
    """Those of a host that we hold, as somebody takes them who was led there."""

    def __init__(self, held: HostTurns, clock: Clock) -> None:
        self.jar: Jar | None = None
        self._held = held
        self._clock = clock

    @property
    def host(self) -> Host:
        return self._held.host

    @property
    def habit(self) -> Habit:
        return self._held.habit

    @habit.setter
    def habit(self, new: Habit) -> None:
        self._held.habit = new

    @property
    def delay(self) -> float:
        return self._held.delay

    @property
    def is_silenced(self) -> bool:
        return self._held.is_silenced

    @property
    def trouble(self) -> HostTrouble | None:
        return self._held.trouble

    def learn(self, sign: Sign | None) -> None:
        self._held.learn(sign)

    def enter(self, step: Step) -> None:
        """The visit is at its own gate."""

    async def take(self) -> Turn:
        if self._held.is_silenced:
            until = max(self._held.stance.until, self._clock.now() + _ASK_LATER)
            raise NotOurTurn(until, f"{self._held.host.name} is closed")
        return await self._held.take()


class _SpentTurns(_GuestTurns):
    """Those of a host that nobody holds, each spent in the ledger."""

    def __init__(
        self, view: HostTurns, clock: Clock, hosts: HostBook, crawl_delay: float | None
    ) -> None:
        super().__init__(view, clock)
        self._hosts = hosts
        self._crawl_delay = crawl_delay

    async def take(self) -> Turn:
        host = self.host
        at = await self._hosts.spend_turn(host.name, host.origin, _LONGEST, self._crawl_delay)
        if isinstance(at, NotNow):
            raise NotOurTurn(at.until, at.why)
        await self._clock.sleep(max(0.0, at - self._clock.now()))
        return _SPENT


class _Spent:
    """A turn that was spent with time for connecting, when it was taken."""

    def may_leave(self) -> bool:
        return True

    def sent(self, at: float, status: int | None = None, ms: float = 0.0) -> None:
        """The ledger counts from later."""

    def over(self) -> None:
        """Nobody waits for it."""


_SPENT = _Spent()
