"""What does the API need besides the ledger? Products, a search index, a pulse, and its keys."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from importlib.util import find_spec
from typing import Any

from msgspec import Struct

from tenax.compose.crawler import Crawler
from tenax.compose.health import make_metrics, make_pulse
from tenax.compose.ledger import Ledger
from tenax.compose.places import is_shared
from tenax.compose.search import is_embedded, open_search
from tenax.ops.accounts.limits import Limiter
from tenax.ops.accounts.users import Accounts
from tenax.ops.health.pulse import Pulse
from tenax.ops.search.indexing import Indexer
from tenax.ports import Unavailable, WorkQueue
from tenax.ports.accounts import Acts, ApiKeys, Users
from tenax.ports.overview import Overview
from tenax.ports.products import Products
from tenax.ports.search import SearchIndex
from tenax.settings import SettingsError
from tenax.version import pip_install


class Opened(Struct, frozen=True):
    """Everything that the API answers from."""

    ledger: Ledger
    keys: ApiKeys
    users: Users
    accounts: Accounts
    acts: Acts
    limiter: Limiter
    overview: Overview
    products: Products
    index: SearchIndex | None
    """None where it would be this machine's alone, and would have to hold what a fleet brings."""
    indexer: Indexer | None
    """Who brings the index up to date; None where a relay does."""
    pulse: Pulse
    metrics: Callable[[], Awaitable[bytes]]
    """What Prometheus is told."""
    crawler: Crawler | None
    """Who asks the web; None where others do the work."""
    beside: Callable[[Coroutine[Any, Any, object]], asyncio.Task[object]]
    """Begin something that goes on when the answer is given, and ends with the API."""
    sources: Mapping[str, str]
    """Who set the settings that are no defaults, by their names."""


@asynccontextmanager
async def open_api(
    ledger: Ledger,
    queue: WorkQueue | None,
    crawler: Crawler | None = None,
    sources: Mapping[str, str] | None = None,
) -> AsyncIterator[Opened]:
    async with AsyncExitStack() as stack:
        index: SearchIndex | None = None
        indexer: Indexer | None = None
        if not is_embedded(ledger.settings) or not is_shared(ledger.settings):
            index, indexer = await stack.enter_async_context(open_search(ledger))
        pulse = make_pulse(ledger, queue, (), stack)
        stack.push_async_callback(pulse.close)
        beside = _Beside()
        stack.push_async_callback(beside.close)
        beside.begin(pulse.beat())
        await ledger.know_sites()
        beside.begin(_heed_sites(ledger))
        yield Opened(
            ledger=ledger,
            keys=ledger.api_keys,
            users=ledger.users,
            accounts=Accounts(ledger.users, ledger.clock),
            acts=ledger.acts,
            limiter=Limiter(ledger.request_counts, ledger.clock, ledger.settings.api),
            overview=ledger.overview,
            products=ledger.products,
            index=index,
            indexer=indexer if is_embedded(ledger.settings) else None,
            pulse=pulse,
            metrics=make_metrics(ledger, queue, pulse, stack),
            crawler=crawler,
            beside=beside.begin,
            sources=sources or {},
        )


async def _heed_sites(ledger: Ledger) -> None:
    """Others may change the rules of sites, and what is answered here is decided by them."""
    while True:
        await ledger.clock.sleep(ledger.settings.feed.look)
        with suppress(Unavailable):
            await ledger.site_news.look()


class _Beside:
    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()

    def begin(self, work: Coroutine[Any, Any, object]) -> asyncio.Task[object]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def require_libraries() -> None:
    """The API is an extra: most who crawl do without it."""
    if any(find_spec(name) is None for name in ("argon2", "fastapi", "uvicorn")):
        raise SettingsError(f"serve needs more libraries: {pip_install('api')}.")


def require_agents() -> None:
    """So are tools for language models."""
    if find_spec("mcp") is None:
        raise SettingsError(f"mcp needs more libraries: {pip_install('mcp')}.")
