"""Lists of URLs by keyset pagination; what is rare is found by an index, or gathered and sorted.

A step looks at `WINDOW` rows at most. Failed, blocked, rejected and gone URLs have indexes of their
own. Of a job, a host or a state with no more than so many URLs all are gathered by the index that
leads to them; of larger ones every window has some.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec
from tenax.adapters.sql.engine.dialects import as_list, go_by_indexes, is_among
from tenax.adapters.sql.schema.tables import RARE, hosts, is_rare, jobs, lanes, revisits, targets
from tenax.model import FOR_A_BROWSER, State
from tenax.ports.overview import FoundStep, ListOrder, Sieve, UrlRecord

WINDOW = 5_000
"""Rows that one step looks at."""
_LANES = 200
_PER_LANE = 10
_MOST_SKIPPED = 2_000

_columns = (
    targets.c.id, targets.c.url, targets.c.state, targets.c.priority, targets.c.depth,
    targets.c.due_at, targets.c.attempts, targets.c.reason, targets.c.outcome, targets.c.cause,
    targets.c.found_at, hosts.c.origin, hosts.c.name.label("host"), jobs.c.name.label("job"),
    revisits.c.next_at,
)  # fmt: skip
_url = (
    sa.select(*_columns)
    .join(hosts, hosts.c.id == targets.c.host_id)
    .join(jobs, jobs.c.id == targets.c.job_id)
    .outerjoin(revisits, revisits.c.target_id == targets.c.id)
)
_pending = targets.c.state == sa.text("'pending'")
_whole = (hosts.c.origin + targets.c.url).label("whole")


def find(
    connection: Connection, sieve: Sieve, after: int, limit: int
) -> tuple[list[UrlRecord], int | None]:
    go_by_indexes(connection)
    place = place_of(connection, sieve.job, sieve.host)
    if place is None:
        return [], None
    if sieve.order is ListOrder.NEXT:
        return _in_line(connection, place, sieve, after, limit)
    is_newest = sieve.order is ListOrder.NEWEST
    gathered = _gathered(connection, sieve, place)
    end: int | None = None
    id: sa.ColumnElement[int] = targets.c.id
    named: dict[str, Any] = {}
    query = _narrowed(_url, sieve, place)
    if gathered is None:
        window = _indexed(sa.select(targets.c.id), sieve, place)
        end = end_of(connection, window, targets.c.id, after, newest=is_newest)
        query = _indexed(query, sieve, place)
    else:
        # Named one by one: of a query PostgreSQL may think otherwise, and read all of a large job.
        named["gathered"] = as_list(connection, connection.execute(gathered).scalars())
        query = query.where(is_among(connection, targets.c.id, "gathered"))
        # By what was gathered, not by the order of all rows.
        id = targets.c.id + 0
    query = between(query, targets.c.id, after, end, newest=is_newest)
    query = query.order_by(id.desc() if is_newest else id).limit(limit)
    rows = connection.execute(query, named).all()
    return [_record(row) for row in rows], rows[-1].id if len(rows) == limit else end


class ListPlace(NamedTuple):
    """What the names of a filter stand for."""

    job_id: int | None
    host_id: int | None


def place_of(connection: Connection, job: str | None, host: str | None) -> ListPlace | None:
    """None where there is no such job, or no such host."""
    ids: list[int | None] = []
    for table, name in ((jobs, job), (hosts, host)):
        if name is None:
            ids.append(None)
            continue
        found = connection.execute(sa.select(table.c.id).where(table.c.name == name)).scalar()
        if found is None:
            return None
        ids.append(found)
    return ListPlace(*ids)


def few_of(connection: Connection, place: ListPlace) -> sa.Select[Any] | None:
    """The ids of all targets of a job or a host, where they are few; None where they are many."""
    if place == ListPlace(None, None):
        return None
    here = [
        column == id
        for column, id in ((lanes.c.host_id, place.host_id), (lanes.c.job_id, place.job_id))
        if id is not None
    ]
    some = sa.select(lanes.c.known).where(*here).limit(WINDOW + 1).subquery()
    count, known = connection.execute(
        sa.select(sa.func.count(), sa.func.sum(some.c.known)).select_from(some)
    ).one()
    if count > WINDOW or (known or 0) > WINDOW:
        return None
    at_lane = sa.and_(targets.c.host_id == lanes.c.host_id, targets.c.job_id == lanes.c.job_id)
    return sa.select(targets.c.id).select_from(lanes).join(targets, at_lane).where(*here)


def end_of(
    connection: Connection, window: sa.Select[Any], id: sa.Column[Any], after: int, *, newest: bool
) -> int | None:
    """The last id that this step looks at; None when it reaches the end of the list."""
    window = between(window, id, after, None, newest=newest)
    found = window.order_by(id.desc() if newest else id).limit(WINDOW).subquery()
    last = sa.func.min(found.c[0]) if newest else sa.func.max(found.c[0])
    count, end = connection.execute(sa.select(sa.func.count(), last)).one()
    return end if count == WINDOW else None


def window_of(
    connection: Connection, window: sa.Select[Any], id: sa.Column[Any], after: int, *, newest: bool
) -> list[int]:
    """The ids of all that this step looks at, in order."""
    window = between(window, id, after, None, newest=newest)
    ordered = window.order_by(id.desc() if newest else id).limit(WINDOW)
    return [*connection.execute(ordered).scalars()]


def between(
    query: sa.Select[Any], id: sa.Column[Any], after: int, end: int | None, *, newest: bool
) -> sa.Select[Any]:
    if after:
        query = query.where(id < after if newest else id > after)
    if end is not None:
        query = query.where(id >= end if newest else id <= end)
    return query


def _gathered(connection: Connection, sieve: Sieve, place: ListPlace) -> sa.Select[Any] | None:
    """The ids of all that may be meant, where an index leads to them and they are few."""
    if sieve.state in RARE:
        return None
    if sieve.state is State.LEASED:
        # As many as workers have in hand.
        return sa.select(targets.c.id).where(targets.c.lease_id.is_not(None))
    few = few_of(connection, place)
    if few is None and sieve.state is State.PENDING:
        waiting = sa.select(targets.c.id).where(_pending)
        some = waiting.limit(WINDOW + 1).subquery()
        if connection.execute(sa.select(sa.func.count()).select_from(some)).scalar_one() <= WINDOW:
            return waiting
    return few


def _indexed(query: sa.Select[Any], sieve: Sieve, place: ListPlace) -> sa.Select[Any]:
    """What an index of its own answers: rare states, of a job or of a host."""
    if sieve.state not in RARE:
        return query
    query = query.where(is_rare, targets.c.rare == sieve.state.value)
    if place.host_id is not None:
        return query.where(targets.c.host_id == place.host_id)
    return query if place.job_id is None else query.where(targets.c.job_id == place.job_id)


def _narrowed(query: sa.Select[Any], sieve: Sieve, place: ListPlace) -> sa.Select[Any]:
    for column, wanted in (
        (targets.c.job_id, place.job_id),
        (targets.c.host_id, place.host_id),
        # Not the column itself, or SQLite would look at all that waits, by the index of it.
        (targets.c.state.concat(""), sieve.state and sieve.state.value),
    ):
        if wanted is not None:
            query = query.where(column == wanted)
    if sieve.reason is not None:
        told = (targets.c.reason, targets.c.cause, targets.c.outcome)
        query = query.where(sa.or_(*(column == sieve.reason for column in told)))
    if sieve.contains:
        query = query.where(_whole.icontains(sieve.contains, autoescape=True))
    return query


def _in_line(
    connection: Connection, place: ListPlace, sieve: Sieve, skip: int, limit: int
) -> tuple[list[UrlRecord], int | None]:
    """The first in line at each host: by when the host may be asked, then by priority."""
    if skip > _MOST_SKIPPED:
        return [], None
    ready = sa.select(lanes.c.host_id, lanes.c.job_id, lanes.c.ready_at).where(
        lanes.c.ready_at.is_not(None)
    )
    if place.host_id is not None:
        ready = ready.where(lanes.c.host_id == place.host_id)
    if place.job_id is not None:
        ready = ready.where(lanes.c.job_id == place.job_id)
    found = connection.execute(ready.order_by(lanes.c.ready_at).limit(_LANES)).all()
    each = skip + limit + 1 if len(found) == 1 else max(_PER_LANE, -(-limit // max(1, len(found))))
    line: list[tuple[float, int, UrlRecord]] = []
    for host_id, job_id, ready_at in found:
        waiting = _url.where(
            _pending, targets.c.host_id == host_id, targets.c.job_id == job_id
        ).order_by(targets.c.priority, targets.c.due_at)
        if sieve.contains:
            waiting = waiting.where(_whole.icontains(sieve.contains, autoescape=True))
        for row in connection.execute(waiting.limit(each)):
            if row.due_at < FOR_A_BROWSER:
                line.append((max(ready_at, row.due_at), row.priority, _record(row)))
    line.sort(key=lambda place: (place[:2], place[2].id))
    shown = [record for *_, record in line[skip : skip + limit]]
    return shown, skip + limit if len(line) > skip + limit else None


def way_to(connection: Connection, target_id: int, most: int) -> list[FoundStep]:
    step = (
        sa.select(targets, hosts.c.origin)
        .join(hosts, hosts.c.id == targets.c.host_id)
        .where(targets.c.id == sa.bindparam("target"))
    )
    found: list[FoundStep] = []
    seen: set[int] = set()
    here: int | None = target_id
    while here is not None and here not in seen and len(found) < most:
        seen.add(here)
        row = connection.execute(step, {"target": here}).first()
        if row is None:
            break  # deleted since
        url = codec.full_url(row.url, row.origin)
        found.append(FoundStep(url, row.depth, State(row.state), row.outcome, row.found_at))
        here = row.found_on
    return found


def _record(row: Any) -> UrlRecord:
    is_pending = row.state == State.PENDING.value
    is_due = is_pending and 0 < row.due_at < FOR_A_BROWSER
    return UrlRecord(
        id=row.id,
        job=row.job,
        host=row.host,
        url=codec.full_url(row.url, row.origin),
        state=State(row.state),
        priority=row.priority,
        depth=row.depth,
        due_at=row.due_at if is_due else None,
        attempts=row.attempts,
        reason=row.reason or "",
        outcome=row.outcome,
        cause=row.cause or "",
        found_at=row.found_at,
        next_crawl_at=row.next_at,
    )
