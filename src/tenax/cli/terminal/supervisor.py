"""A small parent process that starts the crawl again when a page has killed it (decision 0029).

It is forked before anything is loaded, so it costs a millisecond and ten megabytes. It watches what
each process is reading by the notes in their lock files, ends who reads one page for too long or
takes too much memory for it, and passes everything else through: signals, exit codes, the terminal.
Killed itself, it takes the crawl with it.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import struct
import sys
import time
from contextlib import suppress
from types import FrameType
from typing import NoReturn

EXIT_DIED = 7
"""The crawling process died again and again."""
TOLD = signal.SIGUSR1
"""How the supervisor passes an interrupt on: told by both, a crawl is interrupted once."""
_LINE = "_TENAX_SUPERVISOR"  # as in adapters/local/supervised.py, which is not loaded here
_HEAD = struct.Struct("<qqqH")  # as in adapters/local/reading_note.py
_CRASHES = frozenset({
    signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGABRT, signal.SIGFPE, signal.SIGSYS,
    signal.SIGTRAP, signal.SIGKILL,
})  # fmt: skip
_LOOK = 0.2
"""Seconds between two looks at the notes."""
_PARTING = 5.0
"""Seconds that processes get to end in order when the one that started them is gone."""
_INSISTED = 10.0
"""Seconds after the second interrupt until a process that hears nothing is killed."""

_carried: dict[str, str] = {}
"""What a crawl leaves to the process that goes on with it."""
_pipe: int | None = None


def supervise() -> None:
    """Look after the rest of this program. Returns in the process that is to run it, and in one
    that is being traced; the supervisor itself ends here."""
    if hasattr(os, "fork") and sys.gettrace() is None:
        _Supervisor().run()


def carry(name: str, value: str) -> None:
    """Leave this to whoever goes on when we have died. From the first time on there is somebody."""
    if _pipe is not None:
        with suppress(OSError):
            os.write(_pipe, f"carry {name} {value}\n".encode())


def carried(name: str) -> str | None:
    """What the process before us left; None when we are the first."""
    return _carried.get(name)


def inherited() -> tuple[int, ...]:
    """What processes that we start have to be given, to be looked after like us."""
    return () if _pipe is None else (_pipe,)


class Deaths:
    """How often a crawl is started again. A death while a page was read is progress: that page is
    read alone next time. But where every other page kills, or nobody knows what does, we give up.
    """

    ENOUGH = 100
    """Bodies that a process has to read, so that all deaths before it are forgotten."""
    MOST = 50
    MOST_UNEXPLAINED = 5

    def __init__(self) -> None:
        self.count = 0
        self._unexplained = 0

    def may_go_on(self, reads: int, is_noted: bool) -> bool:
        """After one more death, of a process that has read so many bodies."""
        if reads >= self.ENOUGH:
            self.count = self._unexplained = 0
        self.count += 1
        self._unexplained = 0 if is_noted else self._unexplained + 1
        return self.count <= self.MOST and self._unexplained <= self.MOST_UNEXPLAINED


class Watched:
    """One process, by its reading note."""

    def __init__(self, pid: int, seconds: float, memory: int, path: str) -> None:
        self._pid = pid
        self._seconds = seconds
        self._memory = memory
        self._path = path
        self._file = os.open(path, os.O_RDONLY)
        self._last = b""
        self._taken = 0.0
        self._before = 0

    def close(self) -> None:
        os.close(self._file)

    def look(self, passed: float) -> str:
        """Why it is to be ended; empty when all is well. So many seconds have passed."""
        head = os.pread(self._file, 16, 0)
        if head != self._last or not any(head[:8]):
            self._last, self._taken = head, 0.0
            self._before = _resident(self._pid) if any(head[:8]) else 0
            return ""
        if not _is_stopped(self._pid):
            # No more than that: the machine, or we, may have been asleep.
            self._taken += min(passed, 2 * _LOOK)
        if self._taken > self._seconds:
            why = f"took more than {self._seconds:g} s"
        elif _resident(self._pid) - self._before > self._memory:
            why = f"took more than {self._memory:,} bytes of memory"
        else:
            return ""
        # The note of a dead process stays as it is.
        return why if self._is_alive() else ""

    def reads(self) -> int:
        """How many bodies it has read, the one under way included."""
        return int(self._noted()[2])

    def url(self) -> str:
        """What is being read, or was when it died; empty for nothing."""
        target_id, _, _, length = self._noted()
        if not target_id:
            return ""
        text = os.pread(self._file, length, _HEAD.size).decode("utf-8", "replace")
        return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)

    def kill(self) -> None:
        """If it lives: its number may be another's by now."""
        if self._is_alive():
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)

    def _is_alive(self) -> bool:
        handle = -1
        try:
            handle = os.open(self._path, os.O_RDWR)
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        finally:
            if handle >= 0:
                os.close(handle)
        return False

    def _noted(self) -> tuple[int, int, int, int]:
        head = os.pread(self._file, _HEAD.size, 0)
        return _HEAD.unpack(head) if len(head) == _HEAD.size else (0, 0, 0, 0)


class _Supervisor:
    def __init__(self) -> None:
        self._child = 0
        self._status: int | None = None
        """How the child has ended; None while it lives."""
        self._reports = self._holds = -1
        self._heard = b""
        self._told = 0
        self._told_at = 0.0
        self._watched: dict[int, Watched] = {}
        self._ended: dict[int, str] = {}
        """Whom we have killed, and why."""
        self._deaths = Deaths()

    def run(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._pass_on)
        while not self._is_child():
            self._end_unless_to_start_again(self._look_after())

    def _is_child(self) -> bool:
        """Start the process that does the work; True in there."""
        global _pipe
        us = os.getpid()
        self._reports, says = os.pipe()
        lives, self._holds = os.pipe()
        self._child = os.fork()
        if self._child:
            os.close(says)
            os.close(lives)
            if self._told:
                os.kill(self._child, TOLD)
            return False
        # Libraries swallow a KeyboardInterrupt that hits them while they are imported, and the
        # crawl would go on. Until it can stop in order an interrupt ends it on the spot: nothing
        # is at stake yet that the ledger would not survive.
        for number in (signal.SIGINT, TOLD):
            signal.signal(number, lambda *_: os._exit(130))
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.close(self._reports)
        os.close(self._holds)
        _end_with(lives)
        if os.getppid() != us or self._told:
            os._exit(130)
        _pipe = says
        os.environ[_LINE] = f"{says}:{os.fstat(says).st_ino}"
        return True

    def _pass_on(self, number: int, frame: FrameType | None) -> None:
        self._told += 1
        self._told_at = time.monotonic()
        if self._child and self._status is None:
            with suppress(ProcessLookupError):  # it was buried a moment ago
                os.kill(self._child, TOLD)

    def _look_after(self) -> int:
        """Until the process has ended, and all whom it started; its exit code."""
        looked = time.monotonic()
        deadline = 0.0
        while True:
            is_over = not self._listen()
            now = time.monotonic()
            self._reap()
            if is_over:
                break
            for pid, watched in self._watched.items():
                if pid not in self._ended and (why := watched.look(now - looked)):
                    self._end(pid, why)
            looked = now
            if self._status is None:
                if self._told > 1 and now - self._told_at > _INSISTED:
                    os.kill(self._child, signal.SIGKILL)
            else:
                deadline = deadline or now + _PARTING
                if now > deadline:
                    for watched in self._watched.values():
                        watched.kill()
                if now > deadline + _PARTING:
                    break
        if self._status is None:
            _, self._status = os.waitpid(self._child, 0)
        return os.waitstatus_to_exitcode(self._status)

    def _listen(self) -> bool:
        """Whether anybody is left who could say something."""
        if not select.select([self._reports], [], [], _LOOK)[0]:
            return True
        said = os.read(self._reports, 65_536)
        *lines, self._heard = (self._heard + said).split(b"\n")
        for line in lines:
            word, _, rest = line.decode("utf-8", "replace").partition(" ")
            if word == "watch":
                self._watch(rest)
            elif word == "carry":
                name, _, _carried[name] = rest.partition(" ")
        return bool(said)

    def _watch(self, what: str) -> None:
        pid, seconds, memory, path = what.split(" ", 3)
        with suppress(OSError):
            self._watched[int(pid)] = Watched(int(pid), float(seconds), int(memory), path)

    def _reap(self) -> None:
        """Our child, if it has ended. In a container we inherit others, too."""
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self._child:
                    self._status = ended[1]

    def _end(self, pid: int, why: str) -> None:
        self._ended[pid] = why
        if pid != self._child:
            _say(f"Reading {self._watched[pid].url()} {why}: worker process {pid} is ended.")
        self._watched[pid].kill()

    def _end_unless_to_start_again(self, code: int) -> None:
        child = self._watched.get(self._child)
        url, reads = (child.url(), child.reads()) if child else ("", 0)
        why = self._ended.get(self._child, "")
        os.close(self._reports)
        os.close(self._holds)
        for watched in self._watched.values():
            watched.close()
        self._watched.clear()
        self._ended.clear()
        self._child, self._status, self._heard = 0, None, b""
        if code >= 0:
            os._exit(code)
        if self._told:
            os._exit(130)
        if -code not in _CRASHES or not _carried:
            _die_by(-code)
        name = signal.Signals(-code).name
        if why:
            what = f"Reading {url} {why}, and its process was ended"
        else:
            what = f"The crawling process died ({name})" + (f" while it read {url}" if url else "")
        if not self._deaths.may_go_on(reads, bool(url)):
            died = f"It has died {self._deaths.count} times and hardly read anything meanwhile"
            _say(f"{what}. {died}: given up. What is stored is safe; run it again to go on.")
            os._exit(EXIT_DIED)
        _say(f"{what}. Starting again{'; that page is read alone now' if url else ''}.")


def _end_with(pipe: int) -> None:
    """The kernel ends us when the other end of this pipe is closed, whatever we are doing then."""
    fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
    if hasattr(fcntl, "F_SETSIG"):
        fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)
    else:
        signal.signal(signal.SIGIO, lambda *_: os._exit(137))
    flags = fcntl.fcntl(pipe, fcntl.F_GETFL)
    fcntl.fcntl(pipe, fcntl.F_SETFL, flags | os.O_ASYNC)


def _die_by(number: int) -> NoReturn:
    """As our child did, so that whoever started us sees what happened."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)


def _say(message: str) -> None:
    # A live line may stand there.
    with suppress(OSError):
        os.write(2, f"\n{message}\n".encode())


def _resident(pid: int) -> int:
    """Bytes of memory in use; 0 where the system does not say."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError):
        return 0


def _is_stopped(pid: int) -> bool:
    """Whether somebody has stopped it, or looks at it with a debugger."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"T", b"t")
    except (OSError, IndexError):
        return False
