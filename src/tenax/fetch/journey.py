"""One client's way from a URL to an answer, over redirects, and the record that is kept of it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from tenax.fetch.answers import error_body, told
from tenax.model import Failure, Forbidden, OutcomeWord, Page, Response, Step, Timing
from tenax.outcome import Attempt, Outcome, Waiting, cause


class FetchResult(Struct, frozen=True):
    """How a fetch went: the page, or the outcome that ends the visit, and its record."""

    result: Page | Outcome
    attempt: Attempt | None
    """None when nothing was sent."""
    earlier: tuple[Attempt, ...] = ()
    """Tries of other clients before that one."""


class Journey(Struct):
    """How far it has come."""

    chain: tuple[str, ...] = ()
    started: float = 0.0
    moved: int = 0
    proxy: str = ""
    products: bool = False
    enter: Callable[[Step], None] = lambda _: None
    answer: Response | Failure | Forbidden | Waiting | None = None
    result: Response | Outcome | None = None
    lost: tuple[Attempt, ...] = ()
    """Requests under which a kept connection ended, each asked again over a new one."""


def recorded(client: str, journey: Journey, result: Page | Outcome, error_bytes: int) -> Attempt:
    """What is kept of it; of what an error answered, so many bytes."""
    answer = journey.answer
    heard = answer if isinstance(answer, Response | Failure) else None
    timing = heard.timing if heard else Timing()
    download_ms = max(0.0, timing.total_ms - timing.ttfb_ms)
    return Attempt(
        at=journey.started,
        outcome=OutcomeWord.READ if isinstance(result, Page) else result.word,
        status=heard.status if heard else None,
        ttfb_ms=timing.ttfb_ms,
        total_ms=timing.total_ms,
        bytes=journey.moved,
        client=client,
        address="" if answer is None or isinstance(answer, Waiting) else answer.address,
        chain=journey.chain if len(journey.chain) > 1 else (),
        error=told(answer, result),
        proxy=journey.proxy,
        cause="" if isinstance(result, Page) else cause(result),
        download_ms=download_ms,
        kbps=round(8 * timing.wire_bytes / download_ms) if download_ms >= 1 else 0,
        body=error_body(answer, error_bytes),
    )
