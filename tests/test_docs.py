"""Is what the documentation says still true: links, paths, make targets, the changelog?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("docs", "bench", "src", "tests", "requirements")
DOCUMENTS = sorted(ROOT.glob("*.md")) + sorted(
    path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md")
)

FENCE = re.compile(r"^(```+|~~~+).*?^\1", re.MULTILINE | re.DOTALL)
INLINE_CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]]*\]\(<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s+(\S+)", re.MULTILINE)
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
# Folders of one person's machine; `https://a.example/home/` is not one.
MACHINE_PATH = re.compile(r"(?<![\w./])/(?:home|root|work|Users)/[\w.-]+")
UPWARD_PATH = re.compile(r"(?<![\w./])(?:\.\./)+[\w-][\w./-]*")
PROJECT_PATH = re.compile(rf"(?:{'|'.join(FOLDERS)})/[\w./-]*")
MAKE = re.compile(r"(?:^|&&|;)[ \t]*(?:\$ )?(?:\w+=\S+ +)*make[ \t]+([a-z][a-z-]*)", re.MULTILINE)
TARGET = re.compile(r"^([a-z][a-z-]*):(.*)$", re.MULTILINE)


# The checks: each yields what is wrong with one text that stands at `path`.


def broken_links(path: Path, text: str) -> Iterator[str]:
    for match in LINK.finditer(without_code(text)):
        link = match[1] or match[2]
        if re.match(r"[a-z][a-z+.-]*:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists() or not target.is_relative_to(ROOT):
            yield f"the link {link} leads nowhere in this repository"
        elif anchor and anchor not in anchors(text if target == path else read(target)):
            yield f"the link {link} names a heading that is not there"


def foreign_paths(path: Path, text: str) -> Iterator[str]:
    for match in MACHINE_PATH.finditer(text):
        yield f"{match[0]} is a path of one machine"
    for match in UPWARD_PATH.finditer(text):
        target = (path.parent / match[0].rstrip(".")).resolve()
        if not target.exists() or not target.is_relative_to(ROOT):
            yield f"{match[0]} is not in this repository (as an example URL, write /a/{match[0]})"


def missing_files(text: str) -> Iterator[str]:
    for span in INLINE_CODE.findall(FENCE.sub("", text)):
        if PROJECT_PATH.fullmatch(span) and not (ROOT / span).exists():
            yield f"`{span}` is not in this repository"


def unknown_targets(text: str, targets: set[str]) -> Iterator[str]:
    for code in [match[0] for match in FENCE.finditer(text)] + INLINE_CODE.findall(text):
        for word in MAKE.findall(code):
            if word not in targets:
                yield f"`make {word}` is not in the Makefile"


# What they read.


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def without_code(text: str) -> str:
    return INLINE_CODE.sub("", FENCE.sub("", text))


def anchors(text: str) -> set[str]:
    """The names that headings get when rendered."""
    headings = HEADING.findall(FENCE.sub("", text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def make_targets() -> dict[str, str]:
    """Each word of the Makefile with the rest of its line."""
    return dict(TARGET.findall(read(ROOT / "Makefile")))


documents = pytest.mark.parametrize(
    "path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix()
)


@documents
def test_links_lead_somewhere(path: Path) -> None:
    assert list(broken_links(path, read(path))) == []


@documents
def test_documents_name_no_path_outside_the_repository(path: Path) -> None:
    assert list(foreign_paths(path, read(path))) == []


@documents
def test_the_files_named_exist(path: Path) -> None:
    assert list(missing_files(read(path))) == []


@documents
def test_the_make_targets_named_exist(path: Path) -> None:
    assert list(unknown_targets(read(path), set(make_targets()))) == []


def test_every_make_target_says_what_it_does() -> None:
    assert [word for word, line in make_targets().items() if "##" not in line] == []


def test_the_changelog_begins_with_what_is_unreleased() -> None:
    sections = re.findall(r"^## (.+)$", read(ROOT / "CHANGELOG.md"), re.MULTILINE)
    assert sections[:1] == ["[Unreleased]"]


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    index = read(folder / "README.md")
    files = [path.name for path in folder.glob("[0-9]*.md")]
    assert [name for name in files if f"({name})" not in index] == []


def test_the_main_documents_were_looked_at() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in DOCUMENTS}
    assert {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/architecture.md"} <= names


# The checks themselves: one that finds nothing proves nothing.

HERE = ROOT / "docs" / "architecture.md"


@pytest.mark.parametrize(
    "text",
    [
        "[a](../README.md)",
        "[a](https://a.example/x)",
        "[a](#top-of-it)\n\n## Top of `it`!",
        "`[a](gone.md)`",
        "```\n[a](gone.md)\n```",
    ],
)
def test_a_good_link_passes(text: str) -> None:
    assert list(broken_links(HERE, text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "[a](gone.md)",
        "[a](gone.md 'title')",
        "[a][b]\n\n[b]: gone.md",
        "![a](gone.png)",
        "[a](../../outside.md)",
        "[a](../..)",
        "[a](#nowhere)",
        "[a](../README.md#nowhere)",
    ],
)
def test_a_broken_link_is_found(text: str) -> None:
    assert len(list(broken_links(HERE, text))) == 1


@pytest.mark.parametrize("text", ["https://a.example/home/x", "/a/../x", "../README.md", "a../b"])
def test_an_innocent_path_passes(text: str) -> None:
    assert list(foreign_paths(HERE, text)) == []


@pytest.mark.parametrize("text", ["`/home/me/x`", "in ../elsewhere/SPEC.md", "`../../elsewhere`"])
def test_a_foreign_path_is_found(text: str) -> None:
    assert len(list(foreign_paths(HERE, text))) == 1


def test_a_missing_file_is_found() -> None:
    assert len(list(missing_files("`tests/test_docs.py`, `tests/gone.py`"))) == 1


@pytest.mark.parametrize(
    "text",
    ["`make gone`", "```\nmake gone\n```", "```\n$ cd x && make gone\n```", "`CI=1 make gone`"],
)
def test_an_unknown_make_target_is_found(text: str) -> None:
    assert len(list(unknown_targets(text, {"test"}))) == 1


@pytest.mark.parametrize("text", ["make sure", "`make test`", "`make`", "```\n# to make sure\n```"])
def test_the_verb_make_is_no_target(text: str) -> None:
    assert list(unknown_targets(text, {"test"})) == []
