"""Bodies are moved without one being lost, whatever happens on the way."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import pytest

from tenax.adapters.content.files import FileContentStore
from tenax.ops.lifecycle.relocate import RelocationProgress, SameStore, move
from tenax.ports import Unavailable

BODIES = {hashlib.sha256(body).digest(): body for n in range(100) if (body := b"body %d" % n)}


class Store(FileContentStore):
    """In a folder, where tests can reach it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, threads=False)
        self.folder = folder

    def path(self, digest: bytes) -> Path:
        return Path(self._path(digest))


@pytest.fixture
async def source(tmp_path: Path) -> AsyncIterator[Store]:
    store = Store(tmp_path / "source")
    await store.put(BODIES.items())
    yield store
    await store.close()


@pytest.fixture
async def target(tmp_path: Path) -> AsyncIterator[Store]:
    store = Store(tmp_path / "target")
    yield store
    await store.close()


async def held(store: FileContentStore) -> set[bytes]:
    return {digest async for batch in store.digests() for digest in batch}


async def test_everything_is_there_and_nothing_here(source: Store, target: Store) -> None:
    moved = await move(source, target)
    assert moved == RelocationProgress(bodies=100, size=sum(map(len, BODIES.values())))
    assert await held(source) == set()
    assert {digest: await target.get(digest) for digest in BODIES} == BODIES


async def test_a_copy_leaves_the_source_as_it_is(source: Store, target: Store) -> None:
    await move(source, target, keep=True)
    assert await held(source) == await held(target) == set(BODIES)


async def test_what_is_there_already_is_not_brought_again(source: Store, target: Store) -> None:
    await target.put(list(BODIES.items())[:40])
    moved = await move(source, target)
    assert (moved.bodies, moved.already) == (60, 40)
    assert await held(source) == set()
    assert await held(target) == set(BODIES)


async def test_an_interrupted_move_goes_on(source: Store, tmp_path: Path) -> None:
    class Failing(Store):
        calls = 0

        async def put(self, bodies: Iterable[tuple[bytes, bytes]]) -> None:
            self.calls += 1
            if self.calls == 3:
                raise Unavailable("down")
            await super().put(bodies)

    target = Failing(tmp_path / "target")
    with pytest.raises(Unavailable):
        await move(source, target)
    assert await held(source) | await held(target) == set(BODIES)
    assert await held(source)
    await move(source, target)
    assert await held(source) == set()
    assert await held(target) == set(BODIES)


async def test_a_damaged_body_stays_where_it_is_and_is_named(source: Store, target: Store) -> None:
    bad = next(iter(BODIES))
    source.path(bad).write_bytes(b"garbage")
    moved = await move(source, target)
    assert (moved.bodies, moved.damaged, moved.named) == (99, 1, (bad.hex(),))
    assert await held(source) == {bad}
    assert await held(target) == set(BODIES) - {bad}


async def test_a_body_under_another_ones_name_is_not_moved(source: Store, target: Store) -> None:
    one, other = list(BODIES)[:2]
    source.path(one).write_bytes(source.path(other).read_bytes())
    moved = await move(source, target)
    assert moved.named == (one.hex(),)
    assert await held(source) == {one}


async def test_nothing_is_let_go_that_cannot_be_read_back(source: Store, target: Store) -> None:
    """A target that lost or changed it is why bodies are read back at all."""
    bad = next(iter(BODIES))
    await target.put([(bad, BODIES[bad])])
    target.path(bad).write_bytes(b"garbage")
    moved = await move(source, target)
    assert moved.named == (bad.hex(),)
    assert await held(source) == {bad}
    assert await source.get(bad) == BODIES[bad]


async def test_a_store_is_not_moved_onto_itself(source: Store, tmp_path: Path) -> None:
    """It would find every body in the target, and delete it."""
    link = tmp_path / "link"
    link.symlink_to(source.folder)
    for other in (source, Store(link)):
        with pytest.raises(SameStore):
            await move(source, other)
        assert await held(source) == set(BODIES)


async def test_progress_is_told_as_it_goes(source: Store, target: Store) -> None:
    told: list[int] = []
    await move(source, target, heard=lambda moved: told.append(moved.bodies))
    assert told == sorted(told)
    assert told[-1] == 100
    assert len(told) > 3
