"""The tables of the user's own: records, what they were before, how their handlers do (REC-1)."""

from __future__ import annotations

from sqlalchemy import Column, Double, Index, Integer, LargeBinary, String, Table, Text

from tenax.adapters.sql.schema.basis import LONG, metadata

# `identity` is a hash of job, name and key; where the user gave no key, of the page and the place
# on it. `target_id` is the page that told it last. `data` is JSON; `gone_at` is when its page told
# it no more. Ids are never used twice: a consumer may remember one for longer than we do.
records = Table(
    "records",
    metadata,
    Column("id", LONG, primary_key=True),
    Column("job_id", Integer, nullable=False),
    Column("host_id", LONG, nullable=False),
    Column("target_id", LONG, nullable=False),
    Column("identity", String(32), nullable=False),
    Column("name", String, nullable=False),
    Column("key", String),
    Column("handler", String, nullable=False),
    Column("version", String, nullable=False),
    Column("data", Text, nullable=False),
    Column("digest", LargeBinary(16), nullable=False),
    Column("first_seen_at", Double, nullable=False),
    Column("last_seen_at", Double, nullable=False),
    Column("changed_at", Double, nullable=False),
    Column("gone_at", Double),
    sqlite_autoincrement=True,
)
Index("records_identity", records.c.identity, unique=True)
Index("records_target", records.c.target_id)
Index("records_name", records.c.name, records.c.id)
Index("records_job", records.c.job_id, records.c.id)
Index("records_host", records.c.host_id, records.c.id)
Index("records_changed", records.c.changed_at)

# What a record was from a moment on; `data` is null from when it was gone.
record_history = Table(
    "record_history",
    metadata,
    Column("record_id", LONG, primary_key=True, autoincrement=False),
    Column("at", Double, primary_key=True),
    Column("version", String, nullable=False),
    Column("data", Text),
    sqlite_with_rowid=False,
)

# Pages that a handler was asked about in a day, what it told, and how often it failed.
handler_rates = Table(
    "handler_rates",
    metadata,
    Column("job_id", Integer, primary_key=True, autoincrement=False),
    Column("handler", String, primary_key=True),
    Column("version", String, primary_key=True),
    Column("day", Integer, primary_key=True, autoincrement=False),
    Column("pages", Integer, nullable=False),
    Column("records", Integer, nullable=False),
    Column("failures", Integer, nullable=False),
    sqlite_with_rowid=False,
)

# The last failure of each handler, with the page that it came of.
handler_failures = Table(
    "handler_failures",
    metadata,
    Column("job_id", Integer, primary_key=True, autoincrement=False),
    Column("handler", String, primary_key=True),
    Column("version", String, nullable=False),
    Column("at", Double, nullable=False),
    Column("url", Text, nullable=False),
    Column("error", Text, nullable=False),
    sqlite_with_rowid=False,
)
