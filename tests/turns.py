"""Who may run now? Many tests side by side, or one that needs a processor to itself.

A browser at low priority starves beside two processes of other tests. One other may go on
meanwhile: there are at least two processors.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


class Turns:
    """Three files that the processes of one run lock."""

    def __init__(self, path: Path) -> None:
        self._door = path.with_suffix(".door")
        """Held by who waits for the room, so that nobody else goes in before."""
        self._room = path.with_suffix(".room")
        self._side = path.with_suffix(".side")
        """Of the one who may be there beside somebody who is alone."""

    @contextmanager
    def taken(self, *, alone: bool) -> Iterator[None]:
        with self._room.open("w") as room, self._side.open("w") as side:
            if alone:
                with self._door.open("w") as door:
                    fcntl.flock(door, fcntl.LOCK_EX)
                    fcntl.flock(room, fcntl.LOCK_EX)
            elif not self._go_in(room):
                fcntl.flock(side, fcntl.LOCK_EX)
            yield

    def _go_in(self, room: IO[str]) -> bool:
        """Unless somebody is alone in there, or waits to be."""
        with self._door.open("w") as door:
            try:
                fcntl.flock(door, fcntl.LOCK_SH | fcntl.LOCK_NB)
                fcntl.flock(room, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True

    def forget(self) -> None:
        for file in (self._door, self._room, self._side):
            file.unlink(missing_ok=True)
