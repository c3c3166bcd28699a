"""What do we ask of a queue? To pass on tickets for work; the work itself stays in the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct


class Ticket(Struct, frozen=True):
    """Whoever has it may take over the assignment from its holder, once. Worth nothing after."""

    assignment_id: int
    holder: str
    """The name by which the ledger knows the process that offers it."""
    priority: int
    """Of its most urgent target: 1 is first, 10 last."""


class WorkQueue(Protocol):
    """Tickets on their way. One that is lost, doubled or late does no harm: the ledger knows."""

    async def put(self, tickets: Sequence[Ticket], keep: float) -> None:
        """Pass them on; those that nobody has taken after `keep` seconds are dropped."""

    async def take(self, most: int) -> list[Ticket]:
        """Up to `most`, the most urgent first; empty when there are none. Does not wait.

        They come back, for anybody, unless they are `done` soon.
        """

    async def done(self, tickets: Sequence[Ticket]) -> None:
        """These were used, or are worth nothing any more."""

    async def size(self) -> int:
        """How many wait to be taken."""

    async def close(self) -> None: ...
