"""Backup of the ledger: every table in one read transaction, so that all of them are of one moment.

The reader sees what was committed when it began, on SQLite by its write-ahead log and on PostgreSQL
by REPEATABLE READ; writers go on meanwhile. Loading is one transaction, into tables that are empty.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import IO, Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import inserting
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.lifecycle.table_files import BackupFile, path_of, read_table
from tenax.adapters.sql.reports.audit import audit_rows
from tenax.adapters.sql.schema import tables
from tenax.adapters.sql.schema.tables import images, metadata, pages
from tenax.adapters.sql.schema.version_check import revision_of
from tenax.ports import Finding, Unavailable
from tenax.ports.lifecycle.copies import LedgerCopy

_BATCH = 2_000
_WITH_BODIES = {pages.name: pages.c.digest, images.name: images.c.digest}
"""Tables whose rows refer to bodies, and by which column."""
_SEQUENCE = sa.text("SELECT pg_sequence_last_value(CAST(:name AS regclass))")
_OF_COLUMN = sa.text("SELECT pg_get_serial_sequence(:table, 'id')")
_SET = sa.text("SELECT setval(CAST(:name AS regclass), :last)")


class SqlLedgerCopies:
    def __init__(
        self,
        database: Transactions,
        make: Callable[[Callable[[Connection], None]], Awaitable[None]],
    ) -> None:
        """`make` runs its argument in one transaction that may take long, on whatever tables there
        are."""
        self._database = database
        self._make = make

    async def write(self, folder: Path, digests: Path, heard: Callable[[str], None]) -> LedgerCopy:
        return await self._database.read(lambda c: write(c, folder, digests, heard))

    async def load(self, folder: Path, copy: LedgerCopy, heard: Callable[[str], None]) -> None:
        await self._make(lambda connection: _load(connection, folder, copy, heard))

    async def audit(self) -> list[Finding]:
        return await self._database.read(audit_rows)


def write(
    connection: Connection,
    folder: Path,
    digests: Path,
    heard: Callable[[str], None],
    known: sa.MetaData = metadata,
) -> LedgerCopy:
    copied = {}
    with digests.open("wb") as bodies:
        for table in known.sorted_tables:
            with BackupFile(path_of(folder, table.name), _names(table)) as file:
                for rows in _batches(connection, table):
                    file.add(rows)
                    _note_bodies(bodies, table, rows)
            copied[str(table.name)] = file.facts()
            heard(table.name)
    # The audit knows the tables of today.
    audited = audit_rows(connection) if known is metadata else []
    found = [f"{each.promise}: {each.count}" for each in audited]
    return LedgerCopy(tables.REVISION, copied, _numbers(connection), tuple(found))


def _names(table: sa.Table) -> list[str]:
    return [str(column.name) for column in table.c]


def _batches(connection: Connection, table: sa.Table) -> Iterator[list[sa.Row[Any]]]:
    result = connection.execution_options(stream_results=True).execute(sa.select(table))
    for rows in result.partitions(_BATCH):
        yield list(rows)


def _note_bodies(file: IO[bytes], table: sa.Table, rows: list[sa.Row[Any]]) -> None:
    column = _WITH_BODIES.get(table.name)
    if column is not None:
        place = _names(table).index(column.name)
        file.write(b"".join(bytes(row[place]) for row in rows if row[place]))


def _numbers(connection: Connection) -> dict[str, int]:
    """What the next ids follow."""
    if connection.dialect.name == "sqlite":
        rows = connection.exec_driver_sql("SELECT name, seq FROM sqlite_sequence")
        return {name: seq for name, seq in rows if name in metadata.tables}
    found = {}
    for name, sequence in _sequences(connection):
        if last := connection.execute(_SEQUENCE, {"name": sequence}).scalar():
            found[name] = last
    return found


def _sequences(connection: Connection) -> Iterator[tuple[str, str]]:
    for table in metadata.sorted_tables:
        if "id" in table.c:
            sequence = connection.execute(_OF_COLUMN, {"table": table.name}).scalar()
            if sequence is not None:
                yield table.name, sequence


def _load(
    connection: Connection, folder: Path, copy: LedgerCopy, heard: Callable[[str], None]
) -> None:
    from tenax.adapters.sql.schema import migrate

    if copy.schema not in migrate.known_revisions():
        raise Unavailable(
            f"{folder}: made by a newer Tenax (schema {copy.schema}, this one knows"
            f" {tables.REVISION}). Upgrade Tenax first."
        )
    require_empty(connection)
    # Tables that are there already may be newer: what is brought is changed with them afterwards.
    if revision_of(connection) is not None:
        migrate.downgrade(connection, copy.schema)
    migrate.upgrade(connection, copy.schema)
    there = sa.MetaData()
    there.reflect(connection, only=list(copy.tables))
    for name in copy.tables:
        heard(name)
        _fill(connection, there.tables[name], path_of(folder, name), copy.tables[name].rows)
    migrate.upgrade(connection)
    _set_numbers(connection, copy)
    _strike_off(connection)


def _strike_off(connection: Connection) -> None:
    """Nobody who worked on the ledger then works on this one: what they held is to be had at once.
    By another name, since a lock of theirs may be here, and its holder alive."""
    name = sa.literal("restored-") + sa.cast(tables.workers.c.id, sa.String)
    connection.execute(sa.update(tables.workers).values(name=name, seen_at=0.0))
    connection.execute(sa.update(tables.assignments).values(expires_at=0.0))


def require_empty(connection: Connection) -> None:
    """Raise `Unavailable` where anything is in the tables."""
    there = set(sa.inspect(connection).get_table_names())
    for table in metadata.sorted_tables:
        if table.name not in there:
            continue
        if connection.execute(sa.select(sa.literal(1)).select_from(table).limit(1)).first():
            raise Unavailable(
                f"a ledger is there already ({table.name} has rows). Restore into an empty folder"
                " with --data, or an empty database."
            )


def _fill(connection: Connection, table: sa.Table, path: Path, expected: int) -> None:
    batches = read_table(path)
    columns = next(batches, [])
    if set(columns) - set(table.c.keys()):
        raise Unavailable(f"{path}: its columns are not those of its schema. Use another backup.")
    insert, written = inserting(table, columns), 0
    for rows in batches:
        insert.run(connection, [tuple(row) for row in rows])
        written += len(rows)
    if written != expected:
        raise Unavailable(f"{path}: {written:,} rows, not {expected:,}. Use another backup.")


def _set_numbers(connection: Connection, copy: LedgerCopy) -> None:
    if connection.dialect.name == "sqlite":
        for name, last in copy.numbers.items():
            connection.exec_driver_sql("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
            connection.exec_driver_sql("INSERT INTO sqlite_sequence VALUES (?, ?)", (name, last))
        return
    for name, sequence in _sequences(connection):
        highest = sa.select(sa.func.max(metadata.tables[name].c.id))
        last = max(connection.execute(highest).scalar() or 0, copy.numbers.get(name, 0))
        if last:
            connection.execute(_SET, {"name": sequence, "last": last})
