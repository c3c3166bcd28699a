"""Bulk inserts, updates and look-ups: statements compiled once and fed with plain tuples.

SQLAlchemy prepares every row of an executemany in Python; on the commit path that took longer
than SQLite takes to write it. A `Bulk` is compiled once and hands tuples to the driver; so do a
`Statement`, which is for one row at a time, and a `Lookup`, which is for many keys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.dialects import as_list, insert_new, is_among

if TYPE_CHECKING:
    from tenax.adapters.sql.engine.unnest import OverRows

T = TypeVar("T")
_Insert = TypeVar("_Insert", bound=sa.Insert)
_AT_ONCE = 500


class _Compiled:
    """The text, and how a row becomes its parameters."""

    def __init__(self, text: str, places: list[int], own: tuple[Any, ...]) -> None:
        self.text = text
        self._own = own
        is_in_order = places == list(range(len(places)))
        self._pick = None if is_in_order else itemgetter(*places)

    def arrange(self, rows: Sequence[tuple[Any, ...]]) -> Sequence[tuple[Any, ...]]:
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
        self._over_rows: OverRows | None = None

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

    def _for_rows(self, connection: Connection) -> OverRows:
        if self._over_rows is None:
            from tenax.adapters.sql.engine.unnest import over_rows

            built = self._build(connection)
            self._over_rows = over_rows(built, self.names, connection.dialect)
        return self._over_rows


class Statement(_Prepared):
    """A statement run for one row, again and again: for each host of a claim, say.

    By the driver's own cursor: SQLAlchemy takes five times as long as SQLite does.
    """

    def run(self, connection: Connection, *values: Any) -> Sequence[Any]:
        """What it answers, as the database tells it: booleans of SQLite are 0 and 1."""
        compiled = self._compile(connection)
        if connection.dialect.name == "postgresql":
            from tenax.adapters.sql.engine.unnest import storable

            values = tuple(map(storable, values))
        cursor = connection.connection.cursor()
        try:
            cursor.execute(compiled.text, *compiled.arrange([values]))
            return cursor.fetchall() if cursor.description else []
        finally:
            cursor.close()

    def run_each(
        self, connection: Connection, rows: Sequence[tuple[Any, ...]]
    ) -> list[Sequence[Any]]:
        """What it answers to each of these rows; a query in one trip where trips are dear."""
        if not rows:
            return []
        if connection.dialect.name != "postgresql":
            compiled = self._compile(connection)
            cursor = connection.connection.cursor()
            try:
                ask = cursor.execute
                return [ask(compiled.text, row).fetchall() for row in compiled.arrange(rows)]
            finally:
                cursor.close()
        from tenax.adapters.sql.engine.unnest import grouped

        return [*grouped(_ask(connection, self._for_rows(connection), rows)[0], len(rows))]

    def run_all(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> Sequence[Any]:
        """What a statement that writes answers to all of these rows; in one trip where trips are
        dear."""
        if not rows:
            return []
        if connection.dialect.name != "postgresql":
            return [*chain.from_iterable(self.run_each(connection, rows))]
        return _ask(connection, self._for_rows(connection), rows)[0]


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
    """A statement for many rows, none of them the same as another in what it is found by.

    Inserts in groups name the column that all rows of a group have in common, and none of
    another group: PostgreSQL takes all groups at once, and tells by it which rows were new.
    """

    def __init__(
        self,
        names: Sequence[str],
        build: Callable[[Connection], sa.Insert | sa.Update | sa.Delete],
        group: str = "",
    ) -> None:
        super().__init__(names, build)
        self._group = group

    def run(self, connection: Connection, rows: list[tuple[Any, ...]]) -> int:
        """Write the rows; how many were really changed."""
        return sum(self.run_each(connection, [rows])) if rows else 0

    def run_each(
        self, connection: Connection, groups: Iterable[list[tuple[Any, ...]]]
    ) -> list[int]:
        """Write many small groups; how many rows of each were really changed."""
        if connection.dialect.name == "postgresql":
            return self._run_at_once(connection, list(groups))
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

    def _run_at_once(
        self, connection: Connection, groups: list[list[tuple[Any, ...]]]
    ) -> list[int]:
        rows = list(chain.from_iterable(groups))
        if not rows:
            return [0] * len(groups)
        answers, count = _ask(connection, self._for_rows(connection), rows)
        if not self._group:
            assert len(groups) == 1, "which group a row belongs to is not known"
            return [count]
        place = self.names.index(self._group)
        new = Counter(key for (key,) in answers)
        return [new[group[0][place]] if group else 0 for group in groups]


def _ask(
    connection: Connection, statement: OverRows, rows: Sequence[tuple[Any, ...]]
) -> tuple[Sequence[Any], int]:
    """What it answers, and how many rows it has changed."""
    cursor = connection.connection.cursor()
    try:
        cursor.execute(statement.text, statement.parameters(rows))
        return cursor.fetchall() if cursor.description else [], cursor.rowcount
    finally:
        cursor.close()


def inserting(
    table: sa.Table,
    names: Sequence[str],
    *,
    new_only: bool = False,
    group: str = "",
    unique: Sequence[str] = (),
) -> Bulk:
    """A bulk insert of these columns; `new_only` passes over rows that are there already.

    Where those are many, and others may be changing them, `unique` names what tells them.
    """

    def build(connection: Connection) -> sa.Insert:
        insert = insert_new(connection, table) if new_only else sa.insert(table)
        if connection.dialect.name != "postgresql":
            # Nobody asks for the ids: telling them takes longer than writing the rows.
            return of_rows(connection, insert, names).inline()
        if unique:
            insert = insert.from_select(["id", *names], _unknown(table, names, unique))
        else:
            insert = of_rows(connection, insert, names)
        return insert.returning(table.c[group]) if group else insert

    return Bulk(names, build, group)


def of_rows(connection: Connection, insert: _Insert, names: Sequence[str]) -> _Insert:
    """The insert, with rows that have these columns; on PostgreSQL all of them at once."""
    given = _given(insert.table, names)
    if connection.dialect.name == "postgresql":
        return insert.from_select(list(names), sa.select(*given))
    return insert.values(dict(zip(names, given, strict=True)))


def _given(table: Any, names: Sequence[str]) -> list[sa.BindParameter[Any]]:
    return [sa.bindparam(name, type_=table.c[name].type) for name in names]


def _unknown(table: sa.Table, names: Sequence[str], unique: Sequence[str]) -> sa.Select[Any]:
    """Look first: inserting a row that is there waits for whoever is changing it just now, and two
    pages that link to each other would wait for ever. What is new is written in one order, for the
    same reason, and numbered in the order in which it came."""
    there = table.alias("there")
    given = dict(zip(names, _given(table, names), strict=True))
    sequence: sa.ColumnElement[str] = sa.literal_column(f"'{table.name}_id_seq'")
    is_there = sa.exists().where(*(there.c[name] == given[name] for name in unique))
    numbered = (
        sa.select(
            sa.func.nextval(sequence, type_=table.c.id.type).label("id"),
            *(value.label(name) for name, value in given.items()),
        )
        .where(~is_there)
        .cte("numbered")
        .prefix_with("MATERIALIZED")
    )
    return sa.select(*numbered.c).order_by(*(numbered.c[name] for name in unique))


def in_groups(values: Iterable[T]) -> Iterator[list[T]]:
    """As many at once as a statement may name: SQLite takes 32,766, and long lists are slow."""
    rest = iter(values)
    while group := list(islice(rest, _AT_ONCE)):
        yield group
