"""Which tools act? Fetch a URL, crawl from one, steer a crawl: for whoever is allowed to."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal, assert_never

from mcp.server.mcpserver.exceptions import ToolError
from msgspec.structs import replace
from pydantic import Field

from tenax.agents.looks import Url
from tenax.agents.marks import marked
from tenax.compose import require_contact
from tenax.compose.api import Opened
from tenax.compose.crawler import Crawler
from tenax.jobs.states import JobOrder, Refusal
from tenax.model import Job, ScopeKind
from tenax.ops.fetch.answer import fetch_answer
from tenax.ops.fetch.fetch_now import FetchOrder, fetch_now
from tenax.ops.jobs.create import JobCreated, JobExists, JobInvalid, NewJob, create_job
from tenax.ops.jobs.facts import job_facts, job_summary
from tenax.ops.jobs.orders import order_job, run_again
from tenax.ops.plain import plain
from tenax.settings import SettingsError

_LONGEST_FETCH = 110.0
Name = Annotated[str, Field(min_length=1, max_length=255)]
Globs = Annotated[list[str], Field(max_length=50)]


class AgentActs:
    """Tools that ask the web and write to the ledger, by the rules of all crawls."""

    def __init__(self, opened: Opened, crawler: Crawler) -> None:
        self._opened = opened
        self._crawler = crawler
        self._ledger = opened.ledger

    async def fetch(
        self,
        url: Url,
        wait: Annotated[float, Field(ge=0, le=60, description="Seconds for the host's turn.")] = 20,
    ) -> str:
        """Visit one URL now, politely (robots.txt, the host's pace), store it, and tell what it
        says as Markdown."""
        self._reachable([url])
        try:
            async with asyncio.timeout(_LONGEST_FETCH):
                fetched = await fetch_now(self._crawler.fetch_context, FetchOrder(url, wait=wait))
        except TimeoutError:
            raise ToolError(
                "The site takes too long. It is tried again by a crawl of it."
            ) from None
        if isinstance(fetched, JobInvalid):
            raise ToolError(f"{fetched.field}: {fetched.why}.")
        answer = await asyncio.to_thread(fetch_answer, fetched)
        page = answer.page
        about = f"{answer.outcome}: {answer.end}. Stored: {'yes' if answer.stored else 'no'}."
        said = answer.told if page is None else f"title: {page.title}\n\n{page.markdown}"
        return marked(said, about=about)

    async def crawl(
        self,
        url: Url,
        name: Annotated[
            Name | None, Field(description="Of the job; the host, if not given.")
        ] = None,
        max_pages: Annotated[int, Field(ge=1, le=10_000)] = 100,
        max_depth: Annotated[int, Field(ge=0, le=100)] = 10,
        scope: Literal["host", "domain", "prefix"] = "host",
        include: Annotated[Globs | None, Field(description="Only URLs like these globs.")] = None,
        exclude: Annotated[Globs | None, Field(description="No URLs like these globs.")] = None,
    ) -> str:
        """Create and start a crawl from a URL. It goes on by itself: follow it by `crawls`, then
        `search` and `read` what it brought."""
        self._reachable([url])
        spec = replace(
            self._ledger.settings.job, seeds=(url,), sitemaps=(), scope=ScopeKind(scope),
            max_pages=max_pages, max_depth=max_depth, include=tuple(include or ()),
            exclude=tuple(exclude or ()),
        )  # fmt: skip
        wanted = NewJob(name or _host(url), spec, is_started=True)
        answer = await create_job(self._ledger.job_context, wanted)
        match answer:
            case JobCreated(job=job, refused=refused):
                return await self._told(job, refused=[url for url, _ in refused])
            case JobExists(job=job):
                told = (
                    f"There is a job {job.name!r} already, {job.state}. Steer it, or name another."
                )
                raise ToolError(told)
            case JobInvalid(field=field, why=why):
                raise ToolError(f"{field}: {why}.")
            case _:
                assert_never(answer)

    async def steer(
        self, job: Name, order: Literal["start", "pause", "resume", "stop", "again"]
    ) -> str:
        """Start, pause, resume or stop a crawl; `again` visits all of it once more."""
        found = await self._ledger.jobs.get(job)
        if found is None:
            raise ToolError(f"There is no job {job!r}. The tool `crawls` lists them.")
        context = self._ledger.job_context
        if order == "again":
            done: object = await run_again(context, found)
        else:
            done = await order_job(context, found, JobOrder(order))
        if isinstance(done, Refusal):
            raise ToolError(f"This cannot be done to the job: {done.why}.")
        return await self._told(found)

    async def _told(self, job: Job, **more: Any) -> str:
        now = await self._ledger.jobs.get(job.name)
        facts = await job_facts(self._ledger.jobs, now or job, self._ledger.settings.pace)
        return marked({**plain(job_summary(facts)), **more})

    def _reachable(self, urls: list[str]) -> None:
        """Site owners must be able to reach whoever crawls them."""
        try:
            require_contact(self._ledger.settings, urls)
        except SettingsError as error:
            raise ToolError(str(error)) from error


def _host(url: str) -> str:
    from tenax.ops.why.lookup import as_asked
    from tenax.urls.normalise import host_of

    href = as_asked(url)
    if href is None:
        raise ToolError("url: not one that can be crawled. Write https://HOST/PATH.")
    return host_of(href)
