"""What SQLite and PostgreSQL spell differently: an insert that may conflict (upsert, or insert what
is new), and a list as one parameter.
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
