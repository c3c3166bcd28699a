"""How does the command speak? Exit codes, errors, dates and figures, all in one voice."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import Any

import orjson

EXIT_NOTHING = 1
"""The crawl ended without a single page."""
EXIT_BAD_INPUT = 2
EXIT_INFRASTRUCTURE = 3
"""The ledger or the disk failed."""
EXIT_WORK_LEFT = 5
"""The crawl ended although work is left: hosts asked us to come back later."""
EXIT_FINDINGS = 6
"""`audit` found the ledger not whole."""
EXIT_INTERRUPTED = 130


def fail(message: str, code: int) -> int:
    print(f"tenax: {message}", file=sys.stderr)
    return code


def note(message: str) -> None:
    """For people: on stderr, so that stdout stays data."""
    print(message, file=sys.stderr)


def as_json(value: Any) -> None:
    print(orjson.dumps(value, default=str).decode())


def moment(at: float | None) -> str:
    """A time as people read it, in their own zone; the date only when it is not today."""
    if not at:
        return "-"
    there = datetime.fromtimestamp(at).astimezone()
    is_today = there.date() == datetime.now().astimezone().date()
    return there.strftime("%H:%M:%S" if is_today else "%Y-%m-%d %H:%M:%S")


def iso(at: float | None) -> str | None:
    if not at:
        return None
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def plural(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


def printable(text: str) -> str:
    """Text from the web without what could steer a terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
