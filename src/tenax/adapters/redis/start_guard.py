"""A distributed rate limit and circuit breaker: one Redis script grants each start of a request.

`rate_limit:{unit}` is a sorted set: requests under way, each until its grant ends, and `next`, the
moment before which no other may start. `circuit:{host}` is there while nobody may ask the host.
Questions that come while another is under way are asked together.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from hashlib import sha1
from math import ceil
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from tenax.adapters.redis.client import RedisServer
from tenax.ports import Denied, Granted, Start, Unavailable

if TYPE_CHECKING:
    from redis.asyncio import Redis

log = logging.getLogger(__name__)

_HOLD = 30.0
"""Seconds in which what was granted has to be sent: connecting, and waiting for a free slot."""
_FREE = Granted(float("inf"))
"""What is granted while nobody can be asked."""

# Times are in microseconds: half of the requests would be a rounding too early otherwise, and have
# to ask twice.
_TAKE = """
local rate, circuit, id = KEYS[1], KEYS[2], ARGV[1]
local delay, slots, hold = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local shut = redis.call('PTTL', circuit)
if shut > 0 then
  return {2, shut * 1000, redis.call('GET', circuit) or ''}
end
if redis.call('ZSCORE', rate, id) then
  return {0, 0, ''}
end
redis.call('ZREMRANGEBYSCORE', rate, '-inf', now)
local next = redis.call('ZSCORE', rate, 'next')
if next then
  return {1, tonumber(next) - now, ''}
end
local under_way = redis.call('ZCARD', rate)
if delay > 0 and under_way > 0 or under_way >= slots then
  local first = redis.call('ZRANGE', rate, 0, 0, 'WITHSCORES')
  return {1, math.min(tonumber(first[2]) - now, math.max(delay, 50000)), ''}
end
redis.call('ZADD', rate, now + delay + hold, id)
redis.call('PEXPIRE', rate, math.ceil((delay + hold) / 1000))
return {0, 0, ''}
"""
_OVER = """
local rate, id = KEYS[1], ARGV[1]
local delay, ago = tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREM', rate, id)
local left = delay - ago
if delay <= 0 or ago < 0 or left <= 0 then
  return 0
end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('ZADD', rate, 'GT', now + left, 'next')
if redis.call('PTTL', rate) * 1000 <= left then
  redis.call('PEXPIRE', rate, math.ceil(left / 1000))
end
return 0
"""
# The longer of two waits holds: it was asked for by the same host.
_SHUT = """
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[1])
end
return 0
"""


class _Script:
    def __init__(self, text: str) -> None:
        self.text = text
        self.sha = sha1(text.encode(), usedforsecurity=False).hexdigest()


_take, _over, _shut = _Script(_TAKE), _Script(_OVER), _Script(_SHUT)


class _Question(Struct):
    script: _Script
    keys: tuple[str, ...]
    args: tuple[str | int, ...]
    answer: asyncio.Future[Any] | None = None
    """None when nobody waits for it."""


class RedisGuard:
    """One round trip for each request; none while Redis does not answer."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self._asked: list[_Question] = []
        self._asking: asyncio.Task[None] | None = None
        self._is_lost = False

    async def take(self, start: Start) -> Granted | Denied:
        if self._server.is_resting:
            return _FREE
        keys = (f"rate_limit:{start.unit}", f"circuit:{start.host}")
        args = (start.id, _microseconds(start.delay), start.slots, _microseconds(_HOLD))
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        try:
            said = await self._ask(_Question(_take, keys, args, answer))
        except asyncio.CancelledError:
            # It may have been granted all the same, and others would wait for its end.
            self.over(start, None)
            raise
        if said is None:
            return _FREE
        verdict, wait, why = said
        if verdict == 0:
            return Granted(_HOLD)
        return Denied(max(wait, 1) / 1_000_000, why.decode() if verdict == 2 else "")

    def over(self, start: Start, ago: float | None) -> None:
        left = -1 if ago is None else int(max(ago, 0.0) * 1_000_000)
        args = (start.id, _microseconds(start.delay), left)
        self._tell(_Question(_over, (f"rate_limit:{start.unit}",), args))

    def shut(self, host: str, seconds: float, why: str) -> None:
        args = (max(ceil(seconds * 1000), 1), why)
        self._tell(_Question(_shut, (f"circuit:{host}",), args))

    async def reopen(self, host: str) -> None:
        await self._server.ask(lambda redis: redis.delete(f"circuit:{host}"))

    async def close(self) -> None:
        """Tell what is left to tell."""
        if self._asking is not None:
            await asyncio.wait([self._asking])

    def _tell(self, question: _Question) -> None:
        if not self._server.is_resting:
            self._asked.append(question)
            self._begin()

    async def _ask(self, question: _Question) -> Any:
        assert question.answer is not None
        self._asked.append(question)
        self._begin()
        return await question.answer

    def _begin(self) -> None:
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask_all())

    async def _ask_all(self) -> None:
        try:
            while self._asked:
                questions, self._asked = self._asked, []
                try:
                    answers = await self._answers(questions)
                except BaseException as error:
                    # A bug; who waits for an answer must not wait for ever.
                    _fail(questions + self._asked, error)
                    raise
                for question, answer in zip(questions, answers, strict=True):
                    if question.answer is not None and not question.answer.done():
                        question.answer.set_result(answer)
        finally:
            self._asking = None

    async def _answers(self, questions: Sequence[_Question]) -> Sequence[Any]:
        """What the server says to each; None for all when it says nothing."""
        try:
            answers: list[Any] = await self._server.ask(lambda redis: _run(redis, questions))
        except Unavailable as error:
            if not self._is_lost:
                self._is_lost = True
                log.warning("hosts are paced by the leases of the ledger alone: %s", error)
            return [None] * len(questions)
        if self._is_lost:
            self._is_lost = False
            log.warning("Redis answers again: it guards the pace of hosts")
        return answers


def _fail(questions: Sequence[_Question], error: BaseException) -> None:
    for question in questions:
        if question.answer is not None and not question.answer.done():
            question.answer.set_exception(error)


async def _run(redis: Redis, questions: Sequence[_Question]) -> list[Any]:
    from redis.exceptions import NoScriptError

    answers = await _send(redis, questions)
    if any(isinstance(answer, NoScriptError) for answer in answers):
        for script in (_take, _over, _shut):
            await redis.script_load(script.text)
        # Asked again as a whole: no question minds being asked twice.
        answers = await _send(redis, questions)
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return answers


async def _send(redis: Redis, questions: Sequence[_Question]) -> list[Any]:
    pipeline = redis.pipeline(transaction=False)
    for asked in questions:
        pipeline.evalsha(asked.script.sha, len(asked.keys), *asked.keys, *asked.args)
    return list(await pipeline.execute(raise_on_error=False))


def _microseconds(seconds: float) -> int:
    """Rounded up: nobody may be asked too early."""
    return ceil(seconds * 1_000_000)
