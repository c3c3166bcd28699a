"""Lists in Redis that nothing else could bring back: read whole, filled where they are empty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tenax.adapters.redis.client import RedisServer

if TYPE_CHECKING:
    from redis.asyncio import Redis

_AT_ONCE = 1_000


class RedisLists:
    def __init__(self, server: RedisServer, queue: str, others: Sequence[str] = ()) -> None:
        """Of `queue` also what takers have in hand and the ledger perhaps has not yet."""
        self._server = server
        self._queue = queue
        self._others = tuple(others)

    async def read(self) -> dict[str, list[bytes]]:
        found = {name: await self._read(name) for name in (self._queue, *self._others)}
        names: Any = await self._server.ask(lambda redis: redis.smembers(f"{self._queue}:takers"))
        for name in sorted(names):
            taken = await self._read(f"{self._queue}:taken:{name.decode()}")
            found[self._queue] = taken + found[self._queue]
        return {name: items for name, items in found.items() if items}

    async def fill(self, lists: dict[str, list[bytes]]) -> list[str]:
        full = []
        for name, items in lists.items():
            if name not in (self._queue, *self._others) or not await self._fill(name, items):
                full.append(name)
        return full

    async def _read(self, name: str) -> list[bytes]:
        items: list[bytes] = []
        while True:
            some = await self._some(name, len(items))
            items += some
            if len(some) < _AT_ONCE:
                return items

    async def _some(self, name: str, first: int) -> list[bytes]:
        async def work(redis: Redis) -> list[bytes]:
            found: Any = await redis.lrange(name, first, first + _AT_ONCE - 1)
            return list(found)

        return await self._server.ask(work)

    async def _fill(self, name: str, items: list[bytes]) -> bool:
        async def work(redis: Redis) -> bool:
            if await redis.exists(name):
                return False
            pipeline = redis.pipeline(transaction=True)
            for start in range(0, len(items), _AT_ONCE):
                pipeline.rpush(name, *items[start : start + _AT_ONCE])
            await pipeline.execute()
            return True

        return await self._server.ask(work)
