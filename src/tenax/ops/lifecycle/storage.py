"""How large is everything, and how fast does it grow? (LIFE-4)"""

from __future__ import annotations

from msgspec import Struct

from tenax.ports import Clock, ContentStock
from tenax.ports.lifecycle.retention import StorageBook, StorageSample, StoredTable

_DAY = 86_400.0


class TableGrowth(Struct, frozen=True):
    name: str
    rows: int
    size: int
    rows_a_day: float | None
    """None while no other day is known."""
    size_a_day: float | None


class StorageReport(Struct, frozen=True):
    at: float
    tables: tuple[TableGrowth, ...]
    bodies: int | None
    """None where the store cannot tell what it holds."""
    body_bytes: int
    body_bytes_a_day: float | None
    since: float | None
    """The day that growth is counted from: of the last thirty the first one known."""


async def storage_report(
    book: StorageBook, stock: ContentStock | None, clock: Clock
) -> StorageReport:
    """As it is now; kept for those who ask on another day."""
    bodies = size = 0
    if stock is not None:
        async for batch in stock.inventory():
            bodies += len(batch)
            size += sum(each.size for each in batch)
    now = StorageSample(clock.now(), tuple(await book.tables()), bodies, size)
    report = compare(now, await book.samples(), counts_bodies=stock is not None)
    await book.keep(now)
    return report


def compare(
    now: StorageSample, samples: list[StorageSample], *, counts_bodies: bool = True
) -> StorageReport:
    """Growth since the first sample of the last thirty days that is at least a day old."""
    earlier = [each for each in samples if _DAY <= now.at - each.at <= 30 * _DAY]
    first = min(earlier, key=lambda each: each.at, default=None)
    days = (now.at - first.at) / _DAY if first is not None else 0.0
    before = {table.name: table for table in first.tables} if first is not None else {}

    def growth(table: StoredTable) -> TableGrowth:
        old = before.get(table.name, StoredTable(table.name, 0, 0))
        rows = (table.rows - old.rows) / days if days else None
        size = (table.size - old.size) / days if days else None
        return TableGrowth(table.name, table.rows, table.size, rows, size)

    return StorageReport(
        now.at,
        tuple(map(growth, now.tables)),
        now.bodies if counts_bodies else None,
        now.body_bytes,
        (now.body_bytes - first.body_bytes) / days if first is not None else None,
        first.at if first is not None else None,
    )
