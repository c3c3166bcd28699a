"""How does a search index come to have what the ledger has? By comparing versions, in order.

Both are walked side by side: what is new or another one is put, what is gone is removed. Nothing is
remembered in between, so an index that was lost, or is years old, is brought up to date alike.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from tenax.model import Event, EventKind, Job, Product
from tenax.ops.why.lookup import target_in
from tenax.page.reading.document import Document
from tenax.ports import ContentStore, Jobs, PageRecord, Pages
from tenax.ports.handled import OwnRecords, RecordFilter, StoredRecord
from tenax.ports.products import ProductRecord, Products
from tenax.ports.replayed import Rereads
from tenax.ports.search import RECORDS, Doc, SearchIndex
from tenax.urls.normalise import host_of

_STEP = 1_000
_BATCH = 100
_LONGEST_TEXT = 1_000_000
_Versions = Callable[[int, int], Awaitable[list[tuple[int, str]]]]


class IndexTally(Struct):
    put: int = 0
    removed: int = 0
    same: int = 0


class Indexer:
    def __init__(
        self,
        index: SearchIndex,
        rereads: Rereads,
        pages: Pages,
        content: ContentStore,
        products: Products,
        records: OwnRecords,
    ) -> None:
        self._index = index
        self._rereads = rereads
        self._pages = pages
        self._content = content
        self._products = products
        self._records = records
        self._is_stopping = False
        self.tally = IndexTally()

    def stop(self) -> None:
        """End after the batch that is under way; the next freshening goes on."""
        self._is_stopping = True

    async def freshen(self, tick: Callable[[int], None] = lambda _: None) -> IndexTally:
        """Have the index say what the ledger says; `tick` is told how many pages were looked at."""
        tally = self.tally
        wanted: list[int] = []
        async for id, version, known in self._differences():
            if version is None:
                await self._index.remove([id])
                tally.removed += 1
            elif version == known:
                tally.same += 1
            else:
                wanted.append(id)
            if len(wanted) >= _BATCH:
                await self.put(wanted)
                wanted = []
            tick(tally.put + tally.same + len(wanted))
            if self._is_stopping:
                break
        await self.put(wanted)
        return tally

    async def behind(self) -> int:
        """How many pages are to be put or removed, without doing it."""
        return sum([1 async for _, ours, theirs in self._differences() if ours != theirs])

    async def put(self, ids: Sequence[int]) -> None:
        """Put what these are now: the pages of targets, and records."""
        await self._put_records([id - RECORDS for id in ids if id > RECORDS])
        await self._put_pages([id for id in ids if id <= RECORDS])

    async def put_told(self, ids: Sequence[int]) -> None:
        """Put the pages of these targets, and bring what they tell of records up to date."""
        await self._put_pages(ids)
        after = 0
        of_these = RecordFilter(targets=tuple(ids))
        while ids and (told := await self._records.find(of_these, after, _BATCH)):
            await self._put_records([each.id for each in told if each.status == "there"])
            gone = [RECORDS + each.id for each in told if each.status == "gone"]
            if gone:
                await self._index.remove(gone)
            after = told[-1].id

    async def _put_records(self, ids: Sequence[int]) -> None:
        if not ids:
            return
        versions = dict(await self._records.versions_of(ids))
        told = [each for each in await self._records.get(ids) if each.id in versions]
        await self._index.put([_record_doc(each, versions[each.id]) for each in told])
        self.tally.put += len(told)

    async def _put_pages(self, ids: Sequence[int]) -> None:
        if not ids:
            return
        versions = dict(await self._rereads.versions_of(ids))
        offers = await self._products.of_targets(ids)
        docs = []
        for id in ids:
            await asyncio.sleep(0)  # for others on this loop, where nothing here waits
            page = await self._pages.page(id) if id in versions else None
            if page is not None:
                docs.append(await self._doc(page, versions[id], offers.get(id)))
        await self._index.put(docs)
        self.tally.put += len(docs)

    async def _differences(self) -> AsyncIterator[tuple[int, str | None, str | None]]:
        """(id, version in the ledger, version in the index), None where it is not."""
        ledger, index = self._in_ledger(), _walk(self._index.versions)
        ours, theirs = await anext(ledger, None), await anext(index, None)
        while ours is not None or theirs is not None:
            if theirs is None or (ours is not None and ours[0] < theirs[0]):
                assert ours is not None
                yield ours[0], ours[1], None
                ours = await anext(ledger, None)
            elif ours is None or theirs[0] < ours[0]:
                yield theirs[0], None, theirs[1]
                theirs = await anext(index, None)
            else:
                yield ours[0], ours[1], theirs[1]
                ours, theirs = await anext(ledger, None), await anext(index, None)

    async def _in_ledger(self) -> AsyncIterator[tuple[int, str]]:
        async for each in _walk(self._rereads.versions):
            yield each
        async for id, version in _walk(self._records.versions):
            yield RECORDS + id, version

    async def _doc(self, page: PageRecord, version: str, offer: ProductRecord | None) -> Doc:
        product = offer.product if offer else None
        return Doc(
            id=page.target_id,
            version=version,
            job=page.job,
            host=host_of(page.url),
            url=page.url,
            at=page.fetched_at,
            title=page.title,
            description=page.description,
            text=await self._text(page),
            language=page.language,
            brand=product.brand if product else "",
            category=product.category if product else "",
            price=_price(product),
            currency=product.currency if product else "",
            sku=product.sku if product else "",
            mpn=product.mpn if product else "",
            gtin=product.gtin if product else "",
            availability=product.availability.value if product else "",
            status=offer.status.value if offer else "",
            rating=product.rating if product else None,
        )

    async def _text(self, page: PageRecord) -> str:
        body = await self._content.get(bytes.fromhex(page.digest)) if page.digest else None
        if body is None:
            return ""
        document = Document(body, page.final_url, page.content_type, page.charset or None)
        return document.main_text[:_LONGEST_TEXT]


class SearchSink:
    """Keeps an index up to date as events come: what a relay tells of pages goes in at once."""

    def __init__(self, indexer: Indexer, pages: Pages, jobs: Jobs, index: SearchIndex) -> None:
        self._indexer = indexer
        self._pages = pages
        self._jobs = jobs
        self._index = index

    async def send(self, events: Sequence[Event]) -> None:
        jobs: dict[str, Job | None] = {}
        ids: dict[int, None] = {}
        for event in events:
            # What was given up is as it was; a product may be delisted by a visit without a page.
            if event.kind not in (EventKind.FETCHED, EventKind.PRODUCT, EventKind.RECORD):
                continue
            told = _decode(event.value)
            if told.unchanged:
                continue
            if told.job not in jobs:
                jobs[told.job] = await self._jobs.get(told.job)
            job = jobs[told.job]
            record = await target_in(job, told.url, self._pages) if job else None
            if record is not None:
                ids[record.id] = None
        await self._indexer.put_told(list(ids))

    async def close(self) -> None:
        await self._index.close()


class _Told(msgspec.Struct):
    job: str
    url: str
    unchanged: bool = False


_decode = msgspec.json.Decoder(_Told).decode


async def _walk(versions: _Versions) -> AsyncIterator[tuple[int, str]]:
    after = 0
    while step := await versions(after, _STEP):
        await asyncio.sleep(0)  # as above
        for each in step:
            yield each
        after = step[-1][0]


def _record_doc(record: StoredRecord, version: str) -> Doc:
    told = [(name, _spoken(value)) for name, value in record.data.items()]
    title = next((text for name, text in told if name in _TITLES and text), "")
    return Doc(
        id=RECORDS + record.id,
        version=version,
        job=record.job,
        host=host_of(record.url),
        url=record.url,
        at=record.changed_at,
        title=title or record.key or next((text for _, text in told if text), "")[:_LONGEST_TITLE],
        text="\n".join(f"{name}: {text}" for name, text in told if text)[:_LONGEST_TEXT],
        record=record.name,
    )


def _spoken(value: Any) -> str:
    """What a field says, for people: texts as they are, lists one after the other."""
    match value:
        case None | "":
            return ""
        case str():
            return value
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(filter(None, map(_spoken, value)))
        case dict():
            return ", ".join(f"{name}: {_spoken(each)}" for name, each in value.items())
        case _:
            return str(value)


_TITLES = ("title", "name", "headline")
_LONGEST_TITLE = 200


def _price(product: Product | None) -> float | None:
    try:
        return float(product.price) if product and product.price else None
    except ValueError:
        return None
