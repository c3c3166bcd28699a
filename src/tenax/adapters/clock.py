"""What time is it? One time for everybody at a ledger, protected against being set while we run."""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path

# Counts through suspend where the system offers it, so that leases and delays stay true.
_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

Reading = Callable[[], float]


def _steady() -> float:
    return time.clock_gettime(_STEADY)


class SystemClock:
    """Wall-clock time at the start plus steady time since: an adjusted clock moves nothing."""

    def __init__(self, wall: Reading = time.time, steady: Reading = _steady) -> None:
        self._steady = steady
        self._offset = wall() - steady()

    def now(self) -> float:
        return self._offset + self._steady()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class SharedClock(SystemClock):
    """The time of all processes that have one ledger open, whenever each of them started.

    Leases and delays pass from process to process as moments. Had a clock been set between the
    starts of two of them, one would find the other's leases run out while that one still works.
    """

    def __init__(self, file: Path, wall: Reading = time.time, steady: Reading = _steady) -> None:
        super().__init__(wall, steady)
        self._handle: int | None = None
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
            self._offset = _agreed(self._handle, self._offset)
        except OSError:
            return  # whoever cannot write here holds no leases either, and is told so elsewhere

    def close(self) -> None:
        """Let go of the common time; the last one to do so lets the next begin anew."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def _agreed(handle: int, mine: float) -> float:
    """The offset in the file while anybody holds it; mine when I am the first."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pass
    else:
        os.pwrite(handle, f"{mine:24.6f}\n".encode(), 0)
    # Read only now: between two locks another one may have begun.
    fcntl.flock(handle, fcntl.LOCK_SH)
    try:
        return float(os.pread(handle, 64, 0))
    except ValueError:  # nobody got as far as writing it
        return mine
