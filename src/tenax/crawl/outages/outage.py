"""Retry with backoff while the ledger is away: everybody waits for the same next try, not for ever.

Results wait in memory, no more of them than the commit policy allows; hosts are asked only as long
as their leases hold. Whoever waits longer than the patience ends with an error.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

from msgspec import Meta, Struct

from tenax.model.knobs import SECONDS, AtLeastOne, Seconds, SomeSeconds
from tenax.ports import Clock, Unavailable
from tenax.ports.retry import Backoff
from tenax.ports.waiting import sleep_until_told

log = logging.getLogger(__name__)
T = TypeVar("T")
FAREWELL = 4.0
"""Seconds that who is told to end still waits for a service that is away: it has ten for all."""


class OutagePolicy(Struct, frozen=True):
    tries: AtLeastOne = 3
    """Failures after which the ledger counts as away, and everybody waits for the same next try."""
    first: SomeSeconds = 0.1
    """Seconds before the second try, doubling from try to try (OBS-5)."""
    longest: SomeSeconds = 3.0
    """The longest of those pauses: one process tries once in that time, whoever waits in it, and is
    back within five seconds of the ledger."""
    limit: Annotated[float, Meta(ge=0.1), SECONDS] = 5.0
    """Seconds within which a ledger that is being opened has to answer; what takes longer later
    makes us ask on another connection whether it is still there."""
    patience: Seconds = 900.0
    """Seconds without a ledger after which a worker gives up; nothing committed is lost then."""


class LedgerOutage(Struct, frozen=True):
    """How the ledger has failed lately: how often in a row, and since when."""

    failures: int = 0
    since: float | None = None
    next_at: float = 0.0

    @property
    def is_over(self) -> bool:
        return not self.failures


def failed(outage: LedgerOutage, now: float, policy: OutagePolicy) -> LedgerOutage:
    """One more try has failed."""
    failures = outage.failures + 1
    pause = Backoff(policy.first, longest=policy.longest).pause(failures)
    return LedgerOutage(failures, now if outage.since is None else outage.since, now + pause)


def is_away(outage: LedgerOutage, policy: OutagePolicy) -> bool:
    return outage.failures >= policy.tries


def is_given_up(outage: LedgerOutage, now: float, policy: OutagePolicy) -> bool:
    """Whether it has been away for longer than anybody waits; then each call tries just once."""
    return outage.since is not None and now - outage.since >= policy.patience


class Away(Unavailable):
    """A service did not answer, and nothing was changed: the same call may succeed later."""


class OutagePatience:
    """Repeats what a service that is away could not do, until it is back or for too long."""

    def __init__(self, what: str, policy: OutagePolicy, clock: Clock) -> None:
        """`what` names the service in the log; empty for those who do not wait long."""
        self._what = what
        self._policy = policy
        self._clock = clock
        self._outage = LedgerOutage()
        self._back = asyncio.Event()
        self._trouble = ""
        self._ends_at = math.inf

    @property
    def trouble(self) -> str:
        """Why the service counts as away; empty while it answers."""
        return self._trouble if is_away(self._outage, self._policy) else ""

    async def insist(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """What the attempt brings, or the last `Away` when the patience is at its end."""
        # Not `ports.retry`: all who call share one outage. Those who fail at once count once, the
        # first success wakes the rest, and not tries run out but time.
        while True:
            if self._outage.failures and self._clock.now() >= self._ends_at:
                raise Away(self._trouble)
            try:
                result = await attempt()
            except Away as error:
                self._note(error)
                if is_given_up(self._outage, self._clock.now(), self._policy):
                    raise
                await self._pause()
            else:
                if self._outage.failures:
                    self._recover()
                return result

    def hasten(self, seconds: float) -> None:
        """Wait no longer than this from now on: the process is to end."""
        self._ends_at = min(self._ends_at, self._clock.now() + seconds)
        self._wake()

    def give_up(self, why: str) -> None:
        """It was asked, and said nothing in time: whoever asks now hears this at once."""
        self._trouble = why
        self._outage = failed(self._outage, self._clock.now(), self._policy)
        self._ends_at = self._clock.now()
        self._wake()

    def _note(self, error: Away) -> None:
        now, before = self._clock.now(), self._outage
        self._trouble = str(error)
        if before.failures and now < before.next_at:
            return  # of several calls that fail at once, one counts
        self._outage = failed(before, now, self._policy)
        if self._what and is_away(self._outage, self._policy) and not is_away(before, self._policy):
            log.warning("%s is away: %s Waiting until it is back.", self._what, error)

    def _recover(self) -> None:
        since = self._outage.since or 0.0
        if self._what and is_away(self._outage, self._policy):
            log.warning("%s is back after %.0f s", self._what, self._clock.now() - since)
        self._outage = LedgerOutage()
        self._wake()

    def _wake(self) -> None:
        self._back.set()
        self._back = asyncio.Event()

    async def _pause(self) -> None:
        """Until the next try is due, or somebody else's has succeeded."""
        seconds = max(min(self._outage.next_at, self._ends_at) - self._clock.now(), 0.0)
        await sleep_until_told(self._clock, seconds, self._back)
