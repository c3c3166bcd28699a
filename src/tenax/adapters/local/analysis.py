"""Archived rows in a SQLite file of their own, for questions in SQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tenax.ports import Unavailable


def load(
    path: Path,
    tables: Mapping[str, Sequence[str]],
    rows: Iterator[tuple[str, dict[str, Any]]],
) -> int:
    """Make the file with these tables and columns; how many rows it has. What was archived twice is
    in it once."""
    if path.exists():
        raise Unavailable(f"{path}: is there already. Name a file that is not.")
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    try:
        count = _fill(part, tables, rows)
        part.rename(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return count


def _fill(
    path: Path,
    tables: Mapping[str, Sequence[str]],
    rows: Iterator[tuple[str, dict[str, Any]]],
) -> int:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("BEGIN")
        for kind, names in tables.items():
            columns = ", ".join(f'"{name}"' for name in names)
            connection.execute(f'CREATE TABLE {kind} ({columns}, UNIQUE ("job", "url"))')
        for kind, row in rows:
            names = tables[kind]
            places = ", ".join("?" * len(names))
            values = [_value(row.get(name)) for name in names]
            connection.execute(f"INSERT OR REPLACE INTO {kind} VALUES ({places})", values)
        counts = [connection.execute(f"SELECT COUNT(*) FROM {kind}").fetchone() for kind in tables]
        connection.execute("COMMIT")
    finally:
        connection.close()
    return sum(count for (count,) in counts)


def _value(value: Any) -> Any:
    is_plain = value is None or isinstance(value, str | int | float)
    return value if is_plain else msgspec.json.encode(value).decode()
