"""`GET /api/why?url=`: the whole story of a URL, known or not."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request

from tenax.api.callers import caller_of
from tenax.api.guard import Doors
from tenax.api.listing import ListPart, Name, checked_job, listed, the_job
from tenax.compose.api import Opened
from tenax.compose.why import books_of, house_of
from tenax.model import FORM, Sends
from tenax.ops.why.found_by import FoundWay, ways_to
from tenax.ops.why.story import Story, tell
from tenax.ports.accounts import ApiRole

SentText = Annotated[str, Query(max_length=65_536, pattern=r"^[^\x00]*$")]
SentType = Annotated[str, Query(min_length=1, max_length=255, pattern=r"^[ -~]*$")]
AskedUrl = Annotated[str, Query(min_length=1, max_length=8_192)]


def add(doors: Doors, opened: Opened) -> None:
    why = _Why(opened)
    doors.get("/api/why", why.get, ApiRole.USER, problems=(404,))
    doors.get("/api/why/path", why.path, ApiRole.USER, problems=(404,))


class _Why:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger
        self._overview = opened.overview

    async def get(
        self,
        request: Request,
        url: AskedUrl,
        job: Name = None,
        post: SentText | None = None,
        content_type: SentType = FORM,
    ) -> Story:
        """Where it stands, why, and what happens next; of a URL never seen, what would happen. With
        `post`, of what it answers to that, sent there."""
        ledger = self._ledger
        books = books_of(ledger)
        name = await checked_job(ledger, job)
        house = house_of(ledger.settings, ledger.sites)
        alone = caller_of(request).jobs is not None
        sends = None if post is None else Sends(post, content_type)
        return await tell(url, books, house, ledger.clock.now(), name, sends, alone=alone)

    async def path(self, url: AskedUrl, job: Name = None) -> ListPart[FoundWay]:
        """By which URLs it came to be known, in each job that knows it: the URL itself first, what
        it was found on next, a seed last. Empty where nobody knows it."""
        ledger = self._ledger
        jobs = await ledger.jobs.all() if job is None else [await the_job(ledger, job)]
        return listed(await ways_to(url, jobs, ledger.pages, self._overview))
