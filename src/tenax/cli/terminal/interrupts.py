"""What does Ctrl-C do? Once it ends the work in order, twice at once."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import FrameType
from typing import Protocol

from msgspec import Struct

from tenax.cli.terminal.say import note
from tenax.cli.terminal.stalls import tell_what_is_left, told_under_way
from tenax.cli.terminal.supervisor import TOLD
from tenax.compose import Ledger


class Interruption(Struct):
    count: int = 0


class Stoppable(Protocol):
    def stop(self) -> None:
        """Start nothing more and end."""


@asynccontextmanager
async def interruptible(
    work: Stoppable, ledger: Ledger | None = None
) -> AsyncIterator[Interruption]:
    """Ctrl-C once ends politely, twice at once; SIGTERM is the polite one. Of the ledger's servers
    those that are away are waited for a few seconds then."""
    interruption = Interruption()
    by_whom: Counter[bool] = Counter()
    telling: list[asyncio.Task[None]] = []
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None

    def interrupt(number: int) -> None:
        # Ctrl-C reaches our supervisor as well as us, and it tells us of it.
        by_whom[number == TOLD] += 1
        if max(by_whom.values()) == interruption.count:
            return
        interruption.count += 1
        if interruption.count == 1:
            note("\nStopping: finishing what is under way. Ctrl-C again stops at once.")
            work.stop()
            if ledger is not None:
                ledger.hasten()
                telling.append(asyncio.create_task(tell_what_is_left(ledger)))
        elif interruption.count == 2:
            if ledger is not None and (left := told_under_way(ledger.steps.look())):
                note("Stopped at once, with visits under way: " + "\n  ".join(left))
            task.cancel()

    # Not by the loop's own handlers: uvloop calls those twice for a signal that comes while it
    # hears another one, as ours and the supervisor's do (loop.pyx, `_invoke_signals`: it is told
    # of it by Python, and then by its pipe).
    def hear(number: int, _: FrameType | None) -> None:
        loop.call_soon_threadsafe(interrupt, number)

    for number in (signal.SIGINT, signal.SIGTERM, TOLD):
        signal.signal(number, hear)
    try:
        yield interruption
    finally:
        for each in telling:
            each.cancel()
        await asyncio.gather(*telling, return_exceptions=True)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # Late news of what we know already; by default it would kill us.
        signal.signal(TOLD, signal.SIG_IGN)
