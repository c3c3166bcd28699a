"""Which moment does a date in a sitemap or feed mean?

W3C dates (a profile of ISO 8601) in all their precisions, and the dates of mail (RFC 822) that
RSS uses, with what is often made of both. A date without a zone is taken as UTC.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

_LONGEST = 64
_EARLIEST = datetime(1990, 1, 1, tzinfo=UTC).timestamp()
"""Before there was a web: what a system says that knows no date."""
_AHEAD = 86_400.0
"""Seconds a date may lie in the future: clocks differ, and so do zones that nobody named."""

_W3C = re.compile(
    r"(\d{4})(?:-(\d\d?)(?:-(\d\d?)"
    r"(?:[T\s]\s*(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?)?)?",
    re.IGNORECASE,
)
_MAIL = re.compile(
    r"(?:[a-z]{3,9}\.?,?\s*)?(\d\d?)[\s-]+([a-z]{3})[a-z]*\.?,?[\s-]+(\d{4}|\d\d)"
    r"(?:,?\s+(\d\d?):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*([a-z]{1,5}|[+-]\d\d:?\d\d)?)?(?:\s*\(.*\))?",
    re.IGNORECASE,
)
_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
# RFC 822, section 5.1. Letters of the military zones are meaningless in mail (RFC 2822, 4.3).
_ZONES = {"est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7}


def moment(text: str, now: float) -> float | None:
    """Seconds since the epoch; None for what is no date, or none that a page can have."""
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return None
    if (found := _W3C.fullmatch(text)) is not None:
        year, month, day, *time = found.groups()
        return _plausible(int(year), int(month or 1), int(day or 1), time, now)
    if (found := _MAIL.fullmatch(text)) is not None:
        day, name, year, *time = found.groups()
        month_number = _MONTHS.get(name.lower(), 0)
        return _plausible(_full_year(year), month_number, int(day), time, now)
    return None


def _plausible(year: int, month: int, day: int, time: list[str | None], now: float) -> float | None:
    hour, minute, second, zone = time
    try:
        # A leap second is no second of a datetime.
        seconds = min(int(second or 0), 59)
        date = datetime(year, month, day, int(hour or 0), int(minute or 0), seconds, tzinfo=UTC)
        at = (date - _offset(zone or "")).timestamp()
    except (ValueError, OverflowError):
        return None
    return at if _EARLIEST <= at <= now + _AHEAD else None


def _offset(zone: str) -> timedelta:
    if zone[:1] in ("+", "-"):
        digits = zone[1:].replace(":", "").ljust(4, "0")
        offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
        # Rejects what is no zone of this planet.
        timezone(offset)
        return offset if zone[0] == "+" else -offset
    return timedelta(hours=_ZONES.get(zone.lower(), 0))


def _full_year(text: str) -> int:
    """Of two digits as RFC 2822, section 4.3, has it."""
    year = int(text)
    return year if len(text) == 4 else year + (2000 if year < 50 else 1900)
