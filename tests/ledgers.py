"""Which ledgers is a port's contract tried on, and how do tests fill one?

A ledger has as many workers as a test wants, each with its own connection and its own lock,
as separate processes would have; time stands still until the test says so.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from msgspec.structs import replace

from tenax.adapters.local.reading_note import ReadingNote
from tenax.adapters.sql.engine.sqlite import Database
from tenax.adapters.sql.engine.transactions import Transactions
from tenax.adapters.sql.frontier.frontier import SqlFrontier
from tenax.adapters.sql.records.dead_letters import SqlDeadLetters
from tenax.adapters.sql.records.hosts import SqlHostBook, SqlRobotsStore
from tenax.adapters.sql.records.jobs import SqlJobs
from tenax.adapters.sql.records.pages import SqlPages
from tenax.adapters.sql.records.rules import SqlRules
from tenax.adapters.sql.records.workers import Membership
from tenax.adapters.sql.reports.audit import SqlAuditor
from tenax.crawl.policy import LeasePolicy
from tenax.hosts.conduct import HostPolicies
from tenax.hosts.pace import PacePolicy
from tenax.jobs.revisit_policy import Recrawling
from tenax.model import (
    Assignment,
    Host,
    HostRules,
    JobSpec,
    JobState,
    LeasedTarget,
    Page,
    Reason,
    State,
    Target,
    UnderWay,
)
from tenax.outcome import Attempt, End, Kept, Later, Next, Settlement
from tenax.ports import (
    Added,
    Auditor,
    Committed,
    DeadLetters,
    Frontier,
    HostBook,
    JobAdded,
    Jobs,
    Pages,
    Place,
    Refill,
    RobotsStore,
    Rules,
    ShapeBook,
    Ticket,
)
from tenax.urls.normalise import (
    IdentityRules,
    host_of,
    normalise,
    origin_of,
    resolve,
    url_hash,
    url_key,
)
from tenax.urls.sites import Sites

START = 1_790_000_000.0
POLITE = PacePolicy(delay=1.0, margin=0.0)
UNPACED = PacePolicy(delay=0.0, slots_unpaced=8)
LEASES = LeasePolicy(seconds=300.0)


@dataclass
class HandClock:
    """Time that passes only when a test lets it."""

    time: float = START

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.time += max(seconds, 0.0)


class AuditedFrontier:
    """The frontier under test; after every call the ledger must be whole (FR-10)."""

    def __init__(self, inner: Frontier, auditor: Auditor) -> None:
        self.inner = inner
        self._auditor = auditor

    async def add(self, job_id: int, targets: Sequence[Target]) -> Added:
        added = await self.inner.add(job_id, targets)
        await self._check()
        return added

    async def push(
        self, job_id: int, targets: Sequence[Target], fetched_before: float = math.inf
    ) -> Added:
        added = await self.inner.push(job_id, targets, fetched_before)
        await self._check()
        return added

    async def create_job(
        self, name: str, spec: JobSpec, state: JobState, targets: Sequence[Target]
    ) -> JobAdded | None:
        made = await self.inner.create_job(name, spec, state, targets)
        await self._check()
        return made

    async def change_job(
        self, job_id: int, spec: JobSpec, targets: Sequence[Target]
    ) -> JobAdded | None:
        changed = await self.inner.change_job(job_id, spec, targets)
        await self._check()
        return changed

    async def objections(self, job_id: int, targets: Sequence[Target]) -> list[Reason | None]:
        return await self.inner.objections(job_id, targets)

    async def claim(self, jobs: Sequence[int], hosts: int = 10) -> list[Assignment]:
        claimed = await self.inner.claim(jobs, hosts)
        await self._check()
        return claimed

    async def claim_for_browser(self, jobs: Sequence[int], hosts: int = 10) -> list[Assignment]:
        claimed = await self.inner.claim_for_browser(jobs, hosts)
        await self._check()
        return claimed

    async def next_for_browser(self, jobs: Sequence[int]) -> float | None:
        return await self.inner.next_for_browser(jobs)

    async def offer(self, jobs: Sequence[int], hosts: int = 10) -> list[Ticket]:
        offered = await self.inner.offer(jobs, hosts)
        await self._check()
        return offered

    async def adopt(self, tickets: Sequence[Ticket], jobs: Sequence[int]) -> list[Assignment]:
        adopted = await self.inner.adopt(tickets, jobs)
        await self._check()
        return adopted

    async def withdraw(self, assignment_ids: Sequence[int]) -> int:
        withdrawn = await self.inner.withdraw(assignment_ids)
        await self._check()
        return withdrawn

    def expect(self, workers: int) -> None:
        self.inner.expect(workers)

    async def refill(self, assignment: Assignment, want: int, using: int) -> Refill:
        refill = await self.inner.refill(assignment, want, using)
        await self._check()
        return refill

    async def join(self, assignment: Assignment, address: str) -> Host | None:
        joined = await self.inner.join(assignment, address)
        await self._check()
        return joined

    async def commit(
        self, settlements: Sequence[Settlement], released: Sequence[int] = ()
    ) -> Committed:
        committed = await self.inner.commit(settlements, released)
        await self._check()
        return committed

    async def line_up(self, target: Target) -> Place:
        place = await self.inner.line_up(target)
        await self._check()
        return place

    async def call(
        self, place: Place, job_id: int | None, target: Target
    ) -> Assignment | Reason | None:
        called = await self.inner.call(place, job_id, target)
        await self._check()
        return called

    async def step_out(self, place: Place, host: Host | None = None) -> None:
        await self.inner.step_out(place, host)
        await self._check()

    async def renew(self) -> dict[int, float]:
        held = await self.inner.renew()
        await self._check()
        return held

    async def show(self, under_way: UnderWay) -> None:
        await self.inner.show(under_way)
        await self._check()

    async def reclaim(self) -> int:
        returned = await self.inner.reclaim()
        await self._check()
        return returned

    async def shapes(self, job_id: int, host_id: int, after: int = 0) -> ShapeBook:
        return await self.inner.shapes(job_id, host_id, after)

    async def recall_deferred(self, job_id: int) -> int:
        recalled = await self.inner.recall_deferred(job_id)
        await self._check()
        return recalled

    async def named_by(self, target_id: int) -> str | None:
        return await self.inner.named_by(target_id)

    async def deferred(self, job_id: int, limit: int) -> list[tuple[str, str]]:
        return await self.inner.deferred(job_id, limit)

    async def visit_deferred(self, job_id: int, host: str = "") -> int:
        again = await self.inner.visit_deferred(job_id, host)
        await self._check()
        return again

    async def next_ready(self, jobs: Sequence[int]) -> float | None:
        return await self.inner.next_ready(jobs)

    async def revisit(self, job_id: int, gone_before: float = START) -> int:
        again = await self.inner.revisit(job_id, gone_before)
        await self._check()
        return again

    async def revive(self, jobs: Sequence[int]) -> int:
        again = await self.inner.revive(jobs)
        await self._check()
        return again

    async def next_revisit(self, jobs: Sequence[int]) -> float | None:
        return await self.inner.next_revisit(jobs)

    async def _check(self) -> None:
        assert await self._auditor.audit() == []


@dataclass
class Worker:
    """One process's view of the ledger, and the way to make it die."""

    frontier: AuditedFrontier
    membership: Membership
    database: Transactions
    note: ReadingNote

    def die(self) -> None:
        """As a kill does it: the lock falls, nothing is written."""
        self.membership.let_go()


@dataclass
class Ledger:
    """An empty ledger, the ports on it, and workers on demand."""

    folder: Path
    open: Callable[[], Awaitable[Transactions]]
    """Connect to it once more, as another process does."""
    database: Transactions
    clock: HandClock
    jobs: Jobs
    pages: Pages
    hosts: HostBook
    robots: RobotsStore
    auditor: Auditor
    dead: DeadLetters
    rules: Rules
    stack: AsyncExitStack
    workers: list[Worker] = field(default_factory=list)

    async def worker(
        self,
        pace: PacePolicy = POLITE,
        leases: LeasePolicy = LEASES,
        recrawling: Recrawling | None = None,
        kernel: str = "",
        sites: Sites | None = None,
    ) -> Worker:
        database = await self.open()
        self.stack.push_async_callback(database.close)
        note = ReadingNote()
        membership = Membership(
            database, self.clock, self.folder / "workers", leases.silence, kernel, note
        )
        self.stack.callback(membership.let_go)
        policies = HostPolicies(pace=pace)
        frontier = SqlFrontier(
            database, self.clock, policies, leases, membership, recrawling, sites=sites
        )
        made = Worker(AuditedFrontier(frontier, self.auditor), membership, database, note)
        self.workers.append(made)
        return made

    async def sql(self, text: str, **values: Any) -> list[tuple[Any, ...]]:
        """Look at the tables, or damage them, past all ports."""

        def work(connection: sa.Connection) -> list[tuple[Any, ...]]:
            result = connection.execute(sa.text(text), values)
            return [tuple(row) for row in result] if result.returns_rows else []

        return await self.database.write(work)

    async def job(self, name: str = "job", **limits: int | None) -> int:
        return (await self.jobs.save(name, JobSpec(**limits))).id  # type: ignore[arg-type]  # ints

    async def state(self, url: str, job: str = "job") -> State:
        """Where a URL is; it must be in the job exactly once."""
        wanted = target(url)
        (record,) = [
            r for r in await self.pages.targets(wanted.identity, wanted.host) if r.job == job
        ]
        return record.state


@asynccontextmanager
async def sqlite(folder: Path) -> AsyncIterator[Ledger]:
    async with ledger_on(folder, lambda: Database.open(folder / "ledger.db")) as made:
        yield made


@asynccontextmanager
async def postgresql(folder: Path) -> AsyncIterator[Ledger]:
    from tests.postgres import Lent, empty_ledger

    url = await empty_ledger()
    async with ledger_on(folder, lambda: Lent.open(url)) as made:
        yield made


@asynccontextmanager
async def ledger_on(
    folder: Path, open: Callable[[], Awaitable[Transactions]]
) -> AsyncIterator[Ledger]:
    clock = HandClock()
    async with AsyncExitStack() as stack:
        database = await open()
        stack.push_async_callback(database.close)
        yield Ledger(
            folder=folder,
            open=open,
            database=database,
            clock=clock,
            jobs=SqlJobs(database, clock),
            pages=SqlPages(database),
            hosts=SqlHostBook(database, clock, HostPolicies(pace=POLITE), LEASES),
            robots=SqlRobotsStore(database),
            auditor=SqlAuditor(database),
            dead=SqlDeadLetters(database, clock, HostPolicies(pace=POLITE), LEASES),
            rules=SqlRules(database),
            stack=stack,
        )


# A new adapter is one line here, and the contract tests run on it too.
LEDGERS = {
    "sqlite": sqlite,
    "postgresql": postgresql,
}

_RULES = IdentityRules(())


def target(url: str, *, priority: int = 5, depth: int = 1, found_on: int | None = None) -> Target:
    href = resolve(url)
    assert href is not None
    identity = normalise(href, _RULES)
    return Target(
        href, identity, url_key(identity), host_of(href), origin_of(href), depth, priority, found_on
    )


def page(url: str, body: bytes = b"<p>hello</p>", at: float = START) -> Page:
    return Page(url, 200, "text/html", body, at, title="hello", digest=b"d" * 32, words=1)


def settlement(
    assignment: Assignment,
    leased: LeasedTarget,
    then: Next | None = None,
    *,
    stored: bool = False,
    found: Sequence[Target] = (),
    rejected: dict[Reason, int] | None = None,
    host: Host | None = None,
) -> Settlement:
    """What a visit to a leased target changes; finished as read unless said otherwise."""
    href = resolve(leased.url)
    assert href is not None
    learned = host or assignment.host
    then = then or End(State.DONE, "read")
    is_left = leased.copy is not None and not stored and isinstance(then, End)
    return Settlement(
        target_id=leased.id,
        job_id=leased.job_id,
        assignment_id=assignment.id,
        next=then,
        attempt=Attempt(START, "read", 200),
        page=page(leased.url) if stored else None,
        url_hash=bytes.fromhex(url_hash(normalise(href, _RULES))),
        found=tuple(found),
        rejected=rejected or {},
        host=replace(learned, visits=learned.visits + 1),
        renews=leased.copy is not None,
        kept=Kept.STALE if is_left else None,
        stale="test" if is_left else "",
    )


def settlements(
    assignment: Assignment, then: Next | None = None, *, stored: bool = False
) -> list[Settlement]:
    return [settlement(assignment, leased, then, stored=stored) for leased in assignment.targets]


async def get_to_know(ledger: Ledger, worker: Worker, job_id: int, host: str) -> None:
    """Visit a host once: before that only a single target is handed out."""
    await worker.frontier.add(job_id, [target(f"https://{host}/known", priority=1)])
    assignments = await worker.frontier.claim([job_id])
    (assignment,) = [a for a in assignments if a.host.name == host]
    await worker.frontier.commit(settlements(assignment), [assignment.id])


async def teach(
    worker: Worker, job_id: int, rules: HostRules, host: str = "a.example"
) -> Committed:
    """Visit a host, and learn this there."""
    frontier = worker.frontier
    await frontier.add(job_id, [target(f"https://{host}/teaches")])
    (assignment,) = [a for a in await frontier.claim([job_id]) if a.host.name == host]
    again = settlement(assignment, assignment.targets[0], Later(START, counts=False))
    return await frontier.commit([replace(again, learned=rules)], [assignment.id])


def urls(assignment: Assignment | Refill) -> list[str]:
    return [leased.url for leased in assignment.targets]
