"""The tables of what was done when: by the minute and the hour, and of each host by the request."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, Index, Integer, LargeBinary, String, Table, Text

from tenax.adapters.sql.schema.basis import LONG as _LONG
from tenax.adapters.sql.schema.basis import metadata

BY_STATUS = ("s2", "s3", "s4", "s5")
"""Answers by the first digit of their status."""
FIGURES = ("visits", "pages", "failures", "bytes", *BY_STATUS)


def _figures() -> list[Column[int]]:
    return [
        Column(
            name,
            BigInteger if name == "bytes" else Integer,
            nullable=False,
            server_default="0" if name in BY_STATUS else None,
        )
        for name in FIGURES
    ]


# What each job did in each minute since the epoch: for rates, and for when it will be done.
stats = Table(
    "stats",
    metadata,
    Column("job_id", Integer, primary_key=True, autoincrement=False),
    Column("minute", Integer, primary_key=True, autoincrement=False),
    *_figures(),
    sqlite_with_rowid=False,
)
Index("stats_minute", stats.c.minute)
# The same by the hour, kept for longer.
stat_hours = Table(
    "stat_hours",
    metadata,
    Column("job_id", Integer, primary_key=True, autoincrement=False),
    Column("hour", Integer, primary_key=True, autoincrement=False),
    *_figures(),
    sqlite_with_rowid=False,
)

Index("stat_hours_hour", stat_hours.c.hour)

# When requests left for a host, and what came of them: one row for all of a commit, packed.
host_requests = Table(
    "host_requests",
    metadata,
    Column("id", _LONG, primary_key=True),
    Column("host_id", _LONG, nullable=False),
    Column("at", Double, nullable=False),
    Column("count", Integer, nullable=False),
    Column("packed", LargeBinary, nullable=False),
)
Index("host_requests_host", host_requests.c.host_id, host_requests.c.id)

# What kept a host from being asked, and what a person did about it.
incidents = Table(
    "incidents",
    metadata,
    Column("id", _LONG, primary_key=True),
    Column("host_id", _LONG, nullable=False),
    Column("at", Double, nullable=False),
    Column("until", Double),
    Column("kind", String, nullable=False),
    Column("why", Text, nullable=False),
)
Index("incidents_host", incidents.c.host_id, incidents.c.id)
