"""The promises of `StartGuard`: however many believe to hold a host, its requests are one row."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Protocol

import pytest

import services
from tenax.adapters.local.clock import SystemClock
from tenax.adapters.redis.start_guard import RedisGuard
from tenax.ports import Clock, Denied, Granted, Start, StartGuard
from tests.guards import MemoryGuard
from tests.redises import opened

names = map(str, count())
DELAYS = (0.1, 1.0, 10.0, 100.0)
"""Short ones first: a slow machine may only notice that one has passed."""


class Closable(StartGuard, Protocol):
    async def close(self) -> None: ...


@dataclass
class Holders:
    """Two who believe to hold the same hosts; `settle` waits until what they told is known."""

    one: Closable
    two: Closable
    clock: Clock

    async def settle(self) -> None:
        await self.one.close()
        await self.two.close()


@pytest.fixture(params=["memory", "redis"])
async def holders(request: pytest.FixtureRequest) -> AsyncIterator[Holders]:
    clock = SystemClock()
    if request.param == "memory":
        guard = MemoryGuard(clock)
        yield Holders(guard, guard, clock)
        return
    service: services.Service = request.getfixturevalue("redis_service")
    # Two connections, as of two machines.
    async with opened(service) as first, opened(service) as second:
        assert await first.ask(lambda client: client.flushall())
        yield Holders(RedisGuard(first), RedisGuard(second), clock)


def start(host: str = "a.example", delay: float = 0.2, slots: int = 2, unit: str = "") -> Start:
    return Start(next(names), host, unit or host, delay, slots)


async def granted(guard: StartGuard, wanted: Start) -> Start:
    assert isinstance(await guard.take(wanted), Granted)
    return wanted


async def denied(guard: StartGuard, wanted: Start) -> Denied:
    said = await guard.take(wanted)
    assert isinstance(said, Denied)
    return said


async def test_while_one_request_is_under_way_no_other_starts(holders: Holders) -> None:
    await granted(holders.one, start())
    said = await denied(holders.two, start())
    assert 0 < said.seconds <= 0.2
    assert said.why == ""


async def test_after_a_request_the_delay_is_waited_out_by_all(holders: Holders) -> None:
    first = await granted(holders.one, start(delay=6_000))
    holders.one.over(first, ago=2_000)
    await holders.settle()
    said = await denied(holders.two, start(delay=6_000))
    assert 3_000 < said.seconds <= 4_000.002
    assert (await denied(holders.one, start(delay=6_000))).seconds <= said.seconds


async def test_a_host_may_be_asked_when_the_guard_said_it_may(holders: Holders) -> None:
    for number, delay in enumerate(DELAYS):
        host = f"{number}.example"
        holders.one.over(await granted(holders.one, start(host, delay)), ago=0.0)
        await holders.settle()
        if isinstance(said := await holders.two.take(start(host, delay)), Denied):
            await asyncio.sleep(said.seconds)
            await granted(holders.two, start(host, delay))
            return
    pytest.fail("never told to wait")


async def test_starts_of_two_holders_are_never_closer_than_the_delay(holders: Holders) -> None:
    """Each asks as fast as it is let; answers take no time."""
    starts: list[float] = []

    async def ask(guard: StartGuard) -> None:
        while len(starts) < 12:
            wanted = start(delay=0.06)
            said = await guard.take(wanted)
            if isinstance(said, Denied):
                await asyncio.sleep(said.seconds)
                continue
            starts.append(holders.clock.now())
            guard.over(wanted, ago=0.0)

    await asyncio.gather(ask(holders.one), ask(holders.two), ask(holders.two))
    gaps = [after - before for before, after in pairwise(starts)]
    # The guard has a clock of its own.
    assert min(gaps) >= 0.06 - 0.0005


async def test_what_is_granted_twice_by_a_lost_answer_is_one_request(holders: Holders) -> None:
    wanted = await granted(holders.one, start())
    await granted(holders.one, wanted)
    holders.one.over(wanted, ago=None)
    await holders.settle()
    await granted(holders.two, start())


async def test_a_request_that_never_left_costs_the_others_nothing(holders: Holders) -> None:
    given_up = await granted(holders.one, start(delay=60))
    holders.one.over(given_up, ago=None)
    await holders.settle()
    await granted(holders.two, start(delay=60))


async def test_without_a_delay_slots_are_counted_over_all_holders(holders: Holders) -> None:
    first = await granted(holders.one, start(delay=0, slots=2))
    await granted(holders.two, start(delay=0, slots=2))
    assert (await denied(holders.two, start(delay=0, slots=2))).seconds <= 0.05
    holders.one.over(first, ago=0.0)
    await holders.settle()
    await granted(holders.two, start(delay=0, slots=2))


async def test_a_host_that_got_a_delay_waits_for_what_is_under_way(holders: Holders) -> None:
    await granted(holders.one, start(delay=0))
    await denied(holders.two, start(delay=0.2))


async def test_hosts_do_not_wait_for_each_other(holders: Holders) -> None:
    await granted(holders.one, start("a.example"))
    await granted(holders.two, start("b.example"))


async def test_hosts_that_share_their_politeness_are_one(holders: Holders) -> None:
    """FR-5: by domain, or by address."""
    await granted(holders.one, start("a.example.org", unit="example.org"))
    await denied(holders.two, start("b.example.org", unit="example.org"))


async def test_a_host_that_one_was_told_to_leave_alone_is_shut_for_all(holders: Holders) -> None:
    holders.one.shut("a.example", 6_000, "blackout")
    await holders.settle()
    said = await denied(holders.two, start())
    assert said.why == "blackout"
    assert 5_000 < said.seconds <= 6_000
    await granted(holders.two, start("b.example"))


async def test_of_two_waits_the_longer_one_holds(holders: Holders) -> None:
    holders.one.shut("a.example", 6_000, "breaker")
    holders.two.shut("a.example", 3_000, "blackout")
    await holders.settle()
    said = await denied(holders.two, start())
    assert said.why == "breaker"
    assert said.seconds > 5_000


async def test_a_host_opens_when_its_time_has_come(holders: Holders) -> None:
    for number, seconds in enumerate(DELAYS):
        host = f"{number}.example"
        holders.one.shut(host, seconds, "blackout")
        await holders.settle()
        if isinstance(said := await holders.two.take(start(host)), Denied):
            await asyncio.sleep(said.seconds + 0.002)
            await granted(holders.two, start(host))
            return
    pytest.fail("never told to wait")


async def test_a_host_that_a_person_vouches_for_is_open_at_once(holders: Holders) -> None:
    """HOST-5"""
    holders.one.shut("a.example", 6_000, "breaker")
    await holders.settle()
    await holders.two.reopen("a.example")
    await granted(holders.one, start())
