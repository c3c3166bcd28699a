"""Throughput by the minute, upserted in the commit: a job's rate, and how long its queues are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import astuple
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec
from tenax.adapters.sql.engine.bulk import Bulk, of_rows
from tenax.adapters.sql.engine.dialects import dialect_insert
from tenax.adapters.sql.schema.tables import hosts, jobs, lanes, targets
from tenax.adapters.sql.schema.watch_tables import FIGURES, stat_hours, stats
from tenax.outcome import Attempt, Kept, Settlement
from tenax.ports import JobProgress, Queue

MINUTES = 5
"""What `pace` looks back on, besides the minute that is not over."""
KEPT_MINUTES = 7 * 24 * 60
_EVERY = 60
"""In one minute of so many, what is too old is thrown away: it may as well wait an hour."""
_QUEUES = 8
_MOST_COUNTED = 20_000
_MOST_HOSTS = 5_000
_FAILED = ("failed", "stale")

KEPT_HOURS = 2 * 366 * 24
_lately = (
    sa.select(stats.c.minute, stats.c.visits, stats.c.pages, stats.c.failures, stats.c.bytes)
    .where(stats.c.job_id == sa.bindparam("job"), stats.c.minute >= sa.bindparam("since"))
    .order_by(stats.c.minute)
)
_outdated = sa.delete(stats).where(
    stats.c.job_id == sa.bindparam("job"), stats.c.minute < sa.bindparam("before")
)
_outdated_hours = sa.delete(stat_hours).where(
    stat_hours.c.job_id == sa.bindparam("job"), stat_hours.c.hour < sa.bindparam("before")
)
_waiting = sa.select(sa.func.count()).select_from(
    sa.select(targets.c.id)
    .where(
        targets.c.host_id == sa.bindparam("host"),
        targets.c.job_id == sa.bindparam("job"),
        # A literal, or SQLite would not see that the partial index applies.
        targets.c.state == sa.text("'pending'"),
    )
    .limit(sa.bindparam("most"))
    .subquery()
)


class _Minute(Struct):
    """In the order of `FIGURES`."""

    visits: int = 0
    pages: int = 0
    failures: int = 0
    bytes: int = 0
    s2: int = 0
    s3: int = 0
    s4: int = 0
    s5: int = 0

    def add(self, settlement: Settlement) -> None:
        attempt = settlement.attempt
        if attempt is None:
            return
        self.visits += 1
        self.pages += settlement.page is not None or settlement.kept is Kept.CHECKED
        self.failures += attempt.outcome in _FAILED
        self._answer(attempt)
        for earlier in settlement.earlier:
            self._answer(earlier)

    def _answer(self, attempt: Attempt) -> None:
        self.bytes += attempt.bytes
        match (attempt.status or 0) // 100:
            case 2:
                self.s2 += 1
            case 3:
                self.s3 += 1
            case 4:
                self.s4 += 1
            case 5:
                self.s5 += 1


def record(connection: Connection, settlements: Sequence[Settlement], now: float) -> None:
    """Add these visits to their jobs' minute: a row for each job, whatever their number."""
    brought: dict[int, _Minute] = {}
    for settlement in settlements:
        brought.setdefault(settlement.job_id, _Minute()).add(settlement)
    minute = int(now // 60)
    figures = [(job_id, astuple(each)) for job_id, each in sorted(brought.items()) if each.visits]
    hour = minute // 60
    _add.run(connection, [(job_id, minute, *each) for job_id, each in figures])
    _add_hours.run(connection, [(job_id, hour, *each) for job_id, each in figures])
    if figures and minute % _EVERY == 0:
        oldest = minute - KEPT_MINUTES
        connection.execute(_outdated, [{"job": id, "before": oldest} for id, _ in figures])
        oldest = hour - KEPT_HOURS
        connection.execute(_outdated_hours, [{"job": id, "before": oldest} for id, _ in figures])


def pace(
    connection: Connection, job_id: int, now: float, queues: tuple[Queue, ...] | None = None
) -> JobProgress:
    minute = int(now // 60)
    since = minute - MINUTES
    rows = connection.execute(_lately, {"job": job_id, "since": since}).all()
    if queues is None:
        queues = _queues(connection, job_id)
    if not rows:
        return JobProgress(queues=queues)
    begin = since * 60.0
    if rows[0].minute > since:
        # It began in the middle of that minute, and nobody knows when: the next one is whole.
        if len(rows) > 1:
            rows = rows[1:]
        begin = max(rows[0].minute * 60.0, _created_at(connection, job_id))
    visits, pages, failures, size = (sum(row[i] for row in rows) for i in range(1, 5))
    return JobProgress(max(now - begin, 1.0), visits, pages, failures, size, queues)


def _queues(connection: Connection, job_id: int) -> tuple[Queue, ...]:
    """The hosts with most known URLs among those that have work: nearly always the longest
    queues, and found without counting them all."""
    at = {"job": job_id, "most": _MOST_COUNTED}
    rows = connection.execute(_largest(_MOST_HOSTS), {"job": job_id})
    largest = [codec.host(*row) for row in rows]
    counted = [
        Queue(host, connection.execute(_waiting, {**at, "host": host.id}).scalar_one())
        for host in largest
    ]
    return tuple(sorted(counted, key=lambda queue: -queue.waiting))


@cache
def _largest(window: int) -> sa.Select[Any]:
    """Of a job at very many hosts, of those that are next. The number stands in the text: for one
    that it does not know, PostgreSQL reads all of them."""
    some = (
        sa.select(lanes.c.host_id, lanes.c.known)
        .where(lanes.c.job_id == sa.bindparam("job"), lanes.c.ready_at.is_not(None))
        .order_by(lanes.c.ready_at)
        .limit(sa.literal_column(str(window)))
        .subquery()
    )
    return (
        sa.select(hosts.c.id, hosts.c.name, hosts.c.origin, hosts.c.paused, hosts.c.state)
        .join(some, some.c.host_id == hosts.c.id)
        .order_by(some.c.known.desc())
        .limit(_QUEUES)
    )


def _created_at(connection: Connection, job_id: int) -> float:
    query = sa.select(jobs.c.created_at).where(jobs.c.id == job_id)
    return connection.execute(query).scalar() or 0.0


def _adding(table: sa.Table, span: str) -> Bulk:
    names = ("job_id", span, *FIGURES)

    def upsert(connection: Connection) -> sa.Insert:
        insert = of_rows(connection, dialect_insert(connection, table), names)
        made: sa.Insert = insert.on_conflict_do_update(
            index_elements=["job_id", span],
            set_={name: table.c[name] + insert.excluded[name] for name in FIGURES},
        )
        return made

    return Bulk(names, upsert)


_add = _adding(stats, "minute")
_add_hours = _adding(stat_hours, "hour")
