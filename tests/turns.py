"""Who may run now? Many tests side by side, or a few that need a processor when they need it.

One that promises to be done in time, or drives a browser, cannot keep that beside any number of
others. A few may be there at once, because most of what each does is waiting.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

SEATS = 2
_POLL = 0.02


class Turns:
    """Some seats and standing room, which is closed as long as somebody needs a processor.

    Files that the processes of one run lock: who dies lets go of them.
    """

    def __init__(self, path: Path) -> None:
        self._seats = [path.with_suffix(f".seat{number}") for number in range(SEATS)]
        self._standing = path.with_suffix(".standing")
        self._closed = path.with_suffix(".closed")
        """Held by all who need a processor; who wants to stand must find it free."""
        self._queue = path.with_suffix(".queue")
        """Held by those of them who wait, so that nobody else goes in before."""

    @contextmanager
    def taken(self, *, alone: bool) -> Iterator[None]:
        with ExitStack() as held:
            if alone:
                self._sit_undisturbed(held)
            else:
                while not self._go_in(held):
                    time.sleep(_POLL)
            yield

    def forget(self) -> None:
        for file in (*self._seats, self._standing, self._closed, self._queue):
            file.unlink(missing_ok=True)

    def _sit_undisturbed(self, held: ExitStack) -> None:
        with ExitStack() as waiting:
            _take(self._queue, fcntl.LOCK_SH, waiting)
            while not self._sit(held):
                time.sleep(_POLL)
            _take(self._closed, fcntl.LOCK_SH, held)
            # Those who stand may finish. No others come: it is closed.
            _take(self._standing, fcntl.LOCK_EX, waiting)

    def _go_in(self, held: ExitStack) -> bool:
        with ExitStack() as passing:
            _take(self._queue, fcntl.LOCK_EX, passing)
            if self._sit(held):
                return True
            if _take(self._closed, fcntl.LOCK_EX | fcntl.LOCK_NB, passing):
                return _take(self._standing, fcntl.LOCK_SH, held)
            return False

    def _sit(self, held: ExitStack) -> bool:
        return any(_take(seat, fcntl.LOCK_EX | fcntl.LOCK_NB, held) for seat in self._seats)


def _take(path: Path, how: int, held: ExitStack) -> bool:
    """Lock a file until `held` ends; whether it was free, for those who would not wait."""
    file: IO[str] = path.open("w")
    try:
        fcntl.flock(file, how)
    except BlockingIOError:
        file.close()
        return False
    held.enter_context(file)
    return True
