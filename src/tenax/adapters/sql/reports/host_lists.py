"""Lists of hosts: by name in bounded steps, or the largest first where they are not too many."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec
from tenax.adapters.sql.schema.tables import assignments, hosts, lanes, targets
from tenax.outcome import NEVER
from tenax.ports.overview import HostSieve, HostSight, HostSort, TooMany

WINDOW = 20_000
"""Names that one step looks at, by the index of names alone."""
MOST_SORTED = 20_000
"""Places of jobs at hosts that are added up and put in order for one answer."""
_MOST_WAITING = 1_000

_of_host = lanes.c.host_id == hosts.c.id
_known, _pages, _ready = (
    sa.select(total).where(_of_host).scalar_subquery()
    for total in (
        sa.func.sum(lanes.c.known),
        sa.func.sum(lanes.c.pages),
        sa.func.min(lanes.c.ready_at),
    )
)
_holders = (
    sa.select(sa.func.count(sa.distinct(assignments.c.worker_id)))
    .where(assignments.c.host_id == hosts.c.id)
    .scalar_subquery()
)
_host = sa.select(
    hosts,
    _known.label("known"),
    _pages.label("pages"),
    _ready.label("ready_at"),
    _holders.label("holders"),
)
_waiting = sa.select(sa.func.count()).select_from(
    sa.select(targets.c.id)
    .where(targets.c.host_id == sa.bindparam("host"), targets.c.state == sa.text("'pending'"))
    .limit(sa.bindparam("most"))
    .subquery()
)
# As the index has it, or SQLite would not see that it answers this.
_is_troubled = hosts.c.troubled == sa.true()


def by_name(
    connection: Connection, sieve: HostSieve, after: str, limit: int
) -> tuple[list[HostSight], str | None]:
    window = _narrowed(sa.select(hosts.c.name), sieve).where(hosts.c.name > after)
    some = window.order_by(hosts.c.name).limit(WINDOW).subquery()
    count, last = connection.execute(sa.select(sa.func.count(), sa.func.max(some.c.name))).one()
    query = _narrowed(_host, sieve).where(hosts.c.name > after)
    if sieve.contains:
        query = query.where(hosts.c.name.contains(sieve.contains.lower(), autoescape=True))
    if count == WINDOW:
        query = query.where(hosts.c.name <= last)
    rows = connection.execute(query.order_by(hosts.c.name).limit(limit)).all()
    end = last if count == WINDOW else None
    return _sights(connection, rows), rows[-1].name if len(rows) == limit else end


def largest(
    connection: Connection, sieve: HostSieve, by: HostSort, skip: int, limit: int
) -> list[HostSight] | TooMany:
    some = sa.select(lanes.c.host_id).limit(MOST_SORTED + 1).subquery()
    if connection.execute(sa.select(sa.func.count()).select_from(some)).scalar_one() > MOST_SORTED:
        return TooMany(MOST_SORTED)
    column = lanes.c.known if by is HostSort.KNOWN else lanes.c.pages
    sums = (
        sa.select(lanes.c.host_id, sa.func.sum(column).label("size"))
        .group_by(lanes.c.host_id)
        .subquery()
    )
    query = _narrowed(_host, sieve).join(sums, sums.c.host_id == hosts.c.id)
    if sieve.contains:
        query = query.where(hosts.c.name.contains(sieve.contains.lower(), autoescape=True))
    query = query.order_by(sums.c.size.desc(), hosts.c.name).offset(skip).limit(limit)
    return _sights(connection, connection.execute(query).all())


def one(connection: Connection, name: str) -> HostSight | None:
    rows = connection.execute(_host.where(hosts.c.name == name)).all()
    return next(iter(_sights(connection, rows)), None)


def _narrowed(query: sa.Select[Any], sieve: HostSieve) -> sa.Select[Any]:
    return query.where(_is_troubled) if sieve.troubled else query


def _sights(connection: Connection, rows: Any) -> list[HostSight]:
    return [
        HostSight(
            host=codec.host(row.id, row.name, row.origin, row.paused, row.state),
            known=int(row.known or 0),
            ready_at=row.ready_at if (row.ready_at or 0.0) < NEVER else None,
            holders=row.holders,
            pages=int(row.pages or 0),
            waiting=connection.execute(
                _waiting, {"host": row.id, "most": _MOST_WAITING}
            ).scalar_one(),
        )
        for row in rows
    ]
