"""A circuit breaker for a server of our own: after failures in a row it is not asked for a while.

When the rest is over the next call is a trial: one more failure begins the next rest (OBS-5).
"""

from __future__ import annotations


class ServerBreaker:
    """What is known of one server's failing. Time is an argument."""

    def __init__(self, failures: int, rest: float) -> None:
        self._most = failures
        self._rest = rest
        self._failures = 0
        self._until = 0.0

    def is_on(self, now: float) -> bool:
        return now < self._until

    def answered(self) -> None:
        self._failures = 0

    def failed(self, now: float) -> None:
        self._failures += 1
        if self._failures >= self._most:
            self._until = now + self._rest
