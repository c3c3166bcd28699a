"""What happens to a target next, and when? Read off its state; nothing is changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from tenax.hosts.pace import opens_at
from tenax.model import Job, JobState, State
from tenax.outcome import RETRYABLE
from tenax.ports import Counts, HostRecord, TargetRecord


@dataclass(frozen=True, slots=True)
class Prospect:
    what: str
    not_before: float | None = None
    """None when it is only a matter of turn, or when nothing will happen."""


NOTHING = Prospect("nothing")
START = Prospect("nothing until a crawl starts here: tenax crawl URL")
REFUSED = Prospect("nothing: pages may name it, it will not be taken")
BLOCKED = Prospect("nothing would be requested of it while robots.txt says so")
_UNKNOWN = Prospect("taken as soon as a page of this job names it")


@dataclass(frozen=True, slots=True)
class Situation:
    job: Job
    counts: Counts
    target: TargetRecord | None
    host: HostRecord | None
    now: float


def of_target(here: Situation) -> Prospect:
    target = here.target
    if target is None:
        return _of_unknown(here)
    match target.state:
        case State.PENDING:
            return _of_pending(here, target)
        case State.LEASED:
            return Prospect("a worker has it; should that one die, another takes it over")
        case State.DONE:
            return Prospect("nothing: it is done")
        case State.FAILED if target.reason.partition(":")[0] in RETRYABLE:
            return Prospect("nothing: its attempts are spent")
        case State.FAILED:
            return Prospect("nothing: trying again would not help")
        case State.BLOCKED | State.REJECTED | State.GONE:
            return Prospect("nothing: it is settled")
        case never:
            assert_never(never)


def _of_unknown(here: Situation) -> Prospect:
    if _is_at_its_limit(here):
        return Prospect(f"nothing: the job has its {here.job.spec.max_pages:,} pages")
    if here.job.state is JobState.DONE:
        return Prospect("nothing: no page of this job named it, and the job is done")
    return _UNKNOWN


def _of_pending(here: Situation, target: TargetRecord) -> Prospect:
    host = here.host.host if here.host else None
    at = max(target.due_at, opens_at(host.pace) if host else 0.0)
    not_before = at if at > here.now else None
    if _is_at_its_limit(here):
        return Prospect(f"nothing: the job has its {here.job.spec.max_pages:,} pages")
    if host and host.paused:
        return Prospect("waits until its host is no longer paused")
    if here.job.state is not JobState.RUNNING:
        return Prospect("fetched when the crawl goes on: run it again", not_before)
    if host and host.pace.backoff_until >= at and not_before:
        return Prospect("fetched when the host's own wait is over", not_before)
    if target.attempts:
        return Prospect(f"attempt {target.attempts + 1}", not_before)
    return Prospect("fetched when its turn comes", not_before)


def _is_at_its_limit(here: Situation) -> bool:
    limit = here.job.spec.max_pages
    return limit is not None and here.counts.pages >= limit
