"""How does a scheduler live in a terminal? Until somebody stops it, answering probes meanwhile."""

from __future__ import annotations

import asyncio

from tenax.cli.crawl.drive import interruptible
from tenax.cli.terminal.say import EXIT_INTERRUPTED, note
from tenax.compose import open_app
from tenax.compose.health import telling_health
from tenax.compose.queue import open_queue
from tenax.settings import Settings, SettingsError


async def schedule(settings: Settings, *, quiet: bool) -> int:
    async with open_app(settings) as app, open_queue(settings, app.parts.clock) as queue:
        if queue is None:
            raise SettingsError(
                "queue: a scheduler needs one to fill: redis: or amqp://USER:PASSWORD@HOST."
                " Without one, workers claim from the ledger and look after the jobs themselves."
            )
        dispatch = app.dispatch(queue)
        async with telling_health(app, queue), interruptible(dispatch, app) as interruption:
            if not quiet:
                note("Handing out work. Ctrl-C ends it.")
            try:
                await dispatch.run()
            except asyncio.CancelledError:
                if not interruption.count:
                    raise
    return EXIT_INTERRUPTED if interruption.count > 1 else 0
