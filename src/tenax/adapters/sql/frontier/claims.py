"""Leases on hosts: claims and refills with the most urgent due targets, each in one transaction.

Work is found by `lanes.ready_at`, then by priority inside the host. A paced host belongs to one
worker at a time; a host without any delay is shared out in slots.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa
from msgspec import Struct

from tenax.adapters.sql.cookies import jars
from tenax.adapters.sql.engine import codec, locks
from tenax.adapters.sql.engine.bulk import Bulk, Lookup, Statement, of_rows
from tenax.adapters.sql.frontier import due, holding
from tenax.adapters.sql.frontier.tallies import PAGES, RENEWING, counts
from tenax.adapters.sql.frontier.transaction import LedgerTransaction
from tenax.adapters.sql.posts import sent
from tenax.adapters.sql.schema.tables import assignments, hosts, jobs, tallies, targets, workers
from tenax.hosts import conduct
from tenax.hosts.conduct import HostEntry
from tenax.hosts.pace import PoliteTo, delay_of
from tenax.model import Assignment, Host, JobState, LeasedTarget, State
from tenax.ports import Refill
from tenax.urls.priority import MEDIUM

_lease_targets = Bulk(
    ("lease", "target"),
    lambda _: (
        sa.update(targets)
        .where(targets.c.id == sa.bindparam("target"))
        .values(state=sa.text(f"'{State.LEASED}'"), lease_id=sa.bindparam("lease"))
    ),
)
_TAKEN = ("host_id", "worker_id", "slots", "exclusive", "unit", "expires_at")
_take = Statement(
    _TAKEN,
    lambda made: of_rows(made, sa.insert(assignments), _TAKEN).returning(
        assignments.c.host_id, assignments.c.id
    ),
)
_keep = Bulk(
    ("may_use", "until", "held"),
    lambda _: (
        sa.update(assignments)
        .where(assignments.c.id == sa.bindparam("held"))
        .values(slots=sa.bindparam("may_use"), expires_at=sa.bindparam("until"))
    ),
)
_taken = Statement(
    ("job",),
    lambda _: sa.select(tallies.c.name, tallies.c.count).where(
        tallies.c.job_id == sa.bindparam("job"),
        sa.or_(*(tallies.c.name == name for name in (PAGES, RENEWING, State.LEASED.value))),
    ),
)
_holder = Statement(
    ("held",),
    lambda _: sa.select(assignments.c.worker_id).where(assignments.c.id == sa.bindparam("held")),
)
_heard = Statement(
    ("since",),
    lambda _: sa.select(sa.func.count(workers.c.id)).where(
        workers.c.seen_at > sa.bindparam("since")
    ),
)
# A worker that was silent may have been struck off: what it claims now would be nobody's.
_is_known = Statement(
    ("worker",),
    lambda _: (
        sa.select(workers.c.id)
        .where(workers.c.id == sa.bindparam("worker"))
        .with_for_update(read=True, key_share=True)
    ),
)
_running = Lookup(
    sa.select(jobs.c.id, jobs.c.spec).where(jobs.c.state == sa.text(f"'{JobState.RUNNING}'")),
    jobs.c.id,
)

_SHARE_OF_ROOM = 32
_FURTHER = 8
"""So many times as many hosts are looked at as are claimed, where sites have priorities."""
_MOST_LOOKED_AT = 500
"""Hosts, when one is looked for where something waits for a browser."""


class _Rooms(NamedTuple):
    """What the jobs that are served may still ask for."""

    left: dict[int, float]
    """Pages, by job, in the order they were asked for: whoever comes first is served first."""
    renewing: frozenset[int]
    """Jobs with a page limit that have pages to visit again."""


class _Want(Struct, frozen=True):
    """A host that this worker may have, and how much of it."""

    host: Host
    unit: str | None
    slots: int
    size: int
    """Targets to lease at most; 0 when it is not the time."""
    exclusive: bool


def knows(tx: LedgerTransaction, worker_id: int) -> bool:
    """Whether this worker is on the list; it stays there until the transaction ends."""
    return bool(_is_known.run(tx.connection, worker_id))


def claim(
    tx: LedgerTransaction, worker_id: int, job_ids: Sequence[int], most: int
) -> list[Assignment]:
    rooms = _rooms(tx, job_ids)
    ready = _ready_hosts(tx, rooms, most)
    tx.have_locked(ready)
    return _claim(tx, worker_id, ready, rooms)


def claim_for_browser(
    tx: LedgerTransaction, worker_id: int, job_ids: Sequence[int], host_ids: Sequence[int]
) -> list[Assignment]:
    """What waits for a browser at these hosts, and nothing else (FE-9). Other claims never see it:
    it is due when no clock arrives, and stands behind all that is due in their index."""
    rooms = _rooms(tx, job_ids)
    ready = [id for id in host_ids if tx.try_lock(id)]
    return _claim(tx, worker_id, ready, rooms, for_browser=True)


class BrowserWait(NamedTuple):
    at: float
    """When the host may be asked, by whoever has it."""
    host_id: int
    is_held: bool


def openings_for_browser(tx: LedgerTransaction, job_ids: Sequence[int]) -> list[BrowserWait]:
    """Of the hosts where something waits for a browser. Reads only."""
    waiting = [id for id in job_ids if counts(tx.connection, id).unrendered]
    found = [id for job_id in waiting for (id,) in due.hosts_for_browser.run(tx.connection, job_id)]
    hosts = holding.load_hosts(tx, list(dict.fromkeys(found))[:_MOST_LOOKED_AT])
    return sorted(
        BrowserWait(
            conduct.opens_at(host, tx.treatment).at,
            host.id,
            any(row.exclusive and row.expires_at > tx.now for row in tx.holders(host.id)),
        )
        for host in hosts
    )


def _claim(
    tx: LedgerTransaction,
    worker_id: int,
    ready: Sequence[int],
    rooms: _Rooms,
    for_browser: bool = False,
) -> list[Assignment]:
    sharers = _sharers(tx)
    tx.lock_lanes(ready)
    tx.look_at_holders(ready)
    _expire(tx, ready)
    made: list[Assignment] = []
    wants: list[_Want] = []
    known = {host.id: host for host in holding.load_hosts(tx, ready)}
    for host_id in ready:
        want = _want(tx, worker_id, known[host_id], sharers)
        if want is None:
            continue
        if want.unit is None:
            wants.append(want)
        else:
            # At once: hosts of one unit must see each other.
            made += _hand_out(tx, worker_id, [want], rooms, for_browser)
    made += _hand_out(tx, worker_id, wants, rooms, for_browser)
    tx.write_totals()
    return made


def refill(
    tx: LedgerTransaction, held: Assignment, job_ids: Sequence[int], want: int, using: int
) -> Refill:
    """Extend a held assignment of an unpaced host, and settle how it is shared out."""
    rooms = _rooms(tx, job_ids)
    tx.lock([held.host.id])
    if not _holder.run(tx.connection, held.id):
        return Refill((), 0, held=False)
    host = holding.load_host(tx, held.host.id)
    if conduct.stance(host, tx.now, tx.treatment).entry is not HostEntry.OPEN:
        return Refill((), held.slots, host=host)
    sharers = _sharers(tx)
    others = [row for row in tx.holders(held.host.id) if row.id != held.id]
    taken = sum(row.slots for row in others)
    most = tx.pace_at(host).slots_unpaced
    slots = max(1, min(holding.share(most, sharers), most - taken))
    # Others may only take what this holder has really stopped using.
    until = tx.now + tx.leases.seconds
    _keep.run(tx.connection, [(max(slots, using), until, held.id)])
    tx.changed_hands([held.host.id])
    (picked,) = _pick(tx, [(host, want)], rooms)
    _lease(tx, [(held.id, picked)])
    if slots < held.slots:
        holding.refresh(tx, held.host)
    tx.write_totals()
    return Refill(tuple(picked), slots)


def join(tx: LedgerTransaction, held: Assignment, address: str) -> Host | None:
    """The host of a held assignment is served from this address: as it may be asked now, or
    None when another host from there is being asked."""
    tx.lock([held.host.id])
    tx.units.settle_at(held.host.id, address)
    host = holding.load_host(tx, held.host.id)
    if tx.polite_to is not PoliteTo.IP or delay_of(host.pace, tx.pace_at(host)) <= 0:
        return host
    locks.lock_unit(tx.connection, address)
    others = [id for id, _ in holding.live_holders(tx, address) if id != held.id]
    if others:
        return None
    tx.connection.execute(
        sa.update(assignments).where(assignments.c.id == held.id).values(unit=address)
    )
    return tx.units.joined(host, address)


def _rooms(tx: LedgerTransaction, job_ids: Sequence[int]) -> _Rooms:
    """Of those of these jobs that run. A page visited again needs no room: it is replaced, or
    stays."""
    rows = _running.run(tx.connection, job_ids)
    limits = {id: codec.spec(text).max_pages for id, text in rows}
    # Two claims that counted at the same time would both take what is left.
    locks.lock_jobs(tx.connection, [id for id, most in limits.items() if most is not None])
    left: dict[int, float] = {}
    renewing: set[int] = set()
    for id in job_ids:
        if id not in limits:
            continue
        most = limits[id]
        if most is None:
            left[id] = math.inf
            continue
        used = _used(tx, id)
        if used.pop(RENEWING, 0):
            renewing.add(id)
        left[id] = most - sum(used.values())
    return _Rooms(left, frozenset(renewing))


def _used(tx: LedgerTransaction, job_id: int) -> dict[str, int]:
    return {name: int(count) for name, count in _taken.run(tx.connection, job_id)}


def _ready_hosts(tx: LedgerTransaction, rooms: _Rooms, most: int) -> list[int]:
    """Hosts with due work, the jobs taking turns; those that somebody else is changing now
    are left to them."""
    is_ranked = tx.sites.has_priorities
    far = most * _FURTHER if is_ranked else most
    queues = []
    for job_id, room in rooms.left.items():
        queue: list[int] = []
        if room <= 0 and job_id in rooms.renewing:
            # Hosts with new targets alone have nothing for us, and could be very many.
            queue += due.ready_renewals(tx.connection, job_id, tx.now, far)
        queue += due.ready_hosts(tx.connection, job_id, tx.now, far)
        queues.append(list(dict.fromkeys(queue))[:far])
    turns = list(dict.fromkeys(due.in_turns(queues)))
    return (_ranked(tx, turns) if is_ranked else turns)[:most]


def _ranked(tx: LedgerTransaction, host_ids: list[int]) -> list[int]:
    """Those first whose site's rules want it; the others as they come (HOST-7)."""
    rows = tx.connection.execute(
        sa.select(hosts.c.id, hosts.c.name).where(hosts.c.id.in_(host_ids))
    )
    rank = {id: tx.sites.of(name).rules.priority or MEDIUM for id, name in rows}
    return sorted(host_ids, key=lambda id: rank.get(id, MEDIUM))


def _want(tx: LedgerTransaction, worker_id: int, host: Host, sharers: int) -> _Want | None:
    delay = delay_of(host.pace, tx.pace_at(host))
    unit = tx.units.of(host) if delay > 0 else None
    if unit is not None:
        if not locks.try_unit(tx.connection, unit):
            return None  # somebody is deciding about its neighbours: next time
        if holding.live_holders(tx, unit):
            holding.line_up(tx, unit, host.id)
            return None
        host = tx.units.joined(host, unit)
    alone = holding.goes_alone(tx, host)
    exclusive = delay > 0 or alone
    slots = holding.free_slots(tx, host, exclusive, sharers, worker_id)
    size = 1 if alone else tx.leases.size(delay, slots)
    is_open = slots > 0 and conduct.opens_at(host, tx.treatment).at <= tx.now
    return _Want(host, unit, slots, size if is_open else 0, exclusive)


def _hand_out(
    tx: LedgerTransaction,
    worker_id: int,
    wants: Sequence[_Want],
    rooms: _Rooms,
    for_browser: bool = False,
) -> list[Assignment]:
    picked = _pick(tx, [(want.host, want.size) for want in wants], rooms, for_browser)
    chosen = [(want, some) for want, some in zip(wants, picked, strict=True) if some]
    left = [want for want, some in zip(wants, picked, strict=True) if not some]
    holding.refresh(tx, *(want.host for want in left))
    for want in left:
        if want.unit is not None:
            holding.pass_on(tx, want.unit, want.host)
    if not chosen:
        return []
    expires_at = tx.now + tx.leases.seconds
    rows = [
        (want.host.id, worker_id, want.slots, want.exclusive, want.unit, expires_at)
        for want, _ in chosen
    ]
    ids: dict[int, int] = dict(_take.run_all(tx.connection, rows))
    tx.changed_hands(ids)
    for want, _ in chosen:
        if want.unit is not None:
            tx.units.leave_line(want.unit, want.host.id)
    _lease(tx, [(ids[want.host.id], some) for want, some in chosen])
    set_there = jars.at_hosts(tx.connection, list(ids))
    holding.hold(tx, expires_at, [want.host.id for want, _ in chosen if want.exclusive])
    holding.refresh(tx, *(want.host for want, _ in chosen if not want.exclusive))
    return [
        Assignment(
            ids[want.host.id],
            want.host,
            tuple(some),
            want.slots,
            expires_at,
            want.unit or "",
            len(some) < want.size,
            set_there.get(want.host.id, ()),
        )
        for want, some in chosen
    ]


def _expire(tx: LedgerTransaction, host_ids: Sequence[int]) -> None:
    gone = [row.id for id in host_ids for row in tx.holders(id) if row.expires_at <= tx.now]
    holding.release(tx, gone, vanished=True, expired=True)


def _sharers(tx: LedgerTransaction) -> int:
    """The workers whose heartbeat is heard, or that are about to come."""
    ((heard,),) = _heard.run(tx.connection, tx.now - tx.leases.silence)
    return max(int(heard), tx.expected)


def _pick(
    tx: LedgerTransaction,
    wanted: Sequence[tuple[Host, int]],
    rooms: _Rooms,
    for_browser: bool = False,
) -> list[list[LeasedTarget]]:
    """The most urgent due targets of each host, up to so many, the jobs sharing alike."""
    sizes = {host.id: size for host, size in wanted if size > 0}
    at_host = dict(zip(sizes, holding.lanes_of(tx, list(sizes)), strict=True))
    # What no limit of a job cuts short is asked for at once, for all hosts.
    free = [
        (id, job_id)
        for id, job_ids in at_host.items()
        for job_id in job_ids
        if rooms.left.get(job_id) == math.inf or (for_browser and job_id in rooms.left)
    ]
    if for_browser:
        rows = [
            due.next_for_browser(
                tx.connection, id, job_id, _share_of(rooms.left[job_id], sizes[id])
            )
            for id, job_id in free
        ]
    else:
        rows = due.next_targets_each(
            tx.connection, [(id, job_id, tx.now, sizes[id]) for id, job_id in free]
        )
    asked = dict(zip(free, rows, strict=True))
    picked = []
    for host, size in wanted:
        job_ids = [id for id in at_host.get(host.id, ()) if id in rooms.left]
        picked.append(_share_out(tx, host, job_ids, size, rooms, asked))
        for target in picked[-1]:
            rooms.left[target.job_id] -= 1
    return picked


def _share_out(
    tx: LedgerTransaction,
    host: Host,
    job_ids: Sequence[int],
    size: int,
    rooms: _Rooms,
    asked: dict[tuple[int, int], Sequence[due.Row]],
) -> list[LeasedTarget]:
    queues, rounds = [], size
    for job_id in job_ids:
        share = _share_of(rooms.left[job_id], size)
        rows = asked.get((host.id, job_id))
        if rows is None:
            rows = _due_targets(tx, host.id, job_id, share, size, rooms)
        few = due.few_deferred(tx.connection, host.id, job_id, tx.now, rows)
        queues.append([codec.leased(tuple(row), host.origin) for row in few])
        if 0 < share == len(rows) < size:
            # It may have more the next time: until then the others take no more either.
            rounds = min(rounds, share)
    # Where the last visits left off, or the first job would have every odd turn for itself.
    first = host.visits % max(1, len(queues))
    queues = queues[first:] + queues[:first]
    turns = due.in_turns([queue[:rounds] for queue in queues])
    return sent.with_sends(tx.connection, turns[:size])


def _due_targets(
    tx: LedgerTransaction, host_id: int, job_id: int, most: int, size: int, rooms: _Rooms
) -> list[due.Row]:
    """Up to `most` due targets; beyond that, up to `size` that have a page already."""
    where = (tx.connection, host_id, job_id, tx.now)
    rows = due.next_targets(*where, most) if most > 0 else []
    if most < size and job_id in rooms.renewing:
        again = due.next_renewals(*where, size)
        return list({row[0]: row for row in (*rows, *again)}.values())
    return list(rows)


def _lease(tx: LedgerTransaction, leases: Sequence[tuple[int, Sequence[LeasedTarget]]]) -> None:
    rows = [(assignment_id, target.id) for assignment_id, some in leases for target in some]
    _lease_targets.run(tx.connection, rows)
    leased = Counter(target.job_id for _, some in leases for target in some)
    for job_id, count in leased.items():
        tx.tally.move(job_id, State.PENDING, State.LEASED, count)
    rendered = Counter(t.job_id for _, some in leases for t in some if t.for_browser)
    for job_id, count in rendered.items():
        tx.tally.unrendered(job_id, -count)


def _share_of(room: float, size: int) -> int:
    """Near a page limit no host takes more than a share of what is left: one that hangs would
    otherwise keep the rest waiting for pages that it never gives."""
    return size if room == math.inf else min(size, math.ceil(max(room, 0) / _SHARE_OF_ROOM))
