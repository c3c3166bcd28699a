"""Do those who change a job wait for each other, and in an order in which nobody waits for ever?

Somebody else is in the midst of a transaction on a real PostgreSQL, and goes on once the one under
test waits for it: so each stands where it could do harm, however busy the machine.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from tenax.model import JobSpec, JobState
from tests.ledgers import Ledger, get_to_know, postgresql
from tests.live import service
from tests.postgres import own_url

A, B, C = "https://a.example/", "https://b.example/", "https://c.example/"
_WAITING = (
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with postgresql(tmp_path) as opened:
        yield opened


@pytest.fixture
async def other() -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(own_url(service("postgres").url))
    yield connection
    await connection.close()


async def test_who_changes_a_job_sees_what_another_has_just_made_of_it(
    ledger: Ledger, other: asyncpg.Connection
) -> None:
    """Read before it is ours, its seeds would be those of before, and so written back."""
    frontier = (await ledger.worker()).frontier.inner
    job = await ledger.jobs.save("news", JobSpec(seeds=(A,)))
    async with other.transaction():
        await other.execute("UPDATE jobs SET seeds = $1", json.dumps([A, B]))
        changing = asyncio.create_task(frontier.change_job(job.id, JobSpec(seeds=(C,)), []))
        await until_waiting(changing, other)
    changed = await changing
    assert changed is not None
    assert changed.job.spec.seeds == (A, B, C)


async def test_who_visits_again_has_the_job_before_anything_else(
    ledger: Ledger, other: asyncpg.Connection
) -> None:
    """Whoever has the job goes on to its lanes and hosts: had they been taken, both would wait."""
    worker, job = await ledger.worker(), await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    await ledger.jobs.set_state(job, JobState.DONE)
    async with other.transaction():
        await other.execute("SELECT id FROM jobs FOR NO KEY UPDATE")
        again = asyncio.create_task(worker.frontier.inner.revisit(job, ledger.clock.time))
        await until_waiting(again, other)
        for table in ("hosts", "lanes"):
            await other.execute(f"SELECT * FROM {table} FOR UPDATE NOWAIT")
    assert await again == 1


async def until_waiting(task: asyncio.Task[object], other: asyncpg.Connection) -> None:
    while not task.done() and not await other.fetchval(_WAITING):  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    assert not task.done(), "it waited for nobody"
