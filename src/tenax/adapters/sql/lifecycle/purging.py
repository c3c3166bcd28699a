"""Purging of stored pages, some in each transaction; each leaves the ledger whole.

A URL whose page is purged stays as it is, and is fetched anew when it is visited again. Products
and their prices stay, and so do bodies: a page of another job may have the same one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import locks
from tenax.adapters.sql.engine.bulk import in_groups
from tenax.adapters.sql.frontier import commit_sql, near_duplicates
from tenax.adapters.sql.frontier.tallies import StateTally
from tenax.adapters.sql.schema.tables import hosts, jobs, link_sources, links, pages, targets
from tenax.model import State
from tenax.ports import PageChoice

CHUNK = 500
"""Pages purged by one transaction, at most."""
WINDOW = 5_000
"""Pages that one step looks at."""

_candidate = (
    sa.select(pages.c.target_id, targets.c.host_id, targets.c.job_id, targets.c.state)
    .join(targets, targets.c.id == pages.c.target_id)
    .join(hosts, hosts.c.id == targets.c.host_id)
    .join(jobs, jobs.c.id == targets.c.job_id)
)


def step(
    connection: Connection, which: PageChoice, after: int, *, dry: bool
) -> tuple[int, int | None]:
    """Purge some of those behind this id, or only count them."""
    id = pages.c.target_id
    window = sa.select(id).where(id > after).order_by(id).limit(WINDOW).subquery()
    count, end = connection.execute(
        sa.select(sa.func.count(), sa.func.max(window.c.target_id))
    ).one()
    if not count:
        return 0, None
    query = _chosen(which).where(id > after, id <= end).order_by(id)
    found = connection.execute(query if dry else query.limit(CHUNK)).all()
    last = end if count == WINDOW else None
    if dry:
        return len(found), last
    last = found[-1].target_id if len(found) == CHUNK else last
    return _purge(connection, which, found), last


def _chosen(which: PageChoice) -> sa.Select[Any]:
    # What a worker has in hand is about to be written, with a page or without.
    query = _candidate.where(targets.c.lease_id.is_(None))
    if which.job is not None:
        query = query.where(jobs.c.name == which.job)
    if which.host is not None:
        query = query.where(hosts.c.name == which.host)
    if which.fetched_before is not None:
        query = query.where(pages.c.fetched_at < which.fetched_before)
    if which.contains:
        whole = hosts.c.origin + targets.c.url
        query = query.where(
            sa.or_(
                whole.icontains(which.contains, autoescape=True),
                pages.c.title.icontains(which.contains, autoescape=True),
            )
        )
    return query


def _purge(connection: Connection, which: PageChoice, found: Sequence[Any]) -> int:
    locks.lock_hosts(connection, {row.host_id for row in found})
    ids = [row.target_id for row in found]
    # Read again, now that nobody else changes them.
    rows = [
        row
        for some in in_groups(ids)
        for row in connection.execute(_chosen(which).where(pages.c.target_id.in_(some)))
    ]
    ids = [row.target_id for row in rows]
    tally = StateTally()
    near_duplicates.part(connection, ids, tally)
    for some in in_groups(ids):
        for table, column in (
            (links, links.c.source_id),
            (link_sources, link_sources.c.target_id),
            (pages, pages.c.target_id),
        ):
            connection.execute(sa.delete(table).where(column.in_(some)))
    for row in rows:
        tally.page(row.job_id, -1)
        if row.state == State.PENDING.value:
            tally.renewing(row.job_id, -1)
    counts = Counter((row.host_id, row.job_id) for row in rows)
    locks.lock_lanes(connection, {host_id for host_id, _ in counts})
    fewer = [(-count, *place) for place, count in sorted(counts.items())]
    commit_sql.count_pages.run(connection, fewer)
    tally.write(connection)
    return len(rows)
