"""What does Redis cost while it is away? Little time, and soon none (OBS-5)."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tenax.adapters.redis.client import RedisPolicy, RedisServer, place
from tenax.ports import Unavailable
from tests.ledgers import HandClock
from tests.live import own_service, service
from tests.redises import PATIENT

QUICK = RedisPolicy(tries=3, pause=0.01, limit=60.0, failures=2, rest=10.0)
CURT = replace(QUICK, limit=2.0)
HANGING = 100.0
"""Seconds; it would hang for ever, and our own limit for the socket is longer."""


async def command(server: RedisServer, *words: object) -> Any:
    def run(redis: Any) -> Any:
        return redis.execute_command(*words)

    return await server.ask(run)


async def ping(server: RedisServer) -> bool:
    return bool(await command(server, "PING"))


def rests(server: RedisServer) -> bool:
    return server.is_resting


async def test_a_server_that_is_gone_is_left_alone_after_some_failures_and_then_tried_again(
    tmp_path: Path,
) -> None:
    clock = HandClock()
    with own_service("redis", tmp_path) as own:
        server = RedisServer(own.url, clock, QUICK)
        assert await ping(server)
        own.kill()
        for _ in range(QUICK.failures):
            with pytest.raises(Unavailable, match="does not answer"):
                await ping(server)
        assert rests(server)
        own.start()
        with pytest.raises(Unavailable):
            await ping(server)
        clock.time += QUICK.rest
        assert await ping(server)
        assert not rests(server)
        await server.close()


async def test_a_server_that_hangs_costs_no_more_than_the_limit(tmp_path: Path) -> None:
    with own_service("redis", tmp_path) as own:
        patient = RedisServer(own.url, HandClock(), QUICK)
        told = await patient.ask(lambda redis: redis.info("server"))
        pid = int(told["process_id"])
        server = RedisServer(own.url, HandClock(), CURT)
        os.kill(pid, signal.SIGSTOP)
        try:
            started = time.monotonic()
            with pytest.raises(Unavailable):
                await ping(server)
            assert time.monotonic() - started < HANGING
        finally:
            os.kill(pid, signal.SIGCONT)
        assert await ping(patient)
        await patient.close()
        await server.close()


async def test_a_server_that_hangs_is_left_without_an_error(tmp_path: Path) -> None:
    """What was on its way to it cannot be sent any more, and closing waits for that, but not long:
    a worker that ends while Redis hangs ended with a traceback."""
    with own_service("redis", tmp_path) as own:
        patient = RedisServer(own.url, HandClock(), QUICK)
        told = await patient.ask(lambda redis: redis.info("server"))
        server = RedisServer(own.url, HandClock(), replace(QUICK, limit=0.3))
        assert await ping(server)
        os.kill(int(told["process_id"]), signal.SIGSTOP)
        try:
            asked = asyncio.create_task(command(server, "SET", "name", bytes(50_000_000)))
            await asyncio.sleep(0)
            await server.close()
            with pytest.raises(Unavailable):
                await asked
        finally:
            os.kill(int(told["process_id"]), signal.SIGCONT)
        await patient.close()


@pytest.mark.parametrize("fails", [False, True], ids=["answers", "fails"])
async def test_who_is_told_to_end_ends_although_the_client_takes_no_notice(*, fails: bool) -> None:
    """As it does when the answer comes at the same moment."""
    server = RedisServer(service("redis").url, HandClock(), QUICK)
    asked = asyncio.Event()

    async def deaf(redis: Any) -> str:
        asked.set()
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            if fails:
                raise ConnectionError from None
        return "an answer"

    asking = asyncio.create_task(server.ask(deaf))
    await asked.wait()
    asking.cancel()
    done, _ = await asyncio.wait([asking], timeout=QUICK.limit / 2)
    assert done
    assert asking.cancelled()
    await server.close()


async def test_a_connection_ended_by_the_server_is_opened_anew_unnoticed() -> None:
    server = RedisServer(service("redis").url, HandClock(), PATIENT)
    number = await command(server, "CLIENT", "ID")
    other = RedisServer(service("redis").url, HandClock(), PATIENT)
    await command(other, "CLIENT", "KILL", "ID", number)
    assert await ping(server)
    await server.close()
    await other.close()


async def test_a_primary_that_became_a_replica_is_looked_for_anew(tmp_path: Path) -> None:
    """Its name leads to another server by then; an old connection never would."""
    with own_service("redis", tmp_path) as own:
        server = RedisServer(own.url, HandClock(), PATIENT)
        number = await command(server, "CLIENT", "ID")
        await command(server, "REPLICAOF", "127.0.0.1", "9")
        with pytest.raises(Unavailable, match="read only"):
            await command(server, "SET", "a", "1")
        assert await command(server, "CLIENT", "ID") != number
        await command(server, "REPLICAOF", "NO", "ONE")
        assert await command(server, "SET", "a", "1")
        await server.close()


async def test_what_the_server_refuses_is_said_and_is_no_outage() -> None:
    server = RedisServer(service("redis").url, HandClock(), QUICK)
    for _ in range(2 * QUICK.failures):
        with pytest.raises(Unavailable, match="refuses"):
            await command(server, "NONSENSE")
    assert not rests(server)
    await server.close()


def test_secrets_of_a_url_are_not_told() -> None:
    assert place("redis://me:hush@cache.example:6380/2") == "cache.example:6380"
    assert place("rediss://:hush@cache.example") == "cache.example"
    assert place("unix:///run/redis.sock") == "/run/redis.sock"


def test_what_is_no_redis_url_is_refused() -> None:
    with pytest.raises(ValueError, match="redis://"):
        RedisServer("http://127.0.0.1", HandClock())
