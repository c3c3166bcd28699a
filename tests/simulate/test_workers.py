"""Many processes on one ledger, each stopped, killed, suspended or restarted at any moment, under
clocks that are set: nothing is lost, doubled or impolite, and the audit is silent (FR-2, FR-4)."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.policy import FeedPolicy, LeasePolicy
from tenax.hosts.pace import PacePolicy
from tenax.model import JobState, Response, ScopeKind, State
from tenax.settings import Settings
from tenax.testing import page, robots, scratch, start_job, status, throttled
from tests.simulate.sites import assert_whole
from tests.simulate.world import Asked, Process, World, by_host

LEASE = 8.0
CONFIG = Settings(
    contact="mailto:test@example.org",
    pace=PacePolicy(delay=1.0),
    lease=LeasePolicy(seconds=LEASE, horizon=6.0),
    feed=FeedPolicy(poll=0.1, poll_most=1.0, heartbeat=2.0),
)
DELAYS = {"a.example": 1.0, "b.example": 1.0, "slow.example": 3.0, "touchy.example": 1.0}
PAGES = {"a.example": 12, "b.example": 8, "slow.example": 5, "touchy.example": 6}
BLACKOUT = 20.0
"""How long touchy.example wants to be left alone, once, at its fourth page."""
ENOUGH = 150.0

numbers = st.integers(0, 3)
moments = st.sampled_from([0.1, 0.5, 1.0, 2.5, 6.0])
absences = st.sampled_from([1.0, LEASE / 2, LEASE + 1, 3 * LEASE])
rounds = st.integers(0, 12)
steps_of_the_clock = st.sampled_from([-86_400.0, -60.0, -2.0, 2.0, 60.0, 86_400.0])


def urls_of(host: str) -> list[str]:
    return [f"https://{host}/", *(f"https://{host}/{n}" for n in range(1, PAGES[host]))]


URLS = [url for host in PAGES for url in urls_of(host)]


class Servers:
    """The sites, all of which name one another; one complains, once."""

    def __init__(self, ledger: Path) -> None:
        self.complaint: Asked | None = None
        self.trespasses: list[Asked] = []
        """Requests to the one that wants to be left alone, by those who could know it."""
        self._ledger = ledger

    def answer(self, asked: Asked) -> Response:
        url = asked.url
        if url == "https://slow.example/robots.txt":
            return robots(f"User-agent: *\nCrawl-delay: {DELAYS['slow.example']:.0f}")
        if url not in URLS:
            return status(404)
        host = url.split("/")[2]
        if host == "touchy.example" and self._is_trespassing(asked):
            self.trespasses.append(asked)
        if url == "https://touchy.example/3" and self.complaint is None:
            self.complaint = asked
            return throttled(retry_after=BLACKOUT)
        links = [*urls_of(host), *(f"https://{other}/" for other in PAGES)]
        return page(f"page {url}", *links if url.count("/") == 3 else links[:1])

    def _is_trespassing(self, asked: Asked) -> bool:
        """What was told to a process that was stopped or killed at once, nobody else can know."""
        told = self.complaint
        if told is None or asked.at >= told.at + BLACKOUT:
            return False
        written = "SELECT 1 FROM attempts WHERE outcome = 'throttled'"
        with closing(sqlite3.connect(self._ledger)) as ledger:
            return asked.by == told.by or ledger.execute(written).fetchone() is not None


class Workers(RuleBasedStateMachine):
    @initialize(is_paced=st.booleans())
    def open(self, is_paced: bool) -> None:
        self.folder = scratch()
        self.is_paced = is_paced
        self.servers = Servers(Path(self.folder.name) / "ledger.db")
        config = CONFIG if is_paced else replace(CONFIG, pace=PacePolicy(delay=0.0))
        self.world = World(Path(self.folder.name), config, answers=self.servers.answer)
        self.world.call(self.plant)
        self.disruptions = 0
        for _ in range(2):
            self.world.start()

    async def plant(self, app: Crawler) -> None:
        await start_job(app, "https://a.example/", name="all", scope=ScopeKind.ANY)
        await start_job(app, "https://b.example/", name="one", scope=ScopeKind.HOST)

    @property
    def living(self) -> list[Process]:
        return [each for each in self.world.processes if not each.is_over]

    def pick(self, number: int) -> Process | None:
        return self.living[number % len(self.living)] if self.living else None

    def after(self, number: int, rounds: int) -> Process | None:
        """A process, so many steps into whatever it does now."""
        process = self.pick(number)
        if process is not None and process.is_awake:
            self.world.until_next(process)
            process.step(rounds + 1)
        return process

    @rule(seconds=moments)
    def time_passes(self, seconds: float) -> None:
        self.world.run(seconds)

    @precondition(lambda self: len(self.living) < 4)
    @rule()
    def another_process_starts(self) -> None:
        self.world.start()

    @precondition(lambda self: self.living)
    @rule(number=numbers, seconds=moments, rounds=rounds)
    def a_process_is_stopped(self, number: int, seconds: float, rounds: int) -> None:
        self.world.run(seconds)
        if process := self.after(number, rounds):
            process.is_stopped = True
        self.disrupted()

    @precondition(lambda self: any(each.is_stopped for each in self.living))
    @rule(number=numbers, after=absences)
    def a_stopped_process_goes_on(self, number: int, after: float) -> None:
        self.world.run(after)
        stopped = [each for each in self.living if each.is_stopped]
        stopped[number % len(stopped)].is_stopped = False

    @precondition(lambda self: self.living)
    @rule(number=numbers, seconds=moments, rounds=rounds, is_replaced=st.booleans())
    def a_process_is_killed(
        self, number: int, seconds: float, rounds: int, is_replaced: bool
    ) -> None:
        self.world.run(seconds)
        if process := self.after(number, rounds):
            process.kill()
        if is_replaced:
            self.world.start()
        self.disrupted()

    @precondition(lambda self: self.living)
    @rule(number=numbers, seconds=moments)
    def a_process_is_told_to_end(self, number: int, seconds: float) -> None:
        self.world.run(seconds)
        if process := self.pick(number):
            process.terminate()
        self.disrupted()

    @precondition(lambda self: self.living)
    @rule(number=numbers, seconds=moments, times=st.integers(1, 3))
    def the_ledger_cannot_be_had_for_a_moment(
        self, number: int, seconds: float, times: int
    ) -> None:
        self.world.run(seconds)
        if process := self.pick(number):
            process.failing = times
        self.disrupted()

    @rule(seconds=absences)
    def the_machine_is_suspended(self, seconds: float) -> None:
        self.world.suspend(seconds)
        self.disrupted()

    @rule(step=steps_of_the_clock, seconds=moments, are_ended=st.booleans())
    def the_clock_is_set(self, step: float, seconds: float, are_ended: bool) -> None:
        """While everybody works on, or by somebody who ends them all and starts anew."""
        self.world.run(seconds)
        for process in self.living if are_ended else ():
            process.kill()
        self.world.wall += step
        self.world.start()
        self.disrupted()

    @rule(name=st.sampled_from(["all", "one"]),
          state=st.sampled_from([JobState.PAUSED, JobState.STOPPED, JobState.RUNNING]))  # fmt: skip
    def a_job_is_paused_or_stopped_or_resumed(self, name: str, state: JobState) -> None:
        async def change(app: Crawler) -> None:
            job = await app.parts.jobs.get(name)
            assert job is not None
            if (await app.parts.jobs.counts(job.id)).unfinished:
                await app.parts.jobs.set_state(job.id, state)

        self.world.call(change)
        self.disrupted()

    def disrupted(self) -> None:
        self.disruptions += 1

    @invariant()
    def nobody_is_hurried(self) -> None:
        for host, asked in by_host(self.world.asked).items():
            for one, next in pairwise(asked):
                gap = next.at - one.at
                if host == "slow.example" and one.url.endswith("/robots.txt"):
                    continue  # its wish is not known before this is answered
                wanted = DELAYS[host] if self.is_paced or host == "slow.example" else 0.0
                assert gap >= wanted - 1e-6, (
                    f"{next.by} asked for {next.url} {gap:.3f} s after {one.by} for {one.url}"
                )

    @invariant()
    def who_wants_to_be_left_alone_is(self) -> None:
        assert not (self.is_paced and self.servers.trespasses)

    @invariant()
    def nobody_fails(self) -> None:
        for process in self.world.processes:
            assert process.error() is None, process.error()

    def teardown(self) -> None:
        try:
            self.finish()
        finally:
            self.world.close()
            self.folder.cleanup()

    def finish(self) -> None:
        """Whatever happened, whoever is left brings it to its end."""
        for process in self.living:
            process.is_stopped = False
            process.failing = 0
        for _ in range(5):
            # Some were told to end while they were stopped, and do so now.
            self.staff()
            self.world.call(self.resume)
            if self.world.run_until(self.is_done, ENOUGH):
                break
        self.nobody_is_hurried()
        self.who_wants_to_be_left_alone_is()
        self.nobody_fails()
        self.world.call(self.check)

    def staff(self) -> None:
        """Let there be whoever it takes."""
        if not self.living:
            self.world.start()

    async def resume(self, app: Crawler) -> None:
        for job in await app.parts.jobs.all():
            if (await app.parts.jobs.counts(job.id)).unfinished:
                await app.parts.jobs.set_state(job.id, JobState.RUNNING)

    def is_done(self) -> bool:
        unfinished = "SELECT id FROM targets WHERE state IN ('pending', 'leased') LIMIT 1"
        with closing(sqlite3.connect(self.world.folder / "ledger.db")) as ledger:
            return ledger.execute(unfinished).fetchone() is None

    async def check(self, app: Crawler) -> None:
        await assert_whole(app)
        stored = Counter(record.url for record in await app.ledger.pages.find(limit=1_000))
        expected = Counter(URLS) + Counter(urls_of("b.example"))
        assert stored == expected
        for job in await app.parts.jobs.all():
            assert set((await app.parts.jobs.counts(job.id)).states) == {State.DONE}
        asked = Counter(each.url for each in self.world.asked)
        for url, times in expected.items():
            again = 1 if url == "https://touchy.example/3" else 0
            assert asked[url] <= times + again + self.disruptions, f"{url}: {asked[url]} times"


Workers.TestCase.settings = settings(
    max_examples=10, stateful_step_count=15, suppress_health_check=list(HealthCheck)
)
test_nothing_is_lost_doubled_or_impolite = Workers.TestCase


@contextmanager
def at_work() -> Iterator[Workers]:
    """Two processes at the sites of above; what is true in the end is checked there."""
    workers = Workers()
    workers.open(is_paced=True)
    try:
        yield workers
    except BaseException:
        workers.world.close()
        workers.folder.cleanup()
        raise
    workers.teardown()


@pytest.mark.parametrize("rounds", range(0, 40, 5))
def test_a_process_stopped_at_any_step_for_longer_than_its_leases_harms_nobody(
    rounds: int,
) -> None:
    with at_work() as workers:
        workers.a_process_is_stopped(0, 2.5, rounds)
        workers.a_stopped_process_goes_on(0, LEASE + 1)
        workers.time_passes(6.0)


def test_what_a_host_told_one_whose_lease_ran_out_holds() -> None:
    """Its machine was suspended while the host's wish to be left alone was on its way."""
    with at_work() as workers:
        for _ in range(600):
            if workers.servers.complaint is not None:
                break
            workers.world.run(0.1)
        assert workers.servers.complaint is not None
        workers.the_machine_is_suspended(LEASE + 1)
        workers.time_passes(6.0)
        workers.who_wants_to_be_left_alone_is()


@pytest.mark.parametrize("step", [-86_400.0, 86_400.0])
def test_a_clock_set_between_two_crawls_ends_no_wait_and_adds_none(step: float) -> None:
    """A host wants to be left alone, everybody is killed, the clock is set, one starts anew."""
    with at_work() as workers:
        complained = workers.world.run_until(lambda: workers.servers.complaint is not None, 60)
        assert complained
        workers.the_clock_is_set(step, 2.5, are_ended=True)
        before = len(workers.world.asked)
        workers.time_passes(6.0)
        assert len(workers.world.asked) > before, "others need not wait"


def test_one_process_that_is_suspended_with_its_machine_goes_on_by_itself() -> None:
    with at_work() as workers:
        workers.a_process_is_killed(1, 0.5, 0, is_replaced=False)
        workers.the_machine_is_suspended(10 * LEASE)
        workers.time_passes(30.0)
        assert workers.is_done() or len(workers.world.asked) > 20
