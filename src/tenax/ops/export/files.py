"""Where does an export go? To files that get their names when they are complete, and that one that
was cut off can go on with."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import msgspec

from tenax.ops.export import warc
from tenax.ops.export.archive import WarcArchive, index_line
from tenax.ops.export.cdxj import sort_lines
from tenax.ops.export.export import Exportable, ExportField, ExportTally, Stored, heading, line, row
from tenax.ops.export.formats import Format
from tenax.ops.export.packing import Packer
from tenax.ops.export.places import Packing, put_in_place
from tenax.ports.tables import TableFile, TableFormat

_MARKED_EVERY = 200
_GROUP_ROWS = 10_000
_GROUP_BYTES = 32_000_000
"""Rows are held until there are so many, or they are so large: whatever comes first."""
_SEGMENT_GROUPS = 8


class ExportMark(msgspec.Struct):
    """How far an export came."""

    order: str
    """What was asked for: another order does not go on with it."""
    after: int = 0
    pages: int = 0
    lost_bodies: int = 0
    sizes: dict[str, int] = {}
    """Of every file it had written, up to there."""


class ExportSource(Protocol):
    """Where an export comes from."""

    @property
    def tally(self) -> ExportTally: ...

    def stored(self, job: str | None = None, after: int = 0) -> AsyncIterator[Exportable]: ...


class Writer(Protocol):
    """What an export is written with."""

    def begin(self, sizes: dict[str, int] | None) -> None:
        """Start, or go on behind what had these sizes. Raises OSError."""

    def write(self, stored: Any) -> None:
        """An item of the kind that this one writes."""

    def flush(self) -> dict[str, int] | None:
        """What all that was written can be gone on from; None when there is no such place now."""

    def finish(self) -> None:
        """Complete the files and give them their names."""

    def close(self) -> None: ...


class Export:
    """One export to files, from where the last one of its kind was cut off."""

    def __init__(
        self,
        exporter: ExportSource,
        writer: Writer,
        output: Path,
        order: str,
        tick: Callable[[int], None] = lambda _: None,
    ) -> None:
        """`tick` is told how many pages there are, page by page."""
        self._exporter = exporter
        self._writer = writer
        self._note = _beside(output, ".part.json")
        self._order = order
        self._tick = tick
        self._is_stopping = False
        self.resumed = 0
        """Pages that were there already."""

    def stop(self) -> None:
        """End after the page that is being written."""
        self._is_stopping = True

    async def run(self, job: str | None, *, resume: bool) -> bool:
        """Whether all of it is there; what was stopped can be gone on with."""
        tally = self._exporter.tally
        mark = self._begin(resume)
        tally.pages, tally.lost_bodies = mark.pages, mark.lost_bodies
        self.resumed = mark.pages
        unmarked = 0
        try:
            async for stored in self._exporter.stored(job, mark.after):
                self._writer.write(stored)
                self._tick(tally.pages)
                unmarked += 1
                if not stored.is_last:
                    continue
                if unmarked >= _MARKED_EVERY or self._is_stopping:
                    unmarked = 0
                    self._mark(stored.id)
                    await asyncio.sleep(0)  # so that whoever stops us is heard
                if self._is_stopping:
                    return False
            self._writer.finish()
        finally:
            self._writer.close()
        self._note.unlink(missing_ok=True)
        return True

    def _begin(self, resume: bool) -> ExportMark:
        mark = self._last() if resume else None
        if mark is not None:
            try:
                self._writer.begin(mark.sizes)
            except FileNotFoundError:
                self._writer.close()
            else:
                return mark
        self._writer.begin(None)
        self._note.unlink(missing_ok=True)
        return ExportMark(self._order)

    def _last(self) -> ExportMark | None:
        try:
            mark = msgspec.json.decode(self._note.read_bytes(), type=ExportMark)
        except (FileNotFoundError, msgspec.DecodeError):
            return None
        return mark if mark.order == self._order else None

    def _mark(self, after: int) -> None:
        sizes = self._writer.flush()
        if sizes is None:
            return
        tally = self._exporter.tally
        mark = ExportMark(self._order, after, tally.pages, tally.lost_bodies, sizes)
        new = self._note.with_name(f"{self._note.name}.new")
        new.write_bytes(msgspec.json.encode(mark))
        new.replace(self._note)


def can_resume(output: Path) -> bool:
    """Whether an export to this file was cut off and left something to go on with."""
    return _beside(output, ".part.json").exists()


class LinesFile:
    """JSON Lines or CSV, packed or not."""

    def __init__(
        self,
        output: Path,
        form: Format,
        fields: Sequence[ExportField],
        packing: Packing = Packing.NONE,
    ) -> None:
        self._output = output
        self._form = form
        self._fields = fields
        self._packer = Packer(packing)
        self._part = _Part(_beside(output, ".part"))

    def begin(self, sizes: dict[str, int] | None) -> None:
        self._part.open(sizes)
        if sizes is None:
            self._part.write(self._packer.pack(heading(self._form, self._fields)))

    def write(self, stored: Exportable) -> None:
        self._part.write(self._packer.pack(line(self._form, self._fields, stored)))

    def flush(self) -> dict[str, int]:
        self._part.write(self._packer.end())
        return self._part.flush()

    def finish(self) -> None:
        self._part.write(self._packer.end())
        self._part.close()
        put_in_place(self._part.path, self._output)

    def close(self) -> None:
        self._part.close()


class WarcFile:
    """WARC records, a gzip member each or as they are, and a sorted CDXJ index beside them."""

    def __init__(
        self, output: Path, agent: str, software: str, at: float, *, packed: bool = True
    ) -> None:
        self._output = output
        self._member = warc.member if packed else bytes
        self._archive = WarcArchive(output.name, agent)
        self._software = software
        self._at = at
        self._part = _Part(_beside(output, ".part"))
        self._lines = _Part(_beside(output, ".index.part"))

    @property
    def index(self) -> Path:
        name = self._output.name.removesuffix(".gz").removesuffix(".warc")
        return self._output.with_name(f"{name}.cdxj")

    def begin(self, sizes: dict[str, int] | None) -> None:
        self._part.open(sizes)
        self._lines.open(sizes)
        if sizes is None:
            made = warc.warcinfo(self._output.name, self._at, self._software)
            self._part.write(self._member(made))

    def write(self, stored: Stored) -> None:
        for recorded in self._archive.records(stored):
            data = self._member(recorded.data)
            self._lines.write(index_line(recorded, self._part.size, len(data), self._archive.file))
            self._part.write(data)

    def flush(self) -> dict[str, int]:
        return self._part.flush() | self._lines.flush()

    def finish(self) -> None:
        self.close()
        index = _beside(self.index, ".part")
        with self._lines.path.open("rb") as lines, index.open("wb") as file:
            sort_lines(lines, file)
        put_in_place(self._part.path, self._output)
        put_in_place(index, self.index)
        self._lines.path.unlink()

    def close(self) -> None:
        self._part.close()
        self._lines.close()


class TableWriter:
    """A file of a typed table. Half of one is nothing, so it is made of whole ones, each with some
    groups of rows, and put together at the end."""

    def __init__(self, output: Path, form: TableFormat, fields: Sequence[ExportField]) -> None:
        self._output = output
        self._form = form
        self._fields = fields
        self._folder = _beside(output, ".part")
        self._rows: list[list[Any]] = []
        self._held = 0
        self._groups = 0
        self._open: TableFile | None = None
        self._done: list[Path] = []

    def begin(self, sizes: dict[str, int] | None) -> None:
        self._done = []
        if sizes is None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir()
            return
        self._done = [self._folder / name for name in sorted(sizes)]
        for path in self._done:
            if path.stat().st_size != sizes[path.name]:
                raise FileNotFoundError(path)

    def write(self, stored: Exportable) -> None:
        values = row(self._fields, stored)
        self._rows.append(values)
        self._held += sum(len(value) for value in values if isinstance(value, str | list))
        if len(self._rows) >= _GROUP_ROWS or self._held >= _GROUP_BYTES:
            self._write_group()

    def flush(self) -> dict[str, int] | None:
        """Only whole files can be gone on from, and making one for every mark would make many."""
        if self._groups < _SEGMENT_GROUPS:
            return None
        self._end_segment()
        return {path.name: path.stat().st_size for path in self._done}

    def finish(self) -> None:
        self._end_segment()
        if len(self._done) == 1:
            put_in_place(self._done[0], self._output)
        else:
            whole = self._folder / "whole"
            self._form.join(self._done, whole)
            put_in_place(whole, self._output)
        shutil.rmtree(self._folder)

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def _write_group(self) -> None:
        if self._open is None:
            self._open = self._form.create(self._next())
        self._open.write(self._rows)
        self._rows, self._held = [], 0
        self._groups += 1

    def _end_segment(self) -> None:
        if self._rows or not (self._done or self._groups):
            self._write_group()
        if self._open is not None:
            self.close()
            self._done.append(self._next())
        self._groups = 0

    def _next(self) -> Path:
        return self._folder / f"{len(self._done):06}"


class _Part:
    """A file that is not complete yet, and how much of it is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self._file: BinaryIO | None = None

    def open(self, sizes: dict[str, int] | None) -> None:
        if sizes is None:
            self._file, self.size = self.path.open("wb"), 0
            return
        self.size = sizes[self.path.name]
        if self.path.stat().st_size < self.size:
            raise FileNotFoundError(self.path)
        os.truncate(self.path, self.size)
        self._file = self.path.open("ab")

    def write(self, data: bytes) -> None:
        assert self._file is not None
        self._file.write(data)
        self.size += len(data)

    def flush(self) -> dict[str, int]:
        assert self._file is not None
        self._file.flush()
        return {self.path.name: self.size}

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(f"{path.name}{ending}")
