"""How is waiting done by somebody who may be told that it is over? On a clock that is an argument.

Here because everybody waits, from the walk to the commands, and the clock is a port.
"""

from __future__ import annotations

import asyncio

from tenax.ports.world import Clock


async def sleep_until_told(clock: Clock, seconds: float, told: asyncio.Event) -> bool:
    """So long, or until the event is set; whether it is. Others get their turn in any case."""
    if seconds <= 0 or told.is_set():
        await asyncio.sleep(0)
        return told.is_set()
    sleeping = asyncio.ensure_future(clock.sleep(seconds))
    telling = asyncio.ensure_future(told.wait())
    try:
        await asyncio.wait((sleeping, telling), return_when=asyncio.FIRST_COMPLETED)
    finally:
        sleeping.cancel()
        telling.cancel()
    return told.is_set()


async def sleep_after(clock: Clock, told: asyncio.Event, seconds: float) -> None:
    """So long, from when the event is set: the grace of somebody who is told to end."""
    await told.wait()
    await clock.sleep(seconds)
