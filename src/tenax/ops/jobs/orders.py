"""Order a job about: start, pause, resume, stop, run again, delete. Each with one answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from msgspec import Struct

from tenax.jobs.eta import is_full
from tenax.jobs.states import JobOrder, Refusal, obey
from tenax.model import Job, JobState, State
from tenax.ops.jobs.context import JobContext

MORE_PAGES = "change --max-pages MORE"
_LOOK = 0.1


class RunsAgain(Struct, frozen=True):
    again: int
    """URLs to be visited again."""
    pending: int
    """All that wait now."""


class Deletion(Struct, frozen=True):
    """How far it got; to be ordered again where something is left."""

    deleted: int = 0
    is_gone: bool = False
    held: int = 0
    """URLs that others have in hand: where nothing is deleted, the reason."""


Tell: TypeAlias = Callable[[Deletion], Awaitable[None]]


async def order_job(context: JobContext, job: Job, order: JobOrder) -> JobState | Refusal:
    """What the job is then, written down; or why that makes no sense."""
    counts = await context.jobs.counts(job.id)
    has_all = is_full(job, counts)
    answer = obey(order, job.state, has_work=counts.unfinished > 0 and not has_all)
    if isinstance(answer, Refusal):
        if order is JobOrder.START and has_all:
            return Refusal(f"it has its {counts.pages:,} pages", (MORE_PAGES, "run"))
        return answer
    if answer is not job.state:
        await context.jobs.set_state(job.id, answer)
    return answer


async def run_again(context: JobContext, job: Job) -> RunsAgain | Refusal:
    """Visit everything of a job again, beginning now, and what is left of it (FE-4)."""
    if job.state is JobState.PAUSED:
        return Refusal("it is paused", (JobOrder.RESUME,))
    again = await context.frontier.revisit(job.id, context.clock.now() - context.gone)
    pending = (await context.jobs.counts(job.id)).unfinished
    if not pending:
        return Refusal(
            "it has nothing to visit: it has no URL, or all of them failed or are gone", ("show",)
        )
    await context.jobs.set_state(job.id, JobState.RUNNING)
    return RunsAgain(again, pending)


async def delete_job(
    context: JobContext,
    job: Job,
    *,
    patience: float,
    seconds: float,
    tell: Tell | None = None,
) -> Deletion:
    """Stop it, wait as long as this for what others have in hand, then delete it step by step,
    for so many seconds at most. Nothing is deleted while something is under way."""
    if job.state is not JobState.STOPPED:
        await context.jobs.set_state(job.id, JobState.STOPPED)
    if held := await _until_let_go(context, job, patience, tell, Deletion()):
        return Deletion(held=held)
    deleted, until = 0, context.clock.now() + seconds
    while True:
        step = await context.jobs.delete(job.id)
        deleted += step.targets
        so_far = Deletion(deleted, step.is_gone, step.held)
        if tell is not None:
            await tell(so_far)
        if step.is_gone or context.clock.now() >= until:
            return so_far
        if step.held and not step.targets:
            if not patience:
                return so_far
            await _until_let_go(context, job, patience, tell, so_far)


async def _until_let_go(
    context: JobContext,
    job: Job,
    patience: float,
    tell: Tell | None,
    so_far: Deletion,
) -> int:
    """Wait for requests under way; how many targets are still in somebody's hands, who is alive."""
    deadline = context.clock.now() + patience
    while True:
        await context.frontier.reclaim()
        held = (await context.jobs.counts(job.id)).of(State.LEASED)
        if not held or context.clock.now() >= deadline:
            return held
        if tell is not None:
            await tell(Deletion(so_far.deleted, held=held))
        await context.clock.sleep(_LOOK)
