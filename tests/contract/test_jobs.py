"""The promises of `Jobs`: named crawls that keep their spec, their state and their figures."""

from __future__ import annotations

import pytest

from tenax.model import JobSpec, JobState, ScopeKind
from tenax.ports import Counts
from tests.ledgers import START, Ledger

SPEC = JobSpec(
    seeds=("https://a.example/",),
    scope=ScopeKind.DOMAIN,
    include=("*/news/*",),
    max_depth=3,
    max_pages=100,
    drop_trailing_slash=True,
)


async def test_a_job_is_kept_as_it_was_asked_for(ledger: Ledger) -> None:
    job = await ledger.jobs.save("news", SPEC)
    assert (job.name, job.state, job.spec) == ("news", JobState.RUNNING, SPEC)
    assert (job.created_at, job.ended_at) == (START, None)
    assert await ledger.jobs.get("news") == job


async def test_saving_a_name_again_changes_the_spec_of_the_same_job(ledger: Ledger) -> None:
    first = await ledger.jobs.save("news", SPEC)
    await ledger.jobs.set_state(first.id, JobState.PAUSED)
    ledger.clock.time += 100
    again = await ledger.jobs.save("news", JobSpec(max_pages=7))
    assert again.id == first.id
    assert again.spec.max_pages == 7
    assert again.created_at == START
    assert again.state is JobState.PAUSED


async def test_an_unknown_job_is_none(ledger: Ledger) -> None:
    assert await ledger.jobs.get("nobody") is None
    assert await ledger.jobs.all() == []


async def test_jobs_are_listed_in_the_order_they_were_made(ledger: Ledger) -> None:
    for name in ("zeta", "alpha", "mid"):
        await ledger.jobs.save(name, JobSpec())
    assert [job.name for job in await ledger.jobs.all()] == ["zeta", "alpha", "mid"]


@pytest.mark.parametrize("state", JobState)
async def test_only_a_finished_job_has_an_end(ledger: Ledger, state: JobState) -> None:
    job = await ledger.jobs.save("news", SPEC)
    ledger.clock.time += 5
    await ledger.jobs.set_state(job.id, state)
    found = await ledger.jobs.get("news")
    assert found is not None
    assert found.state is state
    assert found.ended_at == (START + 5 if state is JobState.DONE else None)


async def test_a_job_started_again_has_no_end(ledger: Ledger) -> None:
    job = await ledger.jobs.save("news", SPEC)
    await ledger.jobs.set_state(job.id, JobState.DONE)
    await ledger.jobs.set_state(job.id, JobState.RUNNING)
    found = await ledger.jobs.get("news")
    assert found is not None
    assert found.ended_at is None


async def test_a_new_job_counts_nothing(ledger: Ledger) -> None:
    job = await ledger.jobs.save("news", SPEC)
    assert await ledger.jobs.counts(job.id) == Counts()
    assert (await ledger.jobs.counts(job.id)).known == 0
