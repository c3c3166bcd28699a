"""Which Redis do tests use? One of their own, empty for each: the names of keys are fixed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import services
from tenax.adapters.local.clock import SystemClock
from tenax.adapters.redis import client as redis_client
from tenax.adapters.redis.client import RedisPolicy, RedisServer
from tenax.ports import Clock
from tests.live import own_service

PATIENT = RedisPolicy(limit=60.0)
"""A server beside other tests may be slow, and that is no outage."""


@pytest.fixture(scope="session")
def redis_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[services.Service]:
    folder: Path = tmp_path_factory.mktemp("redis")
    with own_service("redis", folder) as redis:
        yield redis


@pytest.fixture
def patient_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    """For what is opened by settings, which name no limit: those servers are waited for, too."""
    monkeypatch.setattr(redis_client, "RedisPolicy", lambda: PATIENT)


@pytest.fixture
async def redis(redis_service: services.Service) -> AsyncIterator[RedisServer]:
    """An empty server, opened."""
    redis_service.start()
    async with opened(redis_service) as server:
        assert await server.ask(lambda client: client.flushall())
        yield server


@asynccontextmanager
async def opened(
    service: services.Service, clock: Clock | None = None, policy: RedisPolicy = PATIENT
) -> AsyncIterator[RedisServer]:
    server = RedisServer(service.url, clock or SystemClock(), policy)
    try:
        yield server
    finally:
        await server.close()
