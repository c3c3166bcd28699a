"""Who is handed the pages of a job, and which of them have not been handed over?"""

from __future__ import annotations

from sqlalchemy import Column, Double, Index, Integer, String, Table

from tenax.adapters.sql.schema.basis import LONG as _LONG
from tenax.adapters.sql.schema.basis import metadata

# A program that reads the pages of a job in a loop. Pages that were there before it first came
# are walked through by id: it has got to `after`, of `last`.
consumers = Table(
    "consumers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("job_id", Integer, nullable=False),
    Column("name", String, nullable=False),
    Column("after", _LONG, nullable=False),
    Column("last", _LONG, nullable=False),
    Column("seen_at", Double, nullable=False),
    sqlite_autoincrement=True,
)
Index("consumers_job", consumers.c.job_id, consumers.c.name, unique=True)

# Pages stored since, until they are confirmed: a page once for each consumer, and under a new id
# when it has changed meanwhile, so that nobody confirms what he was not given.
handovers = Table(
    "handovers",
    metadata,
    Column("id", _LONG, primary_key=True),
    Column("consumer_id", Integer, nullable=False),
    Column("target_id", _LONG, nullable=False),
    sqlite_autoincrement=True,
)
Index("handovers_next", handovers.c.consumer_id, handovers.c.id)
Index("handovers_page", handovers.c.target_id, handovers.c.consumer_id, unique=True)
