"""What does Ctrl-C do? Once it ends the work in order, twice at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

from msgspec import Struct

from tenax.cli.terminal.say import note
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
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None

    def interrupt() -> None:
        interruption.count += 1
        if interruption.count == 1:
            note("\nStopping: finishing what is under way. Ctrl-C again stops at once.")
            work.stop()
            if ledger is not None:
                ledger.hasten()
        elif interruption.count == 2:
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt)
    try:
        yield interruption
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
