"""Assignments as tasks: one crawl per process, for somebody (Celery, say) who waits for each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tenax.crawl.run import CrawlRun
from tenax.crawl.source import Handed
from tenax.ports import Ticket


class Errands:
    """One crawl in this process, all its work handed in; `run` lasts until it is stopped."""

    def __init__(
        self, run: CrawlRun, source: Handed, turn: float, hasten: Callable[[], None] = lambda: None
    ) -> None:
        """`turn` is how many seconds an assignment may take before it is given back; `hasten` is
        called when we are to end, so that servers that hang are not waited for."""
        self._run = run
        self._source = source
        self._turn = turn
        self._hasten = hasten

    async def run(self) -> None:
        try:
            await self._run.run()
        finally:
            self._source.close()

    def stop(self) -> None:
        self._run.stop()
        self._hasten()

    async def work(self, ticket: Ticket) -> bool:
        """Until all that became of it is in the ledger; False for a ticket worth nothing.

        Cancelled when the crawl ends before it was looked at.
        """
        answer = self._source.hand(ticket)
        self._run.look_again()
        assignment_id = await answer
        if assignment_id is None:
            return False
        try:
            async with asyncio.timeout(self._turn):
                await self._source.settled(assignment_id)
        except TimeoutError:
            self._run.give_back(assignment_id)
            await self._source.settled(assignment_id)
        return True
