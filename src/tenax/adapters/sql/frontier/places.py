"""A place in the line for a host, before all later claims: for one target that is wanted now.

A place is an assignment without targets. While it stands no claim gets the host once it is free,
so whoever holds it works on to the end of the lease, and the turn then is ours. Nothing else is
new: it expires, and goes with its process, as all assignments do.
"""

from __future__ import annotations

import sqlalchemy as sa

from tenax.adapters.sql.cookies import jars
from tenax.adapters.sql.engine import codec, locks
from tenax.adapters.sql.frontier import commit_sql as sql
from tenax.adapters.sql.frontier import due, holding
from tenax.adapters.sql.frontier.commits import Commits
from tenax.adapters.sql.frontier.transaction import Holder, LedgerTransaction
from tenax.adapters.sql.posts import sent
from tenax.adapters.sql.recrawl import requeue
from tenax.adapters.sql.schema.tables import assignments, dead_letters, targets
from tenax.hosts import conduct
from tenax.hosts.pace import delay_of
from tenax.jobs.revisit_policy import Recrawling
from tenax.model import Assignment, Host, LeasedTarget, Reason, State, Target
from tenax.ports import Place


def line_up(tx: LedgerTransaction, worker_id: int, target: Target) -> Place:
    host = _host(tx, target)
    unit = tx.units.of(host) if delay_of(host.pace, tx.pace_at(host)) > 0 else None
    made = tx.connection.execute(
        sa.insert(assignments)
        .values(
            host_id=host.id,
            worker_id=worker_id,
            slots=1,
            exclusive=_is_exclusive(tx, host),
            unit=unit,
            expires_at=tx.now + tx.leases.seconds,
        )
        .returning(assignments.c.id)
    )
    place = Place(made.scalar_one(), host.id)
    tx.changed_hands([host.id])
    holding.refresh(tx, host)
    return place


def call(
    tx: LedgerTransaction,
    place: Place,
    job_id: int | None,
    target: Target,
    recrawling: Recrawling,
) -> Assignment | Reason | None:
    """What the place is good for now: the host, with the target leased where it is for a job; the
    limit that keeps the job from taking it; None while others come first."""
    # As everywhere: the job before the host, the host before what is leased of it.
    commits = Commits(tx, recrawling)
    if job_id is not None:
        locks.lock_jobs(tx.connection, [job_id])
    tx.lock([place.host_id])
    host = holding.load_host(tx, place.host_id)
    unit = tx.units.of(host) if delay_of(host.pace, tx.pace_at(host)) > 0 else None
    until = tx.now + tx.leases.seconds
    if not _keep(tx, place, until) or not _is_next(tx, place, host, unit):
        return None
    if unit is not None:
        host = tx.units.joined(host, unit)
    leased: tuple[LeasedTarget, ...] = ()
    if job_id is not None:
        state = _take(tx, commits, place, job_id, target)
        if not isinstance(state, State):
            tx.write_totals()
            return state
        rows = tx.connection.execute(due.of_lease, {"lease": place.id})
        held = [codec.leased(tuple(row), host.origin) for row in rows]
        leased = tuple(sent.with_sends(tx.connection, held))
    tx.write_totals()
    set_there = jars.at_hosts(tx.connection, [host.id]).get(host.id, ())
    return Assignment(place.id, host, leased, 1, until, unit or "", jars=set_there)


def step_out(tx: LedgerTransaction, place: Place, host: Host | None) -> None:
    """Give the place up; `host` is what a visit made of it that nothing else is written of."""
    tx.lock([place.host_id])
    if host is not None and any(row.id == place.id for row in tx.holders(place.host_id)):
        known = holding.load_host(tx, place.host_id)
        holding.save_host(tx, conduct.heed(host, known, tx.treatment))
    holding.release(tx, [place.id])
    tx.write_totals()


def _host(tx: LedgerTransaction, target: Target) -> Host:
    rows = sql.hosts_by_name.run(tx.connection, [target.host])
    if not rows:
        sql.insert_hosts.run(tx.connection, [(target.host, target.origin, "{}")])
        rows = sql.hosts_by_name.run(tx.connection, [target.host])
    ((_, host_id, _),) = rows
    tx.lock([host_id])
    return holding.load_host(tx, host_id)


def _is_exclusive(tx: LedgerTransaction, host: Host) -> bool:
    return delay_of(host.pace, tx.pace_at(host)) > 0 or holding.goes_alone(tx, host)


def _keep(tx: LedgerTransaction, place: Place, until: float) -> bool:
    """Whether the place is still there; whoever asks for it is alive."""
    kept = tx.connection.execute(
        sa.update(assignments)
        .where(assignments.c.id == place.id)
        .values(expires_at=until)
        .returning(assignments.c.id)
    )
    tx.changed_hands([place.host_id])
    return kept.first() is not None


def _is_next(tx: LedgerTransaction, place: Place, host: Host, unit: str | None) -> bool:
    gone = [row.id for row in tx.holders(host.id) if row.expires_at <= tx.now]
    holding.release(tx, gone, vanished=True, expired=True)
    before = [row for row in tx.holders(host.id) if row.id < place.id]
    if unit is not None:
        locks.lock_unit(tx.connection, unit)
        if any(id < place.id for id, _ in holding.live_holders(tx, unit)):
            return False
    if _is_exclusive(tx, host):
        return not before
    return _fits_beside(tx, host, before)


def _fits_beside(tx: LedgerTransaction, host: Host, others: list[Holder]) -> bool:
    """Whether a host without a delay has one request left for us, whatever the others use."""
    taken = sum(int(row.slots) for row in others)
    return not any(row.exclusive for row in others) and taken < tx.pace_at(host).slots_unpaced


def _take(
    tx: LedgerTransaction, commits: Commits, place: Place, job_id: int, target: Target
) -> State | Reason | None:
    """Lease the target, whatever state it is in; None while somebody else is visiting it."""
    known = _find(tx, place, job_id, target)
    if known is None:
        if not commits.knows(job_id):
            return Reason.OUT_OF_SCOPE  # the job was deleted meanwhile
        added = commits.add(job_id, [target])
        if added.over_limit:
            return added.over_limit[0][1]
        known = _find(tx, place, job_id, target)
        assert known is not None, "what was added is there"
    id, state, lease = known
    if state is State.LEASED:
        # Ours from an earlier call, whose host had to wait for a neighbour after all.
        return state if lease == place.id else None
    if state is State.FAILED:
        _return(tx, job_id, id)
    elif state in requeue.FINISHED:
        requeue.put_back(tx, job_id, [id])
    tx.connection.execute(
        sa.update(targets)
        .where(targets.c.id == id)
        .values(state=State.LEASED.value, lease_id=place.id)
    )
    tx.tally.move(job_id, State.PENDING, State.LEASED)
    return State.LEASED


def _find(
    tx: LedgerTransaction, place: Place, job_id: int, target: Target
) -> tuple[int, State, int | None] | None:
    row = tx.connection.execute(
        sa.select(targets.c.id, targets.c.state, targets.c.lease_id).where(
            targets.c.host_id == place.host_id,
            targets.c.job_id == job_id,
            targets.c.key == target.key,
        )
    ).first()
    return None if row is None else (row.id, State(row.state), row.lease_id)


def _return(tx: LedgerTransaction, job_id: int, id: int) -> None:
    """A dead letter that somebody asks for is tried anew."""
    tx.connection.execute(
        sa.update(targets)
        .where(targets.c.id == id)
        .values(state=State.PENDING.value, rare=None, attempts=0, due_at=0, reason=None)
    )
    tx.tally.move(job_id, State.FAILED, State.PENDING)
    tx.connection.execute(sa.delete(dead_letters).where(dead_letters.c.target_id == id))
    requeue.renew(tx, [id])
