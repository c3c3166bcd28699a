"""The promises of `IntakeQueue`: what is pushed is taken once, in order, and never lost."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

import services
from tenax.adapters.local.clock import SystemClock
from tenax.adapters.redis.client import RedisServer
from tenax.adapters.redis.intake import RedisIntakeQueue
from tenax.ports import IntakeQueue, Unwanted
from tenax.ports.intake import LONGEST_ITEM
from tests.intakes import MemoryIntake, MemoryList
from tests.redises import opened


@dataclass
class Place:
    """A queue with two takers, and what others see of it."""

    one: IntakeQueue
    two: IntakeQueue
    push: Callable[..., Awaitable[None]]
    waiting: Callable[[], Awaitable[list[bytes]]]
    dead: Callable[[], Awaitable[list[str]]]
    """Why each dead letter is one."""
    die: Callable[[IntakeQueue], Awaitable[None]]
    """A taker was killed, and is not heard of for a while."""


@pytest.fixture(params=["memory", "redis"])
async def place(request: pytest.FixtureRequest) -> AsyncIterator[Place]:
    if request.param == "memory":
        yield in_memory()
        return
    service: services.Service = request.getfixturevalue("redis_service")
    async with opened(service) as server:
        assert await server.ask(lambda redis: redis.flushall())
        yield in_redis(server)


def in_memory() -> Place:
    shared = MemoryList()

    async def push(*items: bytes) -> None:
        shared.waiting += items

    async def waiting() -> list[bytes]:
        return list(shared.waiting)

    async def dead() -> list[str]:
        return [one.reason for one in shared.dead]

    async def die(taker: IntakeQueue) -> None:
        assert isinstance(taker, MemoryIntake)
        taker.die()

    return Place(MemoryIntake(shared), MemoryIntake(shared), push, waiting, dead, die)


def in_redis(server: RedisServer) -> Place:
    async def push(*items: bytes) -> None:
        assert await server.ask(lambda redis: redis.rpush("pushed", *items))

    async def read(name: str) -> Any:
        found: Any = await server.ask(lambda redis: redis.lrange(name, 0, -1))
        return found

    async def waiting() -> list[bytes]:
        return list(await read("pushed"))

    async def dead() -> list[str]:
        letters = [msgspec.json.decode(letter) for letter in await read("dead")]
        assert all(letter["type"] == "intake_refused" for letter in letters)
        return [letter["reason"] for letter in letters]

    async def die(taker: IntakeQueue) -> None:
        assert isinstance(taker, RedisIntakeQueue)
        sign = f"pushed:taker:{taker._name}"
        assert await server.ask(lambda redis: redis.delete(sign)) == 1

    one, two = (RedisIntakeQueue(server, SystemClock(), "pushed", "dead") for _ in range(2))
    return Place(one, two, push, waiting, dead, die)


async def test_what_is_pushed_first_is_taken_first(place: Place) -> None:
    await place.push(b"a", b"b", b"c")
    assert await place.one.take(2) == [b"a", b"b"]
    assert await place.waiting() == [b"c"]


async def test_nobody_else_gets_what_is_taken(place: Place) -> None:
    await place.push(b"a", b"b", b"c")
    await place.one.take(2)
    assert await place.two.take(9) == [b"c"]
    assert await place.two.recover() == 0


async def test_what_is_not_settled_is_got_again_before_anything_else(place: Place) -> None:
    """As after an answer that was lost on its way."""
    await place.push(b"a", b"b", b"c", b"d")
    await place.one.take(2)
    assert await place.one.take(2) == [b"a", b"b"]
    assert await place.one.take(3) == [b"a", b"b", b"c"]


async def test_what_is_settled_is_gone(place: Place) -> None:
    await place.push(b"a", b"b", b"c")
    await place.one.take(2)
    await place.one.settle()
    await place.die(place.one)
    assert await place.two.recover() == 0
    assert await place.two.take(9) == [b"c"]


async def test_what_a_dead_taker_had_is_back_where_it_was(place: Place) -> None:
    await place.push(b"a", b"b", b"c")
    await place.one.take(2)
    await place.die(place.one)
    assert await place.two.recover() == 2
    assert await place.waiting() == [b"a", b"b", b"c"]
    assert await place.two.recover() == 0


async def test_a_taker_that_only_seemed_dead_does_no_harm(place: Place) -> None:
    await place.push(b"a", b"b")
    await place.one.take(1)
    await place.die(place.one)
    await place.two.recover()
    assert await place.two.take(1) == [b"a"]
    await place.one.settle()
    assert await place.two.take(1) == [b"a"], "it is two's by now"
    assert await place.one.take(9) == [b"b"]


async def test_what_is_given_back_stands_in_front_again(place: Place) -> None:
    await place.push(b"a", b"b", b"c", b"d")
    await place.one.take(3)
    await place.one.settle(back=[b"a", b"c"])
    assert await place.waiting() == [b"a", b"c", b"d"]


async def test_what_is_unwanted_is_a_dead_letter_with_its_reason(place: Place) -> None:
    await place.push(b"\xff\x00", b"b")
    await place.one.take(2)
    await place.one.settle([Unwanted(b"\xff\x00", "malformed", "not a URL")])
    assert await place.dead() == ["malformed"]
    assert await place.waiting() == []


async def test_who_leaves_puts_back_what_it_has(place: Place) -> None:
    await place.push(b"a", b"b", b"c")
    await place.one.take(2)
    await place.one.leave()
    assert await place.two.take(9) == [b"a", b"b", b"c"]


async def test_the_same_item_pushed_twice_is_two(place: Place) -> None:
    await place.push(b"a", b"a")
    assert await place.one.take(9) == [b"a", b"a"]
    await place.one.settle()
    assert await place.waiting() == []


async def test_huge_items_do_not_block_those_behind_them(place: Place) -> None:
    """All of them in one answer would never arrive in time."""
    for _ in range(20):
        await place.push(*[b"x" * 1_000_000] * 10)
    await place.push(b"behind")
    taken: list[bytes] = []
    while found := await place.one.take(500):
        taken += found
        await place.one.settle([Unwanted(item, "malformed") for item in found[:-1]])
    assert [len(item) for item in taken[:-1]] == [LONGEST_ITEM + 1] * 200
    assert taken[-1] == b"behind"


async def test_an_empty_queue_brings_nothing(place: Place) -> None:
    assert await place.one.take(9) == []
    await place.one.settle()
    await place.one.leave()
