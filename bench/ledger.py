"""How many bytes of a ledger does a known URL take, and a stored page?"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class LedgerSize:
    file_bytes: int
    known: int
    pages: int
    by_table: dict[str, int]
    """Bytes of each table with its indexes; empty where this SQLite cannot tell."""

    @property
    def bytes_a_known_url(self) -> float | None:
        return self.by_table["targets"] / self.known if self.by_table and self.known else None

    @property
    def bytes_a_page(self) -> float | None:
        """All that is not about known URLs, so what a page costs can't hide in another table."""
        if not self.by_table or not self.pages:
            return None
        return (sum(self.by_table.values()) - self.by_table["targets"]) / self.pages


def measure_ledger(data: Path) -> LedgerSize:
    """Sizes after the write-ahead log was folded in; nothing is vacuumed."""
    path = _find(data)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        known = database.execute("SELECT count(*) FROM targets").fetchone()[0]
        pages = database.execute("SELECT count(*) FROM pages").fetchone()[0]
        by_table = _by_table(database)
    return LedgerSize(path.stat().st_size, known, pages, by_table)


def _find(data: Path) -> Path:
    for path in sorted(data.rglob("*"), key=lambda path: len(path.parts)):
        if path.is_file():
            with path.open("rb") as file:
                if file.read(15) == b"SQLite format 3":
                    return path
    raise FileNotFoundError(f"no SQLite ledger under {data}")


def _by_table(database: sqlite3.Connection) -> dict[str, int]:
    query = """
        SELECT coalesce(m.tbl_name, s.name), sum(s.pgsize)
        FROM dbstat s LEFT JOIN sqlite_master m ON m.name = s.name
        GROUP BY 1
    """
    try:
        return dict(database.execute(query).fetchall())
    except sqlite3.OperationalError as error:
        if "dbstat" in str(error):
            return {}
        raise
