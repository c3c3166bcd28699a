"""What does a queue make of what others put into it? Nothing: tickets pass it by."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable

import kombu
import pytest

from tenax.adapters.celery.queue import CeleryQueue
from tenax.adapters.local.clock import SystemClock
from tenax.adapters.redis.client import RedisServer
from tenax.adapters.redis.queue import RedisQueue
from tenax.ports import Ticket, WorkQueue
from tests.live import service
from tests.redises import PATIENT

AGAIN = 0.1
NOISE = [b"", b"x", b"5", b"5:", b"a:1:b", b"5:b:1", b"\xff\xfe", b"[" * 50_000]
Noisy = tuple[WorkQueue, Callable[[bytes], Awaitable[None]]]


async def on_redis(name: str) -> AsyncIterator[Noisy]:
    server = RedisServer(service("redis").url, SystemClock(), PATIENT)

    async def push(noise: bytes) -> None:
        await server.ask(lambda redis: redis.zadd(f"{{{name}}}:queue:waiting", {noise: 0.0}))

    queue = RedisQueue(server, name, AGAIN)
    yield queue, push
    await queue.close()


async def on_rabbitmq(name: str) -> AsyncIterator[Noisy]:
    url = service("rabbitmq").url
    queue = CeleryQueue(url, name, SystemClock())
    with kombu.Connection(url, transport_options={"confirm_publish": True}) as connection:
        producer = connection.Producer()

        async def push(noise: bytes) -> None:
            for kind in ("application/json", "application/x-python-serialize", "text/plain"):
                producer.publish(
                    noise, routing_key=name, content_type=kind, content_encoding="utf-8"
                )

        yield queue, push
        await queue.close()
        connection.default_channel.queue_delete(name)


@pytest.fixture(params=[on_redis, on_rabbitmq])
async def noisy(request: pytest.FixtureRequest) -> AsyncIterator[Noisy]:
    async for place in request.param(f"test-{uuid.uuid4().hex[:8]}"):
        yield place


async def test_noise_is_dropped_and_does_not_come_again(noisy: Noisy) -> None:
    queue, push = noisy
    ticket = Ticket(1, "4711-abc", 5)
    await queue.put([ticket], 60.0)
    for noise in NOISE:
        await push(noise)
    assert await queue.take(100) == [ticket]
    await queue.done([ticket])
    await asyncio.sleep(2 * AGAIN)
    assert await queue.take(100) == []
    assert await queue.size() == 0


async def test_noise_of_a_taker_that_died_does_not_stop_the_rest(noisy: Noisy) -> None:
    """Between taking and dropping it comes back, like tickets do."""
    queue, push = noisy
    if isinstance(queue, RedisQueue):
        queue._done = queue._size  # it never got so far
    await push(b"x")
    await queue.take(100)
    await asyncio.sleep(2 * AGAIN)
    ticket = Ticket(1, "4711-abc", 5)
    await queue.put([ticket], 60.0)
    assert ticket in await queue.take(100)
