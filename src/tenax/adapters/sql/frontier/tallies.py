"""Running totals per job, changed in the transaction that changes the rows: no count scans them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.bulk import Bulk, Statement, of_rows
from tenax.adapters.sql.engine.dialects import dialect_insert
from tenax.adapters.sql.schema.tables import tallies
from tenax.model import Reason, State
from tenax.ports import Counts

PAGES = "pages"
DUPLICATES = "duplicates"
RENEWING = "renewing"
"""Pages whose targets are unfinished: to be visited again, or just being."""
UNRENDERED = "unrendered"
"""Pending targets that wait for a browser."""
DEFERRED = "deferred"
"""Pending targets that wait until somebody asks for them (URL-6)."""
_REJECTED = "rejected:"
STATUS = "status:"
"""Answers by their status, `status:none` where none came: every one that a job ever had."""
UNCOUNTED = (_REJECTED, STATUS)
"""Totals of what is in no row, and cannot be counted again."""
_of_job = Statement(
    ("job",),
    lambda _: sa.select(tallies.c.name, tallies.c.count).where(
        tallies.c.job_id == sa.bindparam("job")
    ),
)


class StateTally:
    """Changes gathered while a transaction works, written once at its end."""

    def __init__(self) -> None:
        self._changes: Counter[tuple[int, str]] = Counter()

    def move(self, job_id: int, old: State, new: State, count: int = 1) -> None:
        self._changes[job_id, old.value] -= count
        self._changes[job_id, new.value] += count

    def found(self, job_id: int, count: int) -> None:
        self._changes[job_id, State.PENDING.value] += count

    def deleted(self, job_id: int, state: State, count: int) -> None:
        self._changes[job_id, state.value] -= count

    def page(self, job_id: int, count: int = 1) -> None:
        self._changes[job_id, PAGES] += count

    def duplicate(self, job_id: int, count: int = 1) -> None:
        self._changes[job_id, DUPLICATES] += count

    def renewing(self, job_id: int, count: int) -> None:
        self._changes[job_id, RENEWING] += count

    def unrendered(self, job_id: int, count: int) -> None:
        self._changes[job_id, UNRENDERED] += count

    def deferred(self, job_id: int, count: int) -> None:
        self._changes[job_id, DEFERRED] += count

    def rejected(self, job_id: int, reason: Reason, count: int) -> None:
        self._changes[job_id, _REJECTED + reason.value] += count

    def answered(self, job_id: int, status: int | None) -> None:
        self._changes[job_id, f"{STATUS}{status or 'none'}"] += 1

    def write(self, connection: Connection) -> None:
        """At the end of the transaction: everybody who works on a job waits for its totals, in the
        same order."""
        rows: list[tuple[Any, ...]] = [
            (job_id, name, change)
            for (job_id, name), change in sorted(self._changes.items())
            if change
        ]
        self._changes.clear()
        _add.run(connection, rows)


def counts(connection: Connection, job_id: int) -> Counts:
    return _counts({name: count for name, count in _of_job.run(connection, job_id) if count})


def all_counts(connection: Connection) -> Counts:
    """Of all jobs together."""
    total = sa.func.sum(tallies.c.count)
    rows = connection.execute(sa.select(tallies.c.name, total).group_by(tallies.c.name))
    return _counts({name: int(count) for name, count in rows if count})


def sum_of(connection: Connection, job_ids: Iterable[int]) -> Counts:
    """Of these jobs together."""
    found: Counter[str] = Counter()
    for rows in _of_job.run_each(connection, [(id,) for id in sorted(job_ids)]):
        for name, count in rows:
            found[name] += count
    return _counts({name: count for name, count in found.items() if count})


def sum_without(connection: Connection, job_ids: Iterable[int]) -> Counts:
    """Of all jobs but these together."""
    query = (
        sa.select(tallies.c.name, sa.func.sum(tallies.c.count))
        .where(tallies.c.job_id.not_in(sorted(job_ids)))
        .group_by(tallies.c.name)
    )
    return _counts({name: int(count) for name, count in connection.execute(query) if count})


def _counts(found: dict[str, int]) -> Counts:
    return Counts(
        states={state: found[state.value] for state in State if state.value in found},
        pages=found.get(PAGES, 0),
        renewing=found.get(RENEWING, 0),
        duplicates=found.get(DUPLICATES, 0),
        unrendered=found.get(UNRENDERED, 0),
        deferred=found.get(DEFERRED, 0),
        statuses={
            name.removeprefix(STATUS): count
            for name, count in sorted(found.items())
            if name.startswith(STATUS)
        },
        rejected={
            Reason(name.removeprefix(_REJECTED)): count
            for name, count in found.items()
            if name.startswith(_REJECTED)
        },
    )


def _upsert(connection: Connection) -> sa.Insert:
    insert = of_rows(connection, dialect_insert(connection, tallies), _TALLY)
    upsert: sa.Insert = insert.on_conflict_do_update(
        index_elements=["job_id", "name"],
        set_={"count": tallies.c.count + insert.excluded.count},
    )
    return upsert


_TALLY = ("job_id", "name", "count")
_add = Bulk(_TALLY, _upsert)
