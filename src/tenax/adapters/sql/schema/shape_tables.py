"""The tables of what visits brought, by the kind of their URLs (URL-6)."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, LargeBinary, String, Table

from tenax.adapters.sql.schema.basis import LONG as _LONG
from tenax.adapters.sql.schema.basis import metadata

# In all: visits, those that brought something, those made while the shape was deferred, and those
# that brought figures at best. Lately: visits that were judged, those of them that brought
# something, that brought more than figures, and that were copies; those that brought nothing,
# halved by each that did; visits of which was asked what they name, those that named more of their
# kind, those that named known ones, all new URLs that they named, and those whose links went too
# deep.
shapes = Table(
    "shapes",
    metadata,
    Column("job_id", Integer, primary_key=True, autoincrement=False),
    Column("host_id", _LONG, primary_key=True, autoincrement=False),
    Column("shape", String, primary_key=True),
    Column("visits", Integer, nullable=False),
    Column("good", Integer, nullable=False),
    Column("late", Integer, nullable=False),
    Column("wordless", Integer, nullable=False, server_default="0"),
    Column("judged", Integer, nullable=False),
    Column("fruitful", Integer, nullable=False),
    Column("worded", Integer, nullable=False, server_default="0"),
    Column("copied", Integer, nullable=False, server_default="0"),
    Column("idle", Integer, nullable=False),
    Column("looked", Integer, nullable=False),
    Column("grew", Integer, nullable=False),
    Column("met", Integer, nullable=False),
    Column("added", Integer, nullable=False, server_default="0"),
    Column("cut", Integer, nullable=False, server_default="0"),
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
