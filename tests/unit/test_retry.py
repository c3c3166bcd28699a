"""Is what failed tried again as often and as soon as the policy says? On a virtual clock."""

from __future__ import annotations

import math
import sys
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenax.ports import Unavailable, Unusable
from tenax.ports.retry import Backoff, nth, retry
from tests.ledgers import START, HandClock


class Failing:
    """Fails so often, and notes when it was tried."""

    def __init__(
        self, clock: HandClock, times: float, error: type[Exception] = Unavailable
    ) -> None:
        self.tried: list[float] = []
        self._clock = clock
        self._times = times
        self._error = error

    async def __call__(self) -> str:
        self.tried.append(round(self._clock.time - START, 6))
        if len(self.tried) <= self._times:
            raise self._error(f"failure {len(self.tried)}")
        return "done"


async def test_it_is_tried_until_it_works_with_pauses_that_double_up_to_the_longest() -> None:
    clock = HandClock()
    failing = Failing(clock, 6)
    assert await retry(failing, Backoff(0.5, longest=3.0), clock) == "done"
    assert failing.tried == [0.0, 0.5, 1.5, 3.5, 6.5, 9.5, 12.5]


async def test_after_the_last_try_its_error_is_raised_at_once() -> None:
    clock = HandClock()
    failing = Failing(clock, math.inf)
    with pytest.raises(Unavailable, match="failure 3"):
        await retry(failing, Backoff(0.2, tries=3), clock)
    assert failing.tried == [0.0, 0.2, 0.6]
    assert clock.time - START == pytest.approx(0.6), "nobody sleeps after the last try"


async def test_a_single_try_is_no_retry() -> None:
    clock = HandClock()
    with pytest.raises(Unavailable, match="failure 1"):
        await retry(Failing(clock, 1), Backoff(1.0, tries=1), clock)


async def test_what_waiting_would_not_help_is_raised_at_once() -> None:
    clock = HandClock()
    with pytest.raises(ZeroDivisionError):
        await retry(Failing(clock, 1, ZeroDivisionError), Backoff(1.0), clock)
    with pytest.raises(Unusable):
        await retry(
            Failing(clock, 1, Unusable),
            Backoff(1.0),
            clock,
            is_worth=lambda error: not isinstance(error, Unusable),
        )
    assert clock.time == START


async def test_failures_are_told_that_are_followed_by_a_try() -> None:
    clock, told = HandClock(), list[str]()
    with pytest.raises(Unavailable):
        await retry(
            Failing(clock, 9), Backoff(1.0, tries=3), clock, failed=lambda e: told.append(str(e))
        )
    assert told == ["failure 1", "failure 2"]


@given(
    failures=st.integers(1, 10_000),
    base=st.floats(0.001, 10),
    jitter=st.floats(0, 1),
    seed=st.integers(0, 99),
)
def test_a_pause_is_never_longer_than_the_longest_and_its_jitter(
    failures: int, base: float, jitter: float, seed: int
) -> None:
    backoff = Backoff(base, longest=30.0, jitter=jitter)
    assert 0 < backoff.pause(failures) <= 30.0
    assert backoff.pause(failures) <= backoff.pause(failures + 1)
    with_jitter = backoff.pause(failures, Random(seed))
    bound = backoff.pause(failures) * jitter
    # Two roundings of a double besides, which is all where the jitter is as small as those.
    assert abs(with_jitter - backoff.pause(failures)) <= bound + 30.0 * 2 * sys.float_info.epsilon


def test_of_listed_pauses_the_last_holds_for_ever_after() -> None:
    assert [nth((1.0, 5.0), failures, 9.0) for failures in (1, 2, 3, 100)] == [1.0, 5.0, 5.0, 5.0]
    assert nth((), 3, 9.0) == 9.0
