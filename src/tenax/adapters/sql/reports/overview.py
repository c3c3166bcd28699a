"""Totals without a scan, and keyset pagination: every step looks at a bounded number of rows.

Lists go by the id of their rows, and each step looks at so many of them at most: a filter that fits
nearly none of a hundred million rows costs several short steps, never one long one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.frontier import tallies
from tenax.adapters.sql.records.pages import full_page, record
from tenax.adapters.sql.reports.stats import MINUTES
from tenax.adapters.sql.schema.tables import (
    assignments,
    attempts,
    hosts,
    jobs,
    lanes,
    pages,
    stats,
    targets,
    workers,
)
from tenax.model import JobState, State
from tenax.ports import Clock, Counts, JobProgress, PageRecord
from tenax.ports.overview import (
    DoneSums,
    HostSight,
    SeenAttempt,
    Sieve,
    UrlRecord,
    VisitRow,
    VisitSieve,
    WorkerRecord,
)

WINDOW = 5_000
"""Rows that one step looks at."""
MOST_LANES = 20_000
"""Hosts of jobs among which a page is looked for by its hash alone: each costs a look at an
index."""
_KEY = 12
"""Bytes of the hash that identify a URL in the ledger (`urls.normalise.url_key`)."""

_url = (
    sa.select(
        targets.c.id, targets.c.url, targets.c.state, targets.c.priority, targets.c.depth,
        targets.c.due_at, targets.c.attempts, targets.c.reason, hosts.c.origin,
        hosts.c.name.label("host"), jobs.c.name.label("job"),
    )
    .join(hosts, hosts.c.id == targets.c.host_id)
    .join(jobs, jobs.c.id == targets.c.job_id)
)  # fmt: skip
_known = (
    sa.select(sa.func.sum(lanes.c.known)).where(lanes.c.host_id == hosts.c.id).scalar_subquery()
)
_ready = (
    sa.select(sa.func.min(lanes.c.ready_at)).where(lanes.c.host_id == hosts.c.id).scalar_subquery()
)
_holders = (
    sa.select(sa.func.count(sa.distinct(assignments.c.worker_id)))
    .where(assignments.c.host_id == hosts.c.id)
    .scalar_subquery()
)
_host = sa.select(
    hosts,
    _known.label("known"),
    _ready.label("ready_at"),
    _holders.label("holders"),
)
_in_hand = (
    sa.select(sa.func.count(assignments.c.id))
    .where(assignments.c.worker_id == workers.c.id)
    .scalar_subquery()
)
_visit = sa.select(attempts.c.id, attempts.c.at, attempts.c.outcome, attempts.c.status)


_sums = [sa.func.sum(stats.c[name]) for name in ("visits", "pages", "failures", "bytes")]
_attempt = (
    sa.select(
        attempts, targets.c.url, hosts.c.origin, hosts.c.name.label("host"),
        jobs.c.name.label("job"),
    )
    .join(targets, targets.c.id == attempts.c.target_id)
    .join(hosts, hosts.c.id == targets.c.host_id)
    .join(jobs, jobs.c.id == targets.c.job_id)
)  # fmt: skip


class SqlOverview:
    def __init__(self, database: Transactions, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def totals(self) -> Counts:
        return await self._database.read(tallies.all_counts)

    async def lately(self) -> JobProgress:
        now = self._clock.now()
        since = int(now // 60) - MINUTES
        running = sa.select(jobs.c.id).where(jobs.c.state == JobState.RUNNING.value)
        figures = (stats.c.visits, stats.c.pages, stats.c.failures, stats.c.bytes)
        query = sa.select(
            sa.func.min(stats.c.minute), *(sa.func.sum(figure) for figure in figures)
        ).where(stats.c.job_id.in_(running), stats.c.minute >= since)

        def work(connection: Connection) -> JobProgress:
            first, *sums = connection.execute(query).one()
            if first is None:
                return JobProgress()
            visits, stored, failures, size = (int(each or 0) for each in sums)
            return JobProgress(max(now - first * 60.0, 1.0), visits, stored, failures, size)

        return await self._database.read(work)

    async def urls(
        self, sieve: Sieve, after: int, limit: int
    ) -> tuple[list[UrlRecord], int | None]:
        def work(connection: Connection) -> tuple[list[UrlRecord], int | None]:
            end = _end(connection, targets.c.id, after)
            query = _narrowed(_url, sieve, targets.c.id, after, end)
            if sieve.state is not None:
                query = query.where(targets.c.state == sieve.state.value)
            rows = connection.execute(query.order_by(targets.c.id).limit(limit)).all()
            return [_url_record(row) for row in rows], _next(rows, limit, "id", end)

        return await self._database.read(work)

    async def pages(
        self, sieve: Sieve, after: int, limit: int
    ) -> tuple[list[PageRecord], int | None]:
        id = pages.c.target_id

        def work(connection: Connection) -> tuple[list[PageRecord], int | None]:
            end = _end(connection, id, after)
            query = _narrowed(full_page, sieve, id, after, end)
            rows = connection.execute(query.order_by(id).limit(limit)).all()
            return [record(row) for row in rows], _next(rows, limit, "target_id", end)

        return await self._database.read(work)

    async def pages_at(self, url_hash: bytes, host: str | None) -> list[PageRecord] | None:
        # The ledger has no index of hashes, which every page stored would pay for: with the host
        # its index of identities answers, host by host.
        query = full_page.join(
            lanes, sa.and_(lanes.c.host_id == targets.c.host_id, lanes.c.job_id == targets.c.job_id)
        ).where(targets.c.key == url_hash[:_KEY], pages.c.url_hash == url_hash)
        if host is not None:
            query = query.where(hosts.c.name == host)
        some = sa.select(lanes.c.host_id).limit(MOST_LANES + 1).subquery()
        count = sa.select(sa.func.count()).select_from(some)

        def work(connection: Connection) -> list[PageRecord] | None:
            if host is None and connection.execute(count).scalar_one() > MOST_LANES:
                return None
            return [record(row) for row in connection.execute(query.order_by(targets.c.job_id))]

        return await self._database.read(work)

    async def hosts(self, after: str, limit: int) -> list[HostSight]:
        query = _host.where(hosts.c.name > after).order_by(hosts.c.name).limit(limit)
        return await self._database.read(lambda c: [_sight(row) for row in c.execute(query)])

    async def host(self, name: str) -> HostSight | None:
        query = _host.where(hosts.c.name == name)

        def work(connection: Connection) -> HostSight | None:
            row = connection.execute(query).first()
            return _sight(row) if row else None

        return await self._database.read(work)

    async def workers(self) -> list[WorkerRecord]:
        w = workers.c
        columns = (w.name, w.pid, w.started_at, w.seen_at, _in_hand, w.under_way)
        query = sa.select(*columns).order_by(w.id)
        return await self._database.read(lambda c: [_worker(row) for row in c.execute(query)])

    async def done_since(self, minute: int) -> DoneSums:
        query = sa.select(*_sums).where(stats.c.minute >= minute)
        return await self._database.read(lambda c: _done(c.execute(query).one()))

    async def done_by_step(self, job_id: int | None, since: int, step: int) -> dict[int, DoneSums]:
        number = (stats.c.minute // step).label("number")
        query = sa.select(number, *_sums).where(stats.c.minute >= since).group_by("number")
        if job_id is not None:
            query = query.where(stats.c.job_id == job_id)
        return await self._database.read(
            lambda c: {int(row[0]): _done(row[1:]) for row in c.execute(query)}
        )

    async def latest_visits(
        self, sieve: VisitSieve, before: int | None, limit: int
    ) -> tuple[list[SeenAttempt], int | None]:
        id = attempts.c.id
        window = sa.select(id.label("id")).order_by(id.desc()).limit(WINDOW)
        if before is not None:
            window = window.where(id < before)
        seen = window.subquery()
        span = sa.select(sa.func.count(), sa.func.min(seen.c.id))

        def work(connection: Connection) -> tuple[list[SeenAttempt], int | None]:
            count, first = connection.execute(span).one()
            if not count:
                return [], None
            query = _chosen(_attempt.where(id >= first), sieve)
            if before is not None:
                query = query.where(id < before)
            rows = connection.execute(query.order_by(id.desc()).limit(limit)).all()
            end = first if count == WINDOW else None
            return [_seen(row) for row in rows], rows[-1].id if len(rows) == limit else end

        return await self._database.read(work)

    async def visits(self, after: int | None, limit: int) -> list[VisitRow]:
        if after is None:
            query = _visit.order_by(attempts.c.id.desc()).limit(1)
        else:
            query = _visit.where(attempts.c.id > after).order_by(attempts.c.id).limit(limit)
        return await self._database.read(lambda c: [VisitRow(*row) for row in c.execute(query)])


def _chosen(query: sa.Select[Any], sieve: VisitSieve) -> sa.Select[Any]:
    for column, wanted in (
        (jobs.c.name, sieve.job),
        (hosts.c.name, sieve.host),
        (attempts.c.outcome, sieve.outcome),
        (attempts.c.status, sieve.status),
    ):
        if wanted is not None:
            query = query.where(column == wanted)
    return query


def _seen(row: sa.Row[Any]) -> SeenAttempt:
    return SeenAttempt(
        id=row.id,
        at=row.at,
        job=row.job,
        host=row.host,
        url=codec.full_url(row.url, row.origin),
        outcome=row.outcome,
        status=row.status,
        ms=row.total_ms,
        bytes=row.bytes,
        error=row.error or "",
    )


def _done(row: Sequence[Any]) -> DoneSums:
    return DoneSums(*(int(each or 0) for each in row))


def _end(connection: Connection, id: sa.Column[Any], after: int) -> int | None:
    """The last id that this step looks at; None when it reaches the end of the list."""
    window = sa.select(id.label("id")).where(id > after).order_by(id).limit(WINDOW).subquery()
    count, last = connection.execute(sa.select(sa.func.count(), sa.func.max(window.c.id))).one()
    return last if count == WINDOW else None


def _narrowed(
    query: sa.Select[Any], sieve: Sieve, id: sa.Column[Any], after: int, end: int | None
) -> sa.Select[Any]:
    query = query.where(id > after)
    if end is not None:
        query = query.where(id <= end)
    if sieve.job is not None:
        query = query.where(jobs.c.name == sieve.job)
    if sieve.host is not None:
        query = query.where(hosts.c.name == sieve.host)
    return query


def _next(rows: Sequence[sa.Row[Any]], limit: int, id: str, end: int | None) -> int | None:
    """Where to go on: behind the last row, or behind what was looked at in vain."""
    return int(getattr(rows[-1], id)) if len(rows) == limit else end


def _url_record(row: sa.Row[Any]) -> UrlRecord:
    return UrlRecord(
        id=row.id,
        job=row.job,
        host=row.host,
        url=codec.full_url(row.url, row.origin),
        state=State(row.state),
        priority=row.priority,
        depth=row.depth,
        due_at=row.due_at,
        attempts=row.attempts,
        reason=row.reason or "",
    )


def _sight(row: sa.Row[Any]) -> HostSight:
    host = codec.host(row.id, row.name, row.origin, row.paused, row.state)
    return HostSight(host, int(row.known or 0), row.ready_at, row.holders)


def _worker(row: Sequence[Any]) -> WorkerRecord:
    name, pid, started_at, seen_at, in_hand, told = row
    return WorkerRecord(name, pid, started_at, seen_at, in_hand, codec.under_way(told))
