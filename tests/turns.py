"""Who may run now? Many tests side by side, or one that needs the machine to itself.

A browser at low priority starves beside three processes of other tests, and what a fleet does in
twenty seconds cannot be told when it gets a tenth of a processor.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Turns:
    """Two files that the processes of one run lock."""

    def __init__(self, path: Path) -> None:
        self._door = path.with_suffix(".door")
        """Held by who waits to be alone, so that nobody else begins in the meantime."""
        self._room = path.with_suffix(".room")

    @contextmanager
    def taken(self, *, alone: bool) -> Iterator[None]:
        with self._room.open("w") as room:
            with self._door.open("w") as door:
                fcntl.flock(door, fcntl.LOCK_EX)
                fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            yield

    def forget(self) -> None:
        self._door.unlink(missing_ok=True)
        self._room.unlink(missing_ok=True)
