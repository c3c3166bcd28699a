"""The promises of `Clock`: plausible, never backwards, and sleeping takes as long as it says."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tenax.adapters.local.clock import SharedClock, SystemClock
from tenax.ports import Clock
from tenax.testing import VirtualClock, run_virtually

Run = Callable[[Coroutine[Any, Any, None]], None]
CLOCKS: dict[str, tuple[Callable[[], Clock], Run]] = {
    "system": (SystemClock, asyncio.run),
    "virtual": (VirtualClock, run_virtually),
}


@pytest.mark.parametrize("name", CLOCKS)
def test_time_is_seconds_since_the_epoch_and_never_runs_backwards(name: str) -> None:
    make, run = CLOCKS[name]

    async def main() -> None:
        clock = make()
        seen = [clock.now() for _ in range(1_000)]
        assert seen == sorted(seen)
        assert 1_700_000_000 < seen[0] < 4_000_000_000

    run(main())


@pytest.mark.parametrize("name", CLOCKS)
def test_a_sleep_lasts_at_least_as_long_as_asked(name: str) -> None:
    make, run = CLOCKS[name]

    async def main() -> None:
        clock = make()
        before = clock.now()
        await clock.sleep(0.02)
        assert clock.now() - before >= 0.019
        await clock.sleep(0)
        await clock.sleep(-1)

    run(main())


def test_the_system_clock_says_what_the_system_says() -> None:
    before = time.time()
    told = SystemClock().now()
    assert before - 0.01 <= told <= time.time() + 0.01


@dataclass
class Machine:
    """A computer whose clock can be set: time passes on both of its clocks, steps on one."""

    wall: float = 1_790_000_000.0
    steady: float = 1_000.0
    boot: str = "first"

    def passes(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds

    @contextmanager
    def clock(self, file: Path) -> Iterator[SharedClock]:
        clock = SharedClock(file, lambda: self.wall, lambda: self.steady, self.boot)
        try:
            yield clock
        finally:
            clock.close()


@pytest.mark.parametrize("step", [-3_600.0, 3_600.0])
def test_a_clock_that_is_set_moves_no_running_process(step: float) -> None:
    """As NTP does it, or a person: forwards leases would end early, backwards time would."""
    machine = Machine()
    clock = SystemClock(lambda: machine.wall, lambda: machine.steady)
    before = clock.now()
    machine.wall += step
    machine.passes(2.5)
    assert clock.now() == before + 2.5


@pytest.mark.parametrize("step", [-3_600.0, 3_600.0])
def test_processes_at_one_ledger_have_one_time_however_the_clock_was_set_in_between(
    tmp_path: Path, step: float
) -> None:
    machine, file = Machine(), tmp_path / "workers" / "clock"
    with machine.clock(file) as first:
        machine.wall += step
        with machine.clock(file) as second:
            machine.passes(1.0)
            assert second.now() == pytest.approx(first.now(), abs=1e-5)
        with machine.clock(file) as third:
            assert third.now() == pytest.approx(first.now(), abs=1e-5)


def test_the_common_time_outlives_the_one_who_began_it(tmp_path: Path) -> None:
    machine, file = Machine(), tmp_path / "clock"
    with machine.clock(file) as second, machine.clock(file) as first:
        first.close()
        machine.wall += 3_600
        with machine.clock(file) as third:
            assert third.now() == pytest.approx(second.now(), abs=1e-5)


@pytest.mark.parametrize("step", [-3_600.0, 3_600.0])
def test_the_common_time_outlives_everybody_until_the_machine_is_booted(
    tmp_path: Path, step: float
) -> None:
    """Set forwards between two crawls, a clock would end every delay and back-off at once."""
    machine, file = Machine(), tmp_path / "clock"
    with machine.clock(file) as first:
        left_at = first.now()
    machine.wall += step
    machine.passes(5.0)
    with machine.clock(file) as later:
        assert later.now() == pytest.approx(left_at + 5.0, abs=1e-5)
    machine.boot, machine.steady = "second", 10.0
    with machine.clock(file) as booted:
        assert booted.now() == pytest.approx(machine.wall, abs=1e-5)


def test_a_clock_that_had_not_been_set_at_all_is_believed_once_it_is(tmp_path: Path) -> None:
    """As on machines without a battery: they begin in 1970 and ask the network later."""
    machine, file = Machine(wall=60.0), tmp_path / "clock"
    with machine.clock(file):
        pass
    machine.wall = 1_790_000_000.0
    with machine.clock(file) as later:
        assert later.now() == pytest.approx(machine.wall, abs=1e-5)


def test_where_a_boot_cannot_be_told_from_another_the_next_one_asks_the_system(
    tmp_path: Path,
) -> None:
    machine, file = Machine(boot=""), tmp_path / "clock"
    with machine.clock(file):
        machine.wall += 3_600
    with machine.clock(file) as later:
        assert later.now() == pytest.approx(machine.wall, abs=1e-5)


@pytest.mark.parametrize("text", ["", "soon", "nan first", "1790000000.0"])
def test_a_file_that_says_nothing_of_use_is_written_anew(tmp_path: Path, text: str) -> None:
    machine, file = Machine(), tmp_path / "clock"
    file.write_text(text)
    with machine.clock(file) as first, machine.clock(file) as second:
        assert first.now() == second.now() == pytest.approx(machine.wall, abs=1e-5)


def test_where_nothing_can_be_written_a_process_has_its_own_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with Machine().clock(tmp_path / "file" / "clock") as clock:
        assert clock.now() == pytest.approx(1_790_000_000.0)
