"""Which tools only look? Search, read, why, pages, products, crawls: each is a verb of `ops/`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, assert_never

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from tenax.agents.marks import MOST, marked, short
from tenax.compose.api import Opened
from tenax.compose.why import books_of, house_of
from tenax.model import Job, JobState
from tenax.ops.export.page_json import page_facts
from tenax.ops.export.page_text import NoText, page_text
from tenax.ops.export.product_json import product_facts
from tenax.ops.jobs.facts import job_facts, job_summary
from tenax.ops.plain import plain
from tenax.ops.products.wanted import ProductQuestion, UnclearQuestion, product_filter
from tenax.ops.records.wanted import RecordQuestion, record_filter
from tenax.ops.search.searching import NoIndex, SearchAnswer, Searching, SearchUnclear
from tenax.ops.why.lookup import stored_page
from tenax.ops.why.story import tell
from tenax.ports.overview import JobSieve, ListOrder, Sieve

Url = Annotated[str, Field(min_length=1, max_length=4_096, description="A URL.")]
JobName = Annotated[str | None, Field(max_length=255, description="Of this job only.")]
HostName = Annotated[str | None, Field(max_length=255, description="Of this host only.")]
Text = Annotated[str, Field(max_length=255)]
Few = Annotated[int, Field(ge=1, le=50, description="Items, at most.")]
After = Annotated[int, Field(ge=0, le=2**62, description="`next` of the answer before.")]
Amount = Annotated[float | None, Field(ge=0, le=1e15)]
_PAGE_FIELDS = (
    "url", "title", "description", "language", "published", "fetched_at", "words", "job",
)  # fmt: skip
_PRODUCT_FIELDS = (
    "id", "name", "url", "price", "currency", "regular_price", "availability", "brand", "category",
    "sku", "gtin", "status", "updated_at", "last_seen_at",
)  # fmt: skip
_RECORD_FIELDS = ("id", "name", "key", "data", "url", "job", "status", "changed_at")
_POLL = 0.5
_LONGEST_WAIT = 60.0


class Looks:
    """Tools for whoever may read."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._ledger = opened.ledger
        self._searching = Searching(
            opened.index, opened.indexer, opened.ledger.clock, opened.beside
        )

    async def search(
        self,
        query: Annotated[str, Field(min_length=1, max_length=1_000)],
        limit: Few = 10,
        after: After = 0,
    ) -> str:
        """Search the text of crawled pages and products, the best first. Words, "phrases",
        -without, and fields such as site:example.com or lang:en. `read` then has a page whole."""
        found = await self._searching.search(query, limit, after)
        match found:
            case SearchAnswer(items=items, total=total):
                told = [_hit(plain(each)) for each in items]
                return _listed(told, found.next, after, total=total)
            case SearchUnclear(why=why):
                raise ToolError(why)
            case NoIndex():
                raise ToolError("There is no search index. Name one by the setting search.")
            case _:
                assert_never(found)

    async def read(
        self,
        url: Url,
        form: Literal["markdown", "text"] = "markdown",
        job: JobName = None,
        start: Annotated[int, Field(ge=0, description="Characters to leave out first.")] = 0,
    ) -> str:
        """The main part of a stored page, as Markdown or as text. Nothing is fetched."""
        page = await stored_page(url, await self._jobs(job), self._ledger.pages)
        if page is None:
            raise ToolError("No page of this URL is stored. The tool `why` tells the reason.")
        text = await page_text(page, self._ledger.content, as_markdown=form == "markdown")
        if isinstance(text, NoText):
            raise ToolError(text.why[:1].upper() + text.why[1:])
        part = text[start : start + MOST - 2_000]
        end = start + len(part)
        about = f"Characters {start:,} to {end:,} of {len(text):,}."
        if end < len(text):
            about += f" It goes on: read it with start={end}."
        facts = page_facts(page)
        head = {"url": facts.url, "title": facts.title, "rights": _rights(page.rights)}
        lines = "".join(f"{name}: {value}\n" for name, value in head.items() if value)
        return marked(f"{lines}\n{part}", about=about)

    async def why(self, url: Url, job: JobName = None) -> str:
        """Why a URL was fetched, refused, is waiting or failed, and what happens next; of a URL
        never seen, what would happen. With robots.txt, the host's standing and every attempt."""
        ledger = self._ledger
        name = None if job is None else (await self._job(job)).name
        house = house_of(ledger.settings, ledger.sites)
        return marked(await tell(url, books_of(ledger), house, ledger.clock.now(), name))

    async def pages(
        self,
        job: JobName = None,
        host: HostName = None,
        contains: Annotated[Text, Field(description="In URL or title.")] = "",
        newest: bool = False,
        limit: Few = 20,
        after: After = 0,
    ) -> str:
        """Stored pages in the order they were found, or those fetched last first."""
        name = None if job is None else (await self._job(job)).name
        order = ListOrder.NEWEST if newest else ListOrder.FOUND
        sieve = Sieve(name, host and host.lower(), contains=contains, order=order)
        found, place = await self._opened.overview.pages(sieve, after, limit)
        return _listed(
            [_some(plain(page_facts(each)), _PAGE_FIELDS) for each in found], place, after
        )

    async def products(
        self,
        q: Annotated[Text, Field(description="In name, brand, numbers, category or URL.")] = "",
        job: JobName = None,
        host: HostName = None,
        brand: Text | None = None,
        category: Text | None = None,
        min_price: Amount = None,
        max_price: Amount = None,
        changed_since: Annotated[
            str | None, Field(max_length=40, description="A date, or an age such as 12h.")
        ] = None,
        cheaper: Annotated[bool, Field(description="Only what costs less than at first.")] = False,
        limit: Few = 20,
        after: After = 0,
    ) -> str:
        """What crawled shops sell, with prices and availability."""
        name = None if job is None else (await self._job(job)).name
        asked = ProductQuestion(
            text=q, job=name, host=host, brand=brand, category=category, min_price=min_price,
            max_price=max_price, changed_since=changed_since, cheaper=cheaper,
        )  # fmt: skip
        try:
            wanted = product_filter(asked, self._ledger.clock.now())
        except UnclearQuestion as error:
            raise ToolError(f"{error.field}: {error}") from error
        found, place = await self._opened.overview.products(wanted, after, limit)
        told = [_some(plain(product_facts(each)), _PRODUCT_FIELDS) for each in found]
        return _listed(told, place, after)

    async def records(
        self,
        name: Annotated[Text | None, Field(description="Of the records: quote, job, …")] = None,
        job: JobName = None,
        host: HostName = None,
        url: Annotated[str | None, Field(max_length=4_096, description="Of their page.")] = None,
        q: Annotated[Text, Field(description="In their fields.")] = "",
        changed_since: Annotated[
            str | None, Field(max_length=40, description="A date, or an age such as 12h.")
        ] = None,
        limit: Few = 20,
        after: After = 0,
    ) -> str:
        """What the user's own handlers took from pages: records of any kind, each with the page it
        came from."""
        jobs = await self._jobs(job)
        asked = RecordQuestion(
            name=name, job=job, host=host, url=url, text=q, changed_since=changed_since
        )
        ledger = self._ledger
        try:
            wanted = await record_filter(asked, jobs, ledger.pages, ledger.clock.now())
        except UnclearQuestion as error:
            raise ToolError(f"{error.field}: {error}") from error
        found, place = await self._opened.overview.records(wanted, after, limit)
        return _listed([_some(plain(each), _RECORD_FIELDS) for each in found], place, after)

    async def crawls(
        self,
        job: JobName = None,
        wait: Annotated[
            float, Field(ge=0, le=_LONGEST_WAIT, description="Seconds to wait for its end.")
        ] = 0.0,
    ) -> str:
        """The crawls (jobs) there are and how far each is, or one of them; with `wait` its end is
        waited for, so that it can be followed without asking again and again."""
        if job is None:
            found, _ = await self._opened.overview.jobs(JobSieve(), 0, 50)
            return _listed([await self._summary(each) for each in found], None)
        clock = self._ledger.clock
        until = clock.now() + wait
        found_job = await self._job(job)
        while found_job.state is JobState.RUNNING and clock.now() < until:
            await clock.sleep(_POLL)
            found_job = await self._job(job)
        return marked(await self._summary(found_job))

    async def _summary(self, job: Job) -> Any:
        facts = await job_facts(self._ledger.jobs, job, self._ledger.settings.pace)
        return plain(job_summary(facts))

    async def _job(self, name: str) -> Job:
        job = await self._ledger.jobs.get(name)
        if job is None:
            raise ToolError(f"There is no job {name!r}. The tool `crawls` lists them.")
        return job

    async def _jobs(self, name: str | None) -> Sequence[Job]:
        return await self._ledger.jobs.all() if name is None else [await self._job(name)]


def _listed(items: list[Any], place: int | None, after: int = 0, **more: Any) -> str:
    """A list. Of one that is too long the first are told, and how to get at the others."""
    shown = short(items)
    about = "1 item." if len(shown) == 1 else f"{len(shown):,} items."
    if len(shown) < len(items):
        about += f" The rest is too long for one answer: ask for {len(shown):,} at a time."
        place = after
    return marked({**more, "items": shown, "next": place}, about=about)


def _some(facts: dict[str, Any], fields: Iterable[str]) -> dict[str, Any]:
    """What tells most: a model pays for every word it reads."""
    return {name: facts[name] for name in fields if facts.get(name) not in (None, "")}


def _hit(facts: dict[str, Any]) -> dict[str, Any]:
    text = "".join(piece for piece, _ in facts["snippet"])
    return {**_some(facts, [name for name in facts if name != "snippet"]), "snippet": text}


def _rights(rights: Iterable[tuple[str, str]]) -> str:
    return "; ".join(f"{where}: {what}" for where, what in rights if "sha256" not in where)
