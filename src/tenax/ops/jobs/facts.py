"""How does a job stand, and what does it become when somebody orders it about?"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from tenax.crawl.run import is_full
from tenax.hosts.pace import PacePolicy
from tenax.jobs.eta import time_left
from tenax.jobs.states import JobOrder, Refusal, obey
from tenax.model import Job, JobState, State
from tenax.ops.plain import plain
from tenax.ports import Counts, Frontier, JobProgress, Jobs

MORE_PAGES = "change --max-pages MORE"


class JobFacts(Struct, frozen=True):
    """A job as it stands now."""

    job: Job
    counts: Counts
    lately: JobProgress
    left: float | None
    """Seconds until it is done; None when nobody can tell, or nobody works on it."""

    @property
    def is_running(self) -> bool:
        return self.job.state is JobState.RUNNING


async def look(jobs: Jobs, job: Job, pace: PacePolicy) -> JobFacts:
    counts = await jobs.counts(job.id)
    if job.state is not JobState.RUNNING:
        return JobFacts(job, counts, JobProgress(), None)
    lately = await jobs.pace(job.id)
    return JobFacts(job, counts, lately, time_left(job, counts, lately, pace))


def job_facts(sight: JobFacts) -> dict[str, Any]:
    """A job as JSON has it."""
    job, counts, lately = sight.job, sight.counts, sight.lately
    return {
        "job": job.name,
        "state": job.state,
        "known": counts.known,
        "pages": counts.pages,
        "to_visit_again": counts.renewing,
        "pending": counts.unfinished,
        "states": {state.value: n for state, n in counts.states.items() if n},
        "not_taken": {reason.value: n for reason, n in sorted(counts.rejected.items())},
        "visits_per_second": round(lately.rate, 3) if sight.is_running else None,
        "measured_over": round(lately.seconds, 1),
        "visits": lately.visits,
        "failures": lately.failures,
        "bytes": lately.bytes,
        "seconds_left": None if sight.left is None else round(sight.left, 1),
        **plain({
            "created_at": job.created_at, "ended_at": job.ended_at, "next_run_at": job.next_run_at,
        }),
    }  # fmt: skip


def told_queues(sight: JobFacts) -> list[dict[str, Any]]:
    """The hosts that are likely to take longest."""
    return [{"host": each.host.name, "waiting": each.waiting} for each in sight.lately.queues]


def told_waits(found: list[tuple[str, float, str]]) -> list[dict[str, Any]]:
    """Hosts that a job waits for, as `HostBook.waiting` has them."""
    return [
        plain({"host": host, "until": None if until == float("inf") else until, "why": why})
        for host, until, why in found
    ]


async def order_about(jobs: Jobs, job: Job, order: JobOrder) -> JobState | Refusal:
    """What the job is then, written down; or why that makes no sense."""
    counts = await jobs.counts(job.id)
    has_all = is_full(job, counts)
    answer = obey(order, job.state, has_work=counts.unfinished > 0 and not has_all)
    if isinstance(answer, Refusal):
        if order is JobOrder.START and has_all:
            return Refusal(f"it has its {counts.pages:,} pages", (MORE_PAGES, "run"))
        return answer
    if answer is not job.state:
        await jobs.set_state(job.id, answer)
    return answer


async def held_after_stop(jobs: Jobs, frontier: Frontier, job: Job) -> int:
    """Stop it; how many of its targets are still in somebody's hands, who is alive."""
    if job.state is not JobState.STOPPED:
        await jobs.set_state(job.id, JobState.STOPPED)
    await frontier.reclaim()
    return (await jobs.counts(job.id)).of(State.LEASED)
