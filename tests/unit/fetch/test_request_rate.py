"""When may this process send, of all that crawl into one ledger?"""

from __future__ import annotations

from itertools import pairwise

import pytest

from tenax.fetch.fetch_policy import FetchPolicy
from tenax.fetch.fetcher import Fetcher, FetcherParts
from tenax.fetch.request_rate import RequestRate
from tenax.model import Client, Request, Step
from tenax.page.verdict.pattern_table import shipped
from tenax.ports import Unavailable
from tenax.testing import SimulatedWeb, VirtualClock, run_virtually


async def moments(rate: RequestRate, count: int) -> list[float]:
    clock, taken = VirtualClock(), []
    start = clock.now()
    for _ in range(count):
        await rate.take()
        taken.append(clock.now() - start)
    return taken


@pytest.mark.parametrize(
    ("rate", "sharers", "expected"),
    [(0.0, 1, [0, 0, 0]), (4.0, 1, [0, 0.25, 0.5]), (4.0, 4, [0, 1, 2]), (4.0, 0, [0, 0.25, 0.5])],
)
def test_moments_follow_each_other_by_our_part_of_the_rate(
    rate: float, sharers: int, expected: list[float]
) -> None:
    async def count() -> int:
        return sharers

    taken = run_virtually(moments(RequestRate(VirtualClock(), rate, count), 3))
    assert taken == pytest.approx(expected)


def test_who_shares_is_looked_up_again_and_kept_while_that_fails() -> None:
    answers = iter([1, 2])

    async def count() -> int:
        try:
            return next(answers)
        except StopIteration:
            raise Unavailable("away") from None

    taken = run_virtually(moments(RequestRate(VirtualClock(), 1.0, count), 14))
    steps = [b - a for a, b in pairwise(taken)]
    assert [*dict.fromkeys(round(step) for step in steps)] == [1, 2]
    assert round(steps[-1]) == 2


class ShortTurns:
    """Turns of a host that others may have: each lasts two seconds."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.taken = self.given_back = 0
        self.until = 0.0

    async def take(self) -> ShortTurns:
        self.taken += 1
        self.until = self.clock.now() + 2
        return self

    def enter(self, step: Step) -> None: ...

    def may_leave(self) -> bool:
        return self.clock.now() < self.until

    def sent(self, at: float, status: int | None = None, ms: float = 0.0) -> None: ...

    def over(self) -> None:
        self.given_back += 1


def test_a_turn_that_ended_while_the_rate_was_waited_for_is_taken_anew() -> None:
    async def story() -> None:
        web, turns, clock = SimulatedWeb(), ShortTurns(), VirtualClock()
        rate = RequestRate(clock, 0.2)
        parts = FetcherParts({Client.HTTP: web}, clock, shipped(), rate=rate)
        fetcher = Fetcher(parts, FetchPolicy())
        for _ in range(2):
            await fetcher.send(Request("https://a.example/"), turns)
        assert len(web.requests) == 2
        assert (turns.taken, turns.given_back) == (3, 3)

    run_virtually(story())
