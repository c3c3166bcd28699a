"""The promises of `ContentStock`: it tells all that it holds, and lets go of what it is told."""

from __future__ import annotations

import hashlib
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tenax.adapters.content.files import FileContentStore
from tenax.adapters.content.s3 import S3ContentStore
from tenax.ports import ContentStock

Request = pytest.FixtureRequest

# A new adapter is one line here.
STOCKS: dict[str, Callable[[Request, Path], ContentStock]] = {
    "files": lambda _, folder: FileContentStore(folder),
    "files-synced": lambda _, folder: FileContentStore(folder, sync=True, threads=False),
    "s3": lambda request, _: S3ContentStore(request.getfixturevalue("s3")),
}

BODIES = {hashlib.sha256(body).digest(): body for body in (b"one", b"two", b"three" * 1000)}


@pytest.fixture(params=STOCKS)
async def stock(request: Request, tmp_path: Path) -> AsyncIterator[ContentStock]:
    made = STOCKS[request.param](request, tmp_path / "content")
    yield made
    await made.close()


async def held(stock: ContentStock) -> list[bytes]:
    return sorted([digest async for batch in stock.digests() for digest in batch])


async def test_an_empty_one_holds_nothing(stock: ContentStock) -> None:
    assert await held(stock) == []


async def test_everything_put_is_told_once(stock: ContentStock) -> None:
    await stock.put(BODIES.items())
    await stock.put(BODIES.items())
    assert await held(stock) == sorted(BODIES)


async def test_more_than_a_page_of_them_are_told(stock: ContentStock) -> None:
    """S3 lists a thousand objects at a time."""
    many = {hashlib.sha256(body).digest(): body for n in range(1100) if (body := b"%d" % n)}
    await stock.put(many.items())
    assert await held(stock) == sorted(many)


async def test_what_is_removed_is_gone_and_the_rest_is_not(stock: ContentStock) -> None:
    await stock.put(BODIES.items())
    unwanted, *rest = BODIES
    await stock.remove([unwanted])
    assert await stock.get(unwanted) is None
    assert await stock.missing(BODIES) == [unwanted]
    assert await held(stock) == sorted(rest)


async def test_removing_what_is_not_there_is_harmless(stock: ContentStock) -> None:
    await stock.remove(BODIES)
    await stock.remove([])
    await stock.put(BODIES.items())
    await stock.remove(BODIES)
    await stock.remove(BODIES)
    assert await held(stock) == []


async def test_other_files_are_not_bodies(tmp_path: Path) -> None:
    stock = FileContentStore(tmp_path)
    await stock.put(BODIES.items())
    shelf = tmp_path / next(iter(BODIES)).hex()[:2]
    for name in ("notes.txt", "half.part", f"{'z' * 64}.zst"):
        (shelf / name).touch()
    assert await held(stock) == sorted(BODIES)
    await stock.close()


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="no /proc to see files in")
@pytest.mark.parametrize("sync", [True, False])
async def test_a_synced_body_is_on_the_disk_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sync: bool
) -> None:
    """Only the calls can be seen: no test cuts the power."""
    synced: list[str] = []
    really_sync = os.fsync

    def spy(handle: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{handle}"))
        really_sync(handle)

    monkeypatch.setattr(os, "fsync", spy)
    stock = FileContentStore(tmp_path, sync=sync, threads=False)
    digest = next(iter(BODIES))
    await stock.put([(digest, BODIES[digest])])
    if not sync:
        assert not synced
        return
    top, body, shelf = synced
    assert (top, shelf) == (str(tmp_path), str(tmp_path / digest.hex()[:2]))
    assert body.startswith(shelf)
