"""Host records, what waits at each, and the ledger's cache of robots.txt.

And what does a person do to it? Pause, resume, reset: written at once, noticed by every worker.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import sqlalchemy as sa
from msgspec.structs import replace
from sqlalchemy.engine import Connection

from tenax.adapters.sql.cookies import jars
from tenax.adapters.sql.engine import codec
from tenax.adapters.sql.engine.bulk import Statement
from tenax.adapters.sql.engine.dialects import insert_new
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.frontier import holding
from tenax.adapters.sql.frontier.transaction import LedgerTransaction
from tenax.adapters.sql.records import host_log
from tenax.adapters.sql.schema.tables import (
    assignments,
    hosts,
    is_listing,
    jobs,
    lanes,
    pages,
    robots,
    targets,
)
from tenax.crawl.policy import LeasePolicy
from tenax.hosts import conduct
from tenax.hosts.changes import incidents, is_troubled
from tenax.hosts.standing import Word, standing
from tenax.model import CookieNames, Host, Incident, IncidentKind, RobotsRecord, Role, State
from tenax.outcome import NEVER, UNREACHABLE, RequestStart
from tenax.ports import Clock, HostRecord, ListingCount, NotNow
from tenax.urls.sites import Sites

_host = (hosts.c.id, hosts.c.name, hosts.c.origin, hosts.c.paused, hosts.c.state)


_MOST_TROUBLED = 20_000
"""Hosts in trouble among which paused ones are looked for: others are not told of."""
_idle = ~sa.exists().where(assignments.c.host_id == lanes.c.host_id)
_waiting = (
    sa.select(hosts, lanes.c.ready_at, robots.c.error)
    .join(lanes, lanes.c.host_id == hosts.c.id)
    .outerjoin(robots, robots.c.origin == hosts.c.origin)
    .where(
        lanes.c.job_id == sa.bindparam("job"),
        lanes.c.ready_at > sa.bindparam("now"),
        # Not those that have nothing but what waits for a browser, or is deferred: no time brings
        # that.
        lanes.c.ready_at < NEVER,
        _idle,
    )
    .order_by(lanes.c.ready_at.desc())
    .limit(sa.bindparam("most"))
)
# As the index has it, or SQLite would not see that it answers this.
_troubled = (
    sa.select(hosts.c.id, hosts.c.name, hosts.c.paused)
    .where(hosts.c.troubled == sa.true())
    .order_by(hosts.c.name)
    .limit(sa.bindparam("window"))
    .subquery()
)
_waiting_paused = (
    sa.select(_troubled.c.name)
    .join(lanes, lanes.c.host_id == _troubled.c.id)
    .where(
        _troubled.c.paused,
        lanes.c.job_id == sa.bindparam("job"),
        sa.exists().where(
            targets.c.host_id == lanes.c.host_id,
            targets.c.job_id == lanes.c.job_id,
            targets.c.state == sa.text("'pending'"),
        ),
        _idle,
    )
    .order_by(_troubled.c.name)
    .limit(sa.bindparam("most"))
)

_looked_at = Statement(
    ("host", "job"),
    lambda _: sa.select(lanes.c.looked_at).where(
        lanes.c.host_id == sa.bindparam("host"), lanes.c.job_id == sa.bindparam("job")
    ),
)
_ROBOTS = tuple(column.name for column in robots.c)
_its_robots = robots.c.origin == sa.bindparam("of")
_robots_of = Statement(("of",), lambda _: sa.select(robots).where(_its_robots))
_forget_robots = Statement(("of",), lambda _: sa.delete(robots).where(_its_robots))
_keep_robots = Statement(
    _ROBOTS, lambda _: sa.insert(robots).values({name: sa.bindparam(name) for name in _ROBOTS})
)


class SqlHostBook:
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

    async def looked_at(self, job_id: int, host_id: int) -> float | None:
        rows = await self._database.read(
            lambda connection: _looked_at.run(connection, host_id, job_id)
        )
        return rows[0][0] if rows else None

    async def is_of(self, host_id: int, job_id: int) -> bool:
        lane = sa.select(lanes.c.job_id).where(lanes.c.host_id == host_id, lanes.c.job_id == job_id)
        return await self._database.read(lambda c: c.execute(lane).first() is not None)

    async def listings(self, name: str) -> list[ListingCount]:
        taken = sa.func.count(targets.c.id)
        query = (
            sa.select(jobs.c.name, targets.c.role, taken)
            .join(hosts, hosts.c.id == targets.c.host_id)
            .join(jobs, jobs.c.id == targets.c.job_id)
            .where(hosts.c.name == name, is_listing)
            .group_by(jobs.c.name, targets.c.role)
            .order_by(taken.desc(), jobs.c.name, targets.c.role)
        )

        def work(connection: Connection) -> list[ListingCount]:
            rows = connection.execute(query)
            return [ListingCount(job, Role(role), known) for job, role, known in rows]

        return await self._database.read(work)

    async def is_reachable(self, job_id: int) -> bool:
        query = (
            sa.select(*_host)
            .join(lanes, lanes.c.host_id == hosts.c.id)
            .where(lanes.c.job_id == job_id)
        )

        def work(connection: Connection) -> bool:
            return any(_lets_us_connect(codec.host(*row)) for row in connection.execute(query))

        return await self._database.read(work)

    async def waiting(self, job_id: int, limit: int = 5) -> list[tuple[str, float, str]]:
        now = self._clock.now()

        def work(connection: Connection) -> list[tuple[str, float, str]]:
            rows = connection.execute(_waiting, {"job": job_id, "now": now, "most": limit}).all()
            found = [(row.name, float(row.ready_at), self._why(row, now)) for row in rows]
            if len(found) == limit:
                return found
            asked = {"job": job_id, "most": limit - len(found), "window": _MOST_TROUBLED}
            paused = connection.execute(_waiting_paused, asked).scalars()
            return found + [(name, math.inf, "paused") for name in paused]

        return await self._database.read(work)

    def _why(self, row: sa.Row[Any], now: float) -> str:
        host = codec.host(row.id, row.name, row.origin, row.paused, row.state)
        opening = conduct.opens_at(host, self._treatment)
        if opening.at < row.ready_at:
            fault = host.health.last_fault
            return f"a retry after {fault}" if fault else "a retry is due then"
        stands = standing(host, now, self._treatment)
        if stands.until is None:
            return "its next turn"
        because = row.error if stands.word is Word.ROBOTS else stands.because
        return f"{stands.says} ({because})" if because else stands.says

    async def note(self, host_id: int, incident: Incident) -> None:
        await self._database.write(partial(host_log.write_incidents, told={host_id: (incident,)}))

    async def pause(self, name: str) -> bool:
        return await self._change(
            name, lambda tx, host: replace(host, paused=True), IncidentKind.PAUSED
        )

    async def resume(self, name: str) -> bool:
        return await self._change(
            name, lambda tx, host: replace(host, paused=False), IncidentKind.RESUMED
        )

    async def reset(self, name: str) -> bool:
        return await self._change(name, _reset, IncidentKind.RESET)

    async def requests(self, host_id: int, since: float) -> list[RequestStart]:
        return await self._database.read(
            partial(host_log.requests_of, host_id=host_id, since=since)
        )

    async def cookies(self, host_id: int) -> list[CookieNames]:
        return await self._database.read(partial(jars.names_at, host_id=host_id))

    async def incidents(self, host_id: int, limit: int = 100) -> list[Incident]:
        return await self._database.read(
            partial(host_log.incidents_of, host_id=host_id, limit=limit)
        )

    async def spend_turn(
        self, name: str, origin: str, patience: float, crawl_delay: float | None = None
    ) -> float | NotNow:
        def work(connection: Connection) -> float | NotNow:
            known = sa.select(hosts.c.id).where(hosts.c.name == name)
            id = connection.execute(known).scalar()
            if id is None:
                new = {"name": name, "origin": origin, "state": "{}"}
                connection.execute(insert_new(connection, hosts), new)
                id = connection.execute(known).scalar_one()
            tx = self._transaction(connection)
            tx.lock([id])
            return holding.spend_turn(tx, id, patience, crawl_delay)

        return await self._database.write(work)

    async def view(self, name: str) -> Host | None:
        query = sa.select(*_host).where(hosts.c.name == name)

        def work(connection: Connection) -> Host | None:
            row = connection.execute(query).first()
            return codec.host(*row) if row else None

        return await self._database.read(work)

    async def heed(self, seen: Host) -> None:
        def heeding(tx: LedgerTransaction, host: Host) -> Host:
            return replace(conduct.heed(host, seen, tx.treatment), habit=seen.habit)

        await self._change(seen.name, heeding)

    def _transaction(self, connection: Connection) -> LedgerTransaction:
        return LedgerTransaction(
            connection, self._treatment, self._leases, self._clock, sites=self._sites
        )

    async def _change(
        self,
        name: str,
        change: Callable[[LedgerTransaction, Host], Host],
        done: IncidentKind | None = None,
    ) -> bool:
        """`done` is what a person did to it."""

        def work(connection: Connection) -> bool:
            id = connection.execute(sa.select(hosts.c.id).where(hosts.c.name == name)).scalar()
            if id is None:
                return False
            # Read now that it is ours: what others wrote while we waited comes before.
            tx = self._transaction(connection)
            tx.lock([id])
            before = holding.load_host(tx, id)
            host = change(tx, before)
            connection.execute(
                sa.update(hosts)
                .where(hosts.c.id == host.id)
                .values(
                    paused=host.paused,
                    state=codec.host_state(host),
                    troubled=is_troubled(host),
                )
            )
            told = incidents(before, host, tx.now, tx.treatment)
            if done is not None:
                told.append(Incident(tx.now, done, "by a person"))
            host_log.write_incidents(connection, {id: told})
            holding.refresh(tx, host)
            return True

        return await self._database.write(work)


class SqlRobotsStore:
    def __init__(self, database: Transactions) -> None:
        self._database = database

    async def load(self, origin: str) -> RobotsRecord | None:
        rows = await self._database.read(lambda connection: _robots_of.run(connection, origin))
        return RobotsRecord(**dict(zip(_ROBOTS, rows[0], strict=True))) if rows else None

    async def save(self, record: RobotsRecord) -> None:
        values = [getattr(record, name) for name in _ROBOTS]

        def work(connection: Connection) -> None:
            _forget_robots.run(connection, record.origin)
            _keep_robots.run(connection, *values)

        await self._database.write(work)


def _lets_us_connect(host: Host) -> bool:
    return bool(host.health.last_success_at) or host.health.last_fault not in UNREACHABLE


def _reset(tx: LedgerTransaction, host: Host) -> Host:
    """Also for what its record made wait: targets told to come back, and its robots.txt."""
    closed_until = conduct.opens_at(replace(host, paused=False), tx.treatment).at
    tx.connection.execute(
        sa.update(targets)
        .where(
            targets.c.host_id == host.id,
            targets.c.state == sa.text("'pending'"),
            targets.c.due_at > tx.now,
            targets.c.due_at <= closed_until,
        )
        .values(due_at=0)
    )
    tx.connection.execute(
        sa.update(robots)
        .where(robots.c.origin.in_((f"http://{host.name}", f"https://{host.name}")))
        .where(robots.c.error != "", robots.c.expires_at > tx.now)
        .values(expires_at=tx.now)
    )
    return conduct.reset(host, tx.now)


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
        ready_at=lane[1] if lane[1] is not None and lane[1] < NEVER else None,
        known=int(lane[0] or 0),
        pages=stored,
        leased=leased,
    )
