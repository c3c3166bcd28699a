"""Is every stored page's body there, and is it the one that was stored? (FR-10)"""

from __future__ import annotations

from hashlib import sha256

from msgspec import Struct

from tenax.ports import ContentStore, Finding, PageRecord, Pages

_BATCH = 200
_SHOWN = 10

THERE = "every page's body is in the content store"
SOUND = "every body is the one that was stored"


class Inspection(Struct, frozen=True):
    checked: int
    findings: tuple[Finding, ...]


async def inspect(pages: Pages, content: ContentStore, since: float = 0.0) -> Inspection:
    """Read every body once. Safe beside a running crawl: bodies are stored before their pages.

    Where bodies are kept for a while, those of pages fetched before `since` may be gone.
    """
    checked = after = 0
    missing, damaged = _Culprits(THERE), _Culprits(SOUND)
    while batch := await pages.find(after=after, limit=_BATCH):
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
            (missing if gone else damaged).add(page)
    findings = tuple(culprits.finding() for culprits in (missing, damaged) if culprits.count)
    return Inspection(checked, findings)


class _Culprits:
    """Rows that break one promise: all counted, the first few named."""

    def __init__(self, promise: str) -> None:
        self.promise = promise
        self.count = 0
        self._rows: list[str] = []

    def add(self, page: PageRecord) -> None:
        self.count += 1
        if len(self._rows) < _SHOWN:
            self._rows.append(f"id {page.target_id} {page.url} (body {page.digest[:16]}…)")

    def finding(self) -> Finding:
        return Finding(self.promise, tuple(self._rows), self.count)
