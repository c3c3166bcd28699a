"""Are two readings of the same pages compared field by field? On pages as small as can be."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.records import main

PAGE = b"<!doctype html><title>A</title><p>A<a rel=nofollow href=/b>b</a><a rel=ugc href=c>c</a>"


def test_the_same_code_says_the_same_and_other_words_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, kept = tmp_path / "pages", tmp_path / "before.jsonl"
    folder.mkdir()
    (folder / "a.html").write_bytes(PAGE)
    assert main([str(folder), "--keep", str(kept)]) == 0
    assert main([str(folder), "--against", str(kept)]) == 0
    kept.write_text(kept.read_text().replace("\"'A'\"", "\"'Z'\""))
    capsys.readouterr()
    assert main([str(folder), "--against", str(kept)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{folder}/a.html title: 'Z' -> 'A'",
        "1 records, 0 with a product; 1 differences",
    ]


def test_a_page_that_is_gone_is_a_difference(tmp_path: Path) -> None:
    folder, kept = tmp_path / "pages", tmp_path / "before.jsonl"
    folder.mkdir()
    (folder / "a.html").write_bytes(PAGE)
    main([str(folder), "--keep", str(kept)])
    (folder / "a.html").unlink()
    assert main([str(folder), "--against", str(kept)]) == 1
