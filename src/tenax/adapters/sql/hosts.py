"""What do we know of a host? Its record, what waits there, and the robots.txt it last served."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql import codec
from tenax.adapters.sql.database import Database
from tenax.adapters.sql.schema import hosts, lanes, pages, robots, targets
from tenax.model import Host, RobotsRecord, State
from tenax.outcome import UNREACHABLE
from tenax.ports import Clock, HostRecord


class SqlHostBook:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def get(self, name: str) -> HostRecord | None:
        query = sa.select(hosts).where(hosts.c.name == name)

        def work(connection: Connection) -> HostRecord | None:
            row = connection.execute(query).first()
            return _record(connection, row) if row else None

        return await self._database.read(work)

    async def all(self, limit: int = 100, after: str = "") -> list[HostRecord]:
        query = sa.select(hosts).where(hosts.c.name > after).order_by(hosts.c.name).limit(limit)

        def work(connection: Connection) -> list[HostRecord]:
            return [_record(connection, row) for row in connection.execute(query).all()]

        return await self._database.read(work)

    async def is_reachable(self, job_id: int) -> bool:
        query = (
            sa.select(hosts.c.id, hosts.c.name, hosts.c.origin, hosts.c.paused, hosts.c.state)
            .join(lanes, lanes.c.host_id == hosts.c.id)
            .where(lanes.c.job_id == job_id)
        )

        def work(connection: Connection) -> bool:
            return any(_lets_us_connect(codec.host(*row)) for row in connection.execute(query))

        return await self._database.read(work)

    async def waiting(self, job_id: int, limit: int = 5) -> list[tuple[str, float, str]]:
        query = (
            sa.select(hosts, lanes.c.ready_at, robots.c.error, robots.c.expires_at)
            .join(lanes, lanes.c.host_id == hosts.c.id)
            .outerjoin(robots, robots.c.origin == hosts.c.origin)
            .where(lanes.c.job_id == job_id, lanes.c.ready_at > self._clock.now())
            .order_by(lanes.c.ready_at.desc())
            .limit(limit)
        )
        return await self._database.read(
            lambda c: [(row.name, row.ready_at, _why(row)) for row in c.execute(query)]
        )


class SqlRobotsStore:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, origin: str) -> RobotsRecord | None:
        query = sa.select(robots).where(robots.c.origin == origin)

        def work(connection: Connection) -> RobotsRecord | None:
            row = connection.execute(query).first()
            return RobotsRecord(**row._mapping) if row else None

        return await self._database.read(work)

    async def save(self, record: RobotsRecord) -> None:
        values = {name: getattr(record, name) for name in robots.c.keys()}  # noqa: SIM118 - not a dict

        def work(connection: Connection) -> None:
            connection.execute(sa.delete(robots).where(robots.c.origin == record.origin))
            connection.execute(sa.insert(robots).values(values))

        await self._database.write(work)


def _lets_us_connect(host: Host) -> bool:
    return bool(host.health.last_success_at) or host.health.last_fault not in UNREACHABLE


def _why(row: sa.Row[Any]) -> str:
    host = codec.host(row.id, row.name, row.origin, row.paused, row.state)
    if host.paused:
        return "paused"
    if row.error and host.pace.backoff_until == row.expires_at:
        return f"its robots.txt cannot be had ({row.error})"
    if host.pace.backoff_until >= row.ready_at:
        return "asked us to wait"
    if host.health.last_fault:
        return f"retry after {host.health.last_fault}"
    return "a retry is due then"


def _record(connection: Connection, row: sa.Row[Any]) -> HostRecord:
    lane = connection.execute(
        sa.select(sa.func.sum(lanes.c.known), sa.func.min(lanes.c.ready_at)).where(
            lanes.c.host_id == row.id
        )
    ).one()
    at_host = targets.c.host_id == row.id
    stored = connection.execute(
        sa.select(sa.func.count(pages.c.target_id))
        .join(targets, targets.c.id == pages.c.target_id)
        .where(at_host)
    ).scalar_one()
    leased = connection.execute(
        sa.select(sa.func.count(targets.c.id)).where(
            at_host, targets.c.state == State.LEASED.value, targets.c.lease_id.is_not(None)
        )
    ).scalar_one()
    return HostRecord(
        host=codec.host(row.id, row.name, row.origin, row.paused, row.state),
        ready_at=lane[1],
        known=lane[0] or 0,
        pages=stored,
        leased=leased,
    )
