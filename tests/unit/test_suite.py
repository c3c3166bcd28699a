"""Are tests run in the order that is over soonest, and with examples that a number repeats?"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from tenax.testing import scratch
from tests import nursery
from tests.costs import Stopwatch, seconds_by, worth_keeping
from tests.nursery import can_fork
from tests.quick import FILES, FOLDERS, LONG_FILES, is_quick
from tests.shares import TOGETHER, WAITING, Kind, Place, kind_of, next_for, scope_of, shares
from tests.turns import SEATS

ROOT = Path(__file__).parents[2]


def test_the_longest_come_first_and_what_nobody_measured_in_the_middle() -> None:
    seconds = seconds_by({"tests/e2e/a.py::long": 9.0, "tests/e2e/a.py::short": 1.0, "other": 3.0})
    names = ["tests/e2e/a.py::short", "tests/e2e/a.py::new", "tests/e2e/a.py::long[case]"]
    found = shares([(name, False) for name in names], seconds)
    assert [share.scope for share in found] == names[::-1]


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("tests/unit/hosts/test_pace.py::test_it[a]", "tests/unit/hosts/test_pace.py"),
        ("tests/e2e/test_jobs.py::test_it[a::b]", "tests/e2e/test_jobs.py::test_it[a::b]"),
        ("tests/simulate/test_jobs.py::test_it", "tests/simulate/test_jobs.py::test_it"),
        ("tests/e2e/test_serve.py::test_it", "tests/e2e/test_serve.py"),
    ],
)
def test_short_tests_go_by_the_file_and_long_ones_by_themselves(name: str, scope: str) -> None:
    assert scope_of(name) == scope


def test_a_file_with_one_that_is_to_be_alone_waits_for_that_as_a_whole() -> None:
    names = ["tests/e2e/test_serve.py::a", "tests/e2e/test_serve.py::b", "tests/e2e/x.py::c"]
    found = shares(zip(names, (False, True, False), strict=True), lambda _: 1.0)
    assert [(share.scope, share.kind) for share in found] == [
        ("tests/e2e/test_serve.py", Kind.ALONE),
        ("tests/e2e/x.py::c", Kind.WAITS),
    ]


def taken_at(number: int, of: int) -> str:
    """What a process runs that nobody else takes anything from: two of each kind are there."""
    kinds = dict.fromkeys("ab", Kind.WAITS) | dict.fromkeys("cd", Kind.COMPUTES)
    kinds |= dict.fromkeys("ef", Kind.ALONE)
    left, taken = list(kinds), ""
    while scope := next_for(Place(number, of), left, kinds.__getitem__):
        left.remove(scope)
        taken += scope
    return taken


def test_some_take_those_that_are_alone_before_all_that_wait_and_a_third_computes() -> None:
    assert [taken_at(number, 7) for number in range(7)] == [
        *["efabcd"] * SEATS, "abcd", "abcd", "abcd", "cd", "cd",
    ]  # fmt: skip
    assert [taken_at(number, 3) for number in range(3)] == ["efabcd", "efabcd", "cd"]
    assert [taken_at(number, 2) for number in range(2)] == ["efabcd", "efabcd"]


def test_who_comes_for_one_that_died_takes_whatever_there_is() -> None:
    assert [taken_at(number, 6) for number in (6, 11)] == ["efabcd", "efabcd"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("tests/unit/hosts/test_pace.py::test_it[sqlite]", Kind.COMPUTES),
        ("tests/contract/test_jobs.py::test_it[sqlite]", Kind.COMPUTES),
        ("tests/contract/test_jobs.py::test_it[many jobs-postgresql]", Kind.COMPUTES),
        ("tests/contract/test_transport.py::test_it[http]", Kind.WAITS),
        ("tests/contract/test_work_queue.py::test_it[on sqlite]", Kind.WAITS),
        ("tests/contract/test_clock.py::test_it", Kind.WAITS),
        ("tests/e2e/test_jobs.py::test_it[sqlite]", Kind.WAITS),
    ],
)
def test_a_contract_of_the_ledger_computes_and_the_others_wait(name: str, kind: Kind) -> None:
    assert kind_of(name) is kind


def test_the_files_and_folders_that_are_named_are_there() -> None:
    assert [file for file in TOGETHER if not (ROOT / file).is_file()] == []
    assert [place for place in WAITING if not (ROOT / place).exists()] == []
    assert {kind_of(folder) for folder in WAITING} == {Kind.WAITS}


def test_of_what_was_measured_the_long_is_kept() -> None:
    took = [("unit/f::a", 0.7), ("unit/f::b", 0.7), ("e2e/g::c[1]", 2.0), ("e2e/g::c[2]", 3.04)]
    took += [("e2e/g::short", 0.9)]
    by_file = {name: name.partition("::")[0] for name, _ in took if name.startswith("unit")}
    kept = worth_keeping(took, lambda name: by_file.get(name, name))
    assert kept == {"unit/f": 1.4, "e2e/g::c": 3.0}


def test_what_waits_is_kept_by_the_wall_and_what_computes_by_the_processor(tmp_path: Path) -> None:
    (tmp_path / "took").write_text('["w::a", 9.0, 2.0]\n["c::a", 9.0, 3.0]\n')
    said = Stopwatch(tmp_path / "took").keep(
        lambda name: name, lambda name: name.startswith("w"), tmp_path / "kept"
    )
    assert json.loads((tmp_path / "kept").read_text()) == {"c::a": 3.0, "w::a": 9.0}
    assert "2 tests took 18 s, 5 s of a processor" in said


@pytest.mark.parametrize(
    ("name", "words", "seconds", "is_one"),
    [
        ("tests/unit/hosts/test_pace.py::test_it", {"tmp_path"}, 0.1, True),
        ("tests/contract/test_jobs.py::test_it[sqlite]", {"sqlite", "ledger"}, 0.1, True),
        ("tests/contract/test_jobs.py::test_it[postgresql]", {"postgresql", "ledger"}, 0.1, False),
        ("tests/contract/test_guard.py::test_it", {"redis"}, 0.1, False),
        ("tests/properties/test_machine.py::TestOnPostgres::runTest", set(), 0.1, False),
        ("tests/simulate/test_crash.py::test_it", set(), 0.1, True),
        ("tests/simulate/test_crash.py::test_it", set(), 60.0, False),
        ("tests/unit/page/test_hostile.py::test_it", set(), 0.1, False),
        ("tests/test_docs.py::test_it", set(), 0.1, True),
        ("tests/test_deploy.py::test_it", set(), 0.1, False),
        ("tests/service/test_api.py::test_it", set(), 0.1, False),
        ("tests/e2e/test_fleet.py::test_it", set(), 0.1, False),
        ("tests/e2e/test_limits.py::test_it", {"tenax"}, 0.1, True),
    ],
)
def test_a_quick_run_has_what_needs_no_server_and_is_not_long(
    name: str, words: set[str], seconds: float, is_one: bool
) -> None:
    assert is_quick(name, words, seconds) == is_one


def test_the_files_of_a_quick_run_are_there() -> None:
    assert [file for file in FILES | LONG_FILES if not (ROOT / file).is_file()] == []
    assert [folder for folder in FOLDERS if not (ROOT / "tests" / folder).is_dir()] == []


def test_what_one_ledger_has_compiled_the_next_one_need_not() -> None:
    """Of all that is run here, be it by itself: `tests/compiled.py`."""
    asked = sa.select(sa.column("a") == 1).where(sa.column("b") == "suite")
    for engine in (sa.create_engine("sqlite://"), sa.create_engine("sqlite://")):
        with engine.connect() as connection, pytest.raises(sa.exc.OperationalError):
            connection.execute(asked)
    cache = engine._compiled_cache
    assert cache is not None
    assert sum("suite" in str(found.params.values()) for found in cache.values()) == 1


# The whole of it, in a run of its own.

CONFTEST = "from tests.conftest import *"
TESTS = """
import os, pytest
from pathlib import Path
def ran(name):
    with open(Path(__file__).parents[2] / "log", "a") as log:
        print(os.environ["PYTEST_XDIST_WORKER"], os.nice(0), name, file=log)
@pytest.mark.parametrize("case", range(6))
def test_many(case):
    ran(f"FILE {case}")
@pytest.mark.alone
@pytest.mark.parametrize("case", range(3))
def test_alone(case):
    ran(f"FILE alone {case}")
"""


def test_every_test_of_a_parallel_run_is_run_once_and_those_alone_by_a_few_first(
    tmp_path: Path,
) -> None:
    for file in ("tests/e2e/test_slow.py", "tests/service/test_s.py", "tests/simulate/test_s.py"):
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).write_text(TESTS.replace("FILE", file))
    ended = run_pytest(tmp_path, "-n", "4", "--dist", "loadscope")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    ran = [line.split(" ", 2) for line in (tmp_path / "log").read_text().splitlines()]
    assert len(ran) == len({name for _, _, name in ran}) == 27
    nice = {worker: int(each) for worker, each, _ in ran}
    assert nice["gw0"] == nice["gw1"] == nice["gw2"]
    assert nice["gw3"] > nice["gw0"] or nice["gw0"] == 19, "stands back"
    workers = {worker for worker, _, _ in ran}
    assert len(workers) > 2
    assert "gw3" not in {worker for worker, _, name in ran if "simulate" not in name}, "stands back"
    waiting = [(worker, "alone" in name) for worker, _, name in ran if "simulate" not in name]
    for worker in ("gw0", "gw1"):
        alone = [is_alone for each, is_alone in waiting if each == worker]
        assert alone == sorted(alone, reverse=True)
    last = max(place for place, (_, is_alone) in enumerate(waiting) if is_alone)
    between = [place for place, (worker, _) in enumerate(waiting) if worker == "gw2"]
    assert between, "has its part"
    assert min(between) > last, "begins when nobody needs to be alone any more"


def test_what_a_process_held_that_died_is_run_by_the_others(tmp_path: Path) -> None:
    (tmp_path / "tests/e2e").mkdir(parents=True)
    dies = "\ndef test_it_dies():\n    os._exit(1)\n"
    (tmp_path / "tests/e2e/test_slow.py").write_text(TESTS.replace("FILE", "e2e") + dies)
    ended = run_pytest(tmp_path, "-n", "2", "--dist", "loadscope")
    assert "crashed while running 'tests/e2e/test_slow.py::test_it_dies'" in ended.stdout
    assert "1 failed, 9 passed" in ended.stdout


LOADED = """
import os, sys
from pathlib import Path
def note(name):
    with Path(__file__).with_name(name).open("a") as log:
        print(os.getpid(), file=log)
note("loaded")
FOUND = sys.stderr
def test_it():
    note("ran")
    assert FOUND.fileno() == 2, "what a library keeps while it is imported"
"""


@pytest.mark.skipif(not can_fork(), reason="each process loads them by itself")
def test_tests_are_loaded_once_for_all_processes_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(LOADED)
    ended = run_pytest(tmp_path, "-n", "3", "--dist", "each")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert len((tmp_path / "loaded").read_text().splitlines()) == 1
    assert len(set((tmp_path / "ran").read_text().splitlines())) == 3


WRITES = """
from pathlib import Path
def test_it(tmp_path):
    (tmp_path / "written").touch()
    with Path(__file__).with_name("where").open("a") as log:
        print(tmp_path, file=log)
"""


def test_what_a_parallel_run_writes_is_in_memory_where_there_is_plenty_and_gone_with_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "test_it.py").write_text(WRITES)
    ended = run_pytest(tmp_path, "-n", "1")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (where,) = map(Path, (tmp_path / "where").read_text().splitlines())
    with scratch() as folder:
        assert where.is_relative_to(Path(folder).parent)
    assert not any(part.exists() for part in where.parents[:3])


def test_a_process_that_nobody_forks_starts_from_nothing(tmp_path: Path) -> None:
    program = "import sys; print(sys.argv, sys.stdin.read())"
    nobody = [sys.executable, nursery.__file__, str(tmp_path / "nobody")]
    ended = subprocess.run(
        [*nobody, "-u", "-c", program], input="hello", capture_output=True, text=True, check=True
    )
    assert ended.stdout == "['-c'] hello\n"


PROPERTY = """
import os
from pathlib import Path
from hypothesis import given, strategies as st
@given(st.integers(0, 2**60))
def test_it(number):
    name = os.environ.get("PYTEST_XDIST_WORKER", "log")
    with Path(__file__).with_name(name).open("a") as log:
        print(number, file=log)
"""


def test_a_build_tries_new_examples_on_all_workers_and_its_seed_repeats_them(
    tmp_path: Path,
) -> None:
    (tmp_path / "test_property.py").write_text(PROPERTY)

    def examples(name: str) -> str:
        tried = (tmp_path / name).read_text()
        (tmp_path / name).unlink()
        return tried

    ended = run_pytest(tmp_path, "-n", "2", "--dist", "each")
    (seed,) = re.findall(r"--hypothesis-seed=(\d+)", ended.stdout)
    tried = examples("gw0")
    assert tried.count("\n") > 10
    assert examples("gw1") == tried
    assert seed in run_pytest(tmp_path, "-p", "no:xdist", f"--hypothesis-seed={seed}").stdout
    assert examples("log") == tried
    assert seed not in run_pytest(tmp_path, "-p", "no:xdist").stdout
    assert examples("log") != tried


def run_pytest(folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """As CI does, on the tests in a folder."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text(
        "[pytest]\naddopts = --import-mode=importlib -p no:cacheprovider -p no:schemathesis\n"
        "markers = alone: needs a processor\nasyncio_default_fixture_loop_scope = function\n"
    )
    environment = os.environ | {"CI": "true", "PYTHONPATH": str(ROOT)}
    # A run of its own, not a part of ours.
    for ours in ("SERVICES_RUN", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_TESTRUNUID"):
        environment.pop(ours, None)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *flags, "."],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
