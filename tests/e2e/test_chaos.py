"""Does a fleet lose, double or hurry anything while all goes wrong once? The short form of
`make chaos`: each incident waits for what it has to be seen by, and until it is over, however long
that takes on a busy machine."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.chaos.__main__ import MISSING
from tests.live import absent


@pytest.mark.timeout(2_400)
def test_a_fleet_to_which_everything_happens_once_is_whole_and_has_told_of_it() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.chaos", "--minutes", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    print(done.stdout)
    if done.returncode == MISSING:
        absent(done.stdout)
    assert done.returncode == 0, done.stdout
