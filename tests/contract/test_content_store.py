"""The promises of `ContentStore`: a body is there complete under its hash, or not at all."""

from __future__ import annotations

import hashlib
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

import services
from tenax.adapters.content.files import FileContentStore
from tenax.adapters.content.s3 import S3ContentStore
from tenax.adapters.redis.content import RedisContentStore
from tenax.ports import ContentStore, Unavailable
from tests.redises import opened

Request = pytest.FixtureRequest


@asynccontextmanager
async def in_files(folder: Path, *, threads: bool) -> AsyncIterator[ContentStore]:
    store = FileContentStore(folder, threads=threads)
    yield store
    await store.close()


@asynccontextmanager
async def in_redis(request: Request) -> AsyncIterator[ContentStore]:
    service: services.Service = request.getfixturevalue("redis_service")
    async with opened(service) as server:
        assert await server.ask(lambda redis: redis.flushall())
        yield RedisContentStore(server, ttl=60)


@asynccontextmanager
async def in_s3(request: Request, *, threads: bool) -> AsyncIterator[ContentStore]:
    store = S3ContentStore(request.getfixturevalue("s3"), threads=threads)
    yield store
    await store.close()


# A new adapter is one line here.
STORES: dict[str, Callable[[Request, Path], AbstractAsyncContextManager[ContentStore]]] = {
    "files": lambda _, folder: in_files(folder, threads=True),
    "files-without-threads": lambda _, folder: in_files(folder, threads=False),
    "redis": lambda request, _: in_redis(request),
    "s3": lambda request, _: in_s3(request, threads=True),
    "s3-without-threads": lambda request, _: in_s3(request, threads=False),
}


@pytest.fixture(params=STORES)
async def store(request: Request, tmp_path: Path) -> AsyncIterator[ContentStore]:
    async with STORES[request.param](request, tmp_path / "content") as made:
        yield made


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def named(body: bytes) -> tuple[bytes, bytes]:
    return hashlib.sha256(body).digest(), body


@pytest.mark.parametrize("body", [b"", b"x", b"\x00\xff" * 50_000, os.urandom(100_000)])
async def test_a_body_comes_back_as_it_was_put(store: ContentStore, body: bytes) -> None:
    digest, _ = named(body)
    await store.put([(digest, body)])
    assert await store.get(digest) == body


async def test_putting_a_body_twice_is_harmless(store: ContentStore) -> None:
    digest, body = named(b"hello")
    await store.put([(digest, body), (digest, body)])
    await store.put([(digest, body)])
    assert await store.get(digest) == body


async def test_a_body_never_put_is_none(store: ContentStore) -> None:
    assert await store.get(named(b"never")[0]) is None


async def test_missing_names_what_is_not_there_in_order(store: ContentStore) -> None:
    here, gone, lost = (named(body)[0] for body in (b"here", b"gone", b"lost"))
    await store.put([named(b"here")])
    assert await store.missing([lost, here, gone]) == [lost, gone]
    assert await store.missing([]) == []


async def test_nothing_to_put_is_nothing_done(store: ContentStore) -> None:
    await store.put([])


@pytest.mark.parametrize("damage", [b"", b"garbage", b"\x28\xb5\x2f\xfd"])
async def test_a_damaged_file_is_none_not_an_error(tmp_path: Path, damage: bytes) -> None:
    store = FileContentStore(tmp_path, threads=False)
    digest, body = named(b"hello" * 100)
    await store.put([(digest, body)])
    (path,) = files(tmp_path)
    path.write_bytes(damage)
    assert await store.get(digest) is None


async def test_no_half_written_file_is_left_under_a_hash(tmp_path: Path) -> None:
    """SEC-4: nothing but hashes names a file."""
    store = FileContentStore(tmp_path, threads=False)
    await store.put([named(f"body {n}".encode()) for n in range(50)])
    names = {path.name for path in files(tmp_path)}
    assert names == {f"{named(f'body {n}'.encode())[0].hex()}.zst" for n in range(50)}


async def test_a_place_that_cannot_be_written_is_our_fault_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "content").write_text("a file where a folder should be")
    store = FileContentStore(tmp_path / "content", threads=False)
    with pytest.raises(Unavailable, match="cannot be written"):
        await store.put([named(b"hello")])
