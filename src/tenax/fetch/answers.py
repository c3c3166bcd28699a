"""What does an answer mean? From status and headers to an outcome, or to a page worth reading."""

from __future__ import annotations

from email.utils import parsedate_to_datetime

from tenax.model import Failure, Fault, Forbidden, Headers, Reason, Response
from tenax.outcome import Failed, Gone, Outcome, Priced, Refused, Throttled, Unchanged

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


def refused_address(forbidden: Forbidden) -> Refused:
    why = forbidden.why or "may not be connected to"
    return Refused(Reason.PRIVATE_ADDRESS, f"{forbidden.address}: {why}")


def _judge_status(response: Response, now: float) -> Response | Outcome:
    status = response.status
    wait = retry_after(response.headers, now)
    if 200 <= status < 300:
        return response
    if status == 304:
        return Unchanged(status)
    if status in (404, 410):
        return Gone(status)
    if status == 402:
        return Priced(response.headers.get("crawler-price") or "")
    if status == 429 or (status == 503 and wait is not None):
        return Throttled(status, wait)
    if status in (502, 503, 504):
        return Failed(Fault.BAD_GATEWAY, f"http {status}", status, wait)
    if status >= 500:
        return Failed(Fault.SERVER_ERROR, f"http {status}", status, wait)
    if status >= 400:
        return Failed(Fault.CLIENT_ERROR, f"http {status}", status, wait)
    return Failed(Fault.PROTOCOL, f"unexpected http {status}", status)


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
