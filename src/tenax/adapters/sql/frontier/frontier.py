"""The frontier on a SQL ledger: claim, commit, heartbeat and reclaim, each call one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import sqlalchemy as sa
from msgspec.structs import replace
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine import codec, locks
from tenax.adapters.sql.engine.bulk import Lookup, Statement
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.frontier import adoption, claims, holding, places, shapes
from tenax.adapters.sql.frontier.commits import Commits
from tenax.adapters.sql.frontier.limits import objections
from tenax.adapters.sql.frontier.transaction import LedgerTransaction
from tenax.adapters.sql.records import jobs as job_rows
from tenax.adapters.sql.records.workers import Membership
from tenax.adapters.sql.recrawl import deferred, due_visits, pushed, requeue
from tenax.adapters.sql.schema.tables import assignments, jobs, lanes, targets
from tenax.crawl.event import Telling
from tenax.crawl.policy import LeasePolicy
from tenax.crawl.traps.judgement import TrapPolicy
from tenax.discover.gathered import ListingPolicy
from tenax.discover.guess_policy import GuessPolicy
from tenax.fetch.fetch_policy import SimilarPolicy
from tenax.hosts import conduct
from tenax.jobs.revisit_policy import Recrawling
from tenax.model import (
    Assignment,
    Host,
    Job,
    JobSpec,
    JobState,
    OutcomeWord,
    Reason,
    Target,
    UnderWay,
)
from tenax.outcome import Settlement
from tenax.ports import Added, Clock, Committed, JobAdded, Place, Refill, ShapeBook, Ticket
from tenax.urls.sites import Sites

T = TypeVar("T")
_MOST_MOVES = 100
_MOST_STEPS = 8
"""Transactions that one call may take to make due visits pending: others have to write, too."""
_held = Lookup(
    sa.select(assignments.c.id).join(lanes, lanes.c.host_id == assignments.c.host_id).limit(1),
    lanes.c.job_id,
)
_spec = Statement(
    ("job",), lambda _: sa.select(jobs.c.spec).where(jobs.c.id == sa.bindparam("job"))
)
# Of one job: of several at once, all their lanes would be looked through for it.
_earliest = Statement(
    ("job",),
    lambda _: sa.select(sa.func.min(lanes.c.ready_at)).where(
        lanes.c.job_id == sa.bindparam("job"), lanes.c.ready_at.is_not(None)
    ),
)


class SqlFrontier:
    def __init__(
        self,
        database: Transactions,
        clock: Clock,
        treatment: conduct.HostPolicies,
        leases: LeasePolicy,
        membership: Membership,
        recrawling: Recrawling | None = None,
        likeness: SimilarPolicy | None = None,
        telling: Telling | None = None,
        guessing: GuessPolicy | None = None,
        sites: Sites | None = None,
        traps: TrapPolicy | None = None,
        listings: ListingPolicy | None = None,
    ) -> None:
        self._sites = Sites() if sites is None else sites
        self._database = database
        self._clock = clock
        self._treatment = treatment
        self._leases = leases
        self._membership = membership
        self._recrawling = recrawling or Recrawling()
        self._likeness = likeness or SimilarPolicy()
        self._telling = telling
        self._guessing = guessing or GuessPolicy()
        self._traps = traps or TrapPolicy()
        self._listings = listings or ListingPolicy()
        self._jobs: frozenset[int] = frozenset()
        """What was last claimed for: what held hosts are refilled with."""
        self._handed_out = 0
        self._expected = 1

    def expect(self, workers: int) -> None:
        self._expected = workers

    async def add(self, job_id: int, targets: Sequence[Target]) -> Added:
        def work(tx: LedgerTransaction) -> Added:
            commits = Commits(tx, self._recrawling, listings=self._listings)
            if not commits.knows(job_id):
                return Added()  # the job was deleted while this was on its way
            added = commits.add(job_id, targets)
            tx.write_totals()
            return added

        return await self._transaction(work)

    async def push(self, job_id: int, targets: Sequence[Target], fetched_before: float) -> Added:
        told = await self._database.read(
            partial(pushed.recognise, job_id=job_id, pushed=targets, fetched_before=fetched_before)
        )
        added = Added()
        if told.ordinary:
            added = await self.add(job_id, told.ordinary)
        again, due = 0, list(told.due.items())
        for start in range(0, len(due), requeue.CHUNK):
            some = dict(due[start : start + requeue.CHUNK])
            again += await self._transaction(partial(pushed.make_due, job_id=job_id, due=some))
        over = tuple((target.url, Reason.JOB_LIMIT) for target in told.in_vain)
        return replace(added, again=again, over_limit=added.over_limit + over)

    async def create_job(
        self, name: str, spec: JobSpec, state: JobState, targets: Sequence[Target]
    ) -> JobAdded | None:
        def work(tx: LedgerTransaction) -> JobAdded | None:
            made = job_rows.insert(tx.connection, name, spec, state, tx.now)
            return None if made is None else self._with(tx, made, targets)

        return await self._transaction(work)

    async def change_job(
        self, job_id: int, spec: JobSpec, targets: Sequence[Target]
    ) -> JobAdded | None:
        def work(tx: LedgerTransaction) -> JobAdded | None:
            # Before it is read: somebody may be deleting it, or changing it as well.
            locks.lock_jobs(tx.connection, [job_id])
            before = job_rows.by_id(tx.connection, job_id)
            if before is None:
                return None
            whole = spec.added_to(before.spec)
            changed = job_rows.update(tx.connection, before, whole, tx.now)
            return self._with(tx, changed, targets)

        return await self._transaction(work)

    def _with(self, tx: LedgerTransaction, job: Job, targets: Sequence[Target]) -> JobAdded:
        added = Commits(tx, self._recrawling).add(job.id, targets)
        tx.write_totals()
        return JobAdded(job, added)

    async def objections(self, job_id: int, targets: Sequence[Target]) -> list[Reason | None]:
        def work(connection: Connection) -> list[Reason | None]:
            rows = _spec.run(connection, job_id)
            spec = codec.spec(rows[0][0]) if rows else JobSpec()
            return objections(connection, job_id, spec, self._sites, targets)

        return await self._database.read(work)

    async def claim(self, jobs: Sequence[int], hosts: int) -> list[Assignment]:
        self._jobs = frozenset(jobs)
        in_turn = self._in_turn(jobs)
        made = await self._as_member(lambda tx, me: claims.claim(tx, me, in_turn, hosts))
        self._handed_out += len(made)
        return made

    async def claim_for_browser(self, jobs: Sequence[int], hosts: int) -> list[Assignment]:
        now = self._clock.now()
        found = await self._openings_for_browser(jobs)
        ready = [each.host_id for each in found if each.at <= now and not each.is_held]
        if not ready:
            return []
        self._jobs |= frozenset(jobs)
        return await self._as_member(
            lambda tx, me: claims.claim_for_browser(tx, me, jobs, ready[:hosts])
        )

    async def next_for_browser(self, jobs: Sequence[int]) -> float | None:
        return min((each.at for each in await self._openings_for_browser(jobs)), default=None)

    async def _openings_for_browser(self, jobs: Sequence[int]) -> list[claims.BrowserWait]:
        def work(connection: Connection) -> list[claims.BrowserWait]:
            tx = LedgerTransaction(connection, self._treatment, self._leases, self._clock)
            return claims.openings_for_browser(tx, jobs)

        return await self._database.read(work)

    async def offer(self, jobs: Sequence[int], hosts: int) -> list[Ticket]:
        in_turn = self._in_turn(jobs)
        made = await self._as_member(
            lambda tx, me: adoption.offer(tx, me, claims.claim(tx, me, in_turn, hosts))
        )
        self._handed_out += len(made)
        return made

    async def adopt(self, tickets: Sequence[Ticket], jobs: Sequence[int]) -> list[Assignment]:
        self._jobs = frozenset(jobs)
        return await self._as_member(lambda tx, me: adoption.adopt(tx, me, tickets, jobs))

    async def withdraw(self, assignment_ids: Sequence[int]) -> int:
        worker_id = await self._membership.join()
        return await self._transaction(lambda tx: adoption.withdraw(tx, worker_id, assignment_ids))

    def _in_turn(self, jobs: Sequence[int]) -> list[int]:
        """Another job begins each time, or the first would have every host that becomes free."""
        first = self._handed_out % max(1, len(jobs))
        return [*jobs[first:], *jobs[:first]]

    async def refill(self, assignment: Assignment, want: int, using: int) -> Refill:
        def work(tx: LedgerTransaction) -> Refill:
            served = self._jobs.union(target.job_id for target in assignment.targets)
            return claims.refill(tx, assignment, sorted(served), want, using)

        return await self._transaction(work)

    async def join(self, assignment: Assignment, address: str) -> Host | None:
        return await self._transaction(lambda tx: claims.join(tx, assignment, address))

    async def commit(
        self, settlements: Sequence[Settlement], released: Sequence[int] = ()
    ) -> Committed:
        return await self._transaction(
            lambda tx: Commits(
                tx, self._recrawling, self._likeness, self._telling, self._guessing, self._listings
            ).commit(settlements, released)
        )

    async def line_up(self, target: Target) -> Place:
        (place,) = await self._as_member(lambda tx, me: [places.line_up(tx, me, target)])
        return place

    async def call(
        self, place: Place, job_id: int | None, target: Target
    ) -> Assignment | Reason | None:
        return await self._transaction(
            lambda tx: places.call(tx, place, job_id, target, self._recrawling)
        )

    async def step_out(self, place: Place, host: Host | None = None) -> None:
        await self._transaction(lambda tx: places.step_out(tx, place, host))

    async def renew(self) -> dict[int, float]:
        worker_id = await self._membership.join()

        def work(connection: Connection) -> dict[int, float]:
            self._membership.beat(connection)
            ours = sa.select(assignments.c.id).where(assignments.c.worker_id == worker_id)
            locks.lock_assignments(connection, connection.execute(ours).scalars())
            expires_at = self._clock.now() + self._leases.seconds
            extend = (
                sa.update(assignments)
                .where(assignments.c.worker_id == worker_id)
                .values(expires_at=expires_at)
                .returning(assignments.c.id)
            )
            return dict.fromkeys(connection.execute(extend).scalars().all(), expires_at)

        return await self._database.write(work)

    async def show(self, under_way: UnderWay) -> None:
        await self._membership.join()
        await self._database.write(partial(self._membership.show, under_way=under_way))

    async def reclaim(self) -> int:
        def work(tx: LedgerTransaction) -> tuple[int, list[str]]:
            dead = self._membership.bury(tx.connection)
            held = sa.select(assignments.c.id).where(assignments.c.worker_id.in_(list(dead)))
            ids = tx.connection.execute(held).scalars().all()
            returned = holding.release(tx, ids, vanished=True)
            self._membership.count(tx.connection, dead.values())
            tx.write_totals()
            return returned, list(dead.values())

        if not await self._database.read(self._membership.any_dead):
            return 0
        returned, names = await self._transaction(work)
        self._membership.clear(names)
        return returned

    async def shapes(self, job_id: int, host_id: int, after: int = 0) -> ShapeBook:
        return await self._database.read(
            partial(shapes.book, job_id=job_id, host_id=host_id, after=after)
        )

    async def recall_deferred(self, job_id: int) -> int:
        return await self._transaction(lambda tx: deferred.recall(tx, job_id, self._traps))

    async def deferred(self, job_id: int, limit: int) -> list[tuple[str, str]]:
        return await self._database.read(partial(deferred.some, job_id=job_id, limit=limit))

    async def visit_deferred(self, job_id: int, host: str = "") -> int:
        return await self._transaction(lambda tx: deferred.visit(tx, job_id, host))

    async def named_by(self, target_id: int) -> str | None:
        return await self._database.read(partial(deferred.named_by, target_id=target_id))

    async def moves(self, target_id: int) -> int:
        """By how the visits of those it was found on ended: few move, and fewer twice."""
        before = targets.alias()
        came_from = (
            sa.select(before.c.id, before.c.outcome)
            .join(targets, targets.c.found_on == before.c.id)
            .where(targets.c.id == sa.bindparam("target"))
        )

        def work(connection: Connection) -> int:
            here = target_id
            for count in range(_MOST_MOVES):
                row = connection.execute(came_from, {"target": here}).first()
                if row is None or row.outcome != OutcomeWord.MOVED:
                    return count
                here = row.id
            return _MOST_MOVES

        return await self._database.read(work)

    async def next_ready(self, jobs: Sequence[int]) -> float | None:
        def work(connection: Connection) -> float | None:
            if _held.run(connection, jobs):
                return self._clock.now()
            full = {id for id in jobs if requeue.is_full(connection, id)}
            others = _earliest.run_each(connection, [(id,) for id in jobs if id not in full])
            ready = [at for ((at,),) in others]
            ready += [requeue.next_renewal(connection, id) for id in full]
            return min((at for at in ready if at is not None), default=None)

        return await self._database.read(work)

    async def revisit(self, job_id: int, gone_before: float) -> int:
        wanted = await self._database.read(
            partial(requeue.begin, job_id=job_id, gone_before=gone_before)
        )
        again, after = 0, 0
        while ids := await self._database.read(
            partial(requeue.candidates, wanted=wanted, after=after)
        ):
            again += await self._transaction(partial(requeue.revisit, job_id=job_id, ids=ids))
            after = ids[-1]
        return again

    async def revive(self, jobs: Sequence[int]) -> int:
        again = 0
        for _ in range(_MOST_STEPS):
            now = self._clock.now()
            step = await self._database.read(
                partial(
                    due_visits.next_step,
                    job_ids=jobs,
                    now=now,
                    gone_before=now - self._recrawling.gone,
                )
            )
            if step is None:
                break
            again += await self._transaction(
                partial(due_visits.take, step=step, recrawling=self._recrawling)
            )
        return again

    async def next_revisit(self, jobs: Sequence[int]) -> float | None:
        now = self._clock.now()
        return await self._database.read(partial(due_visits.next_due, job_ids=jobs, now=now))

    async def _as_member(self, work: Callable[[LedgerTransaction, int], list[T]]) -> list[T]:
        """Take something for this worker; again, as a new one, if the others have struck it off."""
        me = await self._membership.join()

        def attempt(tx: LedgerTransaction) -> list[T] | None:
            return work(tx, me) if claims.knows(tx, me) else None

        taken = await self._transaction(attempt)
        if taken is None:
            me = await self._membership.rejoin()
            taken = await self._transaction(attempt)
        return taken or []

    async def _transaction(self, work: Callable[[LedgerTransaction], T]) -> T:
        def timed(connection: Connection) -> T:
            return work(
                LedgerTransaction(
                    connection,
                    self._treatment,
                    self._leases,
                    self._clock,
                    self._expected,
                    self._sites,
                )
            )

        return await self._database.write(timed)
