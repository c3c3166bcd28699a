"""Schedulers and workers on a queue, each stopped or killed between any two things they do, and the
queue losing all it has: nothing is lost, doubled or impolite (FR-2, FR-4, STORE-4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.fleet.handout import DispatchPolicy
from tenax.hosts.pace import PacePolicy
from tenax.ports import Ticket
from tenax.testing import scratch
from tests.queues import MemoryQueue
from tests.simulate.test_workers import CONFIG, Servers, Workers, moments
from tests.simulate.world import Process, Role, World

HANDING_OUT = DispatchPolicy(patience=4.0, again=1.0, alone=6.0, depth=8, poll=0.1, poll_most=0.5)


class Line:
    """One process's way to the queue: it may die before and behind every call."""

    def __init__(self, queue: MemoryQueue, process: Process) -> None:
        self._queue = queue
        self._process = process

    async def put(self, tickets: Sequence[Ticket], keep: float) -> None:
        await self._process.step_behind()
        await self._queue.put(tickets, keep)
        await self._process.step_behind()

    async def take(self, most: int) -> list[Ticket]:
        await self._process.step_behind()
        taken = await self._queue.take(most)
        await self._process.step_behind()
        return taken

    async def done(self, tickets: Sequence[Ticket]) -> None:
        await self._process.step_behind()
        await self._queue.done(tickets)
        await self._process.step_behind()

    async def size(self) -> int:
        await self._process.step_behind()
        return await self._queue.size()

    async def close(self) -> None:
        pass


class Fleet(Workers):
    @initialize(is_paced=st.booleans())
    def open(self, is_paced: bool) -> None:
        self.folder = scratch()
        self.is_paced = is_paced
        self.servers = Servers(Path(self.folder.name) / "ledger.db")
        config = replace(CONFIG, dispatch=HANDING_OUT)
        if not is_paced:
            config = replace(config, pace=PacePolicy(delay=0.0))
        self.world = World(Path(self.folder.name), config, answers=self.servers.answer)
        self.world.role = self.role
        self.queue = MemoryQueue(lambda: self.world.now, HANDING_OUT.again)
        self.world.call(self.plant)
        self.disruptions = 0
        for _ in range(3):
            self.world.start()

    def role(self, process: Process, app: Crawler) -> Role:
        line = Line(self.queue, process)
        if self.is_scheduler(process):
            return app.dispatch(line)
        return app.serve_jobs(source=app.queued(line))

    def is_scheduler(self, process: Process) -> bool:
        """The first, and every third after it."""
        return self.world.processes.index(process) % 3 == 0

    @precondition(lambda self: self.living)
    @rule(seconds=moments)
    def the_queue_loses_everything(self, seconds: float) -> None:
        self.world.run(seconds)
        self.queue.flush()
        self.disrupted()

    @rule(before=moments, seconds=st.sampled_from([0.5, 3.0, 10.0]))
    def the_queue_is_down_for_a_while(self, before: float, seconds: float) -> None:
        self.world.run(before)
        self.queue.is_down = True
        self.world.run(seconds)
        self.queue.is_down = False
        self.disrupted()

    @rule(seconds=moments)
    def every_ticket_comes_again(self, seconds: float) -> None:
        self.world.run(seconds)
        for ticket in self.queue.seen:
            self.queue.waiting[ticket] = self.world.now + HANDING_OUT.patience

    def staff(self) -> None:
        while {self.is_scheduler(each) for each in self.living} != {True, False}:
            self.world.start()


Fleet.TestCase.settings = settings(
    max_examples=10, stateful_step_count=15, suppress_health_check=list(HealthCheck)
)
test_nothing_is_lost_doubled_or_impolite = Fleet.TestCase


@contextmanager
def at_work() -> Iterator[Fleet]:
    """A scheduler and two workers; what is true in the end is checked there."""
    fleet = Fleet()
    fleet.open(is_paced=True)
    try:
        yield fleet
    except BaseException:
        fleet.world.close()
        fleet.folder.cleanup()
        raise
    fleet.teardown()


def test_the_work_goes_through_the_queue() -> None:
    with at_work() as fleet:
        fleet.time_passes(6.0)
        asked = {each.by for each in fleet.world.asked}
        assert asked == {"process 1", "process 2"} or asked == {"process 1"}, asked


@pytest.mark.parametrize("rounds", range(0, 40, 4))
@pytest.mark.parametrize("number", [0, 1])
def test_a_scheduler_or_worker_killed_at_any_step_loses_nothing(number: int, rounds: int) -> None:
    with at_work() as fleet:
        fleet.a_process_is_killed(number, 2.5, rounds, is_replaced=False)
        fleet.time_passes(6.0)


@pytest.mark.parametrize("rounds", range(0, 40, 8))
def test_a_scheduler_stopped_for_longer_than_its_leases_harms_nobody(rounds: int) -> None:
    with at_work() as fleet:
        fleet.a_process_is_stopped(0, 2.5, rounds)
        fleet.a_stopped_process_goes_on(0, 20.0)
        fleet.time_passes(6.0)


def test_tickets_that_come_again_and_again_are_harmless() -> None:
    with at_work() as fleet:
        for _ in range(30):
            fleet.every_ticket_comes_again(0.5)
        assert len(fleet.queue.seen) > 10


def test_what_the_queue_has_lost_is_offered_anew() -> None:
    with at_work() as fleet:
        for worker in fleet.world.processes[1:]:
            worker.is_stopped = True
        fleet.time_passes(1.0)
        assert fleet.queue.waiting
        fleet.queue.flush()
        for worker in fleet.world.processes[1:]:
            worker.is_stopped = False
        before = len(fleet.world.asked)
        fleet.time_passes(HANDING_OUT.patience + 3)
        assert len(fleet.world.asked) > before + 2, "its hosts are worked on again"


def test_what_is_adopted_is_not_withdrawn() -> None:
    """Assignments last longer than the scheduler's patience."""
    with at_work() as fleet:
        fleet.time_passes(3 * HANDING_OUT.patience)
        fleet.disruptions = 0  # nothing was asked for twice: see check()


def test_without_a_scheduler_workers_find_the_work_themselves() -> None:
    with at_work() as fleet:
        fleet.a_process_is_killed(0, 0.5, 0, is_replaced=False)
        before = len(fleet.world.asked)
        fleet.time_passes(30.0)
        assert len(fleet.world.asked) > before + 10


def test_a_queue_that_is_down_stops_nobody() -> None:
    with at_work() as fleet:
        fleet.queue.is_down = True
        fleet.time_passes(20.0)
        assert len(fleet.world.asked) > 20
        fleet.queue.is_down = False
