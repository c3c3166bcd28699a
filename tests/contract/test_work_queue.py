"""The queue's promises, kept by every one on its real server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from tenax.ports import Ticket, WorkQueue
from tests.queues import AGAIN, LONG, QUEUES, Place

PATIENCE = 240.0


def ticket(number: int, priority: int = 5) -> Ticket:
    return Ticket(number, "4711-abc", priority)


@pytest.fixture(params=QUEUES)
async def place(request: pytest.FixtureRequest) -> AsyncIterator[Place]:
    async with QUEUES[request.param]() as place:
        yield place


@pytest.fixture
async def queue(place: Place) -> AsyncIterator[WorkQueue]:
    opened = place.open(LONG)
    yield opened
    await opened.close()


@pytest.fixture
async def other(place: Place) -> AsyncIterator[WorkQueue]:
    """The same queue, for another process."""
    opened = place.open(LONG)
    yield opened
    await opened.close()


async def until_size(queue: WorkQueue, wanted: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while await queue.size() != wanted:  # noqa: ASYNC110  # another process's doing
            await asyncio.sleep(0.02)


async def test_what_one_puts_another_takes(queue: WorkQueue, other: WorkQueue) -> None:
    odd = Ticket(9_007_199_254_740_993, "1-a:b c", 5)
    await queue.put([ticket(1), odd], LONG)
    found = await other.take(10)
    assert set(found) == {ticket(1), odd}
    await other.done(found)


async def test_an_empty_queue_gives_nothing_at_once(queue: WorkQueue) -> None:
    assert await queue.take(10) == []
    assert await queue.size() == 0


async def test_no_more_are_taken_than_asked_for(queue: WorkQueue) -> None:
    await queue.put([ticket(n) for n in range(5)], LONG)
    assert len(await queue.take(2)) == 2
    assert await queue.size() == 3


async def test_a_ticket_is_taken_by_one(queue: WorkQueue, other: WorkQueue) -> None:
    await queue.put([ticket(n) for n in range(50)], LONG)
    found = await asyncio.gather(*(each.take(7) for each in (queue, other) * 4))
    numbers = [each.assignment_id for taken in found for each in taken]
    assert sorted(numbers) == list(range(50))


async def test_the_most_urgent_come_first(queue: WorkQueue) -> None:
    """FR-3: 1 is first, 10 last."""
    await queue.put([ticket(n, priority) for n, priority in enumerate([8, 1, 10, 2, 5])], LONG)
    assert [each.priority for each in await queue.take(5)] == [1, 2, 5, 8, 10]


async def test_among_equals_the_oldest_comes_first(queue: WorkQueue) -> None:
    for number in (3, 1, 2):
        await queue.put([ticket(number)], LONG)
        await asyncio.sleep(0.005)
    assert [each.assignment_id for each in await queue.take(3)] == [3, 1, 2]


async def test_what_is_done_does_not_come_back(place: Place, queue: WorkQueue) -> None:
    await queue.put([ticket(1), ticket(2)], LONG)
    taker = place.open(AGAIN)
    await taker.done(await taker.take(10))
    await taker.close()
    await asyncio.sleep(AGAIN + 0.1)
    assert await queue.take(10) == []


async def test_what_was_taken_by_somebody_who_died_comes_back(
    place: Place, queue: WorkQueue
) -> None:
    await queue.put([ticket(1), ticket(2)], LONG)
    taker = place.open(AGAIN)
    first, _ = await taker.take(10)
    await taker.done([first])
    await taker.close()
    await until_size(queue, 1)
    (left,) = await queue.take(10)
    assert left != first


async def test_what_nobody_takes_is_dropped(queue: WorkQueue) -> None:
    """The scheduler has withdrawn it by then: a queue without workers must not grow for ever."""
    for keep in (0.3, 3.0, 30.0):
        begun = time.monotonic()
        await queue.put([ticket(n) for n in range(20)], keep)
        found = await queue.size()
        is_early = time.monotonic() < begun + keep
        await until_size(queue, 0)
        if is_early:
            break  # else the machine was too slow to see them
    assert is_early
    assert found == 20
    assert await queue.take(10) == []


async def test_done_twice_or_for_what_is_unknown_is_harmless(queue: WorkQueue) -> None:
    await queue.put([ticket(1)], LONG)
    found = await queue.take(1)
    await queue.done(found)
    await queue.done([*found, ticket(99)])
    await queue.done([])
    assert await queue.size() == 0


async def test_many_at_once(queue: WorkQueue) -> None:
    many = [ticket(n, 1 + n % 10) for n in range(2_500)]
    await queue.put(many, LONG)
    assert await queue.size() == len(many)
    found: set[Ticket] = set()
    while batch := await queue.take(200):
        assert len(batch) <= 200
        found |= set(batch)
        await queue.done(batch)
    assert found == set(many)


async def test_nothing_to_put_is_harmless(queue: WorkQueue) -> None:
    await queue.put([], LONG)
    assert await queue.size() == 0
