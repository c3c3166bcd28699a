"""What is asked of a ledger that is to stay small?"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from msgspec import Struct, field

from tenax.ports.records import PageRecord


class Cutoffs(Struct, frozen=True):
    """What is older than these moments is not kept."""

    attempts: float
    bodies: float
    pages: float
    failed: float
    done: float
    sessions: float
    stats: float


class FailedRecord(Struct, frozen=True):
    """A target that ended badly, as it is archived."""

    target_id: int
    job: str
    url: str
    state: str
    outcome: str
    cause: str
    reason: str
    attempts: int
    job_ended_at: float


class Expired(Struct, frozen=True):
    """What one look found too old."""

    kinds: dict[str, int] = field(default_factory=dict)
    """How many of each: attempts, bodies, pages, failed, done."""
    ids: tuple[int, ...] = ()
    pages: tuple[PageRecord, ...] = ()
    failures: tuple[FailedRecord, ...] = ()
    after: int | None = None
    """Where the next look goes on; None when all was looked at."""


class Retention(Protocol):
    """What of the ledger is too old, a bounded look at a time."""

    async def look(self, table: str, cutoffs: Cutoffs, after: int) -> Expired:
        """At the next rows of `attempts`, `pages` (whose bodies are let go) or `targets`."""

    async def remove(self, table: str, cutoffs: Cutoffs, ids: Sequence[int]) -> dict[str, int]:
        """Those of them that are still too old; how many of each kind."""

    async def trim(self, cutoffs: Cutoffs) -> dict[str, int]:
        """Sessions that are over; minutes of statistics."""

    def references(self) -> AsyncIterator[list[bytes]]:
        """The SHA-256 of every body that a page or a picture refers to, in batches."""

    async def page_count(self) -> int: ...


class Upkeep(Protocol):
    """Who cleans up: one process at a time, and not more often than it has to be."""

    async def take(self, name: str, holder: str, seconds: float, every: float = 0.0) -> bool:
        """Whether it is ours now for so long; not where it was done less than `every` ago."""

    async def is_held(self, name: str) -> bool: ...

    async def give_back(self, name: str, holder: str, *, done: bool) -> None: ...


class StoredTable(Struct, frozen=True):
    name: str
    rows: int
    size: int
    """Bytes with its indexes; 0 where the database cannot tell."""


class StorageSample(Struct, frozen=True):
    """How large everything was on a day."""

    at: float
    tables: tuple[StoredTable, ...]
    bodies: int = 0
    body_bytes: int = 0


class StorageBook(Protocol):
    async def tables(self) -> list[StoredTable]: ...

    async def samples(self) -> list[StorageSample]:
        """Of other days, the oldest first."""

    async def keep(self, sample: StorageSample) -> None:
        """One a day: a later one of the same day takes its place."""
