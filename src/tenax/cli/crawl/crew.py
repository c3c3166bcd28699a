"""How do several processes crawl? A parent that works like the rest and looks after them.

Every process claims from the same ledger; the parent also starts the others, tells them to stop,
and notices when one dies. What that one held the rest take back at once.
"""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec.structs import replace

from tenax.cli.terminal.children import Child, Parent, live, told_end, understood
from tenax.cli.terminal.logs import set_up_log
from tenax.cli.terminal.say import EXIT_MEMORY, fail, note
from tenax.cli.terminal.stalls import tell_what_is_left
from tenax.cli.terminal.supervisor import inherited
from tenax.compose.crawler import Crawler, open_crawler, preload
from tenax.compose.health import hear_tally, report_tally
from tenax.compose.queue import open_queue
from tenax.crawl.run import CrawlRun
from tenax.crawl.source import WorkSource
from tenax.model import Job
from tenax.ports import Unavailable
from tenax.settings import Settings

_LISTEN = 1.0
"""Seconds after which a member's figures are read again."""
_MOST_REPLACED = 50
"""Members that were killed, in all: where more are, something is wrong that new ones won't mend."""


class _CrewOrder(msgspec.Struct):
    """What a parent tells its children on their standard input."""

    settings: Settings
    job: str | None
    """None for all there are."""
    until_done: bool
    tally: str = ""
    """Where the child writes what it counts; empty where nobody asks."""


class Recruits:
    """Processes that load the program while their parent still opens the ledger, and then wait
    for an order. Whoever gets none ends."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._waiting: list[Child] = []

    async def __aenter__(self) -> Recruits:
        for _ in range(self._count):
            self._waiting.append(await _start())
        return self

    async def __aexit__(self, *_: object) -> None:
        for member in self._waiting:
            member.let_go()
        await asyncio.gather(*[member.ended() for member in self._waiting])

    async def next(self) -> Child:
        """One that waits, or a new one."""
        return self._waiting.pop() if self._waiting else await _start()


class Crew:
    def __init__(
        self,
        crawler: Crawler,
        job: Job | None,
        *,
        until_done: bool = True,
        source: WorkSource | None = None,
        recruits: Recruits | None = None,
    ) -> None:
        """For this job, or for all; then `until_done` says whether to wait for more of them, and
        `source` where the parent gets its work from."""
        self._crawler = crawler
        self._recruits = recruits or Recruits(0)
        self._order = _CrewOrder(crawler.ledger.settings, job.name if job else None, until_done)
        self._own = (
            crawler.run(job) if job else crawler.serve_jobs(until_done=until_done, source=source)
        )
        self._members: list[Child] = []
        self._replaced = 0
        self._tallies: TemporaryDirectory[str] | None = None
        self._is_over = False

    def stop(self) -> None:
        self._own.stop()
        self._let_all_go()

    def _let_all_go(self) -> None:
        self._is_over = True
        for member in self._members:
            member.let_go()

    async def run(self) -> None:
        """Until every process has ended. Raises what ended us: it is the others' ledger too."""
        watching: list[asyncio.Task[None]] = []
        ledger = self._crawler.ledger
        if ledger.settings.health.port:
            self._tallies = TemporaryDirectory(prefix="tenax-tallies-")
        try:
            for _ in range(self._crawler.ledger.settings.processes - 1):
                watching.append(asyncio.create_task(self._watch(await self._next_member())))
            self._expect_all()
            try:
                await self._own.run()
                # With nothing left to do here there is nothing left for them.
                self._let_all_go()
            except Unavailable:
                # We still hold what we were given: waiting for us, the others would never end.
                self.stop()
                await asyncio.gather(*watching)
                raise
            await asyncio.gather(*watching)
        except BaseException:
            for member in self._members:
                member.kill()
            raise
        finally:
            for task in watching:
                task.cancel()
            await asyncio.gather(*watching, return_exceptions=True)
            if self._tallies is not None:
                self._tallies.cleanup()
        await self._crawler.parts.frontier.reclaim()

    def _expect_all(self) -> None:
        """Those that still start get their share too, or we would hold all there is by then."""
        at_work = sum(member.is_alive for member in self._members)
        self._crawler.parts.frontier.expect(1 + at_work)

    async def _next_member(self) -> Child:
        member = await self._recruits.next()
        self._members.append(member)
        await member.tell(replace(self._order, tally=self._tally_of(member)))
        if self._is_over:
            member.let_go()  # it ended while this one was on its way
        return member

    def _tally_of(self, member: Child) -> str:
        return "" if self._tallies is None else str(Path(self._tallies.name) / str(member.pid))

    async def _heard_out(self, member: Child) -> int:
        """Its exit code; until then it is asked what it counts."""
        if self._tallies is None:
            return await member.ended()
        ending = asyncio.create_task(member.ended())
        while True:
            is_over = bool((await asyncio.wait((ending,), timeout=_LISTEN))[0])
            hear_tally(self._crawler.ledger, member.pid, self._tally_of(member))
            if is_over:
                return ending.result()

    async def _watch(self, member: Child) -> None:
        """Until it ends, and whoever takes the place of one that was killed."""
        code = await self._heard_out(member)
        self._expect_all()
        # It was the last to hold something, or there is more for us.
        self._own.look_again()
        if not code:
            return
        told = f"Worker process {member.pid} {told_end(code)}"
        note(f"\n{told}; the others go on with its work.")
        is_wanted = -code not in (signal.SIGTERM, signal.SIGINT) and not self._is_over
        # One that ends for want of memory has done all it had: a new one has as much again.
        if (code < 0 or code == EXIT_MEMORY) and is_wanted and self._replaced < _MOST_REPLACED:
            self._replaced += 1
            new = await self._next_member()
            self._expect_all()
            await self._watch(new)


async def _start() -> Child:
    return await Child.start("tenax.cli.crawl.crew", inherited=inherited())


async def _member(parent: Parent) -> int:
    """The life of one worker process: it ends with its work, or when its parent lets go."""
    preload()
    if not (line := await parent.told()):
        return 0
    order = understood(line, _CrewOrder)
    set_up_log(order.settings.log)
    async with AsyncExitStack() as stack:
        crawler = await stack.enter_async_context(open_crawler(order.settings, create=False))
        if order.job is None:
            queue = await stack.enter_async_context(open_queue(order.settings, crawler.parts.clock))
            run = crawler.serve_jobs(until_done=order.until_done, source=crawler.queued(queue))
        else:
            job = await crawler.parts.jobs.get(order.job)
            if job is None:
                return fail(f"job {order.job!r} is not in the ledger", 2)
            run = crawler.run(job)
        beside = [asyncio.create_task(_end_with(parent, run, crawler))]
        if order.tally:
            beside.append(asyncio.create_task(report_tally(crawler.ledger, order.tally)))
        try:
            await run.run()
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
        return EXIT_MEMORY if crawler.ledger.care.is_full else 0


async def _end_with(parent: Parent, run: CrawlRun, crawler: Crawler) -> None:
    await parent.gone()
    run.stop()
    crawler.ledger.hasten()
    await tell_what_is_left(crawler.ledger, f"Worker process {os.getpid()}: ")


if __name__ == "__main__":
    live(_member)
