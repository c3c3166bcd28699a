"""How fast does a tuned Scrapy do the same work?

python scrapy_crawl.py OUT URL [JOBDIR]
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import urljoin

import scrapy
from scrapy.crawler import CrawlerProcess

SETTINGS: dict[str, Any] = {
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
    "CONCURRENT_REQUESTS": 64,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 64,
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "COOKIES_ENABLED": False,
    "LOG_ENABLED": False,
    "MEMUSAGE_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
}


class Documents(scrapy.Spider):
    name = "documents"
    url: str
    lines: TextIO
    pages = 0

    async def start(self) -> AsyncIterator[scrapy.Request]:
        # Making a Request for a known link costs far more than looking it up here first.
        self.seen = {self.url}
        self.origin = urljoin(self.url, "/")
        yield scrapy.Request(self.url)

    def parse(self, response: scrapy.http.Response) -> Iterator[scrapy.Request]:
        hrefs = response.xpath("//a/@href").getall()
        title = response.xpath("//title/text()").get()
        line = {"url": response.url, "title": title, "links": len(hrefs)}
        self.lines.write(json.dumps(line) + "\n")
        self.pages += 1
        for href in {href.partition("#")[0] for href in hrefs}:
            url = urljoin(response.url, href)
            if url not in self.seen and url.startswith(self.origin):
                self.seen.add(url)
                yield scrapy.Request(url)


def main() -> None:
    out, url, *jobdir = sys.argv[1:]
    start = time.perf_counter()
    with Path(out).open("w", encoding="utf-8") as lines:
        process = CrawlerProcess({**SETTINGS, **({"JOBDIR": jobdir[0]} if jobdir else {})})
        crawler = process.create_crawler(Documents)
        process.crawl(crawler, url=url, lines=lines)
        process.start()
    seconds = time.perf_counter() - start
    assert isinstance(crawler.spider, Documents)
    print(json.dumps({"pages": crawler.spider.pages, "seconds": seconds}))


if __name__ == "__main__":
    main()
