"""What was done over time? By minutes for a week, by hours for two years, in steps of one's own."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import astuple

from tenax.ports.overview import DoneSums, Overview

MOST_POINTS = 1_500
KEPT_MINUTES = 7 * 24 * 60
MOST_MINUTES = 2 * 366 * 24 * 60
_MINUTE = 60
_HOUR = 60
"""Minutes."""


class TimePoint(DoneSums, frozen=True, kw_only=True):
    """What was done in one step."""

    at: float
    """When the step began."""


class Timeseries(Struct, frozen=True):
    step_seconds: int
    items: list[TimePoint]


class StepTooShort(Struct, frozen=True):
    """It would be too many points, or nobody knows it so exactly any more."""

    why: str


async def timeseries(
    overview: Overview, job_id: int | None, minutes: int, step: int, now: float
) -> Timeseries | StepTooShort:
    """The last minutes in whole steps, so that the same moment is always in the same one."""
    if minutes / step > MOST_POINTS:
        return StepTooShort(f"more than {MOST_POINTS:,} points; make it longer")
    by_hours = minutes > KEPT_MINUTES or step % _HOUR == 0
    if by_hours and step % _HOUR:
        return StepTooShort("what is older than a week is known by the hour: use multiples of 60")
    unit = _HOUR if by_hours else 1
    last = int(now // _MINUTE) // step
    first = last - -(-minutes // step) + 1
    ask = overview.done_by_hours if by_hours else overview.done_by_step
    found = await ask(job_id, first * step // unit, step // unit)
    points = [
        _point(number * step * _MINUTE, found.get(number, DoneSums()))
        for number in range(first, last + 1)
    ]
    return Timeseries(step * _MINUTE, points)


def _point(at: float, sums: DoneSums) -> TimePoint:
    return TimePoint(*astuple(sums), at=at)
