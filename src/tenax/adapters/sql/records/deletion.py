"""Deletion of a job, host by host in chunks: short transactions, each leaving the ledger whole.

So a crawl of other jobs can write in between, and what a crash leaves behind is a smaller job.
Bodies stay: a page of another job may have the same one, even one that is just being stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import locks
from tenax.adapters.sql.engine.bulk import Bulk, in_groups
from tenax.adapters.sql.frontier import near_duplicates, product_writes
from tenax.adapters.sql.frontier.tallies import StateTally
from tenax.adapters.sql.schema.tables import (
    attempts,
    crashes,
    dead_letters,
    jobs,
    lanes,
    link_sources,
    links,
    pages,
    product_jobs,
    rejections,
    revisits,
    shapes,
    stats,
    tallies,
    targets,
    walks,
    wordings,
)
from tenax.model import FOR_A_BROWSER, JobState, State
from tenax.outcome import NEVER
from tenax.ports import Deleted

CHUNK = 1_000
"""Targets deleted by one transaction, at most."""
_LANES = 200
"""Hosts looked at by one transaction, at most."""

_hosts = (
    sa.select(lanes.c.host_id)
    .where(lanes.c.job_id == sa.bindparam("job"))
    .order_by(lanes.c.host_id)
    .limit(_LANES)
)
_next_targets = (
    sa.select(
        targets.c.id,
        targets.c.state,
        targets.c.due_at,
        pages.c.target_id.is_not(None).label("has_page"),
    )
    .outerjoin(pages, pages.c.target_id == targets.c.id)
    .where(
        targets.c.host_id == sa.bindparam("host"),
        targets.c.job_id == sa.bindparam("job"),
        targets.c.state != State.LEASED.value,
    )
    .limit(sa.bindparam("most"))
)
_uncount = Bulk(
    ("count", "host", "job"),
    lambda _: (
        sa.update(lanes)
        .where(lanes.c.host_id == sa.bindparam("host"), lanes.c.job_id == sa.bindparam("job"))
        .values(known=lanes.c.known - sa.bindparam("count"))
    ),
)
_empty = sa.delete(lanes).where(
    ~sa.exists().where(targets.c.host_id == lanes.c.host_id, targets.c.job_id == lanes.c.job_id)
)
_held = sa.select(sa.func.count(targets.c.id)).where(
    targets.c.job_id == sa.bindparam("job"), targets.c.lease_id.is_not(None)
)
OF_A_TARGET = (
    (pages, pages.c.target_id),
    (attempts, attempts.c.target_id),
    (crashes, crashes.c.target_id),
    (dead_letters, dead_letters.c.target_id),
    (revisits, revisits.c.target_id),
    (product_jobs, product_jobs.c.target_id),
    (links, links.c.source_id),
    (link_sources, link_sources.c.target_id),
    (targets, targets.c.id),
)
OF_A_JOB = (
    (shapes, shapes.c.job_id),
    (wordings, wordings.c.job_id),
    (stats, stats.c.job_id),
    (rejections, rejections.c.job_id),
    (revisits, revisits.c.job_id),
    (walks, walks.c.job_id),
    (tallies, tallies.c.job_id),
    (jobs, jobs.c.id),
)


def step(connection: Connection, job_id: int) -> Deleted:
    """Delete some of the job's targets, and with the last of them the job."""
    locks.lock_whole_job(connection, job_id)
    connection.execute(
        sa.update(jobs).where(jobs.c.id == job_id).values(state=JobState.STOPPED.value)
    )
    host_ids = connection.execute(_hosts, {"job": job_id}).scalars().all()
    locks.lock_hosts(connection, host_ids)
    deleted = _delete_at(connection, job_id, host_ids)
    if deleted == CHUNK or (deleted and len(host_ids) == _LANES):
        return Deleted(deleted)
    held = connection.execute(_held, {"job": job_id}).scalar_one()
    if held or connection.execute(_hosts, {"job": job_id}).first():
        return Deleted(deleted, held)
    for table, column in OF_A_JOB:
        connection.execute(sa.delete(table).where(column == job_id))
    return Deleted(deleted, is_gone=True)


def _delete_at(connection: Connection, job_id: int, host_ids: Sequence[int]) -> int:
    """Delete targets at these hosts; where the last one goes, the lane goes with it."""
    rows: list[sa.Row[Any]] = []
    known: list[tuple[Any, ...]] = []
    for host_id in host_ids:
        most = {"host": host_id, "job": job_id, "most": CHUNK - len(rows)}
        here = connection.execute(_next_targets, most).all()
        known.append((len(here), host_id, job_id))
        rows += here
        if len(rows) == CHUNK:
            break
    tally = StateTally()
    near_duplicates.forget(connection, [row.id for row in rows if row.has_page], tally)
    _forget(connection, [row.id for row in rows])
    for state, count in Counter(row.state for row in rows).items():
        tally.deleted(job_id, State(state), count)
    stored = [row.state for row in rows if row.has_page]
    tally.page(job_id, -len(stored))
    tally.renewing(job_id, -stored.count(State.PENDING.value))
    parked = sum(row.state == State.PENDING.value and row.due_at >= FOR_A_BROWSER for row in rows)
    tally.unrendered(job_id, -parked)
    deferred = sum(row.state == State.PENDING.value and row.due_at == NEVER for row in rows)
    tally.deferred(job_id, -deferred)
    _uncount.run(connection, known)
    visited = [host_id for _, host_id, _ in known]
    connection.execute(_empty.where(lanes.c.job_id == job_id, lanes.c.host_id.in_(visited)))
    tally.write(connection)
    return len(rows)


def _forget(connection: Connection, ids: Sequence[int]) -> None:
    product_writes.release(connection, ids)
    for some in in_groups(ids):
        for table, column in OF_A_TARGET:
            connection.execute(sa.delete(table).where(column.in_(some)))
