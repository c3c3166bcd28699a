"""Who holds a lease, and its end: release or expiry, and when each lane of the host has work again.

One transaction's view: what it locks others cannot change until it ends.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

import sqlalchemy as sa
from msgspec.structs import replace
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec, locks
from tenax.adapters.sql.engine.bulk import Bulk, Statement
from tenax.adapters.sql.frontier import due
from tenax.adapters.sql.frontier.tallies import StateTally
from tenax.adapters.sql.frontier.units import PATIENCE, Units
from tenax.adapters.sql.schema.tables import assignments, hosts, lanes, targets
from tenax.crawl.policy import LeasePolicy
from tenax.hosts import conduct
from tenax.hosts.conduct import HostEntry
from tenax.hosts.pace import delay_of, interrupted
from tenax.model import Host, State
from tenax.ports import Clock

_host = Statement(
    ("host",),
    lambda _: sa.select(
        hosts.c.id, hosts.c.name, hosts.c.origin, hosts.c.paused, hosts.c.state
    ).where(hosts.c.id == sa.bindparam("host")),
)
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
_lanes_of = Statement(
    ("host",),
    lambda _: sa.select(lanes.c.job_id).where(lanes.c.host_id == sa.bindparam("host")),
)
_any_ready = sa.select(lanes.c.job_id).where(
    lanes.c.host_id == sa.bindparam("host"), lanes.c.ready_at <= sa.bindparam("at")
)
_set_ready = Bulk(
    ("ready", "host", "job"),
    lambda _: (
        sa.update(lanes)
        .where(lanes.c.host_id == sa.bindparam("host"), lanes.c.job_id == sa.bindparam("job"))
        .values(ready_at=sa.bindparam("ready"))
    ),
)
_hold_all = Bulk(
    ("ready", "host"),
    lambda _: (
        sa.update(lanes)
        .where(lanes.c.host_id == sa.bindparam("host"))
        .values(ready_at=sa.bindparam("ready"))
    ),
)
_drop = Statement(
    ("assignment", "until"),
    lambda _: (
        sa.delete(assignments)
        .where(
            assignments.c.id == sa.bindparam("assignment"),
            assignments.c.expires_at <= sa.bindparam("until"),
        )
        .returning(assignments.c.id, assignments.c.host_id, assignments.c.unit)
    ),
)
_give_back = Statement(
    ("lease",),
    lambda _: (
        sa.update(targets)
        .where(targets.c.lease_id == sa.bindparam("lease"))
        .values(state=sa.text(f"'{State.PENDING}'"), lease_id=sa.null())
        .returning(targets.c.job_id)
    ),
)


class LeaseHolder(NamedTuple):
    id: int
    worker_id: int
    slots: int
    exclusive: bool
    expires_at: float


class Holding:
    """One transaction's view of who holds what."""

    def __init__(
        self,
        connection: Connection,
        treatment: conduct.HostPolicies,
        leases: LeasePolicy,
        clock: Clock,
    ) -> None:
        self.connection = connection
        self.treatment = treatment
        self.pace = treatment.pace
        self.leases = leases
        self._clock = clock
        # Only now: others may have asked a host while we waited for the ledger to be ours.
        self.now = clock.now()
        self.tally = StateTally()
        self.units = Units(connection, treatment.pace.key)
        self._held: dict[int, list[LeaseHolder]] = {}
        self._locked: set[int] = set()
        self._locked_lanes: set[int] = set()
        self._covered: set[int] = set()
        """Assignments whose hosts are locked, as far as they are there."""

    def lock(self, host_ids: Collection[int]) -> None:
        """Nobody else changes these hosts, their leases or what is leased, until we are done."""
        new = set(host_ids) - self._locked
        if new and locks.are_needed(self.connection):
            locks.lock_hosts(self.connection, new)
            self._are_ours(new)

    def lock_assignments(self, assignment_ids: Collection[int]) -> None:
        """The hosts of these assignments; those of them that are gone stay so."""
        new = set(assignment_ids) - self._covered
        if new and locks.are_needed(self.connection):
            self.lock(locks.hosts_of(self.connection, new))
            self._covered |= new

    def lock_lanes(self, host_ids: Collection[int]) -> None:
        new = set(host_ids) - self._locked_lanes
        if new and locks.are_needed(self.connection):
            locks.lock_lanes(self.connection, new)
            self._locked_lanes |= new

    def _are_ours(self, host_ids: Collection[int]) -> None:
        """From now on: whoever had them until now may have asked them a moment ago."""
        self._locked |= set(host_ids)
        self.now = max(self.now, self._clock.now())
        for host_id in host_ids:
            self._held.pop(host_id, None)

    def release(
        self, assignment_ids: Iterable[int], *, vanished: bool = False, expired: bool = False
    ) -> int:
        """Give hosts back; targets not settled return to pending. How many those were.

        Of those `expired`, only what still is: its holder may have renewed it meanwhile.
        """
        ids = sorted(assignment_ids)
        if not ids:
            return 0
        self.lock_assignments(ids)
        locks.lock_assignments(self.connection, ids)
        until = self.now if expired else math.inf
        dropped = _drop.run_all(self.connection, [(id, until) for id in ids])
        if not dropped:
            return 0
        returned = self._give_back([id for id, _, _ in dropped])
        for _, host_id, _ in dropped:
            self._held.pop(host_id, None)
        freed = {host.id: host for host in self.hosts({host_id for _, host_id, _ in dropped})}
        if vanished:
            for host in freed.values():
                pace = interrupted(host.pace, self.now, self.pace)
                freed[host.id] = replace(host, pace=pace)
                self.save(freed[host.id])
        self.refresh(*freed.values())
        for unit, host_id in sorted((unit, host_id) for _, host_id, unit in dropped if unit):
            locks.lock_unit(self.connection, unit)
            self.units.spend(unit, freed[host_id].pace.next_at)
            self._pass_on(unit, freed[host_id])
        return returned

    def host(self, host_id: int) -> Host:
        (row,) = _host.run(self.connection, host_id)
        return codec.host(*row)

    def hosts(self, host_ids: Collection[int]) -> list[Host]:
        rows = _host.run_each(self.connection, [(id,) for id in sorted(host_ids)])
        return [codec.host(*row) for (row,) in rows]

    def save(self, host: Host) -> None:
        self.connection.execute(
            sa.update(hosts).where(hosts.c.id == host.id).values(state=codec.host_state(host))
        )

    def refresh(self, *freed: Host) -> None:
        """Work out anew when each job may have these hosts."""
        if not freed:
            return
        ids = [host.id for host in freed]
        self.lock_lanes(ids)
        self.look_at_holders(ids)
        pairs = [
            (host, job_id)
            for host, jobs in zip(freed, self.lanes_of(ids), strict=True)
            for job_id in jobs
        ]
        earliest = due.earliest_each(
            self.connection, [(host.id, job_id) for host, job_id in pairs], self.now
        )
        ready = [
            (self._ready_at(host, at), host.id, job_id)
            for (host, job_id), at in zip(pairs, earliest, strict=True)
        ]
        _set_ready.run(self.connection, ready)

    def _ready_at(self, host: Host, earliest: float | None) -> float | None:
        if host.paused:
            return None
        if earliest is not None:
            return max(self._opens(host), earliest)
        return min((row.expires_at for row in self.holders(host.id)), default=None)

    def lanes_of(self, host_ids: Collection[int]) -> list[list[int]]:
        """The jobs that have a lane at each of these hosts."""
        found = _lanes_of.run_each(self.connection, [(id,) for id in host_ids])
        return [[job_id for (job_id,) in rows] for rows in found]

    def hold(self, until: float, host_ids: Collection[int]) -> None:
        """Nothing of these hosts is handed out before."""
        _hold_all.run(self.connection, [(until, host_id) for host_id in host_ids])

    def look_at_holders(self, host_ids: Collection[int]) -> None:
        unknown = [id for id in host_ids if id not in self._held]
        found = _held.run_each(self.connection, [(id,) for id in unknown])
        for id, rows in zip(unknown, found, strict=True):
            self._held[id] = [LeaseHolder(*row) for row in rows]

    def holders(self, host_id: int) -> list[LeaseHolder]:
        """Asked for several times per claim, and changed only by this transaction."""
        self.look_at_holders([host_id])
        return self._held[host_id]

    def changed_hands(self, host_ids: Collection[int]) -> None:
        for host_id in host_ids:
            self._held.pop(host_id, None)

    def live_holders(self, unit: str) -> list[tuple[int, float]]:
        """Who holds a host of this unit; what has expired is taken back first."""
        holders = self.units.holders(unit)
        gone = [id for id, expires_at in holders if expires_at <= self.now]
        if not gone:
            return holders
        self.release(gone, vanished=True, expired=True)
        return self.units.holders(unit)

    def line_up(self, unit: str, host_id: int) -> None:
        self.units.line_up(unit, host_id)
        self.hold(self.now + PATIENCE, [host_id])

    def _pass_on(self, unit: str, host: Host) -> None:
        """The first in line that has work is next; this host then goes to the end of the line."""
        opens = max(self.now, self.units.opens_at(unit))
        while (called := self.units.call_next(unit)) is not None:
            if called != host.id and self._is_called(called, unit, opens):
                break
        if called is not None and self._is_ready(host.id, opens):
            self.line_up(unit, host.id)

    def _is_called(self, host_id: int, unit: str, opens: float) -> bool:
        if host_id not in self._locked and not locks.try_host(self.connection, host_id):
            # Somebody is changing it: whoever claims it next finds out what it has to do.
            self.hold(self.now, [host_id])
            return True
        self._are_ours([host_id])
        self.refresh(self.units.joined(self.host(host_id), unit))
        return self._is_ready(host_id, opens)

    def _is_ready(self, host_id: int, at: float) -> bool:
        return self.connection.execute(_any_ready, {"host": host_id, "at": at}).first() is not None

    def goes_alone(self, host: Host) -> bool:
        """Whether one visit has to come back before anybody else may set out: the first one
        learns what robots.txt says, and those to a host that may be back, whether it is."""
        if host.visits == 0:
            return True
        return conduct.stance(host, self.now, self.treatment).entry is not HostEntry.OPEN

    def free_slots(
        self, host: Host, exclusive: bool, sharers: int, worker_id: int | None = None
    ) -> int:
        """How many slots this worker may have; by None, how many anybody could have."""
        holders = self.holders(host.id)
        if exclusive:
            return 0 if holders else 1
        if any(row.exclusive for row in holders):
            return 0
        free = self.pace.slots_unpaced - sum(int(row.slots) for row in holders)
        # What it holds already counts, or the first to come would take the others' shares too.
        mine = sum(int(row.slots) for row in holders if row.worker_id == worker_id)
        return max(0, min(self.share(sharers) - mine, free))

    def share(self, sharers: int) -> int:
        return math.ceil(self.pace.slots_unpaced / max(1, sharers))

    def _opens(self, host: Host) -> float:
        """When the host may be handed out, if everybody who holds it stays silent."""
        live = [float(row.expires_at) for row in self.holders(host.id)]
        opens = conduct.opens_at(host, self.treatment).at
        exclusive = delay_of(host.pace, self.pace) > 0 or self.goes_alone(host)
        if live and not self.free_slots(host, exclusive, 1):
            return max(min(live), opens)
        return opens

    def _give_back(self, assignment_ids: list[int]) -> int:
        rows = _give_back.run_all(self.connection, [(id,) for id in assignment_ids])
        for job_id, count in Counter(job_id for (job_id,) in rows).items():
            self.tally.move(job_id, State.LEASED, State.PENDING, count)
        return len(rows)
