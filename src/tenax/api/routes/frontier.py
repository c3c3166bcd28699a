"""`/api/frontier`: which URLs are known, and where they stand."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request, Response
from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from tenax.api import cursors
from tenax.api.guard import Doors, guard_of
from tenax.api.listing import Cursor, Limit, ListPart, Name, checked_job, listed, the_job
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.jobs.states import Refusal
from tenax.model import Job, Reason, State
from tenax.ops.health.totals import LedgerTotals
from tenax.ops.jobs.create import JobInvalid
from tenax.ops.jobs.url_list import unclear
from tenax.ops.jobs.urls import UrlsOffered, add_urls, clear_frontier, seed_urls
from tenax.ports.accounts import ApiRole
from tenax.ports.overview import ListOrder, Sieve, UrlRecord

JobOf = Annotated[str, Query(max_length=255, pattern=r"^[^\x00]*$")]
_STEP_SECONDS = 30.0
"""Spent on clearing in one request; what is left takes another."""
_Url = Annotated[str, StringConstraints(min_length=1, max_length=4_096, pattern=r"^[^\x00]*$")]


class FrontierStats(Struct, frozen=True):
    """URLs in figures."""

    known: int
    """The sum over `states`."""
    pending: int
    """URLs that are left to do."""
    deferred: int
    """URLs that wait until somebody asks for them."""
    states: dict[State, int]
    not_taken: dict[Reason, int]


class UrlRefused(Struct, frozen=True):
    url: str
    reason: Reason


class UrlsAdded(Struct, frozen=True):
    job: str
    new: int
    known: int
    """Those that were there already."""
    refused: list[UrlRefused]


class ClearedFrontier(Struct, frozen=True):
    job: str
    cleared: int
    """URLs, by this request."""
    is_whole: bool
    """False when the request is to be repeated."""


class Recovered(Struct, frozen=True):
    recovered: int


def add(doors: Doors, opened: Opened) -> None:
    frontier = _Frontier(opened)
    doors.get("/api/frontier/stats", frontier.stats, ApiRole.USER, problems=(404,))
    doors.get("/api/frontier/urls", frontier.urls, ApiRole.USER, problems=(404,))
    doors.post("/api/frontier/add", frontier.add, ApiRole.ADMIN, problems=(404,))
    doors.post("/api/frontier/seed", frontier.seed, ApiRole.ADMIN, problems=(404,))
    doors.post("/api/frontier/recover", frontier.recover, ApiRole.ADMIN)
    doors.delete("/api/frontier", frontier.clear, ApiRole.ADMIN, problems=(404, 409), also=(202,))


class UrlsBody(BaseModel):
    model_config = ConfigDict(extra="forbid")

    job: Annotated[str, StringConstraints(min_length=1, max_length=255)]
    urls: Annotated[list[_Url], Field(min_length=1, max_length=1_000)]


class _Frontier:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger
        self._overview = opened.overview
        self._totals = LedgerTotals(opened.overview, opened.ledger.clock)

    async def stats(self, job: Name = None) -> FrontierStats:
        """How many URLs are in which state, and why others were not taken; of a job, or of all."""
        if job is None:
            counts = await self._totals.now()
        else:
            counts = await self._ledger.jobs.counts((await the_job(self._ledger, job)).id)
        return FrontierStats(
            known=counts.known,
            pending=counts.unfinished,
            deferred=counts.deferred,
            states={state: counts.of(state) for state in State},
            not_taken=dict(sorted(counts.rejected.items())),
        )

    async def urls(
        self,
        job: Name = None,
        host: Name = None,
        state: State | None = None,
        reason: Name = None,
        contains: Name = None,
        order: ListOrder = ListOrder.FOUND,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> ListPart[UrlRecord]:
        """Known URLs: in the order they were found, the newest first, or as they will be visited
        next. `reason` is how the last visit ended or what made it end so, in one word or as it is
        told; `contains` is looked for in the URL."""
        sieve = Sieve(job, host, state, reason, contains or "", order=order)
        wrong = unclear(sieve)
        if wrong is not None:
            raise Problem(422, f"{wrong.field}: {wrong.why}")
        await checked_job(self._ledger, job)
        found, place = await self._overview.urls(sieve, cursors.number(cursor), limit)
        return listed(found, place)

    async def add(self, given: UrlsBody, request: Request) -> UrlsAdded:
        """Add URLs to a job, by the same rules as links: they need not be linked from anywhere.
        Those that are known already stay as they are."""
        await guard_of(request).count_seeds(request)
        job = await the_job(self._ledger, given.job)
        return _added(job, await add_urls(self._ledger.job_context, job, given.urls))

    async def seed(self, given: UrlsBody, request: Request) -> UrlsAdded:
        """Add URLs to what a job starts from: they widen its scope, as its other seeds do."""
        await guard_of(request).count_seeds(request)
        job = await the_job(self._ledger, given.job)
        return _added(job, await seed_urls(self._ledger.job_context, job, given.urls))

    async def recover(self) -> Recovered:
        """Take back what processes held that are dead."""
        return Recovered(await self._ledger.frontier.reclaim())

    async def clear(self, job: JobOf, response: Response) -> ClearedFrontier:
        """Forget the URLs of a job that wait and were never visited: 202 says that some are left,
        and that the request is to be repeated. 409 while the job runs."""
        found = await the_job(self._ledger, job)
        done = await clear_frontier(self._ledger.job_context, found, seconds=_STEP_SECONDS)
        if isinstance(done, Refusal):
            raise Problem(409, f"Pause or stop the job first: {done.why}.")
        response.status_code = 200 if done.is_whole else 202
        return ClearedFrontier(found.name, done.urls, done.is_whole)


def _added(job: Job, done: UrlsOffered | JobInvalid) -> UrlsAdded:
    if isinstance(done, JobInvalid):
        raise Problem(422, f"{done.field}: {done.why}.")
    refused = [UrlRefused(url, reason) for url, reason in done.refused]
    return UrlsAdded(job.name, done.new, done.known, refused)
