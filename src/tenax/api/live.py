"""The live stream's hub: one look at the ledger for all who listen, as server-sent events.

It looks twice a second while anybody listens, encodes what it sees once, and hands the same bytes
to all. Whoever reads too slowly misses ticks, and nothing piles up for them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any

import orjson

from tenax.ports import Clock, Unavailable

EVERY = 0.5
"""Seconds between looks: what is shown is at most a second old."""
KEPT = 600
"""Samples that a newcomer gets: five minutes."""
LONGEST = 900.0
"""Seconds after which a stream ends; browsers ask again, and have to show who they are."""
MOST = 300
_BACKLOG = 2
_STILL = 15.0
"""Seconds without a change after which a word is said, so that nobody in between hangs up."""

Figures = dict[str, Any]
Look = Callable[[], Awaitable[Figures]]


class LiveHub:
    def __init__(self, look: Look, clock: Clock) -> None:
        self._look = look
        self._clock = clock
        self._ring: deque[Figures] = deque(maxlen=KEPT)
        self._listeners: set[asyncio.Queue[bytes | None]] = set()
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False

    @property
    def is_full(self) -> bool:
        return len(self._listeners) >= MOST or self._is_closed

    async def listen(self) -> AsyncIterator[bytes]:
        """Events until the hub is closed, or it is time to ask again."""
        waiting: asyncio.Queue[bytes | None] = asyncio.Queue(_BACKLOG)
        self._listeners.add(waiting)
        until = self._clock.now() + LONGEST
        try:
            if self._task is None or self._task.done():
                await self._sample()
                self._task = asyncio.create_task(self._run())
            yield b"retry: 2000\n\n"
            yield event("full", {"now": self._ring[-1] if self._ring else None,
                                 "ring": list(self._ring)})  # fmt: skip
            while not self._is_closed and self._clock.now() < until:
                try:
                    async with asyncio.timeout(_STILL):
                        told = await waiting.get()
                except TimeoutError:
                    told = b": still here\n\n"
                if told is None:
                    return
                yield told
        finally:
            self._listeners.discard(waiting)

    def close(self) -> None:
        """End all streams: they would hold up the end of the server."""
        self._is_closed = True
        for waiting in self._listeners:
            while not waiting.empty():
                waiting.get_nowait()
            waiting.put_nowait(None)
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        while self._listeners and not self._is_closed:
            await self._clock.sleep(EVERY)
            before = self._ring[-1] if self._ring else None
            try:
                figures = await self._sample()
            except Unavailable:
                self._tell(event("away", {}))
                continue
            if before is None or _changed(before, figures):
                self._tell(event("tick", figures))

    async def _sample(self) -> Figures:
        figures = await self._look()
        self._ring.append(figures)
        return figures

    def _tell(self, told: bytes) -> None:
        for waiting in self._listeners:
            with suppress(asyncio.QueueFull):
                waiting.put_nowait(told)


def event(name: str, data: Figures) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), orjson.dumps(data))


def _changed(before: Figures, now: Figures) -> bool:
    return any(now[key] != before.get(key) for key in now if key != "at")
