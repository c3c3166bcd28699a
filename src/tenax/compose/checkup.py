"""What does `tenax doctor` judge?"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tenax.compose.events import is_told
from tenax.compose.ledger import look_at_server
from tenax.compose.places import is_shared, ledger_path
from tenax.compose.redis import look_at_redis
from tenax.ops.doctor import Facts
from tenax.settings import Settings

if TYPE_CHECKING:
    pass


def examine(settings: Settings) -> Facts:
    """What `tenax doctor` judges. Opens nothing for writing, and works where parts are broken."""
    from tenax.adapters import checkup
    from tenax.adapters.clock import SystemClock

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
        search=_search(settings),
    )


def _search(settings: Settings) -> tuple[str, str] | None:
    if not settings.search:
        return None
    from tenax.compose.search import look_at_search

    return asyncio.run(look_at_search(settings))
