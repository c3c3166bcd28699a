"""Which page is this process reading? A note of 512 bytes, mapped from the worker's lock file.

What is written there is in the kernel's page cache: it survives whatever kills the process, and
whoever finds the lock free finds the note beside it (decision 0029). It costs a microsecond a page.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

SIZE = 512
_HEAD = struct.Struct("<qqqH")
"""The target, how many notes there were, how many bodies this process has read, and how long the
URL is that follows. A target of 0 means that nothing is being read. The supervisor knows this
much, too."""
_LONGEST = SIZE - _HEAD.size
_NOTHING = bytes(8)


class Noted(Struct, frozen=True):
    """What a process was reading when it died."""

    target_id: int
    url: str


class ReadingNote:
    """This process's note. Until it has a file, what it writes is read by nobody."""

    def __init__(self, announce: Callable[[Path], None] = lambda _: None) -> None:
        """`announce` is told of the file, once there is one."""
        self._announce = announce
        self._room: mmap.mmap | bytearray = bytearray(SIZE)
        self._notes = 0
        self._bodies = 0
        self._url = ""
        """What stands there, and how long it is in bytes."""
        self._length = 0

    def keep_in(self, path: Path) -> None:
        """From now on the note stands in this file."""
        # Opened anew: the map keeps what it was made of open, and with it the worker's lock.
        handle = os.open(path, os.O_RDWR)
        try:
            # Written, not only made longer: a page that the disk has no room for would kill us.
            os.pwrite(handle, bytes(SIZE), 0)
            self._room = mmap.mmap(handle, SIZE)
        finally:
            os.close(handle)
        self._url = ""
        self._announce(path)

    def begin(self, target_id: int, url: str, *, goes_on: bool = False) -> None:
        self._notes += 1
        self._bodies += not goes_on
        if url is not self._url:
            text = url.encode("utf-8", "replace")[:_LONGEST]
            self._room[_HEAD.size : _HEAD.size + len(text)] = text
            self._url, self._length = url, len(text)
        _HEAD.pack_into(self._room, 0, target_id, self._notes, self._bodies, self._length)

    def end(self) -> None:
        self._room[:8] = _NOTHING


def read_note(path: Path) -> Noted | None:
    """What stands in the file of a process that is dead; None when it was reading nothing."""
    try:
        text = path.read_bytes()
    except OSError:
        return None
    if len(text) < _HEAD.size:
        return None
    target_id, _, _, length = _HEAD.unpack_from(text)
    if target_id <= 0:
        return None
    url = text[_HEAD.size : _HEAD.size + length].decode("utf-8", "replace")
    return Noted(target_id, url)
