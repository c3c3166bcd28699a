"""Does the retention bench measure by the time of its own process, and share it out rightly?"""

from __future__ import annotations

import asyncio
import time

import pytest

from bench.retention import BusyClock, Pair, Slice, interval, ratio


def work(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


async def test_time_passes_while_we_work_and_the_gate_is_open() -> None:
    clock = BusyClock()
    begun = clock.now()
    assert abs(begun - time.time()) < 60.0, "ages are counted from today"
    resting = asyncio.create_task(clock.sleep(0.01))
    work(0.02)
    await asyncio.sleep(0.01)
    assert clock.now() == begun, "it is shut"
    clock.open()
    work(0.005)
    await asyncio.sleep(0.01)
    assert not resting.done()
    work(0.01)
    await resting
    assert 0.015 <= clock.now() - begun < 10.0
    assert not clock.is_resting


async def test_it_is_shut_only_between_two_batches() -> None:
    clock = BusyClock()
    begun = asyncio.create_task(clock.sleep(0.0))
    clock.open()
    await begun
    shutting = asyncio.create_task(clock.shut())
    await asyncio.sleep(0.01)
    assert not shutting.done(), "a batch is under way"
    resting = asyncio.create_task(clock.sleep(5.0))
    await shutting
    resting.cancel()
    shut_at = clock.now()
    work(0.002)
    assert clock.now() == shut_at


def test_what_the_cleaning_takes_is_told_whatever_the_slices_were() -> None:
    tenth = [Pair(Slice(100 * n, 1.0 * n), Slice(90, 1.0)) for n in (1, 2, 3)]
    assert ratio(tenth) == pytest.approx(0.9)
    assert interval(tenth) == (0.9, 0.9)
