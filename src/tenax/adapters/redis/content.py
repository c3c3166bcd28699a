"""A cache of bodies in Redis that expire (TTL), as they are, so that any client can read them.

`webpage:{url_hash}` is the latest body of a page. `webpage:{url_hash}:digest` says which one that
is, and `content:{digest}:at` under which pages a body lies; one that no page is known of lies under
`content:{digest}`. Hashes are in hex; all of it is gone after the same time.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from math import ceil
from typing import TYPE_CHECKING, Any

from tenax.adapters.redis.client import RedisServer

if TYPE_CHECKING:
    from redis.asyncio import Redis

_AT_ONCE = 4_000_000
"""Bytes sent in one go; one body may have more."""
_PLACES = 8
"""Pages remembered for one body: thousands may have the same, and one is enough."""

_RENEWED = 500
"""Bodies whose time is set anew by one call."""
# All keys of a body live equally long; one that is not whole is as good as gone.
_RENEW = """
local there = {}
for n = 1, #KEYS / 3 do
  local body, digest, at = KEYS[3 * n - 2], KEYS[3 * n - 1], KEYS[3 * n]
  local place, is = ARGV[2 * n + 1], ARGV[2 * n + 2]
  if redis.call('EXISTS', body) == 1 and redis.call('GET', digest) == is then
    redis.call('EXPIRE', body, ARGV[1])
    redis.call('EXPIRE', digest, ARGV[1])
    if redis.call('SISMEMBER', at, place) == 0 then
      if redis.call('SCARD', at) >= tonumber(ARGV[2]) then
        redis.call('SPOP', at)
      end
      redis.call('SADD', at, place)
    end
    redis.call('EXPIRE', at, ARGV[1])
    there[n] = 1
  else
    there[n] = 0
  end
end
return there
"""

Page = tuple[bytes, bytes, bytes]


class RedisContentStore:
    """Bodies by their SHA-256, as long as they last."""

    def __init__(self, server: RedisServer, ttl: float) -> None:
        self._server = server
        self._ttl = max(1, ceil(ttl))

    async def put(self, bodies: Iterable[tuple[bytes, bytes]]) -> None:
        pairs = dict(bodies)
        for digests in _batches([(digest, len(body)) for digest, body in pairs.items()]):
            missing = await self.missing(digests)

            async def work(redis: Redis, missing: Sequence[bytes] = missing) -> None:
                pipeline = redis.pipeline(transaction=False)
                for digest in missing:
                    pipeline.set(f"content:{digest.hex()}", pairs[digest], ex=self._ttl)
                await pipeline.execute()

            if missing:
                await self._server.ask(work, sum(len(pairs[digest]) for digest in missing))

    async def get(self, digest: bytes) -> bytes | None:
        async def find(redis: Redis) -> list[tuple[str, int]]:
            own = f"content:{digest.hex()}"
            pipeline = redis.pipeline(transaction=False)
            pipeline.strlen(own)
            pipeline.smembers(f"{own}:at")
            size, places = await pipeline.execute()
            if size or not places:
                return [(own, size)]
            names = [f"webpage:{place.decode()}" for place in sorted(places)]
            for name in names:
                pipeline.strlen(name)
            return list(zip(names, await pipeline.execute(), strict=True))

        # The sizes first: how long a body may take depends on them, and a server that hangs may
        # not take longer than any other call.
        for name, size in await self._server.ask(find):
            body: Any = await self._server.ask(_getting(name), size)
            if body is not None and _is(body, digest):
                return bytes(body)
        return None

    async def missing(self, digests: Iterable[bytes]) -> list[bytes]:
        wanted = list(digests)
        if not wanted:
            return []

        async def work(redis: Redis) -> list[bytes]:
            pipeline = redis.pipeline(transaction=False)
            for digest in wanted:
                pipeline.exists(f"content:{digest.hex()}")
                pipeline.smembers(f"content:{digest.hex()}:at")
            said = await pipeline.execute()
            lying = dict(zip(wanted, zip(said[::2], said[1::2], strict=True), strict=True))
            places = {place for _, at in lying.values() for place in at}
            there = await _lying(redis, sorted(places))
            return [
                digest for digest in wanted if not lying[digest][0] and not lying[digest][1] & there
            ]

        answer: list[bytes] = await self._server.ask(work)
        return answer

    async def close(self) -> None:
        """The server is closed by whoever opened it."""


class RedisShelf:
    """The latest body of each page, by the hash of its URL."""

    def __init__(self, server: RedisServer, ttl: float) -> None:
        self._server = server
        self._ttl = max(1, ceil(ttl))
        self._renew = server.script(_RENEW)

    async def put(self, pages: Iterable[Page]) -> None:
        # Of two bodies of one page the later one stays.
        latest = {url_hash: (digest, body) for url_hash, digest, body in pages}
        for batch in _batches([(url_hash, len(body)) for url_hash, (_, body) in latest.items()]):
            chosen = [(url_hash, *latest[url_hash]) for url_hash in batch]

            async def work(redis: Redis, chosen: Sequence[Page] = chosen) -> None:
                await self._put(redis, chosen)

            await self._server.ask(work, sum(len(body) for _, _, body in chosen))

    async def renew(self, pages: Sequence[tuple[bytes, bytes]]) -> list[bool]:
        there: list[bool] = []
        for start in range(0, len(pages), _RENEWED):
            some = pages[start : start + _RENEWED]
            keys = [name for url_hash, digest in some for name in _names(url_hash, digest)]
            asked: list[str | bytes | float] = [self._ttl, _PLACES]
            for url_hash, digest in some:
                asked += [url_hash.hex(), digest.hex()]
            there += map(bool, await self._server.run(self._renew, keys, asked))
        return there

    async def _put(self, redis: Redis, pages: Sequence[Page]) -> None:
        names = [f"webpage:{url_hash.hex()}" for url_hash, _, _ in pages]
        before: list[Any] = await redis.mget([f"{name}:digest" for name in names])
        crowds = await _sizes(redis, [digest for _, digest, _ in pages])
        pipeline = redis.pipeline(transaction=True)
        for (url_hash, digest, body), name, was in zip(pages, names, before, strict=True):
            place, at = url_hash.hex(), f"content:{digest.hex()}:at"
            if was is not None and was.decode() != digest.hex():
                pipeline.srem(f"content:{was.decode()}:at", place)
            if crowds[digest] >= _PLACES:
                pipeline.spop(at)
            pipeline.set(name, body, ex=self._ttl)
            pipeline.set(f"{name}:digest", digest.hex(), ex=self._ttl)
            pipeline.sadd(at, place)
            pipeline.expire(at, self._ttl)
        await pipeline.execute()


async def _lying(redis: Redis, places: Sequence[bytes]) -> set[bytes]:
    """Those of these pages that have a body."""
    pipeline = redis.pipeline(transaction=False)
    for place in places:
        pipeline.exists(f"webpage:{place.decode()}")
    there = await pipeline.execute() if places else []
    return {place for place, is_there in zip(places, there, strict=True) if is_there}


async def _sizes(redis: Redis, digests: Sequence[bytes]) -> dict[bytes, int]:
    pipeline = redis.pipeline(transaction=False)
    for digest in digests:
        pipeline.scard(f"content:{digest.hex()}:at")
    sizes: list[Any] = await pipeline.execute()
    return dict(zip(digests, sizes, strict=True))


def _names(url_hash: bytes, digest: bytes) -> tuple[str, str, str]:
    name = f"webpage:{url_hash.hex()}"
    return name, f"{name}:digest", f"content:{digest.hex()}:at"


def _getting(name: str) -> Callable[[Redis], Awaitable[Any]]:
    return lambda redis: redis.get(name)


def _batches(sized: Sequence[tuple[bytes, int]]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    weight = 0
    for name, size in sized:
        if batch and weight + size > _AT_ONCE:
            yield batch
            batch, weight = [], 0
        batch.append(name)
        weight += size
    if batch:
        yield batch


def _is(body: bytes, digest: bytes) -> bool:
    return sha256(body).digest() == digest
