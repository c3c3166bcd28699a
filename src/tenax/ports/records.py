"""What do we ask of the records? Jobs, pages, dead letters, hosts, robots.txt and proxies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Protocol, TypeAlias

from msgspec import Meta, Struct, field

from tenax.model import (
    CookieNames,
    Host,
    HostRules,
    Incident,
    Job,
    JobSpec,
    JobState,
    OutcomeWord,
    Proxy,
    ProxyReport,
    Reason,
    RobotsRecord,
    Role,
    Sends,
    SiteRules,
    State,
    Url,
)
from tenax.outcome import Attempt, RequestStart


class Counts(Struct, frozen=True):
    """A job in figures; `known` is the sum over the states."""

    states: dict[State, int] = field(default_factory=dict)
    pages: int = 0
    renewing: int = 0
    """Those of the pages that are to be visited again, or just are."""
    duplicates: int = 0
    """Those of the pages that are nearly the same as another one (PAGE-2)."""
    unrendered: int = 0
    """Those of the pending that wait for a worker with a browser (FE-9)."""
    rejected: dict[Reason, int] = field(default_factory=dict)
    deferred: int = 0
    """Those of the pending that wait until somebody asks for them (URL-6)."""
    statuses: dict[str, int] = field(default_factory=dict)
    """Answers by their status, `none` where none came; all that there ever were."""

    def of(self, state: State) -> int:
        return self.states.get(state, 0)

    @property
    def known(self) -> int:
        return sum(self.states.values())

    @property
    def fresh(self) -> int:
        """Pages that are not to be visited again: while a crawl goes on, how far it is."""
        return self.pages - self.renewing

    @property
    def unfinished(self) -> int:
        """What is left to do: what is deferred waits for a person."""
        return self.of(State.PENDING) + self.of(State.LEASED) - self.deferred


class Queue(Struct, frozen=True):
    """What waits for one host in one job."""

    host: Host
    waiting: int


class JobProgress(Struct, frozen=True):
    """What a job did in the last minutes, and where most of what it has left is."""

    seconds: float = 0.0
    """The time this is about; 0 when it did nothing lately."""
    visits: int = 0
    pages: int = 0
    """Stored, or found unchanged."""
    failures: int = 0
    bytes: int = 0
    queues: tuple[Queue, ...] = ()
    """Hosts that are likely to take longest; of very long queues only their beginning counts."""

    @property
    def rate(self) -> float:
        """Visits a second."""
        return self.visits / self.seconds if self.seconds > 0 else 0.0


class Deleted(Struct, frozen=True):
    """What one step of deleting a job did."""

    targets: int = 0
    held: int = 0
    """Targets that stay for now: a worker has them in hand."""
    is_gone: bool = False
    """Nothing is left of the job."""


class Jobs(Protocol):
    async def create(self, name: str, spec: JobSpec, state: JobState) -> Job | None:
        """None when there is one of this name: of several that try at once, one creates it."""

    async def save(self, name: str, spec: JobSpec, state: JobState = JobState.RUNNING) -> Job:
        """Create the job in this state, or update the spec of the one with this name."""

    async def get(self, name: str) -> Job | None: ...

    async def all(self) -> list[Job]: ...

    async def states(self) -> dict[int, JobState]:
        """How all of them stand, by id: cheap enough to ask every second."""

    async def set_state(self, job_id: int, state: JobState) -> None: ...

    async def counts(self, job_id: int) -> Counts: ...

    async def due(self) -> list[Job]:
        """Those that their schedule wants to run by now, unless they are paused or stopped."""

    async def begin_run(self, job_id: int, due_at: float, next_run_at: float) -> bool:
        """Begin the run that was due then, in one transaction: the job is running, and
        `Frontier.revive` makes all that it has visited pending again. False, and nothing is
        changed, when it is not due then any more: somebody else has begun that run."""

    async def skip_run(self, job_id: int, due_at: float, next_run_at: float) -> bool:
        """Leave out the run that was due then; False as above."""

    async def pace(self, job_id: int, queues: tuple[Queue, ...] | None = None) -> JobProgress:
        """How fast it has been lately; not to be asked more often than people look. With `queues`,
        which were counted a moment ago, none are counted."""

    async def clear(self, job_id: int, after: int) -> tuple[int, int | None]:
        """One step of forgetting the job's URLs that wait and were never visited, at hosts behind
        this id: how many, and where to go on, unless that was the last step."""

    async def delete(self, job_id: int) -> Deleted:
        """One step of deleting the job with all that is its own, in one transaction: to be
        repeated until it is gone, also after a crash. It is stopped; hosts and bodies stay."""


Due: TypeAlias = Annotated[float, Meta(extra_json_schema={"x-null-when": 0})]
"""When something may be visited; 0 for at once."""


class TargetRecord(Struct, frozen=True):
    """What the ledger knows of one URL in one job."""

    id: int
    job: str
    url: str
    host: str
    state: State
    priority: int
    depth: int
    due_at: Due
    attempts: int
    reason: str = ""
    found_on: str | None = None
    role: Role = Role.PAGE
    """What it was taken for: a page, a sitemap, a guess."""
    outcome: OutcomeWord | None = None
    """How its last visit ended; None when none has, or since its dead letter was returned."""
    cause: str = ""
    """What made it end so, in one word: a fault, a reason, a verdict. `reason` is for people."""
    sends: Sends | None = None
    """What is sent there, by POST; None where its URL is only asked for."""


class PageRecord(Struct, frozen=True):
    """A stored page without its body; `digest` finds that in the content store."""

    target_id: int
    job: str
    url: str
    final_url: str
    url_hash: str
    status: int
    content_type: str
    charset: str
    title: str
    description: str
    canonical: str
    language: str
    published: str
    modified: str
    content_hash: str
    digest: str
    length: int
    words: int
    link_count: int
    depth: int
    fetched_at: float
    etag: str
    last_modified: str
    rights: tuple[tuple[str, str], ...]
    checked_at: float | None = None
    """When a visit last found it unchanged; None when none has since it was fetched."""
    stale: str = ""
    """Why the last visit could not confirm it, in one word; empty when it could."""
    simhash: str = ""
    """Nearly the same for nearly the same main text, in hex; empty for too little text."""
    duplicate_of: str = ""
    """The URL of the page of this job that it is a near-duplicate of; empty when of none."""
    sends: Sends | None = None
    """What was sent for it, by POST; None where its URL was only asked for."""

    @property
    def method(self) -> str:
        return "GET" if self.sends is None else "POST"

    @property
    def sent(self) -> str:
        return "" if self.sends is None else self.sends.body


class PageChoice(Struct, frozen=True):
    """Which pages: those that meet everything named here."""

    job: str | None = None
    host: str | None = None
    fetched_before: float | None = None
    contains: str = ""
    """In URL or title, whatever the case."""


class Pages(Protocol):
    """What is known of URLs and what was stored of them."""

    async def targets(
        self, identity: Url, host: str, sends: Sends | None = None
    ) -> list[TargetRecord]:
        """The URL in every job that knows it; or what it answers to what is sent there."""

    async def posted(self, identity: Url, host: str, limit: int = 100) -> list[TargetRecord]:
        """What is sent to the URL, in every job: a target each."""

    async def attempts(self, target_id: int) -> list[Attempt]: ...

    async def page(self, target_id: int) -> PageRecord | None: ...

    async def find(
        self,
        job: str | None = None,
        after: int = 0,
        limit: int = 100,
        contains: str = "",
        newest: bool = False,
        duplicates: bool | None = None,
        since: float | None = None,
        changed_since: float | None = None,
    ) -> list[PageRecord]:
        """Stored pages in the order their URLs were found, starting behind the id `after`.

        `newest` turns the order round; `contains` looks at URLs and titles; `duplicates` asks for
        near-duplicates only, or for none of them; `since` for those fetched then or later, and
        `changed_since` for those whose main text is what it is since then or later.
        """

    async def similar(self, target_id: int, limit: int = 100) -> list[PageRecord]:
        """The other pages of its job that are nearly the same: the original first."""

    async def purge(self, which: PageChoice, after: int, *, dry: bool) -> tuple[int, int | None]:
        """One step of forgetting these pages, behind this id, in one transaction: how many, and
        where to go on. Dry, they are only counted. What a worker has in hand stays."""

    async def failures(self, job_id: int, limit: int = 10) -> list[tuple[str, int]]:
        """The commonest reasons of failed targets, with how many each; of very many only some."""

    async def rejection(self, url: str) -> list[tuple[str, Reason, float]]:
        """Kept rejections of this URL: (job, reason, when)."""


class HostRecord(Struct, frozen=True):
    """A host with what waits there: not `ready_at` any time where time alone brings nothing."""

    host: Host
    ready_at: float | None
    known: int
    pages: int
    leased: int


class ShapeRecord(Struct, frozen=True):
    """What visits of URLs of one shape brought a job (URL-6)."""

    job: str
    shape: str
    visits: int
    fruitless: int


class ListingCount(Struct, frozen=True):
    """How many sitemaps, or feeds, a job has taken of a host."""

    job: str
    role: Role
    known: int


class NotNow(Struct, frozen=True):
    """A host may not be asked before then, and why."""

    until: float
    why: str


class HostBook(Protocol):
    async def get(self, name: str) -> HostRecord | None: ...

    async def is_of(self, host_id: int, job_id: int) -> bool:
        """Whether the job knows anything there."""

    async def listings(self, name: str) -> list[ListingCount]:
        """The sitemaps and feeds that jobs have taken of the host, the most first."""

    async def cookies(self, host_id: int) -> list[CookieNames]:
        """What it has set, a line for each job; what has ended meanwhile may be among it."""

    async def all(self, limit: int = 100, after: str = "") -> list[HostRecord]: ...

    async def looked_at(self, job_id: int, host_id: int) -> float | None:
        """When this job last looked for the host's sitemaps; None for never."""

    async def is_reachable(self, job_id: int) -> bool:
        """False when no host of this job has ever let us connect to it."""

    async def waiting(self, job_id: int, limit: int = 5) -> list[tuple[str, float, str]]:
        """Hosts this job waits for: (name, until, why), latest first; of those paused, after
        all others, `until` is infinite. Hosts that somebody works on are none of them."""

    async def spend_turn(
        self, name: str, origin: str, patience: float, crawl_delay: float | None = None
    ) -> float | NotNow:
        """Take the next turn of a host that nobody holds, in one transaction: when to ask it. Its
        next holder counts from there, with time for connecting. Not if that is more than so many
        seconds away, somebody holds the host, or it is closed; one not met before is noted.
        `crawl_delay` is what its robots.txt asks for, where that is known."""

    async def view(self, name: str) -> Host | None:
        """What is known of a host, without what waits there; None when it is not known."""

    async def heed(self, seen: Host) -> None:
        """What somebody saw of a host, who asked it without holding it, holds for all."""

    async def requests(self, host_id: int, since: float) -> list[RequestStart]:
        """Requests that left for the host since then, in order; of some hours, the last 500."""

    async def incidents(self, host_id: int, limit: int = 100) -> list[Incident]:
        """What kept it from being asked, and what people did about it, the latest first."""

    async def note(self, host_id: int, incident: Incident) -> None: ...
    async def pause(self, name: str) -> bool:
        """Hand out nothing of the host any more; False when it is not known."""

    async def resume(self, name: str) -> bool: ...
    async def reset(self, name: str) -> bool:
        """Forget what it did: breaker, budget, cooldown, throttle, a robots.txt not to be had.
        What waited for their ends is due at once. Whether it is paused stays as it is."""


class RobotsStore(Protocol):
    async def load(self, origin: str) -> RobotsRecord | None: ...
    async def save(self, record: RobotsRecord) -> None: ...


class Rules(Protocol):
    """What hosts have taught of where their pages are (DISC-2, DISC-3): written with the visits
    that taught it (`Settlement.learned`), and merged there with what others have learned."""

    async def load(self, host_id: int) -> HostRules | None: ...

    async def notes(self, host_id: int) -> dict[str, str]:
        """What else is kept of the host, by its kind, as JSON."""


class LedgerRules(Struct, frozen=True):
    """The rules of sites for all patterns, and the version that they are."""

    version: int
    rules: tuple[SiteRules, ...]


class SiteStore(Protocol):
    """Rules by pattern of host, as the ledger has them for a whole fleet (HOST-7)."""

    async def version(self) -> int:
        """Another one after every change; 0 before the first. Cheap enough to ask every second."""

    async def load(self, *, secrets: bool) -> LedgerRules:
        """All of them. Without `secrets`, of headers and cookies the names alone; needs no key."""

    async def change(
        self, pattern: str, change: Callable[[SiteRules], SiteRules | None]
    ) -> SiteRules | None:
        """Replace the rules of a pattern by what `change` makes of them, in one transaction; None
        removes them. It is given rules that say nothing where there are none."""


class Proxies(Protocol):
    """The proxies there are (FE-11). Users and passwords come out only where they are used."""

    async def all(self) -> list[Proxy]:
        """Without their secrets, by group and name; needs no key."""

    async def add(self, proxy: Proxy) -> bool:
        """False when there is one of this name already."""

    async def remove(self, name: str) -> bool: ...

    async def change(self, name: str, change: Callable[[Proxy], Proxy]) -> Proxy | None:
        """Change group, priority or health in one transaction; None when there is no such proxy."""

    async def sync(self, reports: Sequence[ProxyReport]) -> list[Proxy]:
        """Add what happened to the ledger; what all processes know together, secrets included."""
