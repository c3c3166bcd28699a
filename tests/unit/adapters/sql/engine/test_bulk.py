"""Prepared statements: rows as tuples, whatever order the database wants them in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import Bulk, Lookup, Statement, inserting

_table = sa.Table(
    "things",
    sa.MetaData(),
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String, unique=True),
    sa.Column("size", sa.Integer),
)
_insert = inserting(_table, ("id", "name", "size"), new_only=True)


@pytest.fixture
def connection() -> Iterator[Connection]:
    with sa.create_engine("sqlite://").connect() as opened:
        _table.create(opened)
        _insert.run(opened, [(1, "one", 10), (2, "two", 20), (3, "three", 30)])
        yield opened


def test_a_statement_takes_its_values_in_the_order_of_the_names(connection: Connection) -> None:
    between = Statement(
        ("most", "least"),
        lambda _: sa.select(_table.c.name).where(
            _table.c.size >= sa.bindparam("least"), _table.c.size <= sa.bindparam("most")
        ),
    )
    assert list(between.run(connection, 25, 15)) == [("two",)]


def test_a_statement_may_name_a_value_twice_and_bring_its_own(connection: Connection) -> None:
    either = Statement(
        ("number",),
        lambda _: (
            sa.select(_table.c.id)
            .where(sa.or_(_table.c.id == sa.bindparam("number"),
                          _table.c.size == sa.bindparam("number"), _table.c.size > 25))
            .order_by(_table.c.id.desc())
            .limit(1)
        ),
    )  # fmt: skip
    assert list(either.run(connection, 1)) == [(3,)]


def test_a_statement_that_only_writes_answers_nothing(connection: Connection) -> None:
    grow = Statement(
        ("by", "thing"),
        lambda _: (
            sa.update(_table)
            .where(_table.c.id == sa.bindparam("thing"))
            .values(size=_table.c.size + sa.bindparam("by"))
        ),
    )
    assert list(grow.run(connection, 5, 1)) == []
    assert connection.execute(sa.select(_table.c.size).where(_table.c.id == 1)).scalar() == 15


@pytest.mark.parametrize("keys", [[], ["two"], ["two", "nobody", "one"], map(str, range(40_000))])
def test_a_lookup_finds_what_is_there_of_any_number_of_keys(
    connection: Connection, keys: list[str]
) -> None:
    named = Lookup(sa.select(_table.c.name), _table.c.name)
    wanted = list(keys)
    found = {name for (name,) in named.run(connection, wanted)}
    assert found == {"one", "two", "three"} & set(wanted)


def test_a_bulk_tells_how_many_rows_of_each_group_were_new(connection: Connection) -> None:
    groups = [[(1, "one", 10)], [(4, "four", 40), (5, "five", 50)], []]
    assert _insert.run_each(connection, groups) == [0, 2, 0]


def test_a_bulk_writes_nothing_for_no_rows(connection: Connection) -> None:
    never = Bulk((), lambda _: sa.insert(_table))
    assert never.run(connection, []) == 0
