"""May a request start now, although somebody else may believe that the host is theirs?"""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct


class Start(Struct, frozen=True):
    """A request that is about to be made."""

    id: str
    host: str
    unit: str
    """Whom the delay is for: the host, or those it shares its politeness with (FR-5)."""
    delay: float
    """Seconds between two starts; 0 for none."""
    slots: int
    """Requests under way at once, where there is no delay."""


class Granted(Struct, frozen=True):
    """It may be sent."""

    seconds: float
    """Not later than so long after it was asked for."""


class Denied(Struct, frozen=True):
    """It may not, for so many seconds; then it is to be asked for again."""

    seconds: float
    why: str = ""
    """What closed the host for all who hold it; empty when its turn has only not come."""


class StartGuard(Protocol):
    """Asked before every request by all who could hold one host at the same time.

    When it is lost, everything is granted: the leases of the ledger are left to pace the hosts,
    as they do where there is no guard. Only `reopen` raises then.
    """

    async def take(self, start: Start) -> Granted | Denied: ...

    def over(self, start: Start, ago: float | None) -> None:
        """What was granted is over; it left so many seconds ago, by None it never did."""

    def shut(self, host: str, seconds: float, why: str) -> None:
        """Nobody may ask the host for so long: a wait it asked for, or a breaker that opened."""

    async def reopen(self, host: str) -> None:
        """A person vouches for the host: what shut it is forgotten."""
