"""Who cleans up and until when, and how large was everything?"""

from __future__ import annotations

from sqlalchemy import Column, Double, Integer, String, Table, Text

from tenax.adapters.sql.schema.basis import metadata

# `done_at` is when it was last done to the end.
upkeep = Table(
    "upkeep",
    metadata,
    Column("name", String, primary_key=True),
    Column("holder", String, nullable=False),
    Column("held_until", Double, nullable=False),
    Column("done_at", Double, nullable=False),
)

# A look at all sizes a day, as JSON.
storage_samples = Table(
    "storage_samples",
    metadata,
    Column("day", Integer, primary_key=True, autoincrement=False),
    Column("sample", Text, nullable=False),
    sqlite_with_rowid=False,
)
