"""PAGE-1: a page's own heading, without the name of its site."""

from __future__ import annotations

import pytest

from tenax.page.reading.document import Document
from tenax.page.reading.headline import headline_of, own_title

URL = "https://www.daily-example.org/flood"
OWN = "How the flood came"


@pytest.mark.parametrize(
    ("headings", "title", "shared", "site"),
    [
        ([OWN], "Flood: all you need to know", "", ""),
        ([f"{OWN}¶"], f"{OWN} — Daily Example", "", ""),
        ([OWN, "Latest", OWN], f"{OWN} | Emmental | Daily", "", ""),
        (["Latest", OWN], f"{OWN} | Daily", "", ""),
        ([], f"{OWN} - The Daily", "", "The Daily"),
        ([], f"The Daily: news » {OWN}", "", "The Daily: news"),
        ([], f"{OWN} | daily-example.org", "", ""),
        ([], f"{OWN} | Daily Example Blog", "", ""),
        (["Daily Example"], f"{OWN} | Daily Example", "", ""),
        (["Emmental Gazette"], f"{OWN} - Emmental Gazette", "", ""),
        ([f"{OWN} | Emmental"], f"{OWN} | Emmental", "", "Emmental"),
        ([], f"{OWN} and went, in pictures", OWN, ""),
    ],
)
def test_the_headline_is_what_the_page_is_called(
    headings: list[str], title: str, shared: str, site: str
) -> None:
    assert headline_of(headings, title, shared, site, URL) == OWN


@pytest.mark.parametrize(
    ("kicker", "expected"),
    [
        (f"Emmental {OWN}", OWN),
        (f"1. Februar 2024 {OWN}", OWN),
        (f"Report: {OWN}", f"Report: {OWN}"),
        (f"Emmental „{OWN}“", f"„{OWN}“"),
        # Part of what is said.
        (f"Report:{OWN}", f"Report:{OWN}"),
        (f"And {OWN}", f"And {OWN}"),
        (f"{OWN} and went", f"{OWN} and went"),
        ("Emmental The flood", "Emmental The flood"),
    ],
)
def test_what_stands_above_the_headline_within_it_is_left_out(kicker: str, expected: str) -> None:
    title = "The flood" if "The flood" in kicker else OWN
    for names in ((title, ""), (f"{title} | Daily Example", ""), ("The flood of 2024", title)):
        assert headline_of([kicker], *names, "", URL) == expected


def test_a_site_that_is_all_there_is_to_say_remains() -> None:
    assert headline_of([], "Daily Example", "", "Daily Example", URL) == "Daily Example"
    assert headline_of(["Daily Example"], "Daily Example", "", "", URL) == "Daily Example"
    assert headline_of([], "", "", "", URL) == ""
    assert headline_of(["", "¶"], "", "", "", "https://[") == ""


def test_words_are_no_separators() -> None:
    assert (
        own_title("Do-it-yourself: a daily example", "", URL) == "Do-it-yourself: a daily example"
    )
    assert own_title(f"A {'- ' * 400}B", "", "") != ""


def test_documents_have_a_headline() -> None:
    html = "<title>Flood | Ada's Blog</title><h2>News</h2><h1>How the <b>flood</b> came</h1>"
    assert Document(html.encode(), URL, "text/html").headline == OWN
    assert Document(b"plain", URL, "text/plain").headline == ""
