"""How does a scheduler live in a terminal? Until somebody stops it, answering probes meanwhile."""

from __future__ import annotations

import asyncio

from tenax.cli.terminal.interrupts import interruptible
from tenax.cli.terminal.say import EXIT_INTERRUPTED, note
from tenax.compose.crawler import open_crawler
from tenax.compose.health import telling_health, watching_alerts
from tenax.compose.lifecycle.upkeep import cleaning_up
from tenax.compose.queue import open_queue
from tenax.settings import Settings, SettingsError


async def schedule(settings: Settings, *, quiet: bool) -> int:
    async with (
        open_crawler(settings) as crawler,
        open_queue(settings, crawler.ledger.clock) as queue,
    ):
        ledger = crawler.ledger
        ledger.works_as("scheduler")
        if queue is None:
            raise SettingsError(
                "queue: a scheduler needs one to fill: redis: or amqp://USER:PASSWORD@HOST."
                " Without one, workers claim from the ledger and look after the jobs themselves."
            )
        dispatch = crawler.dispatch(queue)
        async with (
            telling_health(ledger, queue),
            watching_alerts(ledger, queue),
            interruptible(dispatch, ledger) as interruption,
        ):
            if not quiet:
                note("Handing out work. Ctrl-C ends it.")
            try:
                async with cleaning_up(ledger, note):
                    await dispatch.run()
            except asyncio.CancelledError:
                if not interruption.count:
                    raise
    return EXIT_INTERRUPTED if interruption.count > 1 else 0
