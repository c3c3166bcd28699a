"""Content-addressed bodies in files: zstd, named by SHA-256, put under that name by a rename."""

from __future__ import annotations

import asyncio
import itertools
import os
import uuid
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

import zstandard

from tenax.ports import StoredBody, Unavailable

T = TypeVar("T")

MAX_BODY = 64 * 1024 * 1024

_SHELVES = [f"{number:02x}" for number in range(256)]


def name_of(digest: bytes) -> str:
    name = digest.hex()
    return f"{name[:2]}/{name}.zst"


def digest_in(name: str) -> bytes | None:
    """The inverse of `name_of`; None for the name of something else."""
    stem, dot, ending = name.rpartition("/")[2].partition(".")
    if not dot or ending != "zst" or len(stem) != 64:
        return None
    try:
        return bytes.fromhex(stem)
    except ValueError:
        return None


class FileContentStore:
    """content/ab/abcdef….zst: a body is complete under its name or not there at all."""

    def __init__(
        self, folder: Path, *, level: int = 1, threads: bool = True, sync: bool = False
    ) -> None:
        """`sync` makes every body safe from a failing machine, at the price of waiting for it."""
        self._folder = folder
        self._sync = sync
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="content") if threads else None
        self._compressor = zstandard.ZstdCompressor(level=level)
        self._decompressor = zstandard.ZstdDecompressor()
        self._made: set[str] = set()
        self._token = uuid.uuid4().hex
        self._serial = itertools.count()

    async def put(self, bodies: Iterable[tuple[bytes, bytes]]) -> None:
        pairs = list(bodies)
        await self._do(lambda: self._put_all(pairs))

    async def get(self, digest: bytes) -> bytes | None:
        return await self._do(lambda: self._get(digest))

    async def missing(self, digests: Iterable[bytes]) -> list[bytes]:
        wanted = list(digests)
        return await self._do(lambda: [d for d in wanted if not os.path.exists(self._path(d))])

    async def digests(self) -> AsyncIterator[list[bytes]]:
        for name in _SHELVES:
            if found := await self._do(partial(self._shelf, name)):
                yield found

    async def inventory(self) -> AsyncIterator[list[StoredBody]]:
        for name in _SHELVES:
            if found := await self._do(partial(self._listed, name)):
                yield found

    async def remove(self, digests: Iterable[bytes], older: float | None = None) -> list[bytes]:
        unwanted = list(digests)
        return await self._do(lambda: [d for d in unwanted if self._remove(d, older)])

    async def close(self) -> None:
        if self._thread is not None:
            self._thread.shutdown(wait=True)

    async def _do(self, work: Callable[[], T]) -> T:
        if self._thread is None:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _put_all(self, bodies: list[tuple[bytes, bytes]]) -> None:
        try:
            for digest, body in bodies:
                self._put(digest, body)
        except OSError as error:
            raise Unavailable(
                f"{self._folder}: page bodies cannot be written ({error.strerror}). Nothing stored"
                " so far is lost: free some space or fix the permissions, and run the same"
                " command again."
            ) from error

    def _put(self, digest: bytes, body: bytes) -> None:
        name = digest.hex()
        folder = f"{self._folder}/{name[:2]}"
        path = f"{folder}/{name}.zst"
        if os.access(path, os.F_OK):  # of what is not there it tells three times as fast as stat
            # Whoever removes what nothing refers to sees that something will, soon.
            try:
                os.utime(path)
            except FileNotFoundError:
                pass  # just removed
            else:
                return
        if name[:2] not in self._made:
            self._make(name[:2])
        unfinished = f"{folder}/{self._token}-{next(self._serial)}.part"
        handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        try:
            _write_all(handle, self._compressor.compress(body))
            if self._sync:
                os.fsync(handle)
        except OSError:
            os.unlink(unfinished)
            raise
        finally:
            os.close(handle)
        os.rename(unfinished, path)
        if self._sync:
            _sync_folder(folder)

    def _make(self, shelf: str) -> None:
        os.makedirs(f"{self._folder}/{shelf}", exist_ok=True)
        self._made.add(shelf)
        if self._sync:
            _sync_folder(str(self._folder))

    def _get(self, digest: bytes) -> bytes | None:
        path = Path(self._path(digest))
        try:
            return self._decompressor.decompress(path.read_bytes(), max_output_size=MAX_BODY)
        except (FileNotFoundError, zstandard.ZstdError):
            return None
        except OSError as error:
            raise Unavailable(
                f"{path}: a page's body cannot be read ({error.strerror}). Fix its permissions."
            ) from error

    def _path(self, digest: bytes) -> str:
        return f"{self._folder}/{name_of(digest)}"

    def _shelf(self, name: str) -> list[bytes]:
        try:
            names = os.listdir(f"{self._folder}/{name}")
        except FileNotFoundError:
            return []
        return [digest for name in names if (digest := digest_in(name)) is not None]

    def _listed(self, shelf: str) -> list[StoredBody]:
        found = []
        try:
            with os.scandir(f"{self._folder}/{shelf}") as entries:
                for entry in entries:
                    if (digest := digest_in(entry.name)) is not None:
                        with suppress(FileNotFoundError):
                            facts = entry.stat()
                            found.append(StoredBody(digest, facts.st_size, facts.st_mtime))
        except FileNotFoundError:
            return []
        return found

    def _remove(self, digest: bytes, older: float | None) -> bool:
        """Out of sight first: whoever puts it just now has either touched it before, and it comes
        back, or finds nothing and writes it again."""
        path = self._path(digest)
        unwanted = f"{path}.{self._token}.unwanted"
        try:
            if older is None:
                os.unlink(path)
                return True
            if os.stat(path).st_mtime >= older:
                return False
            os.rename(path, unwanted)
            if os.stat(unwanted).st_mtime < older:
                os.unlink(unwanted)
                return True
            os.rename(unwanted, path)
        except FileNotFoundError:
            pass
        return False


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _sync_folder(folder: str) -> None:
    """A new name is only as durable as the folder that it stands in."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
