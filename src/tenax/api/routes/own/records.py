"""`/api/records`: what handlers of the user's own told, what it was before, and how they do."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

from tenax.api import cursors
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, Limit, ListPart, Name, checked_job, listed
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.ops.records.facts import HandlerStanding, RecordStory, record_story, standings
from tenax.ops.records.wanted import RecordQuestion, UnclearQuestion, record_filter
from tenax.ports.accounts import ApiRole
from tenax.ports.handled import StoredRecord

RecordUrl = Annotated[str | None, Query(max_length=8_192, description="Of the page.")]
RecordKey = Annotated[str | None, Query(max_length=500)]
RecordId = Annotated[int, Path(ge=1, le=2**63 - 1)]
RateDays = Annotated[int, Query(ge=1, le=366)]
Changed = Annotated[
    str | None, Query(max_length=40, description="A date (ISO 8601), or how long ago: 12h.")
]


def add(doors: Doors, opened: Opened) -> None:
    records = _Records(opened)
    doors.get("/api/records", records.list, ApiRole.USER, problems=(404,))
    doors.get("/api/records/rates", records.rates, ApiRole.USER, problems=(404,))
    doors.get("/api/records/{record_id}", records.get, ApiRole.USER, problems=(404,))


class _Records:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger

    async def list(
        self,
        name: Name = None,
        job: Name = None,
        host: Name = None,
        url: RecordUrl = None,
        handler: Name = None,
        key: RecordKey = None,
        status: Name = None,
        changed_since: Changed = None,
        q: Name = None,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> ListPart[StoredRecord]:
        """Records that meet all of this, in the order in which they were found. `q` is looked for
        in their fields; `url` is of the page that told them."""
        asked = RecordQuestion(
            name=name, job=await checked_job(self._ledger, job), host=host, url=url,
            handler=handler, key=key, status=status, text=q or "", changed_since=changed_since,
        )  # fmt: skip
        ledger = self._ledger
        jobs = await ledger.jobs.all() if url is not None else []
        try:
            wanted = await record_filter(asked, jobs, ledger.pages, ledger.clock.now())
        except UnclearQuestion as error:
            raise Problem(422, f"{error.field}: {error}") from error
        return listed(*await ledger.overview.records(wanted, cursors.number(cursor), limit))

    async def rates(self, job: Name = None, days: RateDays = 7) -> ListPart[HandlerStanding]:
        """How each handler did lately: pages, records, failures, and how it failed last."""
        name = await checked_job(self._ledger, job)
        today = int(self._ledger.clock.now() // 86_400)
        return listed(await standings(self._ledger.records, name, today - days + 1))

    async def get(self, record_id: RecordId) -> RecordStory:
        """A record, and all it was, first to last."""
        found = await self._ledger.records.get([record_id])
        if not found:
            raise Problem(404, "No record of this number is stored. GET /api/records lists them.")
        return await record_story(self._ledger.records, found[0])
