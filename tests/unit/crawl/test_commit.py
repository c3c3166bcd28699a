"""What the committer owes to visits whose lease was lost meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from tenax.crawl.commit import CommitPolicy, Committer
from tenax.model import State, Target, Url
from tenax.outcome import End, Settlement
from tenax.ports import Added, Committed
from tenax.testing import VirtualClock, run_virtually


class LosingFrontier:
    """Says of every settlement that its lease is gone, and remembers what is added instead."""

    def __init__(self) -> None:
        self.added: list[Target] = []

    async def commit(
        self, settlements: Sequence[Settlement], released: Sequence[int] = ()
    ) -> Committed:
        return Committed(lost=frozenset(s.lease for s in settlements))

    async def add(self, job_id: int, targets: Sequence[Target]) -> Added:
        self.added += targets
        return Added(new=len(targets))


class NoContent:
    async def put(self, bodies: Iterable[tuple[bytes, bytes]]) -> None:
        raise AssertionError("no bodies in this test")


def test_what_a_lost_visit_found_is_found_all_the_same() -> None:
    """The pages behind it did not offer these URLs again: they would be lost with it."""
    found = Target("https://a.example/x", Url("https://a.example/x"), b"k", "a.example",
                   "https://a.example", 1, 5)  # fmt: skip
    settlement = Settlement(1, 1, 1, End(State.DONE, "read"), None, found=(found,))

    async def story() -> list[Target]:
        frontier = LosingFrontier()
        committer = Committer(
            frontier,  # type: ignore[arg-type]  # the two methods a committer calls
            NoContent(),  # type: ignore[arg-type]  # nothing is stored here
            VirtualClock(),
            CommitPolicy(),
            lambda _batch, _result, _released: None,
        )
        running = asyncio.create_task(committer.run())
        await committer.put(settlement)
        committer.close()
        await running
        return frontier.added

    assert run_virtually(story()) == [found]
