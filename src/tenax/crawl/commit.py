"""How do settlements reach the ledger? In batches: bodies first, then one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from tenax.outcome import Settlement
from tenax.ports import Clock, Committed, ContentStore, Frontier, Unavailable


@dataclass(frozen=True, slots=True)
class CommitPolicy:
    gather: float = 0.02
    """Seconds settlements may wait for company: one transaction costs as much as thirty rows."""
    most: int = 512
    tries: int = 3
    retry: float = 0.2


class Committer:
    """Collects what visits changed and writes it. Nothing is acknowledged before it is durable."""

    def __init__(
        self,
        frontier: Frontier,
        content: ContentStore,
        clock: Clock,
        policy: CommitPolicy,
        committed: Callable[[list[Settlement], Committed], None],
    ) -> None:
        self._frontier = frontier
        self._content = content
        self._clock = clock
        self._policy = policy
        self._committed = committed
        self._settlements: list[Settlement] = []
        self._released: list[int] = []
        self._arrived = asyncio.Event()
        self._drained = asyncio.Event()
        self._drained.set()
        self._closing = False

    async def put(self, settlement: Settlement) -> None:
        """Queue a settlement; waits only when the ledger has fallen far behind."""
        self._settlements.append(settlement)
        self._arrived.set()
        if len(self._settlements) >= 2 * self._policy.most:
            self._drained.clear()
            await self._drained.wait()

    def release(self, assignment_id: int) -> None:
        """Give an assignment back, behind everything it has put here before."""
        self._released.append(assignment_id)
        self._arrived.set()

    def close(self) -> None:
        """Write what is queued, then let `run` end."""
        self._closing = True
        self._arrived.set()

    async def run(self) -> None:
        while True:
            await self._arrived.wait()
            if not self._closing and len(self._settlements) < self._policy.most:
                await self._clock.sleep(self._policy.gather)
            self._arrived.clear()
            while self._settlements or self._released:
                await self._write()
            if self._closing:
                return

    async def _write(self) -> None:
        batch = self._settlements[: self._policy.most]
        # Releases wait until everything queued before them is part of the same batch.
        released = self._released[:] if len(batch) == len(self._settlements) else []
        committed = await self._insist(batch, released)
        del self._settlements[: len(batch)]
        del self._released[: len(released)]
        self._drained.set()
        self._committed(batch, committed)

    async def _insist(self, batch: list[Settlement], released: list[int]) -> Committed:
        bodies = [(s.page.digest, s.page.body) for s in batch if s.page and s.page.body]
        for again in range(self._policy.tries):
            try:
                if bodies:
                    await self._content.put(bodies)
                return await self._frontier.commit(batch, released)
            except Unavailable:
                if again + 1 == self._policy.tries:
                    raise
                await self._clock.sleep(self._policy.retry * 2**again)
        raise AssertionError("unreachable: the last try returns or raises")
