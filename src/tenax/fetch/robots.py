"""What does a site's robots.txt say today? Cached, asked for once, kept when unreachable."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict

from msgspec.structs import replace

from tenax.fetch.answers import REDIRECTS
from tenax.fetch.fetcher import Fetcher
from tenax.fetch.inquiry import Inquiry, inquire
from tenax.fetch.turns import HostAtGate
from tenax.hosts.robots import Robots, parse
from tenax.hosts.robots_policy import (
    RobotsAnswer,
    RobotsPolicy,
    is_fresh,
    is_past,
    is_worth_retrying,
    record_answer,
    retry_delays,
    sign_of_robots,
)
from tenax.hosts.signs import Unreached
from tenax.model import (
    Failure,
    Fault,
    Forbidden,
    HostTrouble,
    Request,
    RequestLimits,
    Response,
    RobotsRecord,
)
from tenax.outcome import Waiting
from tenax.ports import Clock, RobotsStore
from tenax.urls.normalise import resolve

_REMEMBERED = 10_000
_PROXY_TROUBLE = 30.0
"""Seconds after which a host is looked at again whose robots.txt no proxy could bring."""


class RobotsBook:
    """The robots.txt of every origin this process visits."""

    def __init__(
        self, fetcher: Fetcher, store: RobotsStore, clock: Clock, policy: RobotsPolicy, agent: str
    ) -> None:
        self._fetcher = fetcher
        self._store = store
        self._clock = clock
        self._policy = policy
        self._headers = (("User-Agent", agent), ("Accept", "text/plain,*/*;q=0.5"))
        self._known: OrderedDict[str, tuple[RobotsRecord, Robots]] = OrderedDict()
        self._waiting: Counter[str] = Counter()
        self._asking: dict[
            str, asyncio.Future[tuple[RobotsRecord, Robots] | Forbidden | Waiting]
        ] = {}

    def recall(
        self, origin: str, trouble: HostTrouble | None
    ) -> tuple[RobotsRecord, Robots] | None:
        """What memory holds, if it counts: the path nearly every visit takes, without waiting."""
        known = self._known.get(origin)
        return known if known and self._counts(known[0], trouble) else None

    def applied(self, origin: str) -> tuple[RobotsRecord, Robots] | None:
        """What memory holds, fresh or not: it may have run out since the visit began."""
        return self._known.get(origin)

    def _counts(self, record: RobotsRecord, trouble: HostTrouble | None) -> bool:
        return is_fresh(record, self._clock.now()) and not is_past(record, trouble)

    async def consult(
        self, origin: str, turns: HostAtGate
    ) -> tuple[RobotsRecord, Robots] | Forbidden | Waiting:
        """A fresh record, from memory, the ledger or the site; one request however many ask. What
        asking the site says about it, its turns learn."""
        known = self.recall(origin, turns.trouble)
        if known:
            return known
        asking = self._asking.get(origin)
        if asking is None:
            asking = asyncio.ensure_future(self._obtain(origin, turns))
            self._asking[origin] = asking
            asking.add_done_callback(lambda _: self._asking.pop(origin, None))
        self._waiting[origin] += 1
        try:
            return await asyncio.shield(asking)
        finally:
            self._waiting[origin] -= 1
            if not self._waiting[origin]:
                del self._waiting[origin]
                # Nobody holds the host any more: it must not be asked behind a successor's back.
                asking.cancel()

    async def _obtain(
        self, origin: str, turns: HostAtGate
    ) -> tuple[RobotsRecord, Robots] | Forbidden | Waiting:
        record = await self._store.load(origin)
        if record is None or not self._counts(record, turns.trouble):
            came = await self._ask(origin, turns)
            if isinstance(came, Forbidden | Waiting):
                return came
            answer, started = came
            now = self._clock.now()
            record = record_answer(record, origin, answer, now, self._policy)
            sign = sign_of_robots(answer, record, started, now, self._policy)
            if sign is not None:
                turns.learn(sign)
            # When to ask again is the breaker's to say; others, and who comes after us, ask it.
            is_breakers = isinstance(sign, Unreached)
            await self._store.save(replace(record, expires_at=now) if is_breakers else record)
        known = (record, parse(record.text))
        self._known[origin] = known
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return known

    async def _ask(
        self, origin: str, turns: HostAtGate
    ) -> tuple[RobotsAnswer, float] | Forbidden | Waiting:
        """Ask until there is an answer to rely on, as often as the policy allows."""
        is_probe = turns.trouble is not None and turns.trouble.breaker.trips > 0
        # Of a host that was away one answer is enough: its breaker says when to try again.
        delays = [] if is_probe else list(retry_delays(self._policy))
        # Not `ports.retry`: nothing here is an exception, and the last answer counts.
        while True:
            asked, answer = await self._request(origin, turns)
            if isinstance(answer, Forbidden | Waiting):
                return answer
            # Who asked by several clients has tried again already.
            delays = delays[asked.requests - 1 :]
            if not delays or not is_worth_retrying(answer):
                return answer, asked.started
            await self._clock.sleep(delays.pop(0))

    async def _request(
        self, origin: str, turns: HostAtGate
    ) -> tuple[Inquiry, RobotsAnswer | Forbidden | Waiting]:
        limits = RequestLimits(
            connect=self._policy.timeout,
            total=self._policy.timeout,
            body_bytes=self._policy.max_bytes,
        )
        url = f"{origin}/robots.txt"
        for hop in range(self._policy.max_redirects + 1):
            request = Request(url, headers=self._headers, limits=limits, any_type=True)
            asked = await inquire(self._fetcher, request, turns)
            answer = asked.answer
            if isinstance(answer, Forbidden) and url.startswith(f"{origin}/"):
                return asked, answer
            if isinstance(answer, Waiting):
                return asked, answer
            if isinstance(answer, Failure) and answer.fault is Fault.PROXY:
                # Says nothing about the site, which must not be shut for an hour because of it.
                later = self._clock.now() + _PROXY_TROUBLE
                return asked, Waiting(later, f"robots.txt: {answer.detail}")
            if not isinstance(answer, Response) or answer.status not in REDIRECTS:
                return asked, _answer(answer, is_elsewhere=hop > 0)
            to = resolve(answer.headers.get("location") or "", url)
            if to is None or not to.startswith(("http://", "https://")):
                return asked, _answer(answer, is_elsewhere=hop > 0)
            url = to
        detail = "redirected too often"
        return asked, RobotsAnswer(fault=Fault.TOO_MANY_REDIRECTS, detail=detail, is_elsewhere=True)


def _answer(answer: Response | Failure | Forbidden, *, is_elsewhere: bool) -> RobotsAnswer:
    return replace(_as_answer(answer), is_elsewhere=is_elsewhere)


def _as_answer(answer: Response | Failure | Forbidden) -> RobotsAnswer:
    match answer:
        case Response():
            cache_control = answer.headers.get("cache-control") or ""
            return RobotsAnswer(answer.status, answer.body or b"", cache_control=cache_control)
        case Failure(fault=fault, detail=detail, status=status):
            return RobotsAnswer(status, fault=fault, detail=detail)
        case Forbidden(address=address):
            detail = f"led to {address}, which may not be connected to"
            return RobotsAnswer(fault=Fault.CONNECT_REFUSED, detail=detail)
