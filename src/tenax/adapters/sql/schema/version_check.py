"""The revision of a server's tables: read, brought up to date under a lock, or told what to do."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.schema import tables
from tenax.ports import Unavailable

_UPGRADING = 7_365_746_578
"""The lock of those who upgrade: any number that nobody else uses."""


def revision_of(connection: Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return str(found) if found is not None else None


def upgrade_tables(connection: Connection) -> tuple[str | None, str]:
    from tenax.adapters.sql.schema.migrate import known_revisions, upgrade

    # Several machines may be told at once; the first does it, the others find it done.
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_UPGRADING})")
    before = revision_of(connection)
    if before is not None and before not in known_revisions():
        raise Unavailable(outdated(before, "This database"))
    if before != tables.REVISION:
        upgrade(connection)
    return before, tables.REVISION


def outdated(found: str | None, place: str) -> str:
    if found is None:
        return f"{place}: no ledger here yet. Run `tenax db upgrade` once to make its tables."
    if found < tables.REVISION:
        return (
            f"{place}: the tables are those of an older Tenax (schema {found}, this one needs"
            f" {tables.REVISION}). Stop the workers and run `tenax db upgrade`."
        )
    return (
        f"{place}: this ledger was written by a newer Tenax (schema {found}, this one knows"
        f" {tables.REVISION}). Upgrade Tenax, or name another database."
    )
