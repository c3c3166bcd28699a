"""Batched statements on PostgreSQL: rows go as arrays (`unnest`), one round trip for all of them.

PostgreSQL answers every statement with a trip over the network: rows go there as columns, one
array each, and come back with how many of them were changed. Before a statement is compiled, the
parameters that rows bring become columns of `unnest` in it; SQLAlchemy then names the arrays where
such a statement names other tables: FROM, USING, or the SELECT that an INSERT takes its rows from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.visitors import replacement_traverse

_Change = sa.Insert | sa.Update | sa.Delete
T = TypeVar("T", sa.SelectBase, _Change)

_GIVEN = "given"
"""What the rows are called inside a statement over them."""


class OverRows(Struct, frozen=True):
    """A statement for many rows, and what it takes besides their columns."""

    text: str
    own: tuple[Any, ...]
    places: tuple[int, ...]
    """What each of its parameters is: a column of the rows, or behind those, one of its own."""
    texts: tuple[int, ...]
    """Which columns are text: a NUL, which the web may bring, cannot be stored in one."""

    def parameters(self, rows: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
        columns: list[Any] = list(map(list, zip(*rows, strict=True)))
        for place in self.texts:
            columns[place] = list(map(storable, columns[place]))
        columns += self.own
        return tuple(columns[place] for place in self.places)


def storable(value: Any) -> Any:
    return value.replace("\0", "\ufffd") if isinstance(value, str) and "\0" in value else value


def over_rows(
    statement: sa.SelectBase | _Change, names: Sequence[str], dialect: Dialect
) -> OverRows:
    """The statement with the parameters of these names taken from rows instead.

    A query answers with the number of the row, from 1, before the columns it was asked for. An
    insert takes its rows from a SELECT of its parameters: `bulk.of_rows`.
    """
    types = _types(statement, names, dialect)
    over: sa.SelectBase | _Change
    if isinstance(statement, sa.SelectBase):
        over = _asked_for_each(statement, types)
    else:
        rows = _rows(types)
        over = _replaced(statement, lambda name: rows.c[name] if name in types else None)
    made = over.compile(dialect=dialect)
    assert isinstance(made, SQLCompiler)
    order = made.positiontup or []
    assert set(names) <= set(order), "an insert of VALUES cannot run over rows"
    own = [name for name in order if name not in types]
    known = [*names, *own]
    return OverRows(
        made.string,
        tuple(made.params[name] for name in own),
        tuple(known.index(name) for name in order),
        tuple(n for n, name in enumerate(names) if isinstance(types[name], sa.String)),
    )


_Types = dict[str, sa.types.TypeEngine[Any]]


def _types(statement: sa.ClauseElement, names: Sequence[str], dialect: Dialect) -> _Types:
    """Of the parameters of these names, as the statement uses them."""
    made = statement.compile(dialect=dialect)
    assert isinstance(made, SQLCompiler)
    types = {name: parameter.type for parameter, name in made.bind_names.items()}
    for name in names:
        assert not types[name]._isnull, f"the type of {name} is not known"
    return {name: types[name] for name in names}


def _rows(types: _Types, number: str | None = None) -> sa.TableValuedAlias:
    arrays = (sa.bindparam(name, type_=sa.ARRAY(type_)) for name, type_ in types.items())
    columns = (sa.column(name, type_) for name, type_ in types.items())
    listed = sa.func.unnest(*arrays).table_valued(*columns, with_ordinality=number)
    return listed.render_derived(name=_GIVEN)


def _asked_for_each(query: sa.SelectBase, types: _Types) -> sa.Select[Any]:
    def column(name: str) -> sa.ColumnElement[Any] | None:
        # By its name alone: of a column SQLAlchemy knows its table, and would name that again in
        # every query inside this one.
        return sa.literal_column(f'{_GIVEN}."{name}"', types[name]) if name in types else None

    rows = _rows(types, "n")
    answers = _replaced(query, column).lateral("answers")
    return sa.select(rows.c.n, sa.literal_column("answers.*")).select_from(
        rows.join(answers, sa.true())
    )


def _replaced(statement: T, column: Callable[[str], sa.ColumnElement[Any] | None]) -> T:
    def replace(element: Any, **_: Any) -> Any:
        return column(element.key) if isinstance(element, sa.BindParameter) else None

    return cast("T", replacement_traverse(statement, {}, replace))


def grouped(rows: Iterable[Sequence[Any]], count: int) -> list[list[Sequence[Any]]]:
    """Answers to a query over rows, by row; without the number in front."""
    answers: list[list[Sequence[Any]]] = [[] for _ in range(count)]
    for row in rows:
        answers[row[0] - 1].append(tuple(row)[1:])
    return answers
