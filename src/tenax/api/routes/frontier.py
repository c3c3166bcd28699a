"""`/api/frontier`: which URLs are known, and where they stand."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from tenax.api import cursors
from tenax.api.guard import Doors, guard_of
from tenax.api.listing import Cursor, Limit, Name, checked_job, listed, the_job
from tenax.compose.api import Opened
from tenax.model import Candidate, Rejected, State, Target
from tenax.ops.jobs.create import whole_urls
from tenax.ops.plain import plain
from tenax.ports.accounts import ApiRole
from tenax.ports.overview import Sieve

_Url = Annotated[str, StringConstraints(min_length=1, max_length=4_096, pattern=r"^[^\x00]*$")]


def add(doors: Doors, opened: Opened) -> None:
    frontier = _Frontier(opened)
    doors.get("/api/frontier/stats", frontier.stats, ApiRole.USER)
    doors.get("/api/frontier/urls", frontier.urls, ApiRole.USER)
    doors.post("/api/frontier/add", frontier.add, ApiRole.ADMIN)
    doors.post("/api/frontier/recover", frontier.recover, ApiRole.ADMIN)


class UrlsBody(BaseModel):
    model_config = ConfigDict(extra="forbid")

    job: Annotated[str, StringConstraints(min_length=1, max_length=255)]
    urls: Annotated[list[_Url], Field(min_length=1, max_length=1_000)]


class _Frontier:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger
        self._overview = opened.overview

    async def stats(self, job: Name = None) -> dict[str, Any]:
        """How many URLs are in which state, and why others were not taken; of a job, or of all."""
        if job is None:
            counts = await self._overview.totals()
        else:
            counts = await self._ledger.jobs.counts((await the_job(self._ledger, job)).id)
        return {
            "known": counts.known,
            "pending": counts.unfinished,
            "deferred": counts.deferred,
            "states": {state.value: counts.of(state) for state in State},
            "not_taken": {reason.value: n for reason, n in sorted(counts.rejected.items())},
        }

    async def urls(
        self,
        job: Name = None,
        host: Name = None,
        state: State | None = None,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """Known URLs, in the order they were found."""
        sieve = Sieve(await checked_job(self._ledger, job), host, state)
        found, place = await self._overview.urls(sieve, cursors.number(cursor), limit)
        return listed((plain(each) for each in found), place)

    async def add(self, given: UrlsBody, request: Request) -> dict[str, Any]:
        """Add URLs to a job, by the same rules as links: they need not be linked from anywhere.
        Those that are known already stay as they are."""
        await guard_of(request).count_seeds(request)
        job = await the_job(self._ledger, given.job)
        admission = self._ledger.admission(job)
        asked = (Candidate(url, depth=1) for url in whole_urls(given.urls))
        decided = admission.decide_each(asked)
        taken = [each for each in decided if isinstance(each, Target)]
        added = await self._ledger.frontier.add(job.id, taken)
        refused = [(each.url, each.reason) for each in decided if isinstance(each, Rejected)]
        refused += added.over_limit
        return {
            "job": job.name,
            "new": added.new,
            "known": added.known,
            "refused": [{"url": url, "reason": reason.value} for url, reason in refused],
        }

    async def recover(self) -> dict[str, Any]:
        """Take back what processes held that are dead."""
        return {"recovered": await self._ledger.frontier.reclaim()}
