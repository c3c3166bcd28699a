"""What is sent where a URL is not only asked for? A row for each such target."""

from __future__ import annotations

from sqlalchemy import Column, Index, LargeBinary, Table, Text

from tenax.adapters.sql.schema.basis import LONG, metadata

# `url_key` is the key of its URL alone, by which `why` finds all that is sent there. Never changed:
# what is sent is part of what makes the target another one.
posts = Table(
    "posts",
    metadata,
    Column("target_id", LONG, primary_key=True, autoincrement=False),
    Column("url_key", LargeBinary(12), nullable=False),
    Column("content_type", Text, nullable=False),
    Column("body", Text, nullable=False),
)
Index("posts_url", posts.c.url_key)
