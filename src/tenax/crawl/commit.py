"""Group commit with backpressure and retries: bodies first, then one transaction for many."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from tenax.crawl.outages.bodies import Bodies
from tenax.crawl.policy import CommitPolicy
from tenax.crawl.steps import Steps
from tenax.model import Page
from tenax.outcome import Settlement
from tenax.ports import Clock, Committed, Frontier, Unavailable
from tenax.ports.retry import Backoff, retry

T = TypeVar("T")
_MOST_FOUND = 5_000
"""URLs that one visit adds in its own transaction. More, of a large sitemap, are added ahead of
it, so many at a time: fifty thousand at once would keep everybody else waiting for a second."""
_LIGHT = 16_384
"""Bytes of bodies that count as much as a page, where memory is asked for."""
_TURNS = 8
"""Turns of the event loop; a host takes two to be given back."""
_HEAVY = 65_536
"""Bytes of bodies from which a visit stores them itself, instead of leaving that to its batch."""


class Committer:
    """Collects what visits changed and writes it. Nothing is acknowledged before it is durable."""

    def __init__(
        self,
        frontier: Frontier,
        bodies: Bodies,
        clock: Clock,
        policy: CommitPolicy,
        committed: Callable[[list[Settlement], Committed, list[int]], None],
        steps: Steps | None = None,
    ) -> None:
        self._frontier = frontier
        self._bodies = bodies
        self._clock = clock
        self._policy = policy
        self._again = Backoff(policy.retry, tries=policy.tries)
        self._committed = committed
        self._steps = steps or Steps(clock)
        self._settlements: list[Settlement] = []
        self._weight = 0
        self._held = 0
        """Bytes of bodies that wait."""
        self._ahead: dict[int, asyncio.Event] = {}
        """Whose bodies are being stored, by the identity of what is queued."""
        self._released: list[int] = []
        self._arrived = asyncio.Event()
        self._drained = asyncio.Event()
        self._drained.set()
        self._closing = False
        self._is_over = False

    async def put(self, settlement: Settlement) -> None:
        """Queue a settlement; waits only when the ledger has fallen far behind."""
        self.add(settlement)
        if _is_heavy(settlement):
            await self._store_ahead(settlement)
        del settlement  # its body is not ours to hold while we wait
        if self._is_full:
            await self.room()

    async def _store_ahead(self, settlement: Settlement) -> None:
        """Store its body now, and let go of it: who brings one has no other in memory meanwhile.
        What fails is tried again with the batch."""
        over = self._ahead[id(settlement)] = asyncio.Event()
        try:
            (stored,) = await self._bodies.put([settlement])
        except Unavailable:
            return
        finally:
            del self._ahead[id(settlement)]
            over.set()
        for place in reversed(range(len(self._settlements))):  # it is among the last ones
            if self._settlements[place] is settlement:
                self._settlements[place] = light = _light(stored)
                self._held += _bytes_of(light) - _bytes_of(settlement)
                return

    async def _stored_ahead(self, count: int) -> None:
        """Wait for bodies that are being stored among so many: else they would be stored twice."""
        for place in range(count if self._ahead else 0):
            if (over := self._ahead.get(id(self._settlements[place]))) is not None:
                await over.wait()

    async def room(self) -> None:
        """Wait while the ledger is far behind: who is about to bring very much asks before."""
        while self._is_full:
            self._drained.clear()
            await self._drained.wait()

    @property
    def _is_full(self) -> bool:
        return self._weight + self._held // _LIGHT >= self._policy.most

    def add(self, settlement: Settlement) -> None:
        """Queue a settlement without waiting: for those who are being cancelled."""
        if self._is_over:
            self._steps.end(settlement.lease)  # nobody is left to write it
        else:
            self._steps.commits(settlement.lease, settlement.outcome or "")
        self._settlements.append(settlement)
        self._weight += _weight(settlement)
        self._held += _bytes_of(settlement)
        self._arrived.set()

    def release(self, assignment_id: int) -> None:
        """Give an assignment back, behind everything it has put here before."""
        self._released.append(assignment_id)
        self._arrived.set()

    def close(self) -> None:
        """Write what is queued, then let `run` end."""
        self._closing = True
        self._arrived.set()

    async def run(self) -> None:
        try:
            while True:
                await self._arrived.wait()
                await self._gather()
                self._arrived.clear()
                while self._settlements or self._released:
                    await self._write()
                if self._closing:
                    return
        finally:
            self._is_over = True
            self._are_over(self._settlements)

    def _are_over(self, settlements: Iterable[Settlement]) -> None:
        for settlement in settlements:
            self._steps.end(settlement.lease)

    async def _gather(self) -> None:
        """Let a batch come together, as long as it keeps growing and somebody is under way who may
        bring more."""
        deadline = self._clock.now() + self._policy.gather
        seen = -1
        while seen < self._weight < self._policy.enough and not self._closing:
            if await self._is_all() or self._clock.now() >= deadline:
                return
            seen = self._weight
            await self._clock.sleep(self._policy.lull)

    async def _is_all(self) -> bool:
        """Whether nobody is under way whose visit could come with these. A host that has nothing
        left is given back with its last one: it takes its runners some turns to see that."""
        for _ in range(_TURNS):
            if self._steps.count > len(self._settlements):
                return False
            await asyncio.sleep(0)
        return self._steps.count <= len(self._settlements)

    async def _write(self) -> None:
        count, released = len(self._settlements), self._released[:]
        await self._stored_ahead(count)
        batch = self._settlements[:count]
        ahead = 0
        for place, settlement in enumerate(batch):
            if len(settlement.found) > _MOST_FOUND:
                batch[place], new = await self._add_ahead(settlement)
                ahead += new
        committed = await self._commit(batch, released)
        committed = replace(committed, new=committed.new + ahead) if ahead else committed
        if committed.lost:
            await self._rescue(s for s in batch if s.lease in committed.lost)
        self._are_over(batch)
        del self._settlements[: len(batch)]
        del self._released[: len(released)]
        self._weight = sum(map(_weight, self._settlements))
        self._held = sum(map(_bytes_of, self._settlements))
        self._drained.set()
        self._committed(batch, committed, released)

    async def _rescue(self, lost: Iterable[Settlement]) -> None:
        """A visit whose lease was lost is somebody else's; the URLs it found are still found.

        Later pages did not offer them again, trusting this one to be committed.
        """
        for settlement in lost:
            if settlement.found:
                await self._frontier.add(settlement.job_id, settlement.found)

    async def _add_ahead(self, settlement: Settlement) -> tuple[Settlement, int]:
        """Add all but the last of very many URLs; the visit with the rest, and how many were new.

        A crash in between repeats the visit, which finds them known; one that has lost its lease
        would have them added all the same.
        """
        found, new = settlement.found, 0
        while len(found) > _MOST_FOUND:
            some, found = found[:_MOST_FOUND], found[_MOST_FOUND:]
            added = await retry(
                partial(self._frontier.add, settlement.job_id, some), self._again, self._clock
            )
            new += added.new
            await asyncio.sleep(0)
        return replace(settlement, found=found), new

    async def _commit(self, batch: list[Settlement], released: list[int]) -> Committed:
        async def write() -> Committed:
            batch[:] = map(_light, await self._bodies.put(batch))
            self._settlements[: len(batch)] = batch
            return await self._frontier.commit(batch, released)

        return await retry(write, self._again, self._clock)


def _weight(settlement: Settlement) -> int:
    return 1 + len(settlement.found) // 20


def _bytes_of(settlement: Settlement) -> int:
    return _bytes_in(settlement.page) + _bytes_in(settlement.image)


def _bytes_in(page: Page | None) -> int:
    return 0 if page is None or page.body is None else len(page.body)


def _is_heavy(settlement: Settlement) -> bool:
    page = settlement.page
    return page is not None and page.body is not None and page.size > _HEAVY


def _light(settlement: Settlement) -> Settlement:
    """Without the body of its page, which is stored."""
    if settlement.page is None or settlement.page.body is None:
        return settlement
    return replace(settlement, page=settlement.page.without_body())
