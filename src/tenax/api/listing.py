"""The pagination that all lists of the API share: how long they are, and where they go on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Generic, TypeVar

from fastapi import Query
from msgspec import Struct

from tenax.api import cursors
from tenax.api.problems import Problem
from tenax.compose import Ledger
from tenax.model import Job

T = TypeVar("T")
MOST = 500
Limit = Annotated[int, Query(ge=1, le=MOST, description="Items in one answer, at most.")]
Cursor = Annotated[str | None, Query(max_length=1_000, description="`next` of the answer before.")]
Name = Annotated[str | None, Query(max_length=255, pattern=r"^[^\x00]*$")]


class ListPart(Struct, Generic[T], frozen=True):
    """A part of a list. It may be short, or empty, although there is more."""

    items: list[T]
    next: str | None = None
    """To be passed on as `cursor`; null at the end."""


class Removed(Struct, frozen=True):
    """What is not there any more."""

    name: str
    removed: bool = True


def listed(items: Iterable[T], place: int | str | tuple[float, int] | None = None) -> ListPart[T]:
    return ListPart(list(items), None if place is None else cursors.encode(place))


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
