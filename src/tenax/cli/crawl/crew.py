"""How do several processes crawl? A parent that works like the rest and looks after them.

Every process claims from the same ledger; the parent also starts the others, tells them to stop,
and notices when one dies. What that one held the rest take back at once.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import AsyncExitStack, suppress

import msgspec

from tenax.cli.terminal import options
from tenax.cli.terminal.leaving import run_and_leave
from tenax.cli.terminal.say import EXIT_INFRASTRUCTURE, fail, note
from tenax.cli.terminal.supervisor import inherited
from tenax.compose import App, open_app, preload
from tenax.compose.queue import open_queue
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
        self._waiting: list[Process] = []

    async def __aenter__(self) -> Recruits:
        for _ in range(self._count):
            self._waiting.append(await _start())
        return self

    async def __aexit__(self, *_: object) -> None:
        for member in self._waiting:
            _let_go(member)
        await asyncio.gather(*[member.wait() for member in self._waiting])

    async def next(self) -> Process:
        """One that waits, or a new one."""
        return self._waiting.pop() if self._waiting else await _start()


class Crew:
    def __init__(
        self,
        app: App,
        job: Job | None,
        *,
        until_done: bool = True,
        source: WorkSource | None = None,
        recruits: Recruits | None = None,
    ) -> None:
        """For this job, or for all; then `until_done` says whether to wait for more of them, and
        `source` where the parent gets its work from."""
        self._app = app
        self._recruits = recruits or Recruits(0)
        self._order = _CrewOrder(app.settings, job.name if job else None, until_done)
        self._own = app.run(job) if job else app.serve_jobs(until_done=until_done, source=source)
        self._members: list[Process] = []
        self._replaced = 0
        self._is_over = False

    def stop(self) -> None:
        self._own.stop()
        self._let_all_go()

    def _let_all_go(self) -> None:
        self._is_over = True
        for member in self._members:
            _let_go(member)

    async def run(self) -> None:
        """Until every process has ended. Raises what ended us: it is the others' ledger too."""
        watching: list[asyncio.Task[None]] = []
        try:
            for _ in range(self._app.settings.processes - 1):
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
                if member.returncode is None:
                    member.kill()
            raise
        finally:
            for task in watching:
                task.cancel()
            await asyncio.gather(*watching, return_exceptions=True)
        await self._app.parts.frontier.reclaim()

    def _expect_all(self) -> None:
        """Those that still start get their share too, or we would hold all there is by then."""
        at_work = sum(member.returncode is None for member in self._members)
        self._app.parts.frontier.expect(1 + at_work)

    async def _next_member(self) -> Process:
        member = await self._recruits.next()
        self._members.append(member)
        await _tell(member, msgspec.json.encode(self._order) + b"\n")
        if self._is_over:
            _let_go(member)  # it ended while this one was on its way
        return member

    async def _watch(self, member: Process) -> None:
        """Until it ends, and whoever takes the place of one that was killed."""
        code = await member.wait()
        self._expect_all()
        # It was the last to hold something, or there is more for us.
        self._own.look_again()
        if not code:
            return
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        note(f"\nWorker process {member.pid} {how}; the others go on with its work.")
        if code < 0 and not self._is_over and self._replaced < _MOST_REPLACED:
            self._replaced += 1
            new = await self._next_member()
            self._expect_all()
            await self._watch(new)


async def _start() -> Process:
    # A session of its own: Ctrl-C in the terminal is the parent's business alone.
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tenax.cli.crawl.crew", stdin=PIPE, start_new_session=True,
        pass_fds=inherited(),
    )  # fmt: skip


async def _tell(member: Process, order: bytes) -> None:
    assert member.stdin is not None
    # One that has died already is noticed by whoever watches it.
    if not member.stdin.is_closing():
        with suppress(ConnectionError):
            member.stdin.write(order)
            await member.stdin.drain()


def _let_go(member: Process) -> None:
    if member.stdin is not None:
        member.stdin.close()


async def _member() -> int:
    """The life of one worker process: it ends with its work, or when its parent lets go."""
    reader = await _standard_input()
    preload()
    if not (line := await reader.readline()):
        return 0
    order = msgspec.json.decode(line, type=_CrewOrder)
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(open_app(order.settings, create=False))
        if order.job is None:
            queue = await stack.enter_async_context(open_queue(order.settings, app.parts.clock))
            run = app.serve_jobs(until_done=order.until_done, source=app.queued(queue))
        else:
            job = await app.parts.jobs.get(order.job)
            if job is None:
                return fail(f"job {order.job!r} is not in the ledger", 2)
            run = app.run(job)
        parent = asyncio.create_task(_until_closed(reader))
        parent.add_done_callback(lambda _: run.stop())
        parent.add_done_callback(lambda _: app.hasten())
        await run.run()
        parent.cancel()
    return 0


async def _until_closed(reader: asyncio.StreamReader) -> None:
    while await reader.read(1024):
        pass


async def _standard_input() -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    return reader


def _work() -> None:
    try:
        sys.exit(options.run(_member()))
    except Unavailable as error:
        sys.exit(fail(str(error), EXIT_INFRASTRUCTURE))


if __name__ == "__main__":
    run_and_leave(_work)
