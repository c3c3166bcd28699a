"""The step marker: what each visit of this process is doing, and since when, for whoever looks on.

Kept in memory and written by the visits themselves: a look at the clock and two attributes for
each step. Others see it in the ledger, where the feeder writes it every few seconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import islice

from tenax.fetch.cookies.jar import Jar
from tenax.fetch.turns import VisitedHost
from tenax.model import Habit, LeasedTarget, Step, UnderWay, VisitUnderWay
from tenax.ports import Clock

MOST = 32
"""Visits told one by one: those that began first, so one that hangs is among them."""
_LONGEST_URL = 500
_LONG = 0.5
"""Seconds of computing after which everybody else in the process was held up."""
_COMPUTING = frozenset({Step.READ, Step.JUDGE})


class Mark:
    """One visit, which says what it does."""

    __slots__ = ("_now", "_steps", "began_at", "host", "job_id", "since", "step", "url")

    def __init__(self, steps: Steps, clock: Clock, target: LeasedTarget, host: str) -> None:
        self._steps = steps
        self._now = clock.now
        self.url = target.url
        self.host = host
        self.job_id = target.job_id
        self.step = Step.GATE
        self.since = self.began_at = clock.now()

    def enter(self, step: Step) -> None:
        now = self._now()
        if now - self.since > _LONG and self.step in _COMPUTING:
            self._steps.held_up(self, now)
        self.step = step
        self.since = self._steps.active_at = now


class TracedMark(Mark):
    """One that remembers all its steps, for whoever traces visits (OBS-2)."""

    __slots__ = ("outcome", "passed")

    def __init__(self, steps: Steps, clock: Clock, target: LeasedTarget, host: str) -> None:
        super().__init__(steps, clock, target, host)
        self.passed: list[tuple[Step, float]] = [(self.step, self.since)]
        """Each step, and when it was entered."""
        self.outcome = ""

    def enter(self, step: Step) -> None:
        super().enter(step)
        self.passed.append((step, self.since))


class Steps:
    """The visits under way in this process, in the order in which they began."""

    def __init__(
        self, clock: Clock, traced: Callable[[TracedMark, float], None] | None = None
    ) -> None:
        """`traced` is told of each visit that was written down, and when that was."""
        self._clock = clock
        self._traced = traced
        self._marks: dict[tuple[int, int], Mark] = {}
        self._held_up: tuple[float, str] = (0.0, "")
        self.active_at = 0.0
        """When a visit last got on."""
        self.held: tuple[str, ...] = ()
        """What keeps this process from claiming work."""

    @property
    def count(self) -> int:
        """Visits that have begun and are not written down."""
        return len(self._marks)

    def begin(self, target: LeasedTarget, assignment_id: int, host: str) -> Mark:
        kind = Mark if self._traced is None else TracedMark
        mark = self._marks[target.id, assignment_id] = kind(self, self._clock, target, host)
        return mark

    def commits(self, lease: tuple[int, int], outcome: str = "") -> None:
        """Its settlement waits to be written."""
        if mark := self._marks.get(lease):
            mark.enter(Step.COMMIT)
            if isinstance(mark, TracedMark):
                mark.outcome = outcome

    def end(self, lease: tuple[int, int]) -> None:
        """It is written down."""
        mark = self._marks.pop(lease, None)
        if self._traced is not None and isinstance(mark, TracedMark):
            self._traced(mark, self._clock.now())

    def leave(self, lease: tuple[int, int]) -> None:
        """Its visitor is done with it: it is over, unless its settlement is still to be written."""
        mark = self._marks.get(lease)
        if mark is not None and mark.step is not Step.COMMIT:
            del self._marks[lease]

    def held_up(self, mark: Mark, now: float) -> None:
        took = f"took {now - mark.since:.1f} s"
        self._held_up = now, f"{mark.step} of {mark.url[:_LONGEST_URL]} {took}"

    def culprit(self, since: float) -> str:
        """What kept everybody waiting last, if it ended after this moment."""
        at, what = self._held_up
        return what if at >= since else ""

    def look(self, most: int = MOST) -> UnderWay:
        return UnderWay(
            self._clock.now(),
            dict(Counter(mark.step for mark in self._marks.values())),
            tuple(_seen(mark) for mark in islice(self._marks.values(), most)),
            self.held,
        )


def _seen(mark: Mark) -> VisitUnderWay:
    url = mark.url if len(mark.url) <= _LONGEST_URL else f"{mark.url[:_LONGEST_URL]}…"
    return VisitUnderWay(url, mark.host, mark.job_id, mark.step, mark.since, mark.began_at)


class MarkedTurns:
    """A host's turns as one visit takes them: what its fetch does is its step. The gate asks with
    the host's own, so that a visit which waits for robots.txt is at the gate."""

    __slots__ = ("_turns", "enter", "jar", "take")

    def __init__(self, turns: VisitedHost, mark: Mark, jar: Jar | None = None) -> None:
        self._turns = turns
        self.jar = jar
        self.enter = mark.enter
        self.take = turns.take

    @property
    def habit(self) -> Habit:
        return self._turns.habit

    @habit.setter
    def habit(self, new: Habit) -> None:
        self._turns.habit = new

    @property
    def delay(self) -> float:
        return self._turns.delay

    @property
    def is_silenced(self) -> bool:
        return self._turns.is_silenced
