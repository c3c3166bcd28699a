"""Crawling from a program: open a crawl, iterate over its pages as they become durable."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec.structs import replace

from tenax.compose import require_contact
from tenax.compose.crawler import Crawler, open_crawler
from tenax.crawl.run import conclude, revisit
from tenax.model import Job, JobSpec, JobState, Page
from tenax.model.knobs import OutOfBounds, checked
from tenax.ops.jobs.change import create_or_change
from tenax.ops.jobs.create import JobInvalid, NewJob, archive_job, whole_urls
from tenax.outcome import Settlement
from tenax.page.reading.document import Document
from tenax.ports import Counts
from tenax.settings import SettingsError, load
from tenax.urls.normalise import host_of

if TYPE_CHECKING:
    from tenax.ops.fetch.fetch_now import Fetched
    from tenax.ops.replay.import_archive import ImportTally as Taken
    from tenax.ops.replay.reread import ReplayTally as Replayed
    from tenax.ports.products import PriceRecord, ProductRecord, StockRecord
    from tenax.ports.search import Hit

log = logging.getLogger(__name__)
_AT_ONCE = 100
_STRETCH = 500


class CrawledPage:
    """One stored page: its record as attributes, its content read when asked for."""

    def __init__(self, page: Page, depth: int | None = None) -> None:
        self.record = page
        self.document = Document(
            page.body or b"", page.url, page.content_type, page.charset or None
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self.record, name)

    @property
    def headline(self) -> str:
        """Its own heading, without the site's name."""
        return self.document.headline

    @property
    def text(self) -> str:
        """What a person sees."""
        return self.document.text

    @property
    def main_text(self) -> str:
        return self.document.main_text

    @property
    def markdown(self) -> str:
        """The main content as Markdown."""
        return self.document.markdown

    def __repr__(self) -> str:
        return f"<CrawledPage {self.record.url} {self.record.title!r}>"


class FetchedPage:
    """What became of one URL; `page` is None where there is none."""

    def __init__(self, fetched: Fetched) -> None:
        from tenax.ops.fetch.answer import end_of, sentence

        self.record = fetched
        self.url = fetched.url
        self.page = CrawledPage(fetched.page) if fetched.page is not None else None
        self.outcome = fetched.outcome.word.value
        """A word of `docs/reference/outcomes.md`."""
        self.end = end_of(fetched).value
        """got, no_page, not_now or refused."""
        self.told = sentence(fetched)
        """The same for people."""
        self.again_at = fetched.again_at

    def __repr__(self) -> str:
        return f"<FetchedPage {self.url} {self.outcome}>"


class Crawl:
    """An open ledger to crawl into; several jobs may follow one another."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._under_way: dict[str, _UnderWay] = {}

    async def run(
        self, *urls: str, job: str | None = None, again: bool = False, **spec: Any
    ) -> AsyncGenerator[CrawledPage, None]:
        """Crawl from these URLs; yields each page once it is stored.

        Further arguments are fields of `JobSpec` (`max_pages=100`, `scope="domain"`). Leaving
        the loop early stops the crawl; running it again goes on where it stopped. `again` also
        visits what was visited before, and yields those of its pages that have changed.
        """
        if not urls:
            raise SettingsError("crawl.run() needs at least one URL.")
        settings = self.crawler.ledger.settings
        require_contact(settings, urls)
        seeds = whole_urls(urls)
        name = job or host_of(seeds[0]) or "crawl"
        # A loop that was left is closed by Python when it gets round to it: perhaps not yet.
        await self._end(name)
        wanted = NewJob(name, _spec(settings.job, seeds, spec), is_started=True)
        answer = await create_or_change(self.crawler.ledger.job_context, wanted)
        if isinstance(answer, JobInvalid):
            raise SettingsError(f"job {name!r}: {answer.field}: {answer.why}.")
        parts, saved = self.crawler.parts, answer.job
        await parts.jobs.set_state(saved.id, JobState.RUNNING)
        if again:
            await revisit(parts, saved)

        backlog: list[CrawledPage] = []

        def heard(settlements: Sequence[Settlement]) -> None:
            backlog.extend(CrawledPage(s.page) for s in settlements if s.page)
            woken.set()

        woken = asyncio.Event()
        crawling = _UnderWay(self.crawler, saved, heard)
        crawling.task.add_done_callback(lambda _: woken.set())
        self._under_way[name] = crawling
        try:
            while True:
                while backlog:
                    yield backlog.pop(0)
                if crawling.task.done():
                    break
                woken.clear()
                await woken.wait()
        finally:
            if self._under_way.get(name) is crawling:
                await self._end(name)

    async def fetch(
        self, url: str, *, job: str | None = None, dry: bool = False, wait: float | None = None
    ) -> FetchedPage:
        """One URL now, by the rules of all visits: what became of it, and the page if there is one.

        It is stored in the job "fetch", or in the one named, which its scope and limits hold for;
        `dry` writes nothing but how the host was treated. `wait` is how many seconds it waits for
        its turn and for further tries. Nothing a server does raises.
        """
        from tenax.ops.fetch.fetch_now import WAIT, FetchOrder, fetch_now

        require_contact(self.crawler.ledger.settings, [url])
        order = FetchOrder(url, job, dry, WAIT if wait is None else wait)
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
        format: str = "jsonl",
        *,
        job: str | None = None,
        fields: Sequence[str] | None = None,
        products: bool = False,
        prices: bool = False,
        resume: bool = False,
    ) -> int:
        """Write stored pages to a file: jsonl, csv, parquet or warc. How many it has.

        With `products`, what pages offer for sale: jsonl, csv or parquet; with `prices`, all of
        their histories.
        """
        from tenax.compose.exports import make_exporter, make_writer
        from tenax.ops.export.files import Export
        from tenax.ops.export.formats import Format

        form, file = Format(format), Path(output)
        exporter, chosen = make_exporter(
            self.crawler.ledger, form, fields, products=products, prices=prices
        )
        writer = make_writer(self.crawler.ledger, form, file, chosen)
        order = f"{form} {products=} {prices=} job={job} fields={fields}"
        await Export(exporter, writer, file, order).run(job, resume=resume)
        return exporter.tally.pages

    async def replay(
        self, *, job: str | None = None, host: str | None = None, dry_run: bool = False
    ) -> Replayed:
        """Read stored pages again with today's code, in this process; what changed."""
        from tenax.compose.replay import make_replay
        from tenax.ops.replay.reread import ReplayTally
        from tenax.ports.replayed import PageFilter

        replay = await make_replay(
            self.crawler.ledger, PageFilter(job, host), dry=dry_run, links=False
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
        found = await self.crawler.ledger.jobs.get(job)
        if found is None:
            raise SettingsError(f"no job {job!r} in {self.crawler.ledger.settings.data}.")
        return await self.crawler.ledger.jobs.counts(found.id)


def _spec(usual: JobSpec, seeds: tuple[str, ...], wanted: dict[str, Any]) -> JobSpec:
    """Programs may say `scope="host"`, and give lists."""
    try:
        return checked(replace(usual, seeds=seeds, **wanted))
    except OutOfBounds as error:
        raise SettingsError(str(error)) from error


def _reading(file: str | Path) -> BinaryIO:
    return Path(file).open("rb")


class _UnderWay:
    """One job at work behind the loop that consumes it."""

    def __init__(
        self, crawler: Crawler, job: Job, heard: Callable[[Sequence[Settlement]], None]
    ) -> None:
        self._crawler = crawler
        self._job = job
        self._run = crawler.run(job, heard)
        self.task = asyncio.create_task(self._run.run())

    async def end(self) -> None:
        self._run.stop()
        await self.task
        await conclude(self._crawler.parts, self._job)


@asynccontextmanager
async def open_crawl(
    data: str | Path = "./tenax-data", *, config: Path | None = None, **settings: Any
) -> AsyncIterator[Crawl]:
    """Open a crawl's folder. Settings are the dotted ones with `__`: `pace__delay=0.5`."""
    flags = {name.replace("__", "."): value for name, value in settings.items()}
    loaded = load({**flags, "data": str(data)}, file=config)
    async with (
        open_crawler(loaded.settings) as crawler,
        crawler.ledger.telling(log.warning),
    ):
        crawl = Crawl(crawler)
        try:
            yield crawl
        finally:
            await crawl.close()
