"""What time is it? The system's clock, protected against being set while we run."""

from __future__ import annotations

import asyncio
import time

# Counts through suspend where the system offers it, so that leases and delays stay true.
_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class SystemClock:
    """Wall-clock time at the start plus steady time since: an adjusted clock moves nothing."""

    def __init__(self) -> None:
        self._offset = time.time() - time.clock_gettime(_STEADY)

    def now(self) -> float:
        return self._offset + time.clock_gettime(_STEADY)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
