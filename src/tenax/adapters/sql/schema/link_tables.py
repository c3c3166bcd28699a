"""The tables of who links to whom."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, LargeBinary, Table, Text

from tenax.adapters.sql.schema.basis import LONG, metadata

# Which page of a job links to which URL, for jobs of which somebody asked: made of stored bodies,
# and of `link_sources` which of them were read. A crawl writes nothing of it.
links = Table(
    "links",
    metadata,
    Column("source_id", LONG, primary_key=True, autoincrement=False),
    Column("key", LargeBinary(12), primary_key=True),
    Column("job_id", Integer, nullable=False),
    Column("url", Text, nullable=False),
    sqlite_with_rowid=False,
)
Index("links_key", links.c.job_id, links.c.key)
link_sources = Table(
    "link_sources",
    metadata,
    Column("target_id", LONG, primary_key=True, autoincrement=False),
    Column("digest", LargeBinary(32), nullable=False),
)
