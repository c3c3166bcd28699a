"""What does a prober hear, however it asks?"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tenax.adapters.local.health_http import HealthServer
from tenax.ops.health.pulse import HealthPart, HealthPolicy, Pulse
from tenax.ports import Unavailable
from tests.ledgers import HandClock


class Ledger:
    trouble = ""

    async def ask(self) -> None:
        if self.trouble:
            raise Unavailable(self.trouble)


class SlowClock(HandClock):
    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
async def server(ledger: Ledger) -> AsyncIterator[HealthServer]:
    policy = HealthPolicy()
    server = HealthServer(
        Pulse({"ledger": HealthPart(ledger.ask)}, SlowClock(), policy), policy.host, policy.port
    )
    await server.open()
    yield server
    await server.close()


async def say(server: HealthServer, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(request)
    told = await reader.read()
    writer.close()
    return told


async def get(server: HealthServer, path: str) -> tuple[int, Any]:
    told = await say(server, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    head, _, body = told.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


async def test_it_is_alive_and_ready(server: HealthServer) -> None:
    assert await get(server, "/health/live") == (200, {"status": "alive"})
    code, told = await get(server, "/health/ready?verbose=1")
    assert (code, told["status"]) == (200, "ready")


async def test_without_its_ledger_it_is_alive_and_not_ready(
    server: HealthServer, ledger: Ledger
) -> None:
    ledger.trouble = "PostgreSQL is away."
    code, told = await get(server, "/health/ready")
    assert (code, told["parts"]["ledger"]) == (503, "PostgreSQL is away.")
    assert (await get(server, "/health/live"))[0] == 200


async def test_without_what_it_can_do_without_it_is_ready_and_says_so() -> None:
    redis = Ledger()
    redis.trouble = "Redis is away."
    policy = HealthPolicy()
    parts = {"redis": HealthPart(redis.ask, is_needed=False)}
    server = HealthServer(Pulse(parts, SlowClock(), policy), policy.host, policy.port)
    await server.open()
    code, told = await get(server, "/health/ready")
    await server.close()
    assert (code, told["status"]) == (200, "degraded")
    assert told["parts"]["redis"] == "Redis is away."


async def test_other_paths_and_methods_are_refused(server: HealthServer) -> None:
    assert (await get(server, "/"))[0] == 404
    assert b" 405 " in await say(server, b"POST /health/live HTTP/1.1\r\n\r\n")


@pytest.mark.parametrize("noise", [b"\r\n\r\n", b"\x00" * 100 + b"\r\n\r\n", b"x" * 20_000])
async def test_noise_does_not_end_it(server: HealthServer, noise: bytes) -> None:
    await say(server, noise)
    assert (await get(server, "/health/live"))[0] == 200


async def test_a_port_that_is_taken_is_told(server: HealthServer) -> None:
    policy = HealthPolicy(port=server.port)
    with pytest.raises(Unavailable, match=r"health\.port"):
        await HealthServer(Pulse({}, HandClock(), policy), policy.host, policy.port).open()


async def test_metrics_are_told_where_there_are_some(ledger: Ledger) -> None:
    policy = HealthPolicy()
    pulse = Pulse({"ledger": HealthPart(ledger.ask)}, SlowClock(), policy)

    async def tell() -> bytes:
        return b"up 1\n"

    server = HealthServer(pulse, policy.host, policy.port, tell)
    await server.open()
    told = await say(server, b"GET /metrics HTTP/1.1\r\n\r\n")
    assert (await say(server, b"POST /metrics HTTP/1.1\r\n\r\n")).startswith(b"HTTP/1.1 405")
    await server.close()
    head, _, body = told.partition(b"\r\n\r\n")
    assert b"text/plain; version=0.0.4" in head
    assert body == b"up 1\n"


def test_a_prober_that_waits_when_the_process_ends_is_nothing_to_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> None:
        asked = asyncio.Event()

        async def hang() -> bytes:
            asked.set()
            await asyncio.Event().wait()
            return b""

        server = HealthServer(Pulse({}, SlowClock(), HealthPolicy()), "127.0.0.1", 0, hang)
        await server.open()
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"GET /metrics HTTP/1.1\r\n\r\n")
        await asked.wait()
        await server.close()
        writer.close()

    asyncio.run(main())
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []
