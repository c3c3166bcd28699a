"""One URL visited now, by the machinery of all visits: its place in the host's line, then the walk.

The host is leased as by any crawl, so those that are under way and this one ask it in turn.
"""

from __future__ import annotations

import asyncio

from msgspec import Struct
from msgspec.structs import replace

from tenax.crawl.admit import Admission
from tenax.crawl.commit import Committer
from tenax.crawl.roster import Roster
from tenax.crawl.run import CrawlParts
from tenax.crawl.turns import HostTurns
from tenax.crawl.visit import Worker
from tenax.fetch.turns import LeaseExpired
from tenax.hosts import conduct
from tenax.model import Assignment, LeasedTarget, Reason, Target
from tenax.outcome import Outcome, Refused, Settlement, Waiting
from tenax.ports import Committed, Place

_POLL = 0.05
"""Seconds between two looks whether it is our turn: a small transaction each."""
_POLL_MOST = 0.5
NOBODY = 0
"""The job and the target of a visit that leaves nothing behind."""


class Visited(Struct, frozen=True):
    """How the visit ended; without a settlement nothing was asked, and nothing was written."""

    outcome: Outcome
    settlement: Settlement | None = None


class OneVisit:
    """Visits a target of this job. Dry, nothing is written but how the host was treated."""

    def __init__(self, parts: CrawlParts, admission: Admission, *, dry: bool) -> None:
        self._parts = parts
        self._admission = admission
        self._dry = dry
        roster = Roster(parts.jobs, lambda _: admission, [admission.job])
        roster.welcome(admission.job)
        self._worker = Worker(
            parts.gate,
            parts.fetcher,
            parts.frontier,
            roster,
            parts.scout,
            parts.guesser,
            parts.bodies,
            parts.clock,
            parts.policies.retry,
            parts.rng,
            _no_wait,
            parts.handling,
            parts.logins,
            parts.hosts.note,
            parts.cookies,
        )

    async def visit(self, target: Target, attempts: int, until: float) -> Visited:
        """Wait for the host until then at most, and visit the target. `attempts` have been spent
        on it, where the ledger does not know that."""
        place = await self._parts.frontier.line_up(target)
        try:
            assignment = await self._called(place, target, until)
        except BaseException:
            await asyncio.shield(self._parts.frontier.step_out(place))
            raise
        if not isinstance(assignment, Assignment):
            await self._parts.frontier.step_out(place)
            return Visited(assignment)
        return await self._visit(place, assignment, target, attempts)

    async def _called(
        self, place: Place, target: Target, until: float
    ) -> Assignment | Refused | Waiting:
        parts, pause = self._parts, _POLL
        job_id = None if self._dry else self._admission.job.id
        while True:
            called = await parts.frontier.call(place, job_id, target)
            if isinstance(called, Reason):
                return Refused(called, "the job takes no more URLs")
            if called is not None and parts.neighbours is not None:
                called = await self._joined(called)
            now = parts.clock.now()
            if called is not None:
                opens = conduct.opens_at(called.host, parts.policies.treatment)
                if opens.at <= max(until, now):
                    return called
                return Waiting(opens.at, f"the host is closed: {opens.why}")
            if now >= until:
                return Waiting(now, f"{target.host} is in other hands, and its turn did not come")
            await parts.clock.sleep(min(pause, until - now))
            pause = min(pause * 1.5, _POLL_MOST)

    async def _visit(
        self, place: Place, assignment: Assignment, target: Target, attempts: int
    ) -> Visited:
        parts = self._parts
        leased = self._leased(assignment, target, attempts)
        watched = parts.watch.over(assignment) if parts.watch is not None else None
        turns = HostTurns(
            assignment.host,
            parts.clock,
            parts.policies.treatment,
            parts.rng,
            assignment.expires_at,
            watched,
            parts.observer.treated,
        )
        ended: list[Outcome] = []
        mark = parts.steps.begin(leased, assignment.id, assignment.host.name)
        try:
            settlement = await self._worker.process(
                leased, assignment.id, turns, mark, ended.append, self._worker.jars_at(assignment)
            )
        except LeaseExpired:
            settlement = self._worker.give_up(leased, assignment.id, turns)
            ended.append(Waiting(turns.stance.until, "others were told to leave the host alone"))
        except BaseException:
            # It may have asked the host a moment ago: whoever comes next has to know when.
            given_up = self._worker.give_up(leased, assignment.id, turns)
            await asyncio.shield(self._write(place, given_up))
            raise
        finally:
            parts.steps.end((leased.id, assignment.id))
        await asyncio.shield(self._write(place, settlement))
        return Visited(ended[-1], settlement)

    def _leased(self, assignment: Assignment, target: Target, attempts: int) -> LeasedTarget:
        if assignment.targets:
            return assignment.targets[0]
        return LeasedTarget(
            NOBODY,
            NOBODY,
            target.url,
            target.depth,
            target.priority,
            attempts,
            role=target.role,
            sends=target.sends,
        )

    async def _joined(self, called: Assignment) -> Assignment | None:
        """The same where hosts of one address take turns; None while a neighbour is asked."""
        assert self._parts.neighbours is not None
        joined = await self._parts.neighbours.join(called)
        return None if joined is None else replace(called, host=joined[0], unit=joined[1])

    async def _write(self, place: Place, settlement: Settlement) -> None:
        """The settlement and the end of the lease, in one transaction, bodies first."""
        parts = self._parts
        if self._dry:
            await parts.frontier.step_out(place, settlement.host)
            return
        committer = Committer(
            parts.frontier,
            parts.bodies,
            parts.clock,
            parts.policies.commit,
            self._committed,
            parts.steps,
        )
        committer.add(settlement)
        committer.release(place.id)
        committer.close()
        await committer.run()

    def _committed(
        self, batch: list[Settlement], committed: Committed, released: list[int]
    ) -> None:
        kept = [s for s in batch if s.lease not in committed.lost]
        self._parts.observer.visited(kept, lambda _: self._admission.job.name)
        self._parts.guesser.heard(committed.rules)


async def _no_wait() -> None:
    """One visit is never too much for the ledger."""
