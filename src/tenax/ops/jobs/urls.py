"""Add URLs to a job, as links or as seeds, and forget those that it has not visited (FR-7)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from tenax.jobs.states import Refusal
from tenax.model import Candidate, Job, JobState, Reason, Rejected, Target
from tenax.ops.jobs.change import JobChange, JobChanged, change_job
from tenax.ops.jobs.context import JobContext
from tenax.ops.jobs.create import JobInvalid, admission_of, whole_urls


class UrlsOffered(Struct, frozen=True):
    """What became of URLs that were added to a job."""

    new: int
    known: int
    """Those that it had already: they stay as they are."""
    refused: tuple[tuple[str, Reason], ...] = ()


class FrontierCleared(Struct, frozen=True):
    urls: int
    is_whole: bool
    """False where time was up: to be ordered again for the rest."""


async def add_urls(context: JobContext, job: Job, urls: Sequence[str]) -> UrlsOffered | JobInvalid:
    """By the same rules as links: they need not be linked from anywhere."""
    admission = admission_of(context, job)
    if isinstance(admission, JobInvalid):
        return admission
    decided = admission.decide_each(Candidate(url, depth=1) for url in whole_urls(urls))
    taken = [each for each in decided if isinstance(each, Target)]
    added = await context.frontier.add(job.id, taken)
    refused = [(each.url, each.reason) for each in decided if isinstance(each, Rejected)]
    return UrlsOffered(added.new, added.known, (*refused, *added.over_limit))


async def seed_urls(context: JobContext, job: Job, urls: Sequence[str]) -> UrlsOffered | JobInvalid:
    """As seeds: they are part of what the job is asked to do, and of its scope."""
    before = (await context.jobs.counts(job.id)).known
    seeds = whole_urls(urls)
    asked = replace(job.spec, seeds=seeds, sitemaps=())
    changed = await change_job(context, JobChange(job, asked))
    match changed:
        case JobInvalid():
            return changed
        case JobChanged(refused=refused):
            new = max(0, (await context.jobs.counts(job.id)).known - before)
            refused = tuple(each for each in refused if each[0] in seeds)
            return UrlsOffered(new, max(0, len(seeds) - len(refused) - new), refused)


async def clear_frontier(
    context: JobContext, job: Job, *, seconds: float
) -> FrontierCleared | Refusal:
    """Forget the URLs of a job that wait and were never visited, for so many seconds at most. One
    that is running would find them again, or take them for known: it has to rest."""
    if job.state is JobState.RUNNING:
        return Refusal("it is running", ("pause", "stop"))
    cleared, after, until = 0, 0, context.clock.now() + seconds
    while True:
        count, place = await context.jobs.clear(job.id, after)
        cleared += count
        if place is None:
            return FrontierCleared(cleared, is_whole=True)
        if context.clock.now() >= until:
            return FrontierCleared(cleared, is_whole=False)
        after = place
