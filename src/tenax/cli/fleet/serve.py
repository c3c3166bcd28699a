"""How does a server live in a terminal? Until somebody stops it, with workers beside the API."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import webbrowser
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from msgspec import Struct

from tenax.cli.crawl.crew import Crew
from tenax.cli.fleet.work import make_crew, require_contacts
from tenax.cli.terminal.interrupts import interruptible
from tenax.cli.terminal.logs import log_act
from tenax.cli.terminal.say import EXIT_INTERRUPTED, EXIT_MEMORY, note
from tenax.compose import Ledger, open_ledger
from tenax.compose.api import open_api, require_libraries
from tenax.compose.crawler import Crawler, open_crawler
from tenax.compose.health import telling_health, watching_alerts
from tenax.compose.lifecycle.upkeep import cleaning_up
from tenax.compose.queue import open_queue
from tenax.crawl.run import CrawlRun
from tenax.ops.accounts.users import FIRST_NAME
from tenax.settings import Settings

if TYPE_CHECKING:
    from tenax.api.server import Server


class Service(Struct, frozen=True):
    """One `tenax serve` as the user asked for it."""

    settings: Settings
    host: str
    port: int
    has_workers: bool
    quiet: bool
    opens: bool = False
    """Whether a browser is to show the console."""
    sources: Mapping[str, str] = {}
    """Who set the settings that are no defaults, by their names."""


async def serve_api(order: Service) -> int:
    require_libraries()
    from tenax.api.server import is_loopback, listen

    # First: whoever is told that the port is taken need not wait for the ledger.
    listener = listen(order.host, order.port)
    with listener:
        if not is_loopback(order.host):
            note("Others can reach this address, and see what they send and get: put TLS before"
                 " it.")  # fmt: skip
        async with AsyncExitStack() as stack:
            crawler = None
            if order.has_workers:
                crawler = await stack.enter_async_context(open_crawler(order.settings))
                ledger = crawler.ledger
                ledger.works_as("serve")
                await require_contacts(ledger)
            else:
                ledger = await stack.enter_async_context(open_ledger(order.settings))
            return await _serve(order, ledger, crawler, listener)


async def _serve(
    order: Service, ledger: Ledger, crawler: Crawler | None, listener: socket.socket
) -> int:
    from tenax.api.app import build
    from tenax.api.server import Server

    async with AsyncExitStack() as stack:
        queue = await stack.enter_async_context(open_queue(order.settings, ledger.clock))
        await stack.enter_async_context(telling_health(ledger, queue))
        await stack.enter_async_context(watching_alerts(ledger, queue))
        opened = await stack.enter_async_context(open_api(ledger, queue, crawler, order.sources))
        server = Server(build(opened, log_act), listener)
        crew = None if crawler is None else make_crew(crawler, queue, until_done=False)
        work = _Work(server, crew)
        interruption = await stack.enter_async_context(interruptible(work, ledger))
        address = _address(listener)
        if not order.quiet:
            # Made before anything is said: hashing takes its time, and who reads the address goes
            # there at once.
            password = await opened.accounts.add_first()
            note(f"Serving at {address}. Ctrl-C ends it.")
            if password is not None:
                note(f"Nobody can log in yet but {FIRST_NAME}, once, with the password {password}")
                note("Choose another one there; this one is not shown again. Forgotten:"
                     f" tenax user passwd {FIRST_NAME}")  # fmt: skip
            else:
                note("Log in there with your name and password; tenax user add NAME adds somebody.")
        if order.opens:
            await _open(address)
        try:
            async with ledger.telling_dead(note), cleaning_up(ledger, note):
                await work.run()
        except asyncio.CancelledError:
            if not interruption.count:
                raise
    if interruption.count <= 1 and crew is not None:
        await ledger.frontier.reclaim()
    if crawler is not None and ledger.care.is_full:
        return EXIT_MEMORY
    return EXIT_INTERRUPTED if interruption.count > 1 else 0


def _address(listener: socket.socket) -> str:
    """Where a browser on this machine finds it."""
    host, port = listener.getsockname()[:2]
    here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{here}]:{port}" if ":" in here else f"http://{here}:{port}"


async def _open(address: str) -> None:
    """In the user's browser. Where there is no screen, a text browser would take the terminal."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY")
    has_screen = sys.platform in ("darwin", "win32") or any(map(os.environ.get, screens))
    if not (has_screen and await asyncio.to_thread(webbrowser.open, address)):
        note(f"No browser could be opened here: open {address} yourself.")


class _Work:
    """The API and its workers: who stops one stops both."""

    def __init__(self, server: Server, crew: Crew | CrawlRun | None) -> None:
        self._server = server
        self._crew = crew

    def stop(self) -> None:
        self._server.stop()
        if self._crew is not None:
            self._crew.stop()

    async def run(self) -> None:
        """Until both have ended. Raises what ended the workers: without a ledger there is nothing
        to tell either."""
        tasks = [asyncio.create_task(self._server.run_here())]
        if self._crew is not None:
            tasks.append(asyncio.create_task(self._crew.run()))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            self.stop()
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
