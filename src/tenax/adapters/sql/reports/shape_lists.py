"""Lists of what visits brought, by the shape of URLs: of a job, of a host. Each looks at so many
rows at most, by keys and indexes, and sorts those."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec
from tenax.adapters.sql.schema.tables import hosts, jobs, lanes, shapes, targets
from tenax.outcome import NEVER
from tenax.ports import ShapeCounts, ShapeRecord
from tenax.ports.overview import JobShape, SampledUrl, ShapesAt
from tenax.urls.normalise import path_of
from tenax.urls.priority import FIRST, LEAST
from tenax.urls.shapes import shape_of

WINDOW = 5_000
"""Shapes that are looked at for one answer."""
SAMPLE = 2_000
"""URLs that are looked at for examples: so many that were deferred, and so many others."""
PLACES = 20
"""Jobs of one host."""

_COUNTED = tuple(ShapeCounts.__struct_fields__)
_KEY = (shapes.c.job_id, shapes.c.host_id, shapes.c.shape)
_of_place = sa.and_(
    targets.c.host_id == sa.bindparam("host"), targets.c.job_id == sa.bindparam("job")
)
_url = sa.select(targets.c.url, targets.c.cause, targets.c.reason).where(_of_place)
# Every priority is named, or the index of what waits would be read for those that are due as well.
_deferred = _url.where(
    targets.c.state == sa.text("'pending'"),
    targets.c.priority.in_(range(FIRST, LEAST + 1)),
    targets.c.due_at == NEVER,
).limit(sa.bindparam("most"))
# By the hash of their identity: as good as drawn by lot.
_any = _url.order_by(targets.c.key).limit(sa.bindparam("most"))


def of_job(connection: Connection, job_id: int, limit: int) -> list[JobShape]:
    window = sa.select(shapes).where(shapes.c.job_id == job_id).order_by(*_KEY)
    some = window.limit(WINDOW).subquery()
    query = (
        sa.select(hosts.c.name, some.c.shape, some.c.visits, some.c.visits - some.c.good)
        .join(hosts, hosts.c.id == some.c.host_id)
        .order_by(some.c.visits.desc(), hosts.c.name, some.c.shape)
        .limit(limit)
    )
    return [JobShape(*row) for row in connection.execute(query)]


def fruitless(connection: Connection, host: str, limit: int) -> list[ShapeRecord]:
    """Those of a host with the most visits that brought nothing, in all jobs."""
    host_id = connection.execute(sa.select(hosts.c.id).where(hosts.c.name == host)).scalar()
    found: list[ShapeRecord] = []
    room = WINDOW
    for place in _places(connection, host_id or 0, None)[:PLACES]:
        counts = _counts(connection, place.id, host_id or 0, room)
        room -= len(counts)
        found += [
            ShapeRecord(place.name, shape, each.visits, each.visits - each.good)
            for shape, each in counts.items()
            if each.visits > each.good
        ]
    return sorted(found, key=lambda each: (-each.fruitless, each.shape))[:limit]


def at_host(
    connection: Connection, host_id: int, job_id: int | None
) -> tuple[list[ShapesAt], bool]:
    """By job, the latest first; and whether that is all there is."""
    places = _places(connection, host_id, job_id)
    is_whole, room = len(places) <= PLACES, WINDOW
    found: list[ShapesAt] = []
    for place in places[:PLACES]:
        counts = _counts(connection, place.id, host_id, room + 1)
        is_whole, room = is_whole and len(counts) <= room, max(0, room - len(counts))
        at = {"host": host_id, "job": place.id, "most": SAMPLE // min(len(places), PLACES)}
        urls = tuple(_sampled(connection, at, place.origin))
        found.append(ShapesAt(place.name, counts, urls))
    return found, is_whole


def _places(connection: Connection, host_id: int, job_id: int | None) -> Sequence[Any]:
    """The jobs at a host, and one more than are looked at."""
    query = (
        sa.select(jobs.c.id, jobs.c.name, hosts.c.origin)
        .select_from(lanes.join(jobs, jobs.c.id == lanes.c.job_id))
        .join(hosts, hosts.c.id == lanes.c.host_id)
        .where(lanes.c.host_id == host_id)
        .order_by(lanes.c.job_id.desc())
        .limit(PLACES + 1)
    )
    if job_id is not None:
        query = query.where(lanes.c.job_id == job_id)
    return connection.execute(query).all()


def _counts(connection: Connection, job_id: int, host_id: int, most: int) -> dict[str, ShapeCounts]:
    query = (
        sa.select(shapes.c.shape, *(shapes.c[name] for name in _COUNTED))
        .where(shapes.c.job_id == job_id, shapes.c.host_id == host_id)
        .order_by(*_KEY)
        .limit(most)
    )
    return {shape: ShapeCounts(*counted) for shape, *counted in connection.execute(query)}


def _sampled(connection: Connection, at: dict[str, int], origin: str) -> Iterator[SampledUrl]:
    for row in connection.execute(_deferred, at):
        url = codec.full_url(row.url, origin)
        yield SampledUrl(url, row.cause or "", row.reason or "", deferred=True)
    for row in connection.execute(_any, at):
        shape = shape_of(row.url if row.url.startswith("/") else path_of(row.url))
        yield SampledUrl(codec.full_url(row.url, origin), shape)
