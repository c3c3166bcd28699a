"""The tables of what visits brought, by the kind of their URLs (URL-6)."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, LargeBinary, String, Table

from tenax.adapters.sql.schema.basis import LONG as _LONG
from tenax.adapters.sql.schema.basis import metadata

# In all: visits, those that brought something, those made while the shape was deferred, and what
# those have added to what waits. Lately: visits that were judged, those of them that brought
# something, and those that did not, halved by each that did;
# visits of which was asked what they name of their own kind, those that named more of it, and those
# that named known ones.
shapes = Table(
    "shapes",
    metadata,
    Column("job_id", Integer, primary_key=True, autoincrement=False),
    Column("host_id", _LONG, primary_key=True, autoincrement=False),
    Column("shape", String, primary_key=True),
    Column("visits", Integer, nullable=False),
    Column("good", Integer, nullable=False),
    Column("late", Integer, nullable=False),
    Column("added", Integer, nullable=False, server_default="0"),
    Column("judged", Integer, nullable=False),
    Column("fruitful", Integer, nullable=False),
    Column("idle", Integer, nullable=False),
    Column("looked", Integer, nullable=False),
    Column("grew", Integer, nullable=False),
    Column("met", Integer, nullable=False),
    sqlite_with_rowid=False,
)

# What pages were the first to say at a host, in hashes of four bytes: one row for all visits of a
# commit. Written once, read when a process comes to the host.
wordings = Table(
    "wordings",
    metadata,
    Column("id", _LONG, primary_key=True),
    Column("job_id", Integer, nullable=False),
    Column("host_id", _LONG, nullable=False),
    Column("hashes", LargeBinary, nullable=False),
)
Index("wordings_host", wordings.c.job_id, wordings.c.host_id, wordings.c.id)
