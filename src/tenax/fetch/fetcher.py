"""One logical fetch: ask, follow redirects at the same host, judge, ask by another client.

A ladder of names, each of which adds one thing: `fetch`, `_fetch_trying_clients`,
`_follow_redirects`, `_through_proxy`, `_in_turn`, `transport.send`. A fetch is not over until its
answer was judged: a challenge page is no success, and may call for the browser.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from tenax.discover.gathered import ListingPolicy
from tenax.fetch import client_choice
from tenax.fetch.answers import judge, unread, unrendered, walled
from tenax.fetch.client_choice import ClientTry, WayPolicy
from tenax.fetch.cookies.jar import Jar
from tenax.fetch.fetch_policy import FetchPolicy
from tenax.fetch.freshness import FreshnessPolicy, conditions, is_fresh
from tenax.fetch.headers import Introductions
from tenax.fetch.journey import FetcherParts as FetcherParts
from tenax.fetch.journey import FetchResult as FetchResult
from tenax.fetch.journey import Journey, recorded
from tenax.fetch.listings import LISTINGS, ListingReader, Room
from tenax.fetch.pictures import pictured
from tenax.fetch.proxies.pool import Sent
from tenax.fetch.reading import Died, Reading, examine, foresee
from tenax.fetch.redirects import is_redirect, lead
from tenax.fetch.request_rate import OffTheNetwork, notice, permit
from tenax.fetch.turns import LeaseExpired, Turns, VisitedHost
from tenax.model import (
    Client,
    Copy,
    Failure,
    Forbidden,
    LeasedTarget,
    Page,
    Request,
    Response,
    Role,
    Sends,
    Step,
)
from tenax.outcome import Attempt, Failed, Garbage, Outcome, Unchanged, Waiting
from tenax.page.verdict.validate import PageVerdict
from tenax.ports import Clock
from tenax.urls.normalise import host_of
from tenax.urls.sites import Sites

_HEAVY = 1_000_000
"""Bytes from which reading a body takes so long that others must be heard in between."""
_MOST_WAITING = 8_000_000
"""Bytes of such bodies that may wait to be read. With more of them, all the lighter ones that come
are read before, and memory fills with the heavy ones."""
_GOOD = (Page, Unchanged)
_AWAY = "our own network is away"
_WALLED = frozenset({401, 403, 405, 406, 429, 503})
"""Statuses under which walls stand that a browser may pass."""


MayVisit = Callable[[str], Awaitable[Outcome | None]]
"""Asked for every redirect hop: the door and robots.txt have a say in it too."""


class Fetcher:
    def __init__(
        self,
        parts: FetcherParts,
        policy: FetchPolicy,
        *,
        token: str = "tenax",
        sites: Sites | None = None,
        freshness: FreshnessPolicy | None = None,
        listings: ListingPolicy | None = None,
    ) -> None:
        self._clients = parts.clients
        self._clock = parts.clock
        self._proxies = parts.proxies
        self._signatures = parts.signatures
        self.note = parts.note
        self.alone = parts.alone
        self.rehearsal = parts.rehearsal
        self._rate = parts.rate
        self._tally = parts.tally
        self._network = parts.network
        self._policy = policy
        self._freshness = freshness or FreshnessPolicy()
        self._token = token
        self._listings = ListingReader(listings or ListingPolicy())
        self._slots = asyncio.Semaphore(policy.concurrency)
        self._reading = asyncio.Lock()
        self._waiting = 0
        self.introductions = Introductions(
            policy.user_agent, policy.accept_language, Sites() if sites is None else sites
        )
        self._fallbacks = {*policy.ways.fallbacks, Client.HTTP} & {*parts.clients}
        self._lacks_browser = Client.BROWSER in {*policy.ways.fallbacks} - self._fallbacks

    @property
    def has_browser(self) -> bool:
        return Client.BROWSER in self._fallbacks

    @property
    def clock(self) -> Clock:
        return self._clock

    @property
    def ways(self) -> WayPolicy:
        return self._policy.ways

    @property
    def most_redirects(self) -> int:
        return self._policy.redirects.most

    def preferred(self, url: str) -> str:
        """The URL really asked for; it differs only in its scheme, where site rules say so."""
        return self.introductions.preferred(url)

    def request(
        self, url: str, copy: Copy | None = None, is_first: bool = True, jar: Jar | None = None
    ) -> Request:
        headers = self.introductions.headers(url, jar)
        if copy is not None:
            headers += conditions(copy, "" if is_first else url)
        return Request(url, "GET", headers, self._policy.limits, pdf=self._policy.pdf)

    def clients_for(
        self, turns: VisitedHost, always: Client | None = None
    ) -> tuple[Client, set[Client]]:
        """The client to begin with, and all that there are; `always` is the one a person wants."""
        client = client_choice.first(turns.habit, self._clock.now(), always)
        return (client if client in self._fallbacks else Client.HTTP), self._fallbacks

    async def fetch(
        self,
        url: str,
        turns: VisitedHost,
        may_visit: MayVisit,
        copy: Copy | None = None,
        role: Role = Role.PAGE,
        products: bool = False,
        target: LeasedTarget | None = None,
    ) -> FetchResult:
        """The page, unless a fresh copy of it serves (FE-5) or the visit ends otherwise.

        A sitemap or feed is a page with nothing but its listing; `Gone` where something else came.
        With `products`, the page tells what it offers for sale. `target` is whom it is read for.
        """
        if role in LISTINGS:
            return await self._fetch_listing(url, turns, may_visit, target)
        if role is Role.IMAGE:
            return await self._fetch_image(url, turns, may_visit)
        if target is not None and target.sends is not None:
            return await self._fetch_posted(url, turns, may_visit, products, target)
        if copy is not None and is_fresh(copy, self._clock.now(), self._freshness):
            return FetchResult(Unchanged(None, "cache"), None)
        return await self._fetch_trying_clients(url, turns, may_visit, copy, products, target)

    async def _fetch_trying_clients(
        self,
        url: str,
        turns: VisitedHost,
        may_visit: MayVisit,
        copy: Copy | None,
        products: bool,
        target: LeasedTarget | None,
    ) -> FetchResult:
        """By the client that the host is known to answer, then by others that may do better."""
        render = self.introductions.render(url)
        is_sent_here = target is not None and target.for_browser
        always = Client.BROWSER if render == "always" or is_sent_here else None
        client, clients = self.clients_for(turns, always)
        tries: list[ClientTry] = []
        attempts: list[Attempt] = []
        while True:
            asking = copy if client is not Client.BROWSER else None
            journey = await self._follow_redirects(url, client, turns, may_visit, asking)
            journey.products = products
            result, verdict = await self._judged(journey, target)
            wants_browser = verdict is not None and verdict.wants_browser and render != "never"
            if wants_browser and self._lacks_browser:
                result = unrendered(result)
            attempts += (*journey.lost, self._record(client, journey, result))
            tries.append(ClientTry(client, isinstance(result, _GOOD)))
            outcome = None if isinstance(result, Page) else result
            now, habit = self._clock.now(), turns.habit
            better = client_choice.after(client, outcome, wants_browser, clients, habit, now)
            if better is None or turns.is_silenced:
                break
            client = better
        if len(tries) > 1 or client is not Client.HTTP or habit.wins or habit.until:
            turns.habit = client_choice.learn(habit, tries, now, self._policy.ways)
        return FetchResult(result, attempts[-1], tuple(attempts[:-1]))

    async def _fetch_listing(
        self, url: str, turns: VisitedHost, may_visit: MayVisit, target: LeasedTarget | None
    ) -> FetchResult:
        """Written by machines for machines: a browser would see no more of it, nothing in it is a
        wall, and who can get it says nothing about who can get pages."""
        clients = self._fallbacks - {Client.BROWSER}
        client = client_choice.first(turns.habit, self._clock.now(), None)
        client = client if client in clients else Client.HTTP
        attempts: list[Attempt] = []
        while True:
            room = self._listings.room()
            try:
                journey = await self._follow_redirects(url, client, turns, may_visit, None, room)
                result = await self._listed(journey, target)
            finally:
                room.leave()
            attempts += (*journey.lost, self._record(client, journey, result))
            outcome = None if isinstance(result, Page) else result
            better = client_choice.after(
                client, outcome, False, clients, turns.habit, self._clock.now()
            )
            if better is None or turns.is_silenced:
                return FetchResult(result, attempts[-1], tuple(attempts[:-1]))
            client = better

    async def _fetch_image(self, url: str, turns: VisitedHost, may_visit: MayVisit) -> FetchResult:
        """A picture, as a page with nothing but its body; `Gone` where something else came."""
        journey = await self._follow_redirects(
            url, Client.HTTP, turns, may_visit, None, any_type=True
        )
        came = journey.result
        assert came is not None, "a journey ends with a result"
        result = pictured(came, journey.started) if isinstance(came, Response) else came
        return FetchResult(result, self._record(Client.HTTP, journey, result), journey.lost)

    async def _fetch_posted(
        self,
        url: str,
        turns: VisitedHost,
        may_visit: MayVisit,
        products: bool,
        target: LeasedTarget,
    ) -> FetchResult:
        """Once, for it may be acted upon: by one client, and no copy is as good as the answer."""
        client, _ = self.clients_for(turns)
        client = Client.HTTP if client is Client.BROWSER else client
        journey = await self._follow_redirects(
            url, client, turns, may_visit, None, sends=target.sends
        )
        journey.products = products
        result, _ = await self._judged(journey, target)
        return FetchResult(result, self._record(client, journey, result), journey.lost)

    async def send(
        self, request: Request, turns: Turns, client: Client = Client.HTTP
    ) -> tuple[Response | Failure | Forbidden | Waiting, float]:
        """One exchange, in the host's turn and within our own concurrency; when it was started."""
        sent, started = await self._through_proxy(request, client, turns)
        return sent.answer, started

    async def _follow_redirects(
        self,
        url: str,
        client: Client,
        turns: VisitedHost,
        may_visit: MayVisit,
        copy: Copy | None,
        room: Room | None = None,
        any_type: bool = False,
        sends: Sends | None = None,
    ) -> Journey:
        journey, fresh, jar = Journey(enter=turns.enter), False, turns.jar
        preferred = self.preferred
        while True:
            journey.chain += (url,)
            if sends is not None:
                request = self.introductions.sending(url, sends, jar, self._policy)
            elif room is None:
                request = self.request(url, copy, is_first=len(journey.chain) == 1, jar=jar)
                request = replace(request, any_type=True) if any_type else request
            else:
                headers = self.introductions.headers_for_listing(url, jar)
                request = self._listings.request(url, headers)
            request = replace(request, fresh=True) if fresh else request
            session = 0 if jar is None else jar.number
            delay = turns.delay if self._group(url) else 0.0
            sent, at = await self._through_proxy(request, client, turns, delay, room)
            answer = journey.answer = sent.answer
            if jar is not None and jar.number == session and isinstance(answer, Response):
                jar.take(url, answer.headers.all("set-cookie"))
            journey.proxy = sent.proxy
            journey.started = journey.started or at
            if isinstance(answer, Waiting):
                journey.result = answer
                return journey
            if not isinstance(answer, Forbidden):
                journey.moved += answer.timing.wire_bytes
            journey.result = judge(answer, self._clock.now())
            if isinstance(answer, Failure) and answer.kept and not (fresh or turns.is_silenced):
                # Of age, most likely: no fault of the host's, of the URL's or of this client's.
                lost = self._record(client, journey, Failed(answer.fault, answer.detail))
                journey.lost += (replace(lost, at=at),)
                journey.chain, fresh = journey.chain[:-1], True
                journey.started = journey.started if journey.chain else 0.0
                continue
            if isinstance(answer, Response) and is_redirect(answer):
                step, sends = lead(answer, journey.chain, sends, self._policy.redirects, preferred)
                if isinstance(step, str):
                    denied = await may_visit(step)
                    if denied is None:
                        url = step
                        continue
                    step = denied
                journey.result = step
            return journey

    async def _through_proxy(
        self,
        request: Request,
        client: Client,
        turns: Turns,
        delay: float = 0.0,
        room: Room | None = None,
    ) -> tuple[Sent, float]:
        """The answer, and when the request was started: its turn may have been long in coming."""
        turns.enter(Step.TURN)
        try:
            return await self._directly_or_not(request, client, turns, delay, room)
        except OffTheNetwork:
            assert self._network is not None, "it was said to be away"
            now = self._clock.now()
            return Sent(Waiting(max(now, self._network.look_at), _AWAY)), now

    async def _directly_or_not(
        self, request: Request, client: Client, turns: Turns, delay: float, room: Room | None
    ) -> tuple[Sent, float]:
        proxies, group = self._proxies, self._group(request.url)
        if proxies is None or not group or request.proxy is not None:
            answer, started = await self._in_turn(request, client, turns, room)
            return Sent(answer), started
        started = self._clock.now()

        async def ask(asked: Request) -> Response | Failure | Forbidden:
            nonlocal started
            answer, started = await self._in_turn(asked, client, turns, room)
            return answer

        host = host_of(request.url)
        return await proxies.send(request, host, group, ask, delay), started

    async def _in_turn(
        self, request: Request, client: Client, turns: Turns, room: Room | None
    ) -> tuple[Response | Failure | Forbidden, float]:
        transport, network = self._clients[client], self._network
        if network is not None and network.is_away:
            raise OffTheNetwork
        turn = await (turns.take() if self._rate is None else permit(turns, self._rate))
        try:
            if room is not None:
                await room.enter()
            request = replace(request, may_leave=turn.may_leave)
            if client is Client.BROWSER:
                # It has a queue of its own, where waiting must not cost others their slots.
                turns.enter(Step.REQUEST)
                started = self._clock.now()
                answer = await transport.send(request)
            else:
                async with self._slots:
                    turns.enter(Step.REQUEST)
                    started = self._clock.now()
                    answer = await transport.send(request)
            if isinstance(answer, Failure) and answer.withheld:
                raise LeaseExpired
            if network is not None:
                await notice(network, answer, started, self._clock.now())
            self._tally.count(request, answer)
            if not isinstance(answer, Forbidden):
                timing = answer.timing
                turn.sent(started + timing.sent_ms / 1000, answer.status, timing.total_ms)
            return answer, started
        finally:
            turn.over()

    def _group(self, url: str) -> str:
        """The proxies a URL is asked through; empty for none."""
        if self._proxies is None:
            return ""
        return self.introductions.proxy(url) or self._proxies.policy.group

    async def _judged(
        self, journey: Journey, target: LeasedTarget | None
    ) -> tuple[Page | Outcome, PageVerdict | None]:
        """What the answer says, and the verdict on it where it is not what it claims to be."""
        journey.enter(Step.READ)
        result, answer = journey.result, journey.answer
        assert result is not None, "a journey ends with a result"
        if isinstance(result, Response):
            parser = self.introductions.parser(result.url) if journey.products else ""
            reading = Reading(result, journey.started, self._token, journey.products, parser=parser)
            seen = await self._seen(reading, target)
            if isinstance(seen, Page):
                return unread(seen), None
            if isinstance(seen, Died):
                return seen.outcome, None
            return Garbage(seen.kind, f"{seen.signature}: {seen.evidence}", seen.is_hard), seen
        if isinstance(answer, Response) and answer.body and answer.status in _WALLED:
            seen = await self._seen(Reading(answer, journey.started, self._token), target)
            if isinstance(seen, PageVerdict):
                return walled(result, seen), seen
        return result, None

    async def _seen(
        self, reading: Reading, target: LeasedTarget | None
    ) -> Page | PageVerdict | Died:
        if target is not None and target.crashes and self.alone is not None:
            seen = await self.alone.read(reading)
            assert seen is not None, "only listings may be nothing"
            return seen
        size = await foresee(reading.response)
        if size > _HEAVY and self._waiting <= _MOST_WAITING:
            # One at a time, with a look at the network before each.
            self._waiting += size
            try:
                async with self._reading:
                    await asyncio.sleep(0)
                    return self._read(reading, target)
            finally:
                self._waiting -= size
        return self._read(reading, target)

    def _read(self, reading: Reading, target: LeasedTarget | None) -> Page | PageVerdict:
        if target is None:
            return examine(reading, self._signatures)
        self.note.begin(target.id, target.url)
        try:
            return examine(reading, self._signatures)
        finally:
            self.note.end()

    async def _listed(self, journey: Journey, target: LeasedTarget | None) -> Page | Outcome:
        result = journey.result
        assert result is not None, "a journey ends with a result"
        if not isinstance(result, Response):
            return result
        journey.enter(Step.READ)
        at, now = journey.started, self._clock.now()
        if target is not None and target.crashes and self.alone is not None:
            return await self._listings.read_alone(self.alone, result, fetched_at=at, now=now)
        return await self._listings.read(
            result, fetched_at=at, now=now, note=self.note, target=target
        )

    def _record(self, client: Client, journey: Journey, result: Page | Outcome) -> Attempt:
        return recorded(self._clients[client].name, journey, result, self._policy.error_bodies)
