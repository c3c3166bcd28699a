"""PAGE-1: the day that a page shows beside its headline."""

from __future__ import annotations

import pytest

from tenax.page.dates.shown import ShownDates, shown_dates

NOW = 1_800_000_000.0  # January 2027
TITLE = "How the flood came to Emmental | Daily Example"


def shown(*lines: str, url: str = "", language: str = "en") -> ShownDates:
    written = "\n".join(lines).encode()
    return shown_dates(written, TITLE, NOW, url=url, site="The Daily Example", language=language)


HEADLINE = "How the flood came to Emmental"


@pytest.mark.parametrize(
    "line",
    ["May 31, 2024", "Published May 31, 2024 by Ada", "By Ada on 31 May 2024", "2024年5月31日",
     "Posted by Ada on Friday May 31, 2024 @11:40AM", "PRESS RELEASE May 31, 2024",
     "May 31, 2024 (updated June 2, 2024)", "Updated June 2, 2024 | Published May 31, 2024",
     "Publié le 31 mai 2024 à 18h58, mis à jour le 2 juin 2024 à 10h00",
     "Giriş: 31.05.2024 - 18:58 | Güncelleme: 02.06.2024 - 10:00", "Jumat, 31 Mei 2024 18:58 WIB",
     "31 أيار/مايو 2024"],
)  # fmt: skip
def test_a_day_beside_the_headline_is_the_pages(line: str) -> None:
    assert shown("Menu", HEADLINE, line, "It rained.").published == "2024-05-31"
    assert shown("Menu", line, HEADLINE, "It rained.").published == "2024-05-31"


@pytest.mark.parametrize(
    "line",
    ["It began on May 31, 2024, when the river rose over the walls of the old mill at night.",
     "© May 31, 2024", "Joined May 31, 2024", "Release Date: May 31, 2024", "May 31, 2031",
     "Offer valid until May 31, 2024", "Effective date: May 31, 2024", "Apply by May 31, 2024",
     "When: May 31, 2024 7:00 PM", "Registriert: May 31, 2024",
     "May 31, 2024 \u2013 June 2, 2024", "2024-05-31T18:58:32+02:00"],
)  # fmt: skip
def test_a_day_of_something_else_is_not(line: str) -> None:
    assert shown(HEADLINE, line) == ShownDates("", "")


@pytest.mark.parametrize(
    "line",
    ["Updated: May 31, 2024", "Last modified on May 31, 2024", "Zuletzt aktualisiert: 31.05.2024",
     "Mis à jour le 31 mai 2024", "2024年5月31日 更新", "Güncelleme: 31 Mayıs 2024",
     "Обновлено 31 мая 2024"],
)  # fmt: skip
def test_the_day_of_a_change_is_not_that_of_publication(line: str) -> None:
    assert shown(HEADLINE, line) == ShownDates("", "2024-05-31")
    assert shown(HEADLINE, "Last updated", "May 31, 2024") == ShownDates("", "2024-05-31")
    assert shown(HEADLINE, "May 1, 2024", line) == ShownDates("2024-05-01", "2024-05-31")


def test_days_far_from_the_headline_are_of_something_else() -> None:
    between = ["Something else that is said"] * 40
    assert shown(HEADLINE, *between, "May 31, 2024") == ShownDates("", "")
    assert shown("May 31, 2024", *between, HEADLINE) == ShownDates("", "")
    assert shown("Another headline of this site", "May 31, 2024") == ShownDates("", "")
    # The site's name is no headline.
    said = b"Emmental Herald and Gazette\nMay 31, 2024"
    title, site = "Contact | Emmental Herald and Gazette", "Emmental Herald and Gazette"
    assert shown_dates(said, title, NOW) == ShownDates("2024-05-31", "")
    assert shown_dates(said, title, NOW, site=site) == ShownDates("", "")


def test_a_headline_may_be_said_in_other_words_and_again() -> None:
    assert shown("How the great flood came to Emmental", "May 31, 2024").published == "2024-05-31"
    between = ["Something else that is said"] * 40
    for few in range(15, 40):
        lines = ["Home", HEADLINE, *between[:few], HEADLINE, "May 31, 2024"]
        assert shown(*lines).published == "2024-05-31"


def test_what_others_are_to_call_a_page_is_a_headline_too() -> None:
    said = b"Ten years of floods\nMay 31, 2024"
    assert shown_dates(said, TITLE, NOW) == ShownDates("", "")
    assert shown_dates(said, TITLE, NOW, shared="Ten years of floods").published == "2024-05-31"


def test_a_headline_may_stand_behind_long_menus() -> None:
    menu = ["Something else that is offered"] * 250
    assert shown(*menu, HEADLINE, "May 31, 2024").published == "2024-05-31"
    assert shown(*menu * 2, HEADLINE, "May 31, 2024").published == ""
    archive = [f"May {year}" for year in range(1950, 2024)]
    assert shown(*archive, HEADLINE, "May 31, 2024").published == "2024-05-31"


_REPORT = "the river rose over the walls of the old mill, as it had in every spring of the century"


@pytest.mark.parametrize(
    "line",
    ["31 May 2024 \u2013 {}", "(31.05.2024) {}", "Emmental, 31 May 2024 - {}", "[May 31, 2024] {}",
     "Emmental (31 May 2024). {}", "EMMENTAL, May 31, 2024 \u2014 {}", "31.05.2024 | {}"],
)  # fmt: skip
def test_a_report_may_begin_with_its_day(line: str) -> None:
    text = line.format(f"At night {_REPORT} and {_REPORT}.")
    assert shown(HEADLINE, "Ada writes", text).published == "2024-05-31"
    assert shown(HEADLINE, "Ada writes", f"At night {_REPORT}, as on {text}").published == ""


@pytest.mark.parametrize(
    "line", ["On 31 May 2024 {}", "31 May 2024 {}", "Since 31.05.2024 {}", "May 31, 2024, {}"]
)
def test_a_sentence_may_begin_with_any_day(line: str) -> None:
    assert shown(HEADLINE, line.format(f"{_REPORT}, and {_REPORT}.")) == ShownDates("", "")


@pytest.mark.parametrize("span", ["29. - 31. May 2024", "29-31 May 2024", "29 \u2013 31 May 2024"])
def test_the_last_day_of_something_that_lasts_is_no_date(span: str) -> None:
    assert shown(HEADLINE, span) == ShownDates("", "")
    title = f"The market, {span} | Daily Example"
    assert shown_dates(b"It rained in 2024", title, NOW) == ShownDates("", "")
    assert shown(HEADLINE, "18:58 - 31 May 2024").published == "2024-05-31"


def test_a_weekday_does_not_hide_what_is_said_above_it() -> None:
    assert shown("Joined:", "Tue May 31, 2016", HEADLINE) == ShownDates("", "")
    assert shown("Joined:", "on May 31, 2016", HEADLINE).published == "2016-05-31"


@pytest.mark.parametrize(
    "line",
    ["Published May 31, 2024", "veröffentlicht: 31.05.2024 15:19", "Опубликовано 31 мая 2024",
     "发布时间：2024年05月31日 18:58", "기사입력 2024-05-31", "Erstellt: 31. Mai 2024"],
)  # fmt: skip
def test_a_day_that_is_said_to_be_the_first_counts_anywhere(line: str) -> None:
    between = ["Something else that is said"] * 40
    assert shown(HEADLINE, *between, line).published == "2024-05-31"
    assert shown(*between, *line.split(" ", 1)).published == "2024-05-31"
    assert shown(*between, "Mise en ligne", "31 mai 2024").published == "2024-05-31"


@pytest.mark.parametrize(
    "lines",
    [("Published May 31, 2024", "Published June 2, 2024"), ("Posted and updated May 31, 2024",),
     ("It was published on May 31, 2024, when the river rose over the walls of the mill",),
     ("Published by Ada", "something else", "May 31, 2024"),
     ("1 review", "Fits well.", "by Ada, posted on May 31, 2024"),
     ("Kommentare", "Ada", "veröffentlicht: 31.05.2024 15:19")],
)  # fmt: skip
def test_days_of_which_that_is_not_sure_do_not(lines: tuple[str, ...]) -> None:
    assert shown(HEADLINE, *["Something else that is said"] * 40, *lines) == ShownDates("", "")


def test_a_day_may_be_a_part_of_the_title() -> None:
    def of(title: str) -> str:
        return shown_dates(b"It rained in 2024", title, NOW).published

    assert of("How the flood came | DW | 31.05.2024") == "2024-05-31"
    assert of("How the flood came - 31 May 2024 - Daily Example") == "2024-05-31"
    assert of("The flood of May 31, 2024 | Daily Example") == ""
    assert of("How the flood that began on the night of May 31, 2024, came | Example") == ""


def test_a_day_may_be_spread_over_lines() -> None:
    assert shown(HEADLINE, "  31  ", "", "  May", "2024").published == "2024-05-31"


def test_the_month_in_the_address_rules_out_others() -> None:
    lines = [HEADLINE, "May 31, 2024", "Ada", "June 1, 2024"]
    assert shown(*lines, url="https://a.example/2024/06/flood").published == "2024-06-01"
    assert shown(*lines, url="https://a.example/2023/06/flood").published == ""
    assert shown(*lines, url="https://a.example/flood").published == "2024-05-31"


def test_broken_text_is_looked_at() -> None:
    assert shown_dates(b"\xff\xfe" * 9_000 + b"2024", TITLE, NOW) == ShownDates("", "")
    assert shown_dates(b"", "", None) == ShownDates("", "")
