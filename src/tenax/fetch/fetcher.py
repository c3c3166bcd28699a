"""One logical fetch: ask, follow redirects at the same host, and judge what comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from tenax.fetch.answers import judge
from tenax.fetch.headers import Introductions
from tenax.fetch.redirects import RedirectPolicy, follow, is_redirect
from tenax.model import Failure, Forbidden, Limits, Request, Response, SiteRules
from tenax.outcome import Attempt, Failed, Outcome, Refused, Unchanged
from tenax.ports import Clock, Transport


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    user_agent: str = ""
    """Empty for the honest default, which names the product, its version and your contact."""
    accept_language: str = "en,*;q=0.5"
    """The Accept-Language header."""
    limits: Limits = field(default_factory=Limits)
    redirects: RedirectPolicy = field(default_factory=RedirectPolicy)
    concurrency: int = 64
    """Requests under way at once in this process, over all hosts."""


class Turns(Protocol):
    """A host's patience: asked before every request that goes to it."""

    async def take(self) -> None:
        """Wait until a request may start."""

    def sent(self, at: float) -> None:
        """A request left at this moment."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """How a fetch went: the response to read or the outcome that ends the visit, and its record."""

    result: Response | Outcome
    attempt: Attempt


MayVisit = Callable[[str], Awaitable[Outcome | None]]
"""Asked for every redirect hop: the door and robots.txt have a say in it too."""


class Fetcher:
    def __init__(
        self,
        transport: Transport,
        clock: Clock,
        policy: FetchPolicy,
        sites: tuple[SiteRules, ...] = (),
    ) -> None:
        self._transport = transport
        self._clock = clock
        self._policy = policy
        self._slots = asyncio.Semaphore(policy.concurrency)
        self._introductions = Introductions(policy.user_agent, policy.accept_language, sites)

    def preferred(self, url: str) -> str:
        """The URL really asked for; it differs only in its scheme, where site rules say so."""
        return self._introductions.preferred(url)

    async def fetch(self, url: str, turns: Turns, may_visit: MayVisit) -> Fetched:
        started = 0.0
        chain: tuple[str, ...] = ()
        moved = 0
        while True:
            chain += (url,)
            headers = self._introductions.headers(url)
            request = Request(url, "GET", headers, self._policy.limits)
            answer, at = await self._exchange(request, turns)
            started = started or at
            moved += 0 if isinstance(answer, Forbidden) else answer.timing.wire_bytes
            result = judge(answer, self._clock.now())
            if isinstance(answer, Response) and is_redirect(answer):
                step = follow(answer, chain, self._policy.redirects)
                if isinstance(step, str):
                    url, result = step, await may_visit(step) or answer
                    if result is answer:
                        continue
                else:
                    result = step
            return Fetched(result, self._record(started, answer, result, chain, moved))

    async def probe(self, url: str, turns: Turns) -> tuple[Outcome, float]:
        """Ask a host that was away whether it is back, for no page of its (HOST-3)."""
        headers = self._introductions.headers(url)
        request = Request(url, "HEAD", headers, self._policy.limits, any_type=True)
        answer, started = await self._exchange(request, turns)
        result = judge(answer, self._clock.now())
        return Unchanged(result.status) if isinstance(result, Response) else result, started

    async def send(self, request: Request, turns: Turns) -> Response | Failure | Forbidden:
        """One exchange, in the host's turn and within our own concurrency."""
        answer, _ = await self._exchange(request, turns)
        return answer

    async def _exchange(
        self, request: Request, turns: Turns
    ) -> tuple[Response | Failure | Forbidden, float]:
        """The answer, and when the request was started: its turn may have been long in coming."""
        await turns.take()
        async with self._slots:
            started = self._clock.now()
            answer = await self._transport.send(request)
        if not isinstance(answer, Forbidden):
            turns.sent(started + answer.timing.sent_ms / 1000)
        return answer, started

    def _record(
        self,
        started: float,
        answer: Response | Failure | Forbidden,
        result: Response | Outcome,
        chain: tuple[str, ...],
        moved: int,
    ) -> Attempt:
        timing = None if isinstance(answer, Forbidden) else answer.timing
        return Attempt(
            at=started,
            outcome="read" if isinstance(result, Response) else result.word,
            status=None if isinstance(answer, Forbidden) else answer.status,
            ttfb_ms=timing.ttfb_ms if timing else 0.0,
            total_ms=timing.total_ms if timing else 0.0,
            bytes=moved,
            client=self._transport.name,
            address=answer.address,
            chain=chain if len(chain) > 1 else (),
            error=_error(result),
        )


def _error(result: Response | Outcome) -> str:
    match result:
        case Failed(fault=fault, detail=detail):
            return f"{fault}: {detail}"
        case Refused(reason=reason, detail=detail):
            return f"{reason}: {detail}"
        case _:
            return ""
