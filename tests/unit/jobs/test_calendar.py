"""When a scheduled job runs (FR-6)."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tenax.jobs.calendar import (
    Schedule,
    ScheduleError,
    describe_schedule,
    following_run,
    next_run,
    parse_schedule,
    parse_zone,
)

BERLIN = ZoneInfo("Europe/Berlin")
APIA = ZoneInfo("Pacific/Apia")


def at(text: str, zone: ZoneInfo | None = None) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=zone or UTC).timestamp()


def there(line: str, zone: ZoneInfo | None = None) -> Schedule:
    return parse_schedule(f"{line} {zone}" if zone else line)


def runs(line: str, after: str, count: int, zone: ZoneInfo | None = None) -> list[str]:
    """The next moments of a schedule as the clocks there show them."""
    schedule, moment, told = there(line, zone), at(after, zone), []
    for _ in range(count):
        moment = next_run(schedule, moment)
        told.append(datetime.fromtimestamp(moment, zone or UTC).strftime("%m-%d %H:%M"))
    return told


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("every 6h", 21_600),
        ("every 30m", 1_800),
        ("every 1d12h", 129_600),
        ("Every 2 hours 30 minutes", 9_000),
        ("every day", 86_400),
        ("every 2w", 1_209_600),
    ],
)
def test_an_interval_counts_from_the_moment_given(line: str, seconds: float) -> None:
    assert next_run(parse_schedule(line), 1_000.5) == 1_000.5 + seconds


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("@hourly", ["11-16 04:00", "11-16 05:00"]),
        ("@daily", ["11-17 00:00", "11-18 00:00"]),
        ("@weekly", ["11-22 00:00", "11-29 00:00"]),
        ("@monthly", ["12-01 00:00", "01-01 00:00"]),
        ("@yearly", ["01-01 00:00"]),
        ("*/20 * * * *", ["11-16 03:40", "11-16 04:00", "11-16 04:20"]),
        ("5,35 9-10 * * *", ["11-16 09:05", "11-16 09:35", "11-16 10:05", "11-16 10:35"]),
        ("0 9 * * mon-fri", ["11-16 09:00", "11-17 09:00"]),
        ("0 9 * * 5-7", ["11-20 09:00", "11-21 09:00", "11-22 09:00", "11-27 09:00"]),
        ("0 9 * * sat-sun", ["11-21 09:00", "11-22 09:00", "11-28 09:00"]),
        ("0 9 ? JAN,dec *", ["12-01 09:00", "12-02 09:00"]),
        ("10/25 4 * * *", ["11-16 04:10", "11-16 04:35", "11-17 04:10"]),
        ("0 0 1-10/4 * *", ["12-01 00:00", "12-05 00:00", "12-09 00:00"]),
    ],
)
def test_a_line_runs_at_its_moments(line: str, wanted: list[str]) -> None:
    assert runs(line, "2026-11-16T03:20:00", len(wanted)) == wanted


def test_a_run_is_strictly_after_the_moment_given() -> None:
    schedule = parse_schedule("0 4 * * *")
    assert next_run(schedule, at("2026-11-16T04:00:00")) == at("2026-11-17T04:00:00")
    assert next_run(schedule, at("2026-11-16T03:59:59.999")) == at("2026-11-16T04:00:00")


def test_with_a_day_of_the_month_and_a_weekday_either_will_do() -> None:
    wanted = ["11-20 00:00", "11-27 00:00", "12-01 00:00", "12-04 00:00"]
    assert runs("0 0 1 * fri", "2026-11-16", 4) == wanted


def test_a_day_that_begins_with_a_star_leaves_the_choice_to_the_other() -> None:
    assert runs("0 0 */2 * fri", "2026-11-16", 2) == ["11-27 00:00", "12-11 00:00"]


def test_months_without_a_31st_are_passed_over() -> None:
    assert runs("0 0 31 * *", "2026-01-31T12:00:00", 3) == [
        "03-31 00:00",
        "05-31 00:00",
        "07-31 00:00",
    ]


def test_a_leap_day_comes_in_leap_years_and_not_in_2100() -> None:
    schedule = parse_schedule("0 0 29 2 *")
    assert next_run(schedule, at("2026-11-16")) == at("2028-02-29")
    assert next_run(schedule, at("2096-03-01")) == at("2104-02-29")


def test_a_leap_day_on_a_sunday_is_found_decades_ahead() -> None:
    assert next_run(parse_schedule("0 0 29 2 */7"), at("2088-03-01")) == at("2128-02-29")


def test_a_time_that_is_skipped_runs_at_the_moment_after_the_gap() -> None:
    wanted = ["03-28 02:30", "03-29 03:00", "03-30 02:30"]
    assert runs("30 2 * * *", "2026-03-28T00:00:00", 3, BERLIN) == wanted


def test_several_skipped_times_run_once() -> None:
    wanted = ["03-29 03:00", "03-30 02:00", "03-30 02:15"]
    assert runs("*/15 2 * * *", "2026-03-29T00:00:00", 3, BERLIN) == wanted


def test_a_day_that_was_skipped_runs_when_the_next_one_begins() -> None:
    """Samoa had no 30 December in 2011."""
    assert runs("0 12 30 12 *", "2011-12-29T13:00:00", 1, APIA) == ["12-31 00:00"]


def test_a_time_that_comes_twice_runs_the_first_time() -> None:
    schedule = there("30 2 * * *", BERLIN)
    first = next_run(schedule, at("2026-10-25T00:00:00", BERLIN))
    assert first == at("2026-10-25T00:30:00")
    assert next_run(schedule, first) == at("2026-10-26T01:30:00")


def test_what_runs_in_any_hour_goes_by_the_time_that_passes() -> None:
    schedule = there("*/30 * * * *", BERLIN)
    for start in ("2026-03-29T00:30:00", "2026-10-24T23:30:00"):
        moment = at(start)
        for n in range(1, 8):
            moment = next_run(schedule, moment)
            assert moment == at(start) + n * 1_800


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("", "0 fields"),
        ("* * * *", "4 fields, where five are wanted"),
        ("* * * * * *", "6 fields"),
        ("60 * * * *", "minute '60': 60 is out of range. Use 0 to 59"),
        ("* 24 * * *", "hour '24'"),
        ("* * 0 * *", "day of month '0'"),
        ("* * * 13 *", "month '13'"),
        ("* * * * 8", "day of week '8'"),
        ("* * * foo *", "'foo' is no number and no name"),
        ("* * * * monkey", "'monkey' is no number and no name"),
        ("5-1 * * * *", "runs backwards"),
        ("*/0 * * * *", "step of 0"),
        ("*-5 * * * *", "needs a number where it begins"),
        ("1,,2 * * * *", "minute '': not understood"),
        ("-1 * * * *", "minute '-1': not understood"),
        ("* * * * " + "9" * 5_000, "not understood"),
        ("@reboot", "no such name. Use one of @hourly"),
        ("@reboot Europe/Berlin", "no such name. Use one of @hourly"),
        ("@daily Mars/Olympus", "'Mars/Olympus': no such time zone here"),
        ("0 3 * * * Berlin", "'Berlin': no such time zone here"),
        ("0 3 * * * * Europe/Berlin", "7 fields"),
        ("every 6h Europe/Berlin", "is no duration"),
        ("every", "is no duration"),
        ("every 5", "without a unit. Write 90s"),
        ("every 0s", "more than nothing"),
        ("every 12h1d", "is no duration"),
    ],
)
def test_what_cannot_be_is_said_with_its_place(line: str, part: str) -> None:
    with pytest.raises(ScheduleError, match="'") as raised:
        parse_schedule(line)
    assert part in str(raised.value)


@pytest.mark.parametrize("line", ["0 0 31 2 *", "0 0 30 feb *", "0 0 31 4,6,9,11 *"])
def test_a_date_that_never_comes_is_refused_at_once(line: str) -> None:
    with pytest.raises(ScheduleError, match="never runs"):
        parse_schedule(line)


def test_a_date_that_never_comes_is_no_matter_beside_a_weekday() -> None:
    assert runs("0 0 31 2 mon", "2026-02-01", 2) == ["02-02 00:00", "02-09 00:00"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("every 6h", "every 6 hours"),
        ("every 1d", "every day"),
        ("every 1d12h", "every 1 day 12 hours"),
        ("* * * * *", "every minute"),
        ("@hourly", "every hour"),
        ("*/15 * * * *", "every 15 minutes"),
        ("7 * * * *", "every hour at minute 7"),
        ("0 3 * * *", "at 03:00 every day"),
        ("0 0,12 * * *", "at 00:00 and 12:00 every day"),
        ("0 3 * * mon-fri", "at 03:00 on Monday to Friday"),
        ("0 3 * * sun,mon", "at 03:00 on Monday and Sunday"),
        ("0 3 1,15 * *", "at 03:00 on day 1 and 15 of the month"),
        ("0 3 1 * sun", "at 03:00 on day 1 of the month and on Sunday"),
        ("0 3 1 1-3,12 *", "at 03:00 on day 1 of the month in January to March and December"),
        ("*/20 8-17 * * *", "every 20 minutes, in the hours 08 to 17 every day"),
        ("@daily Europe/Berlin", "at 00:00 every day (Europe/Berlin)"),
        ("0 3 * * * UTC", "at 03:00 every day"),
    ],
)
def test_a_schedule_can_be_told(line: str, told: str) -> None:
    assert describe_schedule(parse_schedule(line)) == told


def test_zones_are_known_by_name() -> None:
    assert parse_zone("Europe/Berlin") == BERLIN
    assert parse_zone("utc") is UTC


@pytest.mark.parametrize(
    "name", ["Mars/Olympus", "../../etc/passwd", "/etc/passwd", "Europe", "\0"]
)
def test_an_unknown_zone_is_named_with_a_way_out(name: str) -> None:
    with pytest.raises(ScheduleError, match="no such time zone here"):
        parse_zone(name)


@pytest.mark.parametrize("line", ["0 3 * * * Europe/Berlin", "  0  3 * * *   Europe/Berlin "])
def test_a_line_may_name_whose_clocks_it_goes_by(line: str) -> None:
    summer, winter = at("2026-07-01T00:00:00"), at("2026-12-01T00:00:00")
    assert next_run(parse_schedule(line), summer) == at("2026-07-01T01:00:00")
    assert next_run(parse_schedule(line), winter) == at("2026-12-01T02:00:00")


@pytest.mark.parametrize(
    ("line", "due", "now", "then"),
    [
        ("every 6h", "00:00:00", "00:00:01", "06:00:00"),
        ("every 6h", "00:00:00", "05:59:59", "06:00:00"),
        ("every 6h", "00:00:00", "06:00:00", "12:00:00"),
        ("every 6h", "00:00:00", "20:30:00", "00:00:00"),
        ("every 6h", "12:00:00", "03:00:00", "18:00:00"),
        ("@hourly", "03:00:00", "03:00:01", "04:00:00"),
        ("@hourly", "03:00:00", "17:20:00", "18:00:00"),
        ("@hourly", "04:00:00", "03:59:59", "05:00:00"),
    ],
)
def test_missed_runs_are_passed_over_and_a_late_one_makes_none_late(
    line: str, due: str, now: str, then: str
) -> None:
    day = "2026-11-16T"
    found = following_run(parse_schedule(line), at(day + due), at(day + now))
    assert datetime.fromtimestamp(found, UTC).strftime("%H:%M:%S") == then
    assert found > at(day + now)
