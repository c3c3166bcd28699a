"""Does a type checker find what is misspelt in a program of a user's? (CLI-3, REC-1)

`make check` asks it of this file, with all others: what is wrong here is marked, and a mark on what
the checker no longer finds is an error of its own. Nobody runs these programs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

from tenax import Page, Selection, Told, on

ROOT = Path(__file__).parents[1]


@on("*/quote/*", name="quote", version="2")
def right(page: Page) -> Iterator[Told]:
    url: str = page.url
    found: Selection = page.css(".text")
    yield page.record("quote", text=found.text, author=page.css(".author").attr("title"), key=url)
    yield page.follow(page.css("a.next").attr("href"), priority=1)
    yield page.product(name=page.title, price=page.xpath("//b").text)


def wrong(page: Page) -> None:
    page.utl  # type: ignore[attr-defined]  # noqa: B018
    page.follow(hrf="x")  # type: ignore[call-arg]
    page.css(".text").txt  # type: ignore[attr-defined]  # noqa: B018
    page.css(selctor=".text")  # type: ignore[call-arg]
    page.url + 1  # type: ignore[operator]
    page.record(7)  # type: ignore[arg-type]
    on("*", versoin="2")  # type: ignore[call-arg]


def test_users_are_given_the_types_and_what_is_marked_here_has_to_be_wrong() -> None:
    assert (ROOT / "src/tenax/py.typed").is_file()
    checked = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    assert checked["strict"], "marks that are not needed are told"
    assert "tests" in checked["files"]
