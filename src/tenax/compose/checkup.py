"""What does `tenax doctor` judge?"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tenax.compose.content import look_at_content
from tenax.compose.database import look_at_server
from tenax.compose.events import is_told, look_at_events
from tenax.compose.places import is_shared, ledger_path
from tenax.compose.queue import look_at_queue
from tenax.compose.redis import look_at_redis
from tenax.ops.health.doctor import Facts
from tenax.page import native
from tenax.ports import Clock, ServerFacts
from tenax.settings import Settings


def examine(settings: Settings) -> Facts:
    """What `tenax doctor` judges. Opens nothing for writing, and works where parts are broken."""
    from tenax.adapters.local import checkup
    from tenax.adapters.local.clock import SystemClock
    from tenax.adapters.local.reachable import is_reachable
    from tenax.adapters.local.resources import free_share

    client, has_tls = checkup.http_client()
    roots, root_count = checkup.trusted()
    data_error, free_bytes = checkup.folder(Path(settings.data))
    now = SystemClock().now()
    if is_shared(settings):
        ledger, backlogs = asyncio.run(look_at_server(settings))
    else:
        path = ledger_path(settings)
        ledger, backlogs = checkup.ledger(path), checkup.backlogs(path, now)
    browser, browser_error = checkup.browser(settings.browser.executable)
    return Facts(
        python=sys.version_info[:3],
        libraries=checkup.libraries(),
        client=client,
        has_tls=has_tls,
        is_compiled=native.NATIVE is not None,
        wants_compiled=settings.page.compiled,
        sqlite=checkup.sqlite_version(),
        roots=roots,
        root_count=root_count,
        data=settings.data,
        data_error=data_error,
        free_bytes=free_bytes,
        ledger=ledger,
        open_files=checkup.open_files(),
        concurrency=settings.fetch.concurrency,
        contact=settings.contact,
        now=now,
        playwright=checkup.playwright(),
        browser=browser,
        browser_error=browser_error,
        is_told=is_told(settings),
        backlogs=backlogs,
        redis=asyncio.run(look_at_redis(settings, SystemClock())) if settings.redis else None,
        servers=asyncio.run(_servers(settings, SystemClock())),
        search=_search(settings),
        is_connected=asyncio.run(is_reachable(settings.care.probe)),
        probes=settings.care.probe,
        free_share=free_share(settings.data),
        least_share=settings.care.disk,
    )


async def _servers(settings: Settings, clock: Clock) -> tuple[ServerFacts, ...]:
    found = await asyncio.gather(
        look_at_queue(settings, clock), look_at_content(settings), look_at_events(settings)
    )
    return tuple(facts for facts in found if facts is not None)


def _search(settings: Settings) -> tuple[str, str] | None:
    if not settings.search:
        return None
    from tenax.compose.search import look_at_search

    return asyncio.run(look_at_search(settings))
