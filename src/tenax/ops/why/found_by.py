"""By which way did a URL come to be known? From itself back to the seed, link by link."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from tenax.model import Job
from tenax.ops.why.lookup import targets_of
from tenax.ports import Pages
from tenax.ports.overview import FoundStep, Overview

MOST = 200
_MOST_JOBS = 50


class FoundWay(Struct, frozen=True):
    job: str
    steps: tuple[FoundStep, ...]
    """The URL first, what it was found on next, and so on; the last one was there from the start,
    unless there is more than is told."""


async def ways_to(
    text: str, jobs: Iterable[Job], pages: Pages, overview: Overview
) -> list[FoundWay]:
    """The way to it in each of these jobs that knows it."""
    targets = await targets_of(text, jobs, pages)
    return [
        FoundWay(target.job, tuple(await overview.way_to(target.id, MOST)))
        for target in targets[:_MOST_JOBS]
    ]
