"""The API's rate limit: a sliding minute for each caller, counted over all servers of a ledger."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Annotated, TypeAlias

from msgspec import Meta, Struct

from tenax.model.knobs import PER_MINUTE
from tenax.ports import Clock

if TYPE_CHECKING:
    from tenax.ports.accounts import ApiRole, RequestCounts

WINDOW = 60.0
AMinute: TypeAlias = Annotated[int, Meta(ge=1), PER_MINUTE]


class ApiPolicy(Struct, frozen=True):
    """Requests a minute (API-4)."""

    anonymous: AMinute = 10
    """Without a key or a session, by address."""
    user: AMinute = 100
    """Of each user, and of each key with that role."""
    admin: AMinute = 500
    """Of each admin, and of each key with that role."""
    seeds: AMinute = 10
    """That add URLs, of each caller."""
    logins: AMinute = 5
    """To log in with one name from one address in vain; four times as many from one address, or
    with one name from all."""

    def of(self, role: ApiRole) -> int:
        limits = {"anonymous": self.anonymous, "user": self.user, "admin": self.admin}
        return limits[role]


class Allowance(Struct, frozen=True):
    """What somebody has left."""

    limit: int
    left: int
    """Below 0 when this request was one too many."""
    seconds: float
    """Until there is some again, when it is spent; else until this minute is over."""

    @property
    def is_spent(self) -> bool:
        return self.left < 0


class Limiter:
    """Of the minute before, as much counts as the sliding minute still covers."""

    def __init__(self, counts: RequestCounts, clock: Clock, policy: ApiPolicy) -> None:
        self._counts = counts
        self._clock = clock
        self.policy = policy
        self._window = 0
        self._spent: dict[str, tuple[int, int]] = {}

    async def take(self, asker: str, limit: int) -> Allowance:
        """Count one request of this asker. Whoever has spent a whole window is refused for the rest
        of it by this process's memory: in one, nobody costs more than their limit and one writes,
        however often they ask."""
        window, into = divmod(self._clock.now(), WINDOW)
        self._turn(int(window))
        now, before = self._spent.get(asker) or await self._counts.count(asker, int(window))
        if now > limit:
            self._spent[asker] = now, before
        # Those that were refused are no reason to refuse more than a minute's worth.
        before = min(before, limit)
        used = now + before * (1 - into / WINDOW)
        return Allowance(limit, floor(limit - used), _wait(limit, now, before, into))

    async def give_back(self, asker: str) -> None:
        """What was counted of this asker a moment ago is no reason to refuse anything."""
        window = int(self._clock.now() // WINDOW)
        self._turn(window)
        self._spent.pop(asker, None)
        await self._counts.uncount(asker, window)

    def _turn(self, window: int) -> None:
        if window != self._window:
            self._window = window
            self._spent.clear()


def _wait(limit: int, now: int, before: int, into: float) -> float:
    """Seconds until one more is allowed: when enough of the minute before is over, of this one or
    of the next."""
    if now < limit:
        return max(0.0, _passed(limit - now - 1, before) - into) or WINDOW - into
    return WINDOW - into + _passed(limit - 1, min(now, limit))


def _passed(left: int, before: int) -> float:
    """How far into a minute so many of the one before do not count any more."""
    return WINDOW * max(0.0, 1 - left / before) if before else 0.0
