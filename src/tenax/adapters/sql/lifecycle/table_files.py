"""Rows of a table in a file: batches of MessagePack, each behind its length, packed by zstd.

The first batch names the columns. Neither SQLite nor PostgreSQL can tell from which of the two a
file came.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from hashlib import file_digest
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
import zstandard

from tenax.ports import Unavailable
from tenax.ports.lifecycle.copies import TableCopy

_LENGTH = 4
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[Any]).decode


def path_of(folder: Path, table: str) -> Path:
    return folder / f"{table}.msgpack.zst"


class BackupFile:
    """Writes one file; durable when it is closed."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._path = path
        self._columns = list(columns)
        self._rows = 0

    def __enter__(self) -> BackupFile:
        self._file = self._path.open("wb")
        self._packed = zstandard.ZstdCompressor(level=3).stream_writer(self._file, closefd=False)
        self._write(self._columns)
        return self

    def add(self, rows: Sequence[Sequence[Any]]) -> None:
        self._write([tuple(row) for row in rows])
        self._rows += len(rows)

    def _write(self, batch: Sequence[Any]) -> None:
        data = _encode(batch)
        self._packed.write(len(data).to_bytes(_LENGTH, "big"))
        self._packed.write(data)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._packed.flush(zstandard.FLUSH_FRAME)
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def facts(self) -> TableCopy:
        with self._path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
        return TableCopy(self._rows, self._path.stat().st_size, digest)


def read_table(path: Path) -> Iterator[list[Any]]:
    """The names of the columns, then batches of rows. Raises `Unavailable` where it is damaged."""
    try:
        with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as packed:
            while head := _exactly(packed, _LENGTH):
                yield _decode(_exactly(packed, int.from_bytes(head, "big")))
    except (OSError, EOFError, zstandard.ZstdError, msgspec.DecodeError) as error:
        raise Unavailable(f"{path}: damaged ({error}). Use another backup.") from error


def _exactly(packed: zstandard.ZstdDecompressionReader, wanted: int) -> bytes:
    parts: list[bytes] = []
    while wanted:
        part = packed.read(wanted)
        if not part:
            if parts:
                raise EOFError("it ends in the middle")
            break
        parts.append(part)
        wanted -= len(part)
    return b"".join(parts)
