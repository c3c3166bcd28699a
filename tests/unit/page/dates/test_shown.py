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
     "May 31, 2024 (updated June 2, 2024)", "Updated June 2, 2024 | Published May 31, 2024"],
)  # fmt: skip
def test_a_day_beside_the_headline_is_the_pages(line: str) -> None:
    assert shown("Menu", HEADLINE, line, "It rained.").published == "2024-05-31"
    assert shown("Menu", line, HEADLINE, "It rained.").published == "2024-05-31"


@pytest.mark.parametrize(
    "line",
    ["It began on May 31, 2024, when the river rose over the walls of the old mill at night.",
     "© May 31, 2024", "Joined May 31, 2024", "Release Date: May 31, 2024", "May 31, 2031",
     "Offer valid until May 31, 2024"],
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
