"""What did the last try mean for a target? Whether it cost an attempt, and who is to blame."""

from __future__ import annotations

from tenax.crawl.policy import RetryPolicy
from tenax.model import Fault, State
from tenax.outcome import (
    NEVER_THE_TARGETS,
    RETRYABLE,
    SITE_WIDE,
    Attempt,
    Failed,
    Garbage,
    Priced,
    Throttled,
    Unrendered,
)
from tenax.ports import TargetRecord


def meaning(target: TargetRecord, attempt: Attempt, retry: RetryPolicy) -> str:
    """A sentence; empty where the outcome's word says it all."""
    match attempt.outcome:
        case Throttled.word:
            return "it cost no attempt: the host told all of us to wait"
        case Garbage.word if attempt.status == 403 and attempt.cause == "access_denied":
            return (
                "the site turns us away here: five such answers in a row, and its host cools down"
            )
        case Garbage.word if _is_wall(attempt.cause):
            return "the site turns us away: its host cools down, and this URL is not asked again"
        case Garbage.word:
            return "the server answered, but not with the page; it is not asked again"
        case Unrendered.word:
            return "a browser may get the page, and none was at hand: it waits for one"
        case Priced.word:
            return "the site wants to be paid for it; whether to pay is yours to decide"
        case Failed.word:
            return _failed(target, attempt, retry)
        case _:
            return ""


def _failed(target: TargetRecord, attempt: Attempt, retry: RetryPolicy) -> str:
    fault = attempt.cause
    match target.state:
        case State.PENDING if fault in SITE_WIDE:
            return "it cost no attempt: the whole host is in trouble, and its breaker counts that"
        case State.PENDING if fault in NEVER_THE_TARGETS:
            return "it cost no attempt: a proxy failed, not the site"
        case State.PENDING if target.attempts:
            return f"attempt {target.attempts} of {retry.attempts} failed; such a fault may pass"
        case State.FAILED if fault in RETRYABLE:
            return f"attempt {retry.attempts} of {retry.attempts} failed, and none is left"
        case State.FAILED if fault == Fault.INTERNAL:
            return "a bug of ours or of a library that we use, not the site's: the log tells more"
        case State.FAILED:
            return "the fault is this URL's own: another try would end like this one"
        case _:
            return ""


def _is_wall(cause: str) -> bool:
    from tenax.page.verdict.validate import HARD  # loads all that knows walls; few met one

    return cause in HARD
