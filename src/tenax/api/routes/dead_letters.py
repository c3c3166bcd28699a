"""`/api/dead-letters`: what was given up, and how it is tried again."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from tenax.api import cursors
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, Limit, Name, checked_job, listed
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.model import Fault
from tenax.ops.plain import plain
from tenax.ports import Letters
from tenax.ports.api_keys import ApiRole

Text = Annotated[str, StringConstraints(max_length=255, pattern=r"^[^\x00]*$")]
Id = Annotated[int, Field(ge=1, le=2**63 - 1)]


class Which(BaseModel):
    """Those that meet everything named here; `all` for really all."""

    model_config = ConfigDict(extra="forbid")

    ids: Annotated[list[Id], Field(max_length=1_000)] | None = None
    """`target_id` of the letters."""
    job: Text | None = None
    host: Text | None = None
    fault: Fault | None = None
    all: bool = False


def add(doors: Doors, opened: Opened) -> None:
    dead = _Dead(opened)
    doors.get("/api/dead-letters", dead.list, ApiRole.USER)
    doors.post("/api/dead-letters/return", dead.give_back, ApiRole.ADMIN)


class _Dead:
    def __init__(self, opened: Opened) -> None:
        self._app = opened.app

    async def list(
        self,
        job: Name = None,
        host: Name = None,
        fault: Fault | None = None,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> dict[str, Any]:
        """Dead letters, the latest first."""
        which = Letters(await checked_job(self._app, job), host, fault)
        found = await self._app.dead.find(which, cursors.moment(cursor), limit)
        place = (found[-1].at, found[-1].target_id) if len(found) == limit else None
        return listed((plain(letter) for letter in found), place)

    async def give_back(self, which: Which) -> dict[str, Any]:
        """Have their URLs tried again, with all attempts. A job that was done is stopped then."""
        named = (which.ids, which.job, which.host, which.fault)
        if not which.all and all(each is None for each in named):
            raise Problem(422, "Which ones? Name ids, job, host or fault; or say all.")
        ids = None if which.ids is None else tuple(which.ids)
        job = await checked_job(self._app, which.job)
        returned = await self._app.dead.give_back(Letters(job, which.host, which.fault, ids=ids))
        return {"returned": sum(returned.values()), "jobs": returned}
