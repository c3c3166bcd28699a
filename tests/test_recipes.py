"""Do the recipes of docs/howto/extend.md work when somebody follows them to the letter?

They are followed in a copy of the repository: blocks with a path become files, diffs are applied,
and then the tests of the copy are run that a change like that has to pass.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, get_args

import pytest

from tenax.outcome import Outcome
from tests.test_docs import HOWTO, INLINE_CODE, ROOT, read, section

PAGE = HOWTO / "extend.md"
COPIED = ("src", "tests", "services", "docs", "pyproject.toml", "README.md", "CONTRIBUTING.md")
BLOCK = re.compile(r"^```(python|diff)\n(?:# |--- )(\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
RECIPE = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
DEMANDED = (
    "keeps_to_its_place", "is_on_the_map", "has_one_meaning", "told_with_its_role",
    "flag_is_explained", "portcullis", "ids_are_unique", "walls_are_short", "onefile",
)  # fmt: skip
"""What the project asks of such changes, besides the recipes' own tests: parts of the names of
tests."""
ASKED_BY = (
    "tests/test_architecture.py",
    "tests/test_docs.py",
    "tests/unit/api/test_documented.py",
    "tests/unit/page/verdict/test_wall_patterns.py",
    "tests/contract/test_content_store.py",
)


class Change(NamedTuple):
    path: str
    text: str
    is_diff: bool


def changes(text: str) -> list[Change]:
    return [Change(path, made, kind == "diff") for kind, path, made in BLOCK.findall(text)]


def follow(change: Change, root: Path) -> None:
    file = root / change.path
    if not change.is_diff:
        assert not file.exists(), f"{change.path} is there already: the recipe is about a new file"
        file.write_text(change.text, encoding="utf-8")
        put_on_the_map(change.path, root / "docs" / "architecture.md")
        return
    lines = change.text.splitlines(keepends=True)
    old = "".join(line[1:] for line in lines if line[0] in " -")
    new = "".join(line[1:] for line in lines if line[0] in " +")
    before = read(file)
    if not old:
        file.write_text(before + new, encoding="utf-8")
        return
    assert before.count(old) == 1, f"{change.path} has no such place, or several:\n{old}"
    file.write_text(before.replace(old, new), encoding="utf-8")


def put_on_the_map(path: str, map: Path) -> None:
    """As the page says: in the row of its folder."""
    folder, _, name = path.removeprefix("src/tenax/").rpartition("/")
    if not path.startswith("src/"):
        return
    row = re.compile(rf"^(\| `{folder}/` \|.*) \|$", re.MULTILINE)
    text, count = row.subn(rf"\1 · `{name.removesuffix('.py')}` |", read(map))
    assert count == 1, f"{folder}/ has no row on the map"
    map.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy in which all recipes were followed."""
    copy = tmp_path_factory.mktemp("repository")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns(".services"))
        else:
            shutil.copy2(source, copy / name)
    for change in changes(read(PAGE)):
        follow(change, copy)
    return copy


def run_in(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("TENAX_", "PYTEST_"))}
    environment["PYTHONPATH"] = f"{copy / 'src'}{os.pathsep}{copy}"
    return subprocess.run(
        [sys.executable, *words],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_what_is_made_by_the_recipes_passes_the_tests_of_the_project(repository: Path) -> None:
    made = [each.path for each in changes(read(PAGE)) if not each.is_diff]
    own = [path for path in made if path.startswith("tests/")]
    names = [Path(path).stem for path in own]
    wanted = " or ".join([*DEMANDED, *names])
    ended = run_in(
        repository, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-rA",
        "-k", wanted, *ASKED_BY, *own,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout[-4_000:]
    for name in (*DEMANDED, *names):
        assert re.search(rf"^PASSED .*{re.escape(name)}", ended.stdout, re.MULTILINE), name


def test_what_is_made_by_the_recipes_is_formatted_and_clean(repository: Path) -> None:
    made = [each.path for each in changes(read(PAGE)) if each.path.endswith(".py")]
    for words in (("check", "-q"), ("format", "-q", "--diff")):
        ended = run_in(repository, "-m", "ruff", *words, *made)
        assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_command_of_the_recipe_can_be_called(repository: Path, tmp_path: Path) -> None:
    ended = run_in(repository, "-m", "tenax.cli", "where", "--data", str(tmp_path))
    assert ended.returncode == 2
    assert "no ledger here" in ended.stderr


def test_the_store_of_the_recipe_is_opened_by_its_name(repository: Path, tmp_path: Path) -> None:
    program = (
        "import asyncio\n"
        "from contextlib import AsyncExitStack\n"
        "from tenax.compose.content import Around, open_content\n"
        "from tenax.settings import Settings\n"
        "async def main():\n"
        "    async with AsyncExitStack() as stack:\n"
        f"        settings = Settings(data={str(tmp_path)!r}, content='onefile:')\n"
        "        print(type(open_content(Around(settings), stack)).__name__)\n"
        "asyncio.run(main())\n"
    )
    ended = run_in(repository, "-c", program)
    assert ended.stdout == "OneFileContentStore\n", ended.stderr


def test_all_six_recipes_are_there_and_all_but_the_last_are_followed() -> None:
    recipes = RECIPE.findall(read(PAGE))
    assert len(recipes) == 6
    assert [bool(changes(text)) for _, text in recipes] == [True] * 5 + [False]
    fences = re.findall(r"^```(?:python|diff)$", read(PAGE), re.MULTILINE)
    assert len(fences) == len(changes(read(PAGE))), "a block does not say which file it is"


# An outcome changes the types of everything: what has to be thought of is found in the syntax tree.


class OutcomeMatch(NamedTuple):
    file: str
    function: str


def matches(is_closed: bool) -> set[OutcomeMatch]:
    """Where the ways a visit can end are told apart: all of them, or some and the rest."""
    return {
        OutcomeMatch(path.relative_to(ROOT).as_posix(), function)
        for path in (ROOT / "src").rglob("*.py")
        for function, closed in matches_in(read(path))
        if closed is is_closed
    }


def matches_in(text: str) -> Iterator[tuple[str, bool]]:
    outcomes = {kind.__name__ for kind in get_args(Outcome)}
    if not any(f"{name}(" in text for name in outcomes):
        return  # reading the syntax of all files takes seconds
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for match in ast.walk(function):
            if isinstance(match, ast.Match) and outcomes & set(classes_in(match)):
                yield function.name, "assert_never" in ast.unparse(match.cases[-1])


def classes_in(match: ast.Match) -> Iterator[str]:
    for case in match.cases:
        for pattern in ast.walk(case.pattern):
            if isinstance(pattern, ast.MatchClass):
                yield ast.unparse(pattern.cls).rpartition(".")[2]


def tables(text: str) -> list[list[list[str]]]:
    """The code in each row of each table."""
    found = re.findall(r"^\|.*\|\n\|[-|]+\|\n((?:^\|.*\|\n)+)", text, re.MULTILINE)
    return [[INLINE_CODE.findall(row) for row in table.splitlines()] for table in found]


def asked_for_all() -> set[str]:
    """Tests that want to hear of every outcome."""
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
        if path != Path(__file__) and "get_args(Outcome)" in read(path)
    }


def told(number: int) -> set[OutcomeMatch]:
    rows = tables(section(read(PAGE), "An outcome"))[number]
    return {OutcomeMatch(*row[:2]) for row in rows}


def test_the_recipe_of_an_outcome_names_all_that_the_type_checker_stops_at() -> None:
    assert told(0) == matches(is_closed=True)


def test_the_recipe_of_an_outcome_names_all_that_have_a_word_for_the_others() -> None:
    assert told(1) == matches(is_closed=False)


def test_the_recipe_of_an_outcome_names_the_tests_that_ask_for_all_of_them() -> None:
    rows = tables(section(read(PAGE), "An outcome"))[2]
    assert {row[0] for row in rows} == asked_for_all()


# The checks themselves.


@pytest.mark.parametrize(
    ("cases", "found"),
    [
        ("case Read(): pass\n  case never: assert_never(never)", [("f", True)]),
        ("case outcome.Gone(): pass\n  case _: pass", [("f", False)]),
        ("case Response(): pass\n  case never: assert_never(never)", []),
    ],
)
def test_a_match_over_outcomes_is_found(cases: str, found: list[tuple[str, bool]]) -> None:
    assert list(matches_in(f"def f(x):\n match x:\n  {cases}")) == found


@pytest.mark.parametrize(
    "spoil",
    [
        lambda root: (root / "a.py").write_text("one\ntwo\n"),
        lambda root: (root / "a.py").write_text("one\nthree\none\nthree\n"),
    ],
)
def test_a_diff_without_its_place_is_found(spoil: Callable[[Path], int], tmp_path: Path) -> None:
    change = Change("a.py", " one\n+two\n three\n", is_diff=True)
    (tmp_path / "a.py").write_text("one\nthree\n")
    follow(change, tmp_path)
    assert read(tmp_path / "a.py") == "one\ntwo\nthree\n"
    spoil(tmp_path)
    with pytest.raises(AssertionError, match="no such place"):
        follow(change, tmp_path)
