"""Which cookies has a host set in a job? A row for each two, where there are any."""

from __future__ import annotations

from sqlalchemy import Column, Double, Integer, LargeBinary, Table, Text

from tenax.adapters.sql.schema.basis import LONG, metadata

# `names` is a JSON array, for people; what the cookies say is in `jar`, sealed.
cookies = Table(
    "cookies",
    metadata,
    Column("host_id", LONG, primary_key=True, autoincrement=False),
    Column("job_id", Integer, primary_key=True, autoincrement=False),
    Column("names", Text, nullable=False),
    Column("jar", LargeBinary, nullable=False),
    Column("changed_at", Double, nullable=False),
    sqlite_with_rowid=False,
)
