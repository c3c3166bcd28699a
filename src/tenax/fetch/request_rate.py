"""What holds for the requests to all hosts together: a rate limit (`fetch.rate`), asked after a
host's turn, before the request; and whether there is a network to send them by.

A row of moments, one for each request of this process, each `1 / rate` after the last. Processes
that crawl into one ledger take an equal part of the rate each; who has come or gone is looked up
every few seconds, so for that long after a process has come they may be faster together.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from tenax.fetch.turns import Turn, Turns
from tenax.model import Failure, Fault, Forbidden, Response
from tenax.outcome import UNREACHABLE
from tenax.ports import Clock, Unavailable

_LOOK = 5.0
"""Seconds after which it is looked up again who shares the rate."""


_UNREACHED = UNREACHABLE | {Fault.PROXY, Fault.READ_TIMEOUT, Fault.RESET}
"""How requests fail when a cable is pulled: before they are sent, or while they wait."""


class RequestRate:
    """The moments at which this process may send."""

    def __init__(
        self, clock: Clock, rate: float, sharers: Callable[[], Awaitable[int]] | None = None
    ) -> None:
        """`sharers` tells how many processes share it, this one included."""
        self._clock = clock
        self._rate = rate
        self._sharers = sharers
        self._shared_by = 1
        self._looked_at = 0.0
        self._next_at = 0.0

    async def take(self) -> bool:
        """Wait for our moment; whether there was anything to wait for."""
        if self._rate <= 0:
            return False
        await self._look()
        now = self._clock.now()
        at = max(now, self._next_at)
        self._next_at = at + self._shared_by / self._rate
        if at <= now:
            return False
        await self._clock.sleep(at - now)
        return True

    async def _look(self) -> None:
        if self._sharers is None or self._clock.now() - self._looked_at < _LOOK:
            return
        self._looked_at = self._clock.now()
        try:
            self._shared_by = max(1, await self._sharers())
        except Unavailable:
            # As many as there were: who waits for the ledger asks for nothing new.
            return


async def permit(turns: Turns, rate: RequestRate) -> Turn:
    """The host's turn, then that of all hosts together (FE-1)."""
    turn = await turns.take()
    try:
        waited = await rate.take()
    except BaseException:
        turn.over()
        raise
    if not waited or turn.may_leave():
        return turn
    # A turn lasts only so long where others may have the host: once more, and at once.
    turn.over()
    return await turns.take()


class Network(Protocol):
    """Our own, as far as it is known: nobody is asked while it is away (OBS-3)."""

    answered_at: float
    """When anybody last answered."""

    @property
    def is_away(self) -> bool: ...

    @property
    def look_at(self) -> float:
        """When it may be back."""

    async def is_to_blame(self, failure: Failure, started: float) -> bool:
        """Whether this request could not be made because of it."""


class OffTheNetwork(Exception):
    """Nobody can be reached: nothing is to be learned from that, of hosts or of proxies."""


async def notice(
    network: Network, answer: Response | Failure | Forbidden, started: float, now: float
) -> None:
    """Raises where it is our network that has failed, not whoever was asked."""
    if isinstance(answer, Response):
        network.answered_at = now
        return
    if isinstance(answer, Forbidden) or answer.fault not in _UNREACHED:
        return
    if await network.is_to_blame(answer, started):
        raise OffTheNetwork
