"""Have those who ask to be alone a few beside them at most, and does nobody wait for ever?"""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.turns import SEATS, Turns

# Notes when it comes in and goes out again, as often as it is told.
GUEST = """
import sys, time
from pathlib import Path
from tests.turns import Turns
log = open(sys.argv[2], "a", buffering=1)
for _ in range(40):
    with Turns(Path(sys.argv[1])).taken(alone=sys.argv[3] == "alone"):
        log.write(f"in {sys.argv[3]}\\n")
        time.sleep(0.005)
        log.write(f"out {sys.argv[3]}\\n")
"""


def test_no_more_than_the_seats_are_taken_with_who_is_alone_and_all_get_their_turn(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log"
    guests = [
        subprocess.Popen([sys.executable, "-c", GUEST, str(tmp_path / "turns"), str(log), kind])
        for kind in ("alone", "together", "together", "together", "alone", "alone")
    ]
    assert [guest.wait(60) for guest in guests] == [0] * 6
    there: list[str] = []
    for line in log.read_text().splitlines():
        step, kind = line.split()
        there.append(kind) if step == "in" else there.remove(kind)
        assert "alone" not in there or len(there) <= SEATS


@pytest.mark.parametrize(
    "guests", ["together " * (SEATS + 1), "alone " * SEATS, "together " + "alone " * (SEATS - 1)]
)
def test_these_may_be_there_at_once(tmp_path: Path, guests: str) -> None:
    turns = Turns(tmp_path / "turns")
    with ExitStack() as there:
        for kind in guests.split():
            there.enter_context(turns.taken(alone=kind == "alone"))


def test_who_dies_with_a_turn_lets_it_go(tmp_path: Path) -> None:
    turns = Turns(tmp_path / "turns")
    dying = GUEST.replace("time.sleep(0.005)", "time.sleep(60)")
    log = tmp_path / "log"
    guest = subprocess.Popen([
        sys.executable, "-c", dying, str(tmp_path / "turns"), str(log), "alone",
    ])  # fmt: skip
    while not log.exists() or "in" not in log.read_text():
        time.sleep(0.01)
    guest.kill()
    guest.wait()
    with turns.taken(alone=True):
        pass
