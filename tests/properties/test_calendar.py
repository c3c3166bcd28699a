"""Whatever the line and the zone, a schedule runs when a clock watched every minute says so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tenax.jobs.calendar import Cron, next_run, parse_schedule

ZONES = [
    UTC,
    ZoneInfo("Europe/Berlin"),
    ZoneInfo("America/St_Johns"),  # half an hour off, and clocks that were set at 00:01
    ZoneInfo("Australia/Lord_Howe"),  # clocks are set by half an hour
    ZoneInfo("America/Asuncion"),  # clocks are set at midnight
    ZoneInfo("Asia/Kathmandu"),
]
# Close to when clocks are set, and anywhere.
MOMENTS = st.sampled_from([
    datetime(2026, 3, 28, 22, tzinfo=UTC).timestamp(),
    datetime(2026, 10, 24, 22, tzinfo=UTC).timestamp(),
    datetime(2010, 3, 13, 20, tzinfo=UTC).timestamp(),
    datetime(2010, 11, 6, 20, tzinfo=UTC).timestamp(),
    datetime(2026, 4, 4, 6, tzinfo=UTC).timestamp(),
    datetime(2026, 10, 3, 6, tzinfo=UTC).timestamp(),
    datetime(2023, 3, 25, 20, tzinfo=UTC).timestamp(),
    datetime(2023, 9, 30, 20, tzinfo=UTC).timestamp(),
    datetime(2024, 2, 28, 12, tzinfo=UTC).timestamp(),
    datetime(2026, 12, 31, 20, tzinfo=UTC).timestamp(),
]).flatmap(lambda at: st.floats(at, at + 12 * 3_600, allow_nan=False))  # fmt: skip
LONGEST = 3 * 24 * 60


def field(least: int, most: int) -> st.SearchStrategy[str]:
    number = st.integers(least, most)
    spans = st.tuples(number, number).map(lambda pair: f"{min(pair)}-{max(pair)}")
    steps = st.tuples(st.one_of(st.just("*"), spans), st.integers(1, 12)).map(
        lambda pair: f"{pair[0]}/{pair[1]}"
    )
    lists = st.lists(st.one_of(number.map(str), spans), min_size=1, max_size=3).map(",".join)
    return st.one_of(st.just("*"), lists, steps)


LINES = st.tuples(field(0, 59), field(0, 23), field(1, 28), st.just("*"), field(0, 7)).map(" ".join)


@settings(deadline=None, max_examples=60)
@given(LINES, MOMENTS, st.sampled_from(ZONES))
@example("30 2 * * *", datetime(2026, 3, 28, 23, tzinfo=UTC).timestamp(), ZONES[1])
@example("*/5 0 * * *", datetime(2023, 9, 30, 20, tzinfo=UTC).timestamp(), ZONES[4])
def test_the_next_run_is_the_first_one_a_watcher_sees(
    line: str, after: float, zone: ZoneInfo
) -> None:
    schedule = parse_schedule(line)
    assert isinstance(schedule.rule, Cron)
    seen = _watch(schedule.rule, after, zone)
    found = next_run(replace(schedule, zone=zone), after)
    assert found > after
    assert found == seen if seen is not None else found > after + LONGEST * 60


def _watch(cron: Cron, after: float, zone: ZoneInfo) -> float | None:
    """Look at the clock every minute; where it jumps ahead, at what it left out."""
    start = int(after // 60 + 1) * 60
    before = datetime.fromtimestamp(start - 60, zone).replace(tzinfo=None)
    for n in range(LONGEST):
        here = datetime.fromtimestamp(start + n * 60, zone)
        wall = here.replace(tzinfo=None)
        skipped = before + timedelta(minutes=1)
        while skipped < wall:
            if not cron.hour.is_open and _matches(cron, skipped):
                return start + n * 60.0
            skipped += timedelta(minutes=1)
        if _matches(cron, wall) and (cron.hour.is_open or not here.fold):
            return start + n * 60.0
        before = wall
    return None


def _matches(cron: Cron, wall: datetime) -> bool:
    by_day, by_weekday = (
        wall.day in cron.day.values,
        (wall.weekday() + 1) % 7 in cron.weekday.values,
    )
    either = not (cron.day.is_open or cron.weekday.is_open)
    return (
        wall.minute in cron.minute.values
        and wall.hour in cron.hour.values
        and wall.month in cron.month.values
        and ((by_day or by_weekday) if either else (by_day and by_weekday))
    )
