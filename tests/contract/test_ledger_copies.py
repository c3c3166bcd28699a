"""The promises of a backup: of one moment, whole, and at home in either database (LIFE-2)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from tenax.adapters.content.files import FileContentStore
from tenax.adapters.sql.engine.postgres import Postgres
from tenax.adapters.sql.engine.sqlite import Database
from tenax.adapters.sql.lifecycle.copies import SqlLedgerCopies, require_empty
from tenax.adapters.sql.lifecycle.upkeep import SqlUpkeep
from tenax.adapters.sql.schema import migrate, tables
from tenax.adapters.sql.schema.tables import metadata
from tenax.ops.lifecycle.backup import (
    BACKUP,
    BackupParts,
    Manifest,
    back_up,
    damage,
    read_manifest,
)
from tenax.ops.lifecycle.restore import BackupDamaged, Restored, restore
from tenax.ports import Unavailable
from tenax.ports.lifecycle.copies import LedgerCopy
from tests.contract.test_deletion import filled
from tests.ledgers import Ledger
from tests.postgres import empty_database

BODY = b"<html>hello</html>"
DIGEST = sha256(BODY).digest()


def folder_of_bodies(path: Path) -> FileContentStore:
    return FileContentStore(path, threads=False)


class Places:
    """A ledger that is filled, and where its copy goes."""

    def __init__(self, ledger: Ledger, folder: Path) -> None:
        self.ledger = ledger
        self.folder = folder
        self.content = FileContentStore(folder / "content", threads=False)
        self.key = folder / "secret.key"
        self.key.write_text("a key")

    def parts(self, database: Any, make: Any, content: FileContentStore, key: Path) -> BackupParts:
        copies = SqlLedgerCopies(database, make)
        return BackupParts(copies, None, content, (key,), None, folder_of_bodies, self.ledger.clock)

    async def back_up(self, name: str = "backup") -> Manifest:
        database: Any = self.ledger.workers[0].database
        parts = self.parts(database, database.write, self.content, self.key)
        return await back_up(parts, self.folder / name, version="1")

    async def restore(self, database: Any, make: Any) -> Restored:
        content = FileContentStore(self.folder / "content2", threads=False)
        parts = self.parts(database, make, content, self.folder / "elsewhere" / "secret.key")
        return await restore(parts, self.folder / "backup")


@pytest.fixture
async def places(ledger: Ledger, tmp_path: Path) -> Places:
    await filled(ledger)
    change = sa.update(tables.pages).values(digest=DIGEST)
    await ledger.workers[0].database.write(lambda connection: connection.execute(change))
    made = Places(ledger, tmp_path)
    await made.content.put([(DIGEST, BODY)])
    return made


async def contents(database: Any) -> dict[str, list[tuple[Any, ...]]]:
    def read(connection: sa.Connection) -> dict[str, list[tuple[Any, ...]]]:
        return {
            table.name: sorted(
                (tuple(row) for row in connection.execute(sa.select(table))), key=repr
            )
            for table in metadata.sorted_tables
        }

    found: dict[str, list[tuple[Any, ...]]] = await database.read(read)
    return found


@pytest.fixture(params=["sqlite", "postgres"])
async def empty(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[Any, Any]]:
    """A place without tables, and how it is given some."""
    if request.param == "sqlite":
        database = Database(tmp_path / "restored.db")
        yield database, database.write
        await database.close()
    else:
        server = Postgres(await empty_database("restored"))
        yield server, server.remake
        await server.close()


async def test_a_backup_comes_back_to_the_letter_in_either_database(
    places: Places, empty: tuple[Any, Any]
) -> None:
    before = await contents(places.ledger.workers[0].database)
    made = await places.back_up()
    assert made.bodies == 1
    assert made.missing == 0
    assert made.ledger.findings == ()
    done = await places.restore(*empty)
    assert done.findings == ()
    assert done.bodies == 1
    after = await contents(empty[0])
    # Who worked on the ledger then works on another one.
    was, names = before.pop("workers"), tables.workers.c.keys()
    (worker,) = (dict(zip(names, row, strict=True)) for row in after.pop("workers"))
    assert (len(was), worker["name"], worker["seen_at"]) == (1, f"restored-{worker['id']}", 0.0)
    assert after == before
    content = FileContentStore(places.folder / "content2", threads=False)
    assert await content.get(DIGEST) == BODY
    assert (places.folder / "elsewhere" / "secret.key").read_text() == "a key"


async def test_ids_that_were_given_before_are_not_given_again(
    places: Places, empty: tuple[Any, Any]
) -> None:
    worker = places.ledger.workers[0]
    jobs = places.ledger.jobs
    last = await places.ledger.job("short-lived")
    while not (await jobs.delete(last)).is_gone:
        pass
    await places.back_up()
    await places.restore(*empty)
    row = {"name": "next", "state": "running", "spec": "{}", "created_at": 1.0}
    insert = sa.insert(tables.jobs).values(row).returning(tables.jobs.c.id)
    assert await empty[0].write(lambda c: c.execute(insert).scalar_one()) > last
    assert worker is not None


async def test_it_is_of_one_moment_although_others_write(places: Places, tmp_path: Path) -> None:
    """After every table that is copied, another process adds rows to two of them at once."""
    database: Any = places.ledger.workers[0].database
    (tmp_path / "ledger").mkdir()
    added = 0

    def meanwhile(_: str) -> None:
        nonlocal added
        added += 1
        writer = threading.Thread(target=asyncio.run, args=[_add_to_two(database, added)])
        writer.start()
        writer.join()

    copies = SqlLedgerCopies(database, database.write)
    before = {name: len(rows) for name, rows in (await contents(database)).items()}
    made = await copies.write(tmp_path / "ledger", tmp_path / "digests", meanwhile)
    assert added == len(before)
    assert {name: table.rows for name, table in made.tables.items()} == before
    assert len((await contents(database))["jobs"]) == before["jobs"] + added


async def _add_to_two(database: Any, number: int) -> None:
    other = Postgres(database._url) if isinstance(database, Postgres) else Database(database.path)
    job = {"id": 1_000 + number, "name": f"j{number}", "state": "done", "spec": "{}"}
    minute = {"job_id": 1_000 + number, "minute": 1, "visits": 1, "pages": 1}

    def work(connection: sa.Connection) -> None:
        connection.execute(sa.insert(tables.jobs).values(**job, created_at=1.0))
        connection.execute(sa.insert(tables.stats).values(**minute, failures=0, bytes=0))

    await other.write(work)
    await other.close()


async def test_a_damaged_backup_is_told_and_nothing_is_written(
    places: Places, empty: tuple[Any, Any]
) -> None:
    await places.back_up()
    folder = places.folder / "backup"
    stock = FileContentStore(folder / "content", threads=False)
    assert await damage(stock, folder) == []
    (body,) = (folder / "content").glob("*/*.zst")
    damages = {
        "targets": (folder / "ledger" / "targets.msgpack.zst", b"x"),
        "secret.key": (folder / "keys" / "secret.key", b"x"),
        DIGEST.hex(): (body, b""),
    }
    for name, (path, added) in damages.items():
        sound = path.read_bytes()
        path.write_bytes(sound + added if added else b"")
        (told,) = await damage(stock, folder)
        assert name in told
        with pytest.raises(BackupDamaged):
            await places.restore(*empty)
        path.write_bytes(sound)
    await empty[1](require_empty)
    assert not (places.folder / "content2").exists()


async def test_a_ledger_that_is_there_is_not_written_over(places: Places) -> None:
    await places.back_up()
    database: Any = places.ledger.workers[0].database
    before = await contents(database)
    with pytest.raises(Unavailable, match="there already"):
        await places.restore(database, database.write)
    assert await contents(database) == before
    with pytest.raises(Unavailable, match="not empty"):
        await places.back_up()


async def test_a_body_that_is_missing_is_counted_and_named(places: Places) -> None:
    await places.content.remove([DIGEST])
    made = await places.back_up()
    assert made.missing == 1
    assert made.missing_named == (DIGEST.hex(),)


async def test_a_backup_that_was_interrupted_is_none(places: Places) -> None:
    class Broken(FileContentStore):
        async def put(self, bodies: object) -> None:
            raise KeyboardInterrupt

    database: Any = places.ledger.workers[0].database
    copies = SqlLedgerCopies(database, database.write)

    def stock(path: Path) -> FileContentStore:
        return Broken(path, threads=False)

    clock = places.ledger.clock
    parts = BackupParts(copies, None, places.content, (), None, stock, clock)
    folder = places.folder / "backup"
    with pytest.raises(KeyboardInterrupt):
        await back_up(parts, folder, version="1")
    assert list(folder.iterdir()) == []
    with pytest.raises(Unavailable, match="interrupted"):
        read_manifest(folder)


async def test_a_backup_of_an_older_schema_is_brought_up_to_date(
    tmp_path: Path, empty: tuple[Any, Any]
) -> None:
    """Written as that Tenax would have: the tables of that revision, and what was in them."""
    from msgspec.structs import replace

    from tenax.adapters.sql.lifecycle import copies

    old = Database(tmp_path / "old.db")
    await old.write(lambda connection: migrate.upgrade(connection, "0019"))
    known = sa.MetaData()

    def write(connection: sa.Connection) -> Any:
        known.reflect(connection)
        known.remove(known.tables["alembic_version"])
        job = {"name": "old", "state": "done", "spec": "{}", "created_at": 1.0}
        connection.execute(sa.insert(known.tables["jobs"]).values(job))
        (tmp_path / "ledger").mkdir()
        folder, digests = tmp_path / "ledger", tmp_path / "digests"
        return copies.write(connection, folder, digests, lambda _: None, known)

    written = replace(await old.write(write), schema="0019")
    await old.close()
    database, make = empty
    target_place = SqlLedgerCopies(database, make)
    await target_place.load(tmp_path / "ledger", written, lambda _: None)
    names = await database.read(lambda c: c.execute(sa.select(tables.jobs.c.name)).scalars().all())
    assert names == ["old"]
    assert await target_place.audit() == []


class SteppedClock:
    """Time that a test lets pass; who sleeps wakes when it has."""

    def __init__(self) -> None:
        self.time = 1_800_000_000.0
        self._passed = asyncio.Event()

    def now(self) -> float:
        return self.time

    def step(self, seconds: float) -> None:
        self.time += seconds
        self._passed.set()
        self._passed = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        end = self.time + seconds
        while self.time < end:
            await self._passed.wait()


class NotedUpkeep(SqlUpkeep):
    def __init__(self, database: Any, clock: SteppedClock) -> None:
        super().__init__(database, clock)
        self.taken = asyncio.Event()

    async def take(self, name: str, holder: str, seconds: float, every: float = 0.0) -> bool:
        is_ours = await super().take(name, holder, seconds, every)
        self.taken.set()
        return is_ours


class SlowCopies(SqlLedgerCopies):
    """Takes a quarter of an hour, which is longer than a backup's lease."""

    def __init__(self, database: Any, clock: SteppedClock, upkeep: NotedUpkeep) -> None:
        super().__init__(database, database.write)
        self._clock = clock
        self._upkeep = upkeep
        self.was_held: list[bool] = []

    async def write(self, folder: Path, digests: Path, heard: Callable[[str], None]) -> LedgerCopy:
        for _ in range(9):
            await asyncio.sleep(0)
            self._upkeep.taken.clear()
            self._clock.step(100.0)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._upkeep.taken.wait(), 5.0)
            self.was_held.append(await self._upkeep.is_held(BACKUP))
        return await super().write(folder, digests, heard)


async def test_no_body_goes_while_the_tables_are_copied_however_long_that_takes(
    places: Places,
) -> None:
    database, clock = places.ledger.workers[0].database, SteppedClock()
    upkeep = NotedUpkeep(database, clock)
    copies = SlowCopies(database, clock, upkeep)
    parts = places.parts(database, database.write, places.content, places.key)
    parts = replace(parts, copies=copies, upkeep=upkeep, clock=clock)
    await back_up(parts, places.folder / "backup", version="1")
    assert copies.was_held == [True] * 9
    assert not await upkeep.is_held(BACKUP), "it was given back"
