"""Plain text tables: cut to the terminal's width, whole in a pipe."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

_GAP = 2
_NARROWEST = 12


class TableColumn(NamedTuple):
    title: str
    right: bool = False
    """Right-aligned, for figures."""
    most: int | None = None
    """Cells are cut to this width everywhere."""
    yields: bool = False
    """Gives up width when the terminal is too narrow."""


def table(
    columns: Sequence[TableColumn], rows: Sequence[Sequence[str]], width: int | None = None
) -> list[str]:
    """Lines; `width` is what they may take, None for any."""
    cut = [[_cut(c, column.most) for c, column in zip(row, columns, strict=True)] for row in rows]
    lines = [[column.title for column in columns], *cut]
    widths = [max(cell_len(line[i]) for line in lines) for i in range(len(columns))]
    if width is not None:
        _fit(widths, columns, width)
    return [_line(line, columns, widths) for line in lines]


def terminal_width() -> int | None:
    """The width of the terminal; None when the output goes elsewhere."""
    return shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else None


def _fit(widths: list[int], columns: Sequence[TableColumn], width: int) -> None:
    """Take what is too much from the widest column that yields, again and again."""
    excess = sum(widths) + _GAP * (len(widths) - 1) - width
    while excess > 0:
        i = max((i for i, c in enumerate(columns) if c.yields), key=widths.__getitem__, default=-1)
        if i < 0 or widths[i] <= _NARROWEST:
            return
        widths[i] -= 1
        excess -= 1


def _line(cells: Sequence[str], columns: Sequence[TableColumn], widths: Sequence[int]) -> str:
    parts = []
    for cell, column, width in zip(cells, columns, widths, strict=True):
        text = _cut(cell, width)
        padding = " " * (width - cell_len(text))
        parts.append(padding + text if column.right else text + padding)
    return (" " * _GAP).join(parts).rstrip()


def _cut(text: str, most: int | None) -> str:
    if most is None or cell_len(text) <= most:
        return text
    return set_cell_size(text, most - 1).rstrip() + "…"
