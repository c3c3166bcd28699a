"""What do we ask of those who are told of pages, and of the ledger that remembers what to tell?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from tenax.model import Event, EventKind


class ToldPartly(Exception):
    """Some of the events were told, and the rest not yet: to be raised by `EventSink.send`."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place
        """Of the last one that was."""


class EventSink(Protocol):
    """Somebody who is told of events: files, a Kafka topic."""

    async def send(self, events: Sequence[Event]) -> None:
        """Tell these, in this order; on return all of them are durable there.

        Raises `Unavailable` otherwise: then any of them may have arrived, and all are sent again;
        or `ToldPartly`: then those up to there are.
        """

    async def close(self) -> None: ...


class Received(Struct, frozen=True):
    """An event as somebody reads it who was told."""

    kind: EventKind
    key: bytes
    value: bytes


class EventSource(Protocol):
    """Where events can be read again, by readers who each remember how far they came."""

    async def read(self, most: int) -> list[Received]:
        """The next ones, waiting a little for the first; none when none came."""

    async def commit(self) -> None:
        """What was read so far is dealt with: the next reader of this group begins behind it."""

    async def close(self) -> None: ...


class Backlog(Struct, frozen=True):
    """How far behind somebody is."""

    sink: str
    place: int
    """The last event it was told."""
    waiting: int
    """Events it has not been told."""
    oldest: float | None
    """When the first of these happened; None when there is none."""
    holder: str
    """Which relay tells it; empty when none does."""
    seen_at: float
    """When a relay last did."""


class Outbox(Protocol):
    """Events in the ledger, written with the visits that made them, until everybody was told.

    Each sink has a place up to which it was told. One relay at a time holds it.
    """

    async def hold(self, sink: str, holder: str, seconds: float) -> int | None:
        """Hold a sink's place for this long, or longer if we hold it; the place.

        None when another relay holds it, and that one's time has not run out.
        """

    async def read(self, after: int, most: int) -> list[Event]:
        """The events behind this place, in order. None is ever added before one that was read."""

    async def put(self, kind: EventKind, key: bytes, value: bytes) -> None:
        """Have something told that is no part of a visit."""

    async def told(self, sink: str, holder: str, place: int) -> bool:
        """The sink was told all up to there. False when its place is not ours any more."""

    async def let_go(self, sink: str, holder: str) -> None: ...

    async def move(self, sink: str, at: float) -> int:
        """Tell the sink again what happened since then, as far as it is kept; how many events."""

    async def forget(self, sink: str) -> bool:
        """Nothing is kept for this sink any more; False when it is not known."""

    async def prune(self, before: float, most: int) -> int:
        """Remove events older than this that every sink was told; how many, at most so many."""

    async def backlogs(self) -> list[Backlog]:
        """How far behind every sink is."""
