"""The integrity audit: conservation checks over every row; each finding names the rows (FR-10)."""

from __future__ import annotations

from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.frontier.tallies import (
    DEFERRED,
    DUPLICATES,
    PAGES,
    RENEWING,
    UNCOUNTED,
    UNRENDERED,
)
from tenax.adapters.sql.recrawl.requeue import FINISHED
from tenax.adapters.sql.reports import product_audit, record_audit
from tenax.adapters.sql.schema.tables import (
    assignments,
    attempts,
    dead_letters,
    fingerprints,
    hosts,
    jobs,
    lanes,
    pages,
    posts,
    revisits,
    tallies,
    targets,
    workers,
)
from tenax.model import FOR_A_BROWSER, Role, State
from tenax.outcome import NEVER
from tenax.ports import Finding

_SHOWN = 10
_ended_without_page = [
    state.value for state in (State.BLOCKED, State.REJECTED, State.GONE, State.FAILED)
]
_other = pages.alias()
_its_own = sa.and_(
    fingerprints.c.job_id == pages.c.job_id, fingerprints.c.target_id == pages.c.target_id
)
# Of the other bands SQL cannot easily tell: there the hash is turned.
_first_band = sa.and_(fingerprints.c.band == 0, fingerprints.c.bits == pages.c.simhash)
_unfinished = [State.PENDING.value, State.LEASED.value]


class SqlAuditor:
    def __init__(self, database: Transactions) -> None:
        self._database = database

    async def audit(self) -> list[Finding]:
        return await self._database.read(audit_rows)


def audit_rows(connection: Connection) -> list[Finding]:
    broken: dict[str, list[int]] = {}
    for promise, id in connection.execute(_breaches()):
        broken.setdefault(promise, []).append(id)
    found = [_finding(connection, promise, ids) for promise, ids in broken.items()]
    return found + _totals(connection) + _lane_totals(connection)


@cache
def _breaches() -> sa.CompoundSelect[Any]:
    """A few rows of each kind, asked for in one go: there should be none."""
    few = [(promise, query.limit(_SHOWN).subquery()) for promise, query in _checks().items()]
    return sa.union_all(*[sa.select(sa.literal(promise), *rows.c) for promise, rows in few])


@cache
def _checks() -> dict[str, sa.Select[Any]]:
    """What breaks a promise. Made once, for those who audit again and again, and not before."""
    return {
        "every target is in a known state": sa.select(targets.c.id).where(
            targets.c.state.not_in([state.value for state in State])
        ),
        "every target belongs to a job": _orphans(targets.c.id, targets.c.job_id, jobs.c.id),
        "every target belongs to a host": _orphans(targets.c.id, targets.c.host_id, hosts.c.id),
        "every page belongs to a target": _orphans(
            pages.c.target_id, pages.c.target_id, targets.c.id
        ),
        "every attempt belongs to a target": _orphans(
            attempts.c.id, attempts.c.target_id, targets.c.id
        ),
        "every dead letter is about a failed target": sa.select(dead_letters.c.target_id)
        .outerjoin(
            targets,
            sa.and_(
                targets.c.id == dead_letters.c.target_id,
                targets.c.job_id == dead_letters.c.job_id,
                targets.c.host_id == dead_letters.c.host_id,
                targets.c.state == State.FAILED.value,
            ),
        )
        .where(targets.c.id.is_(None)),
        "everything that is sent belongs to a target": _orphans(
            posts.c.target_id, posts.c.target_id, targets.c.id
        ),
        "what sends something says what": sa.select(targets.c.id)
        .outerjoin(posts, posts.c.target_id == targets.c.id)
        .where(targets.c.role == Role.POSTED.value, posts.c.target_id.is_(None)),
        "every assignment belongs to a worker": _orphans(
            assignments.c.id, assignments.c.worker_id, workers.c.id
        ),
        "a target is leased exactly while it has a lease": sa.select(targets.c.id).where(
            (targets.c.state == State.LEASED.value) != targets.c.lease_id.is_not(None)
        ),
        "every lease belongs to an assignment": _orphans(
            targets.c.id, targets.c.lease_id, assignments.c.id
        ),
        "every page's target is done or due again, or the page is marked stale": sa.select(
            pages.c.target_id
        )
        .join(targets, targets.c.id == pages.c.target_id)
        .where(targets.c.state.in_(_ended_without_page), pages.c.stale.is_(None)),
        "a page to be visited again has a moment when": sa.select(pages.c.target_id)
        .join(targets, targets.c.id == pages.c.target_id)
        .where(targets.c.state == State.PENDING.value, targets.c.due_at <= 0),
        "every near-duplicate names an original of its job": sa.select(pages.c.target_id)
        .outerjoin(
            _other,
            sa.and_(
                _other.c.target_id == pages.c.duplicate_of,
                _other.c.job_id == pages.c.job_id,
                _other.c.duplicate_of.is_(None),
            ),
        )
        .where(pages.c.duplicate_of.is_not(None), _other.c.target_id.is_(None)),
        "every fingerprint belongs to an original": sa.select(fingerprints.c.target_id)
        .outerjoin(
            pages,
            sa.and_(
                _its_own,
                sa.or_(fingerprints.c.band != 0, _first_band),
                pages.c.simhash.is_not(None),
                pages.c.duplicate_of.is_(None),
            ),
        )
        .where(pages.c.target_id.is_(None)),
        "every original can be found by its fingerprints": sa.select(pages.c.target_id)
        .outerjoin(fingerprints, sa.and_(_its_own, _first_band))
        .where(
            pages.c.duplicate_of.is_(None),
            pages.c.simhash.is_not(None),
            fingerprints.c.target_id.is_(None),
        ),
        "every plan to visit again is about a target": _orphans(
            revisits.c.target_id, revisits.c.target_id, targets.c.id
        ),
        "only what is finished is planned to be visited again": sa.select(revisits.c.target_id)
        .join(targets, targets.c.id == revisits.c.target_id)
        .where(
            revisits.c.next_at.is_not(None)
            & targets.c.state.not_in([state.value for state in FINISHED])
            | (targets.c.job_id != revisits.c.job_id)
        ),
        "waiting work can be found": sa.select(targets.c.id)
        .join(hosts, hosts.c.id == targets.c.host_id)
        .outerjoin(
            lanes,
            sa.and_(lanes.c.host_id == targets.c.host_id, lanes.c.job_id == targets.c.job_id),
        )
        .where(targets.c.state == State.PENDING.value, lanes.c.ready_at.is_(None), ~hosts.c.paused),
        "no URL is in a job twice": sa.select(sa.func.min(targets.c.id))
        .group_by(targets.c.host_id, targets.c.job_id, targets.c.key)
        .having(sa.func.count() > 1),
        **product_audit.checks(),
        **record_audit.checks(),
    }


def _orphans(id: sa.Column[int], child: sa.Column[int], parent: sa.Column[int]) -> sa.Select[Any]:
    return (
        sa.select(id)
        .outerjoin(parent.table, parent == child)
        .where(parent.is_(None), child.is_not(None))
    )


def _finding(connection: Connection, promise: str, ids: list[int]) -> Finding:
    rows = _checks()[promise].subquery()
    count = connection.execute(sa.select(sa.func.count()).select_from(rows)).scalar()
    return Finding(promise, tuple(f"id {id}" for id in ids), count or len(ids))


@cache
def _counts() -> sa.CompoundSelect[Any]:
    """Targets by state, and pages by what is told of them, of every job."""
    count = sa.func.count()
    by_job = sa.select(pages.c.job_id).group_by(pages.c.job_id)
    return sa.union_all(
        sa.select(targets.c.job_id, targets.c.state, count).group_by(
            targets.c.job_id, targets.c.state
        ),
        by_job.add_columns(sa.literal(PAGES), count),
        by_job.add_columns(sa.literal(DUPLICATES), count).where(pages.c.duplicate_of.is_not(None)),
        sa.select(targets.c.job_id, sa.literal(UNRENDERED), count)
        .where(targets.c.state == State.PENDING.value, targets.c.due_at >= FOR_A_BROWSER)
        .group_by(targets.c.job_id),
        sa.select(targets.c.job_id, sa.literal(DEFERRED), count)
        .where(targets.c.state == State.PENDING.value, targets.c.due_at == NEVER)
        .group_by(targets.c.job_id),
        by_job.add_columns(sa.literal(RENEWING), count)
        .join(targets, targets.c.id == pages.c.target_id)
        .where(targets.c.state.in_(_unfinished)),
    )


def _totals(connection: Connection) -> list[Finding]:
    """The running totals say what counting the rows says."""
    counted = {(job_id, what): n for job_id, what, n in connection.execute(_counts())}
    kept = {
        (job_id, name): n
        for job_id, name, n in connection.execute(sa.select(tallies))
        if n and not name.startswith(UNCOUNTED)
    }
    rows = tuple(
        f"job {job_id} {name}: {kept.get((job_id, name), 0)} on record,"
        f" {counted.get((job_id, name), 0)} counted"
        for job_id, name in sorted(counted.keys() | kept.keys())
        if counted.get((job_id, name), 0) != kept.get((job_id, name), 0)
    )
    return [Finding("totals equal the rows they count", rows, len(rows))] if rows else []


def _lane_totals(connection: Connection) -> list[Finding]:
    counted = {
        (host_id, job_id): n
        for host_id, job_id, n in connection.execute(
            sa.select(targets.c.host_id, targets.c.job_id, sa.func.count()).group_by(
                targets.c.host_id, targets.c.job_id
            )
        )
    }
    kept = {
        (host_id, job_id): n
        for host_id, job_id, n in connection.execute(
            sa.select(lanes.c.host_id, lanes.c.job_id, lanes.c.known)
        )
    }
    stored = dict.fromkeys(kept, 0) | {
        (host_id, job_id): n
        for host_id, job_id, n in connection.execute(
            sa.select(targets.c.host_id, targets.c.job_id, sa.func.count())
            .join(pages, pages.c.target_id == targets.c.id)
            .group_by(targets.c.host_id, targets.c.job_id)
        )
    }
    told = {
        (host_id, job_id): n
        for host_id, job_id, n in connection.execute(
            sa.select(lanes.c.host_id, lanes.c.job_id, lanes.c.pages)
        )
    }
    amiss = [
        f"host {pair[0]} job {pair[1]}: {told.get(pair, 0)} on record, {stored[pair]} counted"
        for pair in sorted(stored)
        if told.get(pair, 0) != stored[pair]
    ]
    found = []
    if amiss:
        promise = "pages per host equal those that are stored"
        found.append(Finding(promise, tuple(amiss[:_SHOWN]), len(amiss)))
    wrong = [
        f"host {pair[0]} job {pair[1]}: {kept.get(pair, 0)} on record,"
        f" {counted.get(pair, 0)} counted"
        for pair in sorted(counted.keys() | kept.keys())
        if counted.get(pair, 0) != kept.get(pair, 0)
    ]
    if wrong:
        promise = "discovered per host equals its targets"
        found.append(Finding(promise, tuple(wrong[:_SHOWN]), len(wrong)))
    return found
