"""What is told of a visit? Events, from what the visit changed. Pure.

A visit that brought a page is told. One that found it unchanged is told where its body has a time
to live, which begins anew, or where that is wanted; elsewhere nothing about the page is new to
those who were told before. A page that asks not to be kept is not told. What changed of a product
is told whichever visit noticed it, also one that brought no page.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from tenax.model import EventKind, OutcomeWord, Page, Role, State
from tenax.model.dates import iso_time
from tenax.outcome import End, Kept, Settlement

if TYPE_CHECKING:
    from tenax.model import OfferState
    from tenax.ports import Counts
    from tenax.ports.handled import RecordChange
    from tenax.ports.products import ProductChange

_LONGEST_REASON = 1_000
_GONE = (404, 410)


class Telling(Struct, frozen=True):
    """How events name what they are about."""

    by_url: bool = False
    """Bodies are kept under the hash of their URL, as Redis does, not under their own."""
    kinds: frozenset[EventKind] = frozenset(EventKind)
    """What anybody is told of."""
    unchanged: bool = False
    """Visits that found their page unchanged are told, too."""
    gone: bool = False
    """Pages that are gone (404, 410) are told as those given up."""

    def wants(self, kind: EventKind) -> bool:
        return kind in self.kinds


class PageFacts(Struct, frozen=True):
    """What is told of a page, one just read or one that is stored."""

    url: str
    """Where redirects led to."""
    status: int
    content_type: str
    length: int
    digest: bytes
    """Of the body; empty when none was kept."""
    text: bytes
    """The SHA-256 of the main text; empty without one."""
    at: float
    """When it was fetched, or found unchanged."""


class TargetFacts(Struct, frozen=True):
    """What a settlement does not say of its target."""

    url: str
    job: str
    attempts: int = 0
    """Tries it had, this one included."""
    stored: PageFacts | None = None
    """The page that it was found to have still."""


class PageFetchedEvent(msgspec.Struct, frozen=True, tag_field="type", tag="webpage_fetched"):
    """A visit brought a page, or found it unchanged."""

    event_id: str
    url: str
    final_url: str
    url_hash: str
    unchanged: bool
    body: Literal["stored", "none"]
    cache_key: str | None
    status_code: int
    content_type: str
    content_length: int
    content_hash: str | None
    text_sha256: str | None
    body_sha256: str | None
    digest: str | None
    fetched_at: str
    job: str


class PageFailedEvent(msgspec.Struct, frozen=True, tag_field="type", tag="webpage_failed"):
    """A URL was given up."""

    event_id: str
    url: str
    url_hash: str
    fault: str
    reason: str
    attempts: int
    status_code: int | None
    failed_at: str
    job: str


class OfferTold(msgspec.Struct, frozen=True):
    """What a product cost, and whether it could be had; null where nothing was said."""

    price: str | None
    currency: str | None
    regular_price: str | None
    availability: str | None
    status: str


class ProductChangedEvent(msgspec.Struct, frozen=True, tag_field="type", tag="product_changed"):
    """A visit found another price, availability or status of a product than was known."""

    event_id: str
    url: str
    url_hash: str
    product_id: int
    name: str
    sku: str | None
    gtin: str | None
    old: OfferTold
    new: OfferTold
    changed: tuple[str, ...]
    changed_at: str
    job: str


class PageGoneEvent(msgspec.Struct, frozen=True, tag_field="type", tag="page_gone"):
    """A page that is stored is not there any more."""

    event_id: str
    url: str
    url_hash: str
    status_code: int
    text_sha256: str | None
    body_sha256: str | None
    fetched_at: str
    gone_at: str
    job: str


class RecordChangedEvent(msgspec.Struct, frozen=True, tag_field="type", tag="record_changed"):
    """A record of the user's own is new, another than before, or gone."""

    event_id: str
    url: str
    url_hash: str
    record_id: int
    name: str
    key: str | None
    handler: str
    version: str
    change: Literal["new", "changed", "gone"]
    old: msgspec.Raw
    new: msgspec.Raw
    changed_at: str
    job: str


class JobEndedEvent(msgspec.Struct, frozen=True, tag_field="type", tag="job_ended"):
    """A job is done."""

    event_id: str
    job: str
    known: int
    pages: int
    failed: int
    ended_at: str


class AlertEvent(msgspec.Struct, frozen=True, tag_field="type", tag="alert"):
    """Something is wrong that a person should look at, or is not any more."""

    event_id: str
    rule: str
    state: Literal["raised", "cleared"]
    says: str
    value: float | None
    at: str


def kind(settlement: Settlement, telling: Telling) -> EventKind | None:
    """Which event a settlement makes; None for none, as most that bring no page do."""
    if settlement.page is not None or (telling.unchanged and is_unchanged(settlement)):
        event = EventKind.FETCHED
    elif _is_given_up(settlement) or (telling.gone and _is_gone(settlement)):
        event = EventKind.FAILED
    else:
        return None
    return event if telling.wants(event) else None


def is_unchanged(settlement: Settlement) -> bool:
    """Whether a visit has ended with the page that was there before."""
    is_same = settlement.outcome is OutcomeWord.UNCHANGED
    return is_same and isinstance(settlement.next, End) and settlement.page is None


def _is_given_up(settlement: Settlement) -> bool:
    return isinstance(settlement.next, End) and settlement.next.state is State.FAILED


def _is_gone(settlement: Settlement) -> bool:
    """Not where we had only guessed that something is there, or looked for a sitemap."""
    if not isinstance(settlement.next, End) or settlement.next.state is not State.GONE:
        return False
    answered = settlement.attempt is not None and settlement.attempt.status in _GONE
    return answered and settlement.role in (Role.PAGE, Role.POSTED)


def takes_a_page(settlement: Settlement) -> bool:
    """Whether a visit found gone what an earlier one has stored, perhaps not as the first."""
    return settlement.kept is Kept.STALE and _is_gone(settlement)


def gone_told(settlement: Settlement, about: TargetFacts, now: float) -> bytes:
    """The event of a page that is gone, as a line of JSON; `about` has what is stored of it."""
    attempt, page = settlement.attempt, about.stored
    assert attempt is not None
    assert attempt.status is not None
    assert page is not None
    return _encode(
        PageGoneEvent(
            event_id=event_id(EventKind.GONE, about.job, settlement.url_hash, attempt.at),
            url=about.url,
            url_hash=settlement.url_hash.hex(),
            status_code=attempt.status,
            text_sha256=page.text.hex() or None,
            body_sha256=page.digest.hex() or None,
            fetched_at=iso_time(page.at),
            gone_at=iso_time(now),
            job=about.job,
        )
    )


def told(settlement: Settlement, about: TargetFacts, now: float, telling: Telling) -> bytes:
    """The event of a settlement that makes one, as a line of JSON."""
    if settlement.page is not None:
        return _encode(_fetched(settlement, _facts(settlement.page), about, telling))
    if about.stored is not None:
        confirmed = settlement.attempt.at if settlement.attempt else now
        return _encode(_fetched(settlement, about.stored, about, telling, confirmed))
    return _encode(_failed(settlement, about, now))


def cache_key(digest: bytes, url_hash: bytes, telling: Telling) -> str:
    """What finds a body: the name it has in the content store."""
    return f"webpage:{url_hash.hex()}" if telling.by_url else digest.hex()


def event_id(kind: EventKind, job: str, url_hash: bytes, at: float) -> str:
    """The same whenever the same visit is told, from whichever copy of the ledger."""
    named = f"{kind}\n{job}\n{url_hash.hex()}\n{at:.6f}"
    return sha256(named.encode()).hexdigest()[:32]


def change_told(change: ProductChange, url_hash: bytes, about: TargetFacts) -> bytes:
    """The event of a product that changed, as a line of JSON."""
    old, new = _offer(change.old), _offer(change.new)
    return _encode(
        ProductChangedEvent(
            event_id=event_id(EventKind.PRODUCT, about.job, url_hash, change.at),
            url=about.url,
            url_hash=url_hash.hex(),
            product_id=change.product_id,
            name=change.name,
            sku=change.sku or None,
            gtin=change.gtin or None,
            old=old,
            new=new,
            changed=tuple(
                name
                for name in OfferTold.__struct_fields__
                if getattr(old, name) != getattr(new, name)
            ),
            changed_at=iso_time(change.at),
            job=about.job,
        )
    )


def record_told(change: RecordChange, url_hash: bytes, about: TargetFacts) -> bytes:
    """The event of a record that changed, as a line of JSON."""
    what: Literal["new", "changed", "gone"] = "changed"
    if change.old is None:
        what = "new"
    elif change.new is None:
        what = "gone"
    named = f"{about.job}\n{change.record_id}"
    return _encode(
        RecordChangedEvent(
            event_id=event_id(EventKind.RECORD, named, url_hash, change.at),
            url=about.url,
            url_hash=url_hash.hex(),
            record_id=change.record_id,
            name=change.name,
            key=change.key,
            handler=change.handler,
            version=change.version,
            change=what,
            old=msgspec.Raw((change.old or "null").encode()),
            new=msgspec.Raw((change.new or "null").encode()),
            changed_at=iso_time(change.at),
            job=about.job,
        )
    )


def job_told(job: str, counts: Counts, at: float) -> bytes:
    """The event of a job that is done, as a line of JSON."""
    return _encode(
        JobEndedEvent(
            event_id=event_id(EventKind.JOB, job, b"", at),
            job=job,
            known=counts.known,
            pages=counts.pages,
            failed=counts.of(State.FAILED),
            ended_at=iso_time(at),
        )
    )


def alert_told(
    rule: str, state: Literal["raised", "cleared"], says: str, value: float | None, at: float
) -> bytes:
    """The event of an alert, as a line of JSON; for `Outbox.put`."""
    id = event_id(EventKind.ALERT, f"{rule}\n{state}", b"", at)
    return _encode(AlertEvent(id, rule, state, says[:_LONGEST_REASON], value, iso_time(at)))


def _offer(offer: OfferState) -> OfferTold:
    return OfferTold(
        offer.price or None,
        offer.currency or None,
        offer.regular_price or None,
        offer.availability.value or None,
        offer.status.value,
    )


def _facts(page: Page) -> PageFacts:
    return PageFacts(
        page.url,
        page.status,
        page.content_type,
        page.size,
        page.digest if page.size else b"",
        page.content_hash,
        page.fetched_at,
    )


def _fetched(
    settlement: Settlement,
    page: PageFacts,
    about: TargetFacts,
    telling: Telling,
    confirmed: float | None = None,
) -> PageFetchedEvent:
    """`confirmed` is when it was found unchanged: nobody may have been asked then."""
    url_hash = settlement.url_hash
    at = page.at if confirmed is None else confirmed
    return PageFetchedEvent(
        event_id=event_id(EventKind.FETCHED, about.job, url_hash, at),
        url=about.url,
        final_url=page.url,
        url_hash=url_hash.hex(),
        unchanged=confirmed is not None,
        body="stored" if page.digest else "none",
        cache_key=cache_key(page.digest, url_hash, telling) if page.digest else None,
        status_code=page.status,
        content_type=page.content_type,
        content_length=page.length,
        content_hash=(page.text or page.digest).hex() or None,
        text_sha256=page.text.hex() or None,
        body_sha256=page.digest.hex() or None,
        digest=page.digest.hex() or None,
        fetched_at=iso_time(page.at),
        job=about.job,
    )


def _failed(settlement: Settlement, about: TargetFacts, now: float) -> PageFailedEvent:
    assert isinstance(settlement.next, End)
    attempt = settlement.attempt
    at = attempt.at if attempt else now
    return PageFailedEvent(
        event_id=event_id(EventKind.FAILED, about.job, settlement.url_hash, at),
        url=about.url,
        url_hash=settlement.url_hash.hex(),
        fault=str(settlement.next.fault or (attempt.outcome if attempt else State.FAILED)),
        reason=settlement.next.reason[:_LONGEST_REASON],
        attempts=about.attempts,
        status_code=attempt.status if attempt else None,
        failed_at=iso_time(now),
        job=about.job,
    )


_encode = msgspec.json.Encoder().encode
