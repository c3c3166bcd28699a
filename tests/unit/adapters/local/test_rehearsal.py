"""Does a copy of this process die in its place, and nothing come of what survives there?"""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

import pytest

from tenax.adapters.local.rehearsal import ForkedRehearsal
from tenax.fetch.fetch_policy import ReadingPolicy
from tenax.fetch.reading import Died


def died(work: Callable[[], object], seconds: float = 20.0) -> Died | None:
    async def doing() -> object:
        await asyncio.sleep(0)
        return work()

    rehearsal = ForkedRehearsal(ReadingPolicy(seconds=0.3, memory=100_000_000))
    return asyncio.run(rehearsal.died(doing, seconds))


def test_what_survives_leaves_nothing_behind(capfd: pytest.CaptureFixture[str]) -> None:
    seen: list[int] = []

    def work() -> None:
        seen.append(os.getpid())
        print("said", flush=True)
        os.write(1, b"said")
        raise ValueError("it is told where it is done for good")

    assert died(work) is None
    assert seen == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("work", "how", "is_sure"),
    [
        (lambda: ctypes.string_at(0), "SIGSEGV, read alone", True),
        (os.abort, "SIGABRT, read alone", True),
        (lambda: os._exit(0), "the process that read it alone ended with code 0", True),
        (lambda: bytearray(1 << 40), "it took more than 100,000,000 bytes of memory", True),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "SIGKILL, read alone", False),
    ],
    ids=["crash", "abort", "exit", "memory", "killed"],
)
def test_it_dies_in_our_place(work: Callable[[], object], how: str, is_sure: bool) -> None:
    assert died(work) == Died(how, is_sure)


def test_what_takes_too_long_is_ended_and_proves_nothing() -> None:
    assert died(lambda: time.sleep(60), 0.0) == Died("it took more than 0.3 s", is_sure=False)


def test_it_ends_when_nobody_waits_any_more() -> None:
    async def forever() -> None:
        time.sleep(600)  # noqa: ASYNC251 - in C, where no task is heard

    async def impatient(work: Callable[[], Awaitable[object]]) -> None:
        async with asyncio.timeout(0.2):
            await ForkedRehearsal(ReadingPolicy()).died(work, 0.0)

    began = time.monotonic()
    with pytest.raises(TimeoutError):
        asyncio.run(impatient(forever))
    assert time.monotonic() - began < 30, "the end of the program waits for it, and not for long"


PROGRAM = """
import asyncio, os, signal, time
from tenax.adapters.local.rehearsal import ForkedRehearsal
from tenax.fetch.fetch_policy import ReadingPolicy

async def forever():
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(600)

asyncio.run(ForkedRehearsal(ReadingPolicy()).died(forever, 0.0))
"""


def test_it_dies_with_whoever_made_it() -> None:
    """Its locks would say that the dead one lives."""
    held, holds = os.pipe()
    made = subprocess.run([sys.executable, "-c", PROGRAM], pass_fds=[holds], timeout=60)
    os.close(holds)
    assert made.returncode == -signal.SIGKILL
    with os.fdopen(held, "rb") as file:
        assert file.read() == b"", "it ends when nobody is left who holds what it inherited"
