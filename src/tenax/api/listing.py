"""The pagination that all lists of the API share: how long they are, and where they go on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import Query

from tenax.api import cursors
from tenax.api.problems import Problem
from tenax.compose import Ledger
from tenax.model import Job

MOST = 500
Limit = Annotated[int, Query(ge=1, le=MOST, description="Items in one answer, at most.")]
Cursor = Annotated[str | None, Query(max_length=1_000, description="`next` of the answer before.")]
Name = Annotated[str | None, Query(max_length=255)]


def listed(items: Iterable[Any], place: int | str | tuple[float, int] | None) -> dict[str, Any]:
    """`next` is null at the end. An answer may be short, or empty, although there is more."""
    return {"items": list(items), "next": None if place is None else cursors.encode(place)}


async def the_job(ledger: Ledger, name: str) -> Job:
    """The job of this name, or the problem that there is none."""
    job = await ledger.jobs.get(name)
    if job is None:
        raise no_such_job()
    return job


def no_such_job() -> Problem:
    return Problem(404, "There is no job of this name. GET /api/jobs lists them.")


async def checked_job(ledger: Ledger, name: str | None) -> str | None:
    """The same for a filter."""
    return None if name is None else (await the_job(ledger, name)).name
