"""Events in JSON Lines files: durable (fsync), rotated by day and size, deduplicated after a crash.

What is sent twice because of a crash is written once: the end of the last files tells what is
there already. A line that a crash cut short is removed.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from tenax.model import Event, EventKind
from tenax.ports import Clock, Received, Unavailable

_TAIL_FILES = 2
_TAIL_BYTES = 16 * 1024 * 1024
"""What is looked at for events written before a crash: far more than one batch."""


class _EventHead(msgspec.Struct):
    event_id: str
    type: str
    url_hash: str = ""


_head = msgspec.json.Decoder(_EventHead).decode


class EventFiles:
    """FOLDER/webpage_log-2026-11-16-0001.jsonl: complete lines, durable when `send` returns."""

    def __init__(
        self,
        folder: Path,
        topics: Mapping[EventKind, str],
        rotate: int,
        clock: Clock,
        *,
        threads: bool = True,
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._threads = threads
        self._files = {kind: _Series(folder, name, rotate) for kind, name in topics.items()}

    async def send(self, events: Sequence[Event]) -> None:
        if self._threads:
            await asyncio.to_thread(self._send, events)  # a disk may take its time to confirm
        else:
            self._send(events)

    async def close(self) -> None:
        for file in self._files.values():
            file.close()

    def _send(self, events: Sequence[Event]) -> None:
        day = datetime.fromtimestamp(self._clock.now(), UTC).strftime("%Y-%m-%d")
        by_kind: dict[EventKind, list[bytes]] = {}
        for event in events:
            if event.kind in self._files:
                by_kind.setdefault(event.kind, []).append(event.value)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for kind, lines in by_kind.items():
                self._files[kind].append(lines, day)
        except OSError as error:
            for file in self._files.values():
                file.close()
            raise Unavailable(
                f"{self._folder}: events cannot be written ({error.strerror}). Free some space or"
                " fix the permissions."
            ) from error


class _Series:
    """The files of one topic; lines are added to the last."""

    def __init__(self, folder: Path, topic: str, rotate: int) -> None:
        self._folder = folder
        self._topic = topic
        self._rotate = rotate
        self._handle: int | None = None
        self._day = ""
        self._number = 0
        self._size = 0
        self._there: set[str] = set()
        """What a crash may have let us write without remembering it."""

    def append(self, lines: list[bytes], day: str) -> None:
        if self._handle is None:
            self._recover()
        new = [line for line in lines if not self._is_there(line)]
        for line in new:
            self._make_room(day)
            assert self._handle is not None
            _write_all(self._handle, line + b"\n")
            self._size += len(line) + 1
        if self._handle is not None:
            os.fsync(self._handle)
        if len(new) == len(lines):
            self._there.clear()  # events come in order: from here on none was sent before

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _is_there(self, line: bytes) -> bool:
        return bool(self._there) and _head(line).event_id in self._there

    def _recover(self) -> None:
        files = files_of(self._folder, self._topic)
        for path in files[-_TAIL_FILES:]:
            _mend(path)
            self._there.update(_ids(path))
        if files:
            self._day, self._number = _day_and_number(files[-1], self._topic)
            self._open(files[-1])

    def _make_room(self, day: str) -> None:
        is_first = self._handle is None
        if not is_first and day == self._day and self._size < self._rotate:
            return
        self._number = self._number + 1 if day == self._day else 1
        self._day = day
        if self._handle is not None:
            os.fsync(self._handle)
            self.close()
        self._open(self._folder / f"{self._topic}-{day}-{self._number:04d}.jsonl")

    def _open(self, path: Path) -> None:
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._size = os.fstat(self._handle).st_size
        _sync_folder(self._folder)


class FileEvents:
    """Reads the files again, in order; each group remembers where it was in a file of its own."""

    def __init__(
        self,
        folder: Path,
        topics: Mapping[EventKind, str],
        group: str,
        clock: Clock,
        *,
        from_beginning: bool = False,
        patience: float = 1.0,
    ) -> None:
        self._folder = folder
        self._topics = topics
        self._clock = clock
        self._patience = patience
        self._memory = folder / f".{group}.offsets"
        self._offsets = {} if from_beginning else self._remembered()

    async def read(self, most: int) -> list[Received]:
        try:
            found = self._read(most)
        except OSError as error:
            raise Unavailable(
                f"{self._folder}: events cannot be read ({error.strerror})."
            ) from error
        if not found:
            await self._clock.sleep(self._patience)
        return found

    async def commit(self) -> None:
        partial = self._memory.with_suffix(".part")
        try:
            partial.write_bytes(msgspec.json.encode(self._offsets))
            os.replace(partial, self._memory)
        except OSError as error:
            raise Unavailable(
                f"{self._memory}: cannot be written ({error.strerror}): how far was read is kept"
                " there. Fix the permissions."
            ) from error

    async def close(self) -> None:
        pass

    def _read(self, most: int) -> list[Received]:
        found: list[Received] = []
        for kind, topic in self._topics.items():
            for path in files_of(self._folder, topic):
                offset = self._offsets.get(path.name, 0)
                if path.stat().st_size <= offset:
                    continue
                with path.open("rb") as file:
                    file.seek(offset)
                    while len(found) < most and (line := file.readline()).endswith(b"\n"):
                        self._offsets[path.name] = offset = offset + len(line)
                        found.append(Received(kind, _key(line), line.rstrip(b"\n")))
                if len(found) >= most:
                    return found
        return found

    def _remembered(self) -> dict[str, int]:
        try:
            return msgspec.json.decode(self._memory.read_bytes(), type=dict[str, int])
        except (FileNotFoundError, msgspec.DecodeError):
            return {}


def _key(line: bytes) -> bytes:
    """Empty for a line that somebody else wrote, or changed."""
    try:
        return bytes.fromhex(_head(line).url_hash)
    except (ValueError, RecursionError):
        return b""


def files_of(folder: Path, topic: str) -> list[Path]:
    """The files of a topic, the oldest first."""
    pattern = f"{topic}-[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]-*.jsonl"
    return sorted(folder.glob(pattern), key=lambda path: _day_and_number(path, topic))


def _day_and_number(path: Path, topic: str) -> tuple[str, int]:
    day, _, number = path.stem[len(topic) + 1 :].rpartition("-")
    return day, int(number) if number.isdecimal() else 0


def _mend(path: Path) -> None:
    """Cut off a line that was not finished."""
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        start = max(0, size - _TAIL_BYTES)
        file.seek(start)
        tail = file.read()
        if tail and not tail.endswith(b"\n"):
            file.truncate(start + tail.rfind(b"\n") + 1)


def _ids(path: Path) -> set[str]:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        start = max(0, size - _TAIL_BYTES)
        file.seek(start)
        lines = file.read().split(b"\n")
    found = set()
    for line in lines[1:] if start else lines:
        with suppress(msgspec.DecodeError, msgspec.ValidationError):
            found.add(_head(line).event_id)
    return found


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _sync_folder(folder: Path) -> None:
    """A new file's name is durable only when its folder is."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
