"""Re-extraction of stored bodies by today's code: no network; what changed is told (LIFE-3).

The header fields that came with a body are not all kept. What only they can have said (a canonical
URL, a language) stays as it is where the body says nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from tenax.crawl.handling.runner import HandledPage, Handlers, not_asked
from tenax.fetch.reading import Rehearsal
from tenax.model import Headers, Page, Response
from tenax.ops.export.archive import headers_of
from tenax.page.handlers.crawled_page import CrawledPage
from tenax.page.read import read
from tenax.ports import ContentStore, PageRecord
from tenax.ports.handled import HandledSighting, OwnRecords
from tenax.ports.products import Products, Sighting
from tenax.ports.replayed import PageFilter, Reread, Rereads
from tenax.urls.normalise import host_of
from tenax.urls.sites import Sites

_EXAMPLES = 3
_LONGEST = 200
_BY_ROBOTS = "robots"
Offer = Callable[[PageRecord, Page], Awaitable[int]]
"""Offers the links of a page to its job; how many were new."""


class Example(msgspec.Struct, frozen=True):
    url: str
    was: Any
    now: Any


class ReplayTally(msgspec.Struct):
    """What reading again came to, and examples of it."""

    pages: int = 0
    """Read again."""
    changed: int = 0
    """Those that say something else now."""
    written: int = 0
    bodiless: int = 0
    """Kept without a body: there is nothing to read."""
    lost: int = 0
    """Their body is missing or damaged in the content store."""
    too_large: int = 0
    """Their body would take too much memory, or is a PDF file that cannot be read here; what is
    known of them stays."""
    unwanted: int = 0
    """They ask not to be kept, as we read them today; they stay."""
    found: int = 0
    """Links that were not known to their job."""
    products: int = 0
    """Products that are new, or something else now."""
    handled: int = 0
    """Pages that handlers were asked about."""
    records: int = 0
    """Records that they told."""
    records_changed: int = 0
    """Those that are new, other or gone by it."""
    failures: dict[str, int] = {}
    """How often each handler failed."""
    errors: dict[str, tuple[str, str]] = {}
    """Of each that did, the first page, and what was wrong."""
    fields: dict[str, int] = {}
    examples: dict[str, list[Example]] = {}

    def add(self, other: ReplayTally) -> None:
        for name in ("pages", "changed", "written", "bodiless", "lost", "too_large",
                     "unwanted", "found", "products", "handled", "records",
                     "records_changed"):  # fmt: skip
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for field, count in other.fields.items():
            self.fields[field] = self.fields.get(field, 0) + count
        for handler, count in other.failures.items():
            self.failures[handler] = self.failures.get(handler, 0) + count
        self.errors = {**other.errors, **self.errors}
        for field, examples in other.examples.items():
            ours = self.examples.setdefault(field, [])
            ours += examples[: _EXAMPLES - len(ours)]

    def note(self, field: str, example: Example) -> None:
        self.fields[field] = self.fields.get(field, 0) + 1
        examples = self.examples.setdefault(field, [])
        if len(examples) < _EXAMPLES:
            examples.append(example)


class Replay:
    """Reads the pages of one stretch of targets after the other."""

    def __init__(
        self,
        rereads: Rereads,
        content: ContentStore,
        which: PageFilter,
        token: str,
        *,
        dry: bool = False,
        offer: Offer | None = None,
        products: Products | None = None,
        sites: Sites | None = None,
        handlers: Handlers | None = None,
        records: OwnRecords | None = None,
        rehearsal: Rehearsal | None = None,
    ) -> None:
        """`handlers` read every page again, and what they tell goes to `records`; in `rehearsal`
        first what somebody has died of."""
        self._rehearsal = rehearsal
        self._handlers = handlers
        self._records = records
        self._sites = Sites() if sites is None else sites
        self._rereads = rereads
        self._content = content
        self._which = which
        self._token = token
        self._dry = dry
        self._offer = offer
        self._products = products

    async def stretch(self, after: int, last: int) -> ReplayTally:
        """Read what is behind `after`, up to `last`; what changed is written when this returns."""
        tally = ReplayTally()
        changed = []
        seen = []
        handled = []
        deadly = frozenset[int]()
        if self._handlers is not None and self._rehearsal is not None:
            deadly = await self._rereads.deadly(after, last)
        for record in await self._rereads.between(self._which, after, last):
            page = await self._read(record, tally)
            if page is None:
                continue
            is_deadly = record.target_id in deadly
            if told := await self._handle(record, page, tally, is_deadly=is_deadly):
                handled.append(HandledSighting(
                    record.target_id, record.fetched_at, told.handled, page.digest
                ))  # fmt: skip
                if told.product is not None:
                    page = replace(page, product=told.product)
            seen.append(Sighting(record.target_id, record.fetched_at, page.product))
            said = list(differences(record, page))
            for field, was, now in said:
                tally.note(field, Example(record.url, _short(was), _short(now)))
            if said:
                tally.changed += 1
                names = {field for field, _, _ in said}
                changed.append(Reread(record.target_id, page, "simhash" in names))
            if self._offer is not None and not self._dry:
                tally.found += await self._offer(record, page)
        if not self._dry:
            tally.written = await self._rereads.rewrite(changed)
            if self._products is not None:
                tally.products = await self._products.note(seen)
            if self._records is not None:
                tally.records_changed = await self._records.note(handled)
        return tally

    async def _handle(
        self, record: PageRecord, page: Page, tally: ReplayTally, *, is_deadly: bool
    ) -> HandledPage | None:
        if self._handlers is None:
            return None
        found = self._handlers.read(page.url) if not page.directives.noindex else []
        if not found:
            return None
        crawled = CrawledPage(page, record.depth, record.job)
        died = None
        if is_deadly and self._rehearsal is not None:
            died = await self._handlers.rehearsed(crawled, found, self._rehearsal)
        if died is not None and died.is_sure:
            told = HandledPage(not_asked(found, died))
        else:
            told = await self._handlers.run(crawled, found)
        tally.handled += 1
        tally.records += len(told.handled.records)
        for report in told.handled.reports:
            if report.error:
                tally.failures[report.handler] = tally.failures.get(report.handler, 0) + 1
                tally.errors.setdefault(report.handler, (page.url, report.error))
        return told

    async def _read(self, record: PageRecord, tally: ReplayTally) -> Page | None:
        if not record.digest:
            tally.bodiless += 1
            return None
        body = await self._content.get(bytes.fromhex(record.digest))
        parser = self._sites.of(host_of(record.final_url)).rules.parser or ""
        page = None if body is None else reread(record, body, self._token, parser)
        if page is None or page.digest.hex() != record.digest:
            tally.lost += 1
            return None
        if page.too_large or page.unreadable:
            tally.too_large += 1
            return None
        tally.pages += 1
        tally.unwanted += page.directives.noindex
        return page


def reread(record: PageRecord, body: bytes, token: str, parser: str = "") -> Page:
    """The page as a visit would read it today, as far as what came with the body is known."""
    headers = Headers(tuple(headers_of(record)))
    response = Response(record.final_url, record.status, headers, body)
    page = read(response, fetched_at=record.fetched_at, token=token, products=True, parser=parser)
    by_robots = tuple(pair for pair in record.rights if pair[0].startswith(_BY_ROBOTS))
    return replace(
        page,
        canonical=page.canonical or record.canonical,
        language=page.language or record.language,
        rights=page.rights + by_robots,
    )


def differences(record: PageRecord, page: Page) -> Iterator[tuple[str, Any, Any]]:
    """(field, what it was, what it is now) of every field that the body decides."""
    for field in _PLAIN:
        was, now = getattr(record, field), getattr(page, field)
        if was != now:
            yield field, was, now
    others = (
        ("content_hash", record.content_hash, page.content_hash.hex()),
        ("simhash", record.simhash, "" if page.simhash is None else f"{page.simhash:016x}"),
        ("link_count", record.link_count, len(page.links)),
    )
    yield from (each for each in others if each[1] != each[2])


_PLAIN = (
    "content_type", "charset", "title", "description", "canonical", "language", "published",
    "modified", "words", "rights",
)  # fmt: skip
FIELDS = (*_PLAIN, "content_hash", "simhash", "link_count")


def _short(value: Any) -> Any:
    return value if not isinstance(value, str) or len(value) <= _LONGEST else value[:_LONGEST] + "…"
