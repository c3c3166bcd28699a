"""When does a scheduled job run next? Intervals and cron lines, in any time zone. Pure (FR-6).

Clocks are set forward and back. A job with fixed hours (`30 2 * * *`) runs once a day all the same:
a time that is skipped runs at the moment after the gap, one that comes twice runs the first time.
A job that runs in any hour (`*/15 * * * *`) goes by the time that passes: nothing is made up for
where hours are missing, and it goes on in an hour that comes twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo

from msgspec import Struct

from tenax.jobs.durations import DurationError, parse_duration, tell_duration


class ScheduleError(ValueError):
    """A schedule that cannot be; the text says what, where, and what to do."""


class CronField(Struct, frozen=True):
    """One of the five fields of a cron line."""

    values: frozenset[int]
    is_open: bool
    """It begins with `*`, or is `?`: it leaves the choice to the others."""


class Cron(Struct, frozen=True):
    minute: CronField
    hour: CronField
    day: CronField
    month: CronField
    weekday: CronField
    """0 is Sunday."""

    def runs_on(self, day: date) -> bool:
        """As cron has it: with both days named, either will do."""
        if day.month not in self.month.values:
            return False
        by_day = day.day in self.day.values
        by_weekday = day.isoweekday() % 7 in self.weekday.values
        if self.day.is_open or self.weekday.is_open:
            return by_day and by_weekday
        return by_day or by_weekday

    def times(self) -> list[time]:
        return [time(h, m) for h in sorted(self.hour.values) for m in sorted(self.minute.values)]


class Schedule(Struct, frozen=True):
    text: str
    rule: float | Cron
    """Seconds from one run to the next, or the moments of a cron line."""
    zone: tzinfo = UTC
    """Whose clocks a cron line goes by."""


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_NICKNAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}


class _Kind(Struct, frozen=True):
    name: str
    least: int
    most: int
    names: tuple[str, ...] = ()


_FIELDS = (
    _Kind("minute", 0, 59),
    _Kind("hour", 0, 23),
    _Kind("day of month", 1, 31),
    _Kind("month", 1, 12, _MONTHS),
    # Both 0 and 7 are Sunday, so that fri-sun can be said.
    _Kind("day of week", 0, 7, _WEEKDAYS),
)
_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_PART = re.compile(r"(\*|\?|[a-z0-9]{1,9})(?:-([a-z0-9]{1,9}))?(?:/([0-9]{1,9}))?")
_SHORTEST = 1.0
_HELP = "Use 'every 6h', '@daily', or five fields: minute hour day-of-month month day-of-week"


def parse_schedule(text: str) -> Schedule:
    """`every 1d12h`, `@hourly` and its kin, or a cron line of five fields; behind the latter two
    there may be a time zone."""
    wanted = " ".join(text.lower().split())
    if wanted.startswith("every ") or wanted == "every":
        return Schedule(text.strip(), _every(text, wanted.removeprefix("every").strip()))
    *parts, last = text.split() or [""]
    if len(parts) != (1 if wanted.startswith("@") else len(_FIELDS)) or not last[0].isalpha():
        return Schedule(text.strip(), _cron(text, wanted.split()))
    return Schedule(text.strip(), _cron(text, " ".join(parts).lower().split()), parse_zone(last))


def next_run(schedule: Schedule, after: float) -> float:
    """The first moment of the schedule strictly after this one."""
    if isinstance(schedule.rule, float):
        return after + schedule.rule
    return _first(schedule.rule, after, schedule.zone)


def following_run(schedule: Schedule, due_at: float, now: float) -> float:
    """The run behind one that was due then and begins now: those missed meanwhile are passed over,
    and one that begins late does not make the next one late."""
    if isinstance(schedule.rule, float):
        passed = max(0.0, now - due_at) // schedule.rule
        return due_at + (passed + 1) * schedule.rule
    return next_run(schedule, max(due_at, now))


def parse_zone(name: str) -> tzinfo:
    """A time zone by its name, as `Europe/Berlin`."""
    if name.upper() in ("", "UTC", "Z"):
        return UTC
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        raise ScheduleError(
            f"{name!r}: no such time zone here. Use a name like Europe/Berlin, or UTC; where none"
            " is known, install the package tzdata."
        ) from None


def describe_schedule(schedule: Schedule) -> str:
    """For people: `every 6 hours`, `at 03:00 on Monday (Europe/Berlin)`."""
    if isinstance(schedule.rule, float):
        length = tell_duration(schedule.rule)
        return f"every {length if ' ' in length[2:] else length.removeprefix('1 ')}"
    cron = schedule.rule
    zone = "" if schedule.zone is UTC else f"({schedule.zone})"
    told = (_tell_times(cron), _tell_days(cron), _tell_months(cron), zone)
    return " ".join(part for part in told if part)


def _every(text: str, wanted: str) -> float:
    try:
        seconds = parse_duration(f"1 {wanted}" if wanted.isalpha() else wanted)
    except DurationError as error:
        raise ScheduleError(f"{text!r}: {error}") from None
    if seconds < _SHORTEST:
        raise ScheduleError(f"{text!r}: too often. Leave at least a second between runs.")
    return seconds


def _cron(text: str, parts: list[str]) -> Cron:
    if parts and parts[0].startswith("@"):
        named = _NICKNAMES.get(" ".join(parts))
        if named is None:
            raise ScheduleError(f"{text!r}: no such name. Use one of {', '.join(_NICKNAMES)}.")
        parts = named.split()
    if len(parts) != len(_FIELDS):
        raise ScheduleError(f"{text!r}: {len(parts)} fields, where five are wanted. {_HELP}.")
    minute, hour, day, month, weekday = (
        _field(text, part, kind) for part, kind in zip(parts, _FIELDS, strict=True)
    )
    weekday = CronField(frozenset(n % 7 for n in weekday.values), weekday.is_open)
    cron = Cron(minute, hour, day, month, weekday)
    longest = max(_LENGTHS[n - 1] for n in month.values)
    if weekday.is_open and min(day.values) > longest:
        raise ScheduleError(
            f"{text!r}: never runs, no month it names has a day {min(day.values)}."
            f" The longest of them has {longest} days."
        )
    return cron


def _field(text: str, part: str, kind: _Kind) -> CronField:
    values: set[int] = set()
    for piece in part.split(","):
        match = _PART.fullmatch(piece)
        if match is None:
            raise _wrong(text, kind, piece, "not understood")
        values.update(_range(text, kind, piece, *match.groups()))
    return CronField(frozenset(values), part[0] in "*?")


def _range(
    text: str, kind: _Kind, piece: str, first: str, last: str | None, step: str | None
) -> range:
    every = int(step) if step else 1
    if every < 1:
        raise _wrong(text, kind, piece, "a step of 0 never gets on")
    if first in "*?":
        if last:
            raise _wrong(text, kind, piece, "a range needs a number where it begins")
        # Sunday only once, or steps would count it as two days.
        return range(kind.least, kind.most + (kind.names is not _WEEKDAYS), every)
    low = _number(text, kind, piece, first)
    if last is None:
        return range(low, kind.most + 1, every) if step else range(low, low + 1)
    high = _number(text, kind, piece, last)
    if kind.names is _WEEKDAYS and high == 0 < low:
        high = 7
    if high < low:
        raise _wrong(text, kind, piece, "the range runs backwards: give it as two, with a comma")
    return range(low, high + 1, every)


def _number(text: str, kind: _Kind, piece: str, word: str) -> int:
    named = [n for n, name in enumerate(kind.names) if name.lower().startswith(word)]
    if named and len(word) >= 3:
        return named[0] + (kind.names is _MONTHS)
    if not word.isdecimal():
        nor = " and no name" if kind.names else ""
        raise _wrong(text, kind, piece, f"{word!r} is no number{nor}")
    if not kind.least <= int(word) <= kind.most:
        raise _wrong(text, kind, piece, f"{word} is out of range")
    return int(word)


def _wrong(text: str, kind: _Kind, piece: str, why: str) -> ScheduleError:
    names = f" or {kind.names[0][:3]} to {kind.names[-1][:3]}".lower() if kind.names else ""
    return ScheduleError(
        f"{text!r}: {kind.name} {piece!r}: {why}. Use {kind.least} to {kind.most}{names},"
        " lists (1,15), ranges (1-5), steps (*/10), or *."
    )


def _first(cron: Cron, after: float, tz: tzinfo) -> float:
    day = datetime.fromtimestamp(after, tz).date() - timedelta(days=1)
    times = cron.times()
    found: list[float] = []
    while True:
        # Where clocks go back over midnight, moments of one day fall into those of the next.
        is_last = bool(found)
        if cron.runs_on(day):
            found += [at for moment in times for at in _real(cron, day, moment, tz) if at > after]
        if is_last:
            return min(found)
        day = _next_day(cron, day)


def _next_day(cron: Cron, day: date) -> date:
    day += timedelta(days=1)
    while day.month not in cron.month.values:
        day = (day.replace(day=28) + timedelta(days=4)).replace(day=1)
    return day


def _real(cron: Cron, day: date, moment: time, tz: tzinfo) -> list[float]:
    """When the clocks there show this: once, twice, or never, and what is made of that."""
    wall = datetime.combine(day, moment, tz)
    first, second = wall.timestamp(), wall.replace(fold=1).timestamp()
    if first == second:
        return [first]
    if first > second:
        # In a gap: read with the offset after it, the time lies before it, and the other way round.
        return [] if cron.hour.is_open else [_end_of_gap(second, first, tz)]
    return [first, second] if cron.hour.is_open else [first]


def _end_of_gap(before: float, behind: float, tz: tzinfo) -> float:
    """The moment between these two at which the offset changes, to the second."""
    start = int(before)
    offset = datetime.fromtimestamp(start, tz).utcoffset()
    low, high = start, int(behind) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if datetime.fromtimestamp(middle, tz).utcoffset() == offset:
            low = middle
        else:
            high = middle
    return float(high)


def _tell_times(cron: Cron) -> str:
    minutes, hours = sorted(cron.minute.values), sorted(cron.hour.values)
    if len(hours) == 24:
        return _tell_minutes(minutes)
    if len(minutes) * len(hours) <= 6:
        return f"at {_listed([f'{h:02}:{m:02}' for h in hours for m in minutes])}"
    return f"{_tell_minutes(minutes)}, in the hours {_runs(hours, [f'{h:02}' for h in range(24)])}"


def _tell_minutes(minutes: list[int]) -> str:
    step = minutes[1] - minutes[0] if len(minutes) > 1 else 60
    if minutes == list(range(0, 60, step)) and 60 % step == 0:
        return {1: "every minute", 60: "every hour"}.get(step, f"every {step} minutes")
    return f"every hour at minute {_runs(minutes, [str(n) for n in range(60)])}"


def _tell_days(cron: Cron) -> str:
    days, weekdays = sorted(cron.day.values), sorted(cron.weekday.values)
    told = []
    if len(days) < 31:
        told.append(f"on day {_runs(days, [str(n) for n in range(32)])} of the month")
    if len(weekdays) < 7:
        # From Monday to Sunday, as weeks are read.
        week = (*_WEEKDAYS[1:], _WEEKDAYS[0])
        told.append(f"on {_runs(sorted((n - 1) % 7 for n in weekdays), week)}")
    if len(told) == 2 and (cron.day.is_open or cron.weekday.is_open):
        return f"{told[0]}, when that falls {told[1]},"
    return " and ".join(told) if told else _every_day(cron)


def _every_day(cron: Cron) -> str:
    return "every day" if len(cron.hour.values) < 24 else ""


def _tell_months(cron: Cron) -> str:
    if len(cron.month.values) == 12:
        return ""
    return f"in {_runs([n - 1 for n in sorted(cron.month.values)], _MONTHS)}"


def _runs(numbers: list[int], names: Sequence[str]) -> str:
    """`1, 2, 3, 5` as `1 to 3 and 5`."""
    runs: list[list[int]] = []
    for n in numbers:
        if runs and runs[-1][-1] == n - 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    told: list[str] = []
    for run in runs:
        if len(run) > 2:
            told.append(f"{names[run[0]]} to {names[run[-1]]}")
        else:
            told += [names[n] for n in run]
    return _listed(told)


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
