"""How is it told what a fetch came to? In a word, a sentence, as JSON, and as the page itself."""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from msgspec import Struct

from tenax.fetch.answers import account
from tenax.model import OutcomeWord, Page, Product, Reason
from tenax.ops.fetch.fetch_now import Fetched
from tenax.outcome import (
    Attempt,
    Duplicate,
    Failed,
    Garbage,
    Gone,
    Moved,
    Priced,
    Read,
    Refused,
    Stale,
    Throttled,
    Unchanged,
    Unrendered,
    Waiting,
    cause,
)
from tenax.page.reading.document import Document


class FetchEnd(StrEnum):
    """What whoever asked can do with it."""

    GOT = "got"
    """The page is there, as the server has it now."""
    NO_PAGE = "no_page"
    """It was asked for, and there is no page to be had."""
    NOT_NOW = "not_now"
    """Another time: the host wants to be left alone, or could not be had."""
    REFUSED = "refused"
    """It was not asked for, and will not be: robots.txt, an address, a scope."""


class FetchForm(StrEnum):
    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
    BODY = "body"


def end_of(fetched: Fetched) -> FetchEnd:
    match fetched.outcome:
        case Read() | Unchanged() | Duplicate():
            return FetchEnd.GOT
        case Refused():
            return FetchEnd.REFUSED
        case Throttled() | Waiting() | Stale() | Unrendered():
            return FetchEnd.NOT_NOW
        case Failed() if fetched.again_at is not None:
            return FetchEnd.NOT_NOW
        case Failed() | Gone() | Garbage() | Priced() | Moved():
            return FetchEnd.NO_PAGE
        case never:
            assert_never(never)


def sentence(fetched: Fetched) -> str:
    """What happened, without the time of the next try."""
    outcome = fetched.outcome
    why = account(outcome)
    match outcome:
        case Read(page=page):
            return _as_read(fetched, page)
        case Unchanged():
            return f"unchanged ({why or '304'}): the stored copy is what the server has"
        case Duplicate():
            return "read, and nearly the same as another page"
        case Stale():
            return f"could not be had now ({why})"
        case Moved(to=to, status=status):
            return f"moved (http {status}) to {to}"
        case Gone(status=status):
            return f"gone: {why or f'http {status}'}"
        case Throttled():
            return f"the host throttles us ({why}), and is left alone"
        case Garbage():
            return f"rejected, the answer is not the page: {why}"
        case Refused(reason=Reason.ROBOTS, detail=detail):
            return f"not asked for, forbidden by {detail}"
        case Refused():
            return f"not asked for: {why}"
        case Priced():
            return f"costs money (http 402): {why}"
        case Failed():
            return f"failed: {why}"
        case Waiting():
            return f"not asked for now: {why}"
        case Unrendered():
            return f"needs a browser, and there is none here: {why}"
        case never:
            assert_never(never)


def _as_read(fetched: Fetched, page: Page) -> str:
    told = f"read: http {page.status}, {page.content_type or 'no type'}, {page.words:,} words"
    if page.body is None:
        return f"{told}; its type is recorded and not read"
    if page.directives.noindex:
        return f"{told}; it asks not to be kept (noindex), and is not stored"
    return f"{told}; stored in job {fetched.job!r}" if fetched.job else f"{told}; not stored"


def is_stored(fetched: Fetched) -> bool:
    """Whether the page is in the ledger, by this visit or an earlier one."""
    if not fetched.job or fetched.settlement is None or fetched.page is None:
        return False
    return fetched.settlement.page is not None or not isinstance(fetched.outcome, Read)


def content(fetched: Fetched, form: FetchForm) -> str | bytes | None:
    """The page in this form; None where there is none, or its type is not read."""
    page = fetched.page
    if page is None or page.body is None:
        return None
    match form:
        case FetchForm.BODY:
            return page.body
        case FetchForm.MARKDOWN:
            return _document(page).markdown
        case FetchForm.TEXT:
            return _document(page).main_text or _document(page).text
        case FetchForm.JSON:
            raise ValueError("JSON is all of it: see fetch_answer")
        case never:
            assert_never(never)


class PageAsRead(Struct, frozen=True):
    """What was read of a page."""

    content_type: str | None
    charset: str | None
    title: str | None
    headline: str | None
    """Its own heading, without the site's name."""
    description: str | None
    canonical: str | None
    language: str | None
    published: str | None
    modified: str | None
    fetched_at: float
    length: int | None
    """Bytes; null when its type is recorded and not read."""
    words: int
    noindex: bool
    nofollow: bool
    text: str | None
    markdown: str | None
    links: list[str]
    product: Product | None
    rights: tuple[tuple[str, str], ...]
    """What was said about its use: where, and what."""


class FetchAnswer(Struct, frozen=True):
    """What became of one URL."""

    url: str
    final_url: str | None
    url_hash: str | None
    outcome: OutcomeWord
    cause: str | None
    """The fault, reason or verdict behind it, as a word."""
    end: FetchEnd
    told: str
    """The same in a sentence."""
    status: int | None
    job: str | None
    stored: bool
    again_at: float | None
    """When a crawl would try again."""
    hops: tuple[str, ...]
    attempts: tuple[Attempt, ...]
    page: PageAsRead | None


def fetch_answer(fetched: Fetched) -> FetchAnswer:
    page = fetched.page
    answered = [attempt for attempt in fetched.attempts if attempt.status is not None]
    return FetchAnswer(
        url=fetched.url,
        final_url=page.url if page else None,
        url_hash=fetched.url_hash or None,
        outcome=fetched.outcome.word,
        cause=cause(fetched.outcome) or None,
        end=end_of(fetched),
        told=sentence(fetched),
        status=answered[-1].status if answered else None,
        job=fetched.job or None,
        stored=is_stored(fetched),
        again_at=fetched.again_at,
        hops=tuple(fetched.hops),
        attempts=tuple(fetched.attempts),
        page=_fetched_page(page) if page else None,
    )


def _fetched_page(page: Page) -> PageAsRead:
    document = _document(page) if page.body is not None else None
    return PageAsRead(
        content_type=page.content_type or None,
        charset=page.charset or None,
        title=page.title or None,
        headline=(document.headline or None) if document else None,
        description=page.description or None,
        canonical=page.canonical or None,
        language=page.language or None,
        published=page.published or None,
        modified=page.modified or None,
        fetched_at=page.fetched_at,
        length=len(page.body) if page.body is not None else None,
        words=page.words,
        noindex=page.directives.noindex,
        nofollow=page.directives.nofollow,
        text=document.main_text if document else None,
        markdown=document.markdown if document else None,
        links=list(dict.fromkeys(link.url for link in document.links)) if document else [],
        product=page.product,
        rights=page.rights,
    )


def _document(page: Page) -> Document:
    return Document(page.body or b"", page.url, page.content_type, page.charset or None)
