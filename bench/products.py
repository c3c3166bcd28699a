"""What does looking for products cost, and what does it find that is none?

`python -m bench.products [FOLDER...]` reads the demo's shop and every HTML file below the folders
(pages that sell nothing, as documentation) with and without looking for products, and prints
microseconds a page. Every product found below the folders is named: it is a false alarm, unless
a look at the file says otherwise.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from tenax.demo.shop import ShopSite
from tenax.demo.site import SiteRequest
from tenax.model import Headers, Response
from tenax.page.read import read

SUFFIXES = frozenset({".html", ".htm", ".xhtml"})
_HEADERS = Headers((("Content-Type", "text/html"),))
_PASSES = 5
_MOST = 1_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]  # it is there
    parser.add_argument("folders", nargs="*", type=Path)
    folders: list[Path] = parser.parse_args().folders
    shop = _shop()
    print(_cost("products of the demo's shop", shop))
    files = [
        p
        for folder in folders
        for p in sorted(folder.rglob("*"))
        if p.suffix in SUFFIXES and p.is_file()
    ]
    if files:
        plain = [Response(f"file://{p}", 200, _HEADERS, p.read_bytes()) for p in files[:_MOST]]
        print(_cost("pages of the folders", plain))
        for response in plain:
            if (product := read(response, fetched_at=0.0, products=True).product) is not None:
                print(f"{response.url}: {product.name} {product.price} ({product.confidence})")
    return 0


def _shop() -> list[Response]:
    site = ShopSite()
    site.place({"shop": "https://shop.example"})
    return [
        Response(
            each.url,
            200,
            _HEADERS,
            site.answer(SiteRequest("GET", each.url.removeprefix("https://shop.example"), {})).body,
        )
        for each in site.catalogue
    ]


def _cost(what: str, pages: Sequence[Response]) -> str:
    # Each page with and without, one right after the other: machines have moods.
    without = looking = 0.0
    for _ in range(_PASSES):
        for page in pages:
            without += _seconds(page, products=False) / _PASSES
            looking += _seconds(page, products=True) / _PASSES
    size = statistics.mean(len(page.body or b"") for page in pages)
    return (
        f"{len(pages)} {what}, {size / 1000:.0f} kB on average:"
        f" {without / len(pages) * 1e6:,.0f} us a page to read,"
        f" {(looking - without) / len(pages) * 1e6:+,.0f} us for products"
    )


def _seconds(page: Response, *, products: bool) -> float:
    started = time.process_time()
    read(page, fetched_at=0.0, products=products)
    return time.process_time() - started


if __name__ == "__main__":
    raise SystemExit(main())
