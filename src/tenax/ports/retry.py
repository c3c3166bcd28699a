"""The retry loop: what failed for reasons of ours is tried again, with pauses that grow.

`Backoff` is the policy, pure; `retry` is the loop, on a clock that is an argument. What the web
does is no exception and not tried here: its retries are visits of their own (`crawl.schedule`).
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from random import Random
from typing import TypeVar

from msgspec import Struct

from tenax.ports.world import Clock, Unavailable

T = TypeVar("T")
_FAR = 64
"""Doublings beyond which no pause is told apart, and floats have an end."""


class Backoff(Struct, frozen=True):
    """How often, and how long between the tries."""

    base: float
    """Seconds before the second try."""
    factor: float = 2.0
    """By which each further pause is longer."""
    longest: float = math.inf
    jitter: float = 0.0
    """The share by which a pause may be longer or shorter, so that many don't march in step."""
    tries: float = math.inf
    """In all; for ever where nothing is said."""

    def pause(self, failures: int, rng: Random | None = None) -> float:
        """Seconds to wait after so many failures in a row, at least one."""
        pause = min(self.base * self.factor ** min(failures - 1, _FAR), self.longest)
        return pause if rng is None else pause * (1 + rng.uniform(-self.jitter, self.jitter))


def nth(pauses: Sequence[float], failures: int, otherwise: float) -> float:
    """Of pauses that somebody listed: the first, the second …, the last for ever after."""
    return (pauses[:failures] or (otherwise,))[-1]


def is_unavailable(error: Exception) -> bool:
    return isinstance(error, Unavailable)


def _ignore(_: Exception) -> None:
    pass


async def retry(
    attempt: Callable[[], Awaitable[T]],
    backoff: Backoff,
    clock: Clock,
    *,
    is_worth: Callable[[Exception], bool] = is_unavailable,
    failed: Callable[[Exception], None] = _ignore,
    rng: Random | None = None,
) -> T:
    """What the attempt brings, or the error of the last one. `failed` hears of each failure after
    which there is another try."""
    failures = 0
    while True:
        try:
            return await attempt()
        except Exception as error:
            failures += 1
            if failures >= backoff.tries or not is_worth(error):
                raise
            failed(error)
        await clock.sleep(backoff.pause(failures, rng))
