"""Change what a job is asked to do: seeds are added, the rest replaces what was, in one
transaction. A crawl creates its job, or changes the one of that name."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from tenax.model import Job, JobSpec, Post, Reason
from tenax.ops.jobs.context import JobContext
from tenax.ops.jobs.create import (
    AT_ONCE,
    JobCreated,
    JobExists,
    JobInvalid,
    NewJob,
    add_rest,
    admission_of,
    checked_wishes,
    create_job,
    with_grounds,
)


class JobChange(Struct, frozen=True):
    job: Job
    spec: JobSpec
    """Seeds and sitemaps to be added; everything else as it is to be."""
    grounds: tuple[str | Post, ...] | None = None
    """As of a new job."""


class JobChanged(Struct, frozen=True):
    job: Job
    taken: int
    """Of all seeds and sitemaps that it has now, how many can be crawled."""
    refused: tuple[tuple[str, Reason], ...] = ()
    waiting: int = 0
    """Not 0 where so many URLs wait that none was offered: its seeds are for the next time."""


async def change_job(context: JobContext, change: JobChange) -> JobChanged | JobInvalid:
    had = change.job.spec
    spec = checked_wishes(change.spec, context.recrawl, before=had)
    if isinstance(spec, JobInvalid):
        return spec
    spec = spec.added_to(had)
    whole = with_grounds(spec, change.grounds)
    admission = admission_of(context, replace(change.job, spec=whole))
    if isinstance(admission, JobInvalid):
        return admission
    waiting = (await context.jobs.counts(change.job.id)).unfinished
    is_full = waiting >= context.feed.frontier_limit
    offer = admission.offer_seeds(JobSpec() if is_full else spec)
    changed = await context.frontier.change_job(change.job.id, whole, offer.found[:AT_ONCE])
    if changed is None:
        return JobInvalid("job", "it was deleted meanwhile")
    await add_rest(context, change.job.id, offer.found)
    return JobChanged(changed.job, len(offer.found), offer.kept, waiting if is_full else 0)


async def create_or_change(
    context: JobContext, wanted: NewJob
) -> JobCreated | JobChanged | JobInvalid:
    """What a crawl starts with. One that runs by the clock goes on doing so, unless it is said
    when: a crawl has no flags for that."""
    answer = await create_job(context, wanted)
    if not isinstance(answer, JobExists):
        return answer
    before = answer.job.spec
    recrawl = before.recrawl if wanted.spec.recrawl is None else wanted.spec.recrawl
    schedule = wanted.spec.schedule or before.schedule
    spec = replace(wanted.spec, recrawl=recrawl, schedule=schedule)
    return await change_job(context, JobChange(answer.job, spec, wanted.grounds))


def has_work(answer: JobCreated | JobChanged) -> bool:
    """Whether there is anything to crawl by the seeds that are its own, or that waits already."""
    return answer.taken > 0 or (isinstance(answer, JobChanged) and answer.waiting > 0)
