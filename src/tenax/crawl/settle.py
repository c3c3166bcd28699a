"""What does a visit change? From its outcome to the one value the ledger writes. Pure."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from tenax.crawl.policy import RetryPolicy, retry_at
from tenax.model import (
    FOR_A_BROWSER,
    Fault,
    Host,
    HostRules,
    KeptCookies,
    LeasedTarget,
    Page,
    Reason,
    Role,
    State,
    Target,
)
from tenax.model.record import Handled
from tenax.outcome import (
    NEVER_THE_TARGETS,
    RETRYABLE,
    UNSENT,
    Attempt,
    Duplicate,
    End,
    Evidence,
    Failed,
    Garbage,
    Gone,
    Kept,
    Later,
    Moved,
    Next,
    Outcome,
    Priced,
    Read,
    Refused,
    RequestStart,
    Settlement,
    Stale,
    Throttled,
    Unchanged,
    Unrendered,
    Waiting,
    cause,
)
from tenax.urls.priority import LEAST

_LONGEST_VALIDATOR = 1_000
"""What is longer is not worth keeping, and cut off it is not sent either."""


class Admitted(Struct, frozen=True):
    """What became of the URLs a page proposed."""

    found: tuple[Target, ...] = ()
    rejected: dict[Reason, int] = field(default_factory=dict)
    kept: tuple[tuple[str, Reason], ...] = ()
    looked: bool = False
    """The host's sitemaps were proposed with it."""

    def __add__(self, other: Admitted) -> Admitted:
        return Admitted(
            self.found + other.found,
            dict(Counter(self.rejected) + Counter(other.rejected)),
            self.kept + other.kept,
            self.looked or other.looked,
        )


class Lesson(Struct, frozen=True):
    """What a visit taught of its host, and the guesses that this makes worth a try."""

    guesses: tuple[Target, ...] = ()
    rules: HostRules | None = None
    """All that is known there by now; None when it is what was known before."""


class Visit(Struct, frozen=True):
    """A finished visit: who was visited, how it ended, and what it brought."""

    target: LeasedTarget
    assignment_id: int
    host: Host
    """As the visit leaves it."""
    outcome: Outcome
    attempt: Attempt | None
    url_hash: bytes = b""
    offer: Admitted = Admitted()
    earlier: tuple[Attempt, ...] = ()
    """Tries of other clients before that one."""
    evidence: Evidence | None = None
    """What it says of its kind of URL; None for nothing (URL-6)."""
    starts: tuple[RequestStart, ...] = ()
    """Requests that have left for the host by now, and are not written down."""
    handled: Handled | None = None
    """What the user's handlers made of the page; None where none is for it."""
    cookies: KeptCookies | None = None
    """What the host has set in this job, where that is new."""
    is_deadly: bool = False
    """A process dies of asking the user's handlers about it."""


def settle(visit: Visit, now: float, policy: RetryPolicy, rng: Random) -> Settlement:
    outcome = visit.outcome
    is_image = visit.target.role is Role.IMAGE
    page = outcome.page if isinstance(outcome, Read) else None
    next = follow_up(visit, now, policy, rng)
    kept = kept_copy(visit) if isinstance(next, End) else None
    return Settlement(
        target_id=visit.target.id,
        job_id=visit.target.job_id,
        assignment_id=visit.assignment_id,
        next=next,
        attempt=visit.attempt,
        outcome=outcome.word,
        cause=cause(outcome),
        earlier=visit.earlier,
        page=page if page is not None and not is_image and _is_kept(page) else None,
        image=page if is_image else None,
        url_hash=visit.url_hash,
        found=visit.offer.found,
        rejected=visit.offer.rejected,
        kept_rejections=visit.offer.kept,
        host=visit.host,
        renews=visit.target.copy is not None,
        kept=kept,
        confirmed=_confirmed(visit),
        stale=_why_stale(outcome) if kept is Kept.STALE else "",
        validators=_validators(outcome),
        role=visit.target.role,
        url=visit.target.url,
        evidence=visit.evidence,
        looked=visit.offer.looked,
        starts=visit.starts,
        crashes=_deaths(visit) if visit.target.crashes else None,
        handled=visit.handled,
        cookies=visit.cookies,
    )


def taught(settlement: Settlement, lesson: Lesson, host: Host) -> Settlement:
    """With what the visit taught: written in its transaction or not at all, so that nothing is
    remembered as asked for that never was. The host is as it was left while that was learned."""
    if not lesson.guesses and lesson.rules is None and host is settlement.host:
        return settlement
    found = settlement.found + lesson.guesses
    return replace(settlement, found=found, learned=lesson.rules, host=host)


def _is_kept(page: Page) -> bool:
    """Sitemaps and feeds are read for what they list, and are no pages."""
    return page.listing is None and not page.directives.noindex


def kept_copy(visit: Visit) -> Kept | None:
    """What becomes of the page of an earlier visit, now that this one has ended."""
    if visit.target.copy is None:
        return None
    match visit.outcome:
        case Read(page=page):
            return Kept.DROPPED if page.directives.noindex else None
        case Unchanged():
            # What nobody was asked about is no younger for that, or it would never be asked.
            return Kept.CHECKED if visit.attempt is not None else None
        case _:
            return Kept.STALE


def _confirmed(visit: Visit) -> bytes:
    """The digest of what is found unchanged, also where nobody was asked."""
    copy = visit.target.copy
    return copy.digest if copy is not None and isinstance(visit.outcome, Unchanged) else b""


def _deaths(visit: Visit) -> int | None:
    """How many stand against a target that has killed its reader: none, once it was read. One that
    was given up keeps one, so that whoever tries it again reads it alone."""
    if visit.is_deadly:
        return 1
    match visit.outcome:
        case Read() | Garbage() | Unrendered() | Unchanged(source="same bytes"):
            return 0
        case Failed(fault=Fault.INTERNAL) | Stale(fault=Fault.INTERNAL):
            return 1
        case _:
            return None


def _as_read(page: Page) -> str:
    if page.content_type.startswith("image/") and page.body:
        return f"image: {len(page.body):,} bytes"
    if page.listing is not None:
        listing = page.listing
        told = f"{listing.kind}: {len(listing.entries):,} URLs"
        return f"{told} ({listing.problem})" if listing.problem else told
    if page.unreadable:
        return f"not read: {page.unreadable}"
    return "noindex" if page.directives.noindex else "read"


def _why_stale(outcome: Outcome) -> str:
    match outcome:
        case Stale(fault=fault) | Failed(fault=fault):
            return fault
        case _:
            return outcome.word


def _validators(outcome: Outcome) -> tuple[str, str]:
    match outcome:
        case Unchanged(etag=etag, last_modified=last_modified):
            return etag[:_LONGEST_VALIDATOR], last_modified[:_LONGEST_VALIDATOR]
        case _:
            return "", ""


def follow_up(visit: Visit, now: float, policy: RetryPolicy, rng: Random) -> Next:
    """The next state of the target: every outcome has exactly one."""
    match visit.outcome:
        case Read(page=page):
            return End(State.DONE, _as_read(page))
        case Unchanged(source=source):
            return End(State.DONE, f"unchanged: {source}")
        case Stale(fault=fault):
            return End(State.DONE, f"stale: {fault}")
        case Duplicate():
            return End(State.DONE, visit.outcome.word)
        case Moved(to=to, status=status):
            return End(State.DONE, f"moved ({status}) to {to}")
        case Gone(status=status, detail=detail):
            return End(State.GONE, detail or f"http {status}")
        case Garbage(verdict=verdict):
            return End(State.REJECTED, verdict)
        case Unrendered(verdict=verdict):
            # To the end of its queue: other claims need not pass by any number of these.
            why = f"{verdict}: waits for a browser"
            return Later(FOR_A_BROWSER, counts=False, reason=why, sinks=LEAST)
        case Refused(reason=Reason.ROBOTS, detail=detail):
            return End(State.BLOCKED, detail)  # it names robots.txt, and the line
        case Refused(reason=reason, detail=detail):
            return End(State.BLOCKED, f"{reason}: {detail}")
        case Priced(price=price):
            return End(State.BLOCKED, f"priced: {price}" if price else "priced")
        case Throttled(status=status):
            then = _when(visit, visit.host.pace.backoff_until)
            return Later(then, counts=False, reason=f"http {status}")
        case Waiting(until=until, why=why, priority=priority):
            sinks = max(0, priority - visit.target.priority)
            return Later(_when(visit, until), counts=False, reason=why, sinks=sinks)
        case Failed(fault=fault, detail=detail, retry_after=wait):
            why = f"{fault}: {detail}"
            if visit.target.sends is not None and fault not in UNSENT:
                # It may have been received and acted upon: only a person sends it again.
                return End(State.FAILED, why, fault, detail)
            if fault in NEVER_THE_TARGETS:
                # The host's breaker, or the proxy's ban, decides how often this is tried (FE-8).
                again = retry_at(0, now, wait, policy, rng)
                return Later(now + policy.base if again is None else again, False, why)
            at = None
            if fault in RETRYABLE:
                at = retry_at(visit.target.attempts, now, wait, policy, rng)
            if at is None:
                return End(State.FAILED, why, fault, detail)
            return Later(at, counts=True, reason=why)
        case never:
            assert_never(never)


def _when(visit: Visit, at: float) -> float:
    """Then; or when a worker with a browser has come to its host again, if that is whom it waited
    for: its host is closed for all, and others would ask for it in vain."""
    return FOR_A_BROWSER if visit.target.for_browser else at
