"""Where do the databases differ? In how an insert treats rows that are there already."""

from __future__ import annotations

from typing import Any

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
