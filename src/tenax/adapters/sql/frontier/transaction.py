"""One transaction on the ledger, as a value that everything done in it is given.

It carries the connection, the moment that counts as now, the policies, the totals that are written
at its end, and what it has locked and seen. Claims, releases and commits are functions of it, so
that several of them may be parts of one.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import locks
from tenax.adapters.sql.engine.bulk import Statement
from tenax.adapters.sql.frontier.tallies import StateTally
from tenax.adapters.sql.frontier.units import Units
from tenax.adapters.sql.schema.tables import assignments
from tenax.crawl.policy import LeasePolicy
from tenax.hosts import conduct
from tenax.hosts.pace import PacePolicy, PoliteTo, pace_at
from tenax.model import Host
from tenax.ports import Clock
from tenax.urls.sites import Sites

_held = Statement(
    ("host",),
    lambda _: sa.select(
        assignments.c.id,
        assignments.c.worker_id,
        assignments.c.slots,
        assignments.c.exclusive,
        assignments.c.expires_at,
    ).where(assignments.c.host_id == sa.bindparam("host")),
)


class Holder(NamedTuple):
    id: int
    worker_id: int
    slots: int
    exclusive: bool
    expires_at: float


class LedgerTransaction:
    """What it locks, others cannot change until it ends; what it has read of that stays true."""

    def __init__(
        self,
        connection: Connection,
        treatment: conduct.HostPolicies,
        leases: LeasePolicy,
        clock: Clock,
        expected: int = 1,
        sites: Sites | None = None,
    ) -> None:
        self.connection = connection
        self.treatment = treatment
        self.leases = leases
        self.sites = Sites() if sites is None else sites
        self.expected = expected
        """Workers that share the work even while they are not heard of yet."""
        self._clock = clock
        # Only now: others may have asked a host while we waited for the ledger to be ours.
        self.now = clock.now()
        self.tally = StateTally()
        self.units = Units(connection, treatment.pace.key)
        self._held: dict[int, list[Holder]] = {}
        self._locked: set[int] = set()
        self._locked_lanes: set[int] = set()
        self._covered: set[int] = set()
        """Assignments whose hosts are locked, as far as they are there."""

    @property
    def polite_to(self) -> PoliteTo:
        return self.treatment.pace.key

    def pace_at(self, host: Host) -> PacePolicy:
        """How fast a host may be asked, by the rules of its site."""
        return pace_at(self.treatment.pace, self.sites.of(host.name))

    def lock(self, host_ids: Collection[int]) -> None:
        """Nobody else changes these hosts, their leases or what is leased, until we are done."""
        new = set(host_ids) - self._locked
        if new and locks.are_needed(self.connection):
            locks.lock_hosts(self.connection, new)
            self.have_locked(new)

    def lock_assignments(
        self, assignment_ids: Collection[int], host_ids: Collection[int] = ()
    ) -> None:
        """The hosts of these assignments; those of them that are gone stay so. And these hosts, in
        one order with them."""
        new = set(assignment_ids) - self._covered
        if (new or host_ids) and locks.are_needed(self.connection):
            named = locks.hosts_of(self.connection, new) if new else ()
            self.lock({*named, *host_ids})
            self._covered |= new

    def lock_lanes(self, host_ids: Collection[int]) -> None:
        new = set(host_ids) - self._locked_lanes
        if new and locks.are_needed(self.connection):
            locks.lock_lanes(self.connection, new)
            self._locked_lanes |= new

    def try_lock(self, host_id: int) -> bool:
        """Whether the host is ours now: nobody else is changing it."""
        if host_id not in self._locked and not locks.try_host(self.connection, host_id):
            return False
        self.have_locked([host_id])
        return True

    def have_locked(self, host_ids: Collection[int]) -> None:
        """These are ours from now on: whoever had them until now may have asked them a moment
        ago."""
        self._locked |= set(host_ids)
        self.now = max(self.now, self._clock.now())
        self.changed_hands(host_ids)

    def look_at_holders(self, host_ids: Collection[int]) -> None:
        unknown = [id for id in host_ids if id not in self._held]
        found = _held.run_each(self.connection, [(id,) for id in unknown])
        for id, rows in zip(unknown, found, strict=True):
            self._held[id] = [Holder(*row) for row in rows]

    def holders(self, host_id: int) -> list[Holder]:
        """Asked for several times per claim, and changed only by this transaction."""
        self.look_at_holders([host_id])
        return self._held[host_id]

    def changed_hands(self, host_ids: Collection[int]) -> None:
        for host_id in host_ids:
            self._held.pop(host_id, None)

    def write_totals(self) -> None:
        """The last thing to do: everybody who works on a job waits for its totals."""
        self.tally.write(self.connection)
