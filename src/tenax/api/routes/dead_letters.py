"""`/api/dead-letters`: what was given up, and how it is tried again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from tenax.api import cursors
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, Limit, Name, checked_job, listed, no_such_job
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.model import Fault
from tenax.ops.jobs.dead_letters import (
    LetterBooks,
    LetterChoice,
    LetterMistake,
    LettersDone,
    LettersMeant,
    NoSuchFault,
    NoSuchJob,
    SaysNotWhich,
    letters_meant,
    purge_letters,
    return_letters,
)
from tenax.ops.plain import plain
from tenax.ports import Letters
from tenax.ports.accounts import ApiRole

Text = Annotated[str, StringConstraints(max_length=255, pattern=r"^[^\x00]*$")]
_LetterAct = Callable[[LetterBooks, LetterChoice], Awaitable[LettersDone | LetterMistake]]
Id = Annotated[int, Field(ge=1, le=2**63 - 1)]


class Which(BaseModel):
    """Those that meet everything named here; `all` for really all."""

    model_config = ConfigDict(extra="forbid")

    ids: Annotated[list[Id], Field(max_length=1_000)] | None = None
    """`target_id` of the letters."""
    job: Text | None = None
    host: Text | None = None
    fault: Fault | None = None
    contains: Text = ""
    """In their URL."""
    all: bool = False
    dry_run: bool = False
    """Only count them."""


def add(doors: Doors, opened: Opened) -> None:
    dead = _Dead(opened)
    doors.get("/api/dead-letters", dead.list, ApiRole.USER)
    doors.get("/api/dead-letters/counts", dead.counts, ApiRole.USER)
    doors.post("/api/dead-letters/return", dead.give_back, ApiRole.ADMIN)
    doors.post("/api/dead-letters/purge", dead.purge, ApiRole.ADMIN)


class _Dead:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger

    async def list(
        self,
        job: Name = None,
        host: Name = None,
        fault: Fault | None = None,
        contains: Name = None,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """Dead letters, the latest first."""
        which = Letters(await checked_job(self._ledger, job), host, fault, contains or "")
        found = await self._ledger.dead.find(which, cursors.moment(cursor), limit)
        place = (found[-1].at, found[-1].target_id) if len(found) == limit else None
        return listed((plain(letter) for letter in found), place)

    async def counts(
        self, job: Name = None, host: Name = None, contains: Name = None
    ) -> dict[str, Any]:
        """How many of each fault, the commonest first."""
        which = Letters(await checked_job(self._ledger, job), host, None, contains or "")
        faults = await self._ledger.dead.counts(which)
        return {"total": sum(faults.values()), "faults": faults}

    async def give_back(self, which: Which) -> dict[str, Any]:
        """Have their URLs tried again, with all attempts. A job that was done is stopped then."""
        return await self._do(which, return_letters, "returned")

    async def purge(self, which: Which) -> dict[str, Any]:
        """Forget them; their URLs stay failed."""
        return await self._do(which, purge_letters, "purged")

    async def _do(self, which: Which, act: _LetterAct, did: str) -> dict[str, Any]:
        choice = LetterChoice(
            ids=None if which.ids is None else tuple(which.ids),
            job=which.job,
            host=which.host,
            fault=which.fault,
            contains=which.contains,
            all=which.all,
        )
        ledger = self._ledger
        books = LetterBooks(ledger.jobs, ledger.pages, ledger.dead)
        answer = await (letters_meant(books, choice) if which.dry_run else act(books, choice))
        match answer:
            case LettersMeant() as meant:
                faults = await ledger.dead.counts(meant.which)
                return {"would_be": did, "total": sum(faults.values()), "faults": faults}
            case LettersDone() as done:
                return done.json(did)
            case SaysNotWhich():
                raise Problem(422, "Which ones? Name ids, job, host or fault; or say all.")
            case NoSuchJob():
                raise no_such_job()
            case NoSuchFault():
                raise Problem(422, "There is no fault of this name.")
