"""A Redis that is gone, or does not answer, costs a crawl little, and never its politeness."""

from __future__ import annotations

import asyncio
import time
from itertools import count

import services
from tenax.adapters.local.clock import SystemClock
from tenax.adapters.redis.client import RedisPolicy, RedisServer
from tenax.adapters.redis.start_guard import RedisGuard
from tenax.ports import Denied, Granted, Start
from tests.redises import opened

names = map(str, count())
UNASKED = Granted(float("inf"))
"""What is said without an answer."""


def start(delay: float = 6_000.0) -> Start:
    return Start(next(names), "a.example", "a.example", delay, 8)


async def test_a_server_that_hangs_is_waited_for_a_few_times_and_then_left_alone(
    redis: RedisServer, redis_service: services.Service
) -> None:
    """OBS-5: a second a call; after five failures nobody asks for ten seconds."""
    async with opened(redis_service, policy=RedisPolicy()) as hanging:
        guard = RedisGuard(hanging)
        while await guard.take(start()) == UNASKED:  # noqa: ASYNC110  it is waited for no longer
            await asyncio.sleep(0.1)
        assert await redis.ask(lambda client: client.client_pause(600_000, all=False))
        try:
            begun, calls = time.monotonic(), 0
            while not hanging.is_resting:
                assert await guard.take(start()) == UNASKED
                calls += 1
            assert calls == 5
            assert time.monotonic() - begun < 100
            begun = time.monotonic()
            for _ in range(100):
                assert await guard.take(start()) == UNASKED
                guard.over(start(), 0.0)
            assert time.monotonic() - begun < 60, "each of them waited for a second"
        finally:
            # It is shared with the tests that come next.
            assert await redis.ask(lambda client: client.client_unpause())


async def test_many_who_ask_a_dead_server_wait_together(redis_service: services.Service) -> None:
    redis_service.start()
    async with opened(redis_service, policy=RedisPolicy()) as server:
        guard = RedisGuard(server)
        redis_service.kill()
        try:
            begun = time.monotonic()
            said = await asyncio.gather(*(guard.take(start()) for _ in range(200)))
            assert said == [UNASKED] * 200
            assert time.monotonic() - begun < 100
        finally:
            redis_service.start()


async def test_a_server_that_forgot_its_scripts_is_told_them_again(redis: RedisServer) -> None:
    """As after a restart."""
    guard = RedisGuard(redis)
    assert isinstance(await guard.take(start()), Granted)
    assert await redis.ask(lambda client: client.script_flush())
    assert isinstance(await guard.take(start()), Denied)


async def test_who_gives_up_waiting_for_an_answer_holds_up_nobody(redis: RedisServer) -> None:
    guard = RedisGuard(redis)
    asking = asyncio.create_task(guard.take(start()))
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    await guard.close()
    assert isinstance(await guard.take(start()), Granted)


async def test_machines_whose_clocks_differ_wait_alike(redis_service: services.Service) -> None:
    """The server's clock counts, and no other."""

    class Fast(SystemClock):
        def now(self) -> float:
            return super().now() + 3_600

    redis_service.start()
    async with opened(redis_service) as one, opened(redis_service, Fast()) as two:
        assert await one.ask(lambda client: client.flushall())
        first = start()
        guard = RedisGuard(one)
        assert isinstance(await guard.take(first), Granted)
        guard.over(first, ago=0.0)
        await guard.close()
        said = await RedisGuard(two).take(start())
        assert isinstance(said, Denied)
        assert 3_000 < said.seconds <= 6_000
