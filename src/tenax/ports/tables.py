"""What do we ask of a file format that keeps typed tables? To take rows, and to join files."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct


class Cells(StrEnum):
    """What stands in a column."""

    TEXT = "text"
    NUMBER = "number"
    MOMENT = "moment"
    """ISO 8601 in UTC, to the millisecond."""
    AMOUNT = "amount"
    """Decimal text, as "1299.00"; empty where there is none."""
    REAL = "real"
    TEXTS = "texts"
    PAIRS = "pairs"


class Column(Struct, frozen=True):
    name: str
    cells: Cells


class TableFile(Protocol):
    def write(self, rows: Sequence[Sequence[Any]]) -> None:
        """Add these, as one group that readers can read alone; None where there is no value."""

    def close(self) -> None:
        """Complete it: before that it cannot be read."""


class TableFormat(Protocol):
    """Files of one table's columns."""

    def create(self, path: Path) -> TableFile: ...

    def join(self, parts: Sequence[Path], to: Path) -> None:
        """One file with the rows of all of these, in order, without reading all of them at once."""
