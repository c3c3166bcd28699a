"""Batched statements on PostgreSQL: rows go as arrays (`unnest`), one round trip for all of them.

PostgreSQL answers every statement with a trip over the network: rows go there as columns, one
array each, and come back with how many of them were changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.dialects.postgresql.base import PGDialect

_DIALECT = PGDialect(paramstyle="named")  # type: ignore[no-untyped-call]  # SQLAlchemy's
_PARAMETER = re.compile(r"(?<![:\w]):(\w+)")
_VALUES = re.compile(r"VALUES \((.*?)\)(?= ON CONFLICT| RETURNING|$)", re.DOTALL)

Built = sa.SelectBase | sa.Insert | sa.Update | sa.Delete


class OverRows(Struct, frozen=True):
    """A statement for many rows, and what it takes besides their columns."""

    text: str
    own: tuple[Any, ...]
    texts: tuple[int, ...]
    """Which columns are text: a NUL, which the web may bring, cannot be stored in one."""

    def parameters(self, rows: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
        columns: list[Any] = list(map(list, zip(*rows, strict=True)))
        for place in self.texts:
            columns[place] = list(map(storable, columns[place]))
        return (*columns, *self.own)


def storable(value: Any) -> Any:
    return value.replace("\0", "\ufffd") if isinstance(value, str) and "\0" in value else value


def over_rows(
    statement: Built, names: Sequence[str], returning: str = "", unique: Sequence[str] = ()
) -> OverRows:
    """The statement with the parameters of these names taken from rows instead.

    A query answers with the number of the row, from 1, before the columns it was asked for. Of
    inserts, `unique` names the columns by which rows are known that are there already.
    """
    made = statement.compile(dialect=_DIALECT)
    binds = {name: parameter for parameter, name in made.bind_names.items()}
    types = [_type(binds[name]) for name in names]
    own = [name for name in binds if name not in names]
    places = {name: f"${len(names) + n}" for n, name in enumerate(own, 1)}

    def place(found: re.Match[str]) -> str:
        name = found.group(1)
        if name in places:
            return f"CAST({places[name]} AS {_type(binds[name])})"
        return f'w."{name}"'

    text = _PARAMETER.sub(place, made.string)
    arrays = ", ".join(f"CAST(${n} AS {each}[])" for n, each in enumerate(types, 1))
    rows = f"unnest({arrays})"
    columns = ", ".join(f'"{name}"' for name in names)
    if isinstance(statement, sa.Insert) and unique:
        text = _new_only(statement, text, f"{rows} AS r({columns})", unique)
    else:
        text = _joined(statement, text, rows, columns)
    if returning:
        text += f" RETURNING {returning}"
    texts = tuple(n for n, each in enumerate(types) if each in ("VARCHAR", "TEXT"))
    return OverRows(text, tuple(made.params[name] for name in own), texts)


def _joined(statement: Built, text: str, rows: str, columns: str) -> str:
    if isinstance(statement, sa.SelectBase):
        return (
            f"SELECT w.n, s.* FROM {rows} WITH ORDINALITY AS w({columns}, n)"
            f" CROSS JOIN LATERAL ({text}) AS s"
        )
    listed = f"{rows} AS w({columns})"
    match statement:
        case sa.Insert() if statement.select is None:
            return _VALUES.sub(lambda found: f"SELECT {found.group(1)} FROM {listed}", text)
        case sa.Insert():
            return _before_where(text, f", {listed}")
        case sa.Update():
            return _before_where(text, f" FROM {listed}")
        case _:
            return _before_where(text, f" USING {listed}")


def _new_only(statement: sa.Insert, text: str, rows: str, unique: Sequence[str]) -> str:
    """Look first: inserting a row that is there waits for whoever is changing it just now, and two
    pages that link to each other would wait for ever. What is new is written in one order, for the
    same reason, and numbered in the order in which it came."""
    table = statement.table.name
    by = ", ".join(f"w.{name}" for name in unique)
    same = " AND ".join(f"t.{name} = r.{name}" for name in unique)
    numbered = (
        f"SELECT nextval('{table}_id_seq') AS id, r.* FROM {rows}"
        f" WHERE NOT EXISTS (SELECT FROM {table} AS t WHERE {same})"
    )
    text = text.replace(f"INSERT INTO {table} (", f"INSERT INTO {table} (id, ", 1)
    text = _VALUES.sub(lambda v: f"SELECT w.id, {v.group(1)} FROM w ORDER BY {by}", text)
    return f"WITH w AS MATERIALIZED ({numbered}) {text}"


def _before_where(text: str, more: str) -> str:
    before, where, after = re.split(r"(\s+WHERE )", text, maxsplit=1)
    return before + more + where + after


def _type(parameter: sa.BindParameter[Any]) -> str:
    assert not parameter.type._isnull, f"the type of {parameter.key} is not known"
    return parameter.type.compile(dialect=_DIALECT)


def grouped(rows: Iterable[Sequence[Any]], count: int) -> list[list[Sequence[Any]]]:
    """Answers to a query over rows, by row; without the number in front."""
    answers: list[list[Sequence[Any]]] = [[] for _ in range(count)]
    for row in rows:
        answers[row[0] - 1].append(tuple(row)[1:])
    return answers
