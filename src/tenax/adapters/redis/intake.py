"""A reliable queue in Redis, of URLs that others push: kept on record until acknowledged.

An item goes from the list to `{list}:taken:{taker}` and stays there until the ledger has it. A
taker is alive while `{list}:taker:{taker}` is there; `{list}:takers` names all who may have
something.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

import msgspec

from tenax.adapters.redis.client import RedisServer
from tenax.model.dates import iso_time
from tenax.ports import Clock, Unwanted
from tenax.ports.intake import LONGEST_ITEM

if TYPE_CHECKING:
    from redis.asyncio import Redis

_ALIVE = 60
"""Seconds after its last sign of life in which a taker counts as alive."""

_AT_ONCE = 4_000_000
"""Bytes taken together: the answer has to arrive in a second."""

# Asked twice, because an answer was lost, it takes no more than once.
_TAKE = """
local queue, taken, alive, takers = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local longest, room = tonumber(ARGV[4]), tonumber(ARGV[5])
redis.call('SET', alive, '1', 'EX', ARGV[3])
redis.call('SADD', takers, ARGV[2])
local items = redis.call('LRANGE', taken, 0, -1)
for _, item in ipairs(items) do
  room = room - #item
end
while #items < tonumber(ARGV[1]) and room > 0 do
  local item = redis.call('LMOVE', queue, taken, 'LEFT', 'RIGHT')
  if not item then
    break
  end
  if #item > longest then
    item = string.sub(item, 1, longest + 1)
    redis.call('LSET', taken, -1, item)
  end
  room = room - #item
  items[#items + 1] = item
end
return items
"""
# The last one taken goes back first, so that they stand as they stood.
_PUT_BACK = """
local queue, taken, alive, takers = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
if ARGV[2] == 'dead' and redis.call('EXISTS', alive) == 1 then
  return 0
end
local moved = 0
while redis.call('LMOVE', taken, queue, 'RIGHT', 'LEFT') do
  moved = moved + 1
end
redis.call('DEL', alive)
redis.call('SREM', takers, ARGV[1])
return moved
"""


class RedisIntakeQueue:
    def __init__(self, server: RedisServer, clock: Clock, queue: str, dead: str) -> None:
        """`queue` and `dead` are the names of the lists: of what is pushed, and of what of it
        cannot be taken in."""
        self._server = server
        self._queue = queue
        self._dead = dead
        self._clock = clock
        self._name = uuid4().hex
        self._take = server.script(_TAKE)
        self._put_back = server.script(_PUT_BACK)

    async def take(self, most: int) -> list[bytes]:
        asked = (most, self._name, _ALIVE, LONGEST_ITEM, _AT_ONCE)
        return cast(
            "list[bytes]", await self._server.run(self._take, self._keys(self._name), asked)
        )

    async def settle(self, unwanted: Sequence[Unwanted] = (), back: Sequence[bytes] = ()) -> None:
        dead = [self._letter(one) for one in unwanted]

        async def work(redis: Redis) -> None:
            pipeline = redis.pipeline(transaction=True)
            if dead:
                pipeline.rpush(self._dead, *dead)
            if back:
                pipeline.lpush(self._queue, *reversed(back))
            pipeline.delete(self._keys(self._name)[1])
            await pipeline.execute()

        await self._server.ask(work)

    async def recover(self) -> int:
        names: Any = await self._server.ask(lambda redis: redis.smembers(self._keys("")[3]))
        others = [name.decode() for name in names if name.decode() != self._name]
        return sum([await self._return(name, "dead") for name in others])

    async def leave(self) -> None:
        await self._return(self._name, "left")

    async def _return(self, name: str, why: str) -> int:
        return int(await self._server.run(self._put_back, self._keys(name), (name, why)))

    def _letter(self, unwanted: Unwanted) -> bytes:
        return msgspec.json.encode(
            {
                "type": "intake_refused",
                "item": unwanted.item.decode(errors="replace"),
                "reason": unwanted.reason,
                "detail": unwanted.detail,
                "refused_at": iso_time(self._clock.now()),
            }
        )

    def _keys(self, name: str) -> list[str]:
        queue = self._queue
        return [queue, f"{queue}:taken:{name}", f"{queue}:taker:{name}", f"{queue}:takers"]
