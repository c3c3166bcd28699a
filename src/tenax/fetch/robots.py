"""What does a site's robots.txt say today? Cached, asked for once, kept when unreachable.

A file that redirects to another host is that host's document: it is read in a turn of its own, as
far as its own robots.txt allows, once for all who lead there, and kept in the ledger like others.

In memory are the rules for us alone, compactly and within `robots.memory`: the ledger has the text,
and what memory lets go of is read from there again.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict

from msgspec.structs import replace

from tenax.fetch.answers import REDIRECTS
from tenax.fetch.fetcher import Fetcher
from tenax.fetch.inquiry import Inquiry, inquire
from tenax.fetch.turns import HostAtGate, LeaseExpired, NotOurTurn, TurnsElsewhere
from tenax.hosts.robots import Robots, parse
from tenax.hosts.robots_policy import (
    Access,
    RobotsAnswer,
    RobotsPolicy,
    access,
    borrowed,
    is_fresh,
    is_past,
    is_worth_retrying,
    record_answer,
    retry_delays,
    sign_of_robots,
)
from tenax.hosts.signs import Probed, Unreached
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
from tenax.urls.normalise import host_of, origin_of, path_of, resolve

_NO_TURN = 30.0
"""Seconds after which a host is looked at again that another one's turn could not be had for."""
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
        elsewhere: TurnsElsewhere,
        token: str = "tenax",
    ) -> None:
        self._fetcher = fetcher
        self._store = store
        self._clock = clock
        self._policy = policy
        self._headers = (("User-Agent", agent), ("Accept", "text/plain,*/*;q=0.5"))
        self._elsewhere = elsewhere
        self._token = token
        self._known: OrderedDict[str, tuple[RobotsRecord, Robots]] = OrderedDict()
        """Without the text; those asked for lately come last."""
        self._size = 0
        self._waiting: Counter[str] = Counter()
        self._asking: dict[
            str, asyncio.Future[tuple[RobotsRecord, Robots] | Forbidden | Waiting]
        ] = {}
        self._leads: dict[str, str] = {}
        """Which document each one under way waits for: two must not wait for each other."""

    def recall(
        self, origin: str, trouble: HostTrouble | None
    ) -> tuple[RobotsRecord, Robots] | None:
        """What memory holds, if it counts: the path nearly every visit takes, without waiting."""
        known = self._known.get(origin)
        if known is None or not self._counts(known[0], trouble):
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

    def _counts(self, record: RobotsRecord, trouble: HostTrouble | None) -> bool:
        return is_fresh(record, self._clock.now()) and not is_past(record, trouble)

    async def consult(
        self, origin: str, turns: HostAtGate
    ) -> tuple[RobotsRecord, Robots] | Forbidden | Waiting:
        """A fresh record, from memory, the ledger or the site; one request however many ask. What
        asking the site says about it, its turns learn."""
        return await self._consult(origin, turns, 0)

    async def _consult(
        self, origin: str, turns: HostAtGate, hops: int
    ) -> tuple[RobotsRecord, Robots] | Forbidden | Waiting:
        """The same; `origin` may also be the URL of a document elsewhere that one has led to."""
        known = self.recall(origin, turns.trouble)
        if known:
            return known
        asking = self._asking.get(origin)
        if asking is None:
            asking = asyncio.ensure_future(self._obtain(origin, turns, hops))
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
        self, origin: str, turns: HostAtGate, hops: int
    ) -> tuple[RobotsRecord, Robots] | Forbidden | Waiting:
        record = await self._store.load(origin)
        if record is None or not self._counts(record, turns.trouble):
            try:
                came = await self._ask(origin, turns, hops)
            except NotOurTurn as error:
                came = Waiting(error.until, error.why)
            if isinstance(came, Forbidden | Waiting):
                return came
            answer, started = came
            now = self._clock.now()
            record = record_answer(record, origin, answer, now, self._policy)
            sign = sign_of_robots(answer, record, started, now, self._policy)
            if isinstance(sign, Unreached) and _document(origin) == origin:
                # A document as others: without it its host may still be asked.
                sign = Probed(started, sign.fault)
            if sign is not None:
                turns.learn(sign)
            # When to ask again is the breaker's to say; others, and who comes after us, ask it.
            is_breakers = isinstance(sign, Unreached)
            await self._store.save(replace(record, expires_at=now) if is_breakers else record)
        return self._remember(record)

    def _remember(self, record: RobotsRecord) -> tuple[RobotsRecord, Robots]:
        known = (replace(record, text=""), parse(record.text).only_for(self._token))
        self._let_go(record.origin)
        self._known[record.origin] = known
        self._size += known[1].size
        while len(self._known) > 1 and self._size > self._policy.memory:
            self._let_go(next(iter(self._known)))
        return known

    def _let_go(self, origin: str) -> None:
        known = self._known.pop(origin, None)
        if known is not None:
            self._size -= known[1].size

    async def _ask(
        self, origin: str, turns: HostAtGate, hops: int
    ) -> tuple[RobotsAnswer, float] | Forbidden | Waiting:
        """Ask until there is an answer to rely on, as often as the policy allows."""
        is_probe = turns.trouble is not None and turns.trouble.breaker.trips > 0
        # Of a host that was away one answer is enough: its breaker says when to try again.
        delays = [] if is_probe else list(retry_delays(self._policy))
        # Not `ports.retry`: nothing here is an exception, and the last answer counts.
        while True:
            asked, answer = await self._request(origin, turns, hops)
            if isinstance(answer, Forbidden | Waiting):
                return answer
            # Who asked by several clients has tried again already.
            delays = delays[asked.requests - 1 :]
            if not delays or not is_worth_retrying(answer):
                return answer, asked.started
            await self._clock.sleep(delays.pop(0))

    async def _request(
        self, origin: str, turns: HostAtGate, hops: int
    ) -> tuple[Inquiry, RobotsAnswer | Forbidden | Waiting]:
        limits = RequestLimits(
            connect=self._policy.timeout,
            total=self._policy.timeout,
            body_bytes=self._policy.max_bytes,
        )
        first = url = _document(origin)
        for hop in range(hops, self._policy.max_redirects + 1):
            request = Request(url, headers=self._headers, limits=limits, any_type=True)
            asked = await inquire(self._fetcher, request, turns)
            answer = asked.answer
            if isinstance(answer, Forbidden) and host_of(url) == host_of(first):
                return asked, answer
            if isinstance(answer, Waiting):
                return asked, answer
            if isinstance(answer, Failure) and answer.fault is Fault.PROXY:
                # Says nothing about the site, which must not be shut for an hour because of it.
                later = self._clock.now() + _PROXY_TROUBLE
                return asked, Waiting(later, f"robots.txt: {answer.detail}")
            if not isinstance(answer, Response) or answer.status not in REDIRECTS:
                return asked, _answer(answer, is_elsewhere=url != first)
            to = resolve(answer.headers.get("location") or "", url)
            if to is None or not to.startswith(("http://", "https://")):
                return asked, _answer(answer, is_elsewhere=url != first)
            to = self._fetcher.preferred(to)
            if host_of(to) != host_of(url):
                said = await self._borrow(origin, to, hop + 1)
                if isinstance(said, RobotsAnswer):
                    # This host has answered, whatever became of it there.
                    said = replace(said, is_elsewhere=True)
                return asked, said
            url = to
        detail = "redirected too often"
        return asked, RobotsAnswer(fault=Fault.TOO_MANY_REDIRECTS, detail=detail, is_elsewhere=True)

    async def _borrow(self, origin: str, to: str, hops: int) -> RobotsAnswer | Waiting:
        """What a document of another host says, for an origin whose robots.txt leads there."""
        where, crawl_delay = origin_of(to), None
        document = where if _document(where) == to else to
        try:
            for asked in dict.fromkeys((where, document)):
                if hops > self._policy.max_redirects or self._leads_back(asked, origin):
                    detail = "redirected too often"
                    return RobotsAnswer(fault=Fault.TOO_MANY_REDIRECTS, detail=detail)
                self._leads[origin] = asked
                async with self._elsewhere.at(_document(asked), crawl_delay) as there:
                    said = await self._consult(asked, there, hops)
                if isinstance(said, Forbidden):
                    return _answer(said, is_elsewhere=True)
                if (again_at := self._away_until(said, there.trouble)) is not None:
                    detail = f"leads to {to}, where no connection can be had"
                    return RobotsAnswer(detail=detail, again_at=again_at)
                if isinstance(said, Waiting):
                    return Waiting(said.until, f"robots.txt leads to {to}: {said.why}")
                if asked != document and (why := self._forbids(said, to)):
                    return RobotsAnswer(detail=f"leads to {to}: {why}")
                crawl_delay = said[1].crawl_delay(self._token)
        except LeaseExpired:
            return Waiting(self._clock.now() + _NO_TURN, f"robots.txt leads to {to}")
        finally:
            self._leads.pop(origin, None)
        record = await self._store.load(document)
        assert record is not None, "it has just been kept"
        return borrowed(record, to, self._clock.now())

    def _away_until(
        self, said: tuple[RobotsRecord, Robots] | Waiting, trouble: HostTrouble | None
    ) -> float | None:
        """Until when the host is left alone that could not be reached, and said nothing else."""
        if trouble is None or trouble.breaker.until <= self._clock.now():
            return None
        if isinstance(said, Waiting) or is_past(said[0], trouble):
            return trouble.breaker.until
        return None

    def _leads_back(self, document: str, origin: str) -> bool:
        """Whether who asks for the document would wait for itself."""
        while document != origin:
            if document not in self._leads:
                return False
            document = self._leads[document]
        return True

    def _forbids(self, known: tuple[RobotsRecord, Robots], url: str) -> str:
        """Why a document may not be asked for, by the robots.txt of its own host."""
        record, rules = known
        right, why = access(record, self._clock.now(), self._policy)
        if right is Access.DISALLOW_ALL:
            return why
        verdict = rules.decide(path_of(url), self._token)
        if right is Access.ALLOW_ALL or verdict.allowed:
            return ""
        return f"robots.txt there forbids it, line {verdict.line}: {verdict.rule}"


def _document(origin: str) -> str:
    """The URL of an origin's robots.txt; a document elsewhere is its own."""
    return f"{origin}/robots.txt" if origin.count("/") == 2 else origin


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
