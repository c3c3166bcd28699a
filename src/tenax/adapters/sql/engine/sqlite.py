"""Transactions on SQLite: one file in WAL mode, one connection that writes and one that reads.

Every operation is a plain function of a `Connection`; this module decides where it runs and
what its failures mean to a user.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from tenax.adapters.sql.schema import tables as schema
from tenax.ports import Unavailable

T = TypeVar("T")

# Who could adapt a value is asked of all that are no plain texts or numbers, and that nobody can is
# told by an exception (until Python 3.12): of None, sixteen times a page, and for longer than it
# takes to bind it. This one gives it back as it is.
sqlite3.register_adapter(type(None), dict[None, None]().get)

BUSY_SECONDS = 15.0
_LOOK_AGAIN = 0.002


class Database:
    """An open ledger. Writes are done one after the other; reads see the last commit."""

    trouble: str = ""
    """A file is never away: what cannot be read or written fails at once."""

    def __init__(self, path: Path, *, busy: float = BUSY_SECONDS) -> None:
        self.path = path
        self._write = _Lane(path, "BEGIN IMMEDIATE", busy)
        self._read = _Lane(path, "BEGIN", busy)

    @classmethod
    async def open(cls, path: Path, *, create: bool = True, busy: float = BUSY_SECONDS) -> Database:
        """Open, creating or upgrading the tables as needed; wait `busy` seconds for any lock."""
        _make_folder(path, create)
        database = cls(path, busy=busy)
        try:
            await database.write(prepare)
        except BaseException:
            await database.close()
            raise
        return database

    def hasten(self, seconds: float) -> None:
        """Nothing to do: a lock is not waited for much longer than this."""

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in one read-write transaction; it is committed or it never happened."""
        return await self._write.run(work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self._read.run(work)

    async def close(self) -> None:
        self._read.close()
        self._write.close()


class _Locked(Unavailable):
    """Another process is writing: nothing was begun, so it can be tried again."""


class _Lane:
    """One connection, on which whoever asks works in the order of asking."""

    def __init__(self, path: Path, begin: str, busy: float) -> None:
        self._path = path
        self._busy = busy
        self._begin = begin
        self._is_writer = begin != "BEGIN"
        self._turn = asyncio.Lock()
        self._engine: Engine | None = None
        self._connection: Connection | None = None

    async def run(self, work: Callable[[Connection], T]) -> T:
        # Not `ports.retry`: somebody else's transaction is waited for, by the time it may take.
        async with self._turn:
            deadline = time.monotonic() + self._busy
            while True:
                try:
                    return self._run(work)
                except _Locked:
                    if time.monotonic() > deadline:
                        raise
                await asyncio.sleep(_LOOK_AGAIN)

    def _run(self, work: Callable[[Connection], T]) -> T:
        try:
            if self._connection is None:
                self._connection = self._connect()
            with self._connection.begin():
                return work(self._connection)
        except sa.exc.DBAPIError as error:
            raise self._unavailable(error.orig) from error
        except sqlite3.Error as error:
            raise self._unavailable(error) from error

    def _unavailable(self, error: BaseException | None) -> Unavailable:
        kind = _Locked if _is_locked(error) else Unavailable
        return kind(explain(error, self._path))

    def _connect(self) -> Connection:
        engine = sa.create_engine(f"sqlite:///{self._path}", poolclass=sa.pool.StaticPool)
        sa.event.listen(engine, "connect", self._configure)
        # Nobody may sleep here, on the event loop: `run` does, letting others work meanwhile.
        # By the driver: SQLAlchemy takes ten times as long as SQLite to begin.
        sa.event.listen(engine, "begin", lambda c: c.connection.execute(self._begin).close())
        self._engine = engine
        return engine.connect()

    def _configure(self, connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves
        cursor = connection.cursor()
        # A writer only ever waits at BEGIN, in smaller steps than SQLite would.
        patience = 0 if self._is_writer else int(self._busy * 1000)
        cursor.execute(f"PRAGMA busy_timeout = {patience}")
        _patiently(lambda: cursor.execute("PRAGMA journal_mode = WAL"), self._busy)
        # NORMAL survives any crash of ours; a power cut may take the last moments, never the file.
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute(f"PRAGMA cache_size = -{16_000 if self._is_writer else 2_000}")
        cursor.execute("PRAGMA temp_store = MEMORY")
        # Pages changed again and again are copied to their place once in 64 MB, not once in 4.
        cursor.execute("PRAGMA wal_autocheckpoint = 16000")
        cursor.execute("PRAGMA journal_size_limit = 67108864")
        cursor.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._engine is not None:
            self._engine.dispose()


def prepare(connection: Connection) -> None:
    """Create the tables in an empty file, or bring an older ledger up to date."""
    found = _revision(connection)
    if found == schema.REVISION:
        return
    if found is None:
        for definition in _definitions():
            connection.exec_driver_sql(definition)
        connection.exec_driver_sql(
            "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"
        )
        connection.exec_driver_sql("INSERT INTO alembic_version VALUES (?)", (schema.REVISION,))
        return
    # Alembic takes half a second to import: only those who upgrade pay for it.
    from tenax.adapters.sql.schema.migrate import known_revisions, upgrade

    if found not in known_revisions():
        raise Unavailable(
            f"This ledger was written by a newer Tenax (schema {found}, this one knows"
            f" {schema.REVISION}). Upgrade Tenax, or use another folder with --data."
        )
    upgrade(connection)


@cache
def _definitions() -> tuple[str, ...]:
    """What makes all tables in a file that has none of them. Put into words once: that takes longer
    than making them, and a process may open many files."""
    texts: list[str] = []

    def note(definition: Any, *_: object) -> None:
        texts.append(str(definition.compile(dialect=engine.dialect)))

    engine = sa.create_mock_engine("sqlite://", note)
    schema.metadata.create_all(engine, checkfirst=False)
    return tuple(texts)


def _revision(connection: Connection) -> str | None:
    tables = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'")
    if "alembic_version" not in {row[0] for row in tables}:
        return None
    found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return str(found) if found is not None else None


def _patiently(attempt: Callable[[], object], seconds: float) -> None:
    """Try until the lock is ours, looking often: transactions take milliseconds."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            attempt()
        except (sqlite3.OperationalError, sa.exc.OperationalError) as error:
            if not _is_locked(error) or time.monotonic() >= deadline:
                raise
            time.sleep(_LOOK_AGAIN)
        else:
            return


def _is_locked(error: BaseException | None) -> bool:
    return "locked" in str(error)


def _make_folder(path: Path, create: bool) -> None:
    if not create and not path.exists():
        raise Unavailable(
            f"{path}: no ledger here. Run `tenax crawl URL` first, or name its folder with --data."
        )
    folder = path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable(
            f"{folder}: cannot be created ({error.strerror}). Name a folder you may write to"
            " with --data."
        ) from error
    if not os.access(folder, os.W_OK):
        raise Unavailable(f"{folder}: not writable. Name a folder you may write to with --data.")


def explain(error: BaseException | None, path: Path) -> str:
    """What a database error means, where, and what to do: for people, not for programmers."""
    text = str(error)
    lower = text.lower()
    advice = next((advice for words, advice in _ADVICE if words in lower), None)
    return f"{path}: {advice or f'the ledger failed: {text}'}"


_ADVICE = (
    ("disk is full", "the disk is full. Nothing stored so far is lost: free some space and run"
     " the same command again."),
    ("locked", "the ledger is locked by another program, longer than we wait. Close what"
     " holds it (a database browser, a backup) and run the same command again."),
    ("readonly", "the ledger cannot be written (read-only file or folder). Fix its permissions,"
     " or name another folder with --data."),
    ("unable to open", "the ledger cannot be opened. Check that the folder exists and that you"
     " may write to it, or name another with --data."),
    ("not a database", "this file is not a Tenax ledger, or it is damaged. Restore it from a"
     " backup, or name another folder with --data; page bodies beside it are intact."),
    ("malformed", "the ledger is damaged. Restore it from a backup, or salvage it with"
     " `sqlite3 FILE .recover`; page bodies beside it are intact."),
    ("disk i/o error", "reading or writing the ledger failed (the disk is full or broken, or"
     " the file was removed while in use). Nothing committed is lost if the disk is sound: free"
     " some space, or see what is wrong, and run the command again."),
)  # fmt: skip
