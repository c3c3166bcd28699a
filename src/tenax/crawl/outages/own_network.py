"""Is it the host that cannot be reached, or do we reach nobody? What fails while our own network is
away is held against nobody (OBS-3).

A request that could not be made is the host's fault while others answer. When nobody has answered
lately, a probe tells; what was begun before the network was back belongs to its outage.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from ipaddress import ip_address

from tenax.crawl.observe.visit_log import log_event
from tenax.model import Failure
from tenax.ports import Clock

log = logging.getLogger(__name__)
_LATELY = 2.0
"""Seconds for which an answer shows that our network is there."""
_KEPT = 1.0
"""Seconds for which a probe is believed: many requests fail at once."""


def is_ours(started: float, now: float, answered_at: float, back_at: float) -> bool | None:
    """Whether a request that could not be made is our network's fault; None when only a probe can
    tell: nobody has answered since it was begun, or for a while. Pure."""
    if started < back_at:
        return True
    if max(started, now - _LATELY) <= answered_at <= now:
        return False
    return None


class OwnNetwork:
    """What is known of our own network, and who asks the probe."""

    def __init__(self, probe: Callable[[], Awaitable[bool]], clock: Clock, again: float) -> None:
        """`probe` says whether anybody out there can be reached. While nobody can, it is asked
        every `again` seconds."""
        self.away_since: float | None = None
        self.answered_at = 0.0
        """When anybody last answered."""
        self.heard: set[Callable[[], None]] = set()
        """Who is told at once that it has gone, or is back."""
        self._probe = probe
        self._clock = clock
        self._again = again
        self._back_at = 0.0
        self._asked: tuple[float, bool] | None = None
        self._asking = asyncio.Lock()

    @property
    def is_away(self) -> bool:
        return self.away_since is not None

    @property
    def look_at(self) -> float:
        """When it is worth asking again."""
        return (self._asked[0] if self._asked else 0.0) + self._again

    @property
    def trouble(self) -> str:
        return "nobody can be reached: our own network is away" if self.is_away else ""

    async def is_to_blame(self, failure: Failure, started: float) -> bool:
        """Whether this failure is our network's."""
        if _is_here(failure.address):
            return False
        if self.is_away:
            return True
        blamed = is_ours(started, self._clock.now(), self.answered_at, self._back_at)
        return not await self.look() if blamed is None else blamed

    async def look(self) -> bool:
        """Ask the probe, unless it was asked a moment ago; whether anybody can be reached."""
        async with self._asking:
            now = self._clock.now()
            if self._asked is None or not 0 <= now - self._asked[0] < _KEPT:
                there = await self._probe()
                self._asked = self._clock.now(), there
                self._note(there)
            return self._asked[1]

    def _note(self, there: bool) -> None:
        now = self._clock.now()
        if there and self.away_since is not None:
            log_event(log, logging.WARNING, "network_back", after=round(now - self.away_since),
                      then="work is claimed again")  # fmt: skip
            self.away_since, self._back_at = None, now
            self._tell()
        elif not there and self.away_since is None:
            self.away_since = now
            log_event(log, logging.WARNING, "network_away",
                      then=f"nothing is claimed and held against no host; looking every"
                           f" {self._again:g} s")  # fmt: skip
            self._tell()

    def _tell(self) -> None:
        for each in tuple(self.heard):
            each()


def _is_here(address: str) -> bool:
    """Whether that is this machine: reached without any network."""
    try:
        return bool(address) and ip_address(address).is_loopback
    except ValueError:
        return False
