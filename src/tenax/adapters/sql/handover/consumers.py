"""Queues of pages for consumers: read in order, deleted when confirmed, so at least once each.

A queue and not a place in a log: transactions of several workers end in any order, and who goes by
the highest number he has seen would pass over what comes late.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import locks
from tenax.adapters.sql.engine.bulk import in_groups
from tenax.adapters.sql.engine.dialects import insert_new
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.records.pages import full_page, record
from tenax.adapters.sql.schema.tables import consumers, handovers, pages
from tenax.ports import Clock
from tenax.ports.programs.handover import Handover, PageConsumer

_last_page = sa.select(sa.func.max(pages.c.target_id)).where(pages.c.job_id == sa.bindparam("job"))


class SqlHandovers:
    def __init__(self, database: Transactions, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def consumer(self, job_id: int, name: str) -> PageConsumer:
        now = self._clock.now()
        return await self._database.write(lambda c: _register(c, job_id, name, now))

    async def next(self, consumer: PageConsumer, limit: int = 50) -> list[Handover]:
        return await self._database.read(lambda c: _next(c, consumer, limit))

    async def confirm(self, consumer: PageConsumer, handed: Sequence[Handover]) -> None:
        if handed:
            now = self._clock.now()
            await self._database.write(lambda c: _confirm(c, consumer, handed, now))

    async def ahead(self, consumer: PageConsumer, most: int) -> int:
        return await self._database.read(lambda c: _ahead(c, consumer, most))


def _register(connection: Connection, job_id: int, name: str, now: float) -> PageConsumer:
    found = sa.select(consumers.c.id).where(consumers.c.job_id == job_id, consumers.c.name == name)
    id = connection.execute(found).scalar()
    if id is None:
        if locks.are_needed(connection):
            # Whoever is writing pages may not see him: they are waited for, their pages walked.
            connection.execute(sa.text("LOCK TABLE pages IN SHARE MODE"))
        last = connection.execute(_last_page, {"job": job_id}).scalar() or 0
        row = {"job_id": job_id, "name": name, "after": 0, "last": last, "seen_at": now}
        connection.execute(insert_new(connection, consumers), row)
        id = connection.execute(found).scalar_one()
    return PageConsumer(id, job_id, name)


def _walk(consumer: PageConsumer) -> sa.Select[Any]:
    """Pages that were there at first, without those in the queue: what has changed since."""
    is_queued = sa.exists().where(
        handovers.c.target_id == pages.c.target_id, handovers.c.consumer_id == consumer.id
    )
    return (
        sa.select(pages.c.target_id)
        .join(consumers, consumers.c.id == consumer.id)
        .where(
            pages.c.job_id == consumer.job_id,
            pages.c.target_id > consumers.c.after,
            pages.c.target_id <= consumers.c.last,
            ~is_queued,
        )
        .order_by(pages.c.target_id)
    )


def _next(connection: Connection, consumer: PageConsumer, limit: int) -> list[Handover]:
    ids = [id for (id,) in connection.execute(_walk(consumer).limit(limit))]
    if ids:
        wanted = [(0, id) for id in ids]
    else:
        queued = (
            sa.select(handovers.c.id, handovers.c.target_id)
            .where(handovers.c.consumer_id == consumer.id)
            .order_by(handovers.c.id)
            .limit(limit)
        )
        wanted = [(id, target_id) for id, target_id in connection.execute(queued)]
    asked = full_page.where(pages.c.target_id.in_([target_id for _, target_id in wanted]))
    there = {row.target_id: record(row) for row in connection.execute(asked)}
    return [Handover(ticket, target_id, there.get(target_id)) for ticket, target_id in wanted]


def _confirm(
    connection: Connection, consumer: PageConsumer, handed: Sequence[Handover], now: float
) -> None:
    for some in in_groups(sorted(each.ticket for each in handed if each.ticket)):
        connection.execute(sa.delete(handovers).where(handovers.c.id.in_(some)))
    walked = max((each.target_id for each in handed if not each.ticket), default=0)
    further = {"after": walked} if walked else {}
    connection.execute(
        sa.update(consumers).where(consumers.c.id == consumer.id).values(seen_at=now, **further)
    )


def _ahead(connection: Connection, consumer: PageConsumer, most: int) -> int:
    queued = sa.select(handovers.c.id).where(handovers.c.consumer_id == consumer.id).limit(most)
    count = 0
    for some in (queued, _walk(consumer).limit(most)):
        count += connection.execute(
            sa.select(sa.func.count()).select_from(some.subquery())
        ).scalar_one()
    return min(count, most)
