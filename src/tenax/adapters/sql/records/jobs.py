"""Jobs and their states; whoever moves a job's next run on first, by compare-and-set, begins it."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec
from tenax.adapters.sql.engine.bulk import Statement
from tenax.adapters.sql.engine.dialects import insert_new
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.frontier import tallies
from tenax.adapters.sql.recrawl import passes
from tenax.adapters.sql.reports import stats
from tenax.adapters.sql.schema.tables import jobs
from tenax.crawl.event import Telling, job_told
from tenax.jobs.calendar import next_run, parse_schedule
from tenax.model import EventKind, Job, JobSpec, JobState
from tenax.ports import Clock, Counts, Deleted, JobProgress, Queue
from tenax.ports.overview import JobSieve

_columns = (
    jobs.c.id, jobs.c.name, jobs.c.state, jobs.c.spec, jobs.c.seeds, jobs.c.created_at,
    jobs.c.ended_at, jobs.c.next_run_at,
)  # fmt: skip
_by_name = Statement(
    ("called",), lambda _: sa.select(*_columns).where(jobs.c.name == sa.bindparam("called"))
)
_by_id = Statement(("job",), lambda _: sa.select(*_columns).where(jobs.c.id == sa.bindparam("job")))
_states = Statement((), lambda _: sa.select(jobs.c.id, jobs.c.state).order_by(jobs.c.id))
_WINDOW = 5_000
_STARTABLE = (JobState.RUNNING.value, JobState.DONE.value)
"""What a person paused or stopped is not started by its schedule."""
_due = sa.select(*_columns).where(
    jobs.c.next_run_at <= sa.bindparam("now"), jobs.c.state.in_(_STARTABLE)
)


class SqlJobs:
    def __init__(
        self, database: Transactions, clock: Clock, telling: Telling | None = None
    ) -> None:
        """`telling` says whether anybody is told of jobs that are done."""
        self._database = database
        self._clock = clock
        self._is_told = telling is not None and telling.wants(EventKind.JOB)

    async def create(self, name: str, spec: JobSpec, state: JobState) -> Job | None:
        def work(connection: Connection) -> Job | None:
            return insert(connection, name, spec, state, self._clock.now())

        return await self._database.write(work)

    async def save(self, name: str, spec: JobSpec, state: JobState = JobState.RUNNING) -> Job:
        def work(connection: Connection) -> Job:
            now = self._clock.now()
            made = insert(connection, name, spec, state, now)
            if made is not None:
                return made
            found = _find(connection, name)
            assert found is not None
            return update(connection, found, spec, now)

        return await self._database.write(work)

    async def get(self, name: str) -> Job | None:
        return await self._database.read(lambda connection: _find(connection, name))

    async def all(self) -> list[Job]:
        query = sa.select(*_columns).order_by(jobs.c.id)
        return await self._database.read(lambda c: [_job(row) for row in c.execute(query)])

    async def states(self) -> dict[int, JobState]:
        return await self._database.read(
            lambda connection: {id: JobState(state) for id, state in _states.run(connection)}
        )

    async def set_state(self, job_id: int, state: JobState) -> None:
        now = self._clock.now()
        is_done = state is JobState.DONE
        change = (
            sa.update(jobs)
            .where(jobs.c.id == job_id)
            .values(state=state.value, ended_at=now if is_done else None)
        )

        def work(connection: Connection) -> None:
            if is_done and self._is_told:
                _tell_end(connection, job_id, now)
            connection.execute(change)

        await self._database.write(work)

    async def counts(self, job_id: int) -> Counts:
        return await self._database.read(lambda connection: tallies.counts(connection, job_id))

    async def due(self) -> list[Job]:
        now = {"now": self._clock.now()}
        return await self._database.read(lambda c: [_job(row) for row in c.execute(_due, now)])

    async def begin_run(self, job_id: int, due_at: float, next_run_at: float) -> bool:
        begun = _turn(job_id, due_at, next_run_at).values(
            state=JobState.RUNNING.value, ended_at=sa.null()
        )

        def work(connection: Connection) -> bool:
            is_ours = connection.execute(begun).rowcount > 0
            if is_ours:
                passes.begin(connection, job_id, passes.PassKind.RUN)
            return is_ours

        return await self._database.write(work)

    async def skip_run(self, job_id: int, due_at: float, next_run_at: float) -> bool:
        skipped = _turn(job_id, due_at, next_run_at)
        return await self._database.write(lambda c: c.execute(skipped).rowcount > 0)

    async def pace(self, job_id: int, queues: tuple[Queue, ...] | None = None) -> JobProgress:
        now = self._clock.now()
        return await self._database.read(lambda c: stats.pace(c, job_id, now, queues))

    async def clear(self, job_id: int, after: int) -> tuple[int, int | None]:
        from tenax.adapters.sql.records import deletion

        return await self._database.write(lambda c: deletion.clear(c, job_id, after))

    async def delete(self, job_id: int) -> Deleted:
        from tenax.adapters.sql.records import deletion  # who only looks does not need it

        return await self._database.write(lambda connection: deletion.step(connection, job_id))


def some(
    connection: Connection, sieve: JobSieve, after: int, limit: int
) -> tuple[list[Job], int | None]:
    """Jobs behind this id, and where to go on. Names are looked through some thousand at a time."""
    # A cursor may be any number, also one that no job can have.
    behind = jobs.c.id > sa.literal(after, sa.BigInteger())
    query = sa.select(*_columns).where(behind).order_by(jobs.c.id).limit(limit)
    end: int | None = None
    if sieve.state is not None or sieve.contains:
        window = sa.select(jobs.c.id.label("id")).where(behind).order_by(jobs.c.id)
        seen = window.limit(_WINDOW).subquery()
        count, last = connection.execute(sa.select(sa.func.count(), sa.func.max(seen.c.id))).one()
        if count == _WINDOW:
            query, end = query.where(jobs.c.id <= last), last
    if sieve.state is not None:
        query = query.where(jobs.c.state == sieve.state.value)
    if sieve.contains:
        query = query.where(jobs.c.name.icontains(sieve.contains, autoescape=True))
    found = [_job(row) for row in connection.execute(query)]
    return found, found[-1].id if len(found) == limit else end


def insert(
    connection: Connection, name: str, spec: JobSpec, state: JobState, now: float
) -> Job | None:
    """None when the name is taken, by whoever was faster."""
    row = {"name": name, "state": state.value, "created_at": now, **_wanted(spec, None, now)}
    is_new = connection.execute(insert_new(connection, jobs).values(row)).rowcount == 1
    return _find(connection, name) if is_new else None


def update(connection: Connection, before: Job, spec: JobSpec, now: float) -> Job:
    wanted = _wanted(spec, before, now)
    connection.execute(sa.update(jobs).where(jobs.c.id == before.id).values(wanted))
    _plan(connection, before, spec)
    changed = by_id(connection, before.id)
    assert changed is not None
    return changed


def by_id(connection: Connection, job_id: int) -> Job | None:
    return next(map(_job, _by_id.run(connection, job_id)), None)


def _find(connection: Connection, name: str) -> Job | None:
    return next(map(_job, _by_name.run(connection, name)), None)


def _turn(job_id: int, due_at: float, next_run_at: float) -> sa.Update:
    """Of several processes that find a job due, one is the first to say when it is due next."""
    return (
        sa.update(jobs)
        .where(jobs.c.id == job_id, jobs.c.next_run_at == due_at, jobs.c.state.in_(_STARTABLE))
        .values(next_run_at=next_run_at)
    )


def _wanted(spec: JobSpec, before: Job | None, now: float) -> dict[str, Any]:
    return {
        "spec": codec.spec_text(spec),
        "seeds": codec.seeds_text(spec),
        "next_run_at": _next_run_at(spec, before, now),
    }


def _next_run_at(spec: JobSpec, before: Job | None, now: float) -> float | None:
    if not spec.schedule:
        return None
    if before is not None and before.spec.schedule == spec.schedule:
        return before.next_run_at
    return next_run(parse_schedule(spec.schedule), now)


def _plan(connection: Connection, before: Job, spec: JobSpec) -> None:
    """What a job visited before it recrawls is to be visited again, too."""
    if spec.recrawl is None:
        passes.end(connection, before.id, passes.PassKind.PLAN)
    elif before.spec.recrawl is None:
        passes.begin(connection, before.id, passes.PassKind.PLAN)


def _job(row: Sequence[Any]) -> Job:
    id, name, state, spec, seeds, created_at, ended_at, next_run_at = row
    wanted = codec.spec(spec, seeds)
    return Job(id, name, JobState(state), wanted, created_at, ended_at, next_run_at)


def _tell_end(connection: Connection, job_id: int, now: float) -> None:
    """Once, however many processes find that it is done."""
    running = (
        sa.update(jobs)
        .where(jobs.c.id == job_id, jobs.c.state != JobState.DONE.value)
        .values(state=JobState.DONE.value)
        .returning(jobs.c.name)
    )
    name = connection.execute(running).scalar()
    if name is not None:
        value = job_told(name, tallies.counts(connection, job_id), now)
        from tenax.adapters.sql.records import outbox

        outbox.put(connection, EventKind.JOB, sha256(name.encode()).digest(), value, round(now, 3))
