"""`/api/dead-letters`: what was given up, and how it is tried again."""

from __future__ import annotations

from typing import Annotated, TypeVar

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from tenax.api import cursors
from tenax.api.bounds import STRICT, WHOLE
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, Limit, ListPart, Name, checked_job, listed, no_such_job
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.model import Fault
from tenax.ops.jobs.dead_letters import (
    LetterBooks,
    LetterChoice,
    LetterMistake,
    LettersCounted,
    LettersDone,
    LettersPurged,
    LettersReturned,
    NoSuchFault,
    NoSuchJob,
    SaysNotWhich,
    count_letters,
    purge_letters,
    return_letters,
)
from tenax.ports import DeadLetter, Letters
from tenax.ports.accounts import ApiRole

T = TypeVar("T", LettersDone, LettersCounted)
Text = Annotated[str, StringConstraints(max_length=255, pattern=r"^[^\x00]*$")]
Id = Annotated[int, Field(ge=1, le=2**63 - 1), WHOLE]


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
    all: Annotated[bool, STRICT] = False
    dry_run: Annotated[bool, STRICT] = False
    """Only count them."""


class FaultCounts(Struct, frozen=True):
    total: int
    faults: dict[str, int]
    """How many of each, the commonest first."""


def add(doors: Doors, opened: Opened) -> None:
    dead = _Dead(opened)
    doors.get("/api/dead-letters", dead.list, ApiRole.USER, problems=(404,))
    doors.get("/api/dead-letters/counts", dead.counts, ApiRole.USER, problems=(404,))
    doors.post("/api/dead-letters/return", dead.give_back, ApiRole.ADMIN, problems=(404,))
    doors.post("/api/dead-letters/purge", dead.purge, ApiRole.ADMIN, problems=(404,))


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
    ) -> ListPart[DeadLetter]:
        """Dead letters, the latest first."""
        which = Letters(await checked_job(self._ledger, job), host, fault, contains or "")
        found = await self._ledger.dead.find(which, cursors.moment(cursor), limit)
        place = (found[-1].at, found[-1].target_id) if len(found) == limit else None
        return listed(found, place)

    async def counts(
        self, job: Name = None, host: Name = None, contains: Name = None
    ) -> FaultCounts:
        """How many of each fault, the commonest first."""
        which = Letters(await checked_job(self._ledger, job), host, None, contains or "")
        faults = await self._ledger.dead.counts(which)
        return FaultCounts(sum(faults.values()), faults)

    async def give_back(self, which: Which) -> LettersReturned:
        """Have their URLs tried again, with all attempts. A job that was done is stopped then."""
        if which.dry_run:
            meant = _done(await count_letters(self._books, _choice(which)))
            return LettersReturned(returned=meant.total, **meant.told())
        done = _done(await return_letters(self._books, _choice(which)))
        return LettersReturned(returned=done.total, **done.told())

    async def purge(self, which: Which) -> LettersPurged:
        """Forget them; their URLs stay failed."""
        if which.dry_run:
            meant = _done(await count_letters(self._books, _choice(which)))
            return LettersPurged(purged=meant.total, **meant.told())
        done = _done(await purge_letters(self._books, _choice(which)))
        return LettersPurged(purged=done.total, **done.told())

    @property
    def _books(self) -> LetterBooks:
        return LetterBooks(self._ledger.jobs, self._ledger.pages, self._ledger.dead)


def _choice(which: Which) -> LetterChoice:
    return LetterChoice(
        ids=None if which.ids is None else tuple(which.ids),
        job=which.job,
        host=which.host,
        fault=which.fault,
        contains=which.contains,
        all=which.all,
    )


def _done(answer: T | LetterMistake) -> T:
    match answer:
        case SaysNotWhich():
            raise Problem(422, "Which ones? Name ids, job, host or fault; or say all.")
        case NoSuchJob():
            raise no_such_job()
        case NoSuchFault():
            raise Problem(422, "There is no fault of this name.")
        case _:
            return answer
