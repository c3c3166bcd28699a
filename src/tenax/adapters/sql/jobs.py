"""Which crawls are there, and how far are they? Jobs and their running totals."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tenax.adapters.sql import codec, deletion, stats, tallies
from tenax.adapters.sql.database import Database
from tenax.adapters.sql.schema import jobs
from tenax.model import Job, JobSpec, JobState
from tenax.ports import Clock, Counts, Deleted, Progress

_columns = (
    jobs.c.id, jobs.c.name, jobs.c.state, jobs.c.spec, jobs.c.seeds, jobs.c.created_at,
    jobs.c.ended_at, jobs.c.next_run_at,
)  # fmt: skip


class SqlJobs:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def save(self, name: str, spec: JobSpec, state: JobState = JobState.RUNNING) -> Job:
        now = self._clock.now()

        def work(connection: Connection) -> Job:
            found = _find(connection, name)
            if found is None:
                connection.execute(
                    sa.insert(jobs).values(
                        name=name,
                        state=state.value,
                        spec=codec.spec_text(spec),
                        seeds=codec.seeds_text(spec),
                        created_at=now,
                    )
                )
            else:
                connection.execute(
                    sa.update(jobs)
                    .where(jobs.c.id == found.id)
                    .values(spec=codec.spec_text(spec), seeds=codec.seeds_text(spec))
                )
            saved = _find(connection, name)
            assert saved is not None
            return saved

        return await self._database.write(work)

    async def get(self, name: str) -> Job | None:
        return await self._database.read(lambda connection: _find(connection, name))

    async def all(self) -> list[Job]:
        query = sa.select(*_columns).order_by(jobs.c.id)
        return await self._database.read(lambda c: [_job(row) for row in c.execute(query)])

    async def states(self) -> dict[int, JobState]:
        query = sa.select(jobs.c.id, jobs.c.state).order_by(jobs.c.id)
        return await self._database.read(
            lambda connection: {id: JobState(state) for id, state in connection.execute(query)}
        )

    async def set_state(self, job_id: int, state: JobState) -> None:
        ended = self._clock.now() if state is JobState.DONE else None
        change = (
            sa.update(jobs).where(jobs.c.id == job_id).values(state=state.value, ended_at=ended)
        )

        def work(connection: Connection) -> None:
            connection.execute(change)

        await self._database.write(work)

    async def counts(self, job_id: int) -> Counts:
        return await self._database.read(lambda connection: tallies.counts(connection, job_id))

    async def pace(self, job_id: int) -> Progress:
        now = self._clock.now()
        return await self._database.read(lambda connection: stats.pace(connection, job_id, now))

    async def delete(self, job_id: int) -> Deleted:
        return await self._database.write(lambda connection: deletion.step(connection, job_id))


def _find(connection: Connection, name: str) -> Job | None:
    row = connection.execute(sa.select(*_columns).where(jobs.c.name == name)).first()
    return _job(row) if row else None


def _job(row: sa.Row[*tuple[Any, ...]]) -> Job:
    id, name, state, spec, seeds, created_at, ended_at, next_run_at = row
    wanted = codec.spec(spec, seeds)
    return Job(id, name, JobState(state), wanted, created_at, ended_at, next_run_at)
