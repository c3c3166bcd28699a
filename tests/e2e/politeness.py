"""Was a host asked too soon? Judged by the server's own log, its own lateness allowed for."""

from __future__ import annotations

import math
import threading
import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

from tenax.demo import LoggedRequest

TOLERANCE = 0.002
_TICK = 0.001
_AROUND = 0.1


class Lateness:
    """How late this process wakes up. A request logged late makes the next one look early."""

    def __init__(self) -> None:
        self._late: list[tuple[float, float]] = []

    def near(self, at: float) -> float:
        """The worst lateness around a moment."""
        # They come in the order of time, and on a busy machine there are very many.
        first = bisect_right(self._late, (at - _AROUND, math.inf))
        end = bisect_left(self._late, (at + _AROUND,))
        return max((late for _, late in self._late[first:end]), default=0.0)

    def tick(self) -> None:
        before = time.monotonic()
        time.sleep(_TICK)
        after = time.monotonic()
        late = after - before - _TICK
        if late > TOLERANCE / 2:
            self._late.append((after, late))


@contextmanager
def measured_lateness() -> Iterator[Lateness]:
    lateness = Lateness()
    over = threading.Event()

    def watch() -> None:
        while not over.is_set():
            lateness.tick()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield lateness
    finally:
        over.set()
        thread.join()


def after_cuts(
    visits: Iterable[LoggedRequest], delay: float, cuts: Sequence[tuple[float, float]]
) -> tuple[list[LoggedRequest], list[str]]:
    """The requests whose gaps say something, and where more came around a cut of the network, from
    and until these moments, than might have been sent.

    What left before a cut or within it comes when the system sends it again: at the latest as long
    after its end as it took, and all at once. How many left can still be counted.
    """
    log, found = sorted(visits), []
    late = [(begin, 2 * end - begin + 1.0) for begin, end in cuts]
    for begin, end in late:
        came = sum(begin <= each.at <= end for each in log)
        most = int((end - begin) / delay) + 2
        if came > most:
            found.append(f"{came} requests within {end - begin:.1f} s around a cut, {most} may be")
    told = [each for each in log if not any(begin <= each.at <= end for begin, end in late)]
    return told, found


def too_early(
    visits: Iterable[LoggedRequest], delay: float, lateness: Lateness, pause: float = 0.0
) -> list[str]:
    """The requests that came sooner after the one before than the delay allows.

    On a busy machine a request is held up between its sender's clock and the log. Then the gap
    before it is too long by as much as the one behind it is too short, and that is forgiven;
    not so after a long pause, where a restart may have forgotten when the last request was:
    one of four delays, or of so many seconds if that is more. The first of all makes a connection
    and has no gap before it to tell by: half a delay is forgiven.
    """
    long = max(pause, 4 * delay)
    log = sorted(visits)
    gaps = [there.at - here.at for here, there in pairwise(log)]
    found = []
    for here, there, gap, before in zip(log, log[1:], gaps, [1.5 * delay, *gaps], strict=False):
        held_up = max(0.0, before - delay) if before < long else 0.0
        if gap < delay - TOLERANCE - max(held_up, lateness.near(here.at)):
            found.append(f"{there.path} came {gap:.4f} s after {here.path}, {before:.4f} before")
    return found
