"""What of an export that nobody can go on with? It is written as it is made: to a pipe, a device or
a bucket, in constant memory."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from tenax.ops.export import warc
from tenax.ops.export.archive import WarcArchive
from tenax.ops.export.export import Exportable, ExportField, Stored, heading, line
from tenax.ops.export.files import Export, ExportSource
from tenax.ops.export.formats import Format
from tenax.ops.export.packing import Packer
from tenax.ops.export.places import Packing

_PIECE = 64_000
"""What is handed on at once: less would be many calls, more would be memory."""
Sink = Callable[[AsyncIterator[bytes]], Awaitable[None]]
"""Takes all of it, or raises and has taken nothing that anybody sees."""


class StreamForm(Protocol):
    heading: bytes

    def records(self, stored: Any) -> Iterator[bytes]: ...


class LinesStream:
    """JSON Lines or CSV."""

    def __init__(self, form: Format, fields: Sequence[ExportField]) -> None:
        self._form = form
        self._fields = fields
        self.heading = heading(form, fields)

    def records(self, stored: Exportable) -> Iterator[bytes]:
        yield line(self._form, self._fields, stored)


class WarcStream:
    """Records, where no index could stand beside them."""

    def __init__(self, agent: str, software: str, at: float, *, packed: bool = True) -> None:
        self._archive = WarcArchive("", agent)
        self._member = warc.member if packed else bytes
        self.heading = self._member(warc.warcinfo("", at, software))

    def records(self, stored: Stored) -> Iterator[bytes]:
        for recorded in self._archive.records(stored):
            yield self._member(recorded.data)


class _Stopped(Exception):
    """The rest is not wanted: raised out of the pieces, so that a bucket forgets those it has."""


class StreamExport:
    """As `Export`, from the beginning and without a file."""

    def __init__(
        self,
        exporter: ExportSource,
        form: StreamForm,
        packing: Packing,
        sink: Sink,
        tick: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._exporter = exporter
        self._form = form
        self._packing = packing
        self._sink = sink
        self._tick = tick
        self._is_stopping = False
        self.resumed = 0

    def stop(self) -> None:
        self._is_stopping = True

    async def run(self, job: str | None, *, resume: bool) -> bool:
        """Whether all of it is there; what was stopped has to be begun anew."""
        try:
            await self._sink(self._pieces(job))
        except Exception:
            # A library's own error in place of ours, when it was ours that ended it.
            if self._is_stopping:
                return False
            raise
        return True

    async def _pieces(self, job: str | None) -> AsyncIterator[bytes]:
        packer, piece = Packer(self._packing), bytearray()
        piece += packer.pack(self._form.heading)
        async for stored in self._exporter.stored(job):
            if self._is_stopping:
                raise _Stopped
            for record in self._form.records(stored):
                piece += packer.pack(record)
            self._tick(self._exporter.tally.pages)
            if len(piece) >= _PIECE:
                yield bytes(piece)
                piece.clear()
                await asyncio.sleep(0)  # so that whoever stops us is heard
        piece += packer.end()
        if piece:
            yield bytes(piece)


class UploadExport:
    """Of a form that needs a file while it is made: that file, handed on when it is complete."""

    def __init__(self, make: Callable[[Path], Export], sink: Sink) -> None:
        """`make` is asked for one export, to this file in a folder of its own."""
        self._make = make
        self._sink = sink
        self._export: Export | None = None
        self.resumed = 0

    def stop(self) -> None:
        if self._export is not None:
            self._export.stop()

    async def run(self, job: str | None, *, resume: bool) -> bool:
        with tempfile.TemporaryDirectory(prefix="tenax-export-") as folder:
            made = Path(folder) / "made"
            self._export = self._make(made)
            if not await self._export.run(job, resume=False):
                return False
            await self._sink(_read(made))
        return True


async def _read(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece


def device_sink(path: Path) -> Sink:
    """Writes through: what has this name keeps it, and is not made where it is not."""

    async def write(pieces: AsyncIterator[bytes]) -> None:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_NOCTTY), "wb") as file:
            async for piece in pieces:
                file.write(piece)

    return write
