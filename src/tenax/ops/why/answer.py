"""How does a URL stand, in a sentence? By its state, and by how its last visit ended."""

from __future__ import annotations

from tenax.hosts.robots_policy import Access
from tenax.hosts.standing import HostStanding, Word
from tenax.model import FOR_A_BROWSER, Role, State
from tenax.ops.why.robots_advice import RobotsAdvice
from tenax.outcome import (
    NOINDEX,
    UNFINISHED,
    Attempt,
    Duplicate,
    Garbage,
    Read,
    Stale,
    Throttled,
    Unchanged,
    Unrendered,
)
from tenax.ports import PageRecord, TargetRecord


def answer_of(
    target: TargetRecord,
    page: PageRecord | None,
    attempts: tuple[Attempt, ...],
    stands: HostStanding | None,
    robots: RobotsAdvice,
) -> str:
    """A target's state, and how its last visit ended, as a sentence."""
    reason, outcome = target.reason, target.outcome
    match target.state:
        case State.DONE if page is None and _was_stored(target):
            return "fetched and stored, but purged since"
        case State.DONE if outcome in (Duplicate.word, Read.word) and _was_stored(target):
            return "fetched and stored"
        case State.DONE if outcome is Read.word and target.cause == NOINDEX:
            return "fetched, not stored: the page asks not to be kept (noindex)"
        case State.DONE if target.role in (Role.SITEMAP, Role.FEED):
            return f"read for what it lists, not stored ({reason})"
        case State.DONE if target.role is Role.IMAGE:
            return f"fetched as a picture of a product ({reason})"
        case State.DONE if outcome is Unchanged.word:
            return f"stored, and unchanged since ({target.cause})"
        case State.DONE if outcome is Stale.word:
            return f"stored, but stale: the last visit failed ({target.cause})"
        case State.PENDING:
            return _waiting(target, attempts, stands, robots)
        case State.LEASED:
            return "being fetched now"
        case State.FAILED:
            return f"given up: {reason}"
        case State.BLOCKED:
            return f"blocked: {reason}"
        case State.REJECTED:
            evidence = _last(attempts, Garbage.word) or reason
            return f"fetched, not kept, for it is not the page: {evidence}"
        case _:
            return f"{target.state}: {reason}" if reason else target.state.value


def _was_stored(target: TargetRecord) -> bool:
    """Whether its last visit left a page, or found one there."""
    match target.outcome:
        case Duplicate.word | Unchanged.word | Stale.word:
            return True
        case outcome:
            return outcome is Read.word and not target.cause


def _waiting(
    target: TargetRecord,
    attempts: tuple[Attempt, ...],
    stands: HostStanding | None,
    robots: RobotsAdvice,
) -> str:
    told = _last(attempts, Throttled.word)
    if target.due_at >= FOR_A_BROWSER:
        return f"waiting for a browser: {_last(attempts, Unrendered.word) or target.cause}"
    if stands is not None and stands.word is Word.PAUSED:
        return "waiting for its host, which is paused"
    if stands is not None and stands.until is not None:
        if stands.word is Word.ROBOTS and robots.access is Access.DISALLOW_ALL:
            return f"waiting for its host: {robots.why}"
        because = told if told and stands.word is Word.TOLD_TO_WAIT else stands.because
        return f"waiting for its host: {stands.says}" + (f" ({because})" if because else "")
    if target.outcome is not None and target.outcome not in UNFINISHED:
        return "visited before, waiting to be visited again"
    if target.outcome is not None:
        return f"waiting to be tried again: {told or target.reason}"
    return "known, not fetched yet"


def _last(attempts: tuple[Attempt, ...], outcome: str) -> str:
    """What the last try left on record, if that was how it ended."""
    return attempts[-1].error if attempts and attempts[-1].outcome == outcome else ""
