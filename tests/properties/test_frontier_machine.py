"""The frontier against a model: workers add, claim, settle, hang, die and come back, in any order.

After every step the audit is silent and the ledger says of each target what the model says.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

from tenax.adapters.sql.schema.tables import assignments, targets
from tenax.crawl.policy import LeasePolicy
from tenax.model import Assignment, LeasedTarget, State, Target
from tenax.outcome import End, Later
from tenax.testing import scratch
from tests.ledgers import (
    POLITE,
    START,
    UNPACED,
    Ledger,
    Worker,
    postgresql,
    settlement,
    sqlite,
    target,
    urls,
)

T = TypeVar("T")
LEASES = LeasePolicy(seconds=30.0, horizon=2.0, targets_per_slot=1)
URLS = [f"https://{host}.example/{n}" for host in "ab" for n in range(16)]
ENDS = (State.DONE, State.FAILED, State.BLOCKED, State.GONE)

some_urls = st.lists(st.sampled_from(URLS), min_size=1, max_size=6)
worker_numbers = st.integers(0, 2)
picks = st.integers(0, 1_000)
pauses = st.sampled_from([0.0, 0.0, 1.0, 3.0, 31.0])


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """Without threads nothing ever waits, so no event loop is needed."""
    try:
        work.send(None)
    except StopIteration as ended:
        return ended.value  # type: ignore[no-any-return]  # what the coroutine returned
    raise AssertionError("something waited")


def proposal(url: str) -> Target:
    """With a priority of its own, so that one that waits is often more urgent than the rest."""
    return target(url, priority=1 + int(url.rpartition("/")[2]) % 3)


@dataclass
class Known:
    """What the model says of one target."""

    state: State = State.PENDING
    due: float = 0.0
    attempts: int = 0
    lease: int | None = None
    pushed: float = 0.0


@dataclass
class Held:
    """An assignment as its holder sees it; the holder may be dead or late."""

    assignment: Assignment
    worker: Worker
    expires_at: float
    slots: int
    in_hand: list[LeasedTarget] = field(default_factory=list)


class FrontierMachine(RuleBasedStateMachine):
    def at_once(self, work: Coroutine[Any, Any, T]) -> T:
        return at_once(work)

    def empty_ledger(self, folder: Path) -> AbstractAsyncContextManager[Ledger]:
        return sqlite(folder)

    @initialize(is_paced=st.booleans())
    def open(self, is_paced: bool) -> None:
        self.folder = scratch()
        self.stack = AsyncExitStack()
        opened = self.stack.enter_async_context(self.empty_ledger(Path(self.folder.name)))
        self.ledger: Ledger = self.at_once(opened)
        self.pace = POLITE if is_paced else UNPACED
        self.job = self.at_once(self.ledger.job())
        self.workers = [self.hire() for _ in range(3)]
        self.dead: list[Worker] = []
        self.known: dict[str, Known] = {}
        self.live: dict[int, Held] = {}
        self.lost: list[Held] = []
        self.ids: set[int] = set()
        self.visit_every_host()

    def visit_every_host(self) -> None:
        """Hosts nobody knows give out one target at a time; most of the story is about others."""
        self.add(URLS[::2], 0)
        for assignment in self.at_once(self.workers[0].frontier.inner.claim([self.job], 10)):
            self.ids.add(assignment.id)
            done = [settlement(assignment, one) for one in assignment.targets]
            self.at_once(self.workers[0].frontier.inner.commit(done, [assignment.id]))
            self.known |= {url: Known(State.DONE) for url in urls(assignment)}

    def hire(self) -> Worker:
        return self.at_once(self.ledger.worker(self.pace, LEASES))

    @rule(proposals=some_urls, number=worker_numbers)
    def add(self, proposals: list[str], number: int) -> None:
        new = set(proposals) - self.known.keys()
        added = self.at_once(
            self.workers[number].frontier.inner.add(self.job, [proposal(url) for url in proposals])
        )
        assert (added.new, added.known) == (len(new), len(proposals) - len(new))
        self.known |= {url: Known() for url in new}

    @rule(proposals=some_urls, number=worker_numbers)
    def push(self, proposals: list[str], number: int) -> None:
        """What has ended is due again, also what failed; what is held, once its visit is over."""
        now, proposals = self.ledger.clock.time, list(dict.fromkeys(proposals))
        ended = [url for url in proposals if url in self.known and self.known[url].state in ENDS]
        held = [k for u in proposals if (k := self.known.get(u)) and k.state is State.LEASED]
        new = set(proposals) - self.known.keys()
        pushed = [proposal(url) for url in proposals]
        added = self.at_once(self.workers[number].frontier.inner.push(self.job, pushed, math.inf))
        assert (added.new, added.again) == (len(new), len(ended) + len(held))
        self.known |= {url: Known() for url in new} | {url: Known(due=now) for url in ended}
        for known in held:
            known.pushed = now

    @rule(number=worker_numbers, hosts=st.integers(1, 4), seconds=pauses)
    def claim(self, number: int, hosts: int, seconds: float) -> None:
        self.ledger.clock.time += seconds
        worker = self.workers[number]
        claimed = self.at_once(worker.frontier.inner.claim([self.job], hosts))
        self.notice_losses()
        for assignment in claimed:
            assert assignment.id not in self.ids
            self.ids.add(assignment.id)
            held = Held(assignment, worker, assignment.expires_at, assignment.slots)
            self.live[assignment.id] = held
            self.hand_out(held, list(assignment.targets))

    def hand_out(self, held: Held, leased: list[LeasedTarget]) -> None:
        for one in leased:
            known = self.known[one.url]
            assert known.state is State.PENDING, "handed out although not waiting"
            assert known.due <= self.ledger.clock.time, "handed out before it was due"
            assert known.attempts == one.attempts
            known.state, known.lease = State.LEASED, held.assignment.id
        held.in_hand += leased

    def notice_losses(self) -> None:
        """Assignments may only vanish when they expired or their holder is dead."""
        rows = self.at_once(self.ledger.workers[0].database.read(_assignment_ids))
        for id in self.live.keys() - rows:
            held = self.live.pop(id)
            expired = held.expires_at <= self.ledger.clock.time
            assert expired or held.worker in self.dead, "taken from a living holder"
            self.give_back(id)
            self.lost.append(held)

    def give_back(self, id: int) -> None:
        for known in self.known.values():
            if known.lease == id:
                known.state, known.lease = State.PENDING, None

    @precondition(lambda self: self.live)
    @rule(pick=picks, want=st.integers(1, 6), using=st.integers(1, 8))
    def refill(self, pick: int, want: int, using: int) -> None:
        held = self.one_of(list(self.live.values()), pick)
        if held.worker in self.dead or held.assignment.host.visits == 0 or self.pace is POLITE:
            return
        using = min(using, held.slots)
        refill = self.at_once(held.worker.frontier.inner.refill(held.assignment, want, using))
        assert refill.held
        held.slots = max(refill.slots, using)
        held.expires_at = self.ledger.clock.time + LEASES.seconds
        self.hand_out(held, list(refill.targets))

    @precondition(lambda self: self.live)
    @rule(pick=picks, ends=st.lists(st.integers(0, 5), max_size=4), found=some_urls,
          wait=st.sampled_from([0.0, 2.0, 4.0, 40.0]), releases=st.booleans())  # fmt: skip
    def commit(
        self, pick: int, ends: list[int], found: list[str], wait: float, releases: bool
    ) -> None:
        held = self.one_of(list(self.live.values()), pick)
        if held.worker in self.dead:
            return
        later = self.ledger.clock.time + wait
        settled = []
        for leased, end in zip(held.in_hand, ends, strict=False):
            known = self.known[leased.url]
            if end < len(ENDS):
                settled.append(settlement(held.assignment, leased, End(ENDS[end]), stored=end == 0))
                # Those of this story have all asked at its beginning.
                is_answered = known.pushed <= START
                self.known[leased.url] = (
                    Known(ENDS[end]) if is_answered else Known(due=known.pushed)
                )
            else:
                counts = end == len(ENDS)
                settled.append(settlement(held.assignment, leased, Later(later, counts=counts)))
                self.known[leased.url] = Known(due=later, attempts=known.attempts + counts)
        held.in_hand = held.in_hand[len(settled) :]
        new: set[str] = set()
        if settled:
            proposals = tuple(proposal(url) for url in found)
            settled[0] = replace(settled[0], found=proposals)
            new = set(found) - self.known.keys()
            self.known |= {url: Known() for url in new}
        released = [held.assignment.id] if releases else []
        committed = self.at_once(held.worker.frontier.inner.commit(settled, released))
        assert (committed.lost, committed.new) == (frozenset(), len(new))
        if releases:
            del self.live[held.assignment.id]
            self.give_back(held.assignment.id)

    @precondition(lambda self: self.lost)
    @rule(pick=picks)
    def commit_too_late(self, pick: int) -> None:
        held = self.one_of(self.lost, pick)
        late = [settlement(held.assignment, one, stored=True) for one in held.in_hand]
        committed = self.at_once(held.worker.frontier.inner.commit(late, [held.assignment.id]))
        assert committed.lost == {(one.id, held.assignment.id) for one in held.in_hand}
        assert committed.new == 0
        refill = self.at_once(held.worker.frontier.inner.refill(held.assignment, 3, 1))
        assert (refill.held, refill.targets) == (False, ())

    @rule(number=worker_numbers)
    def revisit(self, number: int) -> None:
        """What is finished is due again, once; what failed stays, and so does what is held."""
        finished = [k for k in self.known.values() if k.state in ENDS and k.state != State.FAILED]
        now = self.ledger.clock.time
        again = self.at_once(self.workers[number].frontier.inner.revisit(self.job, now))
        assert again == len(finished)
        for known in finished:
            known.state, known.due = State.PENDING, now

    @rule(number=worker_numbers, is_noticed=st.booleans())
    def die(self, number: int, is_noticed: bool) -> None:
        self.workers[number].die()
        self.dead.append(self.workers[number])
        self.workers[number] = self.hire()
        if is_noticed:
            self.reclaim(number)

    def reclaim(self, number: int) -> None:
        self.at_once(self.workers[number].frontier.inner.reclaim())
        self.notice_losses()
        assert not [held for held in self.live.values() if held.worker in self.dead]

    @rule(number=worker_numbers)
    def renew(self, number: int) -> None:
        self.at_once(self.workers[number].frontier.inner.renew())
        for held in self.live.values():
            if held.worker is self.workers[number]:
                held.expires_at = self.ledger.clock.time + LEASES.seconds

    @invariant()
    def the_ledger_says_what_the_model_says(self) -> None:
        if not hasattr(self, "known"):
            return
        assert self.at_once(self.ledger.auditor.audit()) == []
        rows = self.at_once(self.ledger.workers[0].database.read(_targets))
        assert rows == {
            url: (known.state.value, known.lease, known.due, known.attempts)
            for url, known in self.known.items()
        }

    @invariant()
    def no_host_has_more_holders_than_it_allows(self) -> None:
        if not hasattr(self, "live"):
            return
        for name in "ab":
            here = [h for h in self.live.values() if h.assignment.host.name == f"{name}.example"]
            if self.pace is POLITE:
                assert len(here) <= 1
            assert sum(held.slots for held in here) <= max(UNPACED.slots_unpaced, len(here))

    def teardown(self) -> None:
        """Nothing is lost: in the end one worker can bring every target home."""
        if not hasattr(self, "known"):
            return
        last = self.hire()
        for worker in self.workers:
            worker.die()
        for _ in range(200):
            self.ledger.clock.time += 100
            self.at_once(last.frontier.inner.reclaim())
            for assignment in self.at_once(last.frontier.inner.claim([self.job], 10)):
                done = [settlement(assignment, one) for one in assignment.targets]
                self.at_once(last.frontier.inner.commit(done, [assignment.id]))
                for url in urls(assignment):
                    self.known[url].state = State.DONE
            if not self.at_once(self.ledger.jobs.counts(self.job)).unfinished:
                break
        unfinished = self.at_once(self.ledger.jobs.counts(self.job)).unfinished
        self.at_once(last.membership.leave())
        self.at_once(self.stack.aclose())
        self.folder.cleanup()
        assert unfinished == 0

    @staticmethod
    def one_of(choices: list[Held], pick: int) -> Held:
        return choices[pick % len(choices)]


def _assignment_ids(connection: sa.Connection) -> set[int]:
    return set(connection.execute(sa.select(assignments.c.id)).scalars())


def _targets(connection: sa.Connection) -> dict[str, tuple[str, int | None, float, int]]:
    columns = (targets.c.state, targets.c.lease_id, targets.c.due_at, targets.c.attempts)
    hosts = {n: f"https://{name}.example" for n, name in _host_names(connection)}
    rows = connection.execute(sa.select(targets.c.host_id, targets.c.url, *columns))
    return {hosts[host_id] + path: tuple(rest) for host_id, path, *rest in rows}


def _host_names(connection: sa.Connection) -> list[tuple[int, str]]:
    rows = connection.exec_driver_sql("SELECT id, name FROM hosts")
    return [(id, name.removesuffix(".example")) for id, name in rows]


TestFrontier = FrontierMachine.TestCase
TestFrontier.settings = settings(
    max_examples=25, stateful_step_count=30, deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip


class PostgresMachine(FrontierMachine):
    """The same on a server, which answers when it does."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()

    def at_once(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def empty_ledger(self, folder: Path) -> AbstractAsyncContextManager[Ledger]:
        return postgresql(folder)

    def teardown(self) -> None:
        super().teardown()
        self.runner.close()


TestFrontierOnPostgres = PostgresMachine.TestCase
TestFrontierOnPostgres.settings = settings(
    max_examples=4, stateful_step_count=20, deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
