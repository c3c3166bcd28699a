"""The Parquet writer: row groups, zstd, a type for every column."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tenax.ports import Unavailable
from tenax.ports.tables import Cells, Column

_TYPES: dict[Cells, pa.DataType] = {
    Cells.TEXT: pa.string(),
    Cells.NUMBER: pa.int64(),
    Cells.MOMENT: pa.timestamp("ms", tz="UTC"),
    # Products cost less than a million millions, and no coin is smaller than a ten-thousandth.
    Cells.AMOUNT: pa.decimal128(18, 4),
    Cells.REAL: pa.float64(),
    Cells.TEXTS: pa.list_(pa.string()),
    Cells.PAIRS: pa.list_(pa.list_(pa.string())),
}


class ParquetFormat:
    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._schema = pa.schema([(column.name, _TYPES[column.cells]) for column in columns])

    def create(self, path: Path) -> ParquetFile:
        return ParquetFile(path, self._columns, self._schema)

    def join(self, parts: Sequence[Path], to: Path) -> None:
        with _writer(to, self._schema) as writer:
            for path in parts:
                with pq.ParquetFile(path) as file:
                    for number in range(file.num_row_groups):
                        writer.write_table(file.read_row_group(number))


class ParquetFile:
    def __init__(self, path: Path, columns: Sequence[Column], schema: pa.Schema) -> None:
        self._path = path
        self._columns = columns
        self._schema = schema
        self._writer = _writer(path, schema)

    def write(self, rows: Sequence[Sequence[Any]]) -> None:
        columns = zip(*rows, strict=True) if rows else ([] for _ in self._columns)
        arrays = [
            pa.array(_values(column.cells, cells), type=field.type)
            for column, cells, field in zip(self._columns, columns, self._schema, strict=True)
        ]
        try:
            self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))
        except OSError as error:
            raise Unavailable(f"{self._path}: cannot be written ({error}).") from error

    def close(self) -> None:
        self._writer.close()


def _writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    try:
        return pq.ParquetWriter(path, schema, compression="zstd")
    except OSError as error:
        raise Unavailable(f"{path}: cannot be written ({error.strerror or error}).") from error


def _values(cells: Cells, values: Sequence[Any]) -> Sequence[Any]:
    if cells is Cells.MOMENT:
        return [None if value is None else datetime.fromisoformat(value) for value in values]
    if cells is Cells.AMOUNT:
        return [Decimal(value) if value else None for value in values]
    if cells is Cells.TEXT:
        # Lone surrogates are no text that any other program could read.
        return [value if value is None else _well_formed(value) for value in values]
    return values


def _well_formed(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
