"""Does a type checker find what is misspelt in a program of a user's? (CLI-3, REC-1)"""

from __future__ import annotations

from pathlib import Path

from mypy import api

ROOT = Path(__file__).parents[1]
PROGRAM = """
from collections.abc import Iterator

from tenax import Page, Selection, Told, on


@on("*/quote/*", name="quote", version="2")
def right(page: Page) -> Iterator[Told]:
    url: str = page.url
    found: Selection = page.css(".text")
    yield page.record("quote", text=found.text, author=page.css(".author").attr("title"), key=url)
    yield page.follow(page.css("a.next").attr("href"), priority=1)
    yield page.product(name=page.title, price=page.xpath("//b").text)


def wrong(page: Page) -> None:
    page.utl  # line 17
    page.follow(hrf="x")  # line 18
    page.css(".text").txt  # line 19
    page.css(selctor=".text")  # line 20
    page.url + 1  # line 21
    page.record(7)  # line 22
    on("*", versoin="2")  # line 23
"""


def test_what_is_misspelt_is_found_and_what_is_right_is_not(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    # The cache of `make check`: without it everything is read anew.
    flags = ["--strict", "--no-error-summary", "--follow-imports=silent", "--config-file", ""]
    cache = ["--cache-dir", str(ROOT / ".mypy_cache" / "users")]
    told, problems, _ = api.run([*flags, *cache, str(tmp_path / "program.py")])
    assert problems == ""
    found = {int(line.split(":")[1]) for line in told.splitlines() if ": error:" in line}
    assert found == set(range(17, 24)), told
