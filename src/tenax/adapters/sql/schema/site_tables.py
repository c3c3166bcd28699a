"""Which rules has a person made for sites, for the whole fleet? A row for each pattern of host."""

from __future__ import annotations

from sqlalchemy import Column, Double, LargeBinary, String, Table, Text

from tenax.adapters.sql.schema.basis import LONG as _LONG
from tenax.adapters.sql.schema.basis import metadata

# `rules` is what they say, as JSON, but for headers and cookies: those are in `secret`, sealed.
sites = Table(
    "sites",
    metadata,
    Column("pattern", String, primary_key=True),
    Column("rules", Text, nullable=False),
    Column("secret", LargeBinary),
    Column("changed_at", Double, nullable=False),
)

# One row, from the first change on: whoever works sees by it that the rules are others now.
site_version = Table(
    "site_version",
    metadata,
    Column("name", String, primary_key=True),
    Column("version", _LONG, nullable=False),
)
