"""Does a type checker find what is misspelt in a program of a user's? (CLI-3, REC-1)

`make check` asks it of this file, with all others: what is wrong here is marked, and a mark on what
the checker no longer finds is an error of its own. Nobody runs these programs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import tenax.sync
from tenax import Page, Selection, Told, on
from tenax.library.options import JobOptions
from tenax.model import JobSpec

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


async def looped(crawl: tenax.Crawl, waited: tenax.sync.SyncCrawl) -> None:
    async for page in crawl.run("https://a.example/", scope="domain", max_pages=9, include=["*"]):
        right(page)
    async for _ in crawl.run("https://a.example/", max_pagse=9):  # type: ignore[call-arg]
        pass
    async for _ in crawl.run("https://a.example/", max_pages="9"):  # type: ignore[arg-type]
        pass
    for page in waited.run("https://a.example/", max_pages=9):
        right(page)
    for _ in waited.run("https://a.example/", max_pagse=9):  # type: ignore[call-arg]
        pass


def test_a_type_checker_knows_all_that_may_be_asked_of_a_crawl() -> None:
    assert set(JobOptions.__annotations__) == {*JobSpec.__struct_fields__} - {"seeds", "posts"}


def test_users_are_given_the_types_and_what_is_marked_here_has_to_be_wrong() -> None:
    assert (ROOT / "src/tenax/py.typed").is_file()
    checked = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    assert checked["strict"], "marks that are not needed are told"
    assert "tests" in checked["files"]
