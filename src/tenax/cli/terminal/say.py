"""Exit codes, error messages, dates and figures: how every command speaks, in one voice."""

from __future__ import annotations

import math
import shlex
import sys
import unicodedata
from datetime import datetime
from typing import TYPE_CHECKING, Any

import orjson
from msgspec import Struct

from tenax.ops.plain import plain as plain

if TYPE_CHECKING:
    from tenax.settings import Settings

EXIT_NOTHING = 1
"""The crawl ended without a single page."""
EXIT_UNFIT = 1
"""`doctor` found something that has to be repaired first."""
EXIT_BAD_INPUT = 2
EXIT_INFRASTRUCTURE = 3
"""The ledger or the disk failed."""
EXIT_MEMORY = 4
"""It took more memory than `care.memory` and has finished what was under way: start it anew."""
EXIT_DIED = 7
"""The crawling process died again and again; said by `terminal/supervisor.py`."""
EXIT_WORK_LEFT = 5
"""The crawl ended although work is left: hosts asked us to come back later."""
EXIT_REFUSED = 8
"""`fetch` did not ask: robots.txt, an address or a scope is against it."""
EXIT_FINDINGS = 6
"""`audit` found the ledger not whole."""
EXIT_INTERRUPTED = 130


def fail(message: str, code: int) -> int:
    print(f"tenax: {message}", file=sys.stderr)
    return code


def note(message: str) -> None:
    """For people: on stderr, so that stdout stays data."""
    print(message, file=sys.stderr)


def at_data(settings: Settings) -> str:
    """The flag of a command that is to be typed next, where the folder is not the usual one."""
    return "" if settings.data == "./tenax-data" else f" --data {shlex.quote(settings.data)}"


def as_json(value: Any) -> None:
    told = plain(value) if isinstance(value, Struct) else value
    print(orjson.dumps(told, default=str).decode())


def moment(at: float | None) -> str:
    """A time as people read it, in their own zone; the date only when it is not today."""
    if not at:
        return "-"
    there = datetime.fromtimestamp(at).astimezone()
    is_today = there.date() == datetime.now().astimezone().date()
    return there.strftime("%H:%M:%S" if is_today else "%Y-%m-%d %H:%M:%S")


def plural(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 48:
        return f"{hours // 24:,} days"
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


def size(count: float) -> str:
    """A number of bytes as people read it."""
    units = ["B", "kB", "MB", "GB", "TB"]
    while count >= 1000 and len(units) > 1:
        count /= 1000
        units.pop(0)
    return f"{count:.0f} B" if units[0] == "B" else f"{count:.1f} {units[0]}"


def well_formed(text: str) -> str:
    """What was typed, as text that can be written anywhere: bytes that are none become U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def printable(text: str) -> str:
    """Text from the web on one line, without what could steer a terminal."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _shown(char) for char in text)


def told_wait(name: str, until: float | None, why: str) -> str:
    """One of the hosts a job waits for, as `HostBook.waiting` has it."""
    if until is None or math.isinf(until):
        return f"{name} is {why}"
    return f"{name} waits until {moment(until)}: {printable(why)}"


def printable_lines(text: str) -> str:
    """The same for a text of several lines."""
    return "\n".join(printable(line) for line in text.splitlines())


def indented(text: str) -> str:
    """Several lines of somebody else's, below one of ours."""
    return "\n".join(f"    {line}" for line in printable_lines(text.rstrip()).split("\n"))


def _shown(char: str) -> str:
    if char.isspace():
        return " "
    # Joiners, soft hyphens and marks of direction have no width of their own.
    return "" if unicodedata.category(char) == "Cf" else "\N{REPLACEMENT CHARACTER}"
