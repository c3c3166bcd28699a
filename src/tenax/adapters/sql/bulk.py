"""How are thousands of rows written at once? Compiled statements fed with plain tuples.

SQLAlchemy prepares every row of an executemany in Python; on the commit path that took longer
than SQLite takes to write it. A `Bulk` is compiled once and hands tuples to the driver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.dialects import insert_new

T = TypeVar("T")
_AT_ONCE = 500


class Bulk:
    """A statement for many rows; each row is a tuple in the order of `names`."""

    def __init__(
        self, names: Sequence[str], build: Callable[[Connection], sa.Insert | sa.Update]
    ) -> None:
        self.names = tuple(names)
        self._build = build
        self._compiled: dict[str, tuple[str, list[int] | None]] = {}

    def run(self, connection: Connection, rows: list[tuple[Any, ...]]) -> int:
        """Write the rows; how many were really changed."""
        if not rows:
            return 0
        text, order = self._compile(connection)
        if order is not None:
            rows = [tuple([row[i] for i in order]) for row in rows]
        result = connection.exec_driver_sql(
            text, rows, execution_options={"preserve_rowcount": True}
        )
        return result.rowcount

    def run_each(
        self, connection: Connection, groups: Iterable[list[tuple[Any, ...]]]
    ) -> list[int]:
        """Write many small groups; how many rows of each were really changed.

        By the driver's own cursor: of a group of three, SQLAlchemy would take most of the time.
        """
        text, order = self._compile(connection)
        cursor = connection.connection.cursor()
        changed = []
        try:
            for rows in groups:
                if order is not None:
                    rows = [tuple([row[i] for i in order]) for row in rows]
                cursor.executemany(text, rows)
                changed.append(cursor.rowcount if rows else 0)
        finally:
            cursor.close()
        return changed

    def _compile(self, connection: Connection) -> tuple[str, list[int] | None]:
        dialect = connection.dialect
        if dialect.name not in self._compiled:
            compiled = self._build(connection).compile(dialect=dialect)
            places = [
                self.names.index(name) for name in getattr(compiled, "positiontup", None) or []
            ]
            in_order = places == list(range(len(self.names)))
            self._compiled[dialect.name] = (compiled.string, None if in_order else places)
        return self._compiled[dialect.name]


def inserting(table: sa.Table, names: Sequence[str], *, new_only: bool = False) -> Bulk:
    """A bulk insert of these columns; `new_only` passes over rows that are there already."""
    values: dict[str, Any] = {name: sa.bindparam(name) for name in names}

    def build(connection: Connection) -> sa.Insert:
        insert = insert_new(connection, table) if new_only else sa.insert(table)
        return insert.values(values)

    return Bulk(names, build)


def in_groups(values: Iterable[T]) -> Iterator[list[T]]:
    """As many at once as a statement may name: SQLite takes 32,766, and long lists are slow."""
    rest = iter(values)
    while group := list(islice(rest, _AT_ONCE)):
        yield group
