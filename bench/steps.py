"""Where does the time of reading a page go, step by step?

    python -m bench.steps FOLDER [--rounds 3] [--plain]

Reads every HTML file below the folder as a crawl does: products are looked for, the answer is
judged, the body is hashed and packed. A table says what each step takes in the mean and in sum,
how many pages were read without a tree, and which ten were the slowest. Where the folder has a
`truth.jsonl` (see `bench.truth`), pages have the URLs that they came from.

Seconds are the process's own, and of several rounds each page's fastest counts, so that a busy
machine says nearly what a quiet one does. `--plain` leaves the compiled half out.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import zstandard
from msgspec import Struct, field

from bench.report import Table
from bench.truth import FETCHED_AT, truths_in
from tenax.model import Headers, Response
from tenax.page import dates, links, metadata, native
from tenax.page import read as reading
from tenax.page.html import Tree
from tenax.page.verdict.pattern_table import shipped
from tenax.page.verdict.validate import validate

SLOWEST = 10
_HEADERS = Headers((("Content-Type", "text/html"),))
_LEVEL = 1
"""That of the content store."""
_ASKED: tuple[tuple[str, ModuleType, tuple[str, ...]], ...] = (
    ("sha256", hashlib, ("sha256",)),
    ("charset", reading, ("settle_type", "decide_charset")),
    ("suspicion of a product", reading, ("may_be_product",)),
    ("scan", reading, ("scan",)),
    ("tree", reading, ("parse",)),
    ("metas", metadata, ("read_metas", "base_of", "title_of", "language_of", "description_of")),
    ("dates", dates, ("find_dates",)),
    ("links", links, ("find_links",)),
    ("product", reading, ("_product",)),
    ("text of the tree", reading, ("_read_main",)),
    ("hashes", reading, ("_hashes",)),
)
"""The steps, and the functions that a page's reader calls for them."""


class Watch(Struct):
    """What one page took, by step."""

    seconds: dict[str, float] = field(default_factory=dict)
    is_busy: bool = False
    has_tree: bool = False

    def timed(self, step: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same function; what it takes is the step's, and whatever it calls is part of it."""

        def call(*args: Any, **named: Any) -> Any:
            if self.is_busy:
                return work(*args, **named)
            self.is_busy = True
            started = time.process_time()
            try:
                found = work(*args, **named)
            finally:
                taken = time.process_time() - started
                self.seconds[step] = self.seconds.get(step, 0.0) + taken
                self.is_busy = False
            self.has_tree = self.has_tree or isinstance(found, Tree)
            return found

        return call


class Timed(Struct):
    name: str
    size: int
    seconds: dict[str, float]
    has_tree: bool
    has_product: bool

    @property
    def total(self) -> float:
        return sum(self.seconds.values())


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.steps", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--plain", action="store_true", help="without what is compiled")
    options = parser.parse_args(arguments)
    if options.plain:
        native.NATIVE = None
    print(measure_steps(options.folder, options.rounds).markdown())
    return 0


def measure_steps(folder: Path, rounds: int = 3) -> Table:
    pages = list(pages_in(folder))
    best: dict[str, Timed] = {}
    for _ in range(rounds):
        for name, response in pages:
            timed = time_page(name, response)
            if name not in best or timed.total < best[name].total:
                best[name] = timed
    return _told(list(best.values()))


def pages_in(folder: Path) -> Iterator[tuple[str, Response]]:
    known = {}
    if (folder / "truth.jsonl").exists():
        known = {each.file: each.url for each in truths_in(folder)}
    for path in sorted(folder.rglob("*.htm*")):
        name = path.relative_to(folder).as_posix()
        url = known.get(name, f"https://a.example/{name}")
        yield name, Response(url, 200, _HEADERS, path.read_bytes())


def time_page(name: str, response: Response) -> Timed:
    watch = Watch()
    body = response.body or b""
    with _watched(watch):
        started = time.process_time()
        page = reading.read(response, fetched_at=FETCHED_AT, products=True)
        whole = time.process_time() - started
    watch.seconds["all else in read"] = max(0.0, whole - sum(watch.seconds.values()))
    watch.timed("verdict", validate)(response, page, shipped())
    watch.timed("zstd", zstandard.ZstdCompressor(level=_LEVEL).compress)(body)
    return Timed(name, len(body), watch.seconds, watch.has_tree, page.product is not None)


@contextmanager
def _watched(watch: Watch) -> Iterator[None]:
    with ExitStack() as stack:
        for step, module, names in _ASKED:
            for name in names:
                timed = watch.timed(step, getattr(module, name))
                stack.enter_context(patch.object(module, name, timed))
        yield


def _told(pages: Sequence[Timed]) -> Table:
    count = max(1, len(pages))
    total = sum(page.total for page in pages) or 1.0
    rows = []
    for step in {step for page in pages for step in page.seconds}:
        asked = [page.seconds[step] for page in pages if step in page.seconds]
        rows.append((sum(asked), step, asked))
    told = [
        [step, *_figures(seconds, total, count), f"{len(asked) / count:.1%}",
         f"{statistics.fmean(asked) * 1000:.3f}"]
        for seconds, step, asked in sorted(rows, reverse=True)
    ]  # fmt: skip
    told.append(["all", *_figures(total, total, count), "100.0%", f"{total / count * 1000:.3f}"])
    columns = ["step", "share", "ms a page", "pages that ask", "ms where asked"]
    return Table("STEPS", "where the time of reading goes", columns, told, _notes(pages))


def _figures(seconds: float, total: float, count: int) -> list[str]:
    return [f"{seconds / total:.1%}", f"{seconds / count * 1000:.3f}"]


def _notes(pages: Sequence[Timed]) -> list[str]:
    count = max(1, len(pages))
    without = sum(not page.has_tree for page in pages)
    asked = [page for page in pages if "product" in page.seconds]
    sold = sum(page.has_product for page in asked)
    size = sum(page.size for page in pages) / count / 1000
    slowest = sorted(pages, key=lambda page: -page.total)[:SLOWEST]
    return [
        f"{len(pages):,} pages of {size:.0f} kB in the mean, {without / count:.1%} read without a"
        f" tree; {len(asked)} suspected of a product, {sold} of them have one.",
        "The slowest: " + "; ".join(map(_slow, slowest)) + ".",
    ]


def _slow(page: Timed) -> str:
    most = sorted(page.seconds, key=lambda step: -page.seconds[step])[:2]
    steps = ", ".join(f"{step} {page.seconds[step] * 1000:.0f}" for step in most)
    return f"{page.name} ({page.size / 1000:,.0f} kB) {page.total * 1000:.0f} ms: {steps}"


if __name__ == "__main__":
    raise SystemExit(main())
