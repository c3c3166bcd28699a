"""Totals without a scan, and what was done: every answer looks at a bounded number of rows.

Lists go by the id of their rows, and each step looks at so many of them at most: a filter that fits
nearly none of a hundred million rows costs several short steps, never one long one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec
from tenax.adapters.sql.engine.dialects import go_by_indexes
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.frontier import tallies
from tenax.adapters.sql.records import jobs as job_rows
from tenax.adapters.sql.records import rejections
from tenax.adapters.sql.records.pages import full_page, record
from tenax.adapters.sql.reports import (
    host_lists,
    page_lists,
    product_lists,
    record_lists,
    shape_lists,
    url_lists,
)
from tenax.adapters.sql.reports.stats import MINUTES
from tenax.adapters.sql.schema import tables as schema
from tenax.adapters.sql.schema.tables import (
    assignments,
    attempts,
    hosts,
    jobs,
    lanes,
    pages,
    targets,
    workers,
)
from tenax.adapters.sql.schema.watch_tables import FIGURES, stat_hours, stats
from tenax.model import Job, JobState, Reason, State
from tenax.ports import Clock, Counts, JobProgress, PageRecord, ShapeRecord
from tenax.ports.handled import RecordFilter, StoredRecord
from tenax.ports.overview import (
    ConservedSums,
    DoneSums,
    FoundStep,
    HeldHost,
    HostSieve,
    HostSight,
    HostSort,
    JobShape,
    JobSieve,
    SeenAttempt,
    ShapesAt,
    Sieve,
    TooMany,
    UrlRecord,
    VisitRow,
    VisitSieve,
    WorkerRecord,
)
from tenax.ports.products import ProductFilter, ProductRecord

WINDOW = 5_000
"""Visits that one step looks at."""
MOST_LANES = 20_000
"""Hosts of jobs among which a page is looked for by its hash alone: each costs a look at an
index."""
_KEY = 12
"""Bytes of the hash that identify a URL in the ledger (`urls.normalise.url_key`)."""

_in_hand = (
    sa.select(sa.func.count(assignments.c.id))
    .where(assignments.c.worker_id == workers.c.id)
    .scalar_subquery()
)
_visit = sa.select(attempts.c.id, attempts.c.at, attempts.c.outcome, attempts.c.status)
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

    async def running_totals(self) -> tuple[frozenset[int], Counts]:
        running = sa.select(jobs.c.id).where(jobs.c.state == JobState.RUNNING.value)

        def work(connection: Connection) -> tuple[frozenset[int], Counts]:
            ids = frozenset(connection.execute(running).scalars())
            return ids, tallies.sum_of(connection, ids)

        return await self._database.read(work)

    async def resting_totals(self, running: frozenset[int]) -> Counts:
        return await self._database.read(lambda c: tallies.sum_without(c, running))

    async def job_states(self) -> dict[JobState, int]:
        query = sa.select(jobs.c.state, sa.func.count()).group_by(jobs.c.state)
        return await self._database.read(
            lambda c: {JobState(state): count for state, count in c.execute(query)}
        )

    async def jobs(self, sieve: JobSieve, after: int, limit: int) -> tuple[list[Job], int | None]:
        return await self._database.read(
            partial(job_rows.some, sieve=sieve, after=after, limit=limit)
        )

    async def urls(
        self, sieve: Sieve, after: int, limit: int
    ) -> tuple[list[UrlRecord], int | None]:
        return await self._database.read(
            partial(url_lists.find, sieve=sieve, after=after, limit=limit)
        )

    async def pages(
        self, sieve: Sieve, after: int, limit: int
    ) -> tuple[list[PageRecord], int | None]:
        return await self._database.read(
            partial(page_lists.find, sieve=sieve, after=after, limit=limit)
        )

    async def products(
        self, wanted: ProductFilter, after: int, limit: int
    ) -> tuple[list[ProductRecord], int | None]:
        return await self._database.read(
            partial(product_lists.find, wanted=wanted, after=after, limit=limit)
        )

    async def records(
        self, wanted: RecordFilter, after: int, limit: int
    ) -> tuple[list[StoredRecord], int | None]:
        return await self._database.read(
            partial(record_lists.find, wanted=wanted, after=after, limit=limit)
        )

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

    async def hosts(
        self, sieve: HostSieve, after: str, limit: int
    ) -> tuple[list[HostSight], str | None]:
        return await self._database.read(
            partial(host_lists.by_name, sieve=sieve, after=after, limit=limit)
        )

    async def largest_hosts(
        self, sieve: HostSieve, by: HostSort, skip: int, limit: int
    ) -> list[HostSight] | TooMany:
        return await self._database.read(
            partial(host_lists.largest, sieve=sieve, by=by, skip=skip, limit=limit)
        )

    async def host(self, name: str) -> HostSight | None:
        return await self._database.read(partial(host_lists.one, name=name))

    async def workers(self, held: int = 0) -> list[WorkerRecord]:
        query = sa.select(workers, _in_hand.label("in_hand")).order_by(workers.c.id)
        hands = (
            sa.select(hosts.c.name, assignments.c.expires_at, assignments.c.slots)
            .join(hosts, hosts.c.id == assignments.c.host_id)
            .where(assignments.c.worker_id == sa.bindparam("worker"))
            .order_by(assignments.c.expires_at.desc(), assignments.c.id)
            .limit(held)
        )

        def work(connection: Connection) -> list[WorkerRecord]:
            found = []
            for row in connection.execute(query).all():
                in_hand = connection.execute(hands, {"worker": row.id}) if held else ()
                found.append(_worker(row, tuple(HeldHost(*each) for each in in_hand)))
            return found

        return await self._database.read(work)

    async def conserved(self) -> ConservedSums:
        states = [state.value for state in State]
        totals = schema.tallies.c
        known = sa.select(sa.func.sum(totals.count)).where(totals.name.in_(states))

        def work(connection: Connection) -> ConservedSums:
            by_hosts = connection.execute(sa.select(sa.func.sum(lanes.c.known))).scalar()
            return ConservedSums(int(connection.execute(known).scalar() or 0), int(by_hosts or 0))

        return await self._database.read(work)

    async def way_to(self, target_id: int, most: int) -> list[FoundStep]:
        return await self._database.read(partial(url_lists.way_to, target_id=target_id, most=most))

    async def rejected(
        self, job_id: int, reason: Reason, before: int | None, limit: int
    ) -> list[tuple[int, str, float]]:
        return await self._database.read(
            partial(rejections.examples, job_id=job_id, reason=reason, before=before, limit=limit)
        )

    async def shapes(self, job_id: int, limit: int) -> list[JobShape]:
        return await self._database.read(partial(shape_lists.of_job, job_id=job_id, limit=limit))

    async def fruitless(self, host: str, limit: int = 5) -> list[ShapeRecord]:
        return await self._database.read(partial(shape_lists.fruitless, host=host, limit=limit))

    async def shapes_at(self, host_id: int, job_id: int | None) -> tuple[list[ShapesAt], bool]:
        return await self._database.read(
            partial(shape_lists.at_host, host_id=host_id, job_id=job_id)
        )

    async def done_since(self, minute: int) -> DoneSums:
        query = sa.select(*_sums(stats)).where(stats.c.minute >= minute)
        return await self._database.read(lambda c: _done(c.execute(query).one()))

    async def done_by_step(self, job_id: int | None, since: int, step: int) -> dict[int, DoneSums]:
        return await self._done_by(stats, stats.c.minute, job_id, since, step)

    async def done_by_hours(self, job_id: int | None, since: int, step: int) -> dict[int, DoneSums]:
        return await self._done_by(stat_hours, stat_hours.c.hour, job_id, since, step)

    async def _done_by(
        self, table: sa.Table, span: sa.Column[int], job_id: int | None, since: int, step: int
    ) -> dict[int, DoneSums]:
        number = (span // step).label("number")
        query = sa.select(number, *_sums(table)).where(span >= since).group_by("number")
        if job_id is not None:
            query = query.where(table.c.job_id == job_id)
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
            go_by_indexes(connection)
            count, first = connection.execute(span).one()
            if not count:
                return [], None
            query = _chosen(_attempt.where(id >= first), sieve)
            if before is not None:
                query = query.where(id < before)
            rows = connection.execute(query.order_by(id.desc()).limit(limit)).all()
            end = first if count == WINDOW else None
            ids = {row.target_id for row in rows}
            titled = sa.select(pages.c.target_id, pages.c.title).where(pages.c.target_id.in_(ids))
            titles = {row.target_id: row.title for row in connection.execute(titled)}
            found = [_seen(row, titles.get(row.target_id)) for row in rows]
            return found, rows[-1].id if len(rows) == limit else end

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


def _seen(row: sa.Row[Any], title: str | None) -> SeenAttempt:
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
        title=title or "",
    )


def _done(row: Sequence[Any]) -> DoneSums:
    return DoneSums(*(int(each or 0) for each in row))


def _sums(table: sa.Table) -> list[sa.ColumnElement[Any]]:
    return [sa.func.sum(table.c[name]) for name in FIGURES]


def _worker(row: sa.Row[Any], held: tuple[HeldHost, ...]) -> WorkerRecord:
    return WorkerRecord(
        name=row.name,
        pid=row.pid,
        started_at=row.started_at,
        seen_at=row.seen_at,
        hosts=row.in_hand,
        under_way=codec.under_way(row.under_way),
        machine=row.machine or "",
        role=row.role or "",
        version=row.version or "",
        held=held,
    )
