"""What does a process say of its health while its servers come and go? (OBS-5)"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from services.ports import free_ports
from tenax.compose import upgrade_ledger
from tenax.compose.crawler import open_crawler
from tenax.compose.health import telling_health
from tenax.crawl.outages.outage import OutagePolicy
from tenax.ops.health.pulse import HealthPolicy
from tenax.settings import Settings
from tests.live import own_service

PATIENCE = 240.0


async def ready(port: int) -> tuple[int, dict[str, Any]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /health/ready HTTP/1.1\r\n\r\n")
    head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    return int(head.split()[1]), json.loads(body)


async def until_said(port: int, status: str, part: str) -> tuple[int, str]:
    """The code it comes with, and what is said of the part."""
    async with asyncio.timeout(PATIENCE):
        while True:
            code, told = await ready(port)
            if told["status"] == status:
                return code, told["parts"][part]
            await asyncio.sleep(0.05)


async def test_without_redis_it_is_degraded_and_says_why(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    with own_service("redis", tmp_path / "own") as redis:
        settings = Settings(
            data=str(tmp_path / "data"), redis=redis.url, health=HealthPolicy(port=port)
        )
        async with open_crawler(settings) as app, telling_health(app.ledger, None):
            assert await until_said(port, "ready", "redis") == (200, "ok")
            redis.stop()
            code, why = await until_said(port, "degraded", "redis")
            assert code == 200
            assert why.startswith(f"Redis at 127.0.0.1:{redis.port} does not answer")
            redis.start()
            assert await until_said(port, "ready", "redis") == (200, "ok")


async def test_with_its_bodies_in_redis_it_is_not_ready_without_it(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    settings = Settings(
        data=str(tmp_path), redis="redis://127.0.0.1:9", content="redis:",
        health=HealthPolicy(port=port),
    )  # fmt: skip
    async with open_crawler(settings) as app, telling_health(app.ledger, None):
        code, why = await until_said(port, "not ready", "redis")
        assert code == 503
        assert "does not answer" in why


async def test_without_its_ledger_it_is_not_ready_and_says_what_the_server_said(
    tmp_path: Path,
) -> None:
    (port,) = free_ports(1)
    with own_service("postgres", tmp_path / "own") as postgres:
        settings = Settings(
            data=str(tmp_path / "data"), database=postgres.url,
            health=HealthPolicy(port=port, limit=1.0), outage=OutagePolicy(longest=0.5),
        )  # fmt: skip
        await upgrade_ledger(settings)
        async with open_crawler(settings) as app, telling_health(app.ledger, None):
            assert await until_said(port, "ready", "ledger") == (200, "ok")
            postgres.stop()
            code, _ = await until_said(port, "not ready", "ledger")
            assert code == 503
            async with asyncio.timeout(PATIENCE):
                for _ in range(5):  # they do not pile up
                    code, told = await ready(port)
                while "127.0.0.1" not in told["parts"]["ledger"]:
                    code, told = await ready(port)
            assert len(app.ledger.database._database._calls) <= 1  # type: ignore[attr-defined]  # of Postgres
            postgres.start()
            assert await until_said(port, "ready", "ledger") == (200, "ok")
