"""One client's way from a URL to an answer, over redirects, and the record that is kept of it;
and whom all of them work with."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct, field

from tenax.fetch.answers import error_body, told
from tenax.fetch.proxies.pool import ProxyPool
from tenax.fetch.reading import LoneReader, NoNote, Note, Rehearsal
from tenax.fetch.request_rate import Network, RequestRate
from tenax.fetch.tally import Tally
from tenax.model import Client, Failure, Forbidden, OutcomeWord, Page, Response, Step, Timing
from tenax.outcome import Attempt, Outcome, Waiting, cause
from tenax.page.verdict.wall_patterns import Signatures
from tenax.ports import Clock, Transport


class FetcherParts(Struct, frozen=True):
    """Whom and what a fetcher works with."""

    clients: Mapping[Client, Transport]
    """The main one, and whichever others are at hand."""
    clock: Clock
    signatures: Signatures
    proxies: ProxyPool | None = None
    note: Note = NoNote()
    """Where it stands what is being read, for whoever finds us dead."""
    rate: RequestRate | None = None
    """What bounds all requests together; None for nothing."""
    alone: LoneReader | None = None
    """Who reads what has killed its reader; None for ourselves."""
    rehearsal: Rehearsal | None = None
    """Where it is tried first what else is done with such a page; None for nowhere."""
    tally: Tally = field(default_factory=Tally)
    """Where every answer is counted."""
    network: Network | None = None
    """Who knows whether our own network is there; None where nobody does."""


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
