"""Child processes: started, told, watched and ended in one way, and none of them left behind.

A child lives as long as its standard input is open, and its parent holds the other end. The kernel
closes that when the parent dies, whatever killed it: so a child that listens ends by itself.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import NoReturn, TypeVar

import msgspec

from tenax.cli.terminal import options
from tenax.cli.terminal.leaving import run_and_leave
from tenax.cli.terminal.say import EXIT_INFRASTRUCTURE, fail
from tenax.ports import Unavailable

T = TypeVar("T")
_LINE = 1 << 24
"""Bytes of what is told or answered, at most: settings may name thousands of sites."""
_PATIENCE = 10.0
"""Seconds a child has to end in once it is let go."""


class Child:
    """A process of ours, as its parent sees it."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.pid = process.pid

    @classmethod
    async def start(
        cls, module: str, *, answers: bool = False, inherited: Sequence[int] = ()
    ) -> Child:
        """Run a module that calls `live`. With `answers`, what it prints is for us; `inherited`
        are files that it has open as we do."""
        # A session of its own: Ctrl-C in the terminal is the parent's business alone.
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", module, stdin=PIPE, stdout=PIPE if answers else None,
            start_new_session=True, pass_fds=inherited, limit=_LINE,
        )  # fmt: skip
        return cls(process)

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None

    async def tell(self, what: object) -> None:
        """Something that it reads by `understood`. One that is dead takes nothing: whoever watches
        it, or waits for its answer, hears of that."""
        stdin = self._process.stdin
        assert stdin is not None, "it was started with one"
        # Of a pipe that is closed already uvloop says so by an error of its own.
        if not stdin.is_closing():
            with suppress(ConnectionError):
                stdin.write(said(what))
                await stdin.drain()

    async def answer(self) -> bytes:
        """The next line that it printed; empty when it has ended."""
        assert self._process.stdout is not None, "started to answer"
        return await self._process.stdout.readline()

    def let_go(self) -> None:
        """Let it end in order, in its own time."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    def kill(self) -> None:
        if self.is_alive:
            self._process.kill()

    async def ended(self) -> int:
        """Wait for its end; its exit code, or the signal that killed it, negative."""
        return await self._process.wait()

    async def end(self) -> None:
        """Let it go, and see to it that it is gone."""
        self.let_go()
        try:
            await asyncio.wait_for(self.ended(), _PATIENCE)
        except TimeoutError:
            self.kill()
            await self.ended()


def said(what: object) -> bytes:
    """A line for a child. Settings may be endless, and JSON knows no such number."""
    return b64encode(msgspec.msgpack.encode(what)) + b"\n"


def understood(line: bytes, kind: type[T]) -> T:
    """What a child was told."""
    return msgspec.msgpack.decode(b64decode(line), type=kind)


def told_end(code: int) -> str:
    """How a child ended, to follow its name."""
    return f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"


class Parent:
    """Whoever started this process, as it sees it."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    async def told(self) -> bytes:
        """The next line; empty when it has let go of us, or is dead."""
        return await self._reader.readline()

    async def gone(self) -> None:
        """Until it lets go of us, or is dead."""
        while await self._reader.read(1024):
            pass

    def answer(self, what: object) -> None:
        """A line of JSON. One that is dead needs none: the next that it tells is nothing."""
        with suppress(BrokenPipeError):
            sys.stdout.buffer.write(msgspec.json.encode(what) + b"\n")
            sys.stdout.buffer.flush()


def live(life: Callable[[Parent], Awaitable[int]]) -> NoReturn:
    """The life of a child, to its exit code."""

    async def listen() -> int:
        reader = asyncio.StreamReader(limit=_LINE)
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
        )
        return await life(Parent(reader))

    def work() -> None:
        try:
            sys.exit(options.run(listen()))
        except Unavailable as error:
            sys.exit(fail(str(error), EXIT_INFRASTRUCTURE))

    run_and_leave(work)
