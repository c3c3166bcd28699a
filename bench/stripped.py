"""What of a product is found in what people see, where nothing is told to machines?

    python -m bench.stripped FOLDER [--wrong]

Takes every HTML file below the folder that is a product's and states a price or a code (SKU,
GTIN, MPN) in JSON-LD or microdata, takes all of that away together with the `meta`s that say the
same, reads what is left, and compares. So pages without anybody's truth have one: their own.
What nobody sees cannot be found: recall is given for all, and for what stands in the text.
`--wrong` names what was found and is not what was stated.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from msgspec import Struct

from bench.report import Table
from bench.truth import Truth, truths_in
from tenax.model import Headers, Product, Response
from tenax.page.charset import decide_charset
from tenax.page.html import parse_page
from tenax.page.jsonld import json_values
from tenax.page.read import read

_HEADERS = Headers((("Content-Type", "text/html"),))
_FETCHED_AT = 1_800_000_000.0
_CODES = ("sku", "mpn", "gtin", "gtin8", "gtin12", "gtin13", "gtin14", "isbn", "productID")
_PRICES = ("price", "lowPrice", "highPrice")
_TYPES = frozenset({"Product", "ProductGroup", "IndividualProduct", "ProductModel", "Book"})
_DATA = re.compile(
    rb"<script[^>]*ld\+json[^>]*>.*?</script\s*>"
    rb"|<meta\b[^>]*(?:itemprop|product:|price|availability|gtin|sku|twitter:(?:data|label))[^>]*>",
    re.DOTALL | re.IGNORECASE,
)
_MICRODATA = re.compile(
    rb"\sitem(?:prop|type|scope|ref|id)(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s>]+))?", re.IGNORECASE
)
_TAG = re.compile(rb"<[a-z][^<>]*>", re.IGNORECASE)
_COMMA = re.compile(r",(\d\d)$")
_SHORTEST_SHOWN = 4
_SHORTEST_COMMON = 5


class Stated(Struct):
    """What a page states of its products."""

    codes: set[str]
    prices: set[Decimal]


class Tally(Struct):
    stated: int = 0
    shown: int = 0
    said: int = 0
    right: int = 0
    right_of_shown: int = 0

    def row(self) -> list[str]:
        precision, recall = self.right / max(1, self.said), self.right / max(1, self.stated)
        f1 = 2 * precision * recall / (precision + recall) if self.right else 0.0
        seen = self.right_of_shown / max(1, self.shown)
        return [
            str(self.stated), str(self.shown), str(self.said), f"{f1:.3f}", f"{precision:.3f}",
            f"{recall:.3f}", f"{seen:.3f}",
        ]  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.stripped", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wrong", action="store_true", help="name what was found and is wrong")
    options = parser.parse_args(arguments)
    urls = {each.file: each.url for each in _truths(options.folder)}
    codes, prices = Tally(), Tally()
    for path in sorted(p for p in options.folder.rglob("*.htm*") if p.is_file()):
        url = urls.get(str(path.relative_to(options.folder)), "")
        for line in _compare(path, url, codes, prices):
            if options.wrong:
                print(line)
    columns = ["what", "stated", "shown", "said", "F1", "precision", "recall", "recall of shown"]
    rows = [["code", *codes.row()], ["price", *prices.row()]]
    notes = ["A code is right if it is any that the page stated (SKU, MPN, GTIN), or begins it."]
    print(Table("STRIPPED", "products without structured data", columns, rows, notes).markdown())
    return 0


def _truths(folder: Path) -> list[Truth]:
    """Where there are some, they know the addresses of the pages."""
    return truths_in(folder) if (folder / "truth.jsonl").exists() else []


def _compare(path: Path, url: str, codes: Tally, prices: Tally) -> Iterator[str]:
    body = path.read_bytes()
    url = url or f"https://site.example/{path.name}"
    if (whole := _product(body, url)) is None:
        return
    stated = _stated(body)
    bare = _TAG.sub(lambda tag: _MICRODATA.sub(b"", tag[0]), _DATA.sub(b"", body))
    text = parse_page(bare, decide_charset(bare, "text/html").name).text
    found = _product(bare, url)
    if stated.codes:
        said = (
            {_code(each) for each in (found.sku, found.mpn, found.gtin) if each} if found else set()
        )
        written = _code(text)
        is_shown = any(len(code) >= _SHORTEST_SHOWN and code in written for code in stated.codes)
        _count(codes, is_shown, said, stated.codes)
        if not _is_right(said, stated.codes) and (said or is_shown):
            yield f"{path.name} {url}: code {sorted(said)}, stated {sorted(stated.codes)[:5]}"
    if stated.prices and whole.price is not None:
        price = set() if found is None or found.price is None else {Decimal(found.price)}
        is_shown = any(_shows(text, each) for each in stated.prices)
        _count(prices, is_shown, price, stated.prices)
        if price.isdisjoint(stated.prices) and (price or is_shown):
            yield f"{path.name} {url}: price {price}, stated {sorted(stated.prices)[:5]}"


def _count(tally: Tally, is_shown: bool, said: set[Any], stated: set[Any]) -> None:
    tally.stated += 1
    tally.shown += is_shown
    tally.said += bool(said)
    right = _is_right(said, stated)
    tally.right += right
    tally.right_of_shown += right and is_shown


def _is_right(said: set[Any], stated: set[Any]) -> bool:
    """Whether anything that was said was stated. Codes of variants begin with that of them all."""
    if not said.isdisjoint(stated):
        return True
    codes = [each for each in said if isinstance(each, str) and len(each) >= _SHORTEST_COMMON]
    return any(each.startswith(code) for code in codes for each in stated)


def _product(body: bytes, url: str) -> Product | None:
    return read(Response(url, 200, _HEADERS, body), fetched_at=_FETCHED_AT, products=True).product


def _stated(body: bytes) -> Stated:
    page = parse_page(body, decide_charset(body, "text/html").name)
    stated = Stated(set(), set())
    for script in page.find_all("script"):
        if "ld+json" in (script.attr("type") or ""):
            for value in json_values(script.text):
                _walk(value, stated, 0)
    for element in page.select("[itemprop]"):
        name = element.attr("itemprop") or ""
        said = element.attr("content") or element.text
        if name in _CODES:
            stated.codes.add(_code(said))
        elif name in _PRICES:
            _add_price(said, stated)
    stated.codes.discard("")
    return stated


def _walk(value: Any, stated: Stated, depth: int) -> None:
    if depth > 8:
        return
    if isinstance(value, list):
        for each in value:
            _walk(each, stated, depth + 1)
    elif isinstance(value, dict):
        for name, each in value.items():
            if name in _CODES and isinstance(each, str | int):
                stated.codes.add(_code(str(each)))
            elif name in _PRICES and isinstance(each, str | int | float):
                _add_price(str(each), stated)
            elif isinstance(each, dict | list):
                _walk(each, stated, depth + 1)


def _add_price(said: str, stated: Stated) -> None:
    try:
        price = Decimal(_COMMA.sub(r".\1", said.strip()).replace(",", ""))
    except InvalidOperation:
        return
    if price:
        stated.prices.add(price)


def _code(said: str) -> str:
    """A code without what people write between its parts."""
    return re.sub(r"[\W_]+", "", said).upper().lstrip("0")


def _shows(text: str, price: Decimal) -> bool:
    whole, _, part = f"{price:.2f}".partition(".")
    digits = r"[\s.,'\u00a0\u202f]?".join(whole)
    return re.search(rf"(?<!\d){digits}(?:\s?[.,]\s?{part}|(?!\d))", text) is not None


if __name__ == "__main__":
    raise SystemExit(main())
