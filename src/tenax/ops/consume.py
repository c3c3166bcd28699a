"""What can one do with events? A small example: each once, with its body, and the links in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from tenax.page.document import Document
from tenax.ports import ContentStore, EventSource, Received, Unavailable

_REMEMBERED = 200_000
"""Events recognised when they come again: those of a crash come soon."""
_AT_ONCE = 100
_LOOK_AGAIN = 2.0
_LOOKS = 2
"""In vain, before nothing more is thought to come."""


class Seen:
    """The `event_id`s of late: the same one again is no news."""

    def __init__(self, most: int = _REMEMBERED) -> None:
        self._ids: dict[str, None] = {}
        self._most = most

    def is_new(self, event_id: str) -> bool:
        if event_id in self._ids:
            return False
        self._ids[event_id] = None
        if len(self._ids) > self._most:
            del self._ids[next(iter(self._ids))]
        return True


@dataclass(slots=True)
class Consumer:
    source: EventSource
    content: ContentStore
    tell: Callable[[dict[str, Any]], None]
    """Gets every event once, with what was asked for."""
    links: bool = False
    """Read the links in the body again."""
    limit: int | None = None
    """End after this many."""
    seen: Seen = field(default_factory=Seen)
    told: int = 0
    again: int = 0
    """Events that came before."""
    bodiless: int = 0
    """Events whose body should be there and is not."""
    _stopping: bool = False

    def stop(self) -> None:
        self._stopping = True

    async def run(self, *, until_empty: bool = False) -> None:
        """Read on until stopped, until the limit, or until nothing more comes."""
        idle = 0
        while not self._stopping and not self._is_enough:
            most = _AT_ONCE if self.limit is None else min(_AT_ONCE, self.limit - self.told)
            try:
                received = await self.source.read(most)
                for event in received:
                    await self._take(event)
                await self.source.commit()
            except Unavailable:
                if until_empty:
                    raise
                # What was not committed comes again, and is recognised.
                await asyncio.sleep(_LOOK_AGAIN)
                continue
            idle = 0 if received else idle + 1
            if until_empty and idle == _LOOKS:
                return

    @property
    def _is_enough(self) -> bool:
        return self.limit is not None and self.told >= self.limit

    async def _take(self, received: Received) -> None:
        event: dict[str, Any] = msgspec.json.decode(received.value)
        if not self.seen.is_new(event["event_id"]):
            self.again += 1
            return
        if event.get("digest"):
            body = await self.content.get(bytes.fromhex(event["digest"]))
            if body is None:
                self.bodiless += 1
            event["body_found"] = body is not None
            if self.links and body is not None:
                event["links"] = _links(body, event["final_url"], event["content_type"])
        self.tell(event)
        self.told += 1


def _links(body: bytes, url: str, content_type: str) -> list[str]:
    document = Document(body, url, content_type)
    return list(dict.fromkeys(link.url for link in document.links))
