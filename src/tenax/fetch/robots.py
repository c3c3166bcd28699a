"""What does a site's robots.txt say today? Cached, asked for once, kept when unreachable.

In memory are the rules for us alone, compactly and within `robots.memory`: the ledger has the text,
and what memory lets go of is read from there again.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict

from msgspec.structs import replace

from tenax.fetch.answers import REDIRECTS
from tenax.fetch.fetcher import Fetcher
from tenax.fetch.turns import Turns
from tenax.hosts.robots import Robots, parse
from tenax.hosts.robots_policy import (
    RobotsAnswer,
    RobotsPolicy,
    is_fresh,
    is_worth_retrying,
    record_answer,
    retry_delays,
)
from tenax.model import Failure, Fault, Forbidden, Request, RequestLimits, Response, RobotsRecord
from tenax.outcome import Waiting
from tenax.ports import Clock, RobotsStore
from tenax.urls.normalise import resolve

_PROXY_TROUBLE = 30.0
"""Seconds after which a host is looked at again whose robots.txt no proxy could bring."""


class RobotsBook:
    """The robots.txt of every origin this process visits."""

    def __init__(
        self,
        fetcher: Fetcher,
        store: RobotsStore,
        clock: Clock,
        policy: RobotsPolicy,
        agent: str,
        token: str = "tenax",
    ) -> None:
        self._fetcher = fetcher
        self._store = store
        self._clock = clock
        self._policy = policy
        self._headers = (("User-Agent", agent), ("Accept", "text/plain,*/*;q=0.5"))
        self._token = token
        self._known: OrderedDict[str, tuple[RobotsRecord, Robots]] = OrderedDict()
        """Without the text; those asked for lately come last."""
        self._size = 0
        self._waiting: Counter[str] = Counter()
        self._asking: dict[
            str, asyncio.Future[tuple[RobotsRecord, Robots] | Forbidden | Waiting]
        ] = {}

    def recall(self, origin: str) -> tuple[RobotsRecord, Robots] | None:
        """What memory holds, if it is fresh: the path nearly every visit takes, without waiting."""
        known = self._known.get(origin)
        if known is None or not is_fresh(known[0], self._clock.now()):
            return None
        self._known.move_to_end(origin)
        return known

    async def applied(self, origin: str) -> tuple[RobotsRecord, Robots] | None:
        """What is known, fresh or not: it may have run out since the visit began."""
        known = self._known.get(origin)
        if known is not None:
            return known
        record = await self._store.load(origin)
        return None if record is None else self._remember(record)

    def forget(self, origin: str) -> None:
        """The ledger knows better now."""
        known = self._known.pop(origin, None)
        if known is not None:
            self._size -= known[1].size

    async def consult(
        self, origin: str, turns: Turns
    ) -> tuple[RobotsRecord, Robots] | Forbidden | Waiting:
        """A fresh record, from memory, the ledger or the site; one request however many ask."""
        known = self.recall(origin)
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
        self, origin: str, turns: Turns
    ) -> tuple[RobotsRecord, Robots] | Forbidden | Waiting:
        record = await self._store.load(origin)
        if record is None or not is_fresh(record, self._clock.now()):
            answer = await self._ask(origin, turns)
            if isinstance(answer, Forbidden | Waiting):
                return answer
            record = record_answer(record, origin, answer, self._clock.now(), self._policy)
            await self._store.save(record)
        return self._remember(record)

    def _remember(self, record: RobotsRecord) -> tuple[RobotsRecord, Robots]:
        known = (replace(record, text=""), parse(record.text).only_for(self._token))
        self.forget(record.origin)
        self._known[record.origin] = known
        self._size += known[1].size
        while len(self._known) > 1 and self._size > self._policy.memory:
            self.forget(next(iter(self._known)))
        return known

    async def _ask(self, origin: str, turns: Turns) -> RobotsAnswer | Forbidden | Waiting:
        """Ask until there is an answer to rely on, as often as the policy allows."""
        # Not `ports.retry`: nothing here is an exception, and the last answer counts.
        for delay in (*retry_delays(self._policy), None):
            answer = await self._request(origin, turns)
            if isinstance(answer, Forbidden | Waiting) or delay is None:
                return answer
            if not is_worth_retrying(answer):
                return answer
            await self._clock.sleep(delay)
        raise AssertionError("unreachable: the last try has no delay")

    async def _request(self, origin: str, turns: Turns) -> RobotsAnswer | Forbidden | Waiting:
        limits = RequestLimits(
            connect=self._policy.timeout,
            total=self._policy.timeout,
            body_bytes=self._policy.max_bytes,
        )
        url = f"{origin}/robots.txt"
        for _ in range(self._policy.max_redirects + 1):
            request = Request(url, headers=self._headers, limits=limits, any_type=True)
            answer = await self._fetcher.send(request, turns)
            if isinstance(answer, Forbidden) and url.startswith(f"{origin}/"):
                return answer
            if isinstance(answer, Waiting):
                return answer
            if isinstance(answer, Failure) and answer.fault is Fault.PROXY:
                # Says nothing about the site, which must not be shut for an hour because of it.
                return Waiting(self._clock.now() + _PROXY_TROUBLE, f"robots.txt: {answer.detail}")
            if not isinstance(answer, Response) or answer.status not in REDIRECTS:
                return _answer(answer)
            to = resolve(answer.headers.get("location") or "", url)
            if to is None or not to.startswith(("http://", "https://")):
                return _answer(answer)
            url = to
        return RobotsAnswer(fault=Fault.TOO_MANY_REDIRECTS, detail="redirected too often")


def _answer(answer: Response | Failure | Forbidden) -> RobotsAnswer:
    match answer:
        case Response():
            cache_control = answer.headers.get("cache-control") or ""
            return RobotsAnswer(answer.status, answer.body or b"", cache_control=cache_control)
        case Failure(fault=fault, detail=detail, status=status):
            return RobotsAnswer(status, fault=fault, detail=detail)
        case Forbidden(address=address):
            detail = f"led to {address}, which may not be connected to"
            return RobotsAnswer(fault=Fault.CONNECT_REFUSED, detail=detail)
