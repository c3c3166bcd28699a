"""A rate limit that hosts share, by domain or address: one is held, the others queue (FR-5).

Hosts of one registrable domain, or of one server, may be asked as if they were one: then one of
them is held at a time, and the others wait in line. Nobody waits for a turn that never comes: a
host in line looks again by itself after a while.
"""

from __future__ import annotations

import sqlalchemy as sa
from msgspec.structs import replace
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.dialects import dialect_insert, insert_new
from tenax.adapters.sql.schema.tables import assignments, hosts, jobs, lanes, turns, units
from tenax.hosts.pace import PoliteTo
from tenax.model import Host, JobState
from tenax.urls.domains import registrable_domain
from tenax.urls.normalise import name_of

PATIENCE = 60.0
"""Seconds after which a host in line looks again by itself."""

_address = sa.select(hosts.c.unit).where(hosts.c.id == sa.bindparam("host"))
_next_at = sa.select(units.c.next_at).where(units.c.key == sa.bindparam("unit"))
_holders = sa.select(assignments.c.id, assignments.c.expires_at).where(
    assignments.c.unit == sa.bindparam("unit")
)
_is_wanted = sa.exists().where(
    lanes.c.host_id == turns.c.host_id,
    jobs.c.id == lanes.c.job_id,
    jobs.c.state == JobState.RUNNING.value,
)
_first = (
    sa.select(turns.c.host_id)
    .where(turns.c.unit == sa.bindparam("unit"), _is_wanted)
    .order_by(turns.c.id)
    .limit(1)
)


class Units:
    """One transaction's view of who shares with whom."""

    def __init__(self, connection: Connection, polite_to: PoliteTo) -> None:
        self._connection = connection
        self._polite_to = polite_to

    def of(self, host: Host) -> str | None:
        """Whom the host shares with; None when with nobody, or when that is not known yet."""
        match self._polite_to:
            case PoliteTo.HOST:
                return None
            case PoliteTo.DOMAIN:
                return registrable_domain(name_of(host.name))
            case PoliteTo.IP:
                known: str | None = self._connection.execute(_address, {"host": host.id}).scalar()
                return known

    def holders(self, unit: str) -> list[tuple[int, float]]:
        """Assignments of the unit's hosts, with when they expire."""
        return [(id, at) for id, at in self._connection.execute(_holders, {"unit": unit})]

    def opens_at(self, unit: str) -> float:
        """When any of its hosts may be asked."""
        return self._connection.execute(_next_at, {"unit": unit}).scalar() or 0.0

    def joined(self, host: Host, unit: str) -> Host:
        """The host, not to be asked before the unit may be."""
        next_at = self.opens_at(unit)
        if next_at <= host.pace.next_at:
            return host
        return replace(host, pace=replace(host.pace, next_at=next_at))

    def spend(self, unit: str, next_at: float) -> None:
        """One of its hosts was asked: none of them may be before `next_at`."""
        insert = dialect_insert(self._connection, units).values(key=unit, next_at=next_at)
        later = sa.case((units.c.next_at > next_at, units.c.next_at), else_=next_at)
        self._connection.execute(
            insert.on_conflict_do_update(index_elements=["key"], set_={"next_at": later})
        )

    def line_up(self, unit: str, host_id: int) -> None:
        self._connection.execute(
            insert_new(self._connection, turns), {"unit": unit, "host_id": host_id}
        )

    def leave_line(self, unit: str, host_id: int) -> None:
        self._connection.execute(
            sa.delete(turns).where(turns.c.unit == unit, turns.c.host_id == host_id)
        )

    def call_next(self, unit: str) -> int | None:
        """The host that has waited longest for a running job; it is in line no more."""
        host_id: int | None = self._connection.execute(_first, {"unit": unit}).scalar()
        if host_id is not None:
            self.leave_line(unit, host_id)
        return host_id

    def settle_at(self, host_id: int, address: str) -> None:
        """The host is served from this address."""
        self._connection.execute(sa.update(hosts).where(hosts.c.id == host_id).values(unit=address))
