"""An example consumer of events: deduplicated by `event_id`, each with its body and links."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, field

from tenax.ops.events.parting import answered
from tenax.page.reading.document import Document
from tenax.ports import Clock, ContentStore, EventSource, Received, Unavailable
from tenax.ports.waiting import sleep_after, sleep_until_told

T = TypeVar("T")
_REMEMBERED = 200_000
"""Events recognised when they come again: those of a crash come soon."""
_AT_ONCE = 100
_LOOK_AGAIN = 2.0
_GRACE = 2.0
"""Seconds that the source has to answer when we are told to stop."""
_LOOKS = 2
"""In vain, before nothing more is thought to come."""


class SeenEvents:
    """The `event_id`s of late: the same one again is no news."""

    def __init__(self, most: int = _REMEMBERED) -> None:
        self._ids: dict[str, None] = {}
        self._most = most

    def __contains__(self, event_id: str) -> bool:
        return event_id in self._ids

    def add(self, event_id: str) -> None:
        self._ids[event_id] = None
        if len(self._ids) > self._most:
            del self._ids[next(iter(self._ids))]


class Consumer(Struct):
    source: EventSource
    content: ContentStore
    clock: Clock
    tell: Callable[[dict[str, Any]], None]
    """Gets every event once, with what was asked for."""
    links: bool = False
    """Read the links in the body again."""
    limit: int | None = None
    """End after this many."""
    seen: SeenEvents = field(default_factory=SeenEvents)
    told: int = 0
    again: int = 0
    """Events that came before."""
    bodiless: int = 0
    """Events whose body should be there and is not."""
    unreadable: int = 0
    """Messages that are no events: others may write to a topic, too."""
    _stopped: asyncio.Event = field(default_factory=asyncio.Event)

    def stop(self) -> None:
        self._stopped.set()

    @property
    def _stopping(self) -> bool:
        return self._stopped.is_set()

    async def run(self, *, until_empty: bool = False) -> None:
        """Read on until stopped, until the limit, or until nothing more comes."""
        idle = 0
        while not self._stopping and not self._is_enough:
            most = _AT_ONCE if self.limit is None else min(_AT_ONCE, self.limit - self.told)
            try:
                received = await self._answered(self.source.read(most))
                for event in received:
                    await self._take(event, waits=not until_empty)
                await self._answered(self.source.commit())
            except Unavailable:
                if until_empty and not self._stopping:
                    raise
                # What was not committed comes again, and is recognised.
                if not self._stopping:
                    await sleep_until_told(self.clock, _LOOK_AGAIN, self._stopped)
                continue
            idle = 0 if received else idle + 1
            if until_empty and idle == _LOOKS:
                return

    async def _answered(self, asking: Coroutine[Any, Any, T]) -> T:
        return await answered(asking, sleep_after(self.clock, self._stopped, _GRACE), "events")

    @property
    def _is_enough(self) -> bool:
        return self.limit is not None and self.told >= self.limit

    async def _take(self, received: Received, *, waits: bool) -> None:
        read = _read(received.value)
        if read is None:
            self.unreadable += 1
            return
        head, event = read
        if head.event_id in self.seen:
            self.again += 1
            return
        if digest := head.body_sha256 or head.digest:
            body = await self._body(bytes.fromhex(digest), waits=waits)
            if body is None:
                self.bodiless += 1
            event["body_found"] = body is not None
            if self.links and body is not None:
                event["links"] = _links(body, head.final_url, head.content_type or "")
        self.tell(event)
        self.told += 1
        # Only now: cut off before this, it comes again and is news.
        self.seen.add(head.event_id)

    async def _body(self, digest: bytes, *, waits: bool) -> bytes | None:
        """Waited for: the source has moved on, and would not bring this event again."""
        while True:
            try:
                return await self.content.get(digest)
            except Unavailable:
                if not waits or self._stopping:
                    raise
                await sleep_until_told(self.clock, _LOOK_AGAIN, self._stopped)


class _ConsumedHead(msgspec.Struct):
    """What of an event is looked at here."""

    event_id: str
    body_sha256: str | None = None
    digest: str | None = None
    """The same, as events of old call it."""
    final_url: str = ""
    content_type: str | None = None


def _read(value: bytes) -> tuple[_ConsumedHead, dict[str, Any]] | None:
    """None for what is no event: one of them must not stop everybody behind it."""
    try:
        head = msgspec.json.decode(value, type=_ConsumedHead)
        bytes.fromhex(head.body_sha256 or head.digest or "")
        return head, msgspec.json.decode(value)
    except (ValueError, RecursionError):
        return None


def _links(body: bytes, url: str, content_type: str) -> list[str]:
    document = Document(body, url, content_type)
    return list(dict.fromkeys(link.url for link in document.links))
