"""Is the process that we once started still running, and how is all of it ended?"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

_HAS_PROC = Path("/proc/self/stat").exists()

# Kept so that a server that ended can be reaped.
_children: list[subprocess.Popen[bytes]] = []


@atexit.register
def _leave_running() -> None:
    """They are to outlive us: without a word from us each would be reported as forgotten."""
    for child in _children:
        child.returncode = child.poll() or 0


def launch(
    command: Sequence[str], environment: dict[str, str], folder: Path, log: Path, *, user: int = 0
) -> tuple[int, str]:
    """Start a server that outlives this process; returns what `is_alive` needs to know it by. It is
    as nice as the process with the number `user`, as far as the system lets us."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            # A Ctrl-C meant for the tests is not meant for the server.
            start_new_session=True,
        )
    _children.append(process)
    # One process of a run may stand back, and what it was the first to ask for serves all others.
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PGRP, process.pid, os.getpriority(os.PRIO_PROCESS, user))
    return process.pid, _birth(process.pid)


def is_alive(pid: int, birth: str) -> bool:
    """Whether this very process runs: the system gives the numbers of ended ones to others."""
    _reap()
    return bool(birth) and _birth(pid) == birth


def end(pid: int, birth: str, *, how: signal.Signals, patience: float) -> None:
    """Ask a server to end; one that does not in `patience` seconds is killed."""
    if not is_alive(pid, birth):
        return
    os.kill(pid, how)
    until = time.monotonic() + patience
    while is_alive(pid, birth):
        if time.monotonic() > until:
            kill(pid, birth)
            return
        time.sleep(0.02)


def kill(pid: int, birth: str) -> None:
    """End a server and everything that it started, at once and unprepared."""
    if not is_alive(pid, birth):
        return
    # Those it started are listed first: afterwards nothing tells whose they were.
    family = [(one, _birth(one)) for one in [pid, *_descendants(pid)]]
    for member, _ in family:
        with contextlib.suppress(ProcessLookupError):
            os.kill(member, signal.SIGKILL)
    while any(is_alive(*member) for member in family):
        time.sleep(0.01)


def _reap() -> None:
    _children[:] = [child for child in _children if child.poll() is None]


def _birth(pid: int) -> str:
    """When a process began, in whatever words the system has; empty when it does not run."""
    if not _HAS_PROC:
        told = _ps("-o", "stat=,lstart=", "-p", str(pid)).split(maxsplit=1)
        return "" if len(told) < 2 or told[0].startswith("Z") else told[1].strip()
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" and not _has_threads(pid) else fields[19]


def _has_threads(pid: int) -> bool:
    """The first thread may be gone while others still hold the process's sockets open."""
    try:
        return len(os.listdir(f"/proc/{pid}/task")) > 1
    except OSError:
        return False


def _descendants(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for child, parent in _parents():
        children.setdefault(parent, []).append(child)
    found: list[int] = []
    queue = [pid]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found


def _parents() -> Iterator[tuple[int, int]]:
    if not _HAS_PROC:
        for line in _ps("-A", "-o", "pid=,ppid=").splitlines():
            child, parent = map(int, line.split())
            yield child, parent
        return
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            yield int(stat.parent.name), int(stat.read_text().rpartition(")")[2].split()[1])


def _ps(*asked: str) -> str:
    return subprocess.run(["ps", *asked], capture_output=True, text=True).stdout
