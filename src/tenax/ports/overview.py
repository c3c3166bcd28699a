"""What do we ask of the ledger for somebody who looks on? Totals, and lists a step at a time.

Nothing here reads more than so many rows, however large the ledger is: an answer may be short, and
say where to go on.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from tenax.model import Host, Job, JobState, Reason, State, UnderWay
from tenax.ports.frontier import ShapeCounts
from tenax.ports.handled import RecordFilter, StoredRecord
from tenax.ports.products import ProductFilter, ProductRecord
from tenax.ports.records import Counts, JobProgress, PageRecord, ShapeRecord


class ListOrder(StrEnum):
    FOUND = "found"
    """As they came to be known."""
    NEWEST = "newest"
    """Of URLs those found last first; of pages those fetched last."""
    NEXT = "next"
    """Of URLs that wait: as they will be visited."""


class Sieve(Struct, frozen=True):
    """Which rows of a list: those that meet everything named here."""

    job: str | None = None
    host: str | None = None
    state: State | None = None
    """Of URLs."""
    reason: str | None = None
    """Of URLs: how its last visit ended, or what made it end so, in one word or as it is told."""
    contains: str = ""
    """In the URL; of pages in the title, too."""
    duplicates: bool | None = None
    """Of pages: near-duplicates only, or none of them."""
    order: ListOrder = ListOrder.FOUND


class UrlRecord(Struct, frozen=True):
    """A URL of a job, as a list shows it."""

    id: int
    job: str
    host: str
    url: str
    state: State
    priority: int
    depth: int
    due_at: float | None
    """When what waits may be visited; None for at any time, and for what no time brings."""
    attempts: int
    reason: str = ""
    outcome: str | None = None
    cause: str = ""
    found_at: float | None = None
    """None where it was found before that was noted."""
    next_crawl_at: float | None = None
    """When what is finished is to be visited again; None when that is not planned."""


class JobSieve(Struct, frozen=True):
    """Which jobs: those that meet everything named here."""

    state: JobState | None = None
    contains: str = ""


class HostSort(StrEnum):
    NAME = "name"
    KNOWN = "known"
    """Those with the most URLs first."""
    PAGES = "pages"


class HostSieve(Struct, frozen=True):
    """Which hosts: those that meet everything named here."""

    contains: str = ""
    troubled: bool = False
    """Only those of which there is more to tell than that they answer, or were not asked yet."""


class TooMany(Struct, frozen=True):
    """More than are put in order for one answer."""

    most: int


class JobShape(Struct, frozen=True):
    """What visits of URLs of one kind brought a job at one host (URL-6)."""

    host: str
    shape: str
    visits: int
    fruitless: int


class SampledUrl(Struct, frozen=True):
    """A URL to show for its like."""

    url: str
    shape: str
    why: str = ""
    """Why it was deferred."""
    deferred: bool = False


class ShapesAt(Struct, frozen=True):
    """What a job has counted at a host, by the shape of URLs, and URLs to show for them."""

    job: str
    counts: dict[str, ShapeCounts]
    urls: tuple[SampledUrl, ...]
    """Those that are deferred first; some of them, and some of all."""


class HeldHost(Struct, frozen=True):
    """A host that a worker has in hand."""

    host: str
    lease_ends_at: float
    slots: int


class HostSight(Struct, frozen=True):
    """A host with what can be told of it without counting its URLs."""

    host: Host
    known: int
    ready_at: float | None
    """When it can be asked; None where nothing waits that time alone brings."""
    holders: int
    """Workers that have it in hand."""
    pages: int = 0
    """Stored, in all jobs."""
    waiting: int = 0
    """URLs that wait there; so many at least, where it is 1,000."""


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
    machine: str = ""
    role: str = ""
    """What it is there for: crawl, worker, scheduler, serve."""
    version: str = ""
    held: tuple[HeldHost, ...] = ()
    """Some of the hosts it has in hand: those whose leases end last first."""


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
    error: str = ""
    title: str = ""
    """Of the page that is stored for its URL."""


class DoneSums(Struct, frozen=True):
    """What was done in some time."""

    visits: int = 0
    pages: int = 0
    failures: int = 0
    bytes: int = 0
    s2: int = 0
    """Answers by the first digit of their status."""
    s3: int = 0
    s4: int = 0
    s5: int = 0


class ConservedSums(Struct, frozen=True):
    """What has to be the same: URLs by the totals of jobs, and by those of hosts."""

    by_states: int
    by_hosts: int


class FoundStep(Struct, frozen=True):
    """A URL on the way by which another came to be known."""

    url: str
    depth: int
    state: State
    outcome: str | None
    found_at: float | None


class Overview(Protocol):
    async def totals(self) -> Counts:
        """Of all jobs together."""

    async def lately(self) -> JobProgress:
        """What all running jobs did in the last minutes, without their queues."""

    async def running_totals(self) -> tuple[frozenset[int], Counts]:
        """The ids of the running jobs, and their totals together."""

    async def resting_totals(self, running: frozenset[int]) -> Counts:
        """Of all jobs but these, together."""

    async def job_states(self) -> dict[JobState, int]:
        """How many jobs are in which state."""

    async def jobs(self, sieve: JobSieve, after: int, limit: int) -> tuple[list[Job], int | None]:
        """Jobs behind this id, in the order they were created, and where to go on."""

    async def urls(
        self, sieve: Sieve, after: int, limit: int
    ) -> tuple[list[UrlRecord], int | None]:
        """URLs behind this place, in the order that is asked for, and where to go on; None at the
        end. What is in a rare state comes at once; of other rare kinds a step may bring none
        although there are more. What comes next is told of one job or one host."""

    async def pages(
        self, sieve: Sieve, after: int, limit: int
    ) -> tuple[list[PageRecord], int | None]:
        """The same of stored pages."""

    async def pages_at(self, url_hash: bytes, host: str | None) -> list[PageRecord] | None:
        """The pages of this URL, one for each job that has it; None when without the host's name
        there are too many to look at."""

    async def products(
        self, wanted: ProductFilter, after: int, limit: int
    ) -> tuple[list[ProductRecord], int | None]:
        """Products behind this id, in the order in which they were found, and where to go on."""

    async def records(
        self, wanted: RecordFilter, after: int, limit: int
    ) -> tuple[list[StoredRecord], int | None]:
        """The same of records of the user's own."""

    async def hosts(
        self, sieve: HostSieve, after: str, limit: int
    ) -> tuple[list[HostSight], str | None]:
        """Hosts behind this name, by name, and where to go on; None at the end."""

    async def largest_hosts(
        self, sieve: HostSieve, by: HostSort, skip: int, limit: int
    ) -> list[HostSight] | TooMany:
        """Hosts by how much is known or stored of them, without so many of the first."""

    async def host(self, name: str) -> HostSight | None: ...

    async def workers(self, held: int = 0) -> list[WorkerRecord]:
        """With so many of the hosts that each has in hand."""

    async def conserved(self) -> ConservedSums: ...

    async def way_to(self, target_id: int, most: int) -> list[FoundStep]:
        """By which URLs this one came to be known: itself first, a seed last."""

    async def rejected(
        self, job_id: int, reason: Reason, before: int | None, limit: int
    ) -> list[tuple[int, str, float]]:
        """Some of what the job has refused for this reason: (id, URL, when), the latest first."""

    async def shapes(self, job_id: int, limit: int) -> list[JobShape]:
        """The kinds of URLs of a job with the most visits, of so many that are looked at."""

    async def fruitless(self, host: str, limit: int = 5) -> list[ShapeRecord]:
        """The kinds of a host's URLs with the most visits that brought nothing new."""

    async def shapes_at(self, host_id: int, job_id: int | None) -> tuple[list[ShapesAt], bool]:
        """What jobs have counted at a host, or one of them, the latest job first; and whether that
        is all. It looks at a bounded number of shapes and URLs."""

    async def done_since(self, minute: int) -> DoneSums:
        """Of all jobs, from this minute on (of the epoch)."""

    async def done_by_step(self, job_id: int | None, since: int, step: int) -> dict[int, DoneSums]:
        """From this minute on, by steps of so many minutes: the number of the step (of the epoch),
        where anything was done in it."""

    async def done_by_hours(self, job_id: int | None, since: int, step: int) -> dict[int, DoneSums]:
        """The same by hours, which are kept for years."""

    async def latest_visits(
        self, sieve: VisitSieve, before: int | None, limit: int
    ) -> tuple[list[SeenAttempt], int | None]:
        """The newest first, those before this one, and where to go on; None at the end. Looks at a
        bounded number of them."""

    async def visits(self, after: int | None, limit: int) -> list[VisitRow]:
        """Visits behind this one, in order; the last one alone when none is named."""
