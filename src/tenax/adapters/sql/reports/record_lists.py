"""Lists of records of one's own in bounded steps: by one index, a window of it at a time."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.dialects import go_by_indexes
from tenax.adapters.sql.handled.book import find_query, stored
from tenax.adapters.sql.schema.tables import hosts, jobs, records
from tenax.ports.handled import RecordFilter, StoredRecord

WINDOW = 5_000


def find(
    connection: Connection, wanted: RecordFilter, after: int, limit: int
) -> tuple[list[StoredRecord], int | None]:
    """Behind the record of this id, and where to go on; None at the end."""
    go_by_indexes(connection)
    end: int | None = None
    if wanted.targets is None and not _are_few(connection, wanted):
        id = records.c.id
        window = _lead(wanted).where(id > after).order_by(id).limit(WINDOW).subquery()
        count, last = connection.execute(sa.select(sa.func.count(), sa.func.max(window.c[0]))).one()
        # Behind the last of all nothing is: 0 for a window that has none.
        end = (last or after) if count < WINDOW else last
        goes_on = count == WINDOW
    else:
        goes_on = False
    query = find_query(wanted, after, limit, end)
    found = [stored(row) for row in connection.execute(query)]
    if len(found) == limit:
        return found, found[-1].id
    return found, end if goes_on else None


def _are_few(connection: Connection, wanted: RecordFilter) -> bool:
    """Whether what has changed since can be put in order for one answer."""
    if wanted.changed_since is None:
        return False
    since = records.c.changed_at >= wanted.changed_since
    some = sa.select(records.c.id).where(since).limit(WINDOW + 1).subquery()
    counted = connection.execute(sa.select(sa.func.count()).select_from(some)).scalar_one()
    return int(counted) <= WINDOW


def _lead(wanted: RecordFilter) -> sa.Select[Any]:
    """The ids among which the list is looked for, in the order of one index."""
    ids = sa.select(records.c.id)
    if wanted.name is not None:
        return ids.where(records.c.name == wanted.name)
    if wanted.job is not None:
        job = sa.select(jobs.c.id).where(jobs.c.name == wanted.job).scalar_subquery()
        return ids.where(records.c.job_id == job)
    if wanted.host is not None:
        host = sa.select(hosts.c.id).where(hosts.c.name == wanted.host).scalar_subquery()
        return ids.where(records.c.host_id == host)
    return ids
