"""Counters by shape of URL, upserted in the commit: visits, and those in vain (URL-6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import Bulk, of_rows
from tenax.adapters.sql.engine.dialects import dialect_insert
from tenax.adapters.sql.schema.tables import hosts, jobs, shapes
from tenax.outcome import Settlement
from tenax.ports import ShapeCounts, ShapeRecord
from tenax.urls.shapes import family_of

_KEY = ("job_id", "host_id", "shape")
_COUNTED = (*_KEY, "visits", "fruitless", "fed")
_of_host = sa.select(shapes.c.shape, shapes.c.visits, shapes.c.fruitless, shapes.c.fed).where(
    shapes.c.job_id == sa.bindparam("job"), shapes.c.host_id == sa.bindparam("host")
)


def _upsert(connection: Connection) -> sa.Insert:
    insert = of_rows(connection, dialect_insert(connection, shapes), _COUNTED)
    upsert: sa.Insert = insert.on_conflict_do_update(
        index_elements=list(_KEY),
        set_={name: shapes.c[name] + insert.excluded[name] for name in ("visits", "fruitless")},
    )
    return upsert


_count = Bulk(_COUNTED, _upsert)
_feed = Bulk(
    ("more", "job", "host", "of"),
    lambda _: (
        sa.update(shapes)
        .where(
            shapes.c.job_id == sa.bindparam("job"),
            shapes.c.host_id == sa.bindparam("host"),
            shapes.c.shape == sa.bindparam("of"),
        )
        .values(fed=shapes.c.fed + sa.bindparam("more"))
    ),
)


def count(connection: Connection, settlements: Sequence[Settlement]) -> None:
    """Add up what these visits brought."""
    visits: Counter[tuple[int, int, str]] = Counter()
    fruitless: Counter[tuple[int, int, str]] = Counter()
    fed: Counter[tuple[int, int, str]] = Counter()
    for s in settlements:
        if not s.shape or s.host is None:
            continue
        place = (s.job_id, s.host.id, s.shape)
        visits[place] += 1
        fruitless[place] += s.fruitless
        named = Counter(t.shape for t in s.found if t.host == s.host.name) if s.found else {}
        for shape, times in named.items():
            # Its own kind vouches for nothing.
            if shape != s.shape and family_of(shape) != family_of(s.shape):
                fed[s.job_id, s.host.id, shape] += times
    rows: list[tuple[Any, ...]] = [(*key, n, fruitless[key], 0) for key, n in visits.items()]
    _count.run(connection, rows)
    # Of shapes that were visited only: others may be as many as there are URLs.
    _feed.run(connection, [(times, *key) for key, times in fed.items()])


def counts(connection: Connection, job_id: int, host_id: int) -> dict[str, ShapeCounts]:
    rows = connection.execute(_of_host, {"job": job_id, "host": host_id})
    return {shape: ShapeCounts(*counted) for shape, *counted in rows}


def of_host(connection: Connection, name: str, limit: int) -> list[ShapeRecord]:
    """The shapes of a host with the most fruitless visits, in all jobs."""
    query = (
        sa.select(jobs.c.name, shapes.c.shape, shapes.c.visits, shapes.c.fruitless)
        .join(hosts, hosts.c.id == shapes.c.host_id)
        .join(jobs, jobs.c.id == shapes.c.job_id)
        .where(hosts.c.name == name, shapes.c.fruitless > 0)
        .order_by(shapes.c.fruitless.desc(), shapes.c.shape)
        .limit(limit)
    )
    return [ShapeRecord(*row) for row in connection.execute(query)]
