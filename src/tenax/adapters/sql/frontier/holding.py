"""Who holds a lease, and its end: release or expiry, and when each lane of the host has work again.

Functions of one transaction: what it locks, others cannot change until it ends.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from msgspec.structs import replace

from tenax.adapters.sql.cookies import jars
from tenax.adapters.sql.engine import codec, locks
from tenax.adapters.sql.engine.bulk import Bulk, Statement
from tenax.adapters.sql.frontier import commit_sql, due
from tenax.adapters.sql.frontier.transaction import LedgerTransaction
from tenax.adapters.sql.frontier.units import PATIENCE
from tenax.adapters.sql.records import host_log
from tenax.adapters.sql.schema.tables import assignments, hosts, lanes, targets
from tenax.hosts import conduct
from tenax.hosts.changes import incidents, is_troubled
from tenax.hosts.conduct import HostEntry
from tenax.hosts.pace import delay_of, interrupted, obey, sent, start
from tenax.model import FOR_A_BROWSER, Host, State
from tenax.outcome import Settlement
from tenax.ports import NotNow

_host = Statement(
    ("host",),
    lambda _: sa.select(
        hosts.c.id, hosts.c.name, hosts.c.origin, hosts.c.paused, hosts.c.state
    ).where(hosts.c.id == sa.bindparam("host")),
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
_to_pending = Statement(
    ("lease",),
    lambda _: (
        sa.update(targets)
        .where(targets.c.lease_id == sa.bindparam("lease"))
        .values(state=sa.text(f"'{State.PENDING}'"), lease_id=sa.null())
        .returning(targets.c.job_id, targets.c.due_at)
    ),
)


def release(
    tx: LedgerTransaction,
    assignment_ids: Iterable[int],
    *,
    vanished: bool = False,
    expired: bool = False,
) -> int:
    """Give hosts back; targets not settled return to pending. How many those were.

    Of those `expired`, only what still is: its holder may have renewed it meanwhile.
    """
    ids = sorted(assignment_ids)
    if not ids:
        return 0
    tx.lock_assignments(ids)
    locks.lock_assignments(tx.connection, ids)
    until = tx.now if expired else math.inf
    dropped = _drop.run_all(tx.connection, [(id, until) for id in ids])
    if not dropped:
        return 0
    returned = _give_back(tx, [id for id, _, _ in dropped])
    tx.changed_hands([host_id for _, host_id, _ in dropped])
    freed = {host.id: host for host in load_hosts(tx, {host_id for _, host_id, _ in dropped})}
    if vanished:
        for host in freed.values():
            pace = interrupted(host.pace, tx.now, tx.pace_at(host))
            freed[host.id] = replace(host, pace=pace)
            save_host(tx, freed[host.id])
    refresh(tx, *freed.values())
    for unit, host_id in sorted((unit, host_id) for _, host_id, unit in dropped if unit):
        locks.lock_unit(tx.connection, unit)
        tx.units.spend(unit, freed[host_id].pace.next_at)
        pass_on(tx, unit, freed[host_id])
    return returned


def load_host(tx: LedgerTransaction, host_id: int) -> Host:
    (row,) = _host.run(tx.connection, host_id)
    return codec.host(*row)


def load_hosts(tx: LedgerTransaction, host_ids: Collection[int]) -> list[Host]:
    rows = _host.run_each(tx.connection, [(id,) for id in sorted(host_ids)])
    return [codec.host(*row) for (row,) in rows]


def save_host(tx: LedgerTransaction, host: Host) -> None:
    known = {"state": codec.host_state(host), "troubled": is_troubled(host)}
    tx.connection.execute(sa.update(hosts).where(hosts.c.id == host.id).values(known))


def save_visited(tx: LedgerTransaction, kept: Sequence[Settlement]) -> None:
    """The hosts as these visits leave them, what they have set, what happened to them, and each
    request."""
    # The last word on a host is the newest one; earlier ones in the batch are older views.
    changed = {s.host.id: s.host for s in kept if s.host}
    if not changed:
        return
    connection, now = tx.connection, tx.now
    known = {row[0]: codec.host(*row) for row in commit_sql.hosts_by_id.run(connection, changed)}
    visits = Counter(s.host.id for s in kept if s.host and s.attempt)
    # A holder that has not heard of another's 429 must not talk the ledger out of it. Visits are
    # counted here, where each is seen once: of several holders none knows the others'. One at
    # least: whoever dealt with the host has its robots.txt, and others need not wait. Somebody else
    # has paused it, and its holder may not have heard of that either.
    heeding = [
        replace(
            conduct.heed(host, known[id], tx.treatment),
            visits=max(1, known[id].visits + visits.get(id, 0)),
            paused=known[id].paused,
        )
        for id, host in changed.items()
    ]
    rows: list[tuple[Any, ...]] = [(codec.host_state(host), host.id) for host in heeding]
    commit_sql.save_hosts.run(connection, rows)
    jars.write(connection, kept, now)
    marked: list[tuple[Any, ...]] = [
        (is_now, host.id)
        for host in heeding
        if (is_now := is_troubled(host)) != is_troubled(known[host.id])
    ]
    commit_sql.mark_hosts.run(connection, marked)
    starts = host_log.by_host((s.host.id, s.starts) for s in kept if s.host and s.starts)
    passed = {host.id: (known[host.id].visits, host.visits) for host in heeding}
    host_log.write_requests(connection, starts, passed, now)
    told = {host.id: incidents(known[host.id], host, now, tx.treatment) for host in heeding}
    host_log.write_incidents(connection, told)


def heed_lost(tx: LedgerTransaction, lost: Sequence[Settlement]) -> list[Host]:
    """What a host told those whose leases ran out meanwhile: that it wants to be left alone holds
    whoever has it now. Nothing else of these visits is kept. The hosts that are changed by it."""
    told = {s.host.id: s.host for s in lost if s.host and s.attempt}
    changed = []
    for known in load_hosts(tx, told):
        heard = conduct.heed(known, told[known.id], tx.treatment)
        if (host := replace(heard, visits=known.visits)) != known:
            save_host(tx, host)
            changed.append(host)
    return changed


def refresh(tx: LedgerTransaction, *freed: Host) -> None:
    """Work out anew when each job may have these hosts."""
    if not freed:
        return
    ids = [host.id for host in freed]
    tx.lock_lanes(ids)
    tx.look_at_holders(ids)
    pairs = [
        (host, job_id)
        for host, jobs in zip(freed, lanes_of(tx, ids), strict=True)
        for job_id in jobs
    ]
    earliest = due.earliest_each(
        tx.connection, [(host.id, job_id) for host, job_id in pairs], tx.now
    )
    ready = [
        (_ready_at(tx, host, at), host.id, job_id)
        for (host, job_id), at in zip(pairs, earliest, strict=True)
    ]
    _set_ready.run(tx.connection, ready)


def _ready_at(tx: LedgerTransaction, host: Host, earliest: float | None) -> float | None:
    if host.paused:
        return None
    if earliest is not None:
        return max(_opens(tx, host), earliest)
    return min((row.expires_at for row in tx.holders(host.id)), default=None)


def lanes_of(tx: LedgerTransaction, host_ids: Collection[int]) -> list[list[int]]:
    """The jobs that have a lane at each of these hosts."""
    found = _lanes_of.run_each(tx.connection, [(id,) for id in host_ids])
    return [[job_id for (job_id,) in rows] for rows in found]


def hold(tx: LedgerTransaction, until: float, host_ids: Collection[int]) -> None:
    """Nothing of these hosts is handed out before."""
    _hold_all.run(tx.connection, [(until, host_id) for host_id in host_ids])


def live_holders(tx: LedgerTransaction, unit: str) -> list[tuple[int, float]]:
    """Who holds a host of this unit; what has expired is taken back first."""
    holders = tx.units.holders(unit)
    gone = [id for id, expires_at in holders if expires_at <= tx.now]
    if not gone:
        return holders
    release(tx, gone, vanished=True, expired=True)
    return tx.units.holders(unit)


def line_up(tx: LedgerTransaction, unit: str, host_id: int) -> None:
    tx.units.line_up(unit, host_id)
    hold(tx, tx.now + PATIENCE, [host_id])


def pass_on(tx: LedgerTransaction, unit: str, host: Host) -> None:
    """The first in line that has work is next; this host then goes to the end of the line."""
    opens = max(tx.now, tx.units.opens_at(unit))
    while (called := tx.units.call_next(unit)) is not None:
        if called != host.id and _is_called(tx, called, unit, opens):
            break
    if called is not None and _is_ready(tx, host.id, opens):
        line_up(tx, unit, host.id)


def _is_called(tx: LedgerTransaction, host_id: int, unit: str, opens: float) -> bool:
    if not tx.try_lock(host_id):
        # Somebody is changing it: whoever claims it next finds out what it has to do.
        hold(tx, tx.now, [host_id])
        return True
    refresh(tx, tx.units.joined(load_host(tx, host_id), unit))
    return _is_ready(tx, host_id, opens)


def _is_ready(tx: LedgerTransaction, host_id: int, at: float) -> bool:
    return tx.connection.execute(_any_ready, {"host": host_id, "at": at}).first() is not None


def spend_turn(
    tx: LedgerTransaction, host_id: int, patience: float, crawl_delay: float | None
) -> float | NotNow:
    """The next turn of a host that nobody holds, for a request beside its visits."""
    host = load_host(tx, host_id)
    policy = tx.pace_at(host)
    if crawl_delay is not None:
        host = replace(host, pace=obey(host.pace, crawl_delay, tx.now, policy))
    stance = conduct.stance(host, tx.now, tx.treatment)
    if stance.entry is HostEntry.CLOSED:
        until = tx.now + PATIENCE if math.isinf(stance.until) else stance.until
        return NotNow(until, f"{host.name} is closed: {stance.why}")
    delay = delay_of(host.pace, policy)
    if delay <= 0:
        return tx.now
    unit = tx.units.of(host)
    held = [row.expires_at for row in tx.holders(host_id)]
    if unit is not None:
        locks.lock_unit(tx.connection, unit)
        host = tx.units.joined(host, unit)
        held += [expires_at for _, expires_at in tx.units.holders(unit)]
    if any(expires_at > tx.now for expires_at in held):
        return NotNow(tx.now + PATIENCE / 2, f"others are asking {host.name}")
    spent, at = start(host.pace, tx.now, policy)
    if at > tx.now + patience:
        return NotNow(at, f"{host.name} is not to be asked before")
    # Nobody tells the ledger when it really left: connecting may take as long as the delay.
    host = replace(host, pace=sent(spent, at + delay, policy))
    save_host(tx, host)
    refresh(tx, host)
    if unit is not None:
        tx.units.spend(unit, host.pace.next_at)
    return at


def goes_alone(tx: LedgerTransaction, host: Host) -> bool:
    """Whether one visit has to come back before anybody else may set out: the first one
    learns what robots.txt says, and those to a host that may be back, whether it is."""
    if host.visits == 0:
        return True
    return conduct.stance(host, tx.now, tx.treatment).entry is not HostEntry.OPEN


def free_slots(
    tx: LedgerTransaction, host: Host, exclusive: bool, sharers: int, worker_id: int | None = None
) -> int:
    """How many slots this worker may have; by None, how many anybody could have."""
    holders = tx.holders(host.id)
    if exclusive:
        return 0 if holders else 1
    if any(row.exclusive for row in holders):
        return 0
    most = tx.pace_at(host).slots_unpaced
    free = most - sum(int(row.slots) for row in holders)
    # What it holds already counts, or the first to come would take the others' shares too.
    mine = sum(int(row.slots) for row in holders if row.worker_id == worker_id)
    return max(0, min(share(most, sharers) - mine, free))


def share(slots: int, sharers: int) -> int:
    return math.ceil(slots / max(1, sharers))


def _opens(tx: LedgerTransaction, host: Host) -> float:
    """When the host may be handed out, if everybody who holds it stays silent."""
    live = [float(row.expires_at) for row in tx.holders(host.id)]
    opens = conduct.opens_at(host, tx.treatment).at
    exclusive = delay_of(host.pace, tx.pace_at(host)) > 0 or goes_alone(tx, host)
    if live and not free_slots(tx, host, exclusive, 1):
        return max(min(live), opens)
    return opens


def _give_back(tx: LedgerTransaction, assignment_ids: list[int]) -> int:
    rows = _to_pending.run_all(tx.connection, [(id,) for id in assignment_ids])
    for job_id, count in Counter(job_id for job_id, _ in rows).items():
        tx.tally.move(job_id, State.LEASED, State.PENDING, count)
    for job_id, due_at in rows:
        if due_at >= FOR_A_BROWSER:
            tx.tally.unrendered(job_id, 1)
    return len(rows)
