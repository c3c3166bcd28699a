"""What is there to say of few targets? Which took their reader down with them, and are read alone
now; what is sent where a URL is not only asked for."""

from __future__ import annotations

from sqlalchemy import Column, Double, Index, Integer, LargeBinary, Table, Text

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

# `url_key` is the key of its URL alone, by which `why` finds all that is sent there. Never changed:
# what is sent is part of what makes the target another one.
posts = Table(
    "posts",
    metadata,
    Column("target_id", _LONG, primary_key=True, autoincrement=False),
    Column("url_key", LargeBinary(12), nullable=False),
    Column("content_type", Text, nullable=False),
    Column("body", Text, nullable=False),
)
Index("posts_url", posts.c.url_key)
