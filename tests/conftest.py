"""What holds for every test: the settings of Hypothesis, that no server is left running, and that
those which need a processor to themselves have one."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from services.catalogue import RUN, let_go
from tests.turns import Turns

# No deadline: machines are shared, and a slow example is not a wrong one.
settings.register_profile("tenax", deadline=None, max_examples=60)
# The same examples every time, so that a red build is about the change it ran on.
settings.register_profile("ci", settings.get_profile("tenax"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "tenax")

_SLOW = ("tests/contract/", "tests/e2e/", "tests/service/", "tests/simulate/")


def pytest_configure(config: pytest.Config) -> None:
    # The worker processes of a parallel run inherit this, so that the servers they start are
    # known to be this run's.
    os.environ.setdefault(RUN, str(os.getpid()))


def pytest_unconfigure(config: pytest.Config) -> None:
    if os.environ.get(RUN) == str(os.getpid()):
        let_go(os.getpid())
        _turns().forget()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from tests.shares import Shares

    return Shares(config, log) if config.getvalue("dist") == "loadscope" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a parallel run: let those who need a processor come one by one, among the slow tests,
    which wait for servers as a rule. Side by side they would keep all other processes waiting."""
    if not hasattr(config, "workerinput"):
        return
    from tests.shares import TOGETHER, spread

    alone: list[pytest.Item] = []
    slow: list[pytest.Item] = []
    quick: list[pytest.Item] = []
    for item in items:
        file = item.nodeid.partition("::")[0]
        if is_alone(item) and file not in TOGETHER:
            alone.append(item)
        else:
            (slow if file.startswith(_SLOW) else quick).append(item)
    items[:] = [*spread(alone, slow), *quick]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Ten thousand tests are there to stay, and looking through them for garbage takes time: 8 % of
    that of `tests/contract/test_recrawls.py`, run by itself."""
    gc.collect()
    gc.freeze()


# First, so that waiting for one's turn does not count as the test's time.
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    with _turns().taken(alone=is_alone(item)):
        return (yield)


def is_alone(item: pytest.Item) -> bool:
    return item.get_closest_marker("alone") is not None


def _turns() -> Turns:
    """The same for all processes of one run."""
    return Turns(Path(tempfile.gettempdir()) / f"tenax-tests-{os.environ[RUN]}")
