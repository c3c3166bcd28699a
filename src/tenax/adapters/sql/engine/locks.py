"""Row locks on PostgreSQL, taken in one order against deadlocks; SQLite needs none.

SQLite's writers follow one another: there nothing of this is asked. On PostgreSQL whoever changes
what belongs to a host holds its row, and everybody locks in this order, so that nobody waits in a
circle: jobs, hosts by id, new hosts by name, new targets by key, targets of one's own hosts, lanes
by host and job, deaths, totals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import Lookup, Statement
from tenax.adapters.sql.schema.tables import assignments, hosts, jobs, lanes, pages, targets

_hosts = Lookup(
    sa.select(hosts.c.id).order_by(hosts.c.id).with_for_update(key_share=True), hosts.c.id
)
_free_hosts = Lookup(
    sa.select(hosts.c.id).with_for_update(key_share=True, skip_locked=True), hosts.c.id
)
_lanes = Lookup(
    sa.select(lanes.c.host_id).order_by(lanes.c.host_id, lanes.c.job_id).with_for_update(),
    lanes.c.host_id,
)
_jobs = Lookup(sa.select(jobs.c.id).order_by(jobs.c.id).with_for_update(key_share=True), jobs.c.id)
_whole_job = Lookup(sa.select(jobs.c.id).with_for_update(), jobs.c.id)
_assignments = Lookup(
    sa.select(assignments.c.id, assignments.c.host_id).order_by(assignments.c.id).with_for_update(),
    assignments.c.id,
)
_hosts_of_assignments = Lookup(sa.select(assignments.c.id, assignments.c.host_id), assignments.c.id)
_hosts_of_targets = Lookup(sa.select(targets.c.host_id).distinct(), targets.c.id)
_originals = Lookup(
    sa.select(pages.c.target_id)
    .where(pages.c.duplicate_of.is_(None), pages.c.simhash.is_not(None))
    .order_by(pages.c.target_id)
    .with_for_update(read=True),
    pages.c.target_id,
)
_pages = Lookup(
    sa.select(pages.c.target_id).order_by(pages.c.target_id).with_for_update(), pages.c.target_id
)
_by_name = Statement(
    ("name",),
    lambda _: sa.select(sa.func.pg_advisory_xact_lock(_number_of_name())),
)
_try_by_name = Statement(
    ("name",),
    lambda _: sa.select(sa.func.pg_try_advisory_xact_lock(_number_of_name())),
)


def _number_of_name() -> sa.ColumnElement[int]:
    return sa.func.hashtextextended(sa.bindparam("name", type_=sa.String), sa.literal_column("0"))


def are_needed(connection: Connection) -> bool:
    return connection.dialect.name == "postgresql"


def lock_hosts(connection: Connection, ids: Iterable[int]) -> None:
    _run(_hosts, connection, ids)


def try_host(connection: Connection, id: int) -> bool:
    """Whether nobody else had it."""
    return not are_needed(connection) or bool(_free_hosts.run(connection, [id]))


def lock_lanes(connection: Connection, host_ids: Iterable[int]) -> None:
    """Before looking what waits there: who adds something holds the lane until it is there."""
    _run(_lanes, connection, host_ids)


def lock_jobs(connection: Connection, ids: Iterable[int]) -> None:
    """Of jobs with a limit that several workers must not exceed together."""
    _run(_jobs, connection, ids)


def lock_whole_job(connection: Connection, id: int) -> None:
    """Nobody is adding anything to it."""
    _run(_whole_job, connection, [id])


def lock_assignments(connection: Connection, ids: Iterable[int]) -> None:
    _run(_assignments, connection, ids)


def hosts_of(connection: Connection, assignment_ids: Iterable[int]) -> set[int]:
    """The hosts of those of these assignments that are there."""
    return {host_id for _, host_id in _hosts_of_assignments.run(connection, assignment_ids)}


def lock_hosts_of_targets(connection: Connection, ids: Iterable[int]) -> None:
    if are_needed(connection):
        rows = _hosts_of_targets.run(connection, ids)
        lock_hosts(connection, [host_id for (host_id,) in rows])


def lock_pages(connection: Connection, ids: Iterable[int]) -> None:
    """Originals that may go: whoever has just found one like them is waited for."""
    _run(_pages, connection, ids)


def still_originals(connection: Connection, ids: set[int]) -> set[int]:
    """Those of them that are; they stay so until the transaction ends."""
    if not ids or not are_needed(connection):
        return ids
    return {id for (id,) in _originals.run(connection, ids)}


def lock_unit(connection: Connection, unit: str) -> None:
    if are_needed(connection):
        _by_name.run(connection, unit)


def try_unit(connection: Connection, unit: str) -> bool:
    """Whether nobody else is deciding about it."""
    if not are_needed(connection):
        return True
    ((is_free,),) = _try_by_name.run(connection, unit)
    return bool(is_free)


def _run(lock: Lookup, connection: Connection, ids: Iterable[int]) -> None:
    if not are_needed(connection):
        return
    wanted: Sequence[int] = sorted(set(ids))
    if wanted:
        lock.run(connection, wanted)
