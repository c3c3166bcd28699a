"""What SQLite and PostgreSQL spell differently: an insert that may conflict (upsert, or insert what
is new), a list as one parameter, and that a list is to be read by its indexes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection


def dialect_insert(connection: Connection, table: sa.Table) -> Any:
    """An insert that can say `on_conflict_…`; each dialect is only imported where it is used."""
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert as postgresql_insert

        return postgresql_insert(table)
    from sqlalchemy.dialects.sqlite import insert as sqlite_insert

    return sqlite_insert(table)


def insert_new(connection: Connection, table: sa.Table) -> sa.Insert:
    """An insert that passes over rows that are there already."""
    statement: sa.Insert = dialect_insert(connection, table).on_conflict_do_nothing()
    return statement


_BY_INDEX = sa.text(
    "SELECT set_config('enable_seqscan', 'off', true),"
    " set_config('plan_cache_mode', 'force_custom_plan', true)"
)


def go_by_indexes(connection: Connection) -> None:
    """Read some rows of this transaction's tables, not all. PostgreSQL takes a whole table for
    cheaper than five thousand of its rows one by one, and by a plan for any values takes a window
    of them for a third of the table: work that grows with the ledger, however short the list."""
    if connection.dialect.name == "postgresql":
        connection.execute(_BY_INDEX)


def is_among(
    connection: Connection, column: sa.Column[Any], parameter: str
) -> sa.ColumnElement[bool]:
    """Whether it is in a list that is one parameter, made by `as_list`."""
    if connection.dialect.name == "postgresql":
        return column == sa.any_(sa.bindparam(parameter, type_=sa.ARRAY(column.type)))
    listed = sa.func.json_each(sa.bindparam(parameter)).table_valued("value")
    return column.in_(sa.select(listed.c.value))


def as_list(connection: Connection, values: Iterable[int | str]) -> list[int | str] | str:
    if connection.dialect.name == "postgresql":
        return list(values)
    return msgspec.json.encode(list(values)).decode()
