"""Saved pages of other projects' tests, and what their authors say of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import strangers, truth

_DAYS = """package main

var defaultComparisonData = []comparisonEntry{
	{
		URL:       "https://a.example/flood",
		File:      "flood [1].html",
		Date:      "2024-05-31",
	}, {
		URL:       "http://b.example",
		File:      "none.html",
		Date:      "nan",
	}, {
		URL:       "http://c.example/",
		File:      "gone.html",
		Date:      "2024-05-31",
	},
}
"""
_SNIPPETS = """package main

var comparisonData = map[string]ComparisonEntry{
	"https://a.example/flood": {
		File:    "flood [1].html",
		Title:   "How \\"it\\" came",
		Authors: []string{"Ada", "Bea"},
		With:    []string{"the river", `over the "walls"`},
		Without: []string{"Share"},
	},
}
"""


def test_the_sets_of_other_projects_become_folders(tmp_path: Path) -> None:
    module, out = tmp_path / "module", tmp_path / "out"
    for folder in ("scripts/comparison", "test-files/mock", "test-pages/flood"):
        (module / folder).mkdir(parents=True)
    (module / "scripts/comparison/data-default.go").write_text(_DAYS)
    (module / "scripts/comparison/data.go").write_text(_SNIPPETS)
    for file in ("flood [1].html", "none.html"):
        (module / "test-files/mock" / file).write_text("<p>the river")
    page = module / "test-pages/flood"
    (page / "source.html").write_text("<p>the river")
    (page / "expected.html").write_text("<div><p>the river</p><p>rose</p></div>")
    (page / "expected-metadata.json").write_text(json.dumps({"title": "Flood", "byline": None}))

    assert strangers.main([str(out), str(module), str(module)]) == 0

    told = {
        (folder.name[:-2], each.file): each
        for folder in out.iterdir()
        for each in truth.truths_in(folder)
        if (folder / each.file).read_text() == "<p>the river"
    }
    assert {name: one.published for (_, name), one in told.items() if one.published} == {
        "pages/flood [1].html": "2024-05-31"
    }
    assert len(told) == 4
    said = told["trafilatura", "pages/flood [1].html"]
    assert (said.title, said.author) == ('How "it" came', "Ada; Bea")
    assert (said.must, said.must_not) == (["the river", 'over the "walls"'], ["Share"])
    assert told["htmldate", "pages/none.html"].url == "http://b.example/"
    assert (told["readability", "pages/flood"].main_text or "").split() == ["the", "river", "rose"]
    halves = [folder.name[-1] for folder in out.iterdir() for _ in folder.rglob("flood [[]1].html")]
    assert len(halves) == 2
    assert len(set(halves)) == 1


def test_snippets_count_where_nobody_wrote_down_the_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "page.html").write_text(f"<body><article>{'<p>The river rose.</p>' * 30}")
    told: dict[str, object] = {"file": "page.html", "url": "https://a.example/", "type": "article"}
    snippets = {"must": ["river rose", "it fell"], "must_not": ["rose"]}
    (tmp_path / "truth.jsonl").write_text(json.dumps(told | snippets))
    assert truth.main([str(tmp_path), "--no-peers"]) == 0
    assert "| all (1) | tenax | 0.000 | 0.000 | 0.000 | 0.000 | 0.500 | 1.000 |" in (
        capsys.readouterr().out
    )
