"""Who works on what? Claims, refills and releases of hosts, each as part of one transaction.

Work is found by `lanes.ready_at`, then by priority inside the host. A paced host belongs to one
worker at a time; a host without any delay is shared out in slots.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql import codec, due
from tenax.adapters.sql.bulk import Bulk, Statement
from tenax.adapters.sql.schema import (
    assignments,
    hosts,
    jobs,
    lanes,
    tallies,
    targets,
    workers,
)
from tenax.adapters.sql.tallies import PAGES, RENEWING, Tally
from tenax.adapters.sql.units import PATIENCE, Units
from tenax.crawl.schedule import LeasePolicy
from tenax.hosts import conduct
from tenax.hosts.conduct import Entry
from tenax.hosts.pace import PoliteTo, delay_of, interrupted
from tenax.model import Assignment, Host, JobState, LeasedTarget, State
from tenax.ports import Refill

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
_lease_targets = Bulk(
    ("lease", "target"),
    lambda _: (
        sa.update(targets)
        .where(targets.c.id == sa.bindparam("target"))
        .values(state=sa.text(f"'{State.LEASED}'"), lease_id=sa.bindparam("lease"))
    ),
)
_lanes_of = Statement(
    ("host",),
    lambda _: sa.select(lanes.c.job_id).where(lanes.c.host_id == sa.bindparam("host")),
)
_any_ready = sa.select(lanes.c.job_id).where(
    lanes.c.host_id == sa.bindparam("host"), lanes.c.ready_at <= sa.bindparam("at")
)
_set_ready = Statement(
    ("ready", "host", "job"),
    lambda _: (
        sa.update(lanes)
        .where(lanes.c.host_id == sa.bindparam("host"), lanes.c.job_id == sa.bindparam("job"))
        .values(ready_at=sa.bindparam("ready"))
    ),
)
_hold_all = Statement(
    ("ready", "host"),
    lambda _: (
        sa.update(lanes)
        .where(lanes.c.host_id == sa.bindparam("host"))
        .values(ready_at=sa.bindparam("ready"))
    ),
)
_TAKEN = ("host_id", "worker_id", "slots", "exclusive", "unit", "expires_at")
_take = Statement(
    _TAKEN,
    lambda _: (
        sa.insert(assignments)
        .values({name: sa.bindparam(name) for name in _TAKEN})
        .returning(assignments.c.id)
    ),
)
_drop = Statement(
    ("assignment",),
    lambda _: (
        sa.delete(assignments)
        .where(assignments.c.id == sa.bindparam("assignment"))
        .returning(assignments.c.host_id, assignments.c.unit)
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

_heard = sa.select(sa.func.count(workers.c.id)).where(workers.c.seen_at > sa.bindparam("since"))

_SHARE_OF_ROOM = 32


class _Holder(NamedTuple):
    id: int
    worker_id: int
    slots: int
    exclusive: bool
    expires_at: float


class Claims:
    """One transaction's view of who holds what."""

    def __init__(
        self, connection: Connection, treatment: conduct.Policies, leases: LeasePolicy, now: float
    ) -> None:
        self.connection = connection
        self.treatment = treatment
        self.pace = treatment.pace
        self.leases = leases
        self.now = now
        self.tally = Tally()
        self.units = Units(connection, treatment.pace.key)
        self._held: dict[int, list[_Holder]] = {}
        self._renewing: set[int] = set()
        """Jobs with a page limit that have pages to visit again."""

    def claim(self, worker_id: int, job_ids: Sequence[int], most: int) -> list[Assignment]:
        rooms = self._rooms(job_ids)
        sharers = self._sharers()
        made = []
        for host_id in self._ready_hosts(rooms, most):
            made += self._assign(worker_id, host_id, rooms, max(1, sharers))
        self.tally.write(self.connection)
        return made

    def refill(self, held: Assignment, job_ids: Sequence[int], want: int, using: int) -> Refill:
        """Extend a held assignment of an unpaced host, and settle how it is shared out."""
        mine = self.connection.execute(
            sa.select(assignments.c.worker_id).where(assignments.c.id == held.id)
        ).scalar()
        if mine is None:
            return Refill((), 0, held=False)
        host = self.host(held.host.id)
        if conduct.stance(host, self.now, self.treatment).entry is not Entry.OPEN:
            return Refill((), held.slots, host=host)
        sharers = self._sharers()
        others = [row for row in self._holders(held.host.id) if row.id != held.id]
        taken = sum(row.slots for row in others)
        slots = max(1, min(self._share(sharers), self.pace.slots_unpaced - taken))
        # Others may only take what this holder has really stopped using.
        self.connection.execute(
            sa.update(assignments)
            .where(assignments.c.id == held.id)
            .values(slots=max(slots, using), expires_at=self.now + self.leases.seconds)
        )
        self._held.pop(held.host.id, None)
        picked = self._pick(host, self._rooms(job_ids), want)
        self._lease(picked, held.id)
        if slots < held.slots:
            self.refresh(held.host)
        self.tally.write(self.connection)
        return Refill(tuple(picked), slots)

    def release(self, assignment_ids: Iterable[int], *, vanished: bool = False) -> int:
        """Give hosts back; targets not settled return to pending. How many those were."""
        returned = 0
        for assignment_id in assignment_ids:
            dropped = _drop.run(self.connection, assignment_id)
            if not dropped:
                continue
            ((host_id, unit),) = dropped
            self._held.pop(host_id, None)
            returned += self._give_back(assignment_id)
            host = self.host(host_id)
            if vanished:
                host = replace(host, pace=interrupted(host.pace, self.now, self.pace))
                self.save(host)
            self.refresh(host)
            if unit is not None:
                self.units.spend(unit, host.pace.next_at)
                self._pass_on(unit, host)
        return returned

    def join(self, held: Assignment, address: str) -> Host | None:
        """The host of a held assignment is served from this address: as it may be asked now, or
        None when another host from there is being asked."""
        self.units.settle_at(held.host.id, address)
        host = self.host(held.host.id)
        if self.pace.key is not PoliteTo.IP or delay_of(host.pace, self.pace) <= 0:
            return host
        others = [id for id, _ in self._live_holders(address) if id != held.id]
        if others:
            return None
        self.connection.execute(
            sa.update(assignments).where(assignments.c.id == held.id).values(unit=address)
        )
        return self.units.joined(host, address)

    def host(self, host_id: int) -> Host:
        (row,) = _host.run(self.connection, host_id)
        return codec.host(*row)

    def save(self, host: Host) -> None:
        self.connection.execute(
            sa.update(hosts).where(hosts.c.id == host.id).values(state=codec.host_state(host))
        )

    def refresh(self, host: Host) -> None:
        """Work out anew when each job may have this host."""
        live = [row.expires_at for row in self._holders(host.id)]
        opens = self._opens(host)
        for (job_id,) in _lanes_of.run(self.connection, host.id):
            earliest = due.earliest(self.connection, host.id, job_id, self.now)
            ready: float | None
            if host.paused:
                ready = None
            elif earliest is not None:
                ready = max(opens, earliest)
            else:
                ready = min(live, default=None)
            _set_ready.run(self.connection, ready, host.id, job_id)

    def _rooms(self, job_ids: Sequence[int]) -> dict[int, float]:
        """How many more pages each running job may still ask for."""
        rows = self.connection.execute(
            sa.select(jobs.c.id, jobs.c.spec).where(
                jobs.c.id.in_(job_ids), jobs.c.state == JobState.RUNNING.value
            )
        ).all()
        specs = {id: codec.spec(text) for id, text in rows}
        # In the order they were asked for: whoever comes first is served first.
        return {id: self._room(id, specs[id].max_pages) for id in job_ids if id in specs}

    def _room(self, job_id: int, max_pages: int | None) -> float:
        """A page visited again needs none: it is replaced, or stays."""
        if max_pages is None:
            return math.inf
        names = (PAGES, RENEWING, State.LEASED.value)
        rows = self.connection.execute(
            sa.select(tallies.c.name, tallies.c.count).where(
                tallies.c.job_id == job_id, tallies.c.name.in_(names)
            )
        )
        used = {name: int(count) for name, count in rows}
        if used.pop(RENEWING, 0):
            self._renewing.add(job_id)
        return max_pages - sum(used.values())

    def _ready_hosts(self, rooms: dict[int, float], most: int) -> list[int]:
        """Hosts with due work, the jobs taking turns."""
        queues = []
        for job_id, room in rooms.items():
            queue: list[int] = []
            if room <= 0 and job_id in self._renewing:
                # Hosts with new targets alone have nothing for us, and could be very many.
                queue += due.ready_renewals(self.connection, job_id, self.now, most)
            queue += due.ready_hosts(self.connection, job_id, self.now, most)
            queues.append(list(dict.fromkeys(queue)))
        turns = [queue[i] for i in range(most) for queue in queues if i < len(queue)]
        return list(dict.fromkeys(turns))[:most]

    def _assign(
        self, worker_id: int, host_id: int, rooms: dict[int, float], sharers: int
    ) -> list[Assignment]:
        self._expire(host_id)
        host = self.host(host_id)
        delay = delay_of(host.pace, self.pace)
        unit = self.units.of(host) if delay > 0 else None
        if unit is not None:
            if self._live_holders(unit):
                self._line_up(unit, host_id)
                return []
            host = self.units.joined(host, unit)
        alone = self._goes_alone(host)
        slots = self._free_slots(host, delay > 0 or alone, sharers, worker_id)
        size = 1 if alone else self.leases.size(delay, slots)
        picked: list[LeasedTarget] = []
        if slots and conduct.opens_at(host, self.treatment).at <= self.now:
            picked = self._pick(host, rooms, size)
        if not picked:
            self.refresh(host)
            if unit is not None:
                self._pass_on(unit, host)
            return []
        exclusive = delay > 0 or alone
        expires_at = self.now + self.leases.seconds
        ((assignment_id,),) = _take.run(
            self.connection, host_id, worker_id, slots, exclusive, unit, expires_at
        )
        self._held.pop(host_id, None)
        if unit is not None:
            self.units.leave_line(unit, host_id)
        self._lease(picked, assignment_id)
        for target in picked:
            rooms[target.job_id] -= 1
        if exclusive:
            _hold_all.run(self.connection, expires_at, host_id)
        else:
            self.refresh(host)
        is_all = len(picked) < size
        return [
            Assignment(assignment_id, host, tuple(picked), slots, expires_at, unit or "", is_all)
        ]

    def _live_holders(self, unit: str) -> list[tuple[int, float]]:
        """Who holds a host of this unit; what has expired is taken back first."""
        holders = self.units.holders(unit)
        gone = [id for id, expires_at in holders if expires_at <= self.now]
        if gone:
            self.release(gone, vanished=True)
        return [(id, expires_at) for id, expires_at in holders if id not in gone]

    def _line_up(self, unit: str, host_id: int) -> None:
        self.units.line_up(unit, host_id)
        _hold_all.run(self.connection, self.now + PATIENCE, host_id)

    def _pass_on(self, unit: str, host: Host) -> None:
        """The first in line that has work is next; this host then goes to the end of the line."""
        opens = max(self.now, self.units.opens_at(unit))
        while (called := self.units.call_next(unit)) is not None:
            if called != host.id:
                self.refresh(self.units.joined(self.host(called), unit))
                if self._is_ready(called, opens):
                    break
        if called is not None and self._is_ready(host.id, opens):
            self._line_up(unit, host.id)

    def _is_ready(self, host_id: int, at: float) -> bool:
        return self.connection.execute(_any_ready, {"host": host_id, "at": at}).first() is not None

    def _expire(self, host_id: int) -> None:
        gone = [row.id for row in self._holders(host_id) if row.expires_at <= self.now]
        if gone:
            self.release(gone, vanished=True)

    def _holders(self, host_id: int) -> list[_Holder]:
        """Asked for several times per claim, and changed only by this transaction."""
        if host_id not in self._held:
            self._held[host_id] = [_Holder(*row) for row in _held.run(self.connection, host_id)]
        return self._held[host_id]

    def _goes_alone(self, host: Host) -> bool:
        """Whether one visit has to come back before anybody else may set out: the first one
        learns what robots.txt says, and those to a host that may be back, whether it is."""
        if host.visits == 0:
            return True
        return conduct.stance(host, self.now, self.treatment).entry is not Entry.OPEN

    def _free_slots(
        self, host: Host, exclusive: bool, sharers: int, worker_id: int | None = None
    ) -> int:
        """How many slots this worker may have; by None, how many anybody could have."""
        holders = self._holders(host.id)
        if exclusive:
            return 0 if holders else 1
        if any(row.exclusive for row in holders):
            return 0
        free = self.pace.slots_unpaced - sum(int(row.slots) for row in holders)
        # What it holds already counts, or the first to come would take the others' shares too.
        mine = sum(int(row.slots) for row in holders if row.worker_id == worker_id)
        return max(0, min(self._share(sharers) - mine, free))

    def _sharers(self) -> int:
        """The workers whose heartbeat is heard."""
        since = {"since": self.now - self.leases.silence}
        return int(self.connection.execute(_heard, since).scalar_one())

    def _share(self, sharers: int) -> int:
        return math.ceil(self.pace.slots_unpaced / max(1, sharers))

    def _opens(self, host: Host) -> float:
        """When the host may be handed out, if everybody who holds it stays silent."""
        live = [float(row.expires_at) for row in self._holders(host.id)]
        opens = conduct.opens_at(host, self.treatment).at
        exclusive = delay_of(host.pace, self.pace) > 0 or self._goes_alone(host)
        if live and not self._free_slots(host, exclusive, 1):
            return max(min(live), opens)
        return opens

    def _pick(self, host: Host, rooms: dict[int, float], size: int) -> list[LeasedTarget]:
        """The most urgent due targets of the host, the jobs sharing alike."""
        queues, rounds = [], size
        for (job_id,) in _lanes_of.run(self.connection, host.id):
            if job_id in rooms:
                share = _share_of(rooms[job_id], size)
                rows = self._due_targets(host.id, job_id, share, size)
                queues.append([codec.leased(row, host.origin) for row in rows])
                if 0 < share == len(rows) < size:
                    # It may have more the next time: until then the others take no more either.
                    rounds = min(rounds, share)
        # Where the last visits left off, or the first job would have every odd turn for itself.
        first = host.visits % max(1, len(queues))
        queues = queues[first:] + queues[:first]
        turns = [queue[i] for i in range(rounds) for queue in queues if i < len(queue)]
        return turns[:size]

    def _due_targets(self, host_id: int, job_id: int, most: int, size: int) -> list[due.Row]:
        """Up to `most` due targets; beyond that, up to `size` that have a page already."""
        where = (self.connection, host_id, job_id, self.now)
        rows = due.next_targets(*where, most) if most > 0 else []
        if most < size and job_id in self._renewing:
            again = due.next_renewals(*where, size)
            return list({row[0]: row for row in (*rows, *again)}.values())
        return list(rows)

    def _lease(self, picked: list[LeasedTarget], assignment_id: int) -> None:
        if not picked:
            return
        _lease_targets.run_each(self.connection, [[(assignment_id, t.id) for t in picked]])
        for job_id, count in Counter(t.job_id for t in picked).items():
            self.tally.move(job_id, State.PENDING, State.LEASED, count)

    def _give_back(self, assignment_id: int) -> int:
        rows = _give_back.run(self.connection, assignment_id)
        for job_id, count in Counter(job_id for (job_id,) in rows).items():
            self.tally.move(job_id, State.LEASED, State.PENDING, count)
        return len(rows)


def _share_of(room: float, size: int) -> int:
    """Near a page limit no host takes more than a share of what is left: one that hangs would
    otherwise keep the rest waiting for pages that it never gives."""
    return size if room == math.inf else min(size, math.ceil(max(room, 0) / _SHARE_OF_ROOM))
