"""What happens to one target? Gate, fetch, read, settle: the walk of a URL, top to bottom."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from random import Random
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tenax.crawl.admit import Admission
from tenax.crawl.explore.guesser import Guesser
from tenax.crawl.explore.scout import Scout
from tenax.crawl.gate import Gate
from tenax.crawl.outages.bodies import Bodies
from tenax.crawl.policy import RetryPolicy
from tenax.crawl.roster import Roster
from tenax.crawl.settle import Admitted, Lesson, Visit, settle, taught
from tenax.crawl.steps import Mark, MarkedTurns
from tenax.crawl.turns import HostTurns
from tenax.fetch.cookies.jar import Jar
from tenax.fetch.cookies.keeper import CookieKeeper, HostJars
from tenax.fetch.fetcher import Fetcher, FetchResult, MayVisit
from tenax.fetch.freshness import same_content, stale_instead
from tenax.fetch.logins.sessions import Logins, LoginVisit
from tenax.fetch.reading import is_hopeless
from tenax.fetch.turns import LeaseExpired
from tenax.hosts.signs import sign_of
from tenax.model import (
    Assignment,
    Candidate,
    Fault,
    Host,
    Incident,
    LeasedTarget,
    Listing,
    Page,
    Reason,
    Rejected,
    Role,
    Step,
)
from tenax.outcome import (
    Attempt,
    Failed,
    Later,
    Moved,
    Outcome,
    Read,
    Refused,
    Settlement,
    Unchanged,
    Waiting,
    cause,
)
from tenax.ports import Clock, Frontier, Unavailable

if TYPE_CHECKING:
    from tenax.crawl.handling.handle import Handling

log = logging.getLogger(__name__)
_TEACH_NOTHING = (Role.IMAGE, Role.POSTED)
_PAGES = frozenset(Role) - {Role.SITEMAP, Role.FEED, Role.IMAGE}
_LARGE = 1_000
"""Entries from which a sitemap is a large one."""
"""What others may be told of, under the hash of the URL."""


class Worker:
    """Visits targets. Whatever the web does, one settlement comes out."""

    def __init__(
        self,
        gate: Gate,
        fetcher: Fetcher,
        frontier: Frontier,
        roster: Roster,
        scout: Scout,
        guesser: Guesser,
        bodies: Bodies,
        clock: Clock,
        retry: RetryPolicy,
        rng: Random,
        room: Callable[[], Awaitable[None]],
        handling: Handling | None = None,
        logins: Logins | None = None,
        note: Callable[[int, Incident], Awaitable[None]] | None = None,
        cookies: CookieKeeper | None = None,
    ) -> None:
        """`room` is waited for before a visit finds very much: until the ledger has caught up.
        `handling` are the user's handlers, where there are any (REC-1); `logins` opens sessions
        where rules of sites want that, and `note` writes down of the host how that went; `cookies`
        has what sites set."""
        self._cookies = cookies
        self._logins = logins
        self._note = note
        self._handling = handling
        self._gate = gate
        self._fetcher = fetcher
        self._frontier = frontier
        self._most_moves = fetcher.most_redirects
        self._roster = roster
        self._scout = scout
        self.guesser = guesser
        self._bodies = bodies
        self._clock = clock
        self._retry = retry
        self._rng = rng
        self._room = room
        self._large = asyncio.Lock()

    async def process(
        self,
        target: LeasedTarget,
        assignment_id: int,
        turns: HostTurns,
        mark: Mark,
        ended: Callable[[Outcome], None] = lambda _: None,
        jars: HostJars | None = None,
    ) -> Settlement:
        """`mark` is told which step the visit is in, and `ended` how it ended. In `jars` is what
        the host has set."""
        admission = self._roster.admission(target.job_id)
        jar = None if jars is None else jars.of(target.job_id)
        try:
            outcome, fetched = await self._visit(target, turns, admission, mark, jar)
            mark.enter(Step.JUDGE)
            told = None
            if self._handling is not None:
                outcome, told = await self._handling.handle(outcome, target, admission)
            outcome, offer = await self._offer(outcome, target, turns.host, admission)
            if isinstance(outcome, Failed):
                told = None  # its links kill, so it is no page
            offer = offer + told.followed if told is not None else offer
            evidence = admission.weigh(target, outcome, offer)
            if told is not None and told.handled.records and evidence is not None:
                evidence = admission.traps.credit(turns.host.name, evidence, told.handled.records)
        except (Unavailable, LeaseExpired):
            raise
        except Exception as error:
            log.exception("visit failed unexpectedly: %s", target.url)
            outcome, fetched = self._bug(error)
            offer, evidence, told = Admitted(), None, None
        attempt = fetched.attempt if fetched else None
        if attempt is not None and attempt.outcome != outcome.word:
            # The fetch cannot know that it brought what we have, or that a copy stands in for it.
            attempt = replace(attempt, outcome=outcome.word, cause=cause(outcome))
        ended(outcome)
        turns.learn(sign_of(outcome, attempt.at) if attempt else None)
        visit = Visit(
            target=target,
            assignment_id=assignment_id,
            host=turns.host,
            outcome=outcome,
            attempt=attempt,
            earlier=fetched.earlier if fetched else (),
            url_hash=b""
            if isinstance(outcome, Waiting)
            else admission.hash_of(target.url, target.sends),
            offer=offer,
            evidence=evidence,
            starts=turns.take_starts(),
            handled=told.handled if told is not None else None,
            is_deadly=told is not None and told.is_deadly,
            cookies=jars.take_changes(target.job_id) if jars is not None else None,
        )
        settlement = settle(visit, self._clock.now(), self._retry, self._rng)
        if isinstance(settlement.next, Later) or target.role in _TEACH_NOTHING:
            return settlement
        lesson = await self._learn(outcome, target, turns.host, admission, offer)
        return taught(settlement, lesson, turns.host)

    def give_up(self, target: LeasedTarget, assignment_id: int, turns: HostTurns) -> Settlement:
        """A visit that was cut off: the target is due as before, the host's turn is spent."""
        now = self._clock.now()
        interrupted, starts = Waiting(now, "interrupted"), turns.take_starts()
        visit = Visit(target, assignment_id, turns.host, interrupted, None, starts=starts)
        return settle(visit, now, self._retry, self._rng)

    def jars_at(self, assignment: Assignment) -> HostJars | None:
        """What a host has set in the jobs that visit it, for as long as it is held."""
        return None if self._cookies is None else self._cookies.at(assignment)

    async def _visit(
        self,
        target: LeasedTarget,
        turns: HostTurns,
        admission: Admission,
        mark: Mark,
        jar: Jar | None,
    ) -> tuple[Outcome, FetchResult | None]:
        host, traps, now = turns.host, admission.traps, self._clock.now()
        if host.visits >= traps.policy.patience and traps.is_due(host.name, now):
            # What others have counted counts too, and what we have, before we were killed.
            after = traps.last_heard(host.name)
            book = await self._frontier.shapes(target.job_id, host.id, after)
            traps.learn(host.name, book, now)
        if given_up := is_hopeless(target):
            return given_up, None
        kept_back = admission.reconsider(target, now)
        if kept_back is not None and admission.asks_who_named(target):
            named_by = await self._frontier.named_by(target.id)
            kept_back = admission.reconsider(target, self._clock.now(), named_by)
        if kept_back is not None:
            return kept_back, None
        if unwanted := self._unwanted(target, admission):
            return unwanted, None
        url = self._fetcher.preferred(target.url)
        denied = await self._gate.enter(url, turns)
        if denied is not None:
            return denied, None

        async def may_visit(hop: str) -> Outcome | None:
            verdict = admission.door.decide(Candidate(hop, depth=target.depth, role=target.role))
            if isinstance(verdict, Rejected):
                return Refused(verdict.reason, f"redirect to {hop}: {verdict.detail}")
            mark.enter(Step.GATE)
            return await self._gate.enter(hop, turns)

        copy = target.copy
        if copy is not None:
            name = admission.hash_of(target.url, target.sends)
            if not await self._bodies.holds(name, copy):
                copy = None  # an answer that it still holds would leave a page without a body
        marked, products = MarkedTurns(turns, mark, jar), admission.job.spec.products
        asked = (copy, target.role, products, target)
        if self._logins is None or jar is None or not self._logins.are_wanted:
            fetched = await self._fetcher.fetch(url, marked, may_visit, *asked)
        else:
            member = self._member(target.job_id, url, turns, may_visit, jar)
            fetched = await self._logins.fetch(
                member, lambda may_visit: self._fetcher.fetch(url, marked, may_visit, *asked)
            )
        result = fetched.result
        if not isinstance(result, Page):
            is_final = target.sends is not None or target.attempts + 1 >= self._retry.attempts
            return stale_instead(result, copy, is_final), fetched
        if same_content(result, copy, result.url if result.url != url else ""):
            validators = (result.etag, result.last_modified)
            return Unchanged(result.status, "same bytes", *validators), fetched
        rights = await self._gate.rights(result.url)
        return Read(replace(result, rights=result.rights + rights) if rights else result), fetched

    def _member(
        self, job_id: int, url: str, turns: HostTurns, may_visit: MayVisit, jar: Jar
    ) -> LoginVisit:
        async def may_ask(hop: str) -> Outcome | None:
            return await self._gate.enter(hop, turns)

        async def told(incident: Incident) -> None:
            if self._note is not None and turns.host.id:
                await self._note(turns.host.id, incident)

        return LoginVisit(url, job_id, jar, turns, may_visit, may_ask, told)

    def _unwanted(self, target: LeasedTarget, admission: Admission) -> Refused | None:
        """Rules of its site that came after it was taken bind it, too."""
        if target.role not in _PAGES:
            return None
        why = admission.door.unwanted(target.url, is_seed=target.depth == 0)
        return Refused(Reason.EXCLUDED, why) if why else None

    async def _learn(
        self,
        outcome: Outcome,
        target: LeasedTarget,
        host: Host,
        admission: Admission,
        offer: Admitted,
    ) -> Lesson:
        """What a visit teaches of its host is worth having, and never worth the visit."""
        try:
            return await self.guesser.learn(outcome, target, host, admission, offer.found)
        except Unavailable:
            raise
        except Exception:
            log.exception("nothing was learned from %s", target.url)
            return Lesson()

    async def _offer(
        self, outcome: Outcome, target: LeasedTarget, host: Host, admission: Admission
    ) -> tuple[Outcome, Admitted]:
        """What the visit found. A move that goes on and on from host to host ends here."""
        if target.role is Role.IMAGE and not isinstance(outcome, Moved):
            return outcome, Admitted()
        match outcome:
            case Read(page=page) if page.listing is not None:
                taken = await self._take(page.listing, page.url, target, admission)
                return (taken, Admitted()) if isinstance(taken, Waiting) else (outcome, taken)
            case Read(page=page):
                # First what has to wait: links that are offered count as known from then on.
                more = await self._scout.look_around(outcome, target, host, admission)
                links = await self._links(page, target, admission)
                if isinstance(links, Failed):
                    return links, Admitted()
                if page.product is not None and admission.job.spec.images:
                    links += admission.offer_images(page.product, target)
                return outcome, links + more if more else links
            case Moved(to=to, sends=sends):
                if await self._frontier.moves(target.id) >= self._most_moves:
                    detail = f"moved from host to host more than {self._most_moves} times"
                    return Failed(Fault.TOO_MANY_REDIRECTS, detail, outcome.status), Admitted()
                role = Role.PAGE if target.role is Role.POSTED else target.role
                moved = Candidate(
                    to, depth=target.depth, found_on=target.id, role=role, sends=sends
                )
                return outcome, admission.offer(moved)
            case _:
                more = await self._scout.look_around(outcome, target, host, admission)
                return outcome, more or Admitted()

    async def _links(
        self, page: Page, target: LeasedTarget, admission: Admission
    ) -> Admitted | Failed:
        """Links are resolved in C, too: what somebody has died of is rehearsed."""
        if target.crashes and (rehearsal := self._fetcher.rehearsal) is not None:

            async def offer() -> Admitted:
                return admission.offer_page(page, target.depth, target.id)

            died = await rehearsal.died(offer, 0.0)
            if died is None:
                return await offer()
            if died.is_sure:
                return died.outcome
        self._fetcher.note.begin(target.id, target.url, goes_on=True)
        try:
            return admission.offer_page(page, target.depth, target.id)
        finally:
            self._fetcher.note.end()

    async def _take(
        self, listing: Listing, url: str, target: LeasedTarget, admission: Admission
    ) -> Admitted | Waiting:
        """What a document lists. Of large ones one at a time, when there is room for it: what it
        names is in memory until it is written."""
        if len(listing.entries) < _LARGE:
            return await self._scout.take(listing, url, target, admission)
        async with self._large:
            await self._room()
            return await self._scout.take(listing, url, target, admission)

    def _bug(self, error: Exception) -> tuple[Outcome, FetchResult]:
        detail = f"{type(error).__name__}: {error}"[:500]
        outcome = Failed(Fault.INTERNAL, detail)
        attempt = Attempt(
            self._clock.now(),
            outcome.word,
            error=f"{Fault.INTERNAL}: {detail}",
            cause=cause(outcome),
        )
        return outcome, FetchResult(outcome, attempt)
