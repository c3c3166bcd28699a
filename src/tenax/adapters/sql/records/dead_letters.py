"""The dead letter queue: targets given up, listed, put back to pending or purged, in chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import sqlalchemy as sa
from msgspec.structs import replace
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.frontier import holding
from tenax.adapters.sql.frontier.transaction import LedgerTransaction
from tenax.adapters.sql.recrawl.requeue import renew
from tenax.adapters.sql.schema.tables import dead_letters, hosts, jobs, lanes, targets
from tenax.crawl.policy import LeasePolicy
from tenax.hosts import conduct
from tenax.model import JobState, State
from tenax.ports import Clock, DeadLetter, Letters
from tenax.urls.sites import Sites

CHUNK = 250
"""Letters changed by one transaction, at most: a crawl under way has to write in between."""

_BEFORE_ALL = (-1.0, 0)
_Rows = Sequence[sa.Row[Any]]
_place = sa.tuple_(dead_letters.c.at, dead_letters.c.target_id)
_letter = (
    sa.select(dead_letters, targets.c.url, targets.c.reason, hosts.c.origin,
              hosts.c.name.label("host"), jobs.c.name.label("job"))
    .join(targets, targets.c.id == dead_letters.c.target_id)
    .join(hosts, hosts.c.id == dead_letters.c.host_id)
    .join(jobs, jobs.c.id == dead_letters.c.job_id)
)  # fmt: skip


class SqlDeadLetters:
    def __init__(
        self,
        database: Transactions,
        clock: Clock,
        treatment: conduct.HostPolicies,
        leases: LeasePolicy,
        sites: Sites | None = None,
    ) -> None:
        self._sites = sites
        self._database = database
        self._clock = clock
        self._treatment = treatment
        self._leases = leases

    async def find(
        self, which: Letters, after: tuple[float, int] | None = None, limit: int = 100
    ) -> list[DeadLetter]:
        newest = (dead_letters.c.at.desc(), dead_letters.c.target_id.desc())
        query = _letter.where(*_conditions(which)).order_by(*newest).limit(limit)
        if after is not None:
            query = query.where(_place < after)
        return await self._database.read(lambda c: [_read(row) for row in c.execute(query)])

    async def counts(self, which: Letters) -> dict[str, int]:
        count = sa.func.count()
        query = sa.select(dead_letters.c.fault, count).where(*_conditions(which))
        if which.contains:
            query = query.join(targets, targets.c.id == dead_letters.c.target_id)
            query = query.join(hosts, hosts.c.id == dead_letters.c.host_id)
        query = query.group_by(dead_letters.c.fault).order_by(count.desc(), dead_letters.c.fault)
        return await self._database.read(lambda c: dict(c.execute(query).all()))

    async def count(self, most: int) -> int:
        some = sa.select(dead_letters.c.target_id).limit(most).subquery()
        query = sa.select(sa.func.count()).select_from(some)
        return await self._database.read(lambda c: c.execute(query).scalar_one())

    async def give_back(self, which: Letters) -> dict[str, int]:
        return await self._by_chunks(which, self._give_back)

    async def purge(self, which: Letters) -> dict[str, int]:
        return await self._by_chunks(which, _forget)

    async def _by_chunks(
        self, which: Letters, change: Callable[[Connection, _Rows], None]
    ) -> dict[str, int]:
        """Change all that meet it now; letters written meanwhile are left for the next time."""
        oldest = (dead_letters.c.at, dead_letters.c.target_id)
        known = dead_letters.c.at <= self._clock.now()
        changed: Counter[str] = Counter()
        for part in _parts(which):
            query = _letter.where(known, *_conditions(part)).order_by(*oldest).limit(CHUNK)
            after: tuple[float, int] | None = _BEFORE_ALL
            while after:
                step = partial(_step, query.where(_place > after), change)
                rows = await self._database.write(step)
                changed.update(row.job for row in rows)
                after = (rows[-1].at, rows[-1].target_id) if len(rows) == CHUNK else None
        return dict(changed)

    def _give_back(self, connection: Connection, rows: _Rows) -> None:
        tx = LedgerTransaction(
            connection, self._treatment, self._leases, self._clock, sites=self._sites
        )
        ids = [row.target_id for row in rows]
        tx.lock({row.host_id for row in rows})
        returned = connection.execute(
            sa.update(targets)
            .where(targets.c.id.in_(ids), targets.c.state == State.FAILED.value)
            .values(
                state=State.PENDING.value,
                rare=None,
                due_at=0,
                attempts=0,
                reason=sa.null(),
                outcome=sa.null(),
                cause=sa.null(),
            )
            .returning(targets.c.id, targets.c.job_id)
        ).all()
        for job_id, count in Counter(job_id for _, job_id in returned).items():
            tx.tally.move(job_id, State.FAILED, State.PENDING, count)
        renew(tx, [id for id, _ in returned])
        _forget(connection, rows)
        connection.execute(
            sa.update(jobs)
            .where(jobs.c.id.in_({row.job_id for row in rows}))
            .where(jobs.c.state == JobState.DONE.value)
            .values(state=JobState.STOPPED.value, ended_at=sa.null())
        )
        holding.refresh(tx, *holding.load_hosts(tx, _not_ready(connection, rows, tx.now)))
        tx.write_totals()


def _parts(which: Letters) -> Iterator[Letters]:
    """The same in portions that one statement can name."""
    if which.ids is None:
        yield which
        return
    for start in range(0, len(which.ids), CHUNK):
        yield replace(which, ids=which.ids[start : start + CHUNK])


def _step(
    query: sa.Select[Any], change: Callable[[Connection, _Rows], None], connection: Connection
) -> _Rows:
    rows = connection.execute(query).all()
    if rows:
        change(connection, rows)
    return rows


def _forget(connection: Connection, rows: _Rows) -> None:
    ids = [row.target_id for row in rows]
    connection.execute(sa.delete(dead_letters).where(dead_letters.c.target_id.in_(ids)))


def _not_ready(connection: Connection, rows: _Rows, now: float) -> set[int]:
    """Hosts that claims would pass by: of many letters of one host only the first has to care."""
    ready = connection.execute(
        sa.select(lanes.c.host_id, lanes.c.job_id).where(
            lanes.c.host_id.in_({row.host_id for row in rows}), lanes.c.ready_at <= now
        )
    )
    found = {(host_id, job_id) for host_id, job_id in ready}
    return {row.host_id for row in rows if (row.host_id, row.job_id) not in found}


def _conditions(which: Letters) -> Iterator[sa.ColumnElement[bool]]:
    if which.job is not None:
        named = sa.select(jobs.c.id).where(jobs.c.name == which.job)
        yield dead_letters.c.job_id == named.scalar_subquery()
    if which.host is not None:
        named = sa.select(hosts.c.id).where(hosts.c.name == which.host)
        yield dead_letters.c.host_id == named.scalar_subquery()
    if which.fault is not None:
        yield dead_letters.c.fault == which.fault
    if which.ids is not None:
        yield dead_letters.c.target_id.in_(which.ids)
    if which.contains:
        looked_at = (targets.c.reason, hosts.c.origin + targets.c.url)
        yield sa.or_(*(text.icontains(which.contains, autoescape=True) for text in looked_at))


def _read(row: sa.Row[Any]) -> DeadLetter:
    return DeadLetter(
        target_id=row.target_id,
        job=row.job,
        url=codec.full_url(row.url, row.origin),
        host=row.host,
        at=row.at,
        fault=row.fault,
        reason=row.reason or "",
        attempts=row.attempts,
        detail=row.detail or "",
    )
