"""How do times look outside? ISO 8601 in UTC, to the millisecond."""

from __future__ import annotations

from datetime import UTC, datetime


def iso(at: float | None) -> str | None:
    """None for a time that is not known; the ledger writes those as 0 or nothing."""
    if not at:
        return None
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
