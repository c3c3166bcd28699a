"""What is asked for a program that reads pages in a loop? Each one at least once (REC-4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from tenax.ports.records import PageRecord


class PageConsumer(Struct, frozen=True):
    """Whoever is handed the pages of one job, under a name that stays the same."""

    id: int
    job_id: int
    name: str


class Handover(Struct, frozen=True):
    """A page on its way to a consumer; it is his again until he confirms it."""

    ticket: int
    """0 for one that was stored before he first came."""
    target_id: int
    page: PageRecord | None
    """None when it was deleted meanwhile."""


class Handovers(Protocol):
    async def consumer(self, job_id: int, name: str) -> PageConsumer:
        """The one of this name; from now on every page that is stored, or changed, is kept for
        him. At first he is handed all that are there."""

    async def next(self, consumer: PageConsumer, limit: int = 50) -> list[Handover]:
        """What is to be handed over next, unconfirmed ones included, in the order of storing."""

    async def confirm(self, consumer: PageConsumer, handed: Sequence[Handover]) -> None:
        """These have arrived. What has changed since it was handed over stays."""

    async def ahead(self, consumer: PageConsumer, most: int) -> int:
        """How many wait for him; `most` when it is more."""
