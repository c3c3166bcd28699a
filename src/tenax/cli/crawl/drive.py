"""How is a crawl driven from a terminal? Signals, processes, progress and the final summary."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from msgspec import Struct
from msgspec.structs import replace

from tenax.cli.crawl.crew import Crew, Recruits
from tenax.cli.crawl.progress import ProgressLine
from tenax.cli.crawl.seed_files import SeedFile, job_name, opened
from tenax.cli.crawl.seeds import Planting
from tenax.cli.crawl.summary import Summary, summarise, tell
from tenax.cli.terminal import options
from tenax.cli.terminal.interrupts import interruptible
from tenax.cli.terminal.restarts import Begun, go_on, hand_on
from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_INTERRUPTED,
    EXIT_MEMORY,
    EXIT_NOTHING,
    EXIT_WORK_LEFT,
    as_json,
    fail,
    note,
    plain,
    plural,
)
from tenax.compose.clients import misspelled
from tenax.compose.crawler import Crawler, open_crawler
from tenax.compose.health import telling_health, watching_alerts
from tenax.compose.queue import has_queue
from tenax.crawl.run import CrawlRun, conclude, revisit
from tenax.jobs.durations import tell_duration
from tenax.model import Job, JobState
from tenax.ops.jobs.bulk_seeds import Sown
from tenax.ops.jobs.change import create_or_change, has_work
from tenax.ops.jobs.create import JobInvalid, NewJob, whole_starts
from tenax.settings import Settings
from tenax.urls.normalise import host_of, resolve


class Drive(Struct, frozen=True):
    """One `tenax crawl` as the user asked for it."""

    settings: Settings
    """Its `job` has what to start from."""
    job: str | None
    quiet: bool
    as_json: bool
    again: bool = False
    files: tuple[str, ...] = ()
    """With more seeds; `-` is standard input."""
    deferred: bool = False
    """Visit also what was deferred (URL-6)."""
    max_time: float | None = None
    """Seconds after which it ends in order."""

    @property
    def is_silent(self) -> bool:
        return self.quiet or self.as_json


def drive(order: Drive) -> int:
    """Crawl, and say how it went; the exit code."""
    # Who goes on with what another began has all seeds in the ledger: a pipe has them no more.
    with opened(() if go_on() else order.files) as files:
        return options.run(_recruited(order, files))


async def _recruited(order: Drive, files: list[SeedFile]) -> int:
    async with Recruits(order.settings.processes - 1) as recruits:
        return await _drive(order, files, recruits)


async def _drive(order: Drive, files: list[SeedFile], recruits: Recruits) -> int:
    if has_queue(order.settings) and not order.is_silent:
        note("`queue` is for tenax worker: this crawl claims its work from the ledger.")
    async with open_crawler(order.settings) as crawler:
        planting = Planting(crawler.ledger, files, quiet=order.is_silent)
        spec = whole_starts(order.settings.job)
        name = _name(order, spec.starts)
        job = await crawler.ledger.jobs.get(name)
        if job is None and not order.files and not await _are_there(crawler, spec.starts):
            return EXIT_BAD_INPUT
        if job is None or not go_on():
            grounds = planting.grounds(spec, job, is_crawled=True)
            wanted = NewJob(name, spec, grounds=grounds)
            answer = await create_or_change(crawler.ledger.job_context, wanted)
            planting.tell(spec, answer)
            if isinstance(answer, JobInvalid):
                return EXIT_BAD_INPUT
            job = answer.job
            if not has_work(answer) and not files:
                await conclude(crawler.parts, job)
                return EXIT_BAD_INPUT
        begun = go_on() or Begun(crawler.parts.clock.now(), await crawler.parts.jobs.counts(job.id))
        shift = _Shift(order, crawler, job, planting, begun, recruits)
        async with interruptible(shift, crawler.ledger) as interruption:
            try:
                async with (
                    telling_health(crawler.ledger, None),
                    watching_alerts(crawler.ledger),
                    crawler.ledger.telling(note),
                ):
                    async with _stopping(shift, order.max_time, crawler, begun):
                        await shift.run()
                    # While somebody is there to tell that it is done.
                    await conclude(crawler.parts, job)
            except asyncio.CancelledError:
                if not interruption.count:
                    raise
        state = await conclude(crawler.parts, job)
        if crawler.ledger.care.is_full:
            return EXIT_MEMORY
        if not (await crawler.parts.jobs.counts(job.id)).known:
            return EXIT_BAD_INPUT
        seconds = crawler.parts.clock.now() - begun.at
        summary = await summarise(crawler.ledger, job, state, shift.begun.before, seconds)
        if order.as_json:
            as_json(plain(summary))
        else:
            await tell(crawler.ledger, job, summary, interrupted=shift.is_stopping)
        return _exit_code(summary, interruption.count > 0)


async def _are_there(crawler: Crawler, urls: tuple[str, ...]) -> bool:
    """Whether any of the hosts to start from exists: who mistypes a name learns it at once."""
    nobody, unsure, is_all = await misspelled(crawler.ledger, urls)
    for name in nobody:
        fail(f"{name}: there is no host of this name. Check the spelling.", EXIT_BAD_INPUT)
    if unsure:
        note(
            f"{', '.join(unsure[:3])} cannot be looked up now: is this machine's network up? The"
            " crawl waits for it; `tenax doctor` tells more."
        )
    return not is_all


def _name(order: Drive, starts: tuple[str, ...]) -> str:
    if order.job or (order.files and not starts):
        return order.job or job_name(order.files)
    # What is no web address is told by name when it is offered as a seed.
    start = resolve(starts[0]) or ""
    return host_of(start) if start.startswith(("http://", "https://")) else "crawl"


@asynccontextmanager
async def _stopping(
    shift: _Shift, max_time: float | None, crawler: Crawler, begun: Begun
) -> AsyncIterator[None]:
    """End the shift in order when its time is over, counted from its first process."""
    if max_time is None:
        yield
        return

    async def stop() -> None:
        await crawler.parts.clock.sleep(begun.at + max_time - crawler.parts.clock.now())
        note(f"\n--max-time {tell_duration(max_time)} is over: finishing what is under way.")
        shift.stop()

    timer = asyncio.create_task(stop())
    try:
        yield
    finally:
        timer.cancel()


class _Shift:
    """One crawl, from the seeds in its files to its end. Told to stop, it ends in order."""

    def __init__(
        self,
        order: Drive,
        crawler: Crawler,
        job: Job,
        planting: Planting,
        begun: Begun,
        recruits: Recruits,
    ) -> None:
        self.begun = begun
        """When its visits began, and the job's figures then."""
        self._order = order
        self._crawler = crawler
        self._job = job
        self._planting = planting
        self._recruits = recruits
        self._sowing: asyncio.Task[Sown] | None = None
        self._work: Crew | CrawlRun | None = None
        self.is_stopping = False

    def stop(self) -> None:
        self.is_stopping = True
        if self._sowing is not None:
            self._sowing.cancel()
        if self._work is not None:
            self._work.stop()

    async def run(self) -> None:
        sown = asyncio.sleep(0, Sown()) if go_on() else self._planting.sow(self._job)
        self._sowing = asyncio.create_task(sown)
        try:
            await self._planting.until_crawlable(self._sowing)
            if not self.is_stopping:
                await self._begin()
                self._sowing.add_done_callback(self._all_in)
                await self._crawl(self._sowing)
        finally:
            self._sowing.cancel()
            await asyncio.wait([self._sowing])
        if not self._sowing.cancelled():
            self._sowing.result()

    async def _begin(self) -> None:
        await self._crawler.parts.jobs.set_state(self._job.id, JobState.RUNNING)
        if self._order.again and not go_on():
            known = await revisit(self._crawler.parts, self._job)
            before = await self._crawler.parts.jobs.counts(self._job.id)
            self.begun = replace(self.begun, before=before)
            if not self._order.is_silent:
                note(f"Visiting {plural(known, 'URL')} of {self._job.name} again.")

        if self._order.deferred and not go_on():
            more = await self._crawler.parts.frontier.visit_deferred(self._job.id)
            if not self._order.is_silent:
                note(f"Visiting {plural(more, 'deferred URL')} of {self._job.name}.")

    def _all_in(self, sowing: asyncio.Task[Sown]) -> None:
        """From here on another process could go on with what is in the ledger."""
        if not sowing.cancelled() and sowing.exception() is None:
            hand_on(self.begun)

    async def _crawl(self, sowing: asyncio.Task[Sown]) -> None:
        async with ProgressLine.shown(self._crawler.ledger, self._job, quiet=self._order.is_silent):
            while not self.is_stopping and await self._is_wanted():
                all_in = sowing.done()
                self._work = self._workers()
                await self._work.run()
                if all_in:
                    return

    def _workers(self) -> Crew | CrawlRun:
        if self._order.settings.processes > 1:
            return Crew(self._crawler, self._job, recruits=self._recruits)
        return self._crawler.run(self._job)

    async def _is_wanted(self) -> bool:
        """False when somebody has stopped the job: seeds that still come wait for its start."""
        state = (await self._crawler.parts.jobs.states()).get(self._job.id)
        return state in (JobState.RUNNING, JobState.PAUSED)


def _exit_code(summary: Summary, interrupted: bool) -> int:
    if interrupted:
        return EXIT_INTERRUPTED
    if summary.state != JobState.DONE:
        return EXIT_WORK_LEFT
    return 0 if summary.pages else EXIT_NOTHING
