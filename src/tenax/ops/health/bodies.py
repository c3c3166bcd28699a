"""Is every stored body there, of pages and of pictures, and the one that was stored? (FR-10)"""

from __future__ import annotations

import math
from hashlib import sha256

from msgspec import Struct

from tenax.ports import ContentStore, Finding, Pages
from tenax.ports.products import ProductFilter, Products

_BATCH = 200
_SHOWN = 10

THERE = "every page's body is in the content store"
SOUND = "every body is the one that was stored"
PICTURED = "every downloaded picture is in the content store"


class Inspection(Struct, frozen=True):
    checked: int
    findings: tuple[Finding, ...]


async def inspect(
    pages: Pages,
    content: ContentStore,
    since: float = 0.0,
    products: Products | None = None,
    most: float = math.inf,
) -> Inspection:
    """Read every body once, those found last first; about `most` of them where that is named. Safe
    beside a running crawl: bodies are stored before their pages.

    Where bodies are kept for a while, those of pages fetched before `since` may be gone; what
    became of pictures there is nobody's business.
    """
    checked = after = 0
    missing, damaged, unseen = _Culprits(THERE), _Culprits(SOUND), _Culprits(PICTURED)
    while checked < most and (batch := await pages.find(after=after, limit=_BATCH, newest=True)):
        after = batch[-1].target_id
        for page in batch:
            if not page.digest or page.fetched_at <= since:
                continue
            checked += 1
            digest = bytes.fromhex(page.digest)
            body = await content.get(digest)
            if body is not None and sha256(body).digest() == digest:
                continue
            gone = body is None and bool(await content.missing([digest]))
            (missing if gone else damaged).add(page.target_id, page.url, page.digest)
    if products is not None and not since:
        checked += await _inspect_pictures(products, content, unseen, damaged)
    findings = (culprits.finding() for culprits in (missing, damaged, unseen) if culprits.count)
    return Inspection(checked, tuple(findings))


async def _inspect_pictures(
    products: Products, content: ContentStore, missing: _Culprits, damaged: _Culprits
) -> int:
    """How many were read; each content once, however many products show it."""
    seen: set[bytes] = set()
    after = 0
    while batch := await products.find(ProductFilter(), after, _BATCH):
        after = batch[-1].id
        for record in batch:
            for image in record.product.images:
                digest = bytes.fromhex(image.digest)
                if not digest or digest in seen:
                    continue
                seen.add(digest)
                body = await content.get(digest)
                if body is None or sha256(body).digest() != digest:
                    where = missing if body is None else damaged
                    where.add(record.id, image.url, image.digest)
    return len(seen)


class _Culprits:
    """Rows that break one promise: all counted, the first few named."""

    def __init__(self, promise: str) -> None:
        self.promise = promise
        self.count = 0
        self._rows: list[str] = []

    def add(self, id: int, url: str, digest: str) -> None:
        self.count += 1
        if len(self._rows) < _SHOWN:
            self._rows.append(f"id {id} {url} (body {digest[:16]}…)")

    def finding(self) -> Finding:
        return Finding(self.promise, tuple(self._rows), self.count)
