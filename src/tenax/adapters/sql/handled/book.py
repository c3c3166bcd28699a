"""Queries over records of the user's own, by index: what they are, what they were, how handlers
do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec, locks
from tenax.adapters.sql.engine.bulk import in_groups
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.schema.tables import (
    handler_failures,
    handler_rates,
    hosts,
    jobs,
    pages,
    record_history,
    records,
    targets,
)
from tenax.model.record import AsTold
from tenax.ports import Clock
from tenax.ports.handled import (
    HandledSighting,
    HandlerFailure,
    HandlerRate,
    RecordFilter,
    RecordState,
    StoredRecord,
)

_decode = msgspec.json.decode
_joined = (
    records.join(jobs, jobs.c.id == records.c.job_id)
    .join(hosts, hosts.c.id == records.c.host_id)
    .join(targets, targets.c.id == records.c.target_id)
)
_record = sa.select(
    records, jobs.c.name.label("job"), hosts.c.origin, targets.c.url.label("url")
).select_from(_joined)

_version = sa.select(
    records.c.id, records.c.digest, records.c.target_id, records.c.changed_at
).where(records.c.gone_at.is_(None))


class SqlOwnRecords:
    def __init__(self, database: Transactions, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def find(
        self, wanted: RecordFilter, after: int = 0, limit: int = 100
    ) -> list[StoredRecord]:
        query = find_query(wanted, after, limit)
        return await self._database.read(lambda c: [stored(row) for row in c.execute(query)])

    async def get(self, ids: Sequence[int]) -> list[StoredRecord]:
        query = _record.where(records.c.id.in_(ids)).order_by(records.c.id)
        return await self._database.read(lambda c: [stored(row) for row in c.execute(query)])

    async def versions(self, after: int, limit: int) -> list[tuple[int, str]]:
        query = _version.where(records.c.id > after).order_by(records.c.id).limit(limit)
        return await self._database.read(lambda c: [_versioned(row) for row in c.execute(query)])

    async def versions_of(self, ids: Sequence[int]) -> list[tuple[int, str]]:
        query = _version.where(records.c.id.in_(ids))
        return await self._database.read(lambda c: [_versioned(row) for row in c.execute(query)])

    async def count(self, wanted: RecordFilter) -> int:
        query = _narrowed(sa.select(sa.func.count(records.c.id)).select_from(_joined), wanted)
        return await self._database.read(lambda c: int(c.execute(query).scalar_one()))

    async def names(self, job: str | None = None) -> dict[str, int]:
        query = sa.select(records.c.name, sa.func.count()).group_by(records.c.name)
        query = query.order_by(records.c.name)
        if job is not None:
            query = query.join(jobs, jobs.c.id == records.c.job_id).where(jobs.c.name == job)
        return await self._database.read(lambda c: {row[0]: row[1] for row in c.execute(query)})

    async def history(self, record_id: int) -> list[RecordState]:
        of = record_history.c
        query = sa.select(of.at, of.version, of.data).where(of.record_id == record_id)
        query = query.order_by(of.at)
        return await self._database.read(
            lambda c: [
                RecordState(at, version, None if data is None else AsTold(_decode(data)))
                for at, version, data in c.execute(query)
            ]
        )

    async def rates(self, since_day: int = 0, job: str | None = None) -> list[HandlerRate]:
        of = handler_rates.c
        query = (
            sa.select(
                jobs.c.name, of.handler, of.version, of.day, of.pages, of.records, of.failures
            )
            .join(jobs, jobs.c.id == of.job_id)
            .where(of.day >= since_day)
            .order_by(jobs.c.name, of.handler, of.version, of.day)
        )
        if job is not None:
            query = query.where(jobs.c.name == job)
        return await self._database.read(lambda c: [HandlerRate(*row) for row in c.execute(query)])

    async def failures(self, job: str | None = None) -> list[HandlerFailure]:
        of = handler_failures.c
        query = (
            sa.select(jobs.c.name, of.handler, of.version, of.at, of.url, of.error)
            .join(jobs, jobs.c.id == of.job_id)
            .order_by(jobs.c.name, of.handler)
        )
        if job is not None:
            query = query.where(jobs.c.name == job)
        return await self._database.read(
            lambda c: [HandlerFailure(*row) for row in c.execute(query)]
        )

    async def note(self, seen: Sequence[HandledSighting]) -> int:
        if not seen:
            return 0
        from tenax.adapters.sql.handled.notes import note  # who only looks has no need

        def work(connection: Connection) -> int:
            ids = [sighting.target_id for sighting in seen]
            locks.lock_hosts_of_targets(connection, ids)
            stored = _digests(connection, ids)
            still = [s for s in seen if not s.digest or stored.get(s.target_id) == s.digest]
            return len(note(connection, still, (), self._clock.now()).changes)

        return await self._database.write(work)


def _versioned(row: Any) -> tuple[int, str]:
    """All that a search could tell, in one short text."""
    return row.id, f"{bytes(row.digest).hex()} {row.target_id} {row.changed_at}"


def find_query(
    wanted: RecordFilter, after: int, limit: int, end: int | None = None
) -> sa.Select[Any]:
    """Behind one id, and not behind `end`: then in the order of ids, whatever is asked for."""
    id: sa.ColumnElement[int] = records.c.id
    query = _narrowed(_record, wanted)
    if end is not None:
        return query.where(id > after, id <= end).order_by(id).limit(limit)
    if wanted.changed_since is not None or wanted.targets is not None:
        # By the index of that: in the order of ids all rows would be looked at for a few.
        id = records.c.id + 0
    return query.where(id > after).order_by(id).limit(limit)


def _digests(connection: Connection, ids: Sequence[int]) -> dict[int, bytes]:
    query = sa.select(pages.c.target_id, pages.c.digest)
    return {
        id: bytes(digest or b"")
        for some in in_groups(ids)
        for id, digest in connection.execute(query.where(pages.c.target_id.in_(some)))
    }


def _narrowed(query: sa.Select[Any], wanted: RecordFilter) -> sa.Select[Any]:
    c = records.c
    if wanted.name is not None:
        query = query.where(c.name == wanted.name)
    if wanted.job is not None:
        query = query.where(jobs.c.name == wanted.job)
    if wanted.host is not None:
        query = query.where(hosts.c.name == wanted.host)
    if wanted.targets is not None:
        query = query.where(c.target_id.in_(wanted.targets))
    if wanted.handler is not None:
        query = query.where(c.handler == wanted.handler)
    if wanted.key is not None:
        query = query.where(c.key == wanted.key)
    if wanted.status is not None:
        is_gone = c.gone_at.is_not(None)
        query = query.where(is_gone if wanted.status == "gone" else c.gone_at.is_(None))
    if wanted.text:
        query = query.where(c.data.icontains(wanted.text, autoescape=True))
    if wanted.changed_since is not None:
        query = query.where(c.changed_at >= wanted.changed_since)
    return query


def stored(row: sa.Row[Any]) -> StoredRecord:
    return StoredRecord(
        id=row.id,
        name=row.name,
        key=row.key,
        data=AsTold(_decode(row.data)),
        url=codec.full_url(row.url, row.origin),
        job=row.job,
        handler=row.handler,
        version=row.version,
        status="there" if row.gone_at is None else "gone",
        first_seen_at=row.first_seen_at,
        last_seen_at=row.last_seen_at,
        changed_at=row.changed_at,
    )
