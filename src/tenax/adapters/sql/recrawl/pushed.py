"""Known URLs that somebody pushes again: back to pending, whatever became of them (STORE-3).

What is pending is visited anyway. What is leased may have been asked for before the push: when
that came is noted, and the commit of a visit that had asked before makes the target pending once
more. Candidates are read without holding anybody up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import Bulk, Statement
from tenax.adapters.sql.frontier.transaction import LedgerTransaction
from tenax.adapters.sql.recrawl import requeue
from tenax.adapters.sql.schema.tables import attempts, dead_letters, hosts, pages, targets
from tenax.model import State, Target

AGAIN = "pushed again"
"""The reason of a target that is pending because of that, for people."""
_ENDED = (*requeue.FINISHED, State.FAILED)
_fetched_at = (
    sa.select(sa.func.max(attempts.c.at))
    .where(attempts.c.target_id == targets.c.id)
    .correlate(targets)
    .scalar_subquery()
)
_known = Statement(
    ("host", "job", "key"),
    lambda _: (
        sa.select(targets.c.id, targets.c.state, pages.c.target_id, _fetched_at)
        .join(hosts, hosts.c.id == targets.c.host_id)
        .outerjoin(pages, pages.c.target_id == targets.c.id)
        .where(
            hosts.c.name == sa.bindparam("host"),
            targets.c.job_id == sa.bindparam("job"),
            targets.c.key == sa.bindparam("key"),
        )
    ),
)
_set_priority = Bulk(
    ("priority", "target"),
    lambda _: (
        sa.update(targets)
        .where(targets.c.id == sa.bindparam("target"))
        .values(priority=sa.bindparam("priority"))
    ),
)


class Recognised(Struct, frozen=True):
    """What is to become of targets that were pushed."""

    ordinary: tuple[Target, ...] = ()
    """Not known, to be visited anyway, or fetched just now: to be added as any other."""
    due: dict[int, int] = {}
    """To become due again: their ids, and the priority that each is to have."""
    in_vain: tuple[Target, ...] = ()
    """Without a page, in a job that has all the pages it may have (URL-5)."""


def recognise(
    connection: Connection, job_id: int, pushed: Sequence[Target], fetched_before: float
) -> Recognised:
    is_full = requeue.is_full(connection, job_id)
    found = _known.run_each(connection, [(t.host, job_id, t.key) for t in pushed])
    ordinary, in_vain, due = [], [], {}
    for target, rows in zip(pushed, found, strict=True):
        if not rows or not _is_to_be_due(rows[0], fetched_before):
            ordinary.append(target)
        elif is_full and rows[0][2] is None:
            in_vain.append(target)
        else:
            due[int(rows[0][0])] = target.priority
    return Recognised(tuple(ordinary), due, tuple(in_vain))


def _is_to_be_due(row: tuple[Any, ...], fetched_before: float) -> bool:
    """What was given up was not fetched, however lately."""
    _, state, _, fetched_at = row
    if state in (State.PENDING, State.FAILED):
        return bool(state == State.FAILED)
    return fetched_at is None or fetched_at < fetched_before


def make_due(tx: LedgerTransaction, job_id: int, due: dict[int, int]) -> int:
    """Make these pending, those of them that nobody has made so meanwhile; how many."""
    again = requeue.put_back(tx, job_id, list(due), _ENDED, AGAIN)
    connection = tx.connection
    connection.execute(sa.delete(dead_letters).where(dead_letters.c.target_id.in_(again)))
    _set_priority.run(connection, [(due[id], id) for id in again])
    under_way = connection.execute(
        sa.update(targets)
        .where(targets.c.id.in_(due), targets.c.state == State.LEASED.value)
        .values(pushed_at=tx.now)
        .returning(targets.c.id)
    ).all()
    return len(again) + len(under_way)
