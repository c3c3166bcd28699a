"""How does a job stand? Its figures, its rate lately and what it waits for, with one JSON form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from tenax.hosts.pace import PacePolicy
from tenax.jobs.eta import time_left
from tenax.model import Job, JobSpec, JobState, Reason, State
from tenax.ops.plain import extended
from tenax.ports import Counts, HostBook, JobProgress, Jobs

if TYPE_CHECKING:
    from tenax.ports.overview import Overview

MOST_WAITS = 6
"""Hosts that are told of: those that are closed for longest come last, and are counted out."""


class JobFacts(Struct, frozen=True):
    """A job as it stands now."""

    job: Job
    counts: Counts
    lately: JobProgress
    left: float | None
    """Seconds until it is done; None when nobody can tell, or nobody works on it."""
    waits: tuple[tuple[str, float, str], ...] = ()
    """Hosts that it waits for, as `HostBook.waiting` has them; only where they were asked for."""

    @property
    def is_running(self) -> bool:
        return self.job.state is JobState.RUNNING


async def job_facts(
    jobs: Jobs,
    job: Job,
    pace: PacePolicy,
    hosts: HostBook | None = None,
    before: JobFacts | None = None,
) -> JobFacts:
    """With `hosts`, what it waits for too. With `before`, queues and waits are as they were a
    moment ago: to count long queues takes longer than all the rest."""
    counts = await jobs.counts(job.id)
    if job.state is not JobState.RUNNING:
        return JobFacts(job, counts, JobProgress(), None)
    if before is not None:
        lately, waits = await jobs.pace(job.id, before.lately.queues), before.waits
    else:
        lately = await jobs.pace(job.id)
        waits = tuple(await hosts.waiting(job.id, MOST_WAITS)) if hosts else ()
    return JobFacts(job, counts, lately, time_left(job, counts, lately, pace), waits)


async def at_work(overview: Overview, now: float) -> int:
    """How many processes are there to work, also those that wait for a host to open."""
    from tenax.ops.health.metrics import SILENT

    return sum(now - worker.seen_at < SILENT for worker in await overview.workers())


class JobSummary(Struct, frozen=True):
    """A job in a list, and what an order about it answers."""

    job: str
    state: JobState
    known: int
    """URLs; the sum over `states`."""
    pages: int
    to_visit_again: int
    """Pages that are to be visited again."""
    pending: int
    """URLs that are left to do."""
    waiting_for_browser: int
    deferred: int
    """URLs that wait until somebody asks for them."""
    states: dict[State, int]
    not_taken: dict[Reason, int]
    visits_per_second: float | None
    """Null while it does not run."""
    measured_over: float
    """Seconds that this and the four below are about."""
    visits: int
    failures: int
    bytes: int
    seconds_left: float | None
    """Null when nobody can tell."""
    created_at: float
    ended_at: float | None
    next_run_at: float | None


class LongQueue(Struct, frozen=True):
    host: str
    waiting: int
    """URLs; of very long queues only their beginning counts."""


class HostWait(Struct, frozen=True):
    """A host that a job waits for."""

    host: str
    until: float | None
    """Null when no clock ends it."""
    why: str


class JobOutlook(JobSummary, frozen=True):
    """A job, and what it waits for."""

    queues: list[LongQueue]
    """Hosts that are likely to take longest."""
    waiting: list[HostWait]


class JobDetail(JobOutlook, frozen=True):
    """Everything about one job."""

    spec: JobSpec
    """What it was asked to do."""


def job_summary(facts: JobFacts) -> JobSummary:
    job, counts, lately = facts.job, facts.counts, facts.lately
    return JobSummary(
        job=job.name,
        state=job.state,
        known=counts.known,
        pages=counts.pages,
        to_visit_again=counts.renewing,
        pending=counts.unfinished,
        waiting_for_browser=counts.unrendered,
        deferred=counts.deferred,
        states={state: counts.of(state) for state in State},
        not_taken=dict(sorted(counts.rejected.items())),
        visits_per_second=round(lately.rate, 3) if facts.is_running else None,
        measured_over=round(lately.seconds, 1),
        visits=lately.visits,
        failures=lately.failures,
        bytes=lately.bytes,
        seconds_left=None if facts.left is None else round(facts.left, 1),
        created_at=job.created_at,
        ended_at=job.ended_at,
        next_run_at=job.next_run_at,
    )


def job_outlook(facts: JobFacts) -> JobOutlook:
    queues = [LongQueue(each.host.name, each.waiting) for each in facts.lately.queues]
    waits = [
        HostWait(host, None if until == float("inf") else until, why)
        for host, until, why in facts.waits
    ]
    return extended(JobOutlook, job_summary(facts), queues=queues, waiting=waits)


def job_detail(facts: JobFacts) -> JobDetail:
    return extended(JobDetail, job_outlook(facts), spec=facts.job.spec)
