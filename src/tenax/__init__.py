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
    from tenax.library import Crawl, CrawledPage
    from tenax.library import open_crawl as open

__all__ = ["Crawl", "CrawledPage", "__version__", "open"]


def __getattr__(name: str) -> object:
    # On demand: `tenax --version` need not import a crawler.
    if name in ("Crawl", "CrawledPage", "open"):
        from tenax import library

        return getattr(library, "open_crawl" if name == "open" else name)
    raise AttributeError(f"module 'tenax' has no attribute {name!r}")


def __dir__() -> list[str]:
    # So that a prompt offers them.
    return __all__
