"""What do we ask of the ledger for somebody who looks on? Totals, and lists a step at a time.

Nothing here reads more than so many rows, however large the ledger is: an answer may be short, and
say where to go on.
"""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from tenax.model import Host, State, UnderWay
from tenax.ports.records import Counts, JobProgress, PageRecord


class Sieve(Struct, frozen=True):
    """Which rows of a list: those that meet everything named here."""

    job: str | None = None
    host: str | None = None
    state: State | None = None
    """Of URLs."""


class UrlRecord(Struct, frozen=True):
    """A URL of a job, as a list shows it."""

    id: int
    job: str
    host: str
    url: str
    state: State
    priority: int
    depth: int
    due_at: float
    attempts: int
    reason: str


class HostSight(Struct, frozen=True):
    """A host with what can be told of it without counting its URLs."""

    host: Host
    known: int
    ready_at: float | None
    holders: int
    """Workers that have it in hand."""


class WorkerRecord(Struct, frozen=True):
    """A process that works on this ledger, or has until lately."""

    name: str
    pid: int
    started_at: float
    seen_at: float
    hosts: int
    """Hosts it has in hand."""
    under_way: UnderWay | None = None
    """Its visits, as it last told of them; None when it never did."""


class VisitRow(Struct, frozen=True):
    id: int
    at: float
    outcome: str
    status: int | None


class VisitSieve(Struct, frozen=True):
    """Which visits: those that meet everything named here."""

    job: str | None = None
    host: str | None = None
    outcome: str | None = None
    status: int | None = None


class SeenAttempt(Struct, frozen=True):
    """A visit, as a log shows it."""

    id: int
    at: float
    job: str
    host: str
    url: str
    outcome: str
    status: int | None
    ms: int | None
    bytes: int | None
    error: str


class DoneSums(Struct, frozen=True):
    """What was done in some time."""

    visits: int = 0
    pages: int = 0
    failures: int = 0
    bytes: int = 0


class Overview(Protocol):
    async def totals(self) -> Counts:
        """Of all jobs together."""

    async def lately(self) -> JobProgress:
        """What all running jobs did in the last minutes, without their queues."""

    async def urls(
        self, sieve: Sieve, after: int, limit: int
    ) -> tuple[list[UrlRecord], int | None]:
        """URLs behind this id, in the order they were found, and where to go on; None at the end.
        Of a rare kind a step may bring none although there are more."""

    async def pages(
        self, sieve: Sieve, after: int, limit: int
    ) -> tuple[list[PageRecord], int | None]:
        """The same of stored pages."""

    async def pages_at(self, url_hash: bytes, host: str | None) -> list[PageRecord] | None:
        """The pages of this URL, one for each job that has it; None when without the host's name
        there are too many to look at."""

    async def hosts(self, after: str, limit: int) -> list[HostSight]:
        """Hosts behind this name, by name."""

    async def host(self, name: str) -> HostSight | None: ...

    async def workers(self) -> list[WorkerRecord]: ...

    async def done_since(self, minute: int) -> DoneSums:
        """Of all jobs, from this minute on (of the epoch)."""

    async def done_by_step(self, job_id: int | None, since: int, step: int) -> dict[int, DoneSums]:
        """From this minute on, by steps of so many minutes: the number of the step (of the epoch),
        where anything was done in it."""

    async def latest_visits(
        self, sieve: VisitSieve, before: int | None, limit: int
    ) -> tuple[list[SeenAttempt], int | None]:
        """The newest first, those before this one, and where to go on; None at the end. Looks at a
        bounded number of them."""

    async def visits(self, after: int | None, limit: int) -> list[VisitRow]:
        """Visits behind this one, in order; the last one alone when none is named."""
