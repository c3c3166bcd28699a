"""One process's part in a crawl: seeds, feeder, workers and committer, until done or shut down."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING

from msgspec import Struct

from tenax.crawl.admit import Admission
from tenax.crawl.commit import Committer
from tenax.crawl.due_runs import Keeper
from tenax.crawl.explore.guesser import Guesser
from tenax.crawl.explore.scout import Scout
from tenax.crawl.feeder import Feeder
from tenax.crawl.fleet.abroad import TurnsAbroad
from tenax.crawl.fleet.intake import Busy, Reception
from tenax.crawl.fleet.shared_address import Neighbours
from tenax.crawl.fleet.start_guard import Watch
from tenax.crawl.gate import Gate
from tenax.crawl.observe.observer import Observer
from tenax.crawl.outages.bodies import Bodies
from tenax.crawl.outages.self_care import SelfCare
from tenax.crawl.policy import CommitPolicy, FeedPolicy, RetryPolicy
from tenax.crawl.roster import Roster
from tenax.crawl.settle import Admitted
from tenax.crawl.source import WorkSource
from tenax.crawl.steps import Steps
from tenax.crawl.visit import Worker
from tenax.fetch.cookies.keeper import CookieKeeper
from tenax.fetch.fetcher import Fetcher
from tenax.fetch.freshness import FreshnessPolicy
from tenax.fetch.logins.sessions import Logins
from tenax.hosts import conduct
from tenax.jobs.eta import is_full
from tenax.model import Job, JobState, State
from tenax.outcome import Settlement
from tenax.ports import Clock, Committed, Frontier, HostBook, Jobs
from tenax.urls.sites import Sites

if TYPE_CHECKING:
    from tenax.crawl.handling.handle import Handling

_BUSY_SECONDS = 60.0
_AT_ONCE = 2_000


class CrawlPolicies(Struct, frozen=True):
    treatment: conduct.HostPolicies
    retry: RetryPolicy
    commit: CommitPolicy
    feed: FeedPolicy
    freshness: FreshnessPolicy


class CrawlParts(Struct, frozen=True):
    """What a crawl is made of; composed once, used by every run."""

    clock: Clock
    rng: Random
    frontier: Frontier
    jobs: Jobs
    hosts: HostBook
    bodies: Bodies
    fetcher: Fetcher
    gate: Gate
    scout: Scout
    guesser: Guesser
    policies: CrawlPolicies
    steps: Steps
    observer: Observer
    care: SelfCare | None = None
    """Who looks whether this process gets on, and has what it needs."""
    abroad: TurnsAbroad | None = None
    """Whose turn it is at hosts that another one's robots.txt leads to."""
    neighbours: Neighbours | None = None
    """Who finds out which hosts share an address, where that counts."""
    watch: Watch | None = None
    """Who asks, before every request, whoever else could hold the host."""
    intake: Reception | None = None
    """Who takes in what other programs push."""
    sites: Sites | None = None
    """The rules of sites, as this process knows them."""
    handling: Handling | None = None
    """The user's handlers, where there are any (REC-1)."""
    logins: Logins | None = None
    """Who logs in where rules of sites want that."""
    cookies: CookieKeeper | None = None
    """Who has what sites set; None where nothing is kept."""
    renders: bool = False
    """There is a browser here: what waits for one is for us, too."""


class CrawlRun:
    """Crawls jobs in this process. `heard` gets every settlement once it is durable.

    It ends when none of them has anything left to do; with `stays` it waits for more until it is
    stopped. Serving all jobs there are, it writes down itself which are done. With a `source` of
    work other than the ledger it leaves that, and what is to be visited again, to the scheduler.
    """

    def __init__(
        self,
        parts: CrawlParts,
        roster: Roster,
        heard: Callable[[Sequence[Settlement]], None] = lambda _: None,
        *,
        stays: bool = False,
        source: WorkSource | None = None,
    ) -> None:
        self._parts = parts
        self._source = source
        self._roster = roster
        self._heard = heard
        self._stays = stays
        policies = parts.policies
        self._committer = Committer(
            parts.frontier,
            parts.bodies,
            parts.clock,
            policies.commit,
            self._committed,
            parts.steps,
        )
        worker = Worker(
            parts.gate,
            parts.fetcher,
            parts.frontier,
            roster,
            parts.scout,
            parts.guesser,
            parts.bodies,
            parts.clock,
            policies.retry,
            parts.rng,
            self._committer.room,
            parts.handling,
            parts.logins,
            parts.hosts.note,
            parts.cookies,
        )
        keeper = Keeper(
            parts.jobs,
            parts.frontier,
            roster,
            parts.clock,
            lambda job: is_job_over(parts, job),
            lambda job: offer_seeds(parts, roster.admission(job.id)),
        )
        self._feeder = Feeder(
            roster,
            parts.frontier,
            worker,
            self._committer,
            parts.clock,
            policies.treatment,
            parts.rng,
            policies.feed,
            self._is_over,
            keeper.look if source is None else _nothing,
            parts.steps,
            parts.neighbours,
            parts.watch,
            source,
            parts.sites,
            parts.renders,
            parts.abroad,
            parts.observer,
        )

    def stop(self) -> None:
        self._feeder.stop()

    def hold(self) -> None:
        """Visit nothing more until resumed: whoever reads the pages is behind."""
        self._feeder.hold("reader")

    def resume(self) -> None:
        self._feeder.resume("reader")

    def look_again(self) -> None:
        """There is work for us."""
        self._feeder.look_again()

    def give_back(self, assignment_id: int) -> None:
        """Let somebody else go on with it."""
        self._feeder.give_back(assignment_id)

    async def run(self) -> None:
        """Work until the job has nothing more to do here, or until stopped."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._committer.run())
                beside = [tasks.create_task(self._close_jobs())]
                if (care := self._parts.care) is not None:
                    caring = care.run(self._feeder.hold, self._feeder.resume, self.stop)
                    beside.append(tasks.create_task(caring))
                if self._parts.intake is not None and self._roster.is_open:
                    taking = self._parts.intake.run(self._feeder.more_found)
                    beside.append(tasks.create_task(taking))
                try:
                    await self._feeder.run()
                finally:
                    for task in beside:
                        task.cancel()
                    self._committer.close()
        except BaseExceptionGroup as group:
            raise _first(group) from group

    def _committed(
        self, batch: Sequence[Settlement], result: Committed, released: Sequence[int]
    ) -> None:
        kept = [s for s in batch if s.lease not in result.lost]
        if result.lost:
            self._feeder.lost({assignment_id for _, assignment_id in result.lost})
        if result.new:
            self._feeder.more_found({target.host for s in kept for target in s.found})
        if released:
            self._feeder.look_again()
            if self._source is not None:
                self._source.given_back(released)
        self._parts.guesser.heard(result.rules)
        for (job_id, host), counts in result.shapes.items():
            self._roster.admission(job_id).traps.hear(host, counts)
        if kept:
            self._parts.observer.visited(kept, self._name_of)
            self._heard(kept)

    def _name_of(self, job_id: int) -> str:
        return self._roster.admission(job_id).job.name

    async def _is_over(self) -> bool:
        """Whether no job has anything left that we may, or have the patience to, wait for. A job
        that is paused may be resumed: what it has left is waited for."""
        if self._stays:
            return False
        await self._roster.refresh()
        for job_id in self._roster.paused:
            if await self._has_work(job_id):
                return False
        for job_id in self._roster.running:
            if not await is_job_over(self._parts, self._roster.admission(job_id).job):
                return False
        return True

    async def _close_jobs(self) -> None:
        """Write down which jobs are done, while others may go on for days."""
        while self._roster.is_open and self._source is None:
            await self._parts.clock.sleep(self._parts.policies.feed.look)
            for job_id in self._roster.running:
                await conclude_if_done(self._parts, self._roster.admission(job_id).job)

    async def _has_work(self, job_id: int) -> bool:
        return (await self._parts.jobs.counts(job_id)).unfinished > 0


async def _nothing() -> int:
    return 0


async def is_job_over(parts: CrawlParts, job: Job) -> bool:
    """Whether it has nothing left that we may, or have the patience to, wait for."""
    counts = await parts.jobs.counts(job.id)
    if counts.of(State.LEASED):
        return False
    moments = [await parts.frontier.next_revisit([job.id])]
    if counts.of(State.PENDING) and not is_full(job, counts):
        moments.append(await parts.frontier.next_ready([job.id]))
        if parts.renders:
            moments.append(await parts.frontier.next_for_browser([job.id]))
    first = min((at for at in moments if at is not None), default=None)
    if first is not None and first <= parts.clock.now() + await _patience(parts, job):
        return False
    return not (counts.deferred and await parts.frontier.recall_deferred(job.id))


async def _patience(parts: CrawlParts, job: Job) -> float:
    feed = parts.policies.feed
    if feed.patience_at_first >= feed.patience:
        return feed.patience
    is_reachable = await parts.hosts.is_reachable(job.id)
    return feed.patience if is_reachable else feed.patience_at_first


async def offer_seeds(parts: CrawlParts, admission: Admission) -> Admitted | Busy:
    """Propose the job's seeds; those refused come back with their reasons."""
    counts = await parts.jobs.counts(admission.job.id)
    if counts.unfinished >= parts.policies.feed.frontier_limit:
        return Busy(parts.clock.now() + _BUSY_SECONDS, counts.unfinished)
    offer = admission.offer_seeds(admission.job.spec)
    for start in range(0, len(offer.found), _AT_ONCE):
        await parts.frontier.add(admission.job.id, offer.found[start : start + _AT_ONCE])
    return offer


async def revisit(parts: CrawlParts, job: Job) -> int:
    """Let the job visit again what it has visited; how many URLs that is (FE-4)."""
    gone_before = parts.clock.now() - parts.policies.freshness.gone
    return await parts.frontier.revisit(job.id, gone_before)


async def conclude(parts: CrawlParts, job: Job) -> JobState:
    """Write down how the job stands now that we have ended; while others go on, it goes on."""
    await parts.frontier.reclaim()
    counts = await parts.jobs.counts(job.id)
    if counts.of(State.LEASED):
        return JobState.RUNNING
    again = await parts.frontier.next_revisit([job.id])
    is_due = again is not None and again <= parts.clock.now()
    is_done = (not counts.unfinished or is_full(job, counts)) and not is_due
    state = JobState.DONE if is_done else JobState.STOPPED
    await parts.jobs.set_state(job.id, state)
    return state


async def conclude_if_done(parts: CrawlParts, job: Job) -> bool:
    """Write down that the job is done, if it is. One that is to visit pages again never is."""
    counts = await parts.jobs.counts(job.id)
    is_done = not counts.unfinished or (is_full(job, counts) and not counts.of(State.LEASED))
    if is_done and counts.deferred and await parts.frontier.recall_deferred(job.id):
        return False
    if is_done and await parts.frontier.next_revisit([job.id]) is not None:
        return False
    if is_done:
        await parts.jobs.set_state(job.id, JobState.DONE)
        now = await parts.jobs.counts(job.id)
        is_more = now.known > counts.known or now.unfinished > counts.unfinished
        if is_more or await parts.frontier.next_revisit([job.id]) is not None:
            # Seeds, a push or a scheduled run came in between: who did that counts on it to run.
            await parts.jobs.set_state(job.id, JobState.RUNNING)
            return False
    return is_done


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The exception that brought the group down; the rest fell with it."""
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
