"""How do times look outside the ledger? ISO 8601 in UTC, to the millisecond, everywhere."""

from __future__ import annotations

from datetime import UTC, datetime


def iso_time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
