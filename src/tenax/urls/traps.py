"""Does a URL look like one of endlessly many that a site makes up as it is crawled? (URL-6)

Only its own spelling is judged. A false alarm loses real pages for good, a miss costs a few
requests before depth and other limits end it, so everything doubtful passes.
"""

from __future__ import annotations

import re
from collections import Counter

MAX_SEGMENTS = 20
MAX_OCCURRENCES = 5
"""Of one path segment, wherever it stands."""
MAX_PARAMETERS = 15
MAX_REPEATED_PARAMETER = 4
YEARS_AHEAD = 5
EARLIEST_YEAR = 1800
"""Digitised newspapers file their pages by date, and go back this far."""


def trap(path_and_query: str, this_year: int) -> str | None:
    """Why this is taken for a trap, or None."""
    path, _, query = path_and_query.partition("?")
    # Growth of every kind needs room; most paths are too short for any of it.
    why = _path_trap(path, this_year) if path.count("/") > 2 else _calendar(path, this_year)
    if why is None and query:
        why = _query_trap(query, this_year)
    if why is None and "%252525" in path_and_query:
        return "an escape escaped over and over"
    return why


def _path_trap(path: str, this_year: int) -> str | None:
    segments = path.removesuffix("/").split("/")[1:]
    if len(segments) > MAX_SEGMENTS:
        return f"{len(segments)} path segments (limit {MAX_SEGMENTS})"
    return _repetition(segments) or _calendar(path, this_year)


def _repetition(segments: list[str]) -> str | None:
    if len(set(segments)) == len(segments):
        return None
    # Templates that leave a variable empty write //; that repeats nothing.
    named = [segment for segment in segments if segment]
    for length in (1, 2, 3):
        if cycle := _cycle(named, length):
            return f"/{'/'.join(cycle)} three times in a row"
    # Numbers repeat wherever there are few of them: the pages of a tree are 0/1/1/0/1.
    for segment, times in Counter(named).items():
        if times > MAX_OCCURRENCES and not segment.isdecimal():
            return f"/{segment} {times} times"
    return None


def _cycle(segments: list[str], length: int) -> list[str] | None:
    """The first `length` segments that come three times in a row.

    Numbers alone do not count: /1/1/1 is a chapter and a verse, a tile on a map, a date.
    """
    same = 0
    for at in range(length, len(segments)):
        same = same + 1 if segments[at] == segments[at - length] else 0
        if same >= 2 * length:
            cycle = segments[at - length + 1 : at + 1]
            if not all(segment.isdecimal() for segment in cycle):
                return cycle
    return None


_DATE_IN_PATH = re.compile(r"/(\d{4})([/-])(\d\d?)(?:\2(\d\d?))?(?=/|$)", re.ASCII)
_CALENDAR_WORDS = ("calendar", "event", "agenda")
_CENTURY = 100


def _calendar(path: str, this_year: int) -> str | None:
    """A date in the path that no calendar of real events would reach."""
    if _DATE_IN_PATH.search(path) is None:
        return None
    for match in _DATE_IN_PATH.finditer(path):
        year, month, day = int(match[1]), match[3], match[4]
        if _is_plausible(year, this_year) or not 1 <= int(month) <= 12:
            continue
        if day is None and not _is_surely_a_month(path, year, month, this_year):
            continue
        if day is None or 1 <= int(day) <= 31:
            return f"a calendar that has reached {match[0].strip('/')}"
    return None


def _is_surely_a_month(path: str, year: int, month: str, this_year: int) -> bool:
    """Tell /2050/07 from page 7 of topic 2050.

    A calendar is walked month by month, so to stop it is enough to know it in the hundred
    years around the plausible ones; further off, two numbers are just two numbers.
    """
    near = EARLIEST_YEAR - _CENTURY <= year <= this_year + YEARS_AHEAD + _CENTURY
    return near and (len(month) == 2 or any(word in path.lower() for word in _CALENDAR_WORDS))


def _query_trap(query: str, this_year: int) -> str | None:
    if query.count("&") >= MAX_REPEATED_PARAMETER and (why := _growth(query)):
        return why
    if _DATE_PARAMETER.search(query) is None:
        return None
    values = {name.lower(): value for name, value in _DATE_PARAMETER.findall(query)}
    reasons = (_date_trap(name, values, this_year) for name in values)
    return next((why for why in reasons if why), None)


def _growth(query: str) -> str | None:
    names = [parameter.partition("=")[0] for parameter in query.split("&") if parameter]
    if len(names) > MAX_PARAMETERS:
        return f"{len(names)} query parameters (limit {MAX_PARAMETERS})"
    for name, times in Counter(names).items():
        if times > MAX_REPEATED_PARAMETER:
            return f"query parameter {name} {times} times"
    return None


_DATE_PARAMETER = re.compile(
    r"(?:^|&)(year|yearmonth|month|week|day|date|calendar|cal_?date|event_?date|start_?date"
    r"|tribe-bar-date)=(\d[^&]*)",
    re.ASCII | re.IGNORECASE,
)
_DATE_VALUE = re.compile(
    r"(\d{4})-\d\d?(?:-\d\d?)?(?![\d-])|(\d{4})(?:0\d|1[0-2])[0-3]\d$", re.ASCII
)


def _date_trap(name: str, values: dict[str, str], this_year: int) -> str | None:
    value = values[name]
    if name == "year":
        return _year_trap(value, "month" in values or "day" in values, this_year)
    match = _DATE_VALUE.match(value)
    if match is None or _is_plausible(int(match[1] or match[2]), this_year):
        return None
    return f"a calendar that has reached {name}={value}"


def _year_trap(value: str, is_calendar: bool, this_year: int) -> str | None:
    """A year alone is often a filter: a library has books of 1650, but none of 2650."""
    if not _FOUR_DIGITS.fullmatch(value) or _is_plausible(int(value), this_year):
        return None
    if int(value) < EARLIEST_YEAR and not is_calendar:
        return None
    return f"a calendar that has reached year={value}"


_FOUR_DIGITS = re.compile(r"\d{4}", re.ASCII)


def _is_plausible(year: int, this_year: int) -> bool:
    return EARLIEST_YEAR <= year <= this_year + YEARS_AHEAD
