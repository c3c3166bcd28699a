"""What happens to one target? Gate, fetch, read, settle: the walk of a URL, top to bottom."""

from __future__ import annotations

import logging
from random import Random

from msgspec.structs import replace

from tenax.crawl.admit import Admission
from tenax.crawl.explore.guesser import Guesser
from tenax.crawl.explore.scout import Scout
from tenax.crawl.gate import Gate, HostTurns
from tenax.crawl.policy import RetryPolicy
from tenax.crawl.roster import Roster
from tenax.crawl.settle import Admitted, Visit, settle
from tenax.fetch.fetcher import Fetcher, FetchResult
from tenax.fetch.freshness import same_content, stale_instead
from tenax.fetch.reading import is_hopeless
from tenax.fetch.turns import LeaseExpired
from tenax.hosts.signs import sign_of
from tenax.model import Candidate, Fault, Host, LeasedTarget, Page, Reason, Rejected, Role
from tenax.outcome import (
    Attempt,
    End,
    Failed,
    Moved,
    Outcome,
    Read,
    Refused,
    Settlement,
    Unchanged,
    Waiting,
)
from tenax.ports import Clock, Frontier, Unavailable

log = logging.getLogger(__name__)
_PUT_OFF = "its like have brought nothing so far: all else is visited first"


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
        clock: Clock,
        retry: RetryPolicy,
        rng: Random,
    ) -> None:
        self._gate = gate
        self._fetcher = fetcher
        self._frontier = frontier
        self._most_moves = fetcher.most_redirects
        self._roster = roster
        self._scout = scout
        self.guesser = guesser
        self._clock = clock
        self._retry = retry
        self._rng = rng

    async def process(
        self, target: LeasedTarget, assignment_id: int, turns: HostTurns
    ) -> Settlement:
        admission = self._roster.admission(target.job_id)
        try:
            outcome, fetched = await self._visit(target, turns, admission)
            outcome, offer = await self._offer(outcome, target, turns.host, admission)
            shape, fruitless = admission.weigh(target, outcome, offer)
        except (Unavailable, LeaseExpired):
            raise
        except Exception as error:
            log.exception("visit failed unexpectedly: %s", target.url)
            outcome, fetched = self._bug(error)
            offer, shape, fruitless = Admitted(), "", False
        attempt = fetched.attempt if fetched else None
        if attempt is not None and attempt.outcome != outcome.word:
            # The fetch cannot know that it brought what we have, or that a copy stands in for it.
            attempt = replace(attempt, outcome=outcome.word)
        turns.learn(sign_of(outcome, attempt.at) if attempt else None)
        visit = Visit(
            target=target,
            assignment_id=assignment_id,
            host=turns.host,
            outcome=outcome,
            attempt=attempt,
            earlier=fetched.earlier if fetched else (),
            url_hash=admission.hash_of(target.url) if isinstance(outcome, Read | Failed) else b"",
            offer=offer,
            shape=shape,
            fruitless=fruitless,
        )
        settlement = settle(visit, self._clock.now(), self._retry, self._rng)
        if isinstance(settlement.next, End) and target.role is not Role.IMAGE:
            await self._learn(outcome, target, turns.host, admission, offer)
        return settlement

    def give_up(self, target: LeasedTarget, assignment_id: int, host: Host) -> Settlement:
        """A visit that was cut off: the target is due as before, the host's turn is spent."""
        now = self._clock.now()
        visit = Visit(target, assignment_id, host, Waiting(now, "interrupted"), attempt=None)
        return settle(visit, now, self._retry, self._rng)

    async def _visit(
        self, target: LeasedTarget, turns: HostTurns, admission: Admission
    ) -> tuple[Outcome, FetchResult | None]:
        host, yields = turns.host, admission.yields
        if host.visits >= yields.policy.enough and yields.is_due(host.name, self._clock.now()):
            # What others have counted counts too.
            yields.learn(host.name, await self._frontier.shapes(target.job_id, host.id))
        if given_up := is_hopeless(target):
            return given_up, None
        if why := admission.trap(target):
            return Refused(Reason.TRAP, why), None
        if priority := admission.puts_off(target):
            return Waiting(self._clock.now(), _PUT_OFF, priority), None
        url = self._fetcher.preferred(target.url)
        denied = await self._gate.enter(url, turns)
        if denied is not None:
            return denied, None

        async def may_visit(hop: str) -> Outcome | None:
            verdict = admission.door.decide(Candidate(hop, depth=target.depth, role=target.role))
            if isinstance(verdict, Rejected):
                return Refused(verdict.reason, f"redirect to {hop}: {verdict.detail}")
            return await self._gate.enter(hop, turns)

        fetched = await self._fetcher.fetch(
            url, turns, may_visit, target.copy, target.role, admission.job.spec.products, target
        )
        result = fetched.result
        if not isinstance(result, Page):
            is_final = target.attempts + 1 >= self._retry.attempts
            return stale_instead(result, target.copy, is_final), fetched
        if same_content(result, target.copy, result.url if result.url != url else ""):
            validators = (result.etag, result.last_modified)
            return Unchanged(result.status, "same bytes", *validators), fetched
        rights = self._gate.rights(result.url)
        return Read(replace(result, rights=result.rights + rights) if rights else result), fetched

    async def _learn(
        self,
        outcome: Outcome,
        target: LeasedTarget,
        host: Host,
        admission: Admission,
        offer: Admitted,
    ) -> None:
        """What a visit teaches of its host is worth having, and never worth the visit."""
        try:
            await self.guesser.learn(outcome, target, host, admission, offer.found)
        except Unavailable:
            raise
        except Exception:
            log.exception("nothing was learned from %s", target.url)

    async def _offer(
        self, outcome: Outcome, target: LeasedTarget, host: Host, admission: Admission
    ) -> tuple[Outcome, Admitted]:
        """What the visit found. A move that goes on and on from host to host ends here."""
        if target.role is Role.IMAGE and not isinstance(outcome, Moved):
            return outcome, Admitted()
        match outcome:
            case Read(page=page) if page.listing is not None:
                admission.vouch(page.listing, page.url)
                taken = await self._scout.take(page.listing, page.url, target, admission)
                return (taken, Admitted()) if isinstance(taken, Waiting) else (outcome, taken)
            case Read(page=page):
                # Its links are resolved in C, too.
                self._fetcher.note.begin(target.id, target.url)
                try:
                    links = admission.offer_page(page, target.depth, target.id)
                finally:
                    self._fetcher.note.end()
                if page.product is not None and admission.job.spec.images:
                    links += admission.offer_images(page.product, target)
                more = await self._scout.look_around(outcome, target, host, admission)
                return outcome, links + more if more else links
            case Moved(to=to):
                if await self._frontier.moves(target.id) >= self._most_moves:
                    detail = f"moved from host to host more than {self._most_moves} times"
                    return Failed(Fault.TOO_MANY_REDIRECTS, detail, outcome.status), Admitted()
                moved = Candidate(to, depth=target.depth, found_on=target.id, role=target.role)
                return outcome, admission.offer(moved)
            case _:
                more = await self._scout.look_around(outcome, target, host, admission)
                return outcome, more or Admitted()

    def _bug(self, error: Exception) -> tuple[Outcome, FetchResult]:
        detail = f"{type(error).__name__}: {error}"[:500]
        attempt = Attempt(self._clock.now(), "failed", error=f"{Fault.INTERNAL}: {detail}")
        outcome = Failed(Fault.INTERNAL, detail)
        return outcome, FetchResult(outcome, attempt)
