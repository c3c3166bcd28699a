"""The index reads of a claim: hosts due by `lanes.ready_at`, then their targets by priority."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import Statement
from tenax.adapters.sql.schema.tables import crashes, hosts, lanes, pages, targets
from tenax.model import FOR_A_BROWSER
from tenax.urls.priority import ASKED, FIRST, GRANTED, LAST, LEAST

T = TypeVar("T")
Row = tuple[Any, ...]
_PRIORITY = 4
_LATE = 8
"""Deferred targets that are handed out at once."""

_ready = (
    sa.select(lanes.c.host_id)
    .where(lanes.c.job_id == sa.bindparam("job"), lanes.c.ready_at <= sa.bindparam("now"))
    .order_by(lanes.c.ready_at)
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_waiting = sa.and_(
    targets.c.host_id == sa.bindparam("host"),
    targets.c.job_id == sa.bindparam("job"),
    # A literal, or SQLite would not see that the partial index applies.
    targets.c.state == sa.text("'pending'"),
)
_leased = (
    sa.select(targets.c.id, targets.c.job_id, targets.c.url, targets.c.depth, targets.c.priority,
              targets.c.attempts, targets.c.role, targets.c.due_at, crashes.c.count,
              sa.func.coalesce(pages.c.checked_at, pages.c.fetched_at), pages.c.etag,
              pages.c.last_modified, pages.c.digest, pages.c.words, pages.c.links,
              pages.c.final_url)
    .outerjoin(crashes, crashes.c.target_id == targets.c.id)
    .outerjoin(pages, pages.c.target_id == targets.c.id)
    .order_by(targets.c.priority, targets.c.due_at, targets.c.id)
)  # fmt: skip
_next = _leased.where(_waiting, targets.c.due_at <= sa.bindparam("now")).limit(
    sa.bindparam("most", type_=sa.Integer)
)
of_lease = _leased.where(targets.c.lease_id == sa.bindparam("lease"))
"""The targets of an assignment, as `codec.leased` takes them."""


# A target to be visited again has a moment when it is due; nearly all new ones have 0. Told every
# priority there is, the index goes to the first such moment of each, past any number of new ones.
def _any_of(priorities: range) -> sa.ColumnElement[bool]:
    return targets.c.priority.in_([sa.literal_column(str(n)) for n in priorities])


_any_priority = _any_of(range(FIRST, LEAST + 1))
_renews = sa.and_(
    _any_priority,
    targets.c.due_at > 0,
    pages.c.target_id.is_not(None),
)
_renewals = _next.where(_renews)
_ready_renewals = _ready.where(
    sa.select(targets.c.id)
    .join(pages, pages.c.target_id == targets.c.id)
    .where(
        targets.c.host_id == lanes.c.host_id,
        targets.c.job_id == lanes.c.job_id,
        targets.c.state == sa.text("'pending'"),
        targets.c.due_at <= sa.bindparam("now"),
        _renews,
    )
    .correlate(lanes)
    .exists()
)

# In the same way past any number of those that are left: the deepest of what is deferred.
_deepest = (
    _leased.order_by(None)
    .where(_waiting, _any_of(range(LAST + 1, GRANTED)), targets.c.due_at <= sa.bindparam("now"))
    .order_by(targets.c.priority.desc(), targets.c.due_at.desc(), targets.c.id.desc())
    .limit(sa.literal_column(str(_LATE)))
)

# What waits for a browser is found in the same way, and by nobody else.
_for_browser = sa.and_(_any_priority, targets.c.due_at >= sa.literal_column(str(FOR_A_BROWSER)))
_next_for_browser = _leased.where(_waiting, _for_browser).limit(
    sa.bindparam("most", type_=sa.Integer)
)
_ready_for_browser = (
    sa.select(lanes.c.host_id)
    .where(
        lanes.c.job_id == sa.bindparam("job"),
        lanes.c.ready_at.is_not(None),
        sa.select(targets.c.id)
        .where(
            targets.c.host_id == lanes.c.host_id,
            targets.c.job_id == lanes.c.job_id,
            targets.c.state == sa.text("'pending'"),
            _for_browser,
        )
        .correlate(lanes)
        .exists(),
    )
    .order_by(lanes.c.host_id)
)


# On PostgreSQL a claim passes over hosts that somebody else is changing, and locks what it finds.
def _unlocked(ready: sa.Select[Any]) -> sa.Select[Any]:
    found = ready.join(hosts, hosts.c.id == lanes.c.host_id)
    return found.with_for_update(of=hosts, key_share=True, skip_locked=True)


def _for_claims(ready: sa.Select[Any]) -> Statement:
    unlocked = _unlocked(ready)
    return Statement(
        ("job", "now", "most"),
        lambda made: unlocked if made.dialect.name == "postgresql" else ready,
    )


hosts_for_browser = Statement(("job",), lambda _: _ready_for_browser)
"""Hosts of a job where something waits for a browser: a look at the index for each host it has."""
_ready_hosts = _for_claims(_ready)
_ready_to_renew = _for_claims(_ready_renewals)
_AT = ("host", "job", "now")
_next_targets = Statement((*_AT, "most"), lambda _: _next)
_deepest_at = Statement(_AT, lambda _: _deepest)
_next_for_browser_at = Statement(("host", "job", "most"), lambda _: _next_for_browser)
_next_renewals = Statement((*_AT, "most"), lambda _: _renewals)
_any_due = Statement(
    _AT,
    lambda _: (
        sa.select(targets.c.id).where(_waiting, targets.c.due_at <= sa.bindparam("now")).limit(1)
    ),
)
_earliest = Statement(
    ("host", "job"), lambda _: sa.select(sa.func.min(targets.c.due_at)).where(_waiting)
)


def ready_hosts(connection: Connection, job_id: int, now: float, most: int) -> list[int]:
    """Hosts that have had work for the job longest."""
    return [id for (id,) in _ready_hosts.run(connection, job_id, now, most)]


def ready_renewals(connection: Connection, job_id: int, now: float, most: int) -> list[int]:
    """Those of them with pages to visit again."""
    return [id for (id,) in _ready_to_renew.run(connection, job_id, now, most)]


def next_targets(
    connection: Connection, host_id: int, job_id: int, now: float, most: int
) -> Sequence[Row]:
    """The most urgent ones, as `codec.leased` takes them."""
    return _next_targets.run(connection, host_id, job_id, now, most)


def few_deferred(
    connection: Connection, host_id: int, job_id: int, now: float, rows: Sequence[Row]
) -> Sequence[Row]:
    """Of what is deferred no more at once, or all of a level would be visited before what it leads
    to (URL-6)."""
    late = [row for row in rows if LAST < row[_PRIORITY] < ASKED]
    if len(late) <= _LATE:
        return rows
    few = from_both_ends(late, _deepest_at.run(connection, host_id, job_id, now))
    others = [row for row in rows if not LAST < row[_PRIORITY] < ASKED]
    return sorted([*others, *few], key=itemgetter(_PRIORITY))


def from_both_ends(nearest: Sequence[Row], deepest: Sequence[Row]) -> list[Row]:
    """Half of them the nearest, as what is made up leads away from what is not, and half the
    deepest, where the ends are."""
    half = nearest[: _LATE // 2]
    few = {row[0]: row for row in (*half, *deepest[: _LATE // 2], *nearest)}
    return [*few.values()][:_LATE]


def in_turns(queues: Sequence[list[T]]) -> list[T]:
    """The first of each, then the second ones."""
    if len(queues) == 1:
        return queues[0]
    rounds = max(map(len, queues), default=0)
    return [queue[i] for i in range(rounds) for queue in queues if i < len(queue)]


def next_targets_each(
    connection: Connection, wanted: Sequence[tuple[int, int, float, int]]
) -> list[Sequence[Row]]:
    """The same for many (host, job, now, most)."""
    return _next_targets.run_each(connection, wanted)


def next_for_browser(connection: Connection, host_id: int, job_id: int, most: int) -> Sequence[Row]:
    """The most urgent of those that wait for a browser."""
    return _next_for_browser_at.run(connection, host_id, job_id, most)


def next_renewals(
    connection: Connection, host_id: int, job_id: int, now: float, most: int
) -> Sequence[Row]:
    """The same of those that have a page already."""
    return _next_renewals.run(connection, host_id, job_id, now, most)


def earliest(connection: Connection, host_id: int, job_id: int, now: float) -> float | None:
    """When the job has something to do at the host; 0 for now, None for never."""
    return earliest_each(connection, [(host_id, job_id)], now)[0]


def earliest_each(
    connection: Connection, pairs: Sequence[tuple[int, int]], now: float
) -> list[float | None]:
    """The same for many (host, job)."""
    at_once = _any_due.run_each(connection, [(*pair, now) for pair in pairs])
    later = [pair for pair, rows in zip(pairs, at_once, strict=True) if not rows]
    first = dict(zip(later, _earliest.run_each(connection, later), strict=True))
    moments = [first[pair][0][0] if pair in first else 0.0 for pair in pairs]
    return [None if at is None else float(at) for at in moments]
