"""A body read by a process of its own, with limits of time and memory that the kernel keeps.

For pages that have killed whoever read them: a fault in any C library then ends that process and
nothing else. It costs a third of a second, so only those are read like this (decision 0029).
"""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
from msgspec.structs import replace

from tenax.discover.gathered import ListingPolicy
from tenax.discover.listings import read_listing
from tenax.fetch.fetch_policy import PagePolicy, ReadingPolicy
from tenax.fetch.listings import as_page
from tenax.fetch.reading import Died, Reading, examine
from tenax.model import Headers, Page, Response
from tenax.page import native
from tenax.page.verdict.pattern_table import load, shipped
from tenax.page.verdict.validate import PageVerdict

_NOTHING = msgspec.msgpack.encode(None)
OVER_MEMORY = 65
"""How a process ends that took more memory than it may."""
_FROM_OUTSIDE = (-signal.SIGKILL, -signal.SIGTERM)
"""How nobody ends by reading: an operator, or a machine that is out of memory, did that."""
_STARTING = 60.0
"""Seconds that a process may take on a busy machine until it reads, or after the kernel was to
end it."""


class _LoneTask(msgspec.Struct, frozen=True):
    """What the process is told on its standard input."""

    limits: ReadingPolicy
    page: PagePolicy
    signatures: str
    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes | None
    fetched_at: float
    token: str
    products: bool
    listing: ListingPolicy | None
    now: float
    parser: str


class _LoneAnswer(msgspec.Struct, frozen=True):
    """What it says on its standard output."""

    page: msgspec.Raw = msgspec.Raw(_NOTHING)
    verdict: PageVerdict | None = None


class ChildReader:
    """Starts the processes, one at a time: those who need one are few."""

    def __init__(
        self, limits: ReadingPolicy, signatures: str = "", page: PagePolicy | None = None
    ) -> None:
        """`signatures` is the file of the user's own, where there is one."""
        self._limits = limits
        self._page = page or PagePolicy()
        self._signatures = signatures
        self._turn = asyncio.Lock()

    async def read(self, reading: Reading) -> Page | PageVerdict | Died | None:
        async with self._turn:
            code, said = await self._run(told := self._told(reading))
            if code in _FROM_OUTSIDE:
                code, said = await self._run(told)
        if code:
            return Died(how_it_ended(code, self._limits.seconds, self._limits.memory))
        answer = msgspec.msgpack.decode(said, type=_LoneAnswer)
        if bytes(answer.page) == _NOTHING:
            return answer.verdict
        # What we sent need not come back.
        body = None if reading.listing is not None else reading.response.body
        return replace(_page(answer.page), body=body)

    def _told(self, reading: Reading) -> bytes:
        response = reading.response
        task = _LoneTask(
            limits=self._limits,
            page=self._page,
            signatures=self._signatures,
            url=response.url,
            status=response.status,
            headers=response.headers.pairs,
            body=response.body,
            fetched_at=reading.fetched_at,
            token=reading.token,
            products=reading.products,
            listing=reading.listing,
            now=reading.now,
            parser=reading.parser,
        )
        return msgspec.msgpack.encode(task)

    async def _run(self, task: bytes) -> tuple[int, bytes]:
        """Its exit code and what it said."""
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tenax.adapters.local.read_alone", stdin=PIPE, stdout=PIPE,
            start_new_session=True,
        )  # fmt: skip
        try:
            async with asyncio.timeout(self._limits.seconds + _STARTING):
                said, _ = await child.communicate(task)
        except TimeoutError:
            return -signal.SIGALRM, b""
        finally:
            await _end(child)
        return child.returncode or 0, said


def how_it_ended(code: int, seconds: float, memory: int) -> str:
    """A process that read a page alone, and may take so much."""
    if code == OVER_MEMORY:
        return f"it took more than {memory:,} bytes of memory"
    if code == -signal.SIGALRM:
        return f"it took more than {seconds:g} s"
    if code < 0:
        return f"{signal.Signals(-code).name}, read alone"
    return f"the process that read it alone ended with code {code}"


def keep_within(seconds: float, memory: int) -> None:
    """By the kernel: whoever hangs in C hears nothing else."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


async def _end(child: Process) -> None:
    with suppress(ProcessLookupError):
        if child.returncode is None:
            child.kill()
    await child.wait()


def _page(said: msgspec.Raw) -> Page:
    fields = msgspec.msgpack.decode(said, type=_page_fields())
    return Page(**{name: getattr(fields, name) for name in Page.__struct_fields__})


def _page_fields() -> type[Any]:
    """A page as msgspec can decode it: the noun knows its product's type only by name."""
    from tenax.model.product import Product

    hints = get_type_hints(Page, localns={"Product": Product})
    fields = [(name, hints[name]) for name in Page.__struct_fields__]
    return msgspec.defstruct("PageFields", fields)


def _read(task: _LoneTask) -> _LoneAnswer:
    response = Response(task.url, task.status, Headers(task.headers), task.body)
    signatures = load(Path(task.signatures)) if task.signatures else shipped()
    native.use(compiled=task.page.compiled, verify=task.page.verify)
    keep_within(task.limits.seconds, task.limits.memory)
    if task.listing is not None:
        kind = response.headers.get("content-type") or ""
        found = read_listing(response.body or b"", task.url, kind, task.listing, now=task.now)
        if found is None:
            return _LoneAnswer()
        return _LoneAnswer(_said(as_page(response, found, task.fetched_at)))
    reading = Reading(response, task.fetched_at, task.token, task.products, parser=task.parser)
    seen = examine(reading, signatures)
    return _LoneAnswer(verdict=seen) if isinstance(seen, PageVerdict) else _LoneAnswer(_said(seen))


def _said(page: Page) -> msgspec.Raw:
    return msgspec.Raw(msgspec.msgpack.encode(replace(page, body=None)))


def _work() -> None:
    try:
        task = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=_LoneTask)
    except msgspec.DecodeError:
        os._exit(0)  # whoever asked died while it did, and nobody waits for an answer
    # Whatever a site's parser prints is no part of the answer.
    answers = os.dup(1)
    os.dup2(2, 1)
    try:
        answer = msgspec.msgpack.encode(_read(task))
    except MemoryError:
        os._exit(OVER_MEMORY)
    with suppress(BrokenPipeError), open(answers, "wb") as out:  # nobody waits any more
        out.write(answer)
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    _work()
