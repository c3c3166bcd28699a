"""What happens to a target next, and when? Read off its state; nothing is changed."""

from __future__ import annotations

from typing import assert_never

from msgspec import Struct, field

from tenax.crawl.policy import RetryPolicy
from tenax.hosts import conduct
from tenax.hosts.conduct import Why
from tenax.hosts.standing import Word, standing
from tenax.jobs.eta import is_full
from tenax.model import FOR_A_BROWSER, Host, Job, JobState, State
from tenax.outcome import RETRYABLE
from tenax.ports import Counts, HostRecord, TargetRecord
from tenax.version import pip_install


class Prospect(Struct, frozen=True):
    what: str
    not_before: float | None = None
    """None when it is only a matter of turn, or when nothing will happen."""
    because: str = ""
    """What has to be waited for, where it is the whole host's."""


NOTHING = Prospect("nothing")
START = Prospect("nothing until a crawl starts here: tenax crawl URL")
REFUSED = Prospect("nothing: pages may name it, it will not be taken")
BLOCKED = Prospect("nothing would be requested of it while robots.txt says so")
_RENDERED = Prospect(
    f"read by the next crawl or worker that has a browser: {pip_install('browser')}, and a"
    " Chromium; see tenax doctor"
)
_UNKNOWN = Prospect("taken as soon as a page of this job names it")


class Situation(Struct, frozen=True):
    job: Job
    counts: Counts
    target: TargetRecord | None
    host: HostRecord | None
    now: float
    treatment: conduct.HostPolicies = field(default_factory=conduct.HostPolicies)
    retry: RetryPolicy = field(default_factory=RetryPolicy)


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
        case State.FAILED if target.cause in RETRYABLE:
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
    if _is_at_its_limit(here):
        return Prospect(f"nothing: the job has its {here.job.spec.max_pages:,} pages")
    if target.due_at >= FOR_A_BROWSER:
        return _RENDERED
    host = here.host.host if here.host else None
    opening = conduct.opens_at(host, here.treatment) if host else None
    if host and opening and opening.why is Why.PAUSED:
        return Prospect(f"waits until its host is resumed: tenax hosts {host.name} --resume")
    at = max(target.due_at, opening.at if opening else 0.0)
    not_before = at if at > here.now else None
    because = ""
    if host and opening and opening.at == not_before:
        because = _because(host, here)
    if here.job.state is not JobState.RUNNING:
        return Prospect("fetched when the crawl goes on: run it again", not_before, because)
    if because:
        return Prospect("fetched when its host is open again", not_before, because)
    if target.attempts:
        again = f"attempt {target.attempts + 1} of {here.retry.attempts}"
        return Prospect(again, not_before)
    return Prospect("fetched when its turn comes", not_before)


def _because(host: Host, here: Situation) -> str:
    stands = standing(host, here.now, here.treatment)
    if stands.until is None:
        return ""
    if stands.word is Word.BREAKER:
        return f"{stands.says} ({stands.because}), and a probe goes first"
    return f"{stands.says} ({stands.because})" if stands.because else stands.says


def _is_at_its_limit(here: Situation) -> bool:
    return is_full(here.job, here.counts)
