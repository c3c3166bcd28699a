"""What do we ask of the ledger about records of the user's own? Which there are, what they were
before, and how the handlers do that told them (REC-1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from msgspec import Struct

from tenax.model.record import Handled

RecordStatus = Literal["there", "gone"]


class RecordFilter(Struct, frozen=True):
    """Which records: those that meet everything named here."""

    name: str | None = None
    job: str | None = None
    host: str | None = None
    targets: tuple[int, ...] | None = None
    """Told of the pages of these targets."""
    handler: str | None = None
    key: str | None = None
    status: RecordStatus | None = None
    text: str = ""
    """In its fields."""
    changed_since: float | None = None


class StoredRecord(Struct, frozen=True):
    """A record of the user's own, and since when it is as it is."""

    id: int
    name: str
    key: str | None
    """What the user's code knows it by; null where its place on the page makes it the same."""
    data: dict[str, Any]
    url: str
    """Of the page that told it last."""
    job: str
    handler: str
    version: str
    """Of the handler, when it told this."""
    status: RecordStatus
    """Gone: its page was read again and told it no more, or is gone itself."""
    first_seen_at: float
    last_seen_at: float
    changed_at: float


class RecordState(Struct, frozen=True):
    """What a record was from this moment on."""

    at: float
    version: str
    data: dict[str, Any] | None
    """Null when it was gone."""


class HandlerRate(Struct, frozen=True):
    """How a handler did in a job, on one day."""

    job: str
    handler: str
    version: str
    day: int
    """Days since the epoch."""
    pages: int
    records: int
    failures: int


class HandlerFailure(Struct, frozen=True):
    """The last time that a handler failed in a job."""

    job: str
    handler: str
    version: str
    at: float
    url: str
    error: str
    """The traceback, or what was wrong."""


class HandledSighting(Struct, frozen=True):
    """What handlers made of the page of a target, read at this time."""

    target_id: int
    at: float
    handled: Handled
    digest: bytes = b""
    """Of the body that they read, where a visit may have replaced it meanwhile."""


class RecordChange(Struct, frozen=True):
    """What a visit changed of a record."""

    target_id: int
    record_id: int
    name: str
    key: str | None
    handler: str
    version: str
    at: float
    old: str | None
    """Its fields as JSON; None when it was not there."""
    new: str | None


class OwnRecords(Protocol):
    async def find(
        self, wanted: RecordFilter, after: int = 0, limit: int = 100
    ) -> list[StoredRecord]:
        """In the order in which they were found; behind the record of this id."""

    async def get(self, ids: Sequence[int]) -> list[StoredRecord]: ...

    async def versions(self, after: int, limit: int) -> list[tuple[int, str]]:
        """(id, version) of those that are there, behind this id, in order: another version whenever
        a search would tell something else."""

    async def versions_of(self, ids: Sequence[int]) -> list[tuple[int, str]]: ...

    async def count(self, wanted: RecordFilter) -> int: ...

    async def names(self, job: str | None = None) -> dict[str, int]:
        """How many there are of each name."""

    async def history(self, record_id: int) -> list[RecordState]:
        """What it was, first to last."""

    async def rates(self, since_day: int = 0, job: str | None = None) -> list[HandlerRate]:
        """By job, handler, version and day."""

    async def failures(self, job: str | None = None) -> list[HandlerFailure]:
        """The last one of each handler, by job."""

    async def note(self, seen: Sequence[HandledSighting]) -> int:
        """Note what handlers make of stored pages; how many records are new, other or gone by it.
        Left out are pages that a visit has replaced since."""
