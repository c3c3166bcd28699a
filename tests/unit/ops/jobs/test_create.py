"""Is a job created by one rule whoever asks, with its seeds or not at all? (FR-7)"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy.engine import Connection

from tenax.compose import Ledger, open_ledger
from tenax.crawl.policy import FeedPolicy
from tenax.model import JobSpec, JobState, Reason, ScopeKind
from tenax.ops.jobs.change import JobChange, JobChanged, change_job, create_or_change
from tenax.ops.jobs.create import (
    AT_ONCE,
    JobCreated,
    JobExists,
    JobInvalid,
    NewJob,
    create_job,
)
from tenax.ports import Unavailable
from tenax.settings import Settings

T = TypeVar("T")
HOME = "https://a.example/"
SPEC = JobSpec(seeds=("a.example", "https://b.example/x"))


@asynccontextmanager
async def a_ledger(folder: Path, **settings: Any) -> AsyncIterator[Ledger]:
    async with open_ledger(Settings(data=str(folder), **settings), threads=False) as ledger:
        yield ledger


class Breaking:
    """A database that is lost for good after so many transactions were written."""

    def __init__(self, inner: Any, writes: int) -> None:
        self._inner = inner
        self.left = writes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def write(self, work: Callable[[Connection], T]) -> T:
        if not self.left:
            raise Unavailable("the plug was pulled")
        self.left -= 1
        result: T = await self._inner.write(work)
        return result


async def test_a_new_job_has_its_seeds_as_whole_urls_and_waits(tmp_path: Path) -> None:
    async with a_ledger(tmp_path) as ledger:
        answer = await create_job(ledger.job_context, NewJob("news", SPEC))
        assert isinstance(answer, JobCreated)
        assert (answer.taken, answer.refused, answer.job.state) == (2, (), JobState.STOPPED)
        assert answer.job.spec.seeds == (HOME, "https://b.example/x")
        assert answer.job == await ledger.jobs.get("news")
        assert (await ledger.jobs.counts(answer.job.id)).unfinished == 2


async def test_one_that_is_to_be_started_is(tmp_path: Path) -> None:
    async with a_ledger(tmp_path) as ledger:
        answer = await create_job(ledger.job_context, NewJob("news", SPEC, is_started=True))
        assert isinstance(answer, JobCreated)
        assert answer.job.state is JobState.RUNNING


@pytest.mark.parametrize("writes", range(4))
async def test_wherever_a_creation_is_cut_off_the_same_order_ends_well(
    tmp_path: Path, writes: int
) -> None:
    """The bug: a job without seeds was left, and its name answered 409 for ever."""
    wanted = NewJob("news", SPEC, is_started=True)
    async with a_ledger(tmp_path) as ledger:
        ledger.database = Breaking(ledger.database, writes)
        try:
            await create_job(ledger.job_context, wanted)
        except Unavailable:
            assert await ledger.jobs.all() == [], "nothing is there"
        ledger.database.left = 99
        answer = await create_job(ledger.job_context, wanted)
        assert isinstance(answer, JobCreated) or (isinstance(answer, JobExists) and answer.is_same)
        assert (await ledger.jobs.counts(answer.job.id)).unfinished == 2
        assert answer.job.state is JobState.RUNNING


async def test_very_many_typed_seeds_are_all_taken(tmp_path: Path) -> None:
    seeds = tuple(f"{HOME}{n}" for n in range(AT_ONCE + 7))
    async with a_ledger(tmp_path) as ledger:
        answer = await create_job(ledger.job_context, NewJob("news", JobSpec(seeds=seeds)))
        assert isinstance(answer, JobCreated)
        assert (await ledger.jobs.counts(answer.job.id)).known == answer.taken == AT_ONCE + 7


async def test_a_name_that_is_taken_says_whether_for_the_same(tmp_path: Path) -> None:
    async with a_ledger(tmp_path) as ledger:
        context = ledger.job_context
        made = await create_job(context, NewJob("news", SPEC))
        assert isinstance(made, JobCreated)
        assert await create_job(context, NewJob("news", SPEC)) == JobExists(made.job, is_same=True)
        other = NewJob("news", JobSpec(seeds=SPEC.seeds, max_depth=2))
        assert await create_job(context, other) == JobExists(made.job, is_same=False)


@pytest.mark.parametrize(
    ("name", "spec", "field", "why"),
    [
        (" ", SPEC, "name", "needs a name"),
        ("a/b", SPEC, "name", "slash"),
        ("a\nb", SPEC, "name", "control"),
        ("a\0b", SPEC, "name", "control"),
        ("a" * 256, SPEC, "name", "longer"),
        ("a", JobSpec(), "seeds", "where to start?"),
        ("a", JobSpec(seeds=(HOME,), include=("re:(",)), "include", "not a regular expression"),
        ("a", JobSpec(seeds=(HOME,), blocked_hosts=("a/b",)), "blocked_hosts", "not a host name"),
        ("a", JobSpec(seeds=(HOME,), recrawl=0.5), "recrawl", "use recrawl.shortest"),
        ("a", JobSpec(seeds=(HOME,), schedule="sometimes"), "schedule", "five are wanted"),
        ("a", JobSpec(seeds=(HOME,), max_pages=0), "max_pages", "use 1"),
        ("a", JobSpec(seeds=(HOME,), max_depth=-1), "max_depth", "use 0"),
    ],
)
async def test_what_cannot_be_meant_is_told_by_its_field_and_nothing_is_made(
    tmp_path: Path, name: str, spec: JobSpec, field: str, why: str
) -> None:
    async with a_ledger(tmp_path) as ledger:
        answer = await create_job(ledger.job_context, NewJob(name, spec))
        assert isinstance(answer, JobInvalid)
        assert answer.field == field
        assert why in answer.why
        assert await ledger.jobs.all() == []


async def test_where_no_seed_can_be_crawled_each_has_its_reason(tmp_path: Path) -> None:
    seeds = ("ftp://a.example/", "http://10.0.0.1/")
    async with a_ledger(tmp_path) as ledger:
        answer = await create_job(ledger.job_context, NewJob("a", JobSpec(seeds=seeds)))
        assert isinstance(answer, JobInvalid)
        assert dict(answer.refused) == {
            seeds[0]: Reason.SCHEME, seeds[1]: Reason.PRIVATE_ADDRESS,
        }  # fmt: skip
        some = await create_job(ledger.job_context, NewJob("a", JobSpec(seeds=(*seeds, HOME))))
        assert isinstance(some, JobCreated)
        assert (some.taken, len(some.refused)) == (1, 2)


async def test_a_job_with_more_seeds_to_come_may_begin_with_none(tmp_path: Path) -> None:
    async with a_ledger(tmp_path) as ledger:
        wanted = NewJob("a", JobSpec(), is_started=True, grounds=(HOME,))
        answer = await create_job(ledger.job_context, wanted)
        assert isinstance(answer, JobCreated)
        assert (answer.taken, answer.job.spec.seeds) == (0, (HOME,))
        assert answer.job.state is JobState.STOPPED, "it is started once they are in"
        assert (await ledger.jobs.counts(answer.job.id)).known == 0


async def test_a_change_adds_seeds_and_replaces_the_rest(tmp_path: Path) -> None:
    async with a_ledger(tmp_path) as ledger:
        made = await create_job(ledger.job_context, NewJob("news", SPEC))
        assert isinstance(made, JobCreated)
        spec = JobSpec(seeds=("https://c.example/",), scope=ScopeKind.DOMAIN)
        answer = await change_job(ledger.job_context, JobChange(made.job, spec))
        assert isinstance(answer, JobChanged)
        assert answer.taken == 3
        assert answer.job.spec.seeds == (HOME, "https://b.example/x", "https://c.example/")
        assert answer.job.spec.scope is ScopeKind.DOMAIN
        assert answer.job == await ledger.jobs.get("news")
        assert (await ledger.jobs.counts(made.job.id)).unfinished == 3


async def test_a_change_that_is_cut_off_changes_nothing(tmp_path: Path) -> None:
    async with a_ledger(tmp_path) as ledger:
        made = await create_job(ledger.job_context, NewJob("news", SPEC))
        assert isinstance(made, JobCreated)
    async with a_ledger(tmp_path) as ledger:
        ledger.database = Breaking(ledger.database, 0)
        change = JobChange(made.job, JobSpec(seeds=("https://c.example/",), max_depth=2))
        with pytest.raises(Unavailable):
            await change_job(ledger.job_context, change)
        assert await ledger.jobs.get("news") == made.job


async def test_where_as_much_waits_as_may_seeds_are_kept_for_the_next_time(tmp_path: Path) -> None:
    async with a_ledger(tmp_path) as ledger:
        made = await create_job(ledger.job_context, NewJob("news", SPEC))
        assert isinstance(made, JobCreated)
    full = FeedPolicy(frontier_limit=2)
    async with a_ledger(tmp_path, feed=full) as ledger:
        change = JobChange(made.job, JobSpec(seeds=("https://c.example/",)))
        answer = await change_job(ledger.job_context, change)
        assert isinstance(answer, JobChanged)
        assert (answer.taken, answer.waiting) == (0, 2)
        assert answer.job.spec.seeds[-1] == "https://c.example/"
        assert (await ledger.jobs.counts(made.job.id)).known == 2


async def test_a_crawl_goes_on_with_its_job_and_keeps_its_times(tmp_path: Path) -> None:
    async with a_ledger(tmp_path) as ledger:
        context = ledger.job_context
        timed = JobSpec(seeds=(HOME,), schedule="@daily", recrawl=86_400.0)
        assert isinstance(await create_or_change(context, NewJob("a", timed)), JobCreated)
        more = NewJob("a", JobSpec(seeds=("https://b.example/",), max_pages=7))
        answer = await create_or_change(context, more)
        assert isinstance(answer, JobChanged)
        spec = answer.job.spec
        assert spec.seeds == (HOME, "https://b.example/")
        assert (spec.schedule, spec.recrawl, spec.max_pages) == ("@daily", 86_400.0, 7)


async def test_a_job_of_an_older_name_goes_on(tmp_path: Path) -> None:
    async with a_ledger(tmp_path) as ledger:
        await ledger.jobs.save("a/b", JobSpec(seeds=(HOME,)))
        answer = await create_or_change(ledger.job_context, NewJob("a/b", SPEC))
        assert isinstance(answer, JobChanged)
