"""What holds for every test: the settings of Hypothesis, that no server is left running, that the
longest come first, and that those which need a processor to themselves have one."""

from __future__ import annotations

import gc
import os
import shlex
import tempfile
from collections.abc import Generator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from services.catalogue import RUN, let_go
from tests import costs, live, quick, seeds
from tests.compiled import compile_once, make_tables_once
from tests.nursery import Nursery
from tests.turns import Turns

_LESS = 10
"""How much nicer those are who stand back: each of the others gets nine times as much, since some
of them have promised to be done in time."""

_NURSERY = pytest.StashKey[Nursery]()
_SCRATCH = pytest.StashKey[tempfile.TemporaryDirectory[str]]()
_BY_SHARES = "tenax_by_shares"

# No deadline: machines are shared, and a slow example is not a wrong one.
settings.register_profile("tenax", deadline=None, max_examples=60)
# Other examples every time (see tests/seeds.py), and none that an earlier run has left; where it
# sees CI, Hypothesis would try the same ones for ever.
settings.register_profile(
    "ci", settings.get_profile("tenax"), derandomize=False, database=None, print_blob=True
)
settings.load_profile("ci" if os.environ.get("CI") else "tenax")


def pytest_addoption(parser: pytest.Parser) -> None:
    kept = "write down how long tests took, so that the longest come first: tests/costs.json"
    parser.addoption("--keep-costs", action="store_true", help=kept)
    few = "only what needs no server and is not long: tests/quick.py"
    parser.addoption("--quick", action="store_true", help=few)


# Before that of Hypothesis, which takes the seed from the options.
@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    # While ten thousand tests are collected nothing becomes garbage, and looking for some takes a
    # quarter of that time; see pytest_collection_finish.
    gc.disable()
    # The worker processes of a parallel run inherit this, so that the servers they start are
    # known to be this run's.
    os.environ.setdefault(RUN, str(os.getpid()))
    if os.environ.get("CI"):
        seeds.choose(config)
    if config.getoption("quick"):
        live.start_nothing()
    if _stands_back(config):
        os.nice(_LESS)
    if config.getoption("numprocesses", None) and not config.option.basetemp:
        from tenax.testing import scratch

        # What tests write is thrown away: it need not wait for a disk, nor pay for its journal.
        folder = config.stash[_SCRATCH] = scratch()
        config.option.basetemp = Path(folder.name) / "t"


def pytest_sessionstart(session: pytest.Session) -> None:
    seeds.tell(session.config)


def pytest_unconfigure(config: pytest.Config) -> None:
    if _NURSERY in config.stash:
        config.stash[_NURSERY].close()
    if _SCRATCH in config.stash:
        with suppress(OSError):  # somebody may still write there; the next run sweeps it away
            config.stash[_SCRATCH].cleanup()
    if os.environ.get(RUN) != str(os.getpid()):
        return
    let_go(os.getpid())
    _turns().forget()
    _noted().unlink(missing_ok=True)
    _stopwatch().forget()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if terminalreporter.config.getoption("keep_costs"):
        from tests.shares import Kind, kind_of, scope_of

        told = _stopwatch().keep(scope_of, lambda name: kind_of(name) is Kind.WAITS)
        terminalreporter.write_line(told)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: list[Any]) -> None:
    path = _path().with_suffix(f".nursery{os.getpid()}")
    nursery = config.stash[_NURSERY] = Nursery(config.args, path)
    for spec in specs:
        spec.python = shlex.join(nursery.python)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    seeds.tell_worker(node)
    # A worker is not told by its own options: xdist has it believe that it is alone.
    node.workerinput[_BY_SHARES] = node.config.getvalue("dist") == "loadscope"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from tests.shares import Shares

    return Shares(config, log, _noted()) if config.getvalue("dist") == "loadscope" else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a parallel run: the longest first, so that nobody waits for one that began last."""
    known = costs.load()
    if config.getoption("quick"):
        quick.leave_out(config, items, known)
    if not hasattr(config, "workerinput"):
        return
    from tests.shares import note, scope_of, shares

    found = shares(((item.nodeid, is_alone(item)) for item in items), costs.seconds_by(known))
    note(_noted(), found)
    places = {share.scope: place for place, share in enumerate(found)}
    items.sort(key=lambda item: places[scope_of(item.nodeid)])


def pytest_collection_finish(session: pytest.Session) -> None:
    """Ten thousand tests are there to stay, and looking through them for garbage takes time: 8 % of
    that of `tests/contract/test_recrawls.py`, run by itself."""
    compile_once()
    make_tables_once()
    gc.enable()
    gc.collect()
    gc.freeze()
    # As the command does it. Looking for garbage as often as usual is 6 % of what tests compute.
    gc.set_threshold(20_000, 20, 50)


# First, so that waiting for one's turn does not count as the test's time.
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    keeps = item.config.getoption("keep_costs")
    with (
        # Who stands back is in nobody's way.
        nullcontext() if _stands_back(item.config) else _turns().taken(alone=is_alone(item)),
        _stopwatch().measured(item.nodeid) if keeps else nullcontext(),
    ):
        return (yield)


def _stands_back(config: pytest.Config) -> bool:
    told = getattr(config, "workerinput", {})
    if not told.get(_BY_SHARES):
        return False
    from tests.shares import place_of

    return place_of(told["workerid"], told["workercount"]).stands_back


def is_alone(item: pytest.Item) -> bool:
    return item.get_closest_marker("alone") is not None


def _turns() -> Turns:
    """The same for all processes of one run."""
    return Turns(_path())


def _noted() -> Path:
    return _path().with_suffix(".shares")


def _stopwatch() -> costs.Stopwatch:
    return costs.Stopwatch(_path().with_suffix(".costs"))


def _path() -> Path:
    return Path(tempfile.gettempdir()) / f"tenax-tests-{os.environ[RUN]}"
