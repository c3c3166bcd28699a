"""The promises of `Clock`: plausible, never backwards, and sleeping takes as long as it says."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tenax.adapters.clock import SystemClock
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
    assert abs(SystemClock().now() - time.time()) < 1
