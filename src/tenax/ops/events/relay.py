"""The relay: from the outbox to one sink, in order, at least once, one relay at a time by lease.

A sink's place moves only after it has confirmed what it was told. Between the two a crash makes
the next relay tell the same again, under the same `event_id`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

from msgspec import Struct, field

from tenax.fetch.tally import Tally
from tenax.model import Event
from tenax.ops.events.delivery import DeliveryPatience, RelayPolicy
from tenax.ops.events.parting import answered
from tenax.ports import Clock, EventSink, Outbox, Unavailable
from tenax.ports.events import ToldPartly
from tenax.ports.waiting import sleep_after, sleep_until_told

_GRACE = 3.0
"""Seconds that a sink has left to confirm what it is being told, once we are to stop."""
_PRUNE_EVERY = 30.0
_PRUNED_AT_ONCE = 2_000


def _ignore(_: str) -> None:
    pass


class Relay(Struct):
    """Tells one sink, as long as no other relay does."""

    name: str
    """Of the sink's place in the ledger: another sink of this name goes on there."""
    holder: str
    """Of this relay among others."""
    outbox: Outbox
    sink: EventSink
    clock: Clock
    policy: RelayPolicy = field(default_factory=RelayPolicy)
    say: Callable[[str], None] = _ignore
    """Told when deliveries begin to fail, and when they go on."""
    told: int = 0
    """Events told so far."""
    tally: Tally = field(default_factory=Tally)
    """Where they are counted besides."""
    is_idle: bool = False
    """All that there was at the last look is told."""
    is_second: bool = False
    """Another relay held the sink at the last look."""
    patience: DeliveryPatience = field(default_factory=DeliveryPatience)
    trouble: str = ""
    """Why nothing is told at the moment; empty while it is."""
    _place: int | None = None
    """Up to where the sink was told; None while we do not hold it."""
    _deadline: float | None = None
    """Of the last events of a crawl; None while there is none."""
    _renew_at: float = 0.0
    _prune_at: float = 0.0
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def stop(self) -> None:
        """End as soon as what is being told is told, or does not seem to be heard."""
        self._stopping.set()

    async def run(self) -> None:
        """Tell what there is and will be, until stopped."""
        try:
            while not self._stopping.is_set():
                await self._pause(await self.step())
        finally:
            await self._let_go()

    async def drain(self, seconds: float | None = None) -> bool:
        """Tell what there is, for at most so long; whether nothing is left.

        Where another relay holds the sink, as long as it takes to know whether it is dead.
        """
        self._stopping.clear()
        now = self.clock.now()
        self._deadline = None if seconds is None else now + seconds
        known = now + self.policy.lease + 4 * self.policy.look
        try:
            while not self._stopping.is_set():
                wait = await self.step()
                if self.is_idle or (self.is_second and not await self.left()):
                    return True
                if self._deadline is not None and self.is_second:
                    self._deadline = max(self._deadline, known)
                if self._deadline is not None and self.clock.now() + wait >= self._deadline:
                    return False
                await self._pause(wait)
            return False
        finally:
            self._deadline = None
            await self._let_go()

    async def left(self) -> int:
        """Events that the sink was not told."""
        return sum(each.waiting for each in await self.outbox.backlogs() if each.sink == self.name)

    async def step(self) -> float:
        """One look, and one batch if there is something to tell; seconds until the next."""
        self.is_idle = False
        if wait := self.patience.wait(self.clock.now()):
            await self._renew_while_waiting()
            return min(wait, self.policy.lease / 3)
        try:
            wait = await self._deliver()
        except Unavailable as error:
            self.patience = self.patience.failed(self.clock.now(), self.policy)
            self.trouble = str(error)
            if self.patience.failures == 1:
                self.say(f"Events wait: {error} They are kept, and told when that is over.")
            return min(self.patience.wait(self.clock.now()), self.policy.lease / 3)
        return wait

    async def _deliver(self) -> float:
        if not await self._hold():
            self.trouble = ""  # the other one's, if there is any
            return self.policy.look * 4
        assert self._place is not None
        events = await self.outbox.read(self._place, self.policy.batch)
        if events:
            last = await self._send(events)
            if not await self.outbox.told(self.name, self.holder, last):
                self._place = None  # somebody moved it, or thought us dead: look again
                return 0.0
            self._place = last
            count = sum(event.place <= last for event in events)
            self.told += count
            told = self.tally.told
            told[self.name] = told.get(self.name, 0) + count
            if last < events[-1].place:
                return 0.0
        if self.patience.failures:
            self.say("Events are told again.")
            self.patience, self.trouble = DeliveryPatience(), ""
        await self._prune()
        # Not at once after a few: they come in all the time, and a batch costs as much as ten.
        self.is_idle = len(events) < self.policy.batch
        return self.policy.look if self.is_idle else 0.0

    async def _send(self, events: Sequence[Event]) -> int:
        """The place up to which they are told."""
        try:
            await answered(self.sink.send(events), self._parting(), self.name)
        except ToldPartly as partly:
            return partly.place
        return events[-1].place

    async def _hold(self) -> bool:
        now = self.clock.now()
        if self._place is None or now >= self._renew_at:
            self._place = await self.outbox.hold(self.name, self.holder, self.policy.lease)
            self._renew_at = now + self.policy.lease / 3
            self.is_second = self._place is None
        return self._place is not None

    async def _renew_while_waiting(self) -> None:
        """A sink that is down is still ours: another relay would only fail alike."""
        try:
            if self._place is not None:
                await self._hold()
        except Unavailable:
            self._place = None

    async def _prune(self) -> None:
        now = self.clock.now()
        if now < self._prune_at:
            return
        gone = await self.outbox.prune(now - self.policy.keep, _PRUNED_AT_ONCE)
        self._prune_at = now if gone == _PRUNED_AT_ONCE else now + _PRUNE_EVERY

    async def _let_go(self) -> None:
        if self._place is None:
            return
        self._place = None
        with suppress(Unavailable):  # then it falls to others when its time has run out
            await self.outbox.let_go(self.name, self.holder)

    async def _parting(self) -> None:
        """Until what is being told has had its time."""
        if self._deadline is None:
            await sleep_after(self.clock, self._stopping, _GRACE)
        else:
            await self._pause(self._deadline - self.clock.now())

    async def _pause(self, seconds: float) -> None:
        await sleep_until_told(self.clock, seconds, self._stopping)


@asynccontextmanager
async def relaying(relays: Sequence[Relay]) -> AsyncIterator[None]:
    """Let these run meanwhile; at the end they tell what is left, and say what they could not."""
    running = [asyncio.create_task(relay.run()) for relay in relays]
    try:
        yield
    except BaseException:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        raise
    for relay in relays:
        relay.stop()
    await asyncio.gather(*running)
    for relay in relays:
        if not await relay.drain(relay.policy.drain):
            relay.say(f"{await relay.left():,} events are not told yet: `tenax relay` tells them.")
