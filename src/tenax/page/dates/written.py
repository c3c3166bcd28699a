"""Which day is meant, however it is written: for machines, or by people in their languages?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from tenax.page.dates.months import MONTHS

# The web is younger than this; a clock ahead of ours by a day is a time zone.
_EARLIEST = 1990
_AHEAD = timedelta(days=2)
_LONGEST_DATE = 64
# What is read beside a year: expressions like these take long over a text without any.
_BEFORE_YEAR = 48
_BEHIND_YEAR = 28

_YEAR = r"((?:19|20)\d\d)(?!\d)"
_NAMES_A_YEAR = re.compile(r"(?:19|20)\d\d")
_A_YEAR_OR_COUNT = re.compile(r"(?:19|20)\d\d|^1\d{9}")
_COMPACT = re.compile(r"\d{8}")
_COMPACT_TIME = re.compile(r"((?:19|20)\d{6})(\d{4}(?:\d\d)?)")
# Seconds or milliseconds since 1970.
_COUNTED = re.compile(r"(1\d{9})(\d{3})?")
_OF_MAIL = re.compile(r"[A-Za-z]{3}, +\d\d? [A-Za-z]{3} \d{4} \d")
# 31 May 2024, 31st of May, 2024, 31. Mai 2024, 31 de mayo de 2024, 1er mai 2024, 31-May-2024
_DAY_FIRST = re.compile(
    r"(?<![\d.,:/])(\d\d?)(?:st|nd|rd|th|er|re|ème|η|º|ª|°|\.)?[\s\-]{0,9}(?:(?:de|of|di|den)\s+)?"
    r"([^\W\d_]{3,13})(?:/[^\W\d_]{3,13})?\.?,?[\s\-]{0,9}(?:(?:de|del|of)\s+)?" + _YEAR
)
# May 31, 2024; May 31st 2024; Sat May 31 10:20:30 UTC 2024
_MONTH_FIRST = re.compile(
    r"(?<!\w)([^\W\d_]{3,13})\.?[\s\-]{1,9}(\d\d?)(?:st|nd|rd|th|\.)?"
    r"(?: \d\d?:\d\d:\d\d(?: [A-Z]{3,4})?)?[\s,\-]{1,9}" + _YEAR
)
# 2024 May 31; 2024. május 31; 2024 m. gegužės 31
_YEAR_AND_NAME = re.compile(
    r"(?<!\d)" + _YEAR + r"\.?\s{0,9}(?:m\.|r\.)?[\s\-]{0,9}([^\W\d_]{3,13})\.?[\s\-]{0,9}"
    r"(\d\d?)(?![\d:])"
)
# 2024-05-31, 2024/5/31, 2024. 5. 31., 2024年5月31日, 2024년 5월 31일
_YEAR_FIRST = re.compile(
    r"(?<!\d)((?:19|20)\d\d)\s?[-/.年년]\s?(\d\d?)\s?[-/.月월]\s?(\d\d?)(?!\d)"
)
# 31.05.2024, 31/5/2024, 5/31/2024
_IN_FIGURES = re.compile(r"(?<![\d./-])(\d\d?)\s?([./-])\s?(\d\d?)\s?\2\s?" + _YEAR)
# Where the month comes first in figures. Elsewhere it does not, and English alone does not tell.
_MONTH_LEADS = frozenset({"en-US", "en-PH", "es-US"})


class WrittenDay(NamedTuple):
    start: int
    end: int
    """Where it stands in the text."""
    day: date


def normalise_date(text: str, fetched_at: float | None = None, language: str = "") -> str:
    """YYYY-MM-DD, with time and offset where given to machines; empty when unreadable,
    ambiguous or implausible."""
    text = text.strip()
    if len(text) > _LONGEST_DATE or not _A_YEAR_OR_COUNT.search(text):
        return ""
    moment, has_time = _parsed(text, language)
    if moment is None or not is_plausible(moment, fetched_at):
        return ""
    if not has_time:
        return moment.date().isoformat()
    return moment.isoformat(timespec="seconds")


def days_in(text: str, language: str = "") -> list[WrittenDay]:
    """All days that a text names, in the order in which it does."""
    found: set[WrittenDay] = set()
    for year in _NAMES_A_YEAR.finditer(text):
        start = max(0, year.start() - _BEFORE_YEAR)
        found.update(_matches(text, start, year.end() + _BEHIND_YEAR, language))
    days = sorted(found)
    return [each for at, each in enumerate(days) if at == 0 or each.start >= days[at - 1].end]


def is_plausible(moment: datetime, fetched_at: float | None) -> bool:
    if moment.year < _EARLIEST:
        return False
    if fetched_at is None:
        return True
    try:
        latest = datetime.fromtimestamp(fetched_at, UTC) + _AHEAD
        return moment.replace(tzinfo=moment.tzinfo or UTC) <= latest
    except (OverflowError, ValueError, OSError):
        return False


def _parsed(text: str, language: str) -> tuple[datetime | None, bool]:
    if compact := _COMPACT_TIME.fullmatch(text):
        text = f"{compact[1]}T{compact[2]}"
    elif counted := _COUNTED.fullmatch(text):
        return datetime.fromtimestamp(int(counted[1]), UTC), True
    try:
        return datetime.fromisoformat(text), len(text) > 10 and not _COMPACT.fullmatch(text)
    except ValueError:
        pass
    if _OF_MAIL.match(text):
        try:
            return parsedate_to_datetime(text), True
        except (ValueError, TypeError, IndexError, OverflowError):
            pass
    days = {each.day for each in days_in(text, language)}
    if len(days) != 1:
        return None, False
    return datetime.combine(days.pop(), datetime.min.time()), False


def _matches(text: str, start: int, end: int, language: str) -> Iterator[WrittenDay]:
    for found in _YEAR_FIRST.finditer(text, start, end):
        yield from _day(found, found[1], int(found[2]), found[3])
    for found in _IN_FIGURES.finditer(text, start, end):
        if order := _order(int(found[1]), int(found[3]), found[2], language):
            yield from _day(found, found[4], *order)
    for found in _DAY_FIRST.finditer(text, start, end):
        yield from _day(found, found[3], MONTHS.get(found[2].lower(), 0), found[1])
    for found in _MONTH_FIRST.finditer(text, start, end):
        yield from _day(found, found[3], MONTHS.get(found[1].lower(), 0), found[2])
    for found in _YEAR_AND_NAME.finditer(text, start, end):
        yield from _day(found, found[1], MONTHS.get(found[2].lower(), 0), found[3])


def _order(one: int, other: int, sign: str, language: str) -> tuple[int, int] | None:
    """Month and day of two figures; None when either may be the month."""
    if one > 12 or one == other:
        return other, one
    if other > 12:
        return one, other
    if sign == "." or (language and language != "en" and language not in _MONTH_LEADS):
        return other, one
    return (one, other) if language in _MONTH_LEADS else None


def _day(found: re.Match[str], year: str, month: int, day: str | int) -> Iterator[WrittenDay]:
    try:
        yield WrittenDay(found.start(), found.end(), date(int(year), month, int(day)))
    except ValueError:
        return
