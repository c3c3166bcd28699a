"""What do trafilatura and extruct say of pages? A line of JSON for each path on standard input.

Runs in an environment of its own (see `bench.crawlers.PythonPeer`) and imports nothing of ours.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import extruct
import trafilatura
from trafilatura.metadata import extract_metadata

_MARKUP = ["json-ld", "microdata", "opengraph", "rdfa"]


def main() -> None:
    for line in sys.stdin:
        path, url = line.rstrip("\n").split("\t")
        body = Path(path).read_bytes()
        started = time.process_time()
        text = trafilatura.extract(body, url=url) or ""
        seconds = time.process_time() - started
        about = extract_metadata(body, default_url=url)
        started = time.process_time()
        product = sells(body, url)
        told = {
            "text": text,
            "title": (about.title or "") if about else "",
            "published": (about.date or "") if about else "",
            "product": product,
            "text_seconds": seconds,
            "product_seconds": time.process_time() - started,
        }
        print(json.dumps(told), flush=True)


def sells(body: bytes, url: str) -> bool:
    """Whether its markup has one product, as a user of extruct would ask."""
    try:
        found = extruct.extract(
            body.decode("utf-8", "replace"), url, syntaxes=_MARKUP, uniform=True
        )
    except Exception:
        # It raises on some pages; its users catch that.
        return False
    return sum(1 for syntax in found.values() for item in syntax if is_product(item)) > 0


def is_product(item: Any) -> bool:
    types = item.get("@type", "") if isinstance(item, dict) else ""
    named = types if isinstance(types, list) else [types]
    return any(str(each).rpartition("/")[2].lower() == "product" for each in named)


if __name__ == "__main__":
    main()
