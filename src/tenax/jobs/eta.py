"""When will a job be done? As far as its rate lately and politeness let us tell. Pure (FR-7)."""

from __future__ import annotations

from tenax.hosts.pace import PacePolicy, delay_of
from tenax.model import Job
from tenax.ports import Counts, JobProgress


def visits_left(job: Job, counts: Counts) -> int:
    """What waits now, or as much of it as the page limit leaves: every page may name more."""
    if job.spec.max_pages is None:
        return counts.unfinished
    return max(0, min(counts.unfinished, job.spec.max_pages - counts.fresh))


def is_full(job: Job, counts: Counts) -> bool:
    """Whether the job has its pages, and none of them is to be visited again."""
    limit = job.spec.max_pages
    return limit is not None and counts.pages >= limit and not counts.renewing


def time_left(job: Job, counts: Counts, lately: JobProgress, pace: PacePolicy) -> float | None:
    """Seconds until what waits now is visited; None while nobody can tell."""
    left = visits_left(job, counts)
    if not left:
        return 0.0
    if not lately.rate:
        return None
    return max(left / lately.rate, least_time(lately, pace, left))


def least_time(lately: JobProgress, pace: PacePolicy, left: int) -> float:
    """What one host takes by its delay alone, however many of us there are."""
    return max(
        (min(q.waiting, left) * delay_of(q.host.pace, pace) for q in lately.queues), default=0.0
    )
