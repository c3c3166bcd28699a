"""Deletion of a job, host by host in chunks: short transactions, each leaving the ledger whole.

So a crawl of other jobs can write in between, and what a crash leaves behind is a smaller job.
Bodies stay: a page of another job may have the same one, even one that is just being stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import locks
from tenax.adapters.sql.engine.bulk import Bulk, in_groups
from tenax.adapters.sql.frontier import near_duplicates, product_writes
from tenax.adapters.sql.frontier.tallies import StateTally
from tenax.adapters.sql.handled import notes
from tenax.adapters.sql.schema.tables import (
    attempts,
    consumers,
    cookies,
    crashes,
    dead_letters,
    handler_failures,
    handler_rates,
    handovers,
    jobs,
    lanes,
    link_sources,
    links,
    pages,
    posts,
    product_jobs,
    rejections,
    revisits,
    shapes,
    stat_hours,
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
OF_FORGOTTEN = (
    targets.c.id,
    targets.c.job_id,
    targets.c.host_id,
    targets.c.state,
    targets.c.due_at,
    pages.c.target_id.is_not(None).label("has_page"),
)
_next_targets = (
    sa.select(*OF_FORGOTTEN)
    .outerjoin(pages, pages.c.target_id == targets.c.id)
    .where(
        targets.c.host_id == sa.bindparam("host"),
        targets.c.job_id == sa.bindparam("job"),
        targets.c.state != State.LEASED.value,
    )
    .limit(sa.bindparam("most"))
)
_unvisited = _next_targets.where(
    targets.c.state == sa.text("'pending'"),
    targets.c.outcome.is_(None),
    targets.c.attempts == 0,
    pages.c.target_id.is_(None),
)
_uncount = Bulk(
    ("count", "stored", "host", "job"),
    lambda _: (
        sa.update(lanes)
        .where(lanes.c.host_id == sa.bindparam("host"), lanes.c.job_id == sa.bindparam("job"))
        .values(
            known=lanes.c.known - sa.bindparam("count"),
            pages=lanes.c.pages - sa.bindparam("stored"),
        )
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
    (posts, posts.c.target_id),
    (handovers, handovers.c.target_id),
    (dead_letters, dead_letters.c.target_id),
    (revisits, revisits.c.target_id),
    (product_jobs, product_jobs.c.target_id),
    (links, links.c.source_id),
    (link_sources, link_sources.c.target_id),
    (targets, targets.c.id),
)
OF_A_JOB = (
    (handler_rates, handler_rates.c.job_id),
    (handler_failures, handler_failures.c.job_id),
    (consumers, consumers.c.job_id),
    (cookies, cookies.c.job_id),
    (shapes, shapes.c.job_id),
    (wordings, wordings.c.job_id),
    (stats, stats.c.job_id),
    (stat_hours, stat_hours.c.job_id),
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


def clear(connection: Connection, job_id: int, after: int) -> tuple[int, int | None]:
    """Delete some of what waits and was never visited, at hosts behind this one."""
    locks.lock_whole_job(connection, job_id)
    some = _hosts.where(lanes.c.host_id > after)
    host_ids = connection.execute(some, {"job": job_id}).scalars().all()
    if not host_ids:
        return 0, None
    locks.lock_hosts(connection, host_ids)
    deleted = _delete_at(connection, job_id, host_ids, _unvisited)
    if deleted == CHUNK:
        return deleted, after
    return deleted, host_ids[-1] if len(host_ids) == _LANES else None


def _delete_at(
    connection: Connection,
    job_id: int,
    host_ids: Sequence[int],
    which: sa.Select[Any] = _next_targets,
) -> int:
    """Delete targets at these hosts; where the last one goes, the lane goes with it."""
    rows: list[sa.Row[Any]] = []
    visited: list[int] = []
    for host_id in host_ids:
        most = {"host": host_id, "job": job_id, "most": CHUNK - len(rows)}
        rows += connection.execute(which, most).all()
        visited.append(host_id)
        if len(rows) == CHUNK:
            break
    forget(connection, rows, {job_id: visited})
    return len(rows)


def forget(
    connection: Connection, rows: Sequence[sa.Row[Any]], lanes_at: Mapping[int, Sequence[int]]
) -> None:
    """Let go of targets and all that is of them, and of the lanes of these jobs and hosts that are
    empty then; totals follow. Rows have what `OF_FORGOTTEN` names; the caller holds the hosts."""
    tally = StateTally()
    near_duplicates.forget(connection, [row.id for row in rows if row.has_page], tally)
    _forget(connection, [row.id for row in rows])
    for (job_id, state), count in Counter((row.job_id, row.state) for row in rows).items():
        tally.deleted(job_id, State(state), count)
    for row in rows:
        is_pending = row.state == State.PENDING.value
        if row.has_page:
            tally.page(row.job_id, -1)
            tally.renewing(row.job_id, -int(is_pending))
        tally.unrendered(row.job_id, -int(is_pending and row.due_at >= FOR_A_BROWSER))
        tally.deferred(row.job_id, -int(is_pending and row.due_at == NEVER))
    known = Counter((row.host_id, row.job_id) for row in rows)
    stored = Counter((row.host_id, row.job_id) for row in rows if row.has_page)
    fewer = [(count, stored[place], *place) for place, count in sorted(known.items())]
    _uncount.run(connection, fewer)
    for job_id, host_ids in sorted(lanes_at.items()):
        connection.execute(_empty.where(lanes.c.job_id == job_id, lanes.c.host_id.in_(host_ids)))
    tally.write(connection)


def _forget(connection: Connection, ids: Sequence[int]) -> None:
    product_writes.release(connection, ids)
    notes.release(connection, ids)
    for some in in_groups(ids):
        for table, column in OF_A_TARGET:
            connection.execute(sa.delete(table).where(column.in_(some)))
