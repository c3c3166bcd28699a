"""The reaper of browser processes: whatever is left of one when Tenax is gone is found and ended.

Also a program, `python watch.py FOLDER`, that waits for its standard input to end and then
sweeps. The pool holds the other end of that pipe, and the kernel closes it however Tenax ends.
It stands alone: nothing of the package is imported, so that it starts in a moment.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

FAREWELL = b"all closed"
"""Said on the pipe by a pool that has ended its browsers itself."""
_PATIENCE = 10.0
_LATE_STARTS = 1.0
"""Seconds in which a driver that had been told to start a browser may still do so."""
_STEP = 0.05


def members(folder: str) -> set[int]:
    """Every process that names something in the folder on its command line or environment.

    Chromium's helpers leave its process group and even its session, but all of them are given
    a profile or a HOME inside the folder.
    """
    mark = os.fsencode(folder) + b"/"
    named = _from_proc(mark) if os.path.isdir("/proc/self") else _from_ps(mark)
    return set(named) - {os.getpid()}


def memory(folder: str) -> int:
    """Bytes its processes hold. Program files, which they share, are not counted over and over."""
    return sum(_held(pid) for pid in members(folder))


def sweep(folder: str, patience: float = _PATIENCE) -> bool:
    """Kill every member and remove the folder; False when some would not go in time."""
    is_clean = _end(lambda: members(folder), patience)
    shutil.rmtree(folder, ignore_errors=True)
    return is_clean


def drivers(folder: str) -> set[int]:
    """The Playwright drivers that started the members."""
    return {parent for pid in members(folder) if _is_driver(parent := _parent(pid))}


def end_drivers(pids: set[int], patience: float = 0.0) -> None:
    """Kill those that have not ended by themselves in time."""
    deadline = time.monotonic() + patience
    while any(map(_is_driver, pids)) and time.monotonic() < deadline:
        time.sleep(_STEP)
    _end(lambda: {pid for pid in pids if _is_driver(pid)}, _PATIENCE)


def main(folder: str) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # meant for Tenax; we follow when it has gone
    is_orderly = sys.stdin.buffer.read() == FAREWELL
    started_by = drivers(folder)
    sweep(folder)
    if not is_orderly:
        until = time.monotonic() + _LATE_STARTS
        while time.monotonic() < until:
            time.sleep(_STEP)
            started_by |= drivers(folder)
            sweep(folder)
    # A driver ends when its pipe does, as ours did; unless it hangs.
    end_drivers(started_by, patience=3.0)


def _end(remaining: Callable[[], set[int]], patience: float) -> bool:
    deadline = time.monotonic() + patience
    while found := remaining():
        for pid in found:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > deadline:
            return False
        time.sleep(_STEP)
    return True


def _from_proc(mark: bytes) -> Iterator[int]:
    for name in os.listdir("/proc"):
        if name.isdigit() and (
            mark in _read(f"/proc/{name}/cmdline") or mark in _read(f"/proc/{name}/environ")
        ):
            yield int(name)


def _from_ps(mark: bytes) -> Iterator[int]:
    listed = subprocess.run(
        ["ps", "-axww", "-o", "pid=,command="], capture_output=True, check=False
    ).stdout
    for line in listed.splitlines():
        if mark in line:
            yield int(line.split(None, 1)[0])


def _held(pid: int) -> int:
    fields = dict(
        line.split(b":", 1) for line in _read(f"/proc/{pid}/status").splitlines() if b":" in line
    )
    kilobytes = (fields.get(name, b"0").split()[0] for name in (b"RssAnon", b"RssShmem"))
    return 1024 * sum(map(int, kilobytes))


def _parent(pid: int) -> int:
    # The name in parentheses may hold anything, also spaces and parentheses.
    after_name = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return int(after_name[1]) if len(after_name) > 1 else 0


def _is_driver(pid: int) -> bool:
    return b"\0run-driver" in _read(f"/proc/{pid}/cmdline")


def _read(path: str) -> bytes:
    """Empty when the process has gone, or is not ours to look at."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


if __name__ == "__main__":
    main(sys.argv[1])
