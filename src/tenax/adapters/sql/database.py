"""How do transactions reach the database? One SQLite file, one lane to write and one to read.

Every operation is a plain function of a `Connection`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sqlalchemy.engine import Connection

from tenax.adapters.sql import schema
from tenax.adapters.sql.lane import Lane
from tenax.ports import Unavailable

T = TypeVar("T")

BUSY_SECONDS = 15.0


class Database:
    """An open ledger. Writes are done one after the other; reads see the last commit."""

    def __init__(self, path: Path, *, threads: bool = True, busy: float = BUSY_SECONDS) -> None:
        self.path = path
        self._write = Lane(path, "BEGIN IMMEDIATE", "ledger-write" if threads else None, busy)
        self._read = Lane(path, "BEGIN", "ledger-read" if threads else None, busy)

    @classmethod
    async def open(
        cls, path: Path, *, create: bool = True, threads: bool = True, busy: float = BUSY_SECONDS
    ) -> Database:
        """Open, creating or upgrading the tables as needed; wait `busy` seconds for any lock.

        Without threads statements run where they are called: cheaper where no core is left
        for a thread, and right for simulations, whose clock must not pass meanwhile.
        """
        _make_folder(path, create)
        database = cls(path, threads=threads, busy=busy)
        try:
            await database.write(prepare)
        except BaseException:
            await database.close()
            raise
        return database

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in one read-write transaction; it is committed or it never happened."""
        return await self._write.run(work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self._read.run(work)

    async def close(self) -> None:
        await self._read.close()
        await self._write.close()


def prepare(connection: Connection) -> None:
    """Create the tables in an empty file, or bring an older ledger up to date."""
    found = _revision(connection)
    if found == schema.REVISION:
        return
    if found is None:
        schema.metadata.create_all(connection)
        connection.exec_driver_sql(
            "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"
        )
        connection.exec_driver_sql("INSERT INTO alembic_version VALUES (?)", (schema.REVISION,))
        return
    # Alembic takes half a second to import: only those who upgrade pay for it.
    from tenax.adapters.sql.migrate import known_revisions, upgrade

    if found not in known_revisions():
        raise Unavailable(
            f"This ledger was written by a newer Tenax (schema {found}, this one knows"
            f" {schema.REVISION}). Upgrade Tenax, or use another folder with --data."
        )
    upgrade(connection)


def _revision(connection: Connection) -> str | None:
    tables = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'")
    if "alembic_version" not in {row[0] for row in tables}:
        return None
    found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return str(found) if found is not None else None


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
