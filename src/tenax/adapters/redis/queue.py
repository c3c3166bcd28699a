"""A priority queue of tickets in Redis, at least once: one taken and not done comes back.

Each call is one script on the server, timed by its clock, so no crash of ours comes in between
and the clocks of machines do not matter. Doing one twice is harmless.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from tenax.adapters import tickets
from tenax.adapters.redis.client import RedisServer
from tenax.ports import Ticket

log = logging.getLogger(__name__)

# Three sorted sets of the same texts: by priority and age, by when a taken one comes back, and by
# when one is dropped. Milliseconds of this century and ten priorities fit into a double.
_HEAD = """
local waiting, taken, kept = KEYS[1], KEYS[2], KEYS[3]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function rank(text, at) return (tonumber(string.match(text, '^%d+')) or 10) * 1e13 + at end
local function drop_old()
  for _, text in ipairs(redis.call('ZRANGEBYSCORE', kept, '-inf', now, 'LIMIT', 0, 1000)) do
    redis.call('ZREM', waiting, text)
    redis.call('ZREM', taken, text)
    redis.call('ZREM', kept, text)
  end
end
local function return_lost()
  for _, text in ipairs(redis.call('ZRANGEBYSCORE', taken, '-inf', now, 'LIMIT', 0, 1000)) do
    redis.call('ZREM', taken, text)
    redis.call('ZADD', waiting, rank(text, 0), text)
  end
end
"""
_PUT = """
for place = 2, #ARGV do
  redis.call('ZADD', kept, now + ARGV[1], ARGV[place])
  redis.call('ZADD', waiting, 'NX', rank(ARGV[place], now), ARGV[place])
end
"""
_TAKE = """
drop_old()
return_lost()
local found = redis.call('ZRANGE', waiting, 0, ARGV[1] - 1)
for _, text in ipairs(found) do
  redis.call('ZREM', waiting, text)
  redis.call('ZADD', taken, now + ARGV[2], text)
end
return found
"""
_DONE = """
for _, text in ipairs(ARGV) do
  redis.call('ZREM', waiting, text)
  redis.call('ZREM', taken, text)
  redis.call('ZREM', kept, text)
end
"""
_SIZE = """
drop_old()
return_lost()
return redis.call('ZCARD', waiting)
"""
_AT_ONCE = 1_000


class RedisQueue:
    def __init__(self, server: RedisServer, name: str, again: float) -> None:
        """`again` is after how many seconds a ticket that was taken and not done comes back."""
        self._server = server
        self._again = again
        # In braces: a cluster keeps keys that a script needs together on one node.
        self._keys = [f"{{{name}}}:queue:{part}" for part in ("waiting", "taken", "kept")]
        self._put = server.script(_HEAD + _PUT)
        self._take = server.script(_HEAD + _TAKE)
        self._done = server.script(_HEAD + _DONE)
        self._size = server.script(_HEAD + _SIZE)

    async def put(self, wanted: Sequence[Ticket], keep: float) -> None:
        for start in range(0, len(wanted), _AT_ONCE):
            batch = wanted[start : start + _AT_ONCE]
            texts = [tickets.written(ticket) for ticket in batch]
            await self._server.run(self._put, self._keys, [round(keep * 1000), *texts])

    async def take(self, most: int) -> list[Ticket]:
        arguments = [min(most, _AT_ONCE), round(self._again * 1000)]
        found: list[bytes] = await self._server.run(self._take, self._keys, arguments)
        read = {text: _read(text) for text in found}
        if noise := [text for text, ticket in read.items() if ticket is None]:
            await self._server.run(self._done, self._keys, noise)
        return [ticket for ticket in read.values() if ticket is not None]

    async def done(self, used: Sequence[Ticket]) -> None:
        arguments = [tickets.written(ticket) for ticket in used]
        await self._server.run(self._done, self._keys, arguments)

    async def size(self) -> int:
        return int(await self._server.run(self._size, self._keys, ()))

    async def close(self) -> None:
        await self._server.close()


def _read(text: bytes) -> Ticket | None:
    try:
        return tickets.read(text.decode())
    except ValueError:
        log.warning(
            "%r in the queue is no ticket; is the name of the queue used twice?", text[:100]
        )
        return None
