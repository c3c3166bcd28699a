"""What does an answer mean? From status and headers to an outcome, or to a page worth reading."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, assert_never

from tenax.model import Failure, Fault, Forbidden, Headers, Page, Reason, Response
from tenax.outcome import (
    Duplicate,
    Failed,
    Garbage,
    Gone,
    Moved,
    Outcome,
    Priced,
    Read,
    Refused,
    Stale,
    Throttled,
    Unchanged,
    Unrendered,
    Waiting,
)
from tenax.page.directives import linked

if TYPE_CHECKING:
    from tenax.page.verdict.validate import PageVerdict

REDIRECTS = frozenset({301, 302, 303, 307, 308})
PERMANENT = frozenset({301, 308})


def judge(answer: Response | Failure | Forbidden, now: float) -> Response | Outcome:
    """An outcome where the answer settles the visit; the response itself where it is a page."""
    match answer:
        case Forbidden():
            return refused_address(answer)
        case Failure(fault=fault, detail=detail, status=status):
            return Failed(fault, detail, status)
        case Response():
            return _judge_status(answer, now)


def told(answer: object, result: Page | Outcome) -> str:
    """What the record of an attempt says: what went wrong, and what was left out on the way."""
    trouble = "" if isinstance(result, Page) else account(result)
    note = answer.note if isinstance(answer, Response) else ""
    return "; ".join(filter(None, (trouble, note)))


def walled(result: Outcome, verdict: PageVerdict) -> Outcome:
    """What an answer means that was no success, and whose page is a wall: the wall is the reason,
    and a browser may pass it. One that told us to wait is waited for all the same."""
    match result:
        case Failed(status=int() as status):
            evidence = f"{verdict.signature}: {verdict.evidence} (http {status})"
            # A refusal is of this URL, as any 403 is, until there is a row of them.
            is_hard = verdict.is_hard and verdict.kind != "access_denied"
            return Garbage(verdict.kind, evidence, is_hard, status)
        case _:
            return result


def unrendered(result: Page | Outcome) -> Page | Outcome:
    """What would end the visit, and waits for a browser."""
    match result:
        case Garbage(verdict=kind, evidence=evidence, status=status):
            return Unrendered(kind, evidence, status)
        case _:
            return result


def unread(page: Page) -> Page | Failed:
    """The page, unless nothing was read of it because it would take too much memory."""
    if not page.too_large:
        return page
    return Failed(Fault.TOO_LARGE, page.too_large, page.status)


def refused_address(forbidden: Forbidden) -> Refused:
    why = forbidden.why or "may not be connected to"
    return Refused(Reason.PRIVATE_ADDRESS, f"{forbidden.address}: {why}")


def account(result: Response | Outcome) -> str:
    """What the record of an attempt says of its end, beyond the outcome's word (FE-12).

    Empty when there is nothing to add. A fault, a reason or a verdict comes first, then a colon.
    """
    match result:
        case Response() | Read() | Duplicate() | Moved():
            return ""
        case Gone(detail=detail):
            return detail
        case Unchanged(status=status, source=source):
            return "" if status == 304 else source
        case Failed(fault=fault, detail=detail, retry_after=wait):
            return f"{fault}: {detail}" + (f", {_asked(wait)}" if wait else "")
        case Stale(fault=fault):
            return f"{fault}: the last good copy serves"
        case Throttled(status=status, retry_after=wait):
            return f"http {status}, {_asked(wait)}"
        case (
            Garbage(verdict=verdict, evidence=evidence)
            | Unrendered(verdict=verdict, evidence=evidence)
        ):
            return f"{verdict}: {evidence}" if evidence else verdict
        case Refused(reason=reason, detail=detail):
            return f"{reason}: {detail}"
        case Priced(price=price):
            return price or "it names no price"
        case Waiting(why=why):
            return why
        case never:
            assert_never(never)


def error_body(answer: object, most: int) -> str:
    """What an error answered, as a text that any database takes; empty when none is wanted."""
    if not most or not isinstance(answer, Response) or answer.status < 400:
        return ""
    return (answer.body or b"")[:most].decode("utf-8", "replace").replace("\0", "")


def _asked(wait: float | None) -> str:
    return "no usable Retry-After" if wait is None else f"Retry-After: {wait:.0f} s"


def _judge_status(response: Response, now: float) -> Response | Outcome:
    status = response.status
    if 200 <= status < 300:
        return response
    if status == 304:
        validators = [response.headers.get(name) or "" for name in ("etag", "last-modified")]
        return Unchanged(status, "304", *validators)
    if status in (404, 410):
        return Gone(status)
    if status == 402:
        return Priced(price_of(response.headers))
    wait = retry_after(response.headers, now)
    if status == 429 or (status == 503 and wait is not None):
        return Throttled(status, wait)
    if status in (502, 503, 504):
        return Failed(Fault.BAD_GATEWAY, f"http {status}", status, wait)
    if status >= 500:
        return Failed(Fault.SERVER_ERROR, f"http {status}", status, wait)
    if status >= 400:
        return Failed(Fault.CLIENT_ERROR, f"http {status}", status, wait)
    return Failed(Fault.PROTOCOL, f"unexpected http {status}", status)


def price_of(headers: Headers) -> str:
    """Everything an answer says about its price, as `name: value`, bounded (ROB-5).

    Nothing is decoded and nothing paid: it is kept for the person who decides.
    """
    said = [
        (lower, value)
        for name, value in headers.pairs
        if (lower := name.lower()) == "www-authenticate" or lower.startswith(_PRICES)
    ]
    said += [("license", target) for target in linked(headers.all("link"), "license")]
    told = dict.fromkeys(f"{name}: {_one_line(value)[:_LONGEST_PRICE]}" for name, value in said)
    return "; ".join(told)[: 2 * _LONGEST_PRICE]


# Pay per crawl answers with crawler-price and crawler-error, x402 with payment-required; other
# schemes put their challenge into WWW-Authenticate, and RSL its terms behind a Link.
_PRICES = ("crawler-", "payment-", "x-payment")
_LONGEST_PRICE = 2_000


def _one_line(text: str) -> str:
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def retry_after(headers: Headers, now: float) -> float | None:
    """Seconds asked for, from a number or a date; nothing, zero and nonsense are all None."""
    value = (headers.get("retry-after") or "").strip()
    if not value:
        return None
    if value.isascii() and value.isdigit():
        seconds = float(value[:10])
    else:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - now
        except (ValueError, TypeError, OverflowError):
            return None
    return seconds if seconds > 0 else None
