"""The queue of what is due again: plans whose time has come, and runs that have begun (FR-6).

One look into an index per job finds the next step; whoever takes it puts those targets back to
pending, or plans for them, in one transaction. A step that somebody else has taken changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec
from tenax.adapters.sql.engine.bulk import Statement
from tenax.adapters.sql.frontier.transaction import LedgerTransaction
from tenax.adapters.sql.recrawl import passes, requeue
from tenax.adapters.sql.recrawl.passes import PassKind, Walk
from tenax.adapters.sql.recrawl.plans import LISTINGS, write_plans
from tenax.adapters.sql.schema.tables import hosts, jobs, pages, targets
from tenax.adapters.sql.schema.tables import revisits as plans
from tenax.jobs.revisit_policy import Recrawling
from tenax.model import JobSpec, JobState, Role

STRIDE = 2_000
"""Targets passed by one transaction that plans for them, at most."""

_due = (
    sa.select(plans.c.target_id)
    .where(plans.c.job_id == sa.bindparam("job"), plans.c.next_at <= sa.bindparam("now"))
    .order_by(plans.c.next_at)
    .limit(requeue.CHUNK)
)
_first_due = Statement(
    ("job",),
    lambda _: sa.select(sa.func.min(plans.c.next_at)).where(
        plans.c.job_id == sa.bindparam("job"), plans.c.next_at.is_not(None)
    ),
)
_state = sa.select(jobs.c.state).where(jobs.c.id == sa.bindparam("job"))
_wishes = sa.select(jobs.c.spec).where(jobs.c.id == sa.bindparam("job"))
_is_page = sa.or_(
    targets.c.role.is_(None),
    targets.c.role.in_([role.value for role in (*LISTINGS, Role.POSTED)]),
    pages.c.target_id.is_not(None),
)
_unplanned = (
    sa.select(targets.c.id, hosts.c.name,
              sa.func.coalesce(pages.c.checked_at, pages.c.fetched_at).label("visited_at"))
    .join(hosts, hosts.c.id == targets.c.host_id)
    .outerjoin(pages, pages.c.target_id == targets.c.id)
    .outerjoin(plans, plans.c.target_id == targets.c.id)
    .where(
        targets.c.id > sa.bindparam("after"), targets.c.id <= sa.bindparam("to"),
        targets.c.job_id == sa.bindparam("job"), plans.c.target_id.is_(None), _is_page,
        targets.c.state.in_([state.value for state in requeue.FINISHED]),
    )
)  # fmt: skip


class PassStep(Struct, frozen=True):
    """Some targets of a job that are to become pending, or to be planned for."""

    job_id: int
    ids: tuple[int, ...] = ()
    walk: Walk | None = None
    """What has brought it about; None when their own time has come."""


def next_step(
    connection: Connection, job_ids: Sequence[int], now: float, gone_before: float
) -> PassStep | None:
    """What is to be done now; None, after one look into an index per job, when there is nothing."""
    for walk in passes.under_way(connection, job_ids):
        if walk.kind is PassKind.PLAN:
            return PassStep(walk.job_id, walk=walk)
        only_pages = requeue.is_full(connection, walk.job_id)
        wanted = requeue.Round(walk.job_id, walk.last, gone_before, only_pages)
        return PassStep(
            walk.job_id, tuple(requeue.candidates(connection, wanted, walk.after)), walk
        )
    for job_id in job_ids:
        ids = connection.execute(_due, {"job": job_id, "now": now}).scalars().all()
        # Only then: jobs are many, and what one wants matters where something is due.
        if ids and _spec(connection, job_id).recrawl is not None:
            return PassStep(job_id, tuple(ids))
    return None


def take(tx: LedgerTransaction, step: PassStep, recrawling: Recrawling) -> int:
    """Take the step, unless the job was stopped or somebody was faster; how many became pending."""
    connection, walk = tx.connection, step.walk
    if not _is_running(connection, step.job_id):
        return 0
    if walk is None:
        ids = _worth_it(tx, step) if requeue.is_full(connection, step.job_id) else step.ids
        return len(requeue.put_back(tx, step.job_id, ids))
    if walk.kind is PassKind.PLAN:
        _plan(tx, walk, recrawling)
        return 0
    if not passes.step(connection, walk, step.ids[-1] if step.ids else walk.last):
        return 0
    return len(requeue.put_back(tx, step.job_id, step.ids))


def next_due(connection: Connection, job_ids: Sequence[int], now: float) -> float | None:
    """When the first of these jobs has something to visit again; None for never."""
    if passes.under_way(connection, job_ids):
        return now
    moments = [_first_due.run(connection, id)[0][0] for id in job_ids]
    planned = [
        at
        for id, at in zip(job_ids, moments, strict=True)
        if at is not None and _spec(connection, id).recrawl is not None
    ]
    return min(planned, default=None)


def _plan(tx: LedgerTransaction, walk: Walk, recrawling: Recrawling) -> None:
    """For what was visited before the job began to recrawl."""
    connection, to = tx.connection, min(walk.after + STRIDE, walk.last)
    if not passes.step(connection, walk, to):
        return
    wanted = _spec(connection, walk.job_id).recrawl or 0.0
    rows = []
    span = {"job": walk.job_id, "after": walk.after, "to": to}
    for id, host, visited_at in connection.execute(_unplanned, span).all():
        interval = recrawling.first_interval(host, wanted)
        seen_at = tx.now if visited_at is None else visited_at
        rows.append((id, walk.job_id, seen_at + interval, interval, seen_at))
    write_plans.run(connection, rows)


def _worth_it(tx: LedgerTransaction, step: PassStep) -> list[int]:
    """Of a job that has all its pages, only those: what has none would wait in vain (URL-5), and
    is put off."""
    mine = sa.select(pages.c.target_id).where(pages.c.target_id.in_(step.ids))
    stored = set(tx.connection.execute(mine).scalars())
    tx.connection.execute(
        sa.update(plans)
        .where(plans.c.target_id.in_([id for id in step.ids if id not in stored]))
        .values(next_at=tx.now + plans.c.interval)
    )
    return [id for id in step.ids if id in stored]


def _is_running(connection: Connection, job_id: int) -> bool:
    return connection.execute(_state, {"job": job_id}).scalar() == JobState.RUNNING.value


def _spec(connection: Connection, job_id: int) -> JobSpec:
    text = connection.execute(_wishes, {"job": job_id}).scalar()
    return codec.spec(text) if text else JobSpec()
