"""The library for programs without asyncio: the same names, an event loop in a thread behind them.

Works in notebooks, too, where a loop is running already:

    import tenax.sync

    with tenax.sync.open("./data", contact="mailto:me@example.org") as crawl:
        for page in crawl.run("https://example.org/", max_pages=100):
            print(page.url, page.title)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from threading import Thread
from typing import Any, ParamSpec, TypeVar

from tenax.library import Crawl, open_crawl

P = ParamSpec("P")
T = TypeVar("T")

__all__ = ["SyncCrawl", "open"]


class SyncCrawl:
    """An open crawl: every method of `tenax.Crawl`, waited for."""

    def __init__(self, crawl: Crawl, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.run = self._each(crawl.run)
        self.pages = self._each(crawl.pages)
        self.products = self._each(crawl.products)
        self.records = self._each(crawl.records)
        self.fetch = self._waited(crawl.fetch)
        self.record_history = self._waited(crawl.record_history)
        self.price_history = self._waited(crawl.price_history)
        self.stock_history = self._waited(crawl.stock_history)
        self.picture = self._waited(crawl.picture)
        self.search = self._waited(crawl.search)
        self.export = self._waited(crawl.export)
        self.replay = self._waited(crawl.replay)
        self.import_warc = self._waited(crawl.import_warc)
        self.counts = self._waited(crawl.counts)

    def _waited(self, method: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
        @wraps(method)
        def wait(*args: P.args, **kwargs: P.kwargs) -> T:
            return self._result(method(*args, **kwargs))

        return wait

    def _each(
        self, method: Callable[P, AsyncGenerator[T, None]]
    ) -> Callable[P, Generator[T, None, None]]:
        @wraps(method)
        def each(*args: P.args, **kwargs: P.kwargs) -> Generator[T, None, None]:
            items = method(*args, **kwargs)
            try:
                while True:
                    try:
                        # StopAsyncIteration cannot leave a coroutine of ours: RuntimeError.
                        found = self._result(_next(items))
                    except _Ended:
                        return
                    yield found
            finally:
                self._result(items.aclose())

        return each

    def _result(self, work: Coroutine[Any, Any, T]) -> T:
        asked = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return asked.result()
        except KeyboardInterrupt:
            asked.cancel()
            raise


class _Ended(Exception):
    """There is nothing more."""


async def _next(items: AsyncGenerator[T, None]) -> T:
    try:
        return await anext(items)
    except StopAsyncIteration:
        raise _Ended from None


@contextmanager
def open(
    data: str | Path = "./tenax-data",
    *,
    config: Path | None = None,
    handlers: Sequence[str | Path | Callable[..., Any]] | None = None,
    **settings: Any,
) -> Iterator[SyncCrawl]:
    """What `tenax.open` takes. The loop lives as long as the `with`."""
    opened: Future[tuple[Crawl, asyncio.AbstractEventLoop, asyncio.Event]] = Future()
    ended: Future[None] = Future()

    async def live() -> None:
        # Opened and closed by one task, as what is opened may insist on.
        closing = asyncio.Event()
        async with open_crawl(data, config=config, handlers=handlers, **settings) as crawl:
            opened.set_result((crawl, asyncio.get_running_loop(), closing))
            await closing.wait()

    def run() -> None:
        try:
            asyncio.run(live())
            ended.set_result(None)
        except BaseException as error:
            (ended if opened.done() else opened).set_exception(error)

    thread = Thread(target=run, name="tenax", daemon=True)
    thread.start()
    crawl, loop, closing = opened.result()
    try:
        yield SyncCrawl(crawl, loop)
    finally:
        loop.call_soon_threadsafe(closing.set)
        thread.join()
        ended.result()
