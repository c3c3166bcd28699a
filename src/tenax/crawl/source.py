"""Where assignments come from: claims, tickets of a queue (claims while it is away), or a task."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Protocol

from tenax.crawl.fleet.handout import DispatchPolicy
from tenax.crawl.roster import Roster
from tenax.model import Assignment
from tenax.ports import Clock, Frontier, Ticket, Unavailable, WorkQueue

log = logging.getLogger(__name__)


class WorkSource(Protocol):
    async def next(self, roster: Roster, most: int) -> list[Assignment]:
        """Up to `most` hosts of running jobs to work on now; empty when there are none."""

    def given_back(self, assignment_ids: Sequence[int]) -> None:
        """These are in the ledger again, with all that became of them."""


class LedgerSource:
    """Claims for itself; no queue."""

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier

    async def next(self, roster: Roster, most: int) -> list[Assignment]:
        return await self._frontier.claim(roster.running, most)

    def given_back(self, assignment_ids: Sequence[int]) -> None:
        pass


class Queued:
    """Adopts what a scheduler offers. While the queue cannot be had, or has brought nothing for
    long, it claims from the ledger itself: that is always safe, and work goes on."""

    def __init__(
        self, queue: WorkQueue, frontier: Frontier, clock: Clock, policy: DispatchPolicy
    ) -> None:
        self._queue = queue
        self._frontier = frontier
        self._clock = clock
        self._policy = policy
        self._look_at = clock.now() + policy.alone
        self._is_lost = False
        self._is_alone = False

    async def next(self, roster: Roster, most: int) -> list[Assignment]:
        try:
            tickets = await self._queue.take(most)
            self._found()
        except Unavailable as error:
            self._lost(error)
            return await self._frontier.claim(roster.running, most)
        if tickets:
            self._look_at = self._clock.now() + self._policy.alone
            self._is_alone = False
            # The scheduler may know of jobs that were started since we last looked.
            await roster.meet()
            return await self._adopt(tickets, roster.running)
        if self._clock.now() >= self._look_at:
            self._look_at = self._clock.now() + self._policy.alone
            claimed = await self._frontier.claim(roster.running, most)
            if claimed and not self._is_alone:
                self._is_alone = True
                log.warning(
                    "there was work, and the queue brought nothing for %g s: is a `tenax scheduler`"
                    " running, with the same `queue` and `dispatch.name`?",
                    self._policy.alone,
                )
            return claimed
        return []

    def given_back(self, assignment_ids: Sequence[int]) -> None:
        pass

    async def _adopt(self, tickets: list[Ticket], jobs: Sequence[int]) -> list[Assignment]:
        adopted = await self._frontier.adopt(tickets, jobs)
        try:
            # From here on the leases say whose they are. Tickets that come back are worth nothing.
            await self._queue.done(tickets)
        except Unavailable as error:
            self._lost(error)
        return adopted

    def _lost(self, error: Unavailable) -> None:
        if not self._is_lost:
            self._is_lost = True
            log.warning("%s Until it is back, work is claimed from the ledger.", error)

    def _found(self) -> None:
        if self._is_lost:
            self._is_lost = False
            log.warning("the queue is back: work comes from it again")


class Handed:
    """Works on the tickets that it is handed one by one, and tells when each is settled."""

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier
        self._waiting: list[tuple[Ticket, asyncio.Future[int | None]]] = []
        self._working: dict[int, asyncio.Future[None]] = {}
        self._is_closed = False

    def hand(self, ticket: Ticket) -> asyncio.Future[int | None]:
        """Done when it was looked at: the assignment's id, None for a ticket worth nothing."""
        answer: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((ticket, answer))
        if self._is_closed:
            answer.cancel()
        return answer

    async def settled(self, assignment_id: int) -> None:
        """Wait until it was given back."""
        if (working := self._working.get(assignment_id)) is not None:
            await asyncio.shield(working)

    async def next(self, roster: Roster, most: int) -> list[Assignment]:
        taken, self._waiting = self._waiting[:most], self._waiting[most:]
        if not taken:
            return []
        try:
            await roster.meet()
            tickets = [ticket for ticket, _ in taken]
            adopted = await self._frontier.adopt(tickets, roster.running)
        except BaseException as error:
            for _, answer in taken:
                if not answer.done():
                    answer.set_exception(error)
            raise
        ids = {assignment.id for assignment in adopted}
        for id in ids:
            self._working[id] = asyncio.get_running_loop().create_future()
        for ticket, answer in taken:
            if not answer.done():
                answer.set_result(ticket.assignment_id if ticket.assignment_id in ids else None)
        return adopted

    def given_back(self, assignment_ids: Sequence[int]) -> None:
        for id in assignment_ids:
            if (working := self._working.pop(id, None)) is not None:
                working.set_result(None)

    def close(self) -> None:
        """Nothing more is worked on here: nobody waits any longer."""
        self._is_closed = True
        waiting, self._waiting = self._waiting, []
        for _, answer in waiting:
            answer.cancel()
        self.given_back(list(self._working))
