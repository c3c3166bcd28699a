"""Putting deferred targets back to where claims find them, in one transaction (URL-6).

What is deferred and may not be visited any more is pending, due in three thousand years, and has
its shape as the cause.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec
from tenax.adapters.sql.engine.bulk import in_groups
from tenax.adapters.sql.frontier import holding, shapes
from tenax.adapters.sql.frontier.transaction import LedgerTransaction
from tenax.adapters.sql.schema.tables import hosts, jobs, pages, targets
from tenax.crawl.traps.judgement import TrapPolicy, TrapStanding
from tenax.model import JobState, State
from tenax.outcome import NEVER
from tenax.urls.normalise import path_of
from tenax.urls.priority import ASKED, GRANTED, LAST
from tenax.urls.shapes import shape_of

_hosts = (
    sa.select(targets.c.host_id)
    .where(
        targets.c.job_id == sa.bindparam("job"),
        targets.c.state == sa.text("'pending'"),
        targets.c.due_at == NEVER,
    )
    .distinct()
    .order_by(targets.c.host_id)
)
_deferred = sa.and_(
    targets.c.host_id == sa.bindparam("host"),
    targets.c.job_id == sa.bindparam("job"),
    targets.c.state == sa.text("'pending'"),
    targets.c.due_at == NEVER,
)
_kinds = sa.select(targets.c.cause).where(_deferred).distinct()
_named = (
    sa.select(targets.c.id, targets.c.found_on, targets.c.cause)
    .where(_deferred)
    .order_by(targets.c.id)
)
_visited = sa.select(targets.c.id, targets.c.found_on, targets.c.host_id, targets.c.url)
_late = (
    sa.select(
        targets.c.id,
        targets.c.found_on,
        targets.c.url,
        targets.c.state,
        targets.c.priority,
        pages.c.fetched_at,
    )
    .join(pages, pages.c.target_id == targets.c.id, isouter=True)
    .where(
        targets.c.host_id == sa.bindparam("host"),
        targets.c.job_id == sa.bindparam("job"),
        targets.c.priority > LAST,
    )
    .order_by(targets.c.id)
)
_MOST = 50_000
"""Targets of a host that are looked at at once."""
_deepest = (
    sa.select(targets.c.id).where(_deferred).order_by(targets.c.depth.desc(), targets.c.id.desc())
)
_first = sa.select(targets.c.id).where(_deferred).order_by(targets.c.priority, targets.c.id)
_RESTING = (JobState.DONE.value, JobState.STOPPED.value)


def recall(tx: LedgerTransaction, job_id: int, policy: TrapPolicy) -> int:
    """Let those be visited that have no more to wait for, once all else was; how many.

    Those whose like are not deferred any more, and those that nothing adds to any more: no page on
    the way to them is of a kind that leads on and is waiting itself. Where there are none, what is
    left of the budget is for the rest.
    """
    recalled = 0
    host_ids = tx.connection.execute(_hosts, {"job": job_id}).scalars().all()
    tx.lock(host_ids)
    for host_id in host_ids:
        at = {"host": host_id, "job": job_id}
        standing = TrapStanding(policy)
        standing.hear(shapes.book(tx.connection, job_id, host_id, after=NEVER_SAID).counts)
        kinds = [kind or "" for kind in tx.connection.execute(_kinds, at).scalars()]
        released = [kind for kind in kinds if not standing.why_deferred(kind)]
        freed = _ids(tx, _first.where(targets.c.cause.in_(released)), at)
        put_back = _put_back(tx, job_id, host_id, freed, {})
        if policy.budget:
            closed = _closed(tx, standing, at, [kind for kind in kinds if kind not in released])
            put_back += _put_back(tx, job_id, host_id, closed, {"priority": ASKED})
        if not put_back:
            waiting = _ids(tx, _first.limit(standing.may_still_visit()), at)
            put_back = _put_back(tx, job_id, host_id, waiting, {"priority": GRANTED})
        if not put_back:
            bought = _bought(tx, standing, at, kinds)
            put_back = _put_back(tx, job_id, host_id, bought, {"priority": ASKED})
        recalled += put_back
    tx.write_totals()
    return recalled


def _closed(
    tx: LedgerTransaction, standing: TrapStanding, at: dict[str, int], kinds: Sequence[str]
) -> list[int]:
    """Those of these kinds of which no page on the way is open."""
    waiting = {standing.family(kind) for kind in kinds if standing.leads_on(kind)}
    wanted = [kind for kind in kinds if not standing.copies(kind)]
    rows = tx.connection.execute(_named.where(targets.c.cause.in_(wanted)).limit(_MOST), at).all()
    room = {kind: standing.at_once(kind) for kind in wanted}
    namers: dict[int, tuple[int | None, str]] = {}
    asked = {found_on for _, found_on, _ in rows if found_on is not None}
    while asked:
        known = {}
        for some in in_groups(sorted(asked)):
            query = _visited.where(targets.c.id.in_(some))
            for id, found_on, host_id, url in tx.connection.execute(query):
                shape = shape_of(url if url.startswith("/") else path_of(url))
                is_open = host_id == at["host"] and standing.is_open(shape, waiting)
                known[id] = (found_on, standing.family(shape) if is_open else "")
        namers |= known
        asked = {found_on for found_on, _ in known.values() if found_on is not None} - {*namers}

    def opened_by(id: int | None) -> str | None:
        while id is not None and id in namers:
            id, family = namers[id]
            if family:
                return family
        return None

    opened = [opened_by(found_on) for _, found_on, _ in rows]
    # What leads on to its own folder is not let go from anywhere.
    feeding = {
        standing.family(kind)
        for (_, _, kind), family in zip(rows, opened, strict=True)
        if standing.leads_on(kind) and standing.family(kind) == family
    }
    closed = []
    for (id, _, kind), family in zip(rows, opened, strict=True):
        if family or (standing.leads_on(kind) and standing.family(kind) in feeding):
            continue
        if room[kind]:
            room[kind] -= 1
            closed.append(id)
    return closed


def _bought(
    tx: LedgerTransaction, standing: TrapStanding, at: dict[str, int], kinds: Sequence[str]
) -> list[int]:
    """Those beyond the budget that are paid for by what was seen to run out: the deepest first,
    where the ends are."""
    wanted = [kind for kind in kinds if standing.may_buy(kind)]
    closing = [kind for kind in wanted if standing.closes(kind)]
    if not wanted or not standing.policy.budget:
        return []
    rows = tx.connection.execute(_late.limit(_MOST), at).all()
    if len(rows) == _MOST:
        return []
    read_at = {id: when for id, *_, when in rows if when is not None}
    changes: list[tuple[float, int]] = []
    spent = 0
    for _, found_on, url, state, priority, when in rows:
        is_waiting = state == State.PENDING.value
        if when is None and not is_waiting:
            continue
        if not standing.may_buy(shape_of(url if url.startswith("/") else path_of(url))):
            continue
        changes.append((read_at.get(found_on, 0.0), 1))
        if not is_waiting:
            changes.append((when, -1))
            spent += priority == ASKED
    sums = [0, *accumulate(change for _, change in sorted(changes))]
    count = standing.bought(max(sums), sums[-1], spent, closes=bool(closing))
    return _ids(tx, _deepest.where(targets.c.cause.in_(closing or wanted)).limit(count), at)


NEVER_SAID = 1 << 62
"""After the last of what pages have said: only the counts are asked for."""


def some(connection: Connection, job_id: int, limit: int) -> list[tuple[str, str]]:
    """URLs and why, one of each kind first."""
    found: dict[str, list[tuple[str, str]]] = {}
    named = sa.select(targets.c.url, targets.c.reason, targets.c.cause, hosts.c.origin)
    query = named.join(hosts, hosts.c.id == targets.c.host_id).where(_deferred)
    for host_id in connection.execute(_hosts.limit(limit), {"job": job_id}).scalars().all():
        at = {"host": host_id, "job": job_id}
        for (kind,) in connection.execute(_kinds.limit(limit), at).all():
            rows = connection.execute(query.where(targets.c.cause == kind).limit(limit), at)
            for url, why, cause, origin in rows:
                found.setdefault(cause or "", []).append((codec.full_url(url, origin), why or ""))
    turns = [kinds[n] for n in range(limit) for kinds in found.values() if n < len(kinds)]
    return turns[:limit]


def named_by(connection: Connection, target_id: int) -> str | None:
    """The URL of what has named a target first."""
    namer = targets.alias()
    query = (
        sa.select(namer.c.url, hosts.c.origin)
        .join(targets, targets.c.found_on == namer.c.id)
        .join(hosts, hosts.c.id == namer.c.host_id)
        .where(targets.c.id == target_id)
    )
    row = connection.execute(query).first()
    return None if row is None else codec.full_url(row.url, row.origin)


def visit(tx: LedgerTransaction, job_id: int, host: str) -> int:
    """Let all of them be visited, whatever their like brought; the job runs then. How many."""
    asked = _hosts
    if host:
        asked = asked.join(hosts, hosts.c.id == targets.c.host_id).where(hosts.c.name == host)
    host_ids = tx.connection.execute(asked, {"job": job_id}).scalars().all()
    tx.lock(host_ids)
    again = 0
    for host_id in host_ids:
        ids = _ids(tx, _first, {"host": host_id, "job": job_id})
        again += _put_back(tx, job_id, host_id, ids, {"priority": ASKED})
    if again:
        tx.connection.execute(
            sa.update(jobs)
            .where(jobs.c.id == job_id, jobs.c.state.in_(_RESTING))
            .values(state=JobState.RUNNING.value, ended_at=sa.null())
        )
    tx.write_totals()
    return again


def _ids(tx: LedgerTransaction, query: sa.Select[Any], at: dict[str, int]) -> list[int]:
    return [*tx.connection.execute(query, at).scalars()]


def _put_back(
    tx: LedgerTransaction, job_id: int, host_id: int, ids: Sequence[int], values: dict[str, int]
) -> int:
    for start in range(0, len(ids), 500):
        tx.connection.execute(
            sa.update(targets)
            .where(targets.c.id.in_(ids[start : start + 500]))
            .values(due_at=tx.now, **values)
        )
    tx.tally.deferred(job_id, -len(ids))
    if ids:
        holding.refresh(tx, holding.load_host(tx, host_id))
    return len(ids)
