"""How fast does Crawlee for Python do the same work, with its quickest crawler and memory storage?

python crawlee_crawl.py OUT URL
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from datetime import timedelta
from pathlib import Path
from urllib.parse import urljoin

from crawlee import ConcurrencySettings
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.http_clients import ImpitHttpClient
from crawlee.storage_clients import MemoryStorageClient

CONNECTIONS = 64


async def crawl(out: str, url: str) -> int:
    crawler = ParselCrawler(
        # The TLS server's CA lives in a file this client cannot be pointed at.
        http_client=ImpitHttpClient(verify=False, http3=False),
        storage_client=MemoryStorageClient(),
        concurrency_settings=ConcurrencySettings(
            min_concurrency=CONNECTIONS,
            desired_concurrency=CONNECTIONS,
            max_concurrency=CONNECTIONS,
        ),
        use_session_pool=False,
        configure_logging=False,
        statistics_log_format="inline",
        request_handler_timeout=timedelta(seconds=60),
    )
    pages = 0
    seen = {url}
    origin = urljoin(url, "/")
    with Path(out).open("w", encoding="utf-8") as lines:  # noqa: ASYNC230 (a line a page)

        @crawler.router.default_handler
        async def read(context: ParselCrawlingContext) -> None:
            nonlocal pages
            hrefs = context.selector.xpath("//a/@href").getall()
            title = context.selector.xpath("//title/text()").get()
            line = {"url": context.request.url, "title": title, "links": len(hrefs)}
            lines.write(json.dumps(line) + "\n")
            pages += 1
            fresh = set()
            for href in {href.partition("#")[0] for href in hrefs}:
                found = urljoin(context.request.url, href)
                if found not in seen and found.startswith(origin):
                    fresh.add(found)
            seen.update(fresh)
            if fresh:
                # Many times quicker than enqueue_links, which makes a request of every link.
                await context.add_requests(list(fresh))

        await crawler.run([url])
    return pages


def main() -> None:
    start = time.perf_counter()
    pages = asyncio.run(crawl(*sys.argv[1:]))
    print(json.dumps({"pages": pages, "seconds": time.perf_counter() - start}))


if __name__ == "__main__":
    main()
