"""How are thousands of rows written at once? Compiled statements fed with plain tuples.

SQLAlchemy prepares every row of an executemany in Python; on the commit path that took longer
than SQLite takes to write it. A `Bulk` is compiled once and hands tuples to the driver; so do a
`Statement`, which is for one row at a time, and a `Lookup`, which is for many keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.dialects import as_list, insert_new, is_among

T = TypeVar("T")
_AT_ONCE = 500


class _Compiled:
    """The text, and how a row becomes its parameters."""

    def __init__(self, text: str, places: list[int], own: tuple[Any, ...]) -> None:
        self.text = text
        self._own = own
        is_in_order = places == list(range(len(places)))
        self._pick = None if is_in_order else itemgetter(*places)

    def arrange(self, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        if self._own:
            rows = [row + self._own for row in rows]
        return rows if self._pick is None else list(map(self._pick, rows))


class _Prepared:
    """A statement compiled once for each dialect; rows come as tuples in the order of `names`."""

    def __init__(
        self,
        names: Sequence[str],
        build: Callable[[Connection], sa.SelectBase | sa.Insert | sa.Update | sa.Delete],
    ) -> None:
        self.names = tuple(names)
        self._build = build
        self._compiled: dict[str, _Compiled] = {}

    def _compile(self, connection: Connection) -> _Compiled:
        dialect = connection.dialect
        if dialect.name not in self._compiled:
            made = self._build(connection).compile(dialect=dialect)
            places = getattr(made, "positiontup", None) or []
            # What the statement brings itself: a LIMIT, a comparison with 0.
            own = [name for name in dict.fromkeys(places) if name not in self.names]
            names = [*self.names, *own]
            self._compiled[dialect.name] = _Compiled(
                made.string,
                [names.index(name) for name in places],
                tuple(made.params[name] for name in own),
            )
        return self._compiled[dialect.name]


class Statement(_Prepared):
    """A statement run for one row, again and again: for each host of a claim, say.

    By the driver's own cursor: SQLAlchemy takes five times as long as SQLite does.
    """

    def run(self, connection: Connection, *values: Any) -> Sequence[Any]:
        """What it answers, as the database tells it: booleans of SQLite are 0 and 1."""
        compiled = self._compile(connection)
        cursor = connection.connection.cursor()
        try:
            cursor.execute(compiled.text, *compiled.arrange([values]))
            return cursor.fetchall() if cursor.description else []
        finally:
            cursor.close()


class Lookup:
    """What is known of many things, asked at once; their keys are numbers or texts.

    The keys are one parameter: with a place for each, every number of keys would be another
    statement, put together by SQLAlchemy and read by the database anew.
    """

    def __init__(self, columns: sa.Select[Any], key: sa.Column[Any]) -> None:
        self._ask = Statement(("keys",), lambda made: columns.where(is_among(made, key, "keys")))

    def run(self, connection: Connection, keys: Iterable[int | str]) -> Sequence[Any]:
        return self._ask.run(connection, as_list(connection, keys))


class Bulk(_Prepared):
    """A statement for many rows."""

    def run(self, connection: Connection, rows: list[tuple[Any, ...]]) -> int:
        """Write the rows; how many were really changed."""
        return sum(self.run_each(connection, [rows])) if rows else 0

    def run_each(
        self, connection: Connection, groups: Iterable[list[tuple[Any, ...]]]
    ) -> list[int]:
        """Write many small groups; how many rows of each were really changed."""
        compiled = self._compile(connection)
        cursor = connection.connection.cursor()
        changed = []
        try:
            for rows in groups:
                cursor.executemany(compiled.text, compiled.arrange(rows))
                changed.append(cursor.rowcount if rows else 0)
        finally:
            cursor.close()
        return changed


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
