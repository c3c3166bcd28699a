"""Which pages took their reader down with them? A row for each target that is read alone now."""

from __future__ import annotations

from sqlalchemy import Column, Double, Integer, Table, Text

from tenax.adapters.sql.schema.basis import LONG as _LONG
from tenax.adapters.sql.schema.basis import metadata

# `count` processes have died while they read the target, the last one, `worker`, found dead at
# `at`. Nearly always empty: a row goes when its target was read after all.
crashes = Table(
    "crashes",
    metadata,
    Column("target_id", _LONG, primary_key=True, autoincrement=False),
    Column("count", Integer, nullable=False),
    Column("at", Double, nullable=False),
    Column("worker", Text, nullable=False),
)
