"""What does it cost to tell traps from other pages? (URL-6)

`python -m bench.traps FOLDER...` crawls the HTML files below each folder as one site, in this
process and without a network, and prints what share of the processor time of the crawl is spent on
judging visits: sketches, what a page names of its own kind, and the counts in the ledger. One list
names them all, or, with `--linked`, they are found by their links, from `index.html` on. What
reading the clock takes is not counted.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bench.validation import html_files
from tenax.adapters.sql.frontier import shapes
from tenax.compose.crawler import Crawler
from tenax.crawl.admit import Admission
from tenax.crawl.traps.detector import TrapDetector
from tenax.hosts.pace import PacePolicy
from tenax.model import Request, Response
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, crawl, simulate, status

_HOST = "bench.example"
_MEASURED = (
    (Admission, "weigh"), (Admission, "reconsider"), (Admission, "asks_who_named"),
    (TrapDetector, "hear"), (TrapDetector, "learn"),
    (shapes, "weigh"), (shapes, "count"), (shapes, "book"),
)  # fmt: skip
_SETTINGS = Settings(
    contact="mailto:bench@example.org", pace=PacePolicy(delay=0.0, slots_unpaced=8)
)
_MOST_LINKS = 900
_CLOCK = "reading the clock"
_WARMING = 40
"""Pages crawled before, by which statements are compiled: once in a process, not for a page."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.traps", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=600, help="files of a folder")
    parser.add_argument("--linked", action="store_true", help="no list: by their links alone")
    options = parser.parse_args(arguments)
    spent = _watched()
    for folder in options.folders:
        files = {
            "/" + quote(str(path.relative_to(folder))): path.read_bytes()
            for path in html_files(folder)
        }
        visited = _followed if options.linked else _visited
        simulate(partial(visited, _WARMING, files), _SETTINGS)
        spent.clear()
        started = time.process_time()
        pages = simulate(partial(visited, options.most, files), _SETTINGS)
        total = time.process_time() - started - spent.pop(_CLOCK)
        print(f"{folder}: {pages:,} pages, {total / max(1, pages) * 1e3:.2f} ms each")
        for name, seconds in sorted(spent.items(), key=lambda pair: -pair[1]):
            print(
                f"  {name:16}{seconds / max(1, pages) * 1e6:8.1f} us a page{seconds / total:8.2%}"
            )
        print(f"  {'in all':16}{sum(spent.values()) / total:27.2%}")
    return 0


async def _visited(most: int, files: dict[str, bytes], web: SimulatedWeb, app: Crawler) -> int:
    """Crawl so many of them, each named by a list; how many pages were read."""
    files = dict(islice(files.items(), most))
    lists = [list(files)[n : n + _MOST_LINKS] for n in range(0, len(files), _MOST_LINKS)]

    def answer(request: Request) -> Response:
        path = request.url.removeprefix(f"https://{_HOST}")
        if path in files:
            body = files[path].decode("utf-8", "replace")
        elif path in ("/", *(f"/list/{n}" for n in range(len(lists)))):
            number = 0 if path == "/" else int(path.removeprefix("/list/"))
            named = [*lists[number], f"/list/{number + 1}"]
            body = "".join(f'<p><a href="{link}">{link}</a></p>' for link in named)
        else:
            return status(404, "<h1>Not found</h1>")
        return status(200, body, **{"content-type": "text/html; charset=utf-8"})

    web.host(_HOST, answer)
    await crawl(app, f"https://{_HOST}/", max_depth=10)
    return sum(url.removeprefix(f"https://{_HOST}") in files for url in web.urls())


async def _followed(most: int, files: dict[str, bytes], web: SimulatedWeb, app: Crawler) -> int:
    """Crawl so many of them, as their links lead there; how many were read."""

    def answer(request: Request) -> Response:
        path = request.url.removeprefix(f"https://{_HOST}")
        if path not in files:
            return status(404, "<h1>Not found</h1>")
        body = files[path].decode("utf-8", "replace")
        return status(200, body, **{"content-type": "text/html; charset=utf-8"})

    web.host(_HOST, answer)
    await crawl(app, f"https://{_HOST}/index.html", max_pages=most)
    return sum(url.removeprefix(f"https://{_HOST}") in files for url in web.urls())


def _watched() -> dict[str, float]:
    """Seconds of this thread's processor time, by what they are spent on."""
    spent: defaultdict[str, float] = defaultdict(float)
    under_way: list[str] = []

    def watch(owner: Any, name: str) -> None:
        inner: Callable[..., Any] = getattr(owner, name)

        def timed(*args: Any, **named: Any) -> Any:
            if under_way:
                return inner(*args, **named)  # part of what is measured
            under_way.append(name)
            before = time.thread_time()
            started = time.thread_time()
            try:
                return inner(*args, **named)
            finally:
                took = time.thread_time() - started
                clock = started - before
                under_way.pop()
                spent[f"{owner.__name__.rpartition('.')[2]}.{name}"] += took - clock
                spent[_CLOCK] += 3 * clock

        setattr(owner, name, timed)

    for owner, name in _MEASURED:
        watch(owner, name)
    return spent


if __name__ == "__main__":
    raise SystemExit(main())
