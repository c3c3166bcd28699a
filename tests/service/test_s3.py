"""What does the S3 store do when the server is wrong, or away?"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import obstore
import pytest
import zstandard
from msgspec.structs import replace
from obstore.store import S3Store

import services
from tenax.adapters.content import s3 as adapter
from tenax.adapters.content.files import FileContentStore
from tenax.adapters.content.s3 import Bucket, S3ContentStore
from tenax.ports import Unavailable, Unusable
from tests.buckets import bucket_in
from tests.live import own_service

BODY = b"hello" * 100
DIGEST = hashlib.sha256(BODY).digest()


@pytest.fixture
async def store(s3: Bucket) -> AsyncIterator[S3ContentStore]:
    made = S3ContentStore(s3)
    yield made
    await made.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[services.Service]:
    with own_service("s3", tmp_path) as made:
        yield made


@pytest.mark.parametrize("damage", [b"", b"garbage", b"\x28\xb5\x2f\xfd"])
async def test_a_damaged_object_is_none_and_is_mended_by_the_next_put(
    s3: Bucket, store: S3ContentStore, damage: bytes
) -> None:
    await store.put([(DIGEST, BODY)])
    name = f"{DIGEST.hex()[:2]}/{DIGEST.hex()}.zst"
    await obstore.put_async(raw(s3), name, damage)
    assert await store.get(DIGEST) is None
    await store.put([(DIGEST, BODY)])
    assert await store.get(DIGEST) == BODY


async def test_objects_are_named_and_packed_like_files(
    s3: Bucket, store: S3ContentStore, tmp_path: Path
) -> None:
    """So that any tool can copy the one to the other."""
    files = FileContentStore(tmp_path)
    await files.put([(DIGEST, BODY)])
    await store.put([(DIGEST, BODY)])
    name, packed = only_file(tmp_path)
    answer = await obstore.get_async(raw(s3), name)
    assert zstandard.decompress(bytes(await answer.bytes_async())) == BODY
    assert zstandard.decompress(packed) == BODY
    await files.close()


@pytest.mark.parametrize("ask", ["put", "get", "missing", "digests", "remove"])
async def test_a_bucket_that_does_not_exist_is_told(s3: Bucket, ask: str) -> None:
    store = S3ContentStore(replace(s3, name="no-such-bucket"))
    with pytest.raises(Unusable, match=r"s3://no-such-bucket/.*NoSuchBucket.*Create the bucket"):
        await asked(store, ask)
    await store.close()


@pytest.mark.parametrize("ask", ["put", "get", "missing", "digests", "remove"])
async def test_a_wrong_account_is_told_without_its_secret(
    s3: Bucket, ask: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong-secret")
    store = S3ContentStore(s3)
    with pytest.raises(Unusable, match=r"SignatureDoesNotMatch.*Set AWS_ACCESS_KEY_ID") as told:
        await asked(store, ask)
    assert "wrong-secret" not in str(told.value)
    await store.close()


async def test_a_short_absence_is_not_noticed(
    server: services.Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = S3ContentStore(bucket_in(server, monkeypatch))
    server.kill()
    putting = asyncio.create_task(store.put([(DIGEST, BODY)]))
    await asyncio.to_thread(server.start)
    await putting
    assert await store.get(DIGEST) == BODY
    await store.close()


async def test_a_long_absence_is_an_outage_and_nothing_stored_is_lost(
    server: services.Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter, "_RETRIES", 1)
    store = S3ContentStore(bucket_in(server, monkeypatch))
    await store.put([(DIGEST, BODY)])
    server.kill()
    for ask in ("put", "get", "missing"):
        with pytest.raises(Unavailable, match="see that the server is up") as told:
            await asked(store, ask)
        assert not isinstance(told.value, Unusable)
    server.start()
    assert await store.get(DIGEST) == BODY
    await store.put([(hashlib.sha256(b"new").digest(), b"new")])
    await store.close()


async def test_no_more_requests_than_agreed_are_under_way(
    s3: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = running = 0
    really_put = obstore.put_async

    async def counted(*given: object) -> object:
        nonlocal most, running
        running += 1
        most = max(most, running)
        try:
            return await really_put(*given)  # type: ignore[arg-type]  # passed on as it came
        finally:
            running -= 1

    monkeypatch.setattr(obstore, "put_async", counted)
    store = S3ContentStore(s3)
    bodies = [b"%d" % n for n in range(200)]
    await store.put([(hashlib.sha256(body).digest(), body) for body in bodies])
    assert 1 < most <= 32
    await store.close()


async def asked(store: S3ContentStore, what: str) -> None:
    match what:
        case "put":
            await store.put([(DIGEST, BODY)])
        case "get":
            await store.get(DIGEST)
        case "missing":
            await store.missing([DIGEST])
        case "remove":
            await store.remove([DIGEST])
        case _:
            async for _ in store.digests():
                pass


def only_file(folder: Path) -> tuple[str, bytes]:
    (path,) = [path for path in folder.rglob("*") if path.is_file()]
    return str(path.relative_to(folder)), path.read_bytes()


def raw(bucket: Bucket) -> S3Store:
    return S3Store(
        bucket.name,
        prefix=bucket.prefix,
        config={"endpoint": bucket.endpoint, "region": bucket.region},
        client_options={"allow_http": True},
    )
