"""What day was it where a page was published, if it tells the moment in UTC?

Sites that have the day in their addresses have their own there, while their software tells the
moment in UTC, which names the next day for what is published in an American evening.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from tenax.page.dates.written import normalise_date

UTC = "+00:00"
# Nobody's clock is further behind it, or ahead of it.
_BEHIND, _AHEAD = timedelta(hours=-10), timedelta(hours=14)
_TIME = re.compile(r"T\d\d(:\d\d:\d\d)")


def as_told_there(moment: str, day: str, body: bytes) -> str:
    """A moment in UTC by a clock by which it was that day, if the page has it so anywhere; else the
    day. As it was, where it was that day nowhere, or no day is given."""
    time = _TIME.search(moment)
    if time is None or not day or moment.startswith(day):
        return moment
    told, there = datetime.fromisoformat(moment), date.fromisoformat(day)
    apart = (there - told.date()).days
    if abs(apart) != 1 or (told + (_AHEAD if apart > 0 else _BEHIND)).date() != there:
        return moment
    said = re.compile(rf"{day}T\d\d{time[1]}(?:\.\d{{1,9}})?[+-]\d\d:?\d\d".encode())
    for found in said.finditer(body):
        local = normalise_date(found[0].decode())
        if local and datetime.fromisoformat(local) == told:
            return local
    return day
