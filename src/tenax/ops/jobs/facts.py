"""How does a job stand? Its figures, its rate lately and what it waits for, with one JSON form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from tenax.hosts.pace import PacePolicy
from tenax.jobs.eta import time_left
from tenax.model import Job, JobState
from tenax.ops.plain import plain
from tenax.ports import Counts, HostBook, JobProgress, Jobs

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    jobs: Jobs, job: Job, pace: PacePolicy, hosts: HostBook | None = None
) -> JobFacts:
    """With `hosts`, what it waits for too."""
    counts = await jobs.counts(job.id)
    if job.state is not JobState.RUNNING:
        return JobFacts(job, counts, JobProgress(), None)
    lately = await jobs.pace(job.id)
    waits = tuple(await hosts.waiting(job.id, MOST_WAITS)) if hosts else ()
    return JobFacts(job, counts, lately, time_left(job, counts, lately, pace), waits)


async def at_work(overview: Overview, now: float) -> int:
    """How many processes are there to work, also those that wait for a host to open."""
    from tenax.ops.health.metrics import SILENT

    return sum(now - worker.seen_at < SILENT for worker in await overview.workers())


def job_json(facts: JobFacts) -> dict[str, Any]:
    """A job in a list, and what an order about it answers."""
    job, counts, lately = facts.job, facts.counts, facts.lately
    return {
        "job": job.name,
        "state": job.state,
        "known": counts.known,
        "pages": counts.pages,
        "to_visit_again": counts.renewing,
        "pending": counts.unfinished,
        "waiting_for_browser": counts.unrendered,
        "deferred": counts.deferred,
        "states": {state.value: n for state, n in counts.states.items() if n},
        "not_taken": {reason.value: n for reason, n in sorted(counts.rejected.items())},
        "visits_per_second": round(lately.rate, 3) if facts.is_running else None,
        "measured_over": round(lately.seconds, 1),
        "visits": lately.visits,
        "failures": lately.failures,
        "bytes": lately.bytes,
        "seconds_left": None if facts.left is None else round(facts.left, 1),
        **plain({
            "created_at": job.created_at, "ended_at": job.ended_at, "next_run_at": job.next_run_at,
        }),
    }  # fmt: skip


def whole_job_json(facts: JobFacts) -> dict[str, Any]:
    """Everything about one: also what it was asked to do, the hosts that are likely to take
    longest, and those that it waits for."""
    queues = [{"host": each.host.name, "waiting": each.waiting} for each in facts.lately.queues]
    return {
        **job_json(facts),
        "spec": plain(facts.job.spec),
        "queues": queues,
        "waiting": _waits(facts.waits),
    }


def _waits(found: Sequence[tuple[str, float, str]]) -> list[dict[str, Any]]:
    return [
        plain({"host": host, "until": None if until == float("inf") else until, "why": why})
        for host, until, why in found
    ]
