"""The live stream's hub: one look at the ledger for all who listen, as server-sent events.

It looks twice a second while anybody listens, encodes what it sees once, and hands the same bytes
to all. Who asks about a job or a host gets a part more, for one look at that for all who do.
Whoever reads too slowly misses ticks, and nothing piles up for them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any

import orjson
from msgspec import Struct

from tenax.ports import Clock, Unavailable

EVERY = 0.5
"""Seconds between looks: what is shown is at most a second old."""
KEPT = 600
"""Samples that a newcomer gets: five minutes."""
LONGEST = 900.0
"""Seconds after which a stream ends; browsers ask again, and have to show who they are."""
MOST = 300
MOST_STRANGERS = MOST // 2
"""Of those who do not say who they are: there is room for who does, however many they are."""
RIGHTS_EVERY = 2.0
"""Seconds between looks whether those who listen still may: for all of them one question."""
MOST_TOPICS = 50
"""Jobs and hosts that are looked at each time, for those who ask about them."""
_KEPT_OF_EACH = ("at", "a_second")
"""What a sample of the past tells: how fast it went. All of it would be a quarter of a megabyte."""
_BACKLOG = 2
_STILL = 15.0
"""Seconds without a change after which a word is said, so that nobody in between hangs up."""

Figures = dict[str, Any]
Look = Callable[[], Awaitable[Figures]]


class LiveTopic(Struct, frozen=True):
    """What somebody wants to know besides the figures of all."""

    job: str | None = None
    host: str | None = None
    jobs: bool = False
    """Those that run."""
    among: tuple[str, ...] | None = None
    """Only these of them; None for all."""


LookAt = Callable[[LiveTopic], Awaitable[Figures]]
Lapsed = Callable[[set[bytes]], Awaitable[set[bytes]]]
_ALL = LiveTopic()


class _Listener:
    """What one of them is still to be told; None ends it."""

    def __init__(self, digest: bytes) -> None:
        self.digest = digest
        self.waiting: asyncio.Queue[bytes | None] = asyncio.Queue(_BACKLOG)

    def tell(self, told: bytes) -> None:
        with suppress(asyncio.QueueFull):
            self.waiting.put_nowait(told)

    def end(self) -> None:
        while not self.waiting.empty():
            self.waiting.get_nowait()
        self.waiting.put_nowait(None)


async def _no_part(_: LiveTopic) -> Figures:
    return {}


async def _nobody(_: set[bytes]) -> set[bytes]:
    return set()


class LiveHub:
    def __init__(
        self, look: Look, clock: Clock, look_at: LookAt = _no_part, lapsed: Lapsed = _nobody
    ) -> None:
        """`look_at` tells the part of a topic, `lapsed` whose right to listen has ended."""
        self._look = look
        self._look_at = look_at
        self._lapsed = lapsed
        self._clock = clock
        self._rights_at = clock.now()
        self._now: Figures | None = None
        self._ring: deque[Figures] = deque(maxlen=KEPT)
        self._listeners: dict[LiveTopic, set[_Listener]] = {}
        self._parts: dict[LiveTopic, Figures] = {}
        self._strangers = 0
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False

    @property
    def listeners(self) -> int:
        return sum(map(len, self._listeners.values()))

    def is_full(self, *, stranger: bool = False) -> bool:
        if self._is_closed or self.listeners >= MOST:
            return True
        return stranger and self._strangers >= MOST_STRANGERS

    def is_too_much(self, topic: LiveTopic) -> bool:
        """Whether others ask about as many other things as are looked at each time."""
        return topic not in self._listeners and len(self._listeners) >= MOST_TOPICS

    async def listen(
        self, topic: LiveTopic = _ALL, *, stranger: bool = False, digest: bytes = b""
    ) -> AsyncIterator[bytes]:
        """Events until the hub is closed, the right to them ends, which is of a key or a session
        with this digest, or it is time to ask again."""
        listener = _Listener(digest)
        self._listeners.setdefault(topic, set()).add(listener)
        self._strangers += stranger
        until = self._clock.now() + LONGEST
        try:
            if self._task is None or self._task.done():
                await self._sample()
                self._task = asyncio.create_task(self._run())
            if topic != _ALL and topic not in self._parts:
                self._parts[topic] = await self._look_at(topic)
            yield b"retry: 2000\n\n"
            now = None if self._now is None else self._now | self._parts.get(topic, {})
            yield event("full", {"now": now, "ring": list(self._ring)})
            while not self._is_closed and self._clock.now() < until:
                try:
                    async with asyncio.timeout(_STILL):
                        told = await listener.waiting.get()
                except TimeoutError:
                    told = b": still here\n\n"
                if told is None:
                    return
                yield told
        finally:
            self._strangers -= stranger
            others = self._listeners[topic]
            others.discard(listener)
            if not others:
                del self._listeners[topic]
                self._parts.pop(topic, None)

    def close(self) -> None:
        """End all streams: they would hold up the end of the server."""
        self._is_closed = True
        for listener in self._all():
            listener.end()
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        looked_at = self._clock.now()
        while self._listeners and not self._is_closed:
            # Counted from the last look on: what a look takes does not make the next one later.
            passed = self._clock.now() - looked_at
            await self._clock.sleep(EVERY - passed if 0 <= passed < EVERY else 0.0)
            looked_at = self._clock.now()
            before = self._now
            try:
                await self._end_lapsed(looked_at)
                figures = await self._sample()
                is_new = before is None or _changed(before, figures)
                if is_new:
                    _tell(self._listeners.get(_ALL, ()), event("tick", figures))
                for topic in [each for each in self._listeners if each != _ALL]:
                    await self._tell_part(topic, figures, is_new=is_new)
            except Unavailable:
                _tell(self._all(), event("away", {}))

    async def _end_lapsed(self, now: float) -> None:
        """Whoever was let in long ago may have been shown out since."""
        digests = {each.digest for each in self._all()} - {b""}
        if not digests or 0 <= now - self._rights_at < RIGHTS_EVERY:
            return
        self._rights_at = now
        gone = await self._lapsed(digests)
        for listener in self._all():
            if listener.digest in gone:
                listener.end()

    async def _tell_part(self, topic: LiveTopic, figures: Figures, *, is_new: bool) -> None:
        part = await self._look_at(topic)
        if topic in self._listeners and (is_new or part != self._parts.get(topic)):
            self._parts[topic] = part
            _tell(self._listeners[topic], event("tick", figures | part))

    async def _sample(self) -> Figures:
        figures = await self._look()
        self._now = figures
        self._ring.append({name: figures[name] for name in _KEPT_OF_EACH if name in figures})
        return figures

    def _all(self) -> list[_Listener]:
        return [each for several in self._listeners.values() for each in several]


def _tell(listeners: Iterable[_Listener], told: bytes) -> None:
    for listener in listeners:
        listener.tell(told)


def event(name: str, data: Figures) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), orjson.dumps(data))


def _changed(before: Figures, now: Figures) -> bool:
    return any(now[key] != before.get(key) for key in now if key != "at")
