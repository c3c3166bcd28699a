"""How often did somebody ask the API, over all servers? A counter for each asker and window."""

from __future__ import annotations

from tenax.adapters.redis.client import RedisServer
from tenax.ports import Unavailable
from tenax.ports.accounts import RequestCounts

_KEPT = 120
"""Seconds that a counter is of use: two windows of a minute."""

_COUNT = """
local now = redis.call('INCR', KEYS[1])
if now == 1 then
  redis.call('EXPIRE', KEYS[1], ARGV[1])
end
return {now, tonumber(redis.call('GET', KEYS[2]) or '0')}
"""


_UNCOUNT = """
if tonumber(redis.call('GET', KEYS[1]) or '0') > 0 then
  redis.call('DECR', KEYS[1])
end
return 0
"""


class RedisRequestCounts:
    def __init__(self, server: RedisServer, ledger: RequestCounts) -> None:
        """`ledger` counts while Redis is away: rather anew than not at all."""
        self._server = server
        self._script = server.script(_COUNT)
        self._back = server.script(_UNCOUNT)
        self._ledger = ledger

    async def count(self, asker: str, window: int) -> tuple[int, int]:
        keys = [f"api_requests:{asker}:{at}" for at in (window, window - 1)]
        try:
            now, before = await self._server.run(self._script, keys, [_KEPT])
        except Unavailable:
            return await self._ledger.count(asker, window)
        return int(now), int(before)

    async def uncount(self, asker: str, window: int) -> None:
        try:
            await self._server.run(self._back, [f"api_requests:{asker}:{window}"], [])
        except Unavailable:
            await self._ledger.uncount(asker, window)
