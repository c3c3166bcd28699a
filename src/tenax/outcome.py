"""Every way a visit can end, what follows from it, and the one value that changes the ledger."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, TypeAlias, assert_never

from msgspec import Struct, field

from tenax.model import (
    Fault,
    Host,
    HostRules,
    KeptCookies,
    OutcomeWord,
    Page,
    Reason,
    Role,
    Sends,
    State,
    Target,
)
from tenax.model.record import Handled


class Read(Struct, frozen=True):
    page: Page
    word = OutcomeWord.READ


class Unchanged(Struct, frozen=True):
    """304, or the same bytes as last time."""

    status: int | None
    source: str = "304"
    """What told us: 304, same bytes, or cache when nothing was asked."""
    etag: str = ""
    """The validators of the answer, where it named any: the next visit is conditional on them."""
    last_modified: str = ""
    word = OutcomeWord.UNCHANGED


class Duplicate(Struct, frozen=True):
    """A page nearly the same as another of its job; known when it is committed (PAGE-2)."""

    of: int
    word = OutcomeWord.DUPLICATE


class Stale(Struct, frozen=True):
    """The host fails; the copy of an earlier visit still serves."""

    fault: Fault
    detail: str = ""
    status: int | None = None
    word = OutcomeWord.STALE


class Moved(Struct, frozen=True):
    """The content lives on another host now; that URL goes through the door by itself."""

    to: str
    status: int
    permanent: bool
    sends: Sends | None = None
    """What is to be sent there, too: 307 and 308 say so of what was sent here."""
    word = OutcomeWord.MOVED


class Gone(Struct, frozen=True):
    status: int
    detail: str = ""
    """What is not there, where the status does not tell: no sitemap, whatever came instead."""
    word = OutcomeWord.GONE


class Throttled(Struct, frozen=True):
    """429, or 503 with Retry-After: the host, not the target, has to wait."""

    status: int
    retry_after: float | None
    """Seconds it asked for; None when it named nothing usable."""
    word = OutcomeWord.THROTTLED


class Garbage(Struct, frozen=True):
    """An answer that is not the page: a wall, a shell, an error dressed as success (VAL-1)."""

    verdict: str
    evidence: str
    is_hard: bool = False
    """The whole host turns us away, not this page."""
    status: int | None = None
    """Of an answer that was no success besides."""
    word = OutcomeWord.GARBAGE


class Unrendered(Struct, frozen=True):
    """A browser may get the page, and none was at hand: it waits for one (FE-9)."""

    verdict: str
    evidence: str
    status: int | None = None
    """Of an answer that was no success besides."""
    word = OutcomeWord.UNRENDERED


class Refused(Struct, frozen=True):
    """We may not or will not visit it, whatever the server would answer."""

    reason: Reason
    detail: str
    word = OutcomeWord.REFUSED


class Priced(Struct, frozen=True):
    price: str
    word = OutcomeWord.PRICED


class Failed(Struct, frozen=True):
    fault: Fault
    detail: str
    status: int | None = None
    retry_after: float | None = None
    word = OutcomeWord.FAILED


class Waiting(Struct, frozen=True):
    """Nothing was sent: the moment is not right (robots unreachable, host paused)."""

    until: float
    why: str
    priority: int = 0
    """At which it waits from now on, where that is lower than its own."""
    shape: str = ""
    """Of what is deferred until somebody asks for it: what kind of URL it is (URL-6)."""
    word = OutcomeWord.WAITING


Outcome: TypeAlias = (
    Read | Unchanged | Duplicate | Stale | Moved | Gone | Throttled | Garbage | Unrendered
    | Refused | Priced | Failed | Waiting
)  # fmt: skip

UNFINISHED = frozenset({
    OutcomeWord.FAILED, OutcomeWord.THROTTLED, OutcomeWord.WAITING, OutcomeWord.UNRENDERED,
})  # fmt: skip
"""After these a target may be pending because it is tried again; after all others it is finished,
and pending only to be visited anew."""
NOINDEX = "noindex"
"""The cause of a page that was read and not kept: it asks for that (ROB-3)."""


def cause(outcome: Outcome) -> str:
    """What made it end so, in one word of a closed set; empty where the outcome says it all. Of
    what is deferred it is the shape of its URL.

    The fault, the reason against it, the verdict, what told that nothing has changed; of what was
    read and is no page of the site's, what it is instead.
    """
    match outcome:
        case Read(page=page):
            return _instead_of_a_page(page)
        case Failed(fault=fault) | Stale(fault=fault):
            return fault.value
        case Refused(reason=reason):
            return reason.value
        case Garbage(verdict=verdict) | Unrendered(verdict=verdict):
            return verdict
        case Unchanged(source=source):
            return source
        case Waiting(shape=shape):
            return shape
        case Duplicate() | Moved() | Gone() | Throttled() | Priced():
            return ""
        case never:
            assert_never(never)


def _instead_of_a_page(page: Page) -> str:
    if page.content_type.startswith("image/") and page.body:
        return Role.IMAGE.value
    if page.listing is not None:
        return page.listing.kind.value
    return NOINDEX if page.directives.noindex else ""


RETRYABLE = frozenset({
    Fault.DNS, Fault.CONNECT_REFUSED, Fault.CONNECT_TIMEOUT, Fault.READ_TIMEOUT, Fault.RESET,
    Fault.PROTOCOL, Fault.SERVER_ERROR, Fault.BAD_GATEWAY,
})  # fmt: skip
UNREACHABLE = frozenset({Fault.DNS, Fault.CONNECT_REFUSED, Fault.CONNECT_TIMEOUT})
SITE_WIDE = UNREACHABLE | {Fault.BAD_GATEWAY, Fault.TLS}
UNSENT = UNREACHABLE | {Fault.TLS, Fault.PROXY}
"""After these nothing of the request had left: what sends something may be sent again."""
NEVER_THE_TARGETS = SITE_WIDE | {Fault.PROXY}
"""Failures that cost a target no attempt: another URL would have failed alike (FE-8)."""


class End(Struct, frozen=True):
    """The target is finished, in this state, for this reason."""

    state: State
    reason: str = ""
    fault: Fault | None = None
    """What made it fail, of targets given up: their dead letters are sorted by it (FE-8)."""
    detail: str = ""
    """What there is to tell beyond the fault, of targets given up."""


class Later(Struct, frozen=True):
    """The target goes back to pending; `counts` says whether an attempt was spent."""

    at: float
    counts: bool
    reason: str = ""
    sinks: int = 0
    """By how much its priority is lower from now on."""


Next: TypeAlias = End | Later


class Attempt(Struct, frozen=True):
    """The record of one try at a target (FE-12)."""

    at: float
    outcome: str
    status: int | None = None
    ttfb_ms: float = 0.0
    total_ms: float = 0.0
    bytes: int = 0
    client: str = "http"
    address: str = ""
    chain: tuple[str, ...] = ()
    """The URLs of the redirects followed, first to last; empty when there were none."""
    error: str = ""
    proxy: str = ""
    """The name of the proxy it went through; empty when it went directly."""
    cause: str = ""
    """The fault, reason or verdict behind its outcome, as a word; `error` tells it to people."""
    download_ms: float = 0.0
    """From the first byte of the answer to its last; of several hops, the last one's."""
    kbps: int = 0
    """Kilobits a second while it came; 0 when it came at once, or not at all."""
    body: str = ""
    """What an error answered, as far as that is kept (`fetch.error_bodies`)."""


class RequestStart(NamedTuple):
    """One request that left for a host, be it for robots.txt or on the way of a redirect (FR-5)."""

    at: float
    status: int | None
    """None when no answer came."""
    ms: float
    """Until the answer was there, or given up."""
    delay: float
    """Seconds that were to be kept from the request before it."""


class Kept(StrEnum):
    """What became of the page that an earlier visit stored."""

    CHECKED = "checked"
    """It is what the server has now."""
    STALE = "stale"
    """It is still there, and this visit could not confirm it."""
    DROPPED = "dropped"
    """The page asks not to be kept any more (ROB-3)."""


NEVER = 1e11
"""When what is deferred is due, once nothing may be spent on it any more: in three thousand years,
or when somebody asks for it (URL-6)."""


class Evidence(Struct, frozen=True):
    """What one visit says of its kind of URL (URL-6). Which of the URLs it names are new, the
    ledger knows when it is committed."""

    shape: str
    judged: bool = False
    """Whether it was asked what the visit brought; what has proved good is asked now and then."""
    says: bool = False
    """Its page says something that was not there."""
    worded: bool = False
    """And that is more than figures."""
    leads: tuple[Target, ...] = ()
    """Some of the URLs of other kinds that it names: one of them that is new will do."""
    figures: int = 0
    """How many of those, the last ones, lead to nothing but figures."""
    looked: bool = False
    """Whether it was asked what it names of its own kind."""
    kin: tuple[bytes, ...] = ()
    """Keys of those, known and new."""
    deeper: int = 0
    """How many were too deep."""
    more: int = 0
    """How many it names besides, where nobody asked whether they are new."""
    others: tuple[bytes, ...] = ()
    """Keys of new ones of other kinds, at its host."""
    times: int = 1
    """How many visits it speaks for: of what has proved good not each is asked. None, when it was
    only heard what its page says."""
    copy: bool = False
    """It says nothing but what other pages have said, at length."""
    elsewhere: bool = False
    """It tells that what it says belongs to another URL: where the ledger has the same text, it is
    a copy."""
    late: bool = False
    """The URL was deferred: the visit is taken from the budget for that."""
    said: bytes = b""
    """What it said first, in hashes of four bytes each."""


class Settlement(Struct, frozen=True):
    """Everything one visit changes, written in one transaction or not at all."""

    target_id: int
    job_id: int
    assignment_id: int
    next: Next
    attempt: Attempt | None
    outcome: OutcomeWord | None = None
    """How the visit ended; what `next` gives as its reason is for people to read."""
    cause: str = ""
    """What made it end so, in one word: the `cause` of its outcome."""
    earlier: tuple[Attempt, ...] = ()
    """Tries of other clients in the same visit, before that one."""
    page: Page | None = None
    image: Page | None = None
    """The picture that it was visited for: its body is kept, and it is no page of the site's."""
    duplicate_of: int | None = None
    """The target whose page is nearly the same; told by the ledger as it is committed (PAGE-2)."""
    url_hash: bytes = b""
    """The page's public name: SHA-256 of the target's identity."""
    found: tuple[Target, ...] = ()
    rejected: dict[Reason, int] = field(default_factory=dict)
    kept_rejections: tuple[tuple[str, Reason], ...] = ()
    """Rejections that depend on the moment, kept so that `why` can tell them (URL-4)."""
    host: Host | None = None
    """The host as this visit leaves it; None when nothing was learned."""
    renews: bool = False
    """The target has a page of an earlier visit."""
    kept: Kept | None = None
    """What became of that page; None when it was replaced, or is as it was."""
    confirmed: bytes = b""
    """The digest of a page that was found unchanged; empty when it has no body."""
    stale: str = ""
    """Of one that could not be confirmed: the fault, or else the outcome, in one word."""
    validators: tuple[str, str] = ("", "")
    """ETag and Last-Modified of an answer that confirmed it; empty where it named none."""
    role: Role = Role.PAGE
    """Why the target was visited."""
    url: str = ""
    """Of the target, for the log."""
    looked: bool = False
    """The sitemaps of its host are among what was found."""
    evidence: Evidence | None = None
    """What the visit is evidence for; None when for nothing (URL-6)."""
    learned: HostRules | None = None
    """All that its host has taught of where its pages are; None when this visit added nothing."""
    starts: tuple[RequestStart, ...] = ()
    """Requests that have left for the host since the settlement before this one."""
    crashes: int | None = None
    """The deaths that stand against the target from now on; None for as many as before."""
    handled: Handled | None = None
    """What the user's handlers made of the page; None where none is for it (REC-1)."""
    cookies: KeptCookies | None = None
    """All that its host has set in its job by now; None where this visit changed none of it."""

    @property
    def lease(self) -> tuple[int, int]:
        """What gives it the right to be written: this target, under this assignment."""
        return self.target_id, self.assignment_id
