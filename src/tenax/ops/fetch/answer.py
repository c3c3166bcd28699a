"""How is it told what a fetch came to? In a word, a sentence, as JSON, and as the page itself."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, assert_never

from tenax.fetch.answers import account
from tenax.model import Page, Reason
from tenax.ops.fetch.fetch_now import Fetched
from tenax.ops.plain import plain
from tenax.outcome import (
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
            raise ValueError("JSON is all of it: see fetched_json")
        case never:
            assert_never(never)


def fetched_json(fetched: Fetched) -> dict[str, Any]:
    page = fetched.page
    answered = [attempt for attempt in fetched.attempts if attempt.status is not None]
    return {
        "url": fetched.url,
        "final_url": page.url if page else None,
        "url_hash": fetched.url_hash or None,
        "outcome": fetched.outcome.word.value,
        "cause": cause(fetched.outcome) or None,
        "end": end_of(fetched).value,
        "told": sentence(fetched),
        "status": answered[-1].status if answered else None,
        "job": fetched.job or None,
        "stored": is_stored(fetched),
        **plain({"again_at": fetched.again_at}),
        "hops": list(fetched.hops),
        "attempts": [plain(attempt) for attempt in fetched.attempts],
        "page": _page_json(page) if page else None,
    }


def _page_json(page: Page) -> dict[str, Any]:
    document = _document(page) if page.body is not None else None
    product = page.product
    return {
        "content_type": page.content_type or None,
        "charset": page.charset or None,
        "title": page.title or None,
        "headline": (document.headline or None) if document else None,
        "description": page.description or None,
        "canonical": page.canonical or None,
        "language": page.language or None,
        "published": page.published or None,
        "modified": page.modified or None,
        **plain({"fetched_at": page.fetched_at}),
        "length": len(page.body) if page.body is not None else None,
        "words": page.words,
        "noindex": page.directives.noindex,
        "nofollow": page.directives.nofollow,
        "text": document.main_text if document else None,
        "markdown": document.markdown if document else None,
        "links": list(dict.fromkeys(link.url for link in document.links)) if document else [],
        "product": plain(product) if product is not None else None,
        "rights": [list(pair) for pair in page.rights],
    }


def _document(page: Page) -> Document:
    return Document(page.body or b"", page.url, page.content_type, page.charset or None)
