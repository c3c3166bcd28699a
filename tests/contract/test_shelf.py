"""The promises of `Shelf`: the latest body of a page, as it is, for any client, for a while.

Where Redis is the content store, what lies on the shelf is the store's, too, and lies there once.
"""

from __future__ import annotations

import hashlib
from functools import partial
from typing import Any

from tenax.adapters.redis.client import RedisServer
from tenax.adapters.redis.content import RedisContentStore, RedisShelf

TTL = 3_600


def page(url: str, body: bytes) -> tuple[bytes, bytes, bytes]:
    return hashlib.sha256(url.encode()).digest(), hashlib.sha256(body).digest(), body


def key(url: str) -> str:
    return "webpage:" + hashlib.sha256(url.encode()).hexdigest()


async def read(redis: RedisServer, name: str) -> Any:
    found: Any = await redis.ask(lambda client: client.get(name))
    return found


async def ttl(name: bytes, client: Any) -> int:
    return int(await client.ttl(name))


async def size(name: bytes, client: Any) -> int:
    return int(await client.memory_usage(name))


async def put(redis: RedisServer, *pages: tuple[bytes, bytes, bytes]) -> None:
    """As a commit does it."""
    await RedisShelf(redis, TTL).put(pages)
    await RedisContentStore(redis, TTL).put((digest, body) for _, digest, body in pages)


async def test_a_body_lies_as_it_is_under_the_hash_of_its_url(redis: RedisServer) -> None:
    """STORE-3"""
    body = "<p>Grüße</p>".encode("latin-1") + bytes(range(256))
    await put(redis, page("https://a.example/", body))
    assert await read(redis, key("https://a.example/")) == body


async def test_it_is_gone_after_its_time(redis: RedisServer) -> None:
    await put(redis, page("https://a.example/", b"hello"))
    names: Any = await redis.ask(lambda client: client.keys("*"))
    assert names
    left = [await redis.ask(partial(ttl, name)) for name in names]
    assert TTL - 60 < min(left) <= max(left) <= TTL


async def test_a_body_in_the_store_lies_there_once(redis: RedisServer) -> None:
    """Memory is what Redis is short of."""
    body = b"x" * 100_000
    await put(redis, page("https://a.example/", body))
    names: Any = await redis.ask(lambda client: client.keys("*"))
    sizes = [await redis.ask(partial(size, name)) for name in names]
    assert 100_000 < sum(sizes) < 150_000


async def test_the_store_finds_it_by_its_digest(redis: RedisServer) -> None:
    _, digest, body = one = page("https://a.example/", b"hello")
    await put(redis, one)
    store = RedisContentStore(redis, TTL)
    assert await store.get(digest) == body
    assert await store.missing([digest]) == []


async def test_the_body_of_a_later_visit_takes_its_place(redis: RedisServer) -> None:
    old, new = page("https://a.example/", b"old"), page("https://a.example/", b"new")
    await put(redis, old)
    await put(redis, new)
    assert await read(redis, key("https://a.example/")) == b"new"
    store = RedisContentStore(redis, TTL)
    assert await store.get(new[1]) == b"new"
    assert await store.missing([old[1], new[1]]) == [old[1]]
    assert await store.get(old[1]) is None


async def test_of_two_bodies_put_together_the_later_one_stays(redis: RedisServer) -> None:
    await put(redis, page("https://a.example/", b"old"), page("https://a.example/", b"new"))
    assert await read(redis, key("https://a.example/")) == b"new"


async def test_a_body_that_another_page_still_has_is_still_found(redis: RedisServer) -> None:
    one, other = page("https://a.example/1", b"same"), page("https://a.example/2", b"same")
    await put(redis, other, one)
    await put(redis, page("https://a.example/1", b"changed"))
    assert await RedisContentStore(redis, TTL).get(one[1]) == b"same"


async def test_a_body_that_thousands_of_pages_have_is_remembered_for_few(
    redis: RedisServer,
) -> None:
    same = [page(f"https://a.example/{n}", b"not found") for n in range(100)]
    for one in same:
        await put(redis, one)
    crowd: Any = await redis.ask(lambda client: client.scard(f"content:{same[0][1].hex()}:at"))
    assert crowd <= 8
    assert await RedisContentStore(redis, TTL).get(same[0][1]) == b"not found"


async def test_large_bodies_are_sent_one_by_one(redis: RedisServer) -> None:
    pages = [page(f"https://a.example/{n}", bytes([n]) * 3_000_000) for n in range(6)]
    await put(redis, *pages)
    for n, (_, digest, body) in enumerate(pages):
        assert await read(redis, key(f"https://a.example/{n}")) == body
        assert await RedisContentStore(redis, TTL).get(digest) == body


async def test_what_lies_there_stays_for_its_whole_time_again(redis: RedisServer) -> None:
    """Everything that leads to it does."""
    url_hash, digest, _ = one = page("https://a.example/", b"hello")
    await RedisShelf(redis, 60).put([one])
    assert await RedisShelf(redis, TTL).renew([(url_hash, digest)]) == [True]
    names: Any = await redis.ask(lambda client: client.keys("*"))
    left = [await redis.ask(partial(ttl, name)) for name in names]
    assert (len(left), min(left) > TTL - 60) == (3, True)
    assert await RedisContentStore(redis, TTL).get(digest) == b"hello"


async def test_what_is_not_there_whole_is_not_there(redis: RedisServer) -> None:
    one, other, gone = (page(f"https://a.example/{n}", b"%d" % n) for n in range(3))
    await put(redis, one, other)
    await redis.ask(lambda client: client.delete(key("https://a.example/1")))
    asked = [one[:2], other[:2], gone[:2], (one[0], other[1])]
    assert await RedisShelf(redis, TTL).renew(asked) == [True, False, False, False]
    assert await RedisShelf(redis, TTL).renew([]) == []


async def test_a_renewed_body_is_found_by_its_digest_again(redis: RedisServer) -> None:
    """Eviction may take the way to it and leave the body."""
    url_hash, digest, _ = one = page("https://a.example/", b"hello")
    await put(redis, one)
    await redis.ask(lambda client: client.delete(f"content:{digest.hex()}:at"))
    assert await RedisContentStore(redis, TTL).get(digest) is None
    assert await RedisShelf(redis, TTL).renew([(url_hash, digest)]) == [True]
    assert await RedisContentStore(redis, TTL).get(digest) == b"hello"
