"""The sink of dead letters in Redis keeps the promises of `EventSink` for what was given up."""

from __future__ import annotations

from typing import Any

from tenax.adapters.redis.client import RedisServer
from tenax.adapters.redis.dead_list import RedisDeadList
from tenax.model import Event, EventKind


def event(number: int, kind: EventKind = EventKind.FAILED) -> Event:
    return Event(number, kind, b"k", f'{{"event_id":"{number}"}}'.encode(), 1_790_000_000.0)


async def listed(redis: RedisServer) -> Any:
    found: Any = await redis.ask(lambda client: client.lrange("dead", 0, -1))
    return found


async def test_what_was_given_up_is_on_the_list_in_order(redis: RedisServer) -> None:
    sink = RedisDeadList(redis, "dead")
    await sink.send([event(1), event(2)])
    await sink.send([event(3)])
    assert await listed(redis) == [event(n).value for n in (1, 2, 3)]


async def test_pages_are_not(redis: RedisServer) -> None:
    await RedisDeadList(redis, "dead").send([event(1, EventKind.FETCHED)])
    await RedisDeadList(redis, "dead").send([])
    assert await listed(redis) == []
