"""PAGE-1: days as people write them, in their languages."""

from __future__ import annotations

from datetime import date

import pytest

from tenax.page.dates.months import MONTHS
from tenax.page.dates.written import days_in, normalise_date

NOW = 1_800_000_000.0  # January 2027


@pytest.mark.parametrize(
    "text",
    [
        "31 May 2024", "31st of May, 2024", "May 31, 2024", "May 31st 2024", "31-May-2024",
        "Friday May 31, 2024 @11:40AM", "Fri May 31 10:20:30 UTC 2024", "May. 31,\n2024",
        "31. Mai 2024", "Freitag, den 31. Mai 2024, 10:20 Uhr", "vendredi 31 mai 2024 à 10h20",
        "31 de mayo de 2024", "31 maggio 2024", "31 de maio de 2024", "31 mei 2024",
        "31 maja 2024", "31 мая 2024 г.", "31 травня 2024", "31. května 2024", "2024. május 31.",
        "31. mája 2024", "31 mai 2024", "31. toukokuuta 2024", "den 31 maj 2024", "31. maí 2024",
        "31 Mayıs 2024 Cuma", "31 Μαΐου 2024", "31 مايو 2024",
        "2024年5月31日", "2024 年 5 月 31 日", "2024년 5월 31일", "2024. 5. 31.",
        "2024 m. gegužės 31 d.",
        "31.05.2024", "31.5.2024 10:20", "31/05/2024", "05/31/2024", "2024/5/31", "2024.05.31",
    ],
)  # fmt: skip
def test_a_day_is_known_however_it_is_written(text: str) -> None:
    assert normalise_date(text, NOW) == "2024-05-31"


def test_figures_are_read_as_the_language_has_them() -> None:
    assert normalise_date("03/04/2024", NOW, "de") == "2024-04-03"
    assert normalise_date("03/04/2024", NOW, "en-GB") == "2024-04-03"
    assert normalise_date("03/04/2024", NOW, "en-US") == "2024-03-04"
    assert normalise_date("03/04/2024", NOW, "en") == ""
    assert normalise_date("04/04/2024", NOW, "en") == "2024-04-04"
    assert normalise_date("03.04.2024", NOW, "en") == "2024-04-03"


@pytest.mark.parametrize(
    "text",
    ["May 2024", "31 Foo 2024", "May 32, 2024", "0.31.05.2024", "31.05.20245", "31 May", "2024",
     "1 May 2024 to 3 May 2024", "1204 May 2024"],
)  # fmt: skip
def test_what_names_no_single_day_is_none(text: str) -> None:
    assert normalise_date(text, NOW) == ""


def test_all_days_of_a_text_are_found_in_its_order() -> None:
    found = days_in("Posted 1 May 2024, updated June 2, 2024; see 2023-01-01")
    assert [each.day for each in found] == [date(2024, 5, 1), date(2024, 6, 2), date(2023, 1, 1)]


def test_what_is_part_of_one_day_is_no_part_of_another() -> None:
    assert [each.day for each in days_in("2023-05-31 May 2024")] == [date(2023, 5, 31)]


def test_every_month_has_names_in_many_languages() -> None:
    for month in range(1, 13):
        assert sum(number == month for number in MONTHS.values()) >= 25
    assert all(name == name.lower() and name.isalpha() for name in MONTHS)


def test_a_text_of_nothing_but_years_is_read_in_time() -> None:
    assert days_in("2024 " * 2_000) == []
    assert days_in("1 " * 5_000 + "a" * 5_000 + " 2024") == []
