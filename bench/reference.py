"""How fast can Python crawl at all? The reference loop, of which all figures are a share.

Fetch, parse, join, remember, write one JSON line per page. No robots, pace, retries or storage.

    python bench/reference.py OUT URL [URL ...]
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections import deque
from pathlib import Path
from typing import TextIO

import can_ada
import pycurl
import turbohtml
import uvloop

CONNECTIONS = 64


class Loop:
    """One crawl of one origin: handles wait in `idle`, URLs in `todo`; a page done starts more."""

    def __init__(self, seeds: list[str], out: TextIO) -> None:
        self.origin = can_ada.parse(seeds[0]).origin + "/"
        self.seen = set(seeds)
        self.todo = deque(seeds)
        self.out = out
        self.multi = pycurl.AsyncCurlMulti()
        self.multi.setopt(pycurl.M_MAXCONNECTS, CONNECTIONS)
        self.bodies: dict[pycurl.Curl, list[bytes]] = {}
        self.idle = [self.new_handle() for _ in range(CONNECTIONS)]
        self.pages = 0
        self.failures = 0

    async def run(self) -> None:
        self.over = asyncio.get_running_loop().create_future()
        self.start_more()
        await self.over
        await self.multi.aclose()

    def new_handle(self) -> pycurl.Curl:
        """A handle keeps its options between transfers; only its URL changes."""
        curl = pycurl.Curl()
        body = self.bodies[curl] = []
        curl.setopt(pycurl.WRITEFUNCTION, body.append)
        curl.setopt(pycurl.BUFFERSIZE, 512 * 1024)
        curl.setopt(pycurl.NOSIGNAL, 1)
        curl.setopt(pycurl.TIMEOUT, 60)
        if bundle := os.environ.get("SSL_CERT_FILE"):
            curl.setopt(pycurl.CAINFO, bundle)
        return curl

    def start_more(self) -> None:
        while self.todo and self.idle:
            curl = self.idle.pop()
            curl.setopt(pycurl.URL, self.todo.popleft())
            self.multi.add_handle(curl).add_done_callback(
                lambda done, curl=curl: self.finish(curl, done)
            )
        if len(self.idle) == CONNECTIONS and not self.over.done():
            self.over.set_result(None)

    def finish(self, curl: pycurl.Curl, done: asyncio.Future[pycurl.Curl]) -> None:
        try:
            parts = self.bodies[curl]
            body = b"".join(parts)
            parts.clear()
            if done.exception() or curl.getinfo(pycurl.RESPONSE_CODE) != 200:
                self.failures += 1
            else:
                self.read(curl.getinfo(pycurl.EFFECTIVE_URL), body)
            self.idle.append(curl)
            self.start_more()
        except BaseException as bug:
            if not self.over.done():
                self.over.set_exception(bug)

    def read(self, url: str, body: bytes) -> None:
        document = turbohtml.parse(body, positions=False)
        title = document.find("title")
        hrefs = [href for a in document.find_all("a") if (href := a.attr("href"))]
        line = {
            "url": url,
            "title": title.text if title else "",
            "links": len(hrefs),
            "text": len(document.text),
        }
        self.out.write(json.dumps(line) + "\n")
        self.pages += 1
        self.follow(can_ada.parse(url), {href.partition("#")[0] for href in hrefs})

    def follow(self, base: can_ada.URL, hrefs: set[str]) -> None:
        origin, seen, todo = self.origin, self.seen, self.todo
        for href in hrefs:
            try:
                url = (base + href).href
            except ValueError:
                continue
            if url not in seen and url.startswith(origin):
                seen.add(url)
                todo.append(url)


def main() -> None:
    out, *seeds = sys.argv[1:]
    start = time.perf_counter()
    with Path(out).open("w", encoding="utf-8") as lines:
        loop = Loop(seeds, lines)
        uvloop.run(loop.run())
    seconds = time.perf_counter() - start
    print(json.dumps({"pages": loop.pages, "failed": loop.failures, "seconds": seconds}))


if __name__ == "__main__":
    main()
