"""What do we ask of the frontier? What to fetch next, and to be told what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct, field

from tenax.model import (
    Assignment,
    Host,
    HostRules,
    Job,
    JobSpec,
    JobState,
    LeasedTarget,
    Reason,
    Target,
    UnderWay,
)
from tenax.outcome import Settlement
from tenax.ports.queue import Ticket


class Added(Struct, frozen=True):
    """What became of proposed targets: new in the ledger, there already, or over a limit."""

    new: int = 0
    known: int = 0
    over_limit: tuple[tuple[str, Reason], ...] = ()
    """What a limit of the job left out: the URL, and which limit."""
    again: int = 0
    """Known, and to be visited again because they were pushed."""


class JobAdded(Struct, frozen=True):
    """A job as it was written, and what became of the targets written with it."""

    job: Job
    added: Added


class Refill(Struct, frozen=True):
    """More targets for a held assignment, and the slots its holder should settle down to."""

    targets: tuple[LeasedTarget, ...]
    slots: int
    held: bool = True
    """False when the lease was lost meanwhile: stop working on it."""
    host: Host | None = None
    """The host as others left it, when they learned something its holder has to know."""


class Committed(Struct, frozen=True):
    """What became of a batch of settlements."""

    lost: frozenset[tuple[int, int]] = frozenset()
    """Leases that had gone to somebody else: nothing was written for their settlements."""
    new: int = 0
    duplicates: frozenset[int] = frozenset()
    """Targets whose page is nearly the same as an earlier one of the job (PAGE-2)."""
    rules: dict[int, HostRules] = field(default_factory=dict)
    """By host: what is known there by now, where others have learned besides these visits."""
    shapes: dict[tuple[int, str], dict[str, ShapeCounts]] = field(default_factory=dict)
    """By job and host: what was counted by now of the shapes of these visits (URL-6)."""


class ShapeCounts(Struct, frozen=True):
    """What visits of URLs of one shape at a host have brought a job (URL-6)."""

    visits: int = 0
    good: int = 0
    """Those that brought something, or were not asked because their like had."""
    late: int = 0
    """Those made while the shape was deferred."""
    wordless: int = 0
    """Those that brought nothing, or nothing but figures."""
    judged: int = 0
    """Of late, as all that follow: visits of which it was asked what they brought."""
    fruitful: int = 0
    """Those of them that brought something, but for copies that did."""
    worded: int = 0
    """Those of them that brought more than figures."""
    copied: int = 0
    """Those of them that said what other pages had said, at length."""
    idle: int = 0
    """Those of them that brought nothing; each fruitful one takes half of them away."""
    looked: int = 0
    """Visits of which it was asked what they name of their own kind."""
    grew: int = 0
    """Those of them that named two or more that were new."""
    met: int = 0
    """Those of them that named one that another had named, and nobody had visited yet."""
    added: int = 0
    """New URLs, of whatever kind, that those have named."""
    cut: int = 0
    """Those of them that named URLs beyond the depth of the job."""


class ShapeBook(Struct, frozen=True):
    """What the ledger keeps of a job's visits to a host, by the shape of their URLs."""

    counts: dict[str, ShapeCounts] = field(default_factory=dict)
    said: bytes = b""
    """What its pages have said, in hashes of four bytes each, as far as it was asked for."""
    last: int = 0
    """Up to where that is."""


class Place(Struct, frozen=True):
    """A place in the line of those who want to ask a host."""

    id: int
    """That of the assignment which it becomes."""
    host_id: int


REVISIT = "revisit"
"""The reason of a target that is pending because it is to be visited again."""


class Frontier(Protocol):
    """What to fetch next. Every call is one transaction, unless it says otherwise."""

    async def add(self, job_id: int, targets: Sequence[Target]) -> Added: ...

    async def push(self, job_id: int, targets: Sequence[Target], fetched_before: float) -> Added:
        """Add these, and make those due again that are known, also what was given up: with fresh
        attempts, and without its dead letter. What is pending is visited anyway; what is being
        visited is visited once more if it was asked for before this. What was fetched since
        `fetched_before` stays as it is. In several transactions: cut off, the same call again does
        the rest.
        """

    async def create_job(
        self, name: str, spec: JobSpec, state: JobState, targets: Sequence[Target]
    ) -> JobAdded | None:
        """Create a job with its first targets, all or nothing: cut off, the name is still free.
        None when there is one of this name: of several that try at once, one creates it."""

    async def change_job(
        self, job_id: int, spec: JobSpec, targets: Sequence[Target]
    ) -> JobAdded | None:
        """Replace what the job is asked to do and add targets, all or nothing; None when it was
        deleted meanwhile. Its seeds and sitemaps stay, and these come behind them: of several that
        change it at once none loses another's."""

    async def objections(self, job_id: int, targets: Sequence[Target]) -> list[Reason | None]:
        """What would keep each of these from being added now: it is known, or over a limit; None
        for nothing. Writes nothing, so that others may be first all the same."""

    async def claim(self, jobs: Sequence[int], hosts: int) -> list[Assignment]:
        """Up to `hosts` assignments from these jobs, earliest due first; empty when none is due."""

    async def claim_for_browser(self, jobs: Sequence[int], hosts: int) -> list[Assignment]:
        """The same of what waits for a worker with a browser, which no other claim brings."""

    async def next_for_browser(self, jobs: Sequence[int]) -> float | None:
        """When the first of that may be claimed; None when nothing waits for a browser."""

    async def offer(self, jobs: Sequence[int], hosts: int) -> list[Ticket]:
        """Claim for others: until one of them is adopted this worker holds it, and renews it."""

    async def adopt(self, tickets: Sequence[Ticket], jobs: Sequence[int]) -> list[Assignment]:
        """Take over what was offered, as far as nobody has and the offer still stands. Targets of
        jobs other than these go back."""

    async def withdraw(self, assignment_ids: Sequence[int]) -> int:
        """Give back those of these offers that nobody has adopted; how many."""

    def expect(self, workers: int) -> None:
        """So many, this one included, are to share the work from now on: what each may have of
        an unpaced host is theirs before they have come to claim it."""

    async def refill(self, assignment: Assignment, want: int, using: int) -> Refill:
        """More of the same host. `using` is how many slots the holder now confines itself to."""

    async def commit(
        self, settlements: Sequence[Settlement], released: Sequence[int] = ()
    ) -> Committed:
        """Write the settlements and give back the assignments in `released`, all or nothing."""

    async def join(self, assignment: Assignment, address: str) -> Host | None:
        """Its host is served from this address: as it may be asked, or None when another host
        from there is being asked now, where that counts (FR-5)."""

    async def line_up(self, target: Target) -> Place:
        """Stand in line for the target's host, known or not: behind whoever holds it, before
        whoever claims it from now on. To be followed by `call`, and given up by `step_out` or
        with a commit."""

    async def call(
        self, place: Place, job_id: int | None, target: Target
    ) -> Assignment | Reason | None:
        """The host, when it is our turn, with the target leased for this job, whatever state it
        was in; without a job, with nothing. None while others come first, or somebody visits
        that target; the reason where a limit of the job is against it."""

    async def step_out(self, place: Place, host: Host | None = None) -> None:
        """Give up the place, or the host; `host` is as we leave it, where we asked it something
        that no settlement tells of."""

    async def renew(self) -> dict[int, float]:
        """Keep this worker's leases and heartbeat alive; what it still holds, and until when."""

    async def show(self, under_way: UnderWay) -> None:
        """Let whoever looks on see what this worker is doing; kept until the next."""

    async def reclaim(self) -> int:
        """Take back what dead workers held; how many targets returned to pending."""

    async def shapes(self, job_id: int, host_id: int, after: int = 0) -> ShapeBook:
        """What was counted of each shape of URL at the host, by everybody who works on the job, and
        what its pages have said since `after`."""

    async def recall_deferred(self, job_id: int) -> int:
        """Let deferred targets be visited that have no more to wait for: their like turned out to
        be worth it, or there is budget left. How many (URL-6)."""

    async def deferred(self, job_id: int, limit: int) -> list[tuple[str, str]]:
        """Some of what the job has deferred until somebody asks for it: URL, and why."""

    async def visit_deferred(self, job_id: int, host: str = "") -> int:
        """Let everything be visited that the job has deferred, at this host if one is named; how
        many that is."""

    async def named_by(self, target_id: int) -> str | None:
        """The URL of the page that has named a target first; None when none has."""

    async def moves(self, target_id: int) -> int:
        """How many moves in a row, from host to host, led to this target."""

    async def next_ready(self, jobs: Sequence[int]) -> float | None:
        """When the earliest waiting host of these jobs may give out work; None when none waits.

        Now, while somebody holds one of their hosts: what it brings cannot be known yet.
        """

    async def revisit(self, job_id: int, gone_before: float) -> int:
        """Make what the job has visited pending again, due now, in several transactions; how many.

        Failed targets stay (their dead letters are returned), and so do those found gone later
        than `gone_before`; in a job that has its `max_pages`, all that have no page.
        """

    async def revive(self, jobs: Sequence[int]) -> int:
        """Make pending again, due now, what of these running jobs is to be visited again by now:
        by plan, or because a scheduled run has begun (FR-6). How many; when many are due, not
        all at once, in several transactions.
        """

    async def next_revisit(self, jobs: Sequence[int]) -> float | None:
        """When the first of these jobs has something to `revive`; None when no visit is planned."""
