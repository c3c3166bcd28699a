"""Does somebody who sleeps wake when told, or in its own time? On a virtual clock."""

from __future__ import annotations

import asyncio
import gc

import pytest

from tenax.ports.waiting import sleep_after, sleep_until_told
from tenax.testing import START, VirtualClock, run_virtually

CLOCK = VirtualClock()


def slept(seconds: float, told_after: float | None) -> tuple[bool, float]:
    async def story() -> tuple[bool, float]:
        told = asyncio.Event()
        if told_after is not None:
            asyncio.get_running_loop().call_later(told_after, told.set)
        was_told = await sleep_until_told(CLOCK, seconds, told)
        assert len(asyncio.all_tasks()) <= 3
        await asyncio.sleep(0)
        assert len(asyncio.all_tasks()) == 1, "nobody is left behind"
        return was_told, round(CLOCK.now() - START, 3)

    return run_virtually(story())


@pytest.mark.parametrize(
    ("seconds", "told_after", "expected"),
    [
        (5.0, None, (False, 5.0)),
        (5.0, 2.0, (True, 2.0)),
        (5.0, 7.0, (False, 5.0)),
        (0.0, None, (False, 0.0)),
        (-1.0, None, (False, 0.0)),
    ],
)
def test_it_wakes_in_time_or_when_told_and_says_which(
    seconds: float, told_after: float | None, expected: tuple[bool, float]
) -> None:
    assert slept(seconds, told_after) == expected


def test_one_who_was_told_before_does_not_sleep_and_still_lets_others_work() -> None:
    async def story() -> None:
        told, others = asyncio.Event(), asyncio.Event()
        told.set()
        asyncio.get_running_loop().call_soon(others.set)
        assert await sleep_until_told(CLOCK, 3_600.0, told)
        assert others.is_set()
        assert CLOCK.now() == START

    run_virtually(story())


def test_cancelled_while_asleep_it_leaves_nothing_behind() -> None:
    async def story() -> None:
        sleeping = asyncio.create_task(sleep_until_told(CLOCK, 3_600.0, asyncio.Event()))
        await asyncio.sleep(1)
        sleeping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sleeping
        await asyncio.sleep(0)
        gc.collect()
        assert len(asyncio.all_tasks()) == 1

    run_virtually(story())


def test_a_grace_begins_when_told() -> None:
    async def story() -> float:
        told = asyncio.Event()
        asyncio.get_running_loop().call_later(10, told.set)
        await sleep_after(CLOCK, told, 2.0)
        return CLOCK.now() - START

    assert run_virtually(story()) == pytest.approx(12.0)
