"""Crawling from a program: open a crawl, iterate over its pages as they become durable."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Unpack

from msgspec.structs import replace

from tenax.compose import require_contact
from tenax.compose.crawler import Crawler, open_crawler
from tenax.crawl.run import conclude, revisit
from tenax.library.loop import MOST_AHEAD, PageQueue
from tenax.library.options import JobOptions
from tenax.library.pages import FetchedPage, stored_page
from tenax.model import FORM, Job, JobSpec, JobState
from tenax.model import Post as Post
from tenax.model.knobs import OutOfBounds, checked
from tenax.ops.jobs.change import create_or_change
from tenax.ops.jobs.create import JobInvalid, NewJob, archive_job, whole_starts
from tenax.outcome import Settlement
from tenax.page.handlers.crawled_page import CrawledPage as CrawledPage
from tenax.page.handlers.registry import Handler, handlers_of, registered
from tenax.ports import Counts
from tenax.ports.handled import RecordStatus
from tenax.ports.waiting import sleep_until_told
from tenax.settings import SettingsError, load
from tenax.urls.normalise import host_of

if TYPE_CHECKING:
    from tenax.ops.replay.import_archive import ImportTally as Taken
    from tenax.ops.replay.reread import ReplayTally as Replayed
    from tenax.ports.handled import RecordState, StoredRecord
    from tenax.ports.products import PriceRecord, ProductRecord, StockRecord
    from tenax.ports.search import Hit

log = logging.getLogger(__name__)
_AT_ONCE = 100
_STRETCH = 500
_LOOK = 1.0
"""Seconds after which is looked for pages that other processes have stored."""


class Crawl:
    """An open ledger to crawl into; several jobs may follow one another."""

    def __init__(self, crawler: Crawler, handlers: Sequence[Handler] = ()) -> None:
        self.crawler = crawler
        self._handlers = handlers
        self._under_way: dict[str, _UnderWay] = {}

    async def run(
        self,
        *urls: str | Post,
        job: str | None = None,
        again: bool = False,
        consumer: str = "loop",
        **spec: Unpack[JobOptions],
    ) -> AsyncGenerator[CrawledPage, None]:
        """Crawl from these URLs; yields every stored page of the job, each at least once. A
        `tenax.Post(url, "q=tea")` sends something there.

        A page counts as handed over when the next one is asked for, or the loop ends. Leaving it
        early stops the crawl; the next one of the same `consumer` begins with the page it was left
        at, also after a crash. When a hundred pages wait to be read, the crawl waits.

        Further arguments are fields of `JobSpec` (`max_pages=100`, `scope="domain"`). `again` also
        visits what was visited before: pages that have changed come out again.
        """
        if not urls:
            raise SettingsError("crawl.run() needs at least one URL.")
        settings = self.crawler.ledger.settings
        posts = tuple(each for each in urls if isinstance(each, Post))
        starts = whole_starts(
            JobSpec(tuple(each for each in urls if not isinstance(each, Post)), posts=posts)
        )
        require_contact(settings, starts.starts)
        name = job or host_of(starts.starts[0]) or "crawl"
        # A loop that was left is closed by Python when it gets round to it: perhaps not yet.
        await self._end(name)
        wanted = NewJob(name, _spec(settings.job, starts, spec), is_started=True)
        answer = await create_or_change(self.crawler.ledger.job_context, wanted)
        if isinstance(answer, JobInvalid):
            raise SettingsError(f"job {name!r}: {answer.field}: {answer.why}.")
        parts, saved = self.crawler.parts, answer.job
        await parts.jobs.set_state(saved.id, JobState.RUNNING)
        if again:
            await revisit(parts, saved)

        waiting = await self._queue(saved, consumer)
        crawling = _UnderWay(self.crawler, saved, waiting)
        self._under_way[name] = crawling
        try:
            while True:
                # Asked before the last look: what is stored until then is found by it.
                is_over = crawling.task.done()
                while (page := await waiting.next()) is not None:
                    crawling.weigh()
                    yield page
                if is_over:
                    break
                await crawling.wait()
            await waiting.flush()
        finally:
            if self._under_way.get(name) is crawling:
                await self._end(name)

    async def _queue(self, job: Job, consumer: str) -> PageQueue:
        ledger = self.crawler.ledger
        registered = await ledger.handovers.consumer(job.id, consumer)
        return PageQueue(ledger.handovers, ledger.content, registered, ledger.clock)

    async def pages(
        self,
        job: str | None = None,
        *,
        since: float | datetime | None = None,
        changed: bool = False,
    ) -> AsyncGenerator[CrawledPage, None]:
        """Stored pages, as they are now, in the order their URLs were found.

        `since` leaves out those that were fetched before; with `changed`, those too whose text has
        not changed since.
        """
        if changed and since is None:
            raise SettingsError("crawl.pages(changed=True) needs since=: changed since when?")
        if job is not None:
            await self._job(job)
        first = since.timestamp() if isinstance(since, datetime) else since
        ledger, after = self.crawler.ledger, 0
        while found := await ledger.pages.find(
            job, after, _AT_ONCE, since=first, changed_since=first if changed else None
        ):
            for record in found:
                digest = bytes.fromhex(record.digest)
                yield stored_page(record, await ledger.content.get(digest) if digest else None)
            after = found[-1].target_id

    async def fetch(
        self,
        url: str,
        *,
        job: str | None = None,
        dry: bool = False,
        wait: float | None = None,
        post: str | None = None,
        content_type: str = FORM,
    ) -> FetchedPage:
        """One URL now, by the rules of all visits: what became of it, and the page if there is one.

        It is stored in the job "fetch", or in the one named, which its scope and limits hold for;
        `dry` writes nothing but how the host was treated. `wait` is how many seconds it waits for
        its turn and for further tries. What `post` says is sent there. Nothing a server does
        raises.
        """
        from tenax.ops.fetch.fetch_now import WAIT, FetchOrder, fetch_now

        require_contact(self.crawler.ledger.settings, [url])
        try:
            sends = None if post is None else checked(Post(url, post, content_type)).sends
        except OutOfBounds as error:
            raise SettingsError(f"crawl.fetch: {error}") from error
        order = FetchOrder(url, job, dry, WAIT if wait is None else wait, sends)
        fetched = await fetch_now(self.crawler.fetch_context, order)
        if isinstance(fetched, JobInvalid):
            raise SettingsError(f"{fetched.field}: {fetched.why}.")
        return FetchedPage(fetched)

    async def _end(self, name: str) -> None:
        crawling = self._under_way.pop(name, None)
        if crawling is not None:
            await crawling.end()

    async def close(self) -> None:
        """Stop whatever loops were left without being closed."""
        while self._under_way:
            await self._end(next(iter(self._under_way)))

    async def products(self, **wanted: Any) -> AsyncGenerator[ProductRecord, None]:
        """Stored products; wanted are fields of `ProductFilter` (`brand="Acme"`, `highest=20`)."""
        from tenax.ports.products import ProductFilter

        products, after = self.crawler.ledger.products, 0
        while found := await products.find(ProductFilter(**wanted), after, _AT_ONCE):
            for record in found:
                yield record
            after = found[-1].id

    async def records(
        self,
        name: str | None = None,
        *,
        job: str | None = None,
        host: str | None = None,
        status: RecordStatus | None = None,
        changed_since: float | None = None,
    ) -> AsyncGenerator[StoredRecord, None]:
        """Records of your own, in the order in which they were found. `status` is there or gone,
        `changed_since` seconds since 1970."""
        from tenax.ports.handled import RecordFilter

        wanted = RecordFilter(
            name=name, job=job, host=host, status=status, changed_since=changed_since
        )
        after = 0
        while found := await self.crawler.ledger.records.find(wanted, after, _AT_ONCE):
            for record in found:
                yield record
            after = found[-1].id

    async def record_history(self, record: StoredRecord) -> list[RecordState]:
        """What a record was, first to last."""
        return await self.crawler.ledger.records.history(record.id)

    async def price_history(self, record: ProductRecord) -> list[PriceRecord]:
        """Every price a product had, first to last."""
        return await self.crawler.ledger.products.history(record.id)

    async def stock_history(self, record: ProductRecord) -> list[StockRecord]:
        """Every availability it had, and when it was listed and delisted, first to last."""
        return await self.crawler.ledger.products.stock(record.id)

    async def picture(self, record: ProductRecord, position: int = 0) -> bytes | None:
        """The stored bytes of a picture of a product; None when it was not downloaded."""
        from tenax.ops.products.pictures import StoredPicture, picture

        found = await picture(record, position, self.crawler.ledger.content)
        return found.body if isinstance(found, StoredPicture) else None

    async def search(self, query: str, limit: int = 10, skip: int = 0) -> list[Hit]:
        """Stored pages that meet a query as `tenax search` takes it, the best first.

        An index of our own is brought up to date first; others are by whoever feeds them.
        """
        from tenax.compose.search import is_embedded, open_search
        from tenax.ops.search.query import parse

        async with open_search(self.crawler.ledger) as (index, indexer):
            if is_embedded(self.crawler.ledger.settings):
                await indexer.freshen()
            return list((await index.search(parse(query), limit, skip)).hits)

    async def export(
        self,
        output: str | Path,
        format: str | None = None,
        *,
        job: str | None = None,
        fields: Sequence[str] | None = None,
        products: bool = False,
        prices: bool = False,
        records: str | None = None,
        chunks: int | None = None,
        links: str = "inline",
        since: float | None = None,
        changed: bool = False,
        resume: bool = False,
    ) -> int:
        """Write stored pages to a file or to s3://BUCKET/KEY: jsonl, csv, parquet or warc, as its
        name says, packed where that ends in .gz or .zst. How many it has.

        `since` leaves out pages that were fetched before; with `changed`, those too whose text has
        not changed since.

        As markdown it is a folder with a file for each page. With `products`, what pages offer for
        sale: jsonl, csv or parquet; with `prices`, all of their histories; with `records`, your own
        of that name; with `chunks`, pages in pieces of so many characters at most. `links` says
        how Markdown has its links: inline, foot or none.
        """
        from tenax.compose.exports import make_export, make_exporter, make_record_exporter
        from tenax.ops.export.files import ExportSource
        from tenax.ops.export.formats import Format
        from tenax.ops.export.places import settle_place
        from tenax.page.reading.link_style import LinkStyle

        place = settle_place(str(output), None if format is None else Format(format))
        exporter: ExportSource
        if records is not None:
            exporter, chosen = await make_record_exporter(
                self.crawler.ledger, place.form, fields, records, job, since
            )
        else:
            exporter, chosen = make_exporter(
                self.crawler.ledger,
                place.form,
                fields,
                products=products,
                prices=prices,
                chunks=chunks,
                links=LinkStyle(links),
                since=since,
                changed=changed,
            )
        order = f"{place.form} {products=} {prices=} {chunks=} {links=} {job=} {fields=} {since=}"
        export = make_export(
            self.crawler.ledger,
            place,
            exporter,
            chosen,
            f"{order} {changed=} {records=}",
            links=LinkStyle(links),
        )
        await export.run(job, resume=resume)
        return exporter.tally.pages

    async def replay(
        self, *, job: str | None = None, host: str | None = None, dry_run: bool = False
    ) -> Replayed:
        """Read stored pages again with today's code, in this process; what changed. The handlers
        that this crawl was opened with read them, too."""
        from tenax.compose.replay import make_replay
        from tenax.ops.replay.reread import ReplayTally
        from tenax.ports.replayed import PageFilter

        replay = await make_replay(
            self.crawler.ledger,
            PageFilter(job, host),
            dry=dry_run,
            links=False,
            handlers=self._handlers,
        )
        last, tally = await self.crawler.ledger.rereads.last(), ReplayTally()
        for after in range(0, last, _STRETCH):
            tally.add(await replay.stretch(after, min(after + _STRETCH, last)))
        return tally

    async def import_warc(self, file: str | Path, job: str) -> Taken:
        """Take the pages of a web archive into a job, which is made if need be."""
        from tenax.compose.replay import make_importer

        ledger = self.crawler.ledger
        there = await archive_job(ledger.jobs, job, ledger.settings.job)
        importer = make_importer(ledger, there)
        with _reading(file) as opened:
            await importer.take(opened, str(file))
        return importer.tally

    async def counts(self, job: str) -> Counts:
        """A job in figures."""
        return await self.crawler.ledger.jobs.counts((await self._job(job)).id)

    async def _job(self, name: str) -> Job:
        found = await self.crawler.ledger.jobs.get(name)
        if found is None:
            raise SettingsError(f"no job {name!r} in {self.crawler.ledger.settings.data}.")
        return found


def _spec(usual: JobSpec, starts: JobSpec, wanted: JobOptions) -> JobSpec:
    """Programs may say `scope="host"`, and give lists."""
    try:
        posts = starts.posts or usual.posts
        return checked(replace(usual, **{"seeds": starts.seeds, "posts": posts, **wanted}))
    except OutOfBounds as error:
        raise SettingsError(str(error)) from error


def _own(handlers: Sequence[str | Path | Callable[..., Any]]) -> Sequence[Handler]:
    try:
        return handlers_of(each for each in handlers if not isinstance(each, str | Path))
    except ValueError as error:
        raise SettingsError(f"handlers: {error}") from error


def _reading(file: str | Path) -> BinaryIO:
    return Path(file).open("rb")


class _UnderWay:
    """One job at work behind the loop that consumes it, as fast as it does."""

    def __init__(self, crawler: Crawler, job: Job, waiting: PageQueue) -> None:
        self._crawler = crawler
        self._job = job
        self._waiting = waiting
        self._told = asyncio.Event()
        self._is_held = False
        self._run = crawler.run(job, self._heard)
        self.weigh()
        self.task = asyncio.create_task(self._run.run())
        self.task.add_done_callback(lambda _: self._told.set())

    def _heard(self, settlements: Sequence[Settlement]) -> None:
        self._waiting.ahead += sum(s.page is not None for s in settlements)
        self.weigh()
        self._told.set()

    def weigh(self) -> None:
        """Whether enough pages wait, or are about to, for the crawl to wait as well."""
        ahead = self._waiting.ahead
        coming = ahead + self._crawler.parts.steps.count
        is_enough = ahead >= MOST_AHEAD or (ahead >= MOST_AHEAD // 2 and coming >= MOST_AHEAD)
        if not self._is_held and is_enough:
            self._is_held = True
            self._run.hold()
        elif self._is_held and coming <= MOST_AHEAD // 2:
            self._is_held = False
            self._run.resume()

    async def wait(self) -> None:
        """Until something may have been stored: by us, or by others, who do not tell us."""
        self.weigh()
        await sleep_until_told(self._crawler.ledger.clock, _LOOK, self._told)
        self._told.clear()

    async def end(self) -> None:
        self._run.stop()
        await self.task
        await self._waiting.flush()
        await conclude(self._crawler.parts, self._job)


@asynccontextmanager
async def open_crawl(
    data: str | Path = "./tenax-data",
    *,
    config: Path | None = None,
    handlers: Sequence[str | Path | Callable[..., Any]] | None = None,
    **settings: Any,
) -> AsyncIterator[Crawl]:
    """Open a crawl's folder. Settings are the dotted ones with `__`: `pace__delay=0.5`.

    `handlers` are functions marked `@on`, or files of them; without it, all that the program has
    marked.
    """
    flags = {name.replace("__", "."): value for name, value in settings.items()}
    own = registered() if handlers is None else _own(handlers)
    files = [str(each) for each in handlers or () if isinstance(each, str | Path)]
    if files:
        flags["handlers"] = files
    loaded = load({**flags, "data": str(data)}, file=config)
    async with (
        open_crawler(loaded.settings, handlers=own) as crawler,
        crawler.ledger.telling(log.warning),
    ):
        crawl = Crawl(crawler, own)
        try:
            yield crawl
        finally:
            await crawl.close()
