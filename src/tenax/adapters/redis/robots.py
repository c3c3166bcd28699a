"""A cache of robots.txt in Redis for many workers: read through, written to the ledger first.

`robots:{host}` is a hash: the record of each scheme as JSON, there until the one saved last has to
be asked for again. The ledger stays the truth, and keeps old ones.
"""

from __future__ import annotations

import logging
from math import ceil
from typing import TYPE_CHECKING, Any

import msgspec

from tenax.adapters.redis.client import RedisServer
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.records.hosts import SqlHostBook
from tenax.crawl.policy import LeasePolicy
from tenax.hosts import conduct
from tenax.model import RobotsRecord
from tenax.ports import Clock, RobotsStore, Unavailable
from tenax.urls.sites import Sites

if TYPE_CHECKING:
    from redis.asyncio import Redis

log = logging.getLogger(__name__)
_decode = msgspec.json.Decoder(RobotsRecord).decode


class RedisRobotsStore:
    """Read from Redis while fresh, else from the ledger; written to both, the ledger first."""

    def __init__(self, server: RedisServer, ledger: RobotsStore, clock: Clock) -> None:
        self._server = server
        self._ledger = ledger
        self._clock = clock

    async def load(self, origin: str) -> RobotsRecord | None:
        return await self._recall(origin) or await self._read_through(origin)

    async def save(self, record: RobotsRecord) -> None:
        await self._ledger.save(record)
        await self._remember(record)

    async def _read_through(self, origin: str) -> RobotsRecord | None:
        record = await self._ledger.load(origin)
        if record is not None:
            await self._remember(record)
        return record

    async def _recall(self, origin: str) -> RobotsRecord | None:
        key, scheme = _key(origin)
        try:
            text: Any = await self._server.ask(lambda redis: redis.hget(key, scheme))
            record = _decode(text) if text else None
        except (Unavailable, msgspec.ValidationError, msgspec.DecodeError):
            return None
        return record if record and record.expires_at > self._clock.now() else None

    async def _remember(self, record: RobotsRecord) -> None:
        """Nothing is lost when it fails: the ledger has it."""
        key, scheme = _key(record.origin)
        seconds = ceil(record.expires_at - self._clock.now())

        async def work(redis: Redis) -> None:
            pipeline = redis.pipeline(transaction=True)
            if seconds > 0:
                pipeline.hset(key, scheme, msgspec.json.encode(record))
                # The other scheme's may run out sooner, and is checked by whoever reads it.
                pipeline.expire(key, seconds)
            else:
                pipeline.hdel(key, scheme)
            await pipeline.execute()

        try:
            await self._server.ask(work)
        except Unavailable as error:
            log.debug("robots.txt of %s is kept in the ledger alone: %s", record.origin, error)


class SharedHostBook(SqlHostBook):
    """The ledger's host book; what a person clears there is cleared in Redis, too."""

    def __init__(
        self,
        server: RedisServer,
        database: Transactions,
        clock: Clock,
        treatment: conduct.HostPolicies,
        leases: LeasePolicy,
        sites: Sites | None = None,
    ) -> None:
        super().__init__(database, clock, treatment, leases, sites)
        self._server = server

    async def reset(self, name: str) -> bool:
        is_known = await super().reset(name)
        keys = (f"circuit:{name}", f"robots:{name}")
        await self._server.ask(lambda redis: redis.delete(*keys))
        return is_known


def _key(origin: str) -> tuple[str, str]:
    scheme, _, host = origin.partition("://")
    return f"robots:{host}", scheme
