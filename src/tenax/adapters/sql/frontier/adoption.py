"""Leases that change hands: offered by their holder, adopted by ticket, with a compare-and-set.

The ledger decides who has it: a ticket that comes twice, late or never changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import sqlalchemy as sa

from tenax.adapters.sql.cookies import jars
from tenax.adapters.sql.engine import codec
from tenax.adapters.sql.frontier import due, holding
from tenax.adapters.sql.frontier.transaction import LedgerTransaction
from tenax.adapters.sql.posts import sent
from tenax.adapters.sql.schema.tables import assignments, jobs, lanes, targets, workers
from tenax.hosts import conduct
from tenax.model import Assignment, JobState, LeasedTarget, State
from tenax.ports import Ticket

_name = sa.select(workers.c.name).where(workers.c.id == sa.bindparam("worker"))
_change_hands = (
    sa.update(assignments)
    .where(
        assignments.c.id == sa.bindparam("assignment"),
        assignments.c.worker_id
        == sa.select(workers.c.id)
        .where(workers.c.name == sa.bindparam("holder"))
        .scalar_subquery(),
    )
    .values(worker_id=sa.bindparam("taker"), expires_at=sa.bindparam("until"))
    .returning(assignments.c.host_id, assignments.c.slots, assignments.c.unit)
)
_running = sa.select(jobs.c.id).where(
    jobs.c.id.in_(sa.bindparam("wanted", expanding=True)),
    jobs.c.state == JobState.RUNNING.value,
)
_jobs_at = sa.select(lanes.c.job_id).where(lanes.c.host_id == sa.bindparam("host"))


def offer(tx: LedgerTransaction, worker_id: int, claimed: Iterable[Assignment]) -> list[Ticket]:
    """A ticket for each of these assignments, which this worker has just claimed."""
    name = tx.connection.execute(_name, {"worker": worker_id}).scalar_one()
    return [
        Ticket(each.id, name, min(target.priority for target in each.targets)) for each in claimed
    ]


def adopt(
    tx: LedgerTransaction, worker_id: int, tickets: Iterable[Ticket], job_ids: Sequence[int]
) -> list[Assignment]:
    """What the tickets are still good for, with the targets of these jobs; others go back."""
    tickets = list(tickets)
    tx.lock_assignments([ticket.assignment_id for ticket in tickets])
    # Of them, those still running: whoever asks has looked some time ago.
    running = tx.connection.execute(_running, {"wanted": list(job_ids)}).scalars().all()
    adopted = [_adopt(tx, worker_id, ticket, running) for ticket in tickets]
    tx.write_totals()
    return [assignment for assignment in adopted if assignment is not None]


def withdraw(tx: LedgerTransaction, worker_id: int, assignment_ids: Sequence[int]) -> int:
    """Give back those that nobody has adopted; how many."""
    # Locked where that can be: nobody adopts what is being given back.
    tx.lock_assignments(assignment_ids)
    mine = tx.connection.execute(
        sa.select(assignments.c.id)
        .where(assignments.c.id.in_(list(assignment_ids)), assignments.c.worker_id == worker_id)
        .with_for_update()
    )
    held = list(mine.scalars())
    holding.release(tx, held)
    tx.write_totals()
    return len(held)


def _adopt(
    tx: LedgerTransaction, worker_id: int, ticket: Ticket, job_ids: Sequence[int]
) -> Assignment | None:
    until = tx.now + tx.leases.seconds
    moved = tx.connection.execute(
        _change_hands,
        {
            "assignment": ticket.assignment_id,
            "holder": ticket.holder,
            "taker": worker_id,
            "until": until,
        },
    ).first()
    if moved is None:
        return None
    host = holding.load_host(tx, moved.host_id)
    if moved.unit is not None:
        host = tx.units.joined(host, moved.unit)
    # Somebody may have paused the host, or learned at another share of it that it is to be left
    # alone.
    is_open = not host.paused and conduct.opens_at(host, tx.treatment).at <= tx.now
    held = _targets(tx, ticket.assignment_id, host.origin) if is_open else []
    wanted = [target for target in held if target.job_id in job_ids]
    if not wanted:
        holding.release(tx, [ticket.assignment_id])
        return None
    unwanted = [target for target in held if target.job_id not in job_ids]
    if unwanted:
        _return(tx, unwanted)
        holding.refresh(tx, host)
    return Assignment(
        ticket.assignment_id,
        host,
        tuple(wanted),
        moved.slots,
        until,
        moved.unit or "",
        is_all=not _is_more_due(tx, host.id, job_ids),
        jars=jars.at_hosts(tx.connection, [host.id]).get(host.id, ()),
    )


def _targets(tx: LedgerTransaction, assignment_id: int, origin: str) -> list[LeasedTarget]:
    rows = tx.connection.execute(due.of_lease, {"lease": assignment_id})
    held = [codec.leased(tuple(row), origin) for row in rows]
    return sent.with_sends(tx.connection, held)


def _return(tx: LedgerTransaction, unwanted: list[LeasedTarget]) -> None:
    tx.connection.execute(
        sa.update(targets)
        .where(targets.c.id.in_([target.id for target in unwanted]))
        .values(state=State.PENDING.value, lease_id=None)
    )
    for job_id, count in Counter(target.job_id for target in unwanted).items():
        tx.tally.move(job_id, State.LEASED, State.PENDING, count)


def _is_more_due(tx: LedgerTransaction, host_id: int, job_ids: Sequence[int]) -> bool:
    at_host = tx.connection.execute(_jobs_at, {"host": host_id}).scalars()
    return any(
        due.earliest(tx.connection, host_id, job_id, tx.now) == 0.0
        for job_id in at_host.all()
        if job_id in job_ids
    )
