"""Do large bodies reach a Redis behind a slow network? One that never does would end the crawl."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from urllib.parse import urlsplit

import pytest

from tenax.adapters.local.clock import SystemClock
from tenax.adapters.redis.client import RedisPolicy, RedisServer
from tenax.adapters.redis.content import RedisContentStore, RedisShelf
from tests.live import service

PACE = 800_000
"""Bytes a second in either direction: each body takes longer than a small call may."""
LIMITS = RedisPolicy(limit=2.0, pace=30_000.0)
BODY = os.urandom(2_400_000)
DIGEST = sha256(BODY).digest()


@asynccontextmanager
async def slowly(url: str) -> AsyncIterator[str]:
    """The URL of the same server behind a thin wire."""
    parts = urlsplit(url)

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(50_000):
            await asyncio.sleep(len(data) / PACE)
            writer.write(data)
            await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(parts.hostname, parts.port)
        await asyncio.gather(carry(reader, back), carry(there, writer), return_exceptions=True)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    secret = parts.netloc.rpartition("@")[0]
    yield parts._replace(netloc=f"{secret}@127.0.0.1:{port}").geturl()
    server.close()


@pytest.mark.alone
async def test_a_large_body_is_put_and_got_over_a_slow_network() -> None:
    async with slowly(service("redis").url) as url:
        server = RedisServer(url, SystemClock(), LIMITS)
        store, shelf = RedisContentStore(server, 60.0), RedisShelf(server, 60.0)
        await store.put([(DIGEST, BODY)])
        await shelf.put([(DIGEST, DIGEST, BODY)])
        assert await store.get(DIGEST) == BODY
        await server.ask(lambda redis: redis.delete(f"content:{DIGEST.hex()}"))
        assert await store.get(DIGEST) == BODY
        await server.close()
