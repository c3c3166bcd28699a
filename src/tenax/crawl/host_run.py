"""One leased host worked through: visits side by side, as wide as it allows, refilled, drained."""

from __future__ import annotations

import asyncio
from collections import deque

from tenax.crawl.commit import Committer
from tenax.crawl.fleet.shared_address import Neighbours
from tenax.crawl.steps import Mark, Steps
from tenax.crawl.turns import HostTurns
from tenax.crawl.visit import Worker
from tenax.fetch.turns import HostClosed, LeaseExpired
from tenax.hosts.conduct import HostPolicies
from tenax.model import Assignment, Host, LeasedTarget
from tenax.outcome import Settlement
from tenax.ports import Frontier

_PER_SLOT = 8
"""Targets kept in hand per slot: at a thousand pages a second a claim takes fifty of them."""


class HostRun:
    """One assignment at work. A paced host ends with its targets; an unpaced one is refilled."""

    def __init__(
        self,
        assignment: Assignment,
        turns: HostTurns,
        frontier: Frontier,
        worker: Worker,
        committer: Committer,
        steps: Steps,
        neighbours: Neighbours | None = None,
    ) -> None:
        self.assignment = assignment
        self._neighbours = neighbours
        self._turns = turns
        self._frontier = frontier
        self._worker = worker
        self._committer = committer
        self._steps = steps
        self._jars = worker.jars_at(assignment)
        self._queue: deque[LeasedTarget] = deque(assignment.targets)
        self._slots = assignment.slots
        self._held = assignment.slots
        """Slots that nobody else may have: as many as we use, until the ledger hears of fewer."""
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._visiting: dict[int, LeasedTarget] = {}
        self._refill: asyncio.Task[bool] | None = None
        self._joining: asyncio.Task[tuple[Host, str] | None] | None = None
        self._more = asyncio.Event()
        self._over = False
        self._is_fresh = assignment.host.visits == 0
        self._failure: BaseException | None = None

    @property
    def host(self) -> Host:
        """As its visits have left it so far."""
        return self._turns.host

    async def run(self) -> None:
        """Work until nothing is left here. Raises only what our own infrastructure raises."""
        if self._neighbours is not None and not await self._settle_in(self._neighbours):
            return
        self._man_slots()
        try:
            while self._tasks:
                done, _ = await asyncio.wait(self._tasks.values(), return_when="FIRST_COMPLETED")
                self._tasks = {n: task for n, task in self._tasks.items() if task not in done}
                # Several may have failed by one cause: hear them all, or asyncio prints the rest.
                failed = [t.exception() for t in done if not t.cancelled() and t.exception()]
                self._failure = self._failure or next(iter(failed), None)
                if failed:
                    break
                if self._queue and not self._over:
                    # A slot whose job was dropped ended with it; other jobs' targets are left.
                    self._man_slots()
                if self._refill is None and len(self._tasks) <= self._slots < self._held:
                    # Somebody waits for those that we have stopped using.
                    self._ask_for_more()
            if self._failure is not None:
                raise self._failure
        finally:
            self.cancel()
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _settle_in(self, neighbours: Neighbours) -> bool:
        """Whether the host may be asked, or a neighbour of it is being asked."""
        joining = self._joining = asyncio.create_task(neighbours.join(self.assignment))
        try:
            joined = await joining
        except asyncio.CancelledError:
            if self._over:
                return False
            raise
        if joined is None:
            return False
        host, unit = joined
        self._turns.heed(host)
        self._turns.share(unit)
        return True

    def stop(self) -> None:
        """Start no further visit; one that only waits for its turn is given up at once."""
        self._leave()
        if self._joining is not None:
            self._joining.cancel()
        if self._turns.is_waiting:
            self.cancel()

    def treat(self, policies: HostPolicies) -> None:
        """The rules of its site may have changed. At another pace the host is given back: how
        many may ask it at once, and who, is settled by whoever claims it next."""
        if self._turns.treat(policies):
            self.stop()

    def lose(self) -> None:
        """Somebody else holds the host: what was asked may be heard, nothing more is asked."""
        self._turns.forfeit()
        self.stop()

    def cancel(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        if self._refill is not None:
            self._refill.cancel()

    def drop(self, job_id: int) -> None:
        """The job is not to be worked on any more: what is in hand of it goes back at once, but
        for requests under way."""
        dropped = [target for target in self._queue if target.job_id == job_id]
        self._queue = deque(target for target in self._queue if target.job_id != job_id)
        for target in dropped:
            self._give_up(target)
        for number, target in self._visiting.items():
            if target.job_id == job_id and self._turns.is_waiting:
                self._tasks[number].cancel()

    def renewed(self, expires_at: float) -> None:
        self._turns.expires_at = expires_at

    def more_found(self) -> None:
        """New targets are in the ledger; some may be for this host."""
        self._more.set()

    def _leave(self) -> None:
        """What is in hand goes back to the ledger, to wait there; visits under way finish."""
        self._over = True
        self._queue.clear()
        self._more.set()

    def _man_slots(self) -> None:
        for number in range(self._slots):
            if number not in self._tasks:
                self._tasks[number] = asyncio.create_task(self._slot(number))

    async def _slot(self, number: int) -> None:
        while number < self._slots:
            target = self._queue.popleft() if self._queue else await self._next()
            if target is None:
                return
            self._visiting[number] = target
            mark = self._steps.begin(target, self.assignment.id, self.host.name)
            try:
                # In no variable of ours: its page's body would be held through the next visit.
                await self._committer.put(await self._visit(target, mark))
            except HostClosed:
                # The ledger has to know until when, or the host is handed out again at once.
                self._give_up(target)
                self._leave()
                return
            except LeaseExpired:
                self._leave()
                return
            finally:
                self._steps.leave((target.id, self.assignment.id))
                del self._visiting[number]
                if not self._visiting:
                    self._more.set()
            if self._turns.is_silenced:
                self._leave()
            if self._refill is None and len(self._queue) < self._slots * (_PER_SLOT // 2):
                self._ask_for_more()

    async def _visit(self, target: LeasedTarget, mark: Mark) -> Settlement:
        try:
            return await self._worker.process(
                target, self.assignment.id, self._turns, mark, jars=self._jars
            )
        except asyncio.CancelledError:
            # It may have asked the host a moment ago: whoever comes next has to know when.
            self._give_up(target)
            raise

    def _give_up(self, target: LeasedTarget) -> None:
        given_up = self._worker.give_up(target, self.assignment.id, self._turns)
        self._committer.add(given_up)

    async def _next(self) -> LeasedTarget | None:
        """A target, waiting for one while visits under way may still bring some."""
        while not self._over:
            if self._queue:
                return self._queue.popleft()
            if not self._may_refill:
                return None
            asked = self._refill or self._ask_for_more()
            if asked is not None and await asyncio.shield(asked):
                continue
            if self._queue:
                continue
            if not self._visiting:
                self._over = True
                self._more.set()
                return None
            await self._more.wait()
        return None

    @property
    def _may_refill(self) -> bool:
        return not (self._over or self._is_fresh or self._turns.is_paced)

    def _ask_for_more(self) -> asyncio.Task[bool] | None:
        if not self._may_refill:
            return None
        # Here and nowhere else: what is found from now on may be missing from this answer.
        self._more.clear()
        self._refill = asyncio.create_task(self._fetch_more())
        self._refill.add_done_callback(self._refilled)
        return self._refill

    def _refilled(self, task: asyncio.Task[bool]) -> None:
        """Nobody may be waiting for it, and still its failure must end the run."""
        if not task.cancelled() and task.exception() is not None:
            self._failure = task.exception()
            self._leave()

    async def _fetch_more(self) -> bool:
        """Ask the frontier; True when there was something."""
        try:
            want = max(0, self._slots * _PER_SLOT - len(self._queue))
            using = len(self._tasks)
            more = await self._frontier.refill(self.assignment, want, using)
        finally:
            self._refill = None
        if more.host is not None:
            self._turns.heed(more.host)
        if not more.held or self._turns.is_silenced:
            self._over = True
            self._queue.clear()
        elif not self._over:
            self._queue.extend(more.targets)
            is_all = len(more.targets) < want
            self._worker.guesser.received(self.host.id, more.targets, is_all)
            self._slots, self._held = more.slots, max(more.slots, using)
            self._man_slots()
        if more.targets or self._over:
            self._more.set()
        return bool(more.targets)
