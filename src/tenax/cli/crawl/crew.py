"""How do several processes crawl? A parent that works like the rest and looks after them.

Every process claims from the same ledger; the parent also starts the others, tells them to stop,
and notices when one dies. What that one held the rest take back at once.
"""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import AsyncExitStack

import msgspec

from tenax.cli.terminal.children import Child, Parent, live, told_end, understood
from tenax.cli.terminal.say import fail, note
from tenax.cli.terminal.stalls import tell_what_is_left
from tenax.cli.terminal.supervisor import inherited
from tenax.compose.crawler import Crawler, open_crawler, preload
from tenax.compose.queue import open_queue
from tenax.crawl.run import CrawlRun
from tenax.crawl.source import WorkSource
from tenax.model import Job
from tenax.ports import Unavailable
from tenax.settings import Settings

_MOST_REPLACED = 50
"""Members that were killed, in all: where more are, something is wrong that new ones won't mend."""


class _CrewOrder(msgspec.Struct):
    """What a parent tells its children on their standard input."""

    settings: Settings
    job: str | None
    """None for all there are."""
    until_done: bool


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
        await self._crawler.parts.frontier.reclaim()

    def _expect_all(self) -> None:
        """Those that still start get their share too, or we would hold all there is by then."""
        at_work = sum(member.is_alive for member in self._members)
        self._crawler.parts.frontier.expect(1 + at_work)

    async def _next_member(self) -> Child:
        member = await self._recruits.next()
        self._members.append(member)
        await member.tell(self._order)
        if self._is_over:
            member.let_go()  # it ended while this one was on its way
        return member

    async def _watch(self, member: Child) -> None:
        """Until it ends, and whoever takes the place of one that was killed."""
        code = await member.ended()
        self._expect_all()
        # It was the last to hold something, or there is more for us.
        self._own.look_again()
        if not code:
            return
        told = f"Worker process {member.pid} {told_end(code)}"
        note(f"\n{told}; the others go on with its work.")
        is_wanted = -code not in (signal.SIGTERM, signal.SIGINT) and not self._is_over
        if code < 0 and is_wanted and self._replaced < _MOST_REPLACED:
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
        ending = asyncio.create_task(_end_with(parent, run, crawler))
        try:
            await run.run()
        finally:
            ending.cancel()
    return 0


async def _end_with(parent: Parent, run: CrawlRun, crawler: Crawler) -> None:
    await parent.gone()
    run.stop()
    crawler.ledger.hasten()
    await tell_what_is_left(crawler.ledger, f"Worker process {os.getpid()}: ")


if __name__ == "__main__":
    live(_member)
