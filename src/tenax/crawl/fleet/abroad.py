"""A turn at a host that another host's robots.txt leads to: ours if we hold it, else the ledger's.

Nobody is asked because a third party says so, unless at their own pace. Whoever holds the host
takes turns there; where nobody does, a turn is spent in the ledger before the request leaves, so
that the next holder counts from it. While another process holds it, we wait.
"""

from __future__ import annotations

from tenax.crawl.turns import HostTurns
from tenax.fetch.turns import NotOurTurn, Turn, Turns
from tenax.model import Step
from tenax.outcome import Waiting
from tenax.ports import Clock, HostBook, NotNow
from tenax.urls.normalise import host_of, origin_of

_LONGEST = 10.0
"""Seconds that are waited for a turn: more would make others wait for strangers."""
_ASK_LATER = 30.0


class TurnsAbroad:
    """The turns of all hosts that this process holds, and single ones of all others."""

    def __init__(self, hosts: HostBook, clock: Clock) -> None:
        self._hosts = hosts
        self._clock = clock
        self._held: dict[str, HostTurns] = {}

    def hold(self, turns: HostTurns) -> None:
        self._held[turns.host.name] = turns

    def leave(self, turns: HostTurns) -> None:
        if self._held.get(turns.host.name) is turns:
            del self._held[turns.host.name]

    async def at(self, url: str, crawl_delay: float | None = None) -> Turns | Waiting:
        held = self._held.get(host_of(url))
        if held is None:
            return _SpentTurns(self._hosts, self._clock, url, crawl_delay)
        if held.is_silenced:
            until = max(held.stance.until, self._clock.now() + _ASK_LATER)
            return Waiting(until, f"{held.host.name} is closed")
        return held


class _SpentTurns:
    """Turns of one host that nobody holds, each spent in the ledger."""

    def __init__(self, hosts: HostBook, clock: Clock, url: str, crawl_delay: float | None) -> None:
        self._hosts = hosts
        self._clock = clock
        self._url = url
        self._crawl_delay = crawl_delay

    async def take(self) -> Turn:
        at = await self._hosts.spend_turn(
            host_of(self._url), origin_of(self._url), _LONGEST, self._crawl_delay
        )
        if isinstance(at, NotNow):
            raise NotOurTurn(at.until, at.why)
        await self._clock.sleep(max(0.0, at - self._clock.now()))
        return self

    def enter(self, step: Step) -> None:
        """The visit is at its own gate."""

    def may_leave(self) -> bool:
        return True

    def sent(self, at: float) -> None:
        """It was spent with time for connecting, when it was taken."""

    def over(self) -> None:
        """Nobody waits for it."""
