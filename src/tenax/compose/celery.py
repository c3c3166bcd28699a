"""What does a Celery worker need? Its configuration, and a crawl that is handed its work."""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import uvloop

from tenax.adapters import celery
from tenax.adapters.celery.queue import configuration as configured
from tenax.compose.crawler import open_crawler
from tenax.compose.health import telling_together
from tenax.crawl.fleet.tasks import Errands
from tenax.crawl.source import Handed
from tenax.settings import Settings, SettingsError, load

_settings = load().settings


def _configuration(settings: Settings) -> dict[str, Any]:
    if not settings.queue.startswith(("amqp://", "amqps://")):
        raise SettingsError(
            "queue: a Celery worker needs amqp://USER:PASSWORD@HOST, by TENAX_QUEUE or in"
            " tenax.toml. For a queue on Redis start `tenax worker` instead."
        )
    return configured(settings.queue, settings.dispatch.name)


@asynccontextmanager
async def _open_errands() -> AsyncIterator[Errands]:
    async with (
        open_crawler(_settings) as crawler,
        telling_together(crawler.ledger, celery.here.folder),
    ):
        source = Handed(crawler.parts.frontier)
        turn = _settings.dispatch.turn
        yield Errands(crawler.serve_jobs(source=source), source, turn, crawler.ledger.hasten)


def _run(main: Coroutine[Any, Any, None]) -> None:
    uvloop.run(main)


configuration = _configuration(_settings)
celery.here.opener = _open_errands
celery.here.run = _run
celery.here.is_eager = bool(_settings.health.port)
