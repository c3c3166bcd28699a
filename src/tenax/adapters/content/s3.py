"""Content-addressed bodies in an S3 bucket that many machines share: zstd, named by SHA-256.

The objects are named and packed like the files of the file store, so either can be copied to the
other by any tool.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

import obstore
import zstandard
from msgspec import Struct
from msgspec.structs import replace
from obstore.exceptions import BaseError
from obstore.store import S3Store

from tenax.adapters.content.files import MAX_BODY, digest_in, name_of
from tenax.ports import StoredBody, Unavailable, Unusable

if TYPE_CHECKING:
    from obstore.store import S3Config

T = TypeVar("T")

_AT_ONCE = 32
"""Requests under way. A request takes tens of milliseconds and hardly any processor time."""
_PARTS = 4
"""Of an upload under way at once: five megabytes of memory each."""
_RETRIES, _GIVE_UP = 4, timedelta(seconds=15)
"""How long the library tries by itself. After that it is an outage, which is others' business."""
_CONNECT, _ANSWER = timedelta(seconds=5), timedelta(seconds=60)


_ACCOUNT = (
    "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to an account that may list the bucket and"
    " get, put and delete its objects."
)
_TOKEN = "Set AWS_SESSION_TOKEN to one that is valid, with the key it was made for, or to none."
_REGION = "Set ?region=NAME in content to the region of the bucket."
_REFUSALS = {
    "NoSuchBucket": "Create the bucket first, or set content to one that exists.",
    "InvalidAccessKeyId": _ACCOUNT,
    "SignatureDoesNotMatch": _ACCOUNT,
    "AccessDenied": _ACCOUNT,
    "401 Unauthorized": _ACCOUNT,
    "403 Forbidden": _ACCOUNT,
    "ExpiredToken": _TOKEN,
    "InvalidToken": _TOKEN,
    "AuthorizationHeaderMalformed": _REGION,
    "301 Moved Permanently": _REGION,
    "404 Not Found": "Is ?endpoint=URL in content the address of an S3 server?",
    "RequestTimeTooSkewed": "Set this machine's clock.",
}
"""What the server's own words for it call for."""


class Bucket(Struct, frozen=True):
    """Where it is. Who may use it the library finds out itself, from the AWS_* environment."""

    name: str
    prefix: str = ""
    endpoint: str = ""
    region: str = ""

    def __str__(self) -> str:
        place = f"s3://{self.name}/{self.prefix}".rstrip("/")
        return f"{place} at {self.endpoint}" if self.endpoint else place


class S3ContentStore:
    """PREFIX/ab/abcdef….zst: a body is complete under its name or not there at all."""

    def __init__(self, bucket: Bucket, *, level: int = 1, threads: bool = True) -> None:
        self._bucket = bucket
        self._store = _open(bucket)
        # One thread: a compressor is not to be used by two at once.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="content") if threads else None
        self._compressor = zstandard.ZstdCompressor(level=level)
        self._decompressor = zstandard.ZstdDecompressor()
        self._free = asyncio.Semaphore(_AT_ONCE)
        self._is_known = False

    async def put(self, bodies: Iterable[tuple[bytes, bytes]]) -> None:
        # An object that is there already is written again: to ask first would cost as much.
        pairs = dict(bodies)
        packed = await self._do(lambda: [self._compressor.compress(b) for b in pairs.values()])
        objects = zip(pairs, packed, strict=True)
        await _all(self._put(digest, data) for digest, data in objects)

    async def get(self, digest: bytes) -> bytes | None:
        packed = await self._read(digest)
        if packed is None:
            return None
        try:
            return self._decompressor.decompress(packed, max_output_size=MAX_BODY)
        except zstandard.ZstdError:
            return None

    async def missing(self, digests: Iterable[bytes]) -> list[bytes]:
        wanted = list(digests)
        if wanted and not self._is_known:
            # Asked for its head alone, a missing bucket looks like a missing object.
            await self._read(wanted[0])
        there = await _all(map(self._has, wanted))
        return [digest for digest, is_there in zip(wanted, there, strict=True) if not is_there]

    async def digests(self) -> AsyncIterator[list[bytes]]:
        async for batch in self.inventory():
            yield [stored.digest for stored in batch]

    async def inventory(self) -> AsyncIterator[list[StoredBody]]:
        stream = obstore.list(self._store)
        while True:
            try:
                chunk = await anext(stream)
            except StopAsyncIteration:
                return
            except (BaseError, OSError) as error:
                raise self._unavailable("listed", error) from error
            yield [
                StoredBody(digest, item["size"], item["last_modified"].timestamp())
                for item in chunk
                if (digest := digest_in(item["path"])) is not None
            ]

    async def remove(self, digests: Iterable[bytes], older: float | None = None) -> list[bytes]:
        unwanted = list(digests)
        if older is not None:
            # A server has no way to remove what nobody has written since: asked just before.
            ages = await _all(map(self._put_at, unwanted))
            pairs = zip(unwanted, ages, strict=True)
            unwanted = [digest for digest, at in pairs if at is not None and at < older]
        names = [name_of(digest) for digest in unwanted]
        if names:
            await self._ask("removed", lambda: obstore.delete_async(self._store, names))
        return unwanted

    async def close(self) -> None:
        if self._thread is not None:
            self._thread.shutdown(wait=True)

    async def _put(self, digest: bytes, data: bytes) -> None:
        try:
            await self._ask(
                "written", lambda: obstore.put_async(self._store, name_of(digest), data)
            )
        except FileNotFoundError as error:
            raise self._unavailable("written", error) from error

    async def _read(self, digest: bytes) -> bytes | None:
        async def read() -> bytes:
            answer = await obstore.get_async(self._store, name_of(digest))
            return bytes(await answer.bytes_async())

        try:
            return await self._ask("read", read)
        except FileNotFoundError:
            self._is_known = True
            return None

    async def _has(self, digest: bytes) -> bool:
        return await self._put_at(digest) is not None

    async def _put_at(self, digest: bytes) -> float | None:
        """When it was last put; None when it is not there."""
        try:
            head = await self._ask("read", lambda: obstore.head_async(self._store, name_of(digest)))
        except FileNotFoundError:
            return None
        return head["last_modified"].timestamp()

    async def _ask(self, done: str, request: Callable[[], Awaitable[T]]) -> T:
        async with self._free:
            try:
                answer = await request()
            except FileNotFoundError as error:
                if "NoSuchBucket" in str(error):
                    raise self._unavailable(done, error) from error
                raise
            except (BaseError, OSError) as error:
                raise self._unavailable(done, error) from error
        self._is_known = True
        return answer

    async def _do(self, work: Callable[[], T]) -> T:
        if self._thread is None:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _unavailable(self, done: str, error: Exception) -> Unavailable:
        reason = _reason(str(error))
        told = f"{self._bucket}: page bodies cannot be {done} ({reason})."
        if reason in _REFUSALS:
            return Unusable(f"{told} {_REFUSALS[reason]}")
        return Unavailable(
            f"{told} Nothing stored so far is lost: see that the server is up and can be reached,"
            " and run the same command again."
        )


class ArchiveBucket:
    """Files that are written once, under names of their own."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket
        self._store = _open(bucket)

    async def write(self, name: str, data: bytes) -> str:
        try:
            await obstore.put_async(self._store, name, data)
        except (BaseError, OSError) as error:
            reason = _reason(str(error))
            raise Unavailable(
                f"{self._bucket}: what is too old cannot be archived ({reason}), so it stays."
                f" {_REFUSALS.get(reason, 'See that the server is up and can be reached.')}"
            ) from error
        return f"{self._bucket}/{name}"


class UploadBucket:
    """One object, written by multipart upload: it is there when all of it is, and not before."""

    def __init__(self, bucket: Bucket) -> None:
        folder, _, self._name = bucket.prefix.rpartition("/")
        self._bucket = bucket
        self._store = _open(replace(bucket, prefix=folder))

    async def put(self, pieces: AsyncIterator[bytes]) -> None:
        """Raises `Unavailable`, or what the pieces raised."""
        raised: list[Exception] = []

        async def watched() -> AsyncIterator[bytes]:
            try:
                async for piece in pieces:
                    yield piece
            except Exception as error:
                raised.append(error)
                raise

        try:
            await obstore.put_async(
                self._store, self._name, watched(), use_multipart=True, max_concurrency=_PARTS
            )
        except (BaseError, OSError) as error:
            if raised:
                raise raised[0] from error
            reason = _reason(str(error))
            advice = _REFUSALS.get(reason, "See that the server is up and can be reached.")
            raise Unavailable(
                f"{self._bucket}: the export cannot be written ({reason}), and nothing of it is"
                f" there. {advice.replace('content', '--output')}"
            ) from error


def _open(bucket: Bucket) -> S3Store:
    config: S3Config = {}
    if bucket.endpoint:
        config["endpoint"] = bucket.endpoint
    if bucket.region:
        config["region"] = bucket.region
    return S3Store(
        bucket.name,
        prefix=bucket.prefix or None,
        config=config,
        client_options={
            "allow_http": bucket.endpoint.startswith("http://"),
            "connect_timeout": _CONNECT,
            "timeout": _ANSWER,
        },
        retry_config={"max_retries": _RETRIES, "retry_timeout": _GIVE_UP},
    )


async def _all(requests: Iterable[Awaitable[T]]) -> list[T]:
    """All of their answers, or the first failure when the others have ended too: what is still
    under way behind a caller's back could end after the caller has closed us."""
    answers = await asyncio.gather(*requests, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return [answer for answer in answers if not isinstance(answer, BaseException)]


def _reason(said: str) -> str:
    """The server's own word for it, or what the library says without its inner workings."""
    code = re.search(r"<Code>(\w+)</Code>", said)
    if code:
        return code[1]
    # An answer to HEAD has no words, only a number.
    number = re.search(r"status code: (\d{3} [A-Z][A-Za-z ]*)", said)
    if number:
        return number[1].strip()
    if "redirect without LOCATION" in said:
        return "301 Moved Permanently"
    line = said.partition("\n\nDebug source")[0].strip().splitlines()[0]
    return line.rpartition(" - ")[2].strip()
