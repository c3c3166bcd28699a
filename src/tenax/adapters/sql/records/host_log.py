"""What happened at each host and when: requests packed by the commit, incidents; both bounded.

A request costs eighteen bytes in a row that all requests of a commit to a host share. Of each host
the last five hundred are kept, for some hours; of its incidents the last hundred.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from struct import Struct as Packing
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import Statement, inserting
from tenax.adapters.sql.schema.watch_tables import host_requests, incidents
from tenax.model import Incident, IncidentKind
from tenax.outcome import RequestStart

KEPT_REQUESTS = 500
KEPT_INCIDENTS = 100
KEPT_SECONDS = 6 * 3600.0
_EVERY = 100
"""Visits of a host after which what is too much of it is thrown away."""
_AT_ONCE = 200
_packing = Packing("<dHIf")
_MOST_MS = 2**32 - 1

_insert = inserting(host_requests, ("host_id", "at", "count", "packed"))
_note = inserting(incidents, ("host_id", "at", "until", "kind", "why"))
_oldest = Statement(
    ("most",),
    lambda _: (
        sa.select(host_requests.c.id, host_requests.c.at)
        .order_by(host_requests.c.id)
        .limit(sa.bindparam("most"))
    ),
)
_forget_until = Statement(
    ("last",), lambda _: sa.delete(host_requests).where(host_requests.c.id <= sa.bindparam("last"))
)
_newest = sa.select(host_requests.c.id, host_requests.c.count, host_requests.c.packed)
_counts = Statement(
    ("host",),
    lambda _: (
        sa.select(host_requests.c.id, host_requests.c.count)
        .where(host_requests.c.host_id == sa.bindparam("host"))
        .order_by(host_requests.c.id.desc())
        .limit(KEPT_REQUESTS + 1)
    ),
)
_forget_of_host = Statement(
    ("host", "last"),
    lambda _: sa.delete(host_requests).where(
        host_requests.c.host_id == sa.bindparam("host"), host_requests.c.id <= sa.bindparam("last")
    ),
)


def write_requests(
    connection: Connection,
    starts: Mapping[int, Sequence[RequestStart]],
    visits: Mapping[int, tuple[int, int]],
    now: float,
) -> None:
    """Requests by host; `visits` are how many each has had before and has had by now."""
    if not starts:
        return
    rows = [
        (host_id, each[0].at, len(each), b"".join(map(_packed, each)))
        for host_id, each in sorted(starts.items())
    ]
    _insert.run(connection, rows)
    for host_id, (before, after) in visits.items():
        if before // _EVERY != after // _EVERY and host_id in starts:
            _shorten(connection, host_id)
    # Those of hosts that are not asked any more would stay for ever: each commit takes some away.
    (oldest,) = _oldest.run(connection, 1)
    if oldest[1] < now - KEPT_SECONDS:
        several = _oldest.run(connection, max(_AT_ONCE, 2 * len(rows)))
        outdated = [id for id, at in several if at < now - KEPT_SECONDS]
        _forget_until.run(connection, max(outdated))


def by_host(brought: Iterable[tuple[int, Sequence[RequestStart]]]) -> dict[int, list[RequestStart]]:
    found: dict[int, list[RequestStart]] = defaultdict(list)
    for host_id, starts in brought:
        found[host_id] += starts
    return found


def requests_of(connection: Connection, host_id: int, since: float) -> list[RequestStart]:
    """Those since then that are kept, in order."""
    query = _newest.where(host_requests.c.host_id == host_id).order_by(host_requests.c.id.desc())
    found: list[RequestStart] = []
    for _, count, packed in connection.execute(query.limit(KEPT_REQUESTS + _EVERY)):
        found += map(_unpacked, _packing.iter_unpack(packed))
        if len(found) >= KEPT_REQUESTS + count:
            break
    return sorted(each for each in found if each.at >= since)


def write_incidents(connection: Connection, told: Mapping[int, Sequence[Incident]]) -> None:
    rows = [
        (host_id, each.at, each.until, each.kind.value, each.why)
        for host_id, several in sorted(told.items())
        for each in several
    ]
    if not rows:
        return
    _note.run(connection, rows)
    for host_id in sorted({row[0] for row in rows}):
        kept = (
            sa.select(incidents.c.id)
            .where(incidents.c.host_id == host_id)
            .order_by(incidents.c.id.desc())
            .offset(KEPT_INCIDENTS)
            .limit(1)
        )
        last = connection.execute(kept).scalar()
        if last is not None:
            gone = sa.delete(incidents).where(
                incidents.c.host_id == host_id, incidents.c.id <= last
            )
            connection.execute(gone)


def incidents_of(connection: Connection, host_id: int, limit: int) -> list[Incident]:
    """The latest first."""
    query = (
        sa.select(incidents.c.at, incidents.c.kind, incidents.c.why, incidents.c.until)
        .where(incidents.c.host_id == host_id)
        .order_by(incidents.c.id.desc())
        .limit(limit)
    )
    return [
        Incident(at, IncidentKind(kind), why, until)
        for at, kind, why, until in connection.execute(query)
    ]


def _shorten(connection: Connection, host_id: int) -> None:
    seen = 0
    for id, count in _counts.run(connection, host_id):
        if seen >= KEPT_REQUESTS:
            _forget_of_host.run(connection, host_id, id)
            return
        seen += count


def _packed(start: RequestStart) -> bytes:
    ms = min(max(0, round(start.ms)), _MOST_MS)
    return _packing.pack(start.at, start.status or 0, ms, start.delay)


def _unpacked(fields: tuple[Any, ...]) -> RequestStart:
    at, status, ms, delay = fields
    return RequestStart(at, status or None, float(ms), round(delay, 3))
