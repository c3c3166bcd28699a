"""What happens to one target? Gate, fetch, read, settle: the walk of a URL, top to bottom."""

from __future__ import annotations

import logging
from dataclasses import replace
from random import Random

from tenax.crawl.admit import Admission
from tenax.crawl.gate import Gate, HostTurns
from tenax.crawl.roster import Roster
from tenax.crawl.schedule import RetryPolicy
from tenax.crawl.settle import Offer, Visit, settle
from tenax.fetch.fetcher import Fetched, Fetcher, LeaseExpired
from tenax.fetch.freshness import same_content, stale_instead
from tenax.hosts.signs import sign_of
from tenax.model import Candidate, Fault, Host, LeasedTarget, Page, Rejected
from tenax.outcome import (
    Attempt,
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


class Worker:
    """Visits targets. Whatever the web does, one settlement comes out."""

    def __init__(
        self,
        gate: Gate,
        fetcher: Fetcher,
        frontier: Frontier,
        roster: Roster,
        clock: Clock,
        retry: RetryPolicy,
        rng: Random,
    ) -> None:
        self._gate = gate
        self._fetcher = fetcher
        self._frontier = frontier
        self._most_moves = fetcher.most_redirects
        self._roster = roster
        self._clock = clock
        self._retry = retry
        self._rng = rng

    async def process(
        self, target: LeasedTarget, assignment_id: int, turns: HostTurns
    ) -> Settlement:
        admission = self._roster.admission(target.job_id)
        try:
            outcome, fetched = await self._visit(target, turns, admission)
            outcome, offer = await self._offer(outcome, target, admission)
        except (Unavailable, LeaseExpired):
            raise
        except Exception as error:
            log.exception("visit failed unexpectedly: %s", target.url)
            outcome, fetched = self._bug(error)
            offer = Offer()
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
            url_hash=admission.hash_of(target.url) if isinstance(outcome, Read) else b"",
            offer=offer,
        )
        return settle(visit, self._clock.now(), self._retry, self._rng)

    def give_up(self, target: LeasedTarget, assignment_id: int, host: Host) -> Settlement:
        """A visit that was cut off: the target is due as before, the host's turn is spent."""
        now = self._clock.now()
        visit = Visit(target, assignment_id, host, Waiting(now, "interrupted"), attempt=None)
        return settle(visit, now, self._retry, self._rng)

    async def _visit(
        self, target: LeasedTarget, turns: HostTurns, admission: Admission
    ) -> tuple[Outcome, Fetched | None]:
        url = self._fetcher.preferred(target.url)
        denied = await self._gate.enter(url, turns)
        if denied is not None:
            return denied, None

        async def may_visit(hop: str) -> Outcome | None:
            verdict = admission.door.decide(Candidate(hop, depth=target.depth))
            if isinstance(verdict, Rejected):
                return Refused(verdict.reason, f"redirect to {hop}: {verdict.detail}")
            return await self._gate.enter(hop, turns)

        fetched = await self._fetcher.fetch(url, turns, may_visit, target.copy)
        result = fetched.result
        if not isinstance(result, Page):
            is_final = target.attempts + 1 >= self._retry.attempts
            return stale_instead(result, target.copy, is_final), fetched
        if same_content(result, target.copy, result.url if result.url != url else ""):
            validators = (result.etag, result.last_modified)
            return Unchanged(result.status, "same bytes", *validators), fetched
        rights = self._gate.rights(result.url)
        return Read(replace(result, rights=result.rights + rights) if rights else result), fetched

    async def _offer(
        self, outcome: Outcome, target: LeasedTarget, admission: Admission
    ) -> tuple[Outcome, Offer]:
        """What the visit found. A move that goes on and on from host to host ends here."""
        match outcome:
            case Read(page=page):
                return outcome, admission.offer_page(page, target.depth, target.id)
            case Moved(to=to):
                if await self._frontier.moves(target.id) >= self._most_moves:
                    detail = f"moved from host to host more than {self._most_moves} times"
                    return Failed(Fault.TOO_MANY_REDIRECTS, detail, outcome.status), Offer()
                moved = Candidate(to, depth=target.depth, found_on=target.id)
                return outcome, admission.offer(moved)
            case _:
                return outcome, Offer()

    def _bug(self, error: Exception) -> tuple[Outcome, Fetched]:
        detail = f"{type(error).__name__}: {error}"[:500]
        attempt = Attempt(self._clock.now(), "failed", error=f"{Fault.INTERNAL}: {detail}")
        outcome = Failed(Fault.INTERNAL, detail)
        return outcome, Fetched(outcome, attempt)
