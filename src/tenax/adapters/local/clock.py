"""The clock: monotonic in a process, and one time for all at a ledger, whatever theirs show."""

from __future__ import annotations

import asyncio
import fcntl
import math
import os
import socket
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

# Counts through suspend where the system offers it, so that leases and delays stay true.
_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_NEVER_SET = 30 * 86_400.0
"""A clock that is this far behind was not set at all: its dates are worth less than the risk that
some host's delay ends early, once."""

_SLEWING = 0.1
"""The share of the time by which a clock that is ahead is put back."""

Reading = Callable[[], float]


# No function of ours: every visit asks for the time a dozen times and more.
_steady: Reading = partial(time.clock_gettime, _STEADY)


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
    """The time of all processes that open one ledger, whenever each of them started.

    Leases and delays pass from process to process as moments. Had a clock been set between the
    starts of two of them, one would find the other's leases run out while that one still works,
    or a host's delay over that has just begun. So the time that the first of them had goes on
    until the machine is booted: from then on nobody knows how much has passed.
    """

    def __init__(
        self,
        file: Path,
        wall: Reading = time.time,
        steady: Reading = _steady,
        boot: str | None = None,
    ) -> None:
        super().__init__(wall, steady)
        self._handle: int | None = None
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
            self._offset = _agreed(self._handle, self._offset, _boot() if boot is None else boot)
        except OSError:
            return  # whoever cannot write here holds no leases either, and is told so elsewhere

    def close(self) -> None:
        """Let go of the common time; while anybody holds it, it is not changed."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


class SteeredClock(SystemClock):
    """The time of a server that several machines ask: their own clocks may differ.

    Each answer says what the server's clock showed at some moment between question and answer. As
    long as our time agrees with that it is left alone; it is put forward at once, and put back
    slowly: it never runs backwards, and stands still for a tenth of the time at most.
    """

    def __init__(self, wall: Reading = time.time, steady: Reading = _steady) -> None:
        super().__init__(wall, steady)
        self._heard_at: float | None = None
        self._floor = -math.inf

    def now(self) -> float:
        return max(self._floor, super().now())

    def steady(self) -> float:
        """For `heed`: when the server was asked, and when it had answered."""
        return self._steady()

    def heed(self, shown: float, asked: float, answered: float) -> None:
        earliest, latest = shown - answered, shown - asked
        if self._heard_at is None:
            self._offset = (earliest + latest) / 2
        elif self._offset < earliest:
            self._offset = earliest
        elif self._offset > latest:
            self._floor = self.now()
            most = _SLEWING * (answered - self._heard_at)
            self._offset -= min(self._offset - latest, most)
        self._heard_at = answered


def _agreed(handle: int, mine: float, boot: str) -> float:
    """The offset in the file; mine when I am alone with it and it is of no use any more."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pass
    else:
        kept = _read(handle)
        if kept is None or kept[1] != boot or not boot or mine - kept[0] > _NEVER_SET:
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{mine:.6f} {boot}\n".encode(), 0)
    # Read only now: between two locks another one may have begun.
    fcntl.flock(handle, fcntl.LOCK_SH)
    kept = _read(handle)
    return mine if kept is None else kept[0]


def _read(handle: int) -> tuple[float, str] | None:
    """The offset and the boot it was counted in; None where nobody got as far as writing it."""
    offset, _, boot = os.pread(handle, 128, 0).decode("ascii", "replace").strip().partition(" ")
    try:
        return (float(offset), boot) if math.isfinite(float(offset)) else None
    except ValueError:
        return None


def kernel() -> str:
    """Short, and the same for all processes whose locks reach each other: until the next boot."""
    return _boot().replace("-", "")[:12] or f"{socket.gethostname()}"


def _boot() -> str:
    """What tells this boot from all others; empty where the system does not say."""
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return ""
