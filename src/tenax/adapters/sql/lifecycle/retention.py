"""Retention by age, in bounded looks and short transactions, while others crawl (LIFE-1).

Rows are passed in the order of their ids, so nothing needs an index by age and no look reads more
than a batch. What is removed is judged again in the transaction that removes it. URLs are forgotten
only in jobs that are over: a crawl that goes on would take them for new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import locks
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.records import deletion
from tenax.adapters.sql.records.pages import full_page, record
from tenax.adapters.sql.schema.tables import (
    attempts,
    dead_letters,
    hosts,
    images,
    jobs,
    pages,
    product_jobs,
    records,
    sessions,
    stats,
    targets,
)
from tenax.model import JobState, State
from tenax.ports.lifecycle.retention import Cutoffs, Expired, FailedRecord

BATCH = 1_000
_ENDED_BADLY = [state.value for state in (State.FAILED, State.BLOCKED, State.REJECTED, State.GONE)]
_seen_at = sa.func.coalesce(pages.c.checked_at, pages.c.fetched_at)
_has_letter = sa.exists().where(dead_letters.c.target_id == attempts.c.target_id)
_has_product = sa.exists().where(product_jobs.c.target_id == targets.c.id)
_has_record = sa.exists().where(records.c.target_id == targets.c.id)
# One that was stopped may be started again, and goes on where it was.
_is_over = sa.and_(
    jobs.c.state == JobState.DONE.value,
    jobs.c.ended_at.is_not(None),
    jobs.c.next_run_at.is_(None),
)


class SqlRetention:
    def __init__(self, database: Transactions) -> None:
        self._database = database

    async def look(self, table: str, cutoffs: Cutoffs, after: int) -> Expired:
        return await self._database.read(lambda c: _LOOKS[table](c, cutoffs, after))

    async def remove(self, table: str, cutoffs: Cutoffs, ids: Sequence[int]) -> dict[str, int]:
        if not ids:
            return {}
        return await self._database.write(lambda c: _REMOVALS[table](c, cutoffs, ids))

    async def trim(self, cutoffs: Cutoffs) -> dict[str, int]:
        return await self._database.write(lambda c: _trim(c, cutoffs))

    async def references(self) -> AsyncIterator[list[bytes]]:
        for owner, digest in (
            (pages.c.target_id, pages.c.digest),
            (images.c.product_id, images.c.digest),
        ):
            after: int | None = -1
            while after is not None:
                find = partial(_references, owner, digest, after)
                found, after = await self._database.read(find)
                yield found

    async def page_count(self) -> int:
        count = sa.select(
            sa.select(sa.func.count()).select_from(pages).scalar_subquery()
            + sa.select(sa.func.count()).select_from(images).scalar_subquery()
        )
        return int(await self._database.read(lambda c: c.execute(count).scalar_one()))


def _references(
    owner: sa.Column[int], digest: sa.Column[bytes], after: int, connection: Connection
) -> tuple[list[bytes], int | None]:
    """Those of the next owners, however many each has; and the last of these, None at the end."""
    some = sa.select(owner.label("id")).where(owner > after).distinct().order_by(owner)
    last = sa.select(sa.func.max(some.limit(BATCH).subquery().c.id))
    end = connection.execute(last).scalar()
    if end is None:
        return [], None
    query = sa.select(digest).where(owner > after, owner <= end, digest.is_not(None))
    return [bytes(found) for found in connection.execute(query).scalars()], end


def _old_attempts(connection: Connection, cutoffs: Cutoffs, after: int) -> Expired:
    """Those of dead letters stay: they are what a person will want to see."""
    query = (
        sa.select(attempts.c.id, attempts.c.at, _has_letter)
        .where(attempts.c.id > after)
        .order_by(attempts.c.id)
        .limit(BATCH)
    )
    rows = connection.execute(query).all()
    # Ids are given in the order of time, but for moments: behind a batch of new ones all are new.
    if not any(at < cutoffs.attempts for _, at, _ in rows):
        return Expired()
    ids = tuple(id for id, at, has_letter in rows if at < cutoffs.attempts and not has_letter)
    return Expired({"attempts": len(ids)}, ids, after=rows[-1][0])


def _remove_attempts(connection: Connection, _: Cutoffs, ids: Sequence[int]) -> dict[str, int]:
    # Nothing ever makes an attempt younger, and a letter that came since has its own.
    removed = connection.execute(sa.delete(attempts).where(attempts.c.id.in_(ids), ~_has_letter))
    return {"attempts": removed.rowcount}


def _old_bodies(connection: Connection, cutoffs: Cutoffs, after: int) -> Expired:
    query = (
        sa.select(pages.c.target_id, _seen_at, pages.c.digest.is_not(None))
        .where(pages.c.target_id > after)
        .order_by(pages.c.target_id)
        .limit(BATCH)
    )
    rows = connection.execute(query).all()
    if not rows:
        return Expired()
    ids = tuple(id for id, at, has_body in rows if has_body and at < cutoffs.bodies)
    return Expired({"bodies": len(ids)}, ids, after=rows[-1][0])


def _let_go_of_bodies(
    connection: Connection, cutoffs: Cutoffs, ids: Sequence[int]
) -> dict[str, int]:
    """The page stays. Without what a condition is made of, the next visit brings a body again."""
    change = (
        sa.update(pages)
        .where(pages.c.target_id.in_(ids), _seen_at < cutoffs.bodies, pages.c.digest.is_not(None))
        .values(digest=sa.null(), etag=sa.null(), last_modified=sa.null())
    )
    return {"bodies": connection.execute(change).rowcount}


def _old_targets(connection: Connection, cutoffs: Cutoffs, after: int) -> Expired:
    last = connection.execute(
        sa.select(sa.func.max(sa.text("id"))).select_from(
            sa.select(targets.c.id)
            .where(targets.c.id > after)
            .order_by(targets.c.id)
            .limit(BATCH)
            .subquery()
        )
    ).scalar()
    if last is None:
        return Expired()
    between = sa.and_(targets.c.id > after, targets.c.id <= last)
    rows = connection.execute(_targets(cutoffs).where(between)).all()
    stored = [row.id for row in rows if row.has_page]
    found = connection.execute(full_page.where(pages.c.target_id.in_(stored))) if stored else ()
    return Expired(
        _kinds(rows),
        tuple(row.id for row in rows),
        tuple(record(row) for row in found),
        tuple(_failed(row) for row in rows if row.state in _ENDED_BADLY),
        after=last,
    )


def _forget_targets(connection: Connection, cutoffs: Cutoffs, ids: Sequence[int]) -> dict[str, int]:
    of_them = targets.c.id.in_(ids)
    places = connection.execute(
        sa.select(targets.c.job_id, targets.c.host_id).where(of_them).distinct()
    ).all()
    for job_id in sorted({job_id for job_id, _ in places}):
        locks.lock_whole_job(connection, job_id)
    locks.lock_hosts(connection, [host_id for _, host_id in places])
    rows = connection.execute(_targets(cutoffs).where(of_them)).all()
    lanes_at: dict[int, list[int]] = {}
    for row in rows:
        lanes_at.setdefault(row.job_id, []).append(row.host_id)
    deletion.forget(connection, rows, lanes_at)
    return _kinds(rows)


def _targets(cutoffs: Cutoffs) -> sa.Select[Any]:
    """Those that are over and too old, in jobs that are over. What offers a product, or told a
    record, stays: their history is not a matter of age."""
    is_done = targets.c.state == State.DONE.value
    has_page = pages.c.target_id.is_not(None)
    is_old = sa.or_(
        sa.and_(has_page, _seen_at < cutoffs.pages),
        sa.and_(is_done, ~has_page, jobs.c.ended_at < cutoffs.done),
        sa.and_(targets.c.state.in_(_ENDED_BADLY), ~has_page, jobs.c.ended_at < cutoffs.failed),
    )
    return (
        sa.select(
            *deletion.OF_FORGOTTEN,
            jobs.c.name.label("job"),
            jobs.c.ended_at,
            hosts.c.origin,
            targets.c.url,
            targets.c.outcome,
            targets.c.cause,
            targets.c.reason,
            targets.c.attempts,
        )
        .join(jobs, jobs.c.id == targets.c.job_id)
        .join(hosts, hosts.c.id == targets.c.host_id)
        .outerjoin(pages, pages.c.target_id == targets.c.id)
        .where(_is_over, targets.c.state.in_([State.DONE.value, *_ENDED_BADLY]), is_old)
        .where(~_has_product, ~_has_record)
        .order_by(targets.c.id)
    )


def _kinds(rows: Sequence[sa.Row[Any]]) -> dict[str, int]:
    return dict(Counter(_kind(row) for row in rows))


def _kind(row: sa.Row[Any]) -> str:
    if row.has_page:
        return "pages"
    return "done" if row.state == State.DONE.value else "failed"


def _failed(row: sa.Row[Any]) -> FailedRecord:
    url = f"{row.origin}{row.url}" if row.url.startswith("/") else row.url
    return FailedRecord(
        row.id,
        row.job,
        url,
        row.state,
        row.outcome or "",
        row.cause or "",
        row.reason or "",
        row.attempts,
        row.ended_at,
    )


def _trim(connection: Connection, cutoffs: Cutoffs) -> dict[str, int]:
    # Longer spans are kept beside them.
    old = connection.execute(sa.delete(stats).where(stats.c.minute < int(cutoffs.stats // 60)))
    over = connection.execute(sa.delete(sessions).where(sessions.c.expires_at < cutoffs.sessions))
    return {"minutes": old.rowcount, "sessions": over.rowcount}


_LOOKS = {"attempts": _old_attempts, "pages": _old_bodies, "targets": _old_targets}
_REMOVALS = {
    "attempts": _remove_attempts,
    "pages": _let_go_of_bodies,
    "targets": _forget_targets,
}
