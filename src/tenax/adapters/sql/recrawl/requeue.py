"""Putting finished targets back to pending, some hundred in one transaction (FE-4).

`--again`, plans and scheduled runs all end here. A crawl may be under way meanwhile: candidates are
read without holding it up, and a step changes only those that nobody has touched since.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec, locks
from tenax.adapters.sql.engine.bulk import Statement
from tenax.adapters.sql.frontier import holding
from tenax.adapters.sql.frontier.tallies import counts
from tenax.adapters.sql.frontier.transaction import LedgerTransaction
from tenax.adapters.sql.schema.tables import attempts, jobs, lanes, pages, revisits, targets
from tenax.model import JobState, Role, State
from tenax.ports import REVISIT

CHUNK = 250
"""Targets changed by one transaction, at most: a crawl under way has to write in between."""

FINISHED = (State.DONE, State.BLOCKED, State.REJECTED, State.GONE)
"""What can be visited again. Not what failed: its dead letter waits for a person (FE-8)."""
_RESTING = (JobState.DONE.value, JobState.STOPPED.value)
_spec = Statement(
    ("job",), lambda _: sa.select(jobs.c.spec).where(jobs.c.id == sa.bindparam("job"))
)

_remembered = (
    sa.select(attempts.c.id)
    .where(attempts.c.target_id == targets.c.id, attempts.c.at > sa.bindparam("gone_before"))
    .correlate(targets)
    .exists()
)
_has_page = (
    sa.select(pages.c.target_id)
    .where(pages.c.target_id == targets.c.id)
    .correlate(targets)
    .exists()
)
_candidates = (
    sa.select(targets.c.id)
    .where(
        targets.c.job_id == sa.bindparam("job"),
        targets.c.id > sa.bindparam("after"),
        targets.c.id <= sa.bindparam("last"),
        targets.c.state.in_([state.value for state in FINISHED]),
        sa.or_(targets.c.state != State.GONE.value, ~_remembered),
        # A picture that changes has another URL.
        sa.or_(targets.c.role.is_(None), targets.c.role != Role.IMAGE.value),
    )
    .order_by(targets.c.id)
    .limit(CHUNK)
)


_due = (
    sa.select(sa.func.min(targets.c.due_at))
    .join(pages, pages.c.target_id == targets.c.id)
    .where(
        targets.c.host_id == lanes.c.host_id,
        targets.c.job_id == lanes.c.job_id,
        targets.c.state == sa.text("'pending'"),
    )
    .correlate(lanes)
    .scalar_subquery()
)
_waiting = (
    sa.select(lanes.c.ready_at, _due.label("due"))
    .where(lanes.c.job_id == sa.bindparam("job"), lanes.c.ready_at.is_not(None))
    .subquery()
)
_later = sa.case((_waiting.c.ready_at > _waiting.c.due, _waiting.c.ready_at), else_=_waiting.c.due)
_next_renewal = sa.select(sa.func.min(_later))


class Round(Struct, frozen=True):
    """Which targets of a job are to be visited again."""

    job_id: int
    last: int
    """The newest there was: what is found later has just been visited."""
    gone_before: float
    only_pages: bool
    """The job has all the pages it may have: what has none would wait in vain (URL-5)."""


def begin(connection: Connection, job_id: int, gone_before: float) -> Round:
    last = connection.execute(sa.select(sa.func.max(targets.c.id))).scalar() or 0
    return Round(job_id, last, gone_before, is_full(connection, job_id))


def candidates(connection: Connection, wanted: Round, after: int) -> Sequence[int]:
    """The next finished targets behind the id `after`, without those known to be gone."""
    query = _candidates.where(_has_page) if wanted.only_pages else _candidates
    asked = {
        "job": wanted.job_id,
        "after": after,
        "last": wanted.last,
        "gone_before": wanted.gone_before,
    }
    return connection.execute(query, asked).scalars().all()


def revisit(tx: LedgerTransaction, job_id: int, ids: Sequence[int]) -> int:
    """Make these pending, those of them that are still finished; how many. The job runs then."""
    # First, as everywhere: who changes a job has its row before its lanes (decision 0018).
    locks.lock_jobs(tx.connection, [job_id])
    again = len(put_back(tx, job_id, ids))
    if again:
        tx.connection.execute(
            sa.update(jobs)
            .where(jobs.c.id == job_id, jobs.c.state.in_(_RESTING))
            .values(state=JobState.RUNNING.value, ended_at=sa.null())
        )
    return again


def put_back(
    tx: LedgerTransaction,
    job_id: int,
    ids: Sequence[int],
    states: Sequence[State] = FINISHED,
    reason: str = REVISIT,
) -> list[int]:
    """Make these pending, due now, with fresh attempts, those of them that are in one of these
    states still; which."""
    connection = tx.connection
    locks.lock_hosts_of_targets(connection, ids)
    moved: list[int] = []
    host_ids: set[int] = set()
    for state in states:
        rows = connection.execute(
            sa.update(targets)
            .where(targets.c.id.in_(ids), targets.c.state == state.value)
            .values(state=State.PENDING.value, rare=None, due_at=tx.now, attempts=0, reason=reason)
            .returning(targets.c.id, targets.c.host_id)
        ).all()
        tx.tally.move(job_id, state, State.PENDING, len(rows))
        moved += [id for id, _ in rows]
        host_ids.update(host_id for _, host_id in rows)
    if not moved:
        return []
    renew(tx, moved)
    connection.execute(
        sa.update(revisits).where(revisits.c.target_id.in_(moved)).values(next_at=sa.null())
    )
    holding.refresh(tx, *holding.load_hosts(tx, _not_ready(tx, job_id, host_ids)))
    tx.write_totals()
    return moved


def is_full(connection: Connection, job_id: int) -> bool:
    """Whether the job has all the pages it may have."""
    rows = _spec.run(connection, job_id)
    most = codec.spec(rows[0][0]).max_pages if rows else None
    return most is not None and counts(connection, job_id).pages >= most


def next_renewal(connection: Connection, job_id: int) -> float | None:
    """When a full job may go on: a page is due again, and its host ready. None for never."""
    return connection.execute(_next_renewal, {"job": job_id}).scalar()


def renew(tx: LedgerTransaction, ids: Sequence[int]) -> None:
    """Of targets that have just become pending: count those with a page, and see to a due date."""
    rows = tx.connection.execute(
        sa.select(pages.c.target_id, pages.c.job_id).where(pages.c.target_id.in_(ids))
    ).all()
    for job_id, count in Counter(job_id for _, job_id in rows).items():
        tx.tally.renewing(job_id, count)
    tx.connection.execute(
        sa.update(targets)
        .where(targets.c.id.in_([id for id, _ in rows]), targets.c.due_at == 0)
        .values(due_at=tx.now)
    )


def _not_ready(tx: LedgerTransaction, job_id: int, host_ids: set[int]) -> set[int]:
    """Hosts that claims would pass by: of many targets of one host only the first has to care."""
    ready = tx.connection.execute(
        sa.select(lanes.c.host_id).where(
            lanes.c.host_id.in_(host_ids),
            lanes.c.job_id == job_id,
            lanes.c.ready_at <= tx.now,
        )
    )
    return host_ids - set(ready.scalars())
