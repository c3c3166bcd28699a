"""Is a folder of Markdown one file a page, and never a file elsewhere? (SEC-4)"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tenax.ops.export.folder import file_name, folder_name, front_matter
from tenax.ports import PageRecord
from tenax.testing import SimulatedWeb, crawl, open_test_app, page, run_virtually, status
from tests.cli import invoke

HOME = "https://a.example/"
TEXT = "The river rose in the night, and by morning the lower bridge could not be crossed."


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crawl")

    async def story() -> None:
        web = SimulatedWeb()
        web.at(HOME, page(f"{TEXT}", "/p", "/..%2f..%2fetc", "/logo.png", title='A "title": #1'))
        web.at(f"{HOME}p", page(TEXT * 9))
        web.at(f"{HOME}..%2f..%2fetc", page(f"{TEXT} More."))
        web.at(f"{HOME}logo.png", status(200, "x", content_type="image/png"))
        async with open_test_app(web, folder) as opened:
            await crawl(opened, HOME, name="../job")

    run_virtually(story())
    return folder


def tenax(ledger: Path, *words: str) -> Any:
    return invoke(["export", *words, "--data", str(ledger)])


def facts(text: str) -> dict[str, str]:
    """Each value of the front matter is JSON, as YAML takes it."""
    lines = text.split("---\n")[1].splitlines()
    return {name: json.loads(value) for name, _, value in (line.partition(": ") for line in lines)}


def test_each_page_with_text_is_a_file_with_front_matter(ledger: Path, tmp_path: Path) -> None:
    result = tenax(ledger, "--format", "markdown", "-o", str(tmp_path / "out"))
    assert result.exit_code == 0, result.output
    files = sorted((tmp_path / "out").rglob("*.md"))
    assert {path.parent.parent for path in files} == {tmp_path / "out"}
    assert len(files) == 3
    told = {facts(path.read_text())["url"]: path.read_text() for path in files}
    assert facts(told[HOME])["title"] == 'A "title": #1'
    assert TEXT in told[HOME]
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]


def test_the_same_export_again_writes_the_same_files(ledger: Path, tmp_path: Path) -> None:
    for _ in range(2):
        assert tenax(ledger, "-o", f"{tmp_path}/out/").exit_code == 0
        assert len(list(tmp_path.rglob("*.md"))) == 3


def test_a_link_in_the_folder_is_not_written_through(ledger: Path, tmp_path: Path) -> None:
    tenax(ledger, "-o", f"{tmp_path}/out/")
    victim, file = tmp_path / "victim", next(tmp_path.rglob("*.md"))
    victim.write_text("mine")
    file.unlink()
    file.symlink_to(victim)
    assert tenax(ledger, "-o", f"{tmp_path}/out/").exit_code == 3
    assert victim.read_text() == "mine"


def record(url: str, job: str = "j", title: str = "", description: str = "") -> PageRecord:
    return PageRecord(
        target_id=1, job=job, url=url, final_url=url, url_hash="ab" * 32, status=200,
        content_type="", charset="", title=title, description=description, canonical="",
        language="", published="", modified="", content_hash="", digest="", length=0, words=0,
        link_count=0, depth=0, fetched_at=1.0, etag="", last_modified="", rights=(),
    )  # fmt: skip


@given(st.text())
@example("https://h/../../etc/passwd")
@example("https://h/" + "a" * 5_000)
@example("https://h/con.\x00/nul")
def test_whatever_the_url_its_file_has_a_harmless_name(url: str) -> None:
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]{0,79}-[0-9a-f]{12}\.md", file_name(record(url)))


@given(st.text())
@example("..")
@example("a/../b")
def test_whatever_the_job_its_folder_has_a_harmless_name(job: str) -> None:
    name = folder_name(job)
    assert re.fullmatch(r"[A-Za-z0-9_.-]{1,100}", name)
    assert name.strip(".")
    assert not name.startswith(".")


def test_names_of_different_jobs_differ() -> None:
    assert len({folder_name(job) for job in ("a b", "a/b", "a-b", "..", ".", "")}) == 6


@given(st.text())
def test_a_value_cannot_become_another_line(title: str) -> None:
    told = front_matter(record("https://h/", title=title, description="d"))
    assert len(told.splitlines()) == (7 if title else 6)
