"""The scheduler: leases hosts and keeps a queue filled with tickets for them.

What it offers it holds in the ledger until a worker adopts it, so whatever the queue loses comes
back, and what a dead scheduler held its neighbours take back. Any number of them may run.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenax.crawl.due_runs import Keeper
from tenax.crawl.fleet.handout import DispatchPolicy, missing
from tenax.crawl.roster import Roster
from tenax.crawl.run import CrawlParts, conclude_if_done, is_job_over, offer_seeds
from tenax.ports import Unavailable, WorkQueue
from tenax.ports.retry import Backoff, retry

T = TypeVar("T")
log = logging.getLogger(__name__)
_REST = Backoff(0.5, longest=10.0)
_FAREWELL = 5.0
"""Seconds that handing back may take when it ends: a ledger that is away is not waited for."""


class Dispatch:
    """Runs until it is stopped. Our own infrastructure failing makes it wait, never end."""

    def __init__(
        self, parts: CrawlParts, roster: Roster, queue: WorkQueue, policy: DispatchPolicy
    ) -> None:
        self._parts = parts
        self._roster = roster
        self._queue = queue
        self._policy = policy
        self._offers: deque[tuple[float, int]] = deque()
        """When each was offered, the oldest first; most of them have been adopted since."""
        self._stopping = asyncio.Event()
        self._keeper = Keeper(
            parts.jobs,
            parts.frontier,
            roster,
            parts.clock,
            lambda job: is_job_over(parts, job),
            lambda job: offer_seeds(parts, roster.admission(job.id)),
        )

    def stop(self) -> None:
        self._stopping.set()

    async def run(self) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                running = [tasks.create_task(self._hand_out()), tasks.create_task(self._upkeep())]
                if self._parts.intake is not None:
                    running.append(tasks.create_task(self._parts.intake.run()))
                await self._stopping.wait()
                for task in running:
                    task.cancel()
        finally:
            await self._leave()

    async def _hand_out(self) -> None:
        await self._insist("looking at the jobs", self._look)
        poll = self._policy.poll
        while True:
            offered = await self._insist("handing out work", self._fill)
            poll = self._policy.poll if offered else min(2 * poll, self._policy.poll_most)
            await self._parts.clock.sleep(poll)

    async def _fill(self) -> int:
        """Offer what the queue has room for; how many."""
        wanted = missing(await self._queue.size(), self._policy)
        if not wanted:
            return 0
        tickets = await self._parts.frontier.offer(self._roster.running, wanted)
        if not tickets:
            return 0
        now = self._parts.clock.now()
        try:
            await self._queue.put(tickets, self._policy.patience)
        except Unavailable:
            await self._parts.frontier.withdraw([ticket.assignment_id for ticket in tickets])
            raise
        finally:
            # Cut off here, or refused without a word, they are withdrawn in their time.
            self._offers.extend((now, ticket.assignment_id) for ticket in tickets)
        return len(tickets)

    async def _upkeep(self) -> None:
        feed, clock = self._parts.policies.feed, self._parts.clock
        step = min(feed.look, feed.reclaim, feed.heartbeat)
        beat = reclaimed = clock.now()
        while True:
            await clock.sleep(step)
            await self._insist("looking after the jobs", self._look)
            now = clock.now()
            if now - reclaimed >= feed.reclaim:
                reclaimed = now
                await self._insist("taking back leases", self._parts.frontier.reclaim)
            if now - beat >= feed.heartbeat:
                beat = now
                await self._insist("renewing leases", self._renew)
            await self._insist("withdrawing offers", self._withdraw)

    async def _look(self) -> None:
        await self._roster.refresh()
        await self._keeper.look()
        for job_id in self._roster.running:
            await conclude_if_done(self._parts, self._roster.admission(job_id).job)

    async def _renew(self) -> None:
        """Hold on to what is offered. What we hold without knowing was claimed when the ledger
        failed in the middle of it: it is withdrawn like the rest."""
        held = await self._parts.frontier.renew()
        known = {id for _, id in self._offers}
        now = self._parts.clock.now()
        self._offers.extend((now, id) for id in held if id not in known)

    async def _withdraw(self) -> None:
        """What nobody has adopted for long was lost on its way, or there are too few workers."""
        since = self._parts.clock.now() - self._policy.patience
        old = [id for at, id in self._offers if at <= since]
        if old:
            await self._parts.frontier.withdraw(old)
            for _ in old:
                self._offers.popleft()

    async def _leave(self) -> None:
        """Hand back what nobody has adopted, so that the next one need not wait."""
        try:
            async with asyncio.timeout(_FAREWELL):
                held = await self._parts.frontier.renew()
                await self._parts.frontier.withdraw(list(held))
        except (Unavailable, TimeoutError) as error:
            why = str(error) or "the ledger does not answer in time."
            log.warning("%s What was offered comes back by itself.", why)

    async def _insist(self, what: str, step: Callable[[], Awaitable[T]]) -> T:
        """Try until it works: whatever is down comes up again, and nobody else does this."""
        has_failed = False

        def note(error: Exception) -> None:
            nonlocal has_failed
            if not has_failed:
                log.warning("%s: %s Trying again.", what, error)
            has_failed = True

        result = await retry(step, _REST, self._parts.clock, failed=note)
        if has_failed:
            log.warning("%s: works again", what)
        return result
