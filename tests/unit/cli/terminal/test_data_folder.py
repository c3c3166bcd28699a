"""Is a form that was typed as for curl not taken for the name of a folder?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli import invoke


def test_a_form_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for form in ("q=tea", "q=tea&where=/shop", '{"q": "tea"}', "[1]"):
        said = invoke(["crawl", "https://a.example/", "--data", form])
        assert said.exit_code == 2, said.output
        assert "--data is the folder that keeps the crawl" in said.stderr
        assert "--post" in said.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q=there").mkdir()
    for name in ("q=there", "./q=new", str(tmp_path / "q=new"), "tea"):
        said = invoke(["config", "--data", name])
        assert said.exit_code == 0, said.output
