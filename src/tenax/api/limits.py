"""The API's rate limit: requests counted by caller and minute, in this process alone."""

from __future__ import annotations

from collections import OrderedDict

from msgspec import Struct

from tenax.ports import Clock
from tenax.ports.api_keys import ApiRole

PER_MINUTE = {ApiRole.ANONYMOUS: 10, ApiRole.USER: 100, ApiRole.ADMIN: 500}
"""API-4."""
_MINUTE = 60.0
_MOST = 10_000
"""Askers that are remembered; of more, those that asked least lately are forgotten."""


class Allowance(Struct, frozen=True):
    """What somebody has left of this minute."""

    limit: int
    left: int
    """Below 0 when this request was one too many."""
    seconds: float
    """Until the next minute begins."""

    @property
    def is_spent(self) -> bool:
        return self.left < 0


class Limiter:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def take(self, asker: str, role: ApiRole) -> Allowance:
        """Count one request of this asker."""
        now = self._clock.now()
        began, count = self._seen.pop(asker, (now, 0))
        if now - began >= _MINUTE:
            began, count = now, 0
        self._seen[asker] = (began, count + 1)
        if len(self._seen) > _MOST:
            self._seen.popitem(last=False)
        limit = PER_MINUTE[role]
        return Allowance(limit, limit - count - 1, began + _MINUTE - now)
