"""How does a server for language models live? As long as whoever started it."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from msgspec import Struct

from tenax.cli.crawl.crew import Crew
from tenax.cli.fleet.work import make_crew, require_contacts
from tenax.cli.terminal.interrupts import interruptible
from tenax.cli.terminal.say import EXIT_INTERRUPTED, note
from tenax.compose import Ledger, open_ledger
from tenax.compose.api import open_api, require_agents
from tenax.compose.crawler import open_crawler
from tenax.compose.queue import open_queue
from tenax.crawl.run import CrawlRun
from tenax.settings import Settings


class AgentOrder(Struct, frozen=True):
    """One `tenax mcp` as the user asked for it."""

    settings: Settings
    may_crawl: bool


async def serve_agents(order: AgentOrder) -> int:
    require_agents()
    from tenax.agents.server import make_server, speak

    async with AsyncExitStack() as stack:
        crawler = None
        if order.may_crawl:
            crawler = await stack.enter_async_context(open_crawler(order.settings))
            ledger = crawler.ledger
            ledger.works_as("mcp")
            await require_contacts(ledger)
        else:
            ledger = await stack.enter_async_context(open_ledger(order.settings, create=False))
        queue = await stack.enter_async_context(open_queue(order.settings, ledger.clock))
        opened = await stack.enter_async_context(open_api(ledger, queue, crawler))
        server = make_server(opened, may_crawl=order.may_crawl)
        crew = None if crawler is None else make_crew(crawler, queue, until_done=False)
        count = await _run(_Conversation(asyncio.create_task(speak(server)), crew), ledger)
        if crew is not None and count <= 1:
            await ledger.frontier.reclaim()
    return EXIT_INTERRUPTED if count > 1 else 0


async def _run(work: _Conversation, ledger: Ledger) -> int:
    """How often it was interrupted."""
    async with interruptible(work, ledger) as interruption:
        try:
            async with ledger.telling_dead(note):
                await work.run()
        except asyncio.CancelledError:
            if not interruption.count:
                raise
    return interruption.count


class _Conversation:
    """The tools and the workers: who stops one stops both."""

    def __init__(self, speaking: asyncio.Task[Any], crew: Crew | CrawlRun | None) -> None:
        self._speaking = speaking
        self._crew = crew

    def stop(self) -> None:
        self._speaking.cancel()
        if self._crew is not None:
            self._crew.stop()

    async def run(self) -> None:
        """Until both have ended. Raises what ended either."""
        tasks = [self._speaking]
        if self._crew is not None:
            tasks.append(asyncio.create_task(self._crew.run()))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if self._crew is not None:
                self._crew.stop()
            told = await asyncio.gather(*tasks, return_exceptions=True)
            for each in told:
                if isinstance(each, Exception):
                    raise each
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
