"""How many pages need no tree, how much faster are they read, and do both say the same?

    python -m bench.reading FOLDER [FOLDER ...] [--most 1000] [--products]

Takes the HTML files below each folder, at most so many of each, by lot but always the same ones.
Seconds are the process's own. With --products, what pages sell is looked for and compared as well;
`bench.steps` says what that takes.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from bench.report import Table
from tenax.model import Headers, Page, Response
from tenax.page import native
from tenax.page.charset import decide_charset
from tenax.page.read import read
from tenax.page.scan import scan

_HTML = "text/html"


class Folder(Struct):
    pages: int = 0
    bytes: int = 0
    scanned: int = 0
    different: int = 0
    compiled: float = 0.0
    plain: float = 0.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=1_000)
    parser.add_argument("--products", action="store_true")
    args = parser.parse_args()
    if native.NATIVE is None:
        sys.exit("tenax.page._native is not there to be compared: run 'make setup' with a compiler")
    rows, different = [], 0
    for place in args.folders:
        folder = measure(chosen(place, args.most), args.products)
        different += folder.different
        rows.append([str(place), *told(folder)])
    columns = ["pages of", "pages", "kB mean", "without a tree", "ms", "ms in Python", "different"]
    table = Table("READING", "reading pages with the compiled code and without", columns, rows, [])
    print(table.markdown())
    return 1 if different else 0


def chosen(place: Path, most: int) -> list[Path]:
    files = sorted(path for path in place.rglob("*.htm*") if path.is_file())
    random.Random(1).shuffle(files)
    return files[:most]


def measure(files: Iterable[Path], products: bool) -> Folder:
    """Page by page, one way and then the other, so that a slow minute is slow for both."""
    folder = Folder()
    for path in files:
        body = path.read_bytes()
        folder.pages += 1
        folder.bytes += len(body)
        folder.scanned += scan(body, decide_charset(body, _HTML).name) is not None
        one, seconds = timed(body, products)
        folder.compiled += seconds
        compiled, native.NATIVE = native.NATIVE, None
        other, seconds = timed(body, products)
        native.NATIVE = compiled
        folder.plain += seconds
        folder.different += one != other
    return folder


def timed(body: bytes, products: bool) -> tuple[Page, float]:
    response = Response("https://a.example/b", 200, Headers((("Content-Type", _HTML),)), body)
    start = time.process_time()
    page = read(response, fetched_at=1_800_000_000.0, products=products)
    return page, time.process_time() - start


def told(folder: Folder) -> list[str]:
    count = max(1, folder.pages)
    return [
        f"{folder.pages:,}",
        f"{folder.bytes / count / 1000:.0f}",
        f"{folder.scanned / count:.1%}",
        f"{folder.compiled / count * 1000:.3f}",
        f"{folder.plain / count * 1000:.3f}",
        f"{folder.different}",
    ]


if __name__ == "__main__":
    raise SystemExit(main())
