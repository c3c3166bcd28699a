"""Alerts: one row for each trouble, and a lease for whoever looks for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.schema.tables import alerts
from tenax.ports import Clock
from tenax.ports.checks import AlertRecord

_LEASE = "*"
_NEWS = 86_400.0
"""Seconds for which it is told that something is over."""
_MOST = 1_000
_KEPT = 90 * 86_400.0
"""Seconds for which it is known what was wrong."""
_real = sa.select(alerts).where(alerts.c.what != _LEASE)


class SqlAlerts:
    def __init__(self, database: Transactions, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def hold(self, holder: str, seconds: float) -> bool:
        lease = alerts.c.what == _LEASE

        def work(connection: Connection) -> bool:
            # Only here: it may be long since we asked, and the lease of a dead one over by now.
            now = self._clock.now()
            free = sa.or_(alerts.c.about == holder, alerts.c.since < now)
            taken = sa.update(alerts).where(lease, free).values(about=holder, since=now + seconds)
            if connection.execute(taken).rowcount:
                return True
            if connection.execute(sa.select(alerts.c.id).where(lease).limit(1)).first():
                return False
            first = {
                "what": _LEASE, "about": holder, "told": "", "value": 0.0, "since": now + seconds,
                "cleared_at": 0.0,
            }  # fmt: skip
            connection.execute(sa.insert(alerts).values(first))
            return True

        return await self._database.write(work)

    async def open(self) -> list[AlertRecord]:
        return await self._found(_real.where(alerts.c.cleared_at.is_(None)))

    async def write(
        self, new: Sequence[AlertRecord], changed: Sequence[AlertRecord], over: Sequence[int]
    ) -> None:
        old = sa.delete(alerts).where(
            alerts.c.what != _LEASE, alerts.c.cleared_at < self._clock.now() - _KEPT
        )

        def work(connection: Connection) -> None:
            connection.execute(old)
            for record in new:
                connection.execute(sa.insert(alerts).values(_row(record)))
            for record in changed:
                at = alerts.c.id == record.id
                values = _row(record)
                # Others silence it meanwhile, and are told of it.
                del values["silent_until"], values["heard"]
                connection.execute(sa.update(alerts).where(at).values(values))
            if over:
                connection.execute(sa.delete(alerts).where(alerts.c.id.in_(over)))

        await self._database.write(work)

    async def raise_once(self, record: AlertRecord, since: float) -> bool:
        one_at_a_time = sa.update(alerts).where(alerts.c.what == _LEASE)
        like_it = sa.select(alerts.c.id).where(
            alerts.c.what == record.what,
            alerts.c.about == record.about,
            sa.or_(alerts.c.raised_at >= since, alerts.c.cleared_at.is_(None)),
        )

        def work(connection: Connection) -> bool:
            connection.execute(one_at_a_time.values(about=alerts.c.about))
            if connection.execute(like_it.limit(1)).first():
                return False
            connection.execute(sa.insert(alerts).values(_row(record)))
            return True

        return await self._database.write(work)

    async def untold(self, sinks: Sequence[str]) -> list[AlertRecord]:
        news = self._clock.now() - _NEWS
        query = _real.where(
            alerts.c.raised_at.is_not(None),
            sa.or_(alerts.c.cleared_at.is_(None), alerts.c.cleared_at > news),
        )
        wanted = {f"raised:{sink}" for sink in sinks}
        ended = {f"cleared:{sink}" for sink in sinks}
        return [
            record
            for record in await self._found(query.order_by(alerts.c.id).limit(_MOST))
            if (wanted - record.heard if record.cleared_at is None else ended - record.heard)
        ]

    async def heard(self, id: int, what: str) -> None:
        more = sa.func.trim(alerts.c.heard + sa.literal(f" {what}"))
        await self._database.write(
            lambda c: c.execute(sa.update(alerts).where(alerts.c.id == id).values(heard=more))
        )

    async def silence(self, id: int, until: float) -> bool:
        quiet = sa.update(alerts).where(alerts.c.id == id, alerts.c.raised_at.is_not(None))
        return bool(
            await self._database.write(
                lambda c: c.execute(quiet.values(silent_until=until)).rowcount
            )
        )

    async def latest(self, before: int | None, most: int, open_only: bool) -> list[AlertRecord]:
        query = _real.where(alerts.c.raised_at.is_not(None))
        if open_only:
            query = query.where(alerts.c.cleared_at.is_(None))
        if before is not None:
            query = query.where(alerts.c.id < before)
        return await self._found(query.order_by(alerts.c.id.desc()).limit(most))

    async def _found(self, query: sa.Select[Any]) -> list[AlertRecord]:
        return await self._database.read(lambda c: [_record(row) for row in c.execute(query)])


def _row(record: AlertRecord) -> dict[str, Any]:
    return {
        "what": record.what, "about": record.about, "told": record.told, "value": record.value,
        "since": record.since, "raised_at": record.raised_at, "cleared_at": record.cleared_at,
        "silent_until": record.silent_until, "heard": " ".join(sorted(record.heard)),
    }  # fmt: skip


def _record(row: Any) -> AlertRecord:
    return AlertRecord(
        row.id, row.what, row.about, row.told, row.value, row.since, row.raised_at,
        row.cleared_at, row.silent_until, frozenset(row.heard.split()),
    )  # fmt: skip
