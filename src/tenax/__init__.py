"""Tenax: a web crawler that holds on.

import asyncio, tenax

async def main():
    async with tenax.open("./data", contact="mailto:me@example.org") as crawl:
        async for page in crawl.run("https://example.org/", max_pages=100):
            print(page.url, page.title, len(page.text))

asyncio.run(main())
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tenax.version import VERSION as __version__

if TYPE_CHECKING:
    from tenax import sync as sync
    from tenax.library import Crawl
    from tenax.library import open_crawl as open
    from tenax.model import Post
    from tenax.page.handlers.crawled_page import CrawledPage
    from tenax.page.handlers.crawled_page import CrawledPage as Page
    from tenax.page.handlers.registry import on
    from tenax.page.handlers.selection import Selection
    from tenax.page.handlers.told import Told

__all__ = [
    "Crawl",
    "CrawledPage",
    "Page",
    "Post",
    "Selection",
    "Told",
    "__version__",
    "on",
    "open",
    "sync",
]
_HOMES = {
    "Crawl": ("tenax.library", "Crawl"),
    "CrawledPage": ("tenax.page.handlers.crawled_page", "CrawledPage"),
    "Post": ("tenax.model", "Post"),
    "Page": ("tenax.page.handlers.crawled_page", "CrawledPage"),
    "Selection": ("tenax.page.handlers.selection", "Selection"),
    "Told": ("tenax.page.handlers.told", "Told"),
    "on": ("tenax.page.handlers.registry", "on"),
    "open": ("tenax.library", "open_crawl"),
}


def __getattr__(name: str) -> object:
    # On demand: `tenax --version` need not import a crawler.
    if name == "sync":
        from importlib import import_module

        return import_module("tenax.sync")
    if name in _HOMES:
        from importlib import import_module

        module, attribute = _HOMES[name]
        return getattr(import_module(module), attribute)
    raise AttributeError(f"module 'tenax' has no attribute {name!r}")


def __dir__() -> list[str]:
    # So that a prompt offers them.
    return __all__
