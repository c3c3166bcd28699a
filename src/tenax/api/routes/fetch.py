"""`POST /api/fetch`: one URL now, by the rules of all visits."""

from __future__ import annotations

import asyncio
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from tenax.api.guard import ACT_SECONDS, Doors
from tenax.api.problems import Problem
from tenax.api.routes.jobs import SentText, SentType
from tenax.compose import require_contact
from tenax.compose.api import Opened
from tenax.model import FORM, Sends
from tenax.ops.fetch.answer import FetchAnswer, fetch_answer
from tenax.ops.fetch.fetch_now import FetchOrder, fetch_now
from tenax.ops.jobs.create import JobInvalid
from tenax.ports.accounts import ApiRole
from tenax.settings import SettingsError

_LONGEST_WAIT = 30.0
_LONGEST_FETCH = ACT_SECONDS - 5.0


class FetchBody(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    url: Annotated[str, StringConstraints(min_length=1, max_length=4_096, pattern=r"^[^\x00]*$")]
    job: Annotated[str, StringConstraints(min_length=1, max_length=255)] | None = None
    post: SentText | None = None
    """What is sent there, by POST."""
    content_type: SentType = FORM
    dry: bool = False
    wait: Annotated[float, Field(ge=0, le=_LONGEST_WAIT)] = 20.0


def add(doors: Doors, opened: Opened) -> None:
    doors.post("/api/fetch", _Fetch(opened).post, ApiRole.ADMIN, problems=(504,))


class _Fetch:
    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    async def post(self, wanted: FetchBody) -> FetchAnswer:
        """Visit one URL now, with all that a crawl heeds, and tell what became of it: `outcome` is
        how it ended, `page` what was read. It is stored, unless `dry` is true. `wait` is for how
        many seconds it waits for its turn at the host. With `post` that is sent there."""
        crawler = self._opened.crawler
        if crawler is None:
            told = "This server asks nobody: it was started with --no-workers."
            raise Problem(503, told)
        try:
            require_contact(crawler.ledger.settings, [wanted.url])
        except SettingsError as error:
            raise Problem(409, str(error)) from error
        sends = None if wanted.post is None else Sends(wanted.post, wanted.content_type)
        order = FetchOrder(wanted.url, wanted.job, wanted.dry, wanted.wait, sends)
        try:
            async with asyncio.timeout(_LONGEST_FETCH):
                fetched = await fetch_now(crawler.fetch_context, order)
        except TimeoutError as error:
            told = "The site takes too long for one request. It is tried again by a crawl of it."
            raise Problem(504, told) from error
        if isinstance(fetched, JobInvalid):
            raise Problem(422, f"{fetched.field}: {fetched.why}.")
        # Minutes of work for a page of many megabytes: others go on meanwhile.
        return await asyncio.to_thread(fetch_answer, fetched)
