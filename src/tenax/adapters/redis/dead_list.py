"""The dead letter list in Redis: what was given up is appended to it (FE-8)."""

from __future__ import annotations

from collections.abc import Sequence

from tenax.adapters.redis.client import RedisServer
from tenax.model import Event, EventKind


class RedisDeadList:
    """A sink of dead letters; what else happens is nothing to it. The list is for others to empty:
    it is never cut."""

    def __init__(self, server: RedisServer, name: str) -> None:
        """The server is closed with this."""
        self._server = server
        self._name = name

    async def send(self, events: Sequence[Event]) -> None:
        letters = [event.value for event in events if event.kind is EventKind.FAILED]
        if letters:
            await self._server.ask(lambda redis: redis.rpush(self._name, *letters))

    async def close(self) -> None:
        await self._server.close()
