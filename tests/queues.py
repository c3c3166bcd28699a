"""Which queues is the contract tried on? One in memory, for simulations, and the real ones."""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

import kombu
import pytest

from tenax.adapters.celery import queue as celery_queue
from tenax.adapters.celery.queue import CeleryQueue
from tenax.adapters.local.clock import SystemClock
from tenax.adapters.redis.client import RedisServer
from tenax.adapters.redis.queue import RedisQueue
from tenax.ports import Ticket, Unavailable, WorkQueue
from tests.live import service
from tests.redises import PATIENT

AGAIN = 0.3
"""Seconds until what was taken and not done comes back, for who waits for that."""
LONG = 600.0
"""The same for everybody else: no machine is so slow that it comes back in between."""


@dataclass
class MemoryQueue:
    """For processes that are only simulated: they share this object, and its time."""

    now: Callable[[], float] = time.monotonic
    again: float = AGAIN
    is_down: bool = False
    waiting: dict[Ticket, float] = field(default_factory=dict)
    """With when each is dropped."""
    taken: dict[Ticket, tuple[float, float]] = field(default_factory=dict)
    """With when each comes back, and when it is dropped."""
    seen: set[Ticket] = field(default_factory=set)
    """All there ever were."""

    async def put(self, tickets: Sequence[Ticket], keep: float) -> None:
        self._look()
        self.seen.update(tickets)
        for ticket in tickets:
            self.waiting[ticket] = self.now() + keep

    async def take(self, most: int) -> list[Ticket]:
        self._look()
        found = sorted(self.waiting, key=lambda ticket: ticket.priority)[:most]
        for ticket in found:
            self.taken[ticket] = (self.now() + self.again, self.waiting.pop(ticket))
        return found

    async def done(self, tickets: Sequence[Ticket]) -> None:
        self._look()
        for ticket in tickets:
            self.waiting.pop(ticket, None)
            self.taken.pop(ticket, None)

    async def size(self) -> int:
        self._look()
        return len(self.waiting)

    async def close(self) -> None:
        pass

    def flush(self) -> None:
        """All is lost, as when a server without a disk is restarted."""
        self.waiting.clear()
        self.taken.clear()

    def _look(self) -> None:
        if self.is_down:
            raise Unavailable("The queue is down, says the simulation.")
        now = self.now()
        for ticket, (back, dropped) in list(self.taken.items()):
            if back <= now:
                del self.taken[ticket]
                self.waiting[ticket] = dropped
        for ticket, dropped in list(self.waiting.items()):
            if dropped <= now:
                del self.waiting[ticket]


@dataclass
class Place:
    """One queue, as seen by any number of processes."""

    open: Callable[[float], WorkQueue]
    """With the seconds until what was taken and not done comes back."""


@asynccontextmanager
async def memory() -> AsyncIterator[Place]:
    queue = MemoryQueue()

    def opened(again: float) -> WorkQueue:
        queue.again = again
        return queue

    yield Place(opened)


@asynccontextmanager
async def redis() -> AsyncIterator[Place]:
    url = service("redis").url
    name = f"test-{uuid.uuid4().hex[:8]}"
    yield Place(lambda again: RedisQueue(RedisServer(url, SystemClock(), PATIENT), name, again))


@asynccontextmanager
async def celery() -> AsyncIterator[Place]:
    url = service("rabbitmq").url
    name = f"test-{uuid.uuid4().hex[:8]}"
    with pytest.MonkeyPatch.context() as patch:
        # A server beside other tests may be slow, and that is no outage.
        patch.setattr(celery_queue, "_LIMIT", 60)
        # It gives back when the taker's connection ends, whatever the time.
        yield Place(lambda _: CeleryQueue(url, name, SystemClock()))
    with kombu.Connection(url) as connection:
        connection.default_channel.queue_delete(name)


QUEUES: dict[str, Callable[[], AbstractAsyncContextManager[Place]]] = {
    "memory": memory,
    "redis": redis,
    "celery": celery,
}
