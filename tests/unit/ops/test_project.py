"""Is what `tenax init` writes true: do its settings exist, and do its handlers work?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tenax.adapters.local import handler_files
from tenax.model import Page
from tenax.ops.project import ProjectBegun, ProjectExists, begin_project
from tenax.page.handlers.crawled_page import CrawledPage
from tenax.settings import load
from tests.cli import invoke


def test_its_settings_are_settings_also_those_in_comments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(begin_project(tmp_path, 'mailto:"a\\b"@example.org'), ProjectBegun)
    monkeypatch.chdir(tmp_path)
    as_written = load(environment={}).settings
    assert as_written.contact == 'mailto:"a\\b"@example.org'
    assert as_written.job.max_pages is None
    file = tmp_path / "tenax.toml"
    file.write_text(re.sub(r"^# (\[|\w+ = )", r"\1", file.read_text(), flags=re.M))
    meant = load(environment={}).settings
    assert meant.job.max_pages == 1000
    assert [site.host for site in meant.sites] == ["*.example.org"]


def test_its_handlers_tell_records(tmp_path: Path) -> None:
    begin_project(tmp_path)
    (handler,) = handler_files.load([tmp_path / "handlers.py"])
    page = Page("https://a.example/", 200, "text/html", b"<h1>Hello</h1>", 0.0, words=1)
    (record,) = handler.function(CrawledPage(page))
    assert (record.name, record.fields) == ("article", {"headline": "Hello", "words": 1})


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    mine = tmp_path / "handlers.py"
    mine.write_text("mine")
    assert begin_project(tmp_path) == ProjectExists((mine,))
    assert [path.name for path in tmp_path.iterdir()] == ["handlers.py"]
    ended = invoke(["init", str(tmp_path)])
    assert ended.exit_code == 2
    assert "nothing was written" in ended.output
    assert mine.read_text() == "mine"
