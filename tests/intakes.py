"""Which intake queues is the port's contract tried on? One in memory for simulations, and Redis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tenax.ports import Unavailable, Unwanted
from tenax.ports.intake import LONGEST_ITEM


@dataclass
class MemoryList:
    """What producers and takers share."""

    waiting: list[bytes] = field(default_factory=list)
    taken: dict[int, list[bytes]] = field(default_factory=dict)
    dead: list[Unwanted] = field(default_factory=list)
    alive: set[int] = field(default_factory=set)
    is_down: bool = False


class MemoryIntake:
    """One taker of such a list."""

    def __init__(self, shared: MemoryList) -> None:
        self.shared = shared
        self.name = len(shared.taken)
        shared.taken[self.name] = []

    async def take(self, most: int) -> list[bytes]:
        self._look()
        mine = self.shared.taken[self.name]
        while len(mine) < most and self.shared.waiting:
            mine.append(self.shared.waiting.pop(0)[: LONGEST_ITEM + 1])
        return list(mine)

    async def settle(self, unwanted: Sequence[Unwanted] = (), back: Sequence[bytes] = ()) -> None:
        self._look()
        self.shared.dead += unwanted
        self.shared.waiting[:0] = back
        self.shared.taken[self.name] = []

    async def recover(self) -> int:
        self._look()
        dead = [name for name in self.shared.taken if name not in self.shared.alive]
        return sum(self._put_back(name) for name in dead)

    async def leave(self) -> None:
        self._look()
        self._put_back(self.name)
        self.shared.alive.discard(self.name)

    def die(self) -> None:
        self.shared.alive.discard(self.name)

    def _look(self) -> None:
        if self.shared.is_down:
            raise Unavailable("The list is down, says the simulation.")
        self.shared.alive.add(self.name)

    def _put_back(self, name: int) -> int:
        items = self.shared.taken[name]
        self.shared.waiting[:0] = items
        self.shared.taken[name] = []
        return len(items)
