"""Is a minute's worth of requests allowed in any minute, and no more? (API-4)"""

import pytest

from tenax.ops.accounts.limits import ApiPolicy, Limiter
from tenax.ports.accounts import ApiRole
from tests.ledgers import HandClock


class CountsInMemory:
    def __init__(self) -> None:
        self.counts: dict[tuple[str, int], int] = {}
        self.asked = 0

    async def count(self, asker: str, window: int) -> tuple[int, int]:
        now = self.counts[asker, window] = self.counts.get((asker, window), 0) + 1
        self.asked += 1
        return now, self.counts.get((asker, window - 1), 0)

    async def uncount(self, asker: str, window: int) -> None:
        self.counts[asker, window] -= 1


@pytest.fixture
def clock() -> HandClock:
    return HandClock(time=6_000.0)


@pytest.fixture
def limiter(clock: HandClock) -> Limiter:
    return Limiter(CountsInMemory(), clock, ApiPolicy())


@pytest.mark.parametrize(
    ("role", "limit"), [(ApiRole.ANONYMOUS, 10), (ApiRole.USER, 100), (ApiRole.ADMIN, 500)]
)
async def test_the_first_one_too_many_is_refused(
    limiter: Limiter, role: ApiRole, limit: int
) -> None:
    assert limiter.policy.of(role) == limit
    for left in reversed(range(limit)):
        allowance = await limiter.take("somebody", limit)
        assert (allowance.left, allowance.is_spent) == (left, False)
    assert (await limiter.take("somebody", limit)).is_spent
    assert not (await limiter.take("another", limit)).is_spent


async def test_the_minute_slides(limiter: Limiter, clock: HandClock) -> None:
    """Ten at the end of one minute and ten at the beginning of the next were twenty in a second."""
    clock.time += 59
    for _ in range(10):
        assert not (await limiter.take("a", 10)).is_spent
    clock.time += 2
    assert (await limiter.take("a", 10)).is_spent
    clock.time += 29
    allowed = [not (await limiter.take("a", 10)).is_spent for _ in range(10)]
    assert 3 <= sum(allowed) <= 5


async def test_whoever_waits_as_told_is_let_in(limiter: Limiter, clock: HandClock) -> None:
    for _ in range(25):
        refused = await limiter.take("a", 10)
    clock.time += refused.seconds
    for _ in range(20):
        allowance = await limiter.take("a", 10)
        if not allowance.is_spent:
            return
        clock.time += allowance.seconds
    raise AssertionError("nobody would be let in any more")


async def test_what_was_refused_does_not_shut_somebody_out_for_longer(
    limiter: Limiter, clock: HandClock
) -> None:
    for _ in range(1_000):
        await limiter.take("a", 10)
    clock.time += 60 + 31
    assert not (await limiter.take("a", 10)).is_spent


async def test_whoever_goes_on_asking_costs_the_ledger_no_more(clock: HandClock) -> None:
    """Also with two servers on one ledger, where what one has seen is no secret to the other."""
    counts = CountsInMemory()
    servers = [Limiter(counts, clock, ApiPolicy()) for _ in range(2)]
    allowed = [not (await servers[n % 2].take("a", 10)).is_spent for n in range(1_000)]
    assert allowed == [True] * 10 + [False] * 990
    assert counts.asked == 12, "one too many for each of them"
    clock.time += 60
    assert (await servers[0].take("a", 10)).is_spent, "the minute before counts still"
    assert counts.asked == 13, "and another minute is counted anew"


async def test_what_is_given_back_was_never_taken(clock: HandClock) -> None:
    counts = CountsInMemory()
    servers = [Limiter(counts, clock, ApiPolicy()) for _ in range(2)]
    for n in range(50):
        assert not (await servers[n % 2].take("a", 5)).is_spent
        await servers[n % 2].give_back("a")
    at_once = [await servers[0].take("a", 5) for _ in range(6)]
    assert [each.is_spent for each in at_once] == [False] * 5 + [True]
    await servers[0].give_back("a")
    await servers[0].give_back("a")
    assert not (await servers[0].take("a", 5)).is_spent
