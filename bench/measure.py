"""What did a run cost? Time from start to end, CPU seconds and peak memory of a process tree."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

SAMPLE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Cost:
    started_at: float
    """Seconds since the epoch, just before the process was made."""
    wall: float
    cpu: float
    rss: int
    """Peak bytes, added over the processes of the tree."""
    rss_largest: int
    """Peak bytes of its largest process."""
    status: int
    timed_out: bool
    stdout: str
    stderr: str


def run(
    command: list[str],
    *,
    cores: list[int] | int | None,
    timeout: float,
    env: dict[str, str],
    interrupt: float | None = None,
) -> Cost:
    """Run to the end, or kill after `timeout` seconds; never raises for what the program does.

    After `interrupt` seconds it is sent Ctrl-C.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started_at, start = time.time(), time.perf_counter()
        # A session of its own, so that a timeout reaches the children it made too.
        process = subprocess.Popen(
            pinned(command, cores), stdout=out, stderr=err, env=env, start_new_session=True
        )
        memory = _Memory(process.pid)
        timers = [threading.Timer(timeout, memory.stop_tree)]
        if interrupt is not None:
            timers.append(threading.Timer(interrupt, process.send_signal, [signal.SIGINT]))
        for timer in timers:
            timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
        except BaseException:
            memory.stop_tree()
            process.wait()
            raise
        finally:
            for timer in timers:
                timer.cancel()
            peaks = memory.finish()
        return Cost(
            started_at=started_at,
            wall=wall,
            cpu=usage.ru_utime + usage.ru_stime,
            rss=sum(peaks),
            rss_largest=max(peaks, default=0),
            status=process.returncode,
            timed_out=memory.stopped,
            stdout=_text(out),
            stderr=_text(err),
        )


def pinned(command: list[str], cores: list[int] | int | None) -> list[str]:
    """The command bound to these cores, where the machine can do that and has several."""
    if cores is None or not shutil.which("taskset"):
        return command
    listed = [cores] if isinstance(cores, int) else cores
    return ["taskset", "-c", ",".join(map(str, listed)), *command]


class _Memory:
    """The high-water mark of each process of a tree.

    Read from /proc while they live: what wait4 tells starts at the size of the parent that forked.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.peaks: dict[int, int] = {}
        self.stopped = False
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def finish(self) -> list[int]:
        self._over.set()
        self._thread.join()
        return list(self.peaks.values())

    def stop_tree(self) -> None:
        """Kill the processes of this run, and no others: its tree and its session."""
        self.stopped = True
        for pid in _tree(self.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def _sample(self) -> None:
        while not self._over.wait(SAMPLE_SECONDS):
            for pid in _tree(self.pid):
                self.peaks[pid] = max(_peak_bytes(pid), self.peaks.get(pid, 0))


def _tree(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found += map(int, task.read_text().split())
    return found


def _peak_bytes(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")
