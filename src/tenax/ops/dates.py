"""How do times look that may not be known? ISO 8601, or nothing."""

from __future__ import annotations

from datetime import date

from tenax.model.dates import iso_time


def iso(at: float | None) -> str | None:
    """None for a time that is not known; the ledger writes those as 0 or nothing."""
    return iso_time(at) if at else None


def iso_day(day: int) -> str:
    """A day by its number since the epoch."""
    return date.fromordinal(_EPOCH + day).isoformat()


_EPOCH = date(1970, 1, 1).toordinal()
