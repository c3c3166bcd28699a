"""What do we ask of the ledger when stored pages are read again? Which they are, and to note what
they say now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from tenax.model import Page
from tenax.ports.records import PageRecord


class PageFilter(Struct, frozen=True):
    """Which stored pages: those that meet everything named here."""

    job: str | None = None
    host: str | None = None
    since: float | None = None
    """Fetched then or later."""


class Reread(Struct, frozen=True):
    """What a stored page says today. Its page is as a visit would have read it."""

    target_id: int
    page: Page
    is_rehashed: bool
    """Its SimHash is another one: what it is like has to be found out again."""


class Rereads(Protocol):
    async def last(self) -> int:
        """The newest target there is; 0 when there is none."""

    async def count(self, which: PageFilter) -> int: ...

    async def between(self, which: PageFilter, after: int, last: int) -> list[PageRecord]:
        """The pages of the targets behind `after`, up to and including `last`, in order."""

    async def deadly(self, after: int, last: int) -> frozenset[int]:
        """Those of these targets that somebody who read them has died of."""

    async def versions(self, after: int, limit: int) -> list[tuple[int, str]]:
        """(target, version) of stored pages behind this target, in order: another version whenever
        the page, or the product it offers, is another one."""

    async def versions_of(self, ids: Sequence[int]) -> list[tuple[int, str]]:
        """The same of these, as far as they are stored."""

    async def rewrite(self, rereads: Sequence[Reread]) -> int:
        """Note what these say now, in one transaction; how many were noted. Left out are those
        that a visit has replaced, or dropped, since they were read."""
