"""Does the library work without asyncio, and beside a loop that runs already?"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

import tenax
from tenax.demo import TreeSite, serving
from tenax.settings import SettingsError
from tenax.sync import SyncCrawl

HERE: dict[str, Any] = {"allow_private": ["127.0.0.1/32"], "pace__delay": 0.0}


def test_a_loop_without_asyncio_gets_every_page_and_goes_on_where_it_was_left(
    tmp_path: Path,
) -> None:
    with serving([TreeSite(pages=60)]) as web, tenax.sync.open(tmp_path, **HERE) as crawl:
        first = []
        for page in crawl.run(web.seeds[0], job="all"):
            first.append(page.url)
            if len(first) == 5:
                break
        rest = [page.url for page in crawl.run(web.seeds[0], job="all")]
        assert rest[0] == first[-1]
        assert len({*first, *rest}) == crawl.counts("all").pages == 60
        assert len(list(crawl.pages("all"))) == 60
        assert crawl.fetch(web.seeds[0], dry=True).outcome == "read"
        with pytest.raises(SettingsError, match="no job 'none'"):
            crawl.counts("none")


async def test_it_works_where_a_loop_is_running_as_in_a_notebook(tmp_path: Path) -> None:
    with serving([TreeSite(pages=5)]) as web, tenax.sync.open(tmp_path, **HERE) as crawl:
        assert len([page.url for page in crawl.run(web.seeds[0])]) == 5


def test_what_is_wrong_is_told_where_it_was_opened(tmp_path: Path) -> None:
    with (
        pytest.raises(SettingsError, match="unknown setting 'pase"),
        tenax.sync.open(pase__delay=1),
    ):
        pass


def test_it_has_every_method_of_the_crawl_it_waits_for() -> None:
    methods = {name for name, _ in inspect.getmembers(tenax.Crawl, inspect.isfunction)}
    public = {name for name in methods if not name.startswith("_")} - {"close"}
    source = inspect.getsource(SyncCrawl.__init__)
    assert {name for name in public if f"self.{name} = " not in source} == set()
