"""A browser stands back where the processor is busy."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tenax.adapters.browser.priority import stand_back

NICE = 10


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process in a session of its own, as Chromium is."""
    waits = [sys.executable, "-c", "input()"]
    with subprocess.Popen(waits, stdin=subprocess.PIPE, start_new_session=True) as process:
        yield process
        process.kill()


def test_it_lowers_the_priority_of_others_and_not_ours(sleeper: subprocess.Popen[bytes]) -> None:
    ours = os.getpriority(os.PRIO_PROCESS, 0)
    stand_back([sleeper.pid], NICE)
    assert os.getpriority(os.PRIO_PROCESS, sleeper.pid) == max(NICE, ours)
    assert os.getpriority(os.PRIO_PROCESS, 0) == ours


def test_one_that_is_more_modest_stays_so(sleeper: subprocess.Popen[bytes]) -> None:
    os.setpriority(os.PRIO_PROCESS, sleeper.pid, 19)
    stand_back([sleeper.pid], NICE)
    assert os.getpriority(os.PRIO_PROCESS, sleeper.pid) == 19


def test_its_session_stands_back_as_a_whole_where_linux_groups_by_session(
    sleeper: subprocess.Popen[bytes],
) -> None:
    group = f"/proc/{sleeper.pid}/autogroup"
    if not os.path.exists(group):
        pytest.skip("this kernel does not share the processor between sessions (autogroup)")
    stand_back([sleeper.pid], NICE)
    with open(group) as file:
        told = file.read()
    assert told.split()[-1] == str(NICE)


def test_one_that_is_gone_is_passed_over(sleeper: subprocess.Popen[bytes]) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    stand_back([gone.pid, sleeper.pid], NICE)
    assert os.getpriority(os.PRIO_PROCESS, sleeper.pid) == NICE
