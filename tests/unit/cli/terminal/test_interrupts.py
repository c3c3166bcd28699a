"""Does Ctrl-C end the work in order, and twice at once, whoever else tells of it? (CLI-1)"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from threading import Timer

import pytest
import uvloop

from tenax.cli.terminal.interrupts import interruptible
from tenax.cli.terminal.supervisor import TOLD


class Work:
    """Notes whether it was told to end."""

    is_stopped = False

    def stop(self) -> None:
        self.is_stopped = True


@pytest.fixture(autouse=True)
def _handlers_as_before() -> Iterator[None]:
    numbers = (signal.SIGINT, signal.SIGTERM, TOLD, signal.SIGUSR2)
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


async def interrupted(*numbers: int) -> tuple[int, bool]:
    """By these signals, one after the other: how often, and whether the work was told to end."""
    work = Work()
    async with interruptible(work) as interruption:
        for number in numbers:
            # By another thread, so that it comes while the loop waits: whoever sends one to
            # himself has heard it before the loop sees that any came.
            sent = Timer(0.02, os.kill, (os.getpid(), number))
            sent.start()
            await asyncio.sleep(0.1)
            sent.join()
    return interruption.count, work.is_stopped


def told_of_it_meanwhile(*_: object) -> None:
    os.kill(os.getpid(), TOLD)


@pytest.mark.parametrize("loop", [uvloop.new_event_loop, asyncio.new_event_loop])
@pytest.mark.parametrize(
    "numbers", [(signal.SIGINT,), (signal.SIGINT, TOLD), (TOLD, signal.SIGINT), (signal.SIGTERM,)]
)
def test_an_interrupt_that_two_tell_of_is_one(loop: object, numbers: tuple[int, ...]) -> None:
    with asyncio.Runner(loop_factory=loop) as runner:  # type: ignore[arg-type]  # either is one
        assert runner.run(interrupted(*numbers)) == (1, True)


@pytest.mark.parametrize("loop", [uvloop.new_event_loop, asyncio.new_event_loop])
def test_the_second_one_ends_it_at_once(loop: object) -> None:
    with (
        asyncio.Runner(loop_factory=loop) as runner,  # type: ignore[arg-type]  # either is one
        pytest.raises(asyncio.CancelledError),
    ):
        runner.run(interrupted(signal.SIGINT, signal.SIGINT))


@pytest.mark.parametrize("loop", [uvloop.new_event_loop, asyncio.new_event_loop])
def test_one_that_comes_while_another_is_being_heard_is_heard_once(loop: object) -> None:
    signal.signal(signal.SIGUSR2, told_of_it_meanwhile)
    with asyncio.Runner(loop_factory=loop) as runner:  # type: ignore[arg-type]  # either is one
        assert runner.run(interrupted(signal.SIGUSR2)) == (1, True)
