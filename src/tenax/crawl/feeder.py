"""The feeder: claims leases on hosts, works on them side by side, renews and returns them."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Awaitable, Callable, Iterable, Set
from random import Random

from tenax.crawl.commit import Committer
from tenax.crawl.fleet.abroad import TurnsAbroad
from tenax.crawl.fleet.shared_address import Neighbours
from tenax.crawl.fleet.start_guard import Watch
from tenax.crawl.host_run import HostRun
from tenax.crawl.observe.observer import Observer
from tenax.crawl.policy import FeedPolicy
from tenax.crawl.roster import Roster
from tenax.crawl.source import LedgerSource, WorkSource
from tenax.crawl.steps import Steps
from tenax.crawl.turns import HostTurns
from tenax.crawl.visit import Worker
from tenax.hosts import conduct
from tenax.model import Assignment
from tenax.ports import Clock, Frontier
from tenax.ports.waiting import sleep_until_told
from tenax.urls.sites import Sites

_SHOW = 2.0
"""Seconds after which the ledger is told again which visits are under way: one small write."""


class Feeder:
    """Runs hosts until the jobs have nothing more to do, or until told to stop."""

    def __init__(
        self,
        roster: Roster,
        frontier: Frontier,
        worker: Worker,
        committer: Committer,
        clock: Clock,
        treatment: conduct.HostPolicies,
        rng: Random,
        policy: FeedPolicy,
        is_over: Callable[[], Awaitable[bool]],
        revive: Callable[[], Awaitable[int]],
        steps: Steps,
        neighbours: Neighbours | None = None,
        watch: Watch | None = None,
        source: WorkSource | None = None,
        sites: Sites | None = None,
        renders: bool = False,
        abroad: TurnsAbroad | None = None,
        observer: Observer | None = None,
    ) -> None:
        """`renders` says that we have a browser."""
        self._sites = Sites() if sites is None else sites
        self._obeyed = self._sites.changes
        self._renders = renders
        self._look_for_browser_at = 0.0
        self._roster = roster
        self._frontier = frontier
        self._worker = worker
        self._committer = committer
        self._clock = clock
        self._treatment = treatment
        self._rng = rng
        self._policy = policy
        self._is_over = is_over
        self._revive = revive
        self._steps = steps
        self._is_shown = False
        self._neighbours = neighbours
        self._watch = watch
        self._abroad = abroad
        self._observer = observer
        self._source = source or LedgerSource(frontier)
        self._runs: dict[int, HostRun] = {}
        self._openings: list[float] = []
        """When hosts that we gave back may be claimed again; a heap."""
        self._wake = asyncio.Event()
        self._stopping = False
        self._holders: set[str] = set()
        """Why nothing is claimed for now."""

    def stop(self) -> None:
        """Start nothing more; what is under way gets a moment to finish."""
        self._stopping = True
        for run in self._runs.values():
            run.stop()
        self._wake.set()

    def hold(self, why: str = "care") -> None:
        """Claim nothing for now, and give back what is in hand: something of ours is wrong, or
        whoever reads the pages is behind."""
        self._holders.add(why)
        for run in self._runs.values():
            run.stop()

    def resume(self, why: str = "care") -> None:
        self._holders.discard(why)
        self._wake.set()

    def look_again(self) -> None:
        """A host was given back: it may be claimed anew, or all is done."""
        self._wake.set()

    def more_found(self, hosts: Set[str] | None = None) -> None:
        """The ledger has new targets: whoever waits for some may look again. At `hosts` that we
        hold nothing can be claimed for them, and what we hold is refilled or given back."""
        for run in self._runs.values():
            run.more_found()
        if hosts is None or hosts - {run.assignment.host.name for run in self._runs.values()}:
            self._wake.set()

    def lost(self, assignment_ids: Iterable[int]) -> None:
        """Somebody else holds these hosts now: two of us must not ask them at once."""
        for assignment_id in assignment_ids:
            if run := self._runs.get(assignment_id):
                run.lose()

    def give_back(self, assignment_id: int) -> None:
        """Somebody else may go on with this host: finish what is under way there."""
        if run := self._runs.get(assignment_id):
            run.stop()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            upkeep = tasks.create_task(self._upkeep())
            try:
                await self._feed(tasks)
                await self._drain()
                await self._show()
            finally:
                upkeep.cancel()

    async def _feed(self, tasks: asyncio.TaskGroup) -> None:
        await self._roster.refresh()
        await self._frontier.reclaim()
        await self._revive()
        poll = self._policy.poll
        while not self._stopping:
            self._wake.clear()
            room = min(self._policy.hosts - len(self._runs), self._policy.claim)
            room = 0 if self._holders else room
            claimed = await self._source.next(self._roster, room) if room > 0 else []
            claimed += await self._claim_for_browser(room - len(claimed))
            running = set(self._roster.running)
            for assignment in claimed:
                self._start(assignment, tasks)
                # Stopped while their work was on its way to us: nobody else drops it.
                for job_id in {target.job_id for target in assignment.targets} - running:
                    self._runs[assignment.id].drop(job_id)
            if claimed:
                poll = self._policy.poll
                continue
            if not self._runs and await self._is_over():
                return
            await sleep_until_told(self._clock, self._until_opening(poll), self._wake)
            poll = min(poll * 2, self._policy.poll_most)

    async def _claim_for_browser(self, room: int) -> list[Assignment]:
        """What waits for a browser comes to those who have one, whatever brings them the rest."""
        now = self._clock.now()
        if not self._renders or room <= 0 or now < self._look_for_browser_at:
            return []
        claimed = await self._frontier.claim_for_browser(self._roster.running, room)
        self._look_for_browser_at = now if claimed else now + self._policy.poll_most
        return claimed

    def _until_opening(self, poll: float) -> float:
        """A polite host is late by however long we oversleep the moment when it opens."""
        now = self._clock.now()
        while self._openings and self._openings[0] <= now:
            heapq.heappop(self._openings)
        if not self._openings:
            return poll
        return min(poll, max(self._openings[0] - now, self._policy.poll))

    def _start(self, assignment: Assignment, tasks: asyncio.TaskGroup) -> None:
        turns = HostTurns(
            assignment.host,
            self._clock,
            self._treatment_of(assignment.host.name),
            self._rng,
            assignment.expires_at,
            self._watch.over(assignment) if self._watch is not None else None,
            self._observer.treated if self._observer is not None else None,
        )
        run = HostRun(
            assignment,
            turns,
            self._frontier,
            self._worker,
            self._committer,
            self._steps,
            self._neighbours,
        )
        self._runs[assignment.id] = run
        self._worker.guesser.enter(assignment)
        # On its way to us when we were told to hold or stop.
        if self._stopping or self._holders:
            run.stop()
        tasks.create_task(self._hold(run, turns))

    async def _hold(self, run: HostRun, turns: HostTurns) -> None:
        if self._abroad is not None:
            self._abroad.hold(turns)
        try:
            await run.run()
        finally:
            if self._abroad is not None:
                self._abroad.leave(turns)
            self._worker.guesser.leave(run.assignment.host.id)
            del self._runs[run.assignment.id]
            opens = conduct.opens_at(run.host, self._treatment).at
            heapq.heappush(self._openings, opens)
            self._committer.release(run.assignment.id)
            self._wake.set()

    async def _drain(self) -> None:
        """Wait for the runs to end; after the grace, cut them off."""
        deadline = self._clock.now() + self._policy.grace
        while self._runs and self._clock.now() < deadline:
            await self._clock.sleep(0.02)
        for run in self._runs.values():
            run.cancel()

    @property
    def _step(self) -> float:
        return min(self._policy.look, self._policy.reclaim, self._policy.heartbeat)

    async def _upkeep(self) -> None:
        beat = reclaimed = shown = self._clock.now()
        while True:
            await self._clock.sleep(self._step)
            await self._look()
            now = self._clock.now()
            if now - reclaimed >= self._policy.reclaim:
                reclaimed = now
                if await self._frontier.reclaim():
                    self._wake.set()
            if now - beat >= self._policy.heartbeat:
                beat = now
                await self._renew()
            if now - shown >= _SHOW:
                shown = now
                await self._show()

    async def _look(self) -> None:
        """Jobs that were paused or stopped get nothing more here; those started are claimed for,
        and what is due to be visited again is work, too."""
        before = self._roster.running
        for job_id in await self._roster.refresh():
            for run in self._runs.values():
                run.drop(job_id)
        if self._obeyed != self._sites.changes:
            self._obeyed = self._sites.changes
            for run in self._runs.values():
                run.treat(self._treatment_of(run.host.name))
        if await self._revive() or self._roster.running != before:
            self._wake.set()

    def _treatment_of(self, host: str) -> conduct.HostPolicies:
        return conduct.policies_at(self._treatment, self._sites.of(host))

    async def _show(self) -> None:
        """Let others see what is under way here; nothing twice in a row is no news."""
        under_way = self._steps.look()
        is_news = bool(under_way.visits or under_way.held)
        if is_news or self._is_shown:
            await self._frontier.show(under_way)
            self._is_shown = is_news

    async def _renew(self) -> None:
        """Hold on to what is ours; what is not any more is left at once."""
        working = dict(self._runs)
        held = await self._frontier.renew()
        for assignment_id, run in working.items():
            if assignment_id in held:
                run.renewed(held[assignment_id])
            else:
                run.lose()
