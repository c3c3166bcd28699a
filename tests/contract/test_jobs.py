"""The promises of `Jobs`: named crawls that keep their spec, their state and their figures."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from tenax.jobs.calendar import ScheduleError
from tenax.model import JobSpec, JobState, ScopeKind, Target
from tenax.ports import Counts
from tests.ledgers import START, Ledger, target

HOUR = 3_600.0
A, B = "https://a.example/", "https://b.example/"
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


async def test_a_job_made_under_other_bounds_is_shown_as_it_is(ledger: Ledger) -> None:
    """Bounds are for what is asked for now: an old job must still be found and deleted."""
    spec = JobSpec(seeds=SPEC.seeds, scope=ScopeKind.DOMAIN, max_pages=0, max_depth=-1)
    job = await ledger.jobs.save("news", spec)
    assert job.spec == spec
    (found,) = await ledger.jobs.all()
    assert (found.spec.max_pages, found.spec.max_depth, found.spec.scope) == (0, -1, spec.scope)


async def test_saving_a_name_again_changes_the_spec_of_the_same_job(ledger: Ledger) -> None:
    first = await ledger.jobs.save("news", SPEC)
    await ledger.jobs.set_state(first.id, JobState.PAUSED)
    ledger.clock.time += 100
    again = await ledger.jobs.save("news", JobSpec(max_pages=7))
    assert again.id == first.id
    assert again.spec.max_pages == 7
    assert again.created_at == START
    assert again.state is JobState.PAUSED


async def test_a_name_that_is_taken_is_not_given_to_another_job(ledger: Ledger) -> None:
    job = await ledger.jobs.create("news", SPEC, JobState.STOPPED)
    assert job is not None
    assert (job.name, job.state, job.spec) == ("news", JobState.STOPPED, SPEC)
    assert await ledger.jobs.create("news", JobSpec(max_pages=7), JobState.RUNNING) is None
    assert await ledger.jobs.all() == [job]


async def test_of_many_that_create_one_job_at_once_one_does(ledger: Ledger) -> None:
    tried = [ledger.jobs.create("news", JobSpec(max_pages=n), JobState.STOPPED) for n in range(8)]
    made = [job for job in await asyncio.gather(*tried) if job is not None]
    assert made == await ledger.jobs.all()
    saved = [ledger.jobs.save("more", JobSpec(max_pages=n)) for n in range(8)]
    assert len({job.id for job in await asyncio.gather(*saved)}) == 1


class Broken(list[Target]):
    """Targets that can be counted, and at whose second one everything breaks down."""

    def __iter__(self) -> Iterator[Target]:
        yield target("https://a.example/")
        raise RuntimeError("the power is gone")


async def test_a_job_comes_with_its_first_targets(ledger: Ledger) -> None:
    frontier = (await ledger.worker()).frontier
    seeds = [target("https://a.example/"), target("https://b.example/")]
    made = await frontier.create_job("news", SPEC, JobState.STOPPED, seeds)
    assert made is not None
    assert made.added.new == 2
    assert made.job == await ledger.jobs.get("news")
    assert (made.job.spec, made.job.state) == (SPEC, JobState.STOPPED)
    assert (await ledger.jobs.counts(made.job.id)).unfinished == 2


async def test_of_a_creation_that_broke_down_half_way_nothing_is_there(ledger: Ledger) -> None:
    frontier = (await ledger.worker()).frontier
    with pytest.raises(RuntimeError):
        await frontier.create_job("news", SPEC, JobState.STOPPED, Broken([target(A), target(B)]))
    assert await ledger.jobs.all() == []
    made = await frontier.create_job("news", SPEC, JobState.STOPPED, [target(A)])
    assert made is not None, "the name is free"
    assert (await ledger.jobs.counts(made.job.id)).known == 1


async def test_of_many_that_create_a_job_with_targets_at_once_one_does(ledger: Ledger) -> None:
    workers = [await ledger.worker() for _ in range(4)]
    made = await asyncio.gather(*(
        each.frontier.inner.create_job("news", JobSpec(max_pages=n + 1), JobState.RUNNING, [
            target(f"https://h{n}.example/")
        ])
        for n, each in enumerate(workers)
    ))  # fmt: skip
    (one,) = [each for each in made if each is not None]
    assert await ledger.jobs.all() == [one.job]
    assert (await ledger.jobs.counts(one.job.id)).known == 1
    assert await ledger.auditor.audit() == []


async def test_a_job_is_changed_together_with_what_is_added(ledger: Ledger) -> None:
    frontier = (await ledger.worker()).frontier
    made = await frontier.create_job("news", SPEC, JobState.PAUSED, [target(A)])
    assert made is not None
    wider = replace(SPEC, schedule="every 6h", recrawl=HOUR)
    changed = await frontier.change_job(made.job.id, wider, [target(A), target(B)])
    assert changed is not None
    assert (changed.added.new, changed.added.known) == (1, 1)
    assert changed.job == await ledger.jobs.get("news")
    assert (changed.job.spec, changed.job.state) == (wider, JobState.PAUSED)


async def test_of_two_that_change_a_job_at_once_neither_loses_the_others_seeds(
    ledger: Ledger,
) -> None:
    """Each has read the job before the other has written."""
    workers = [await ledger.worker() for _ in range(2)]
    job = await ledger.jobs.save("news", JobSpec(seeds=(A,), sitemaps=(f"{A}/1.xml",)))
    wanted = JobSpec(seeds=(A, B)), JobSpec(seeds=("https://c.example/",), sitemaps=(f"{A}/2.xml",))
    await asyncio.gather(*(
        worker.frontier.inner.change_job(job.id, spec, [])
        for worker, spec in zip(workers, wanted, strict=True)
    ))  # fmt: skip
    after = await ledger.jobs.get("news")
    assert after is not None
    assert after.spec.seeds[0] == A
    assert sorted(after.spec.seeds) == sorted((A, B, "https://c.example/"))
    assert after.spec.sitemaps == (f"{A}/1.xml", f"{A}/2.xml")


async def test_of_a_change_that_broke_down_half_way_nothing_is_there(ledger: Ledger) -> None:
    frontier = (await ledger.worker()).frontier
    job = await ledger.jobs.save("news", SPEC)
    broken = Broken([target(A), target(B)])
    with pytest.raises(RuntimeError):
        await frontier.change_job(job.id, JobSpec(max_pages=7), broken)
    assert await ledger.jobs.get("news") == job
    assert (await ledger.jobs.counts(job.id)).known == 0


async def test_a_limit_that_comes_with_the_job_binds_its_first_targets(ledger: Ledger) -> None:
    frontier = (await ledger.worker()).frontier
    one = JobSpec(max_urls=1)
    made = await frontier.create_job("news", one, JobState.STOPPED, [target(A), target(B)])
    assert made is not None
    assert (made.added.new, len(made.added.over_limit)) == (1, 1)
    changed = await frontier.change_job(made.job.id, JobSpec(max_urls=2), [target(B)])
    assert changed is not None
    assert changed.added.new == 1


async def test_a_job_that_is_gone_is_not_changed(ledger: Ledger) -> None:
    frontier = (await ledger.worker()).frontier
    assert await frontier.change_job(7, SPEC, [target(A)]) is None


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


# Schedules


async def scheduled(ledger: Ledger, schedule: str = "every 6h", name: str = "news") -> int:
    return (await ledger.jobs.save(name, JobSpec(schedule=schedule))).id


async def next_run_of(ledger: Ledger, name: str = "news") -> float | None:
    job = await ledger.jobs.get(name)
    assert job is not None
    return job.next_run_at


async def test_a_job_without_a_schedule_is_never_due(ledger: Ledger) -> None:
    await ledger.jobs.save("news", SPEC)
    ledger.clock.time += 1e9
    assert await ledger.jobs.due() == []
    assert await next_run_of(ledger) is None


async def test_a_scheduled_job_is_due_at_its_time(ledger: Ledger) -> None:
    job = await scheduled(ledger)
    ledger.clock.time += 6 * HOUR - 1
    assert await ledger.jobs.due() == []
    ledger.clock.time += 1
    assert [(j.id, j.next_run_at) for j in await ledger.jobs.due()] == [(job, START + 6 * HOUR)]


async def test_a_schedule_goes_by_its_time_zone(ledger: Ledger) -> None:
    """START is 14:13:20 in summer, by UTC."""
    await scheduled(ledger, "0 3 * * *")
    await scheduled(ledger, "0 3 * * * Europe/Berlin", "berlin")
    utc, berlin = await next_run_of(ledger), await next_run_of(ledger, "berlin")
    assert utc is not None
    assert berlin == utc - 2 * HOUR


async def test_a_schedule_that_cannot_be_is_not_saved(ledger: Ledger) -> None:
    with pytest.raises(ScheduleError, match="25 is out of range"):
        await scheduled(ledger, "0 25 * * *")
    assert await ledger.jobs.all() == []


async def test_only_another_schedule_moves_the_next_run(ledger: Ledger) -> None:
    await scheduled(ledger)
    ledger.clock.time += HOUR
    await scheduled(ledger)
    assert await next_run_of(ledger) == START + 6 * HOUR
    await scheduled(ledger, "every 2h")
    assert await next_run_of(ledger) == START + 3 * HOUR
    await scheduled(ledger, "")
    assert await next_run_of(ledger) is None


@pytest.mark.parametrize("state", JobState)
async def test_what_a_person_has_halted_is_not_started(ledger: Ledger, state: JobState) -> None:
    job = await scheduled(ledger)
    await ledger.jobs.set_state(job, state)
    ledger.clock.time += 7 * HOUR
    due = START + 6 * HOUR
    may_start = state in (JobState.RUNNING, JobState.DONE)
    assert bool(await ledger.jobs.due()) == may_start
    assert await ledger.jobs.begin_run(job, due, due + 6 * HOUR) == may_start
    found = await ledger.jobs.get("news")
    assert found is not None
    assert found.state is (JobState.RUNNING if may_start else state)
    assert found.next_run_at == (due + 6 * HOUR if may_start else due)


async def test_a_run_is_begun_once_whoever_tries(ledger: Ledger) -> None:
    job = await scheduled(ledger)
    await ledger.jobs.set_state(job, JobState.DONE)
    ledger.clock.time += 7 * HOUR
    due = START + 6 * HOUR
    assert await ledger.jobs.begin_run(job, due, due + 6 * HOUR)
    assert not await ledger.jobs.begin_run(job, due, due + 6 * HOUR)
    assert not await ledger.jobs.skip_run(job, due, due + 6 * HOUR)
    assert await ledger.jobs.due() == []
    found = await ledger.jobs.get("news")
    assert found is not None
    assert (found.state, found.ended_at) == (JobState.RUNNING, None)


async def test_a_run_that_is_left_out_changes_nothing_but_the_next_one(ledger: Ledger) -> None:
    job = await scheduled(ledger)
    await ledger.jobs.set_state(job, JobState.DONE)
    ledger.clock.time += 7 * HOUR
    due = START + 6 * HOUR
    assert await ledger.jobs.skip_run(job, due, due + 6 * HOUR)
    assert not await ledger.jobs.begin_run(job, due, due + 6 * HOUR)
    found = await ledger.jobs.get("news")
    assert found is not None
    assert (found.state, found.next_run_at) == (JobState.DONE, due + 6 * HOUR)
