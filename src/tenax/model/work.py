"""What is there to do? Jobs, URLs on their way to a visit, and the work handed to a worker."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from tenax.model.host import Host
from tenax.model.knobs import OutOfBounds, Seconds, checked
from tenax.model.words import JobState, Reason, Role, ScopeKind, Step, Url, UrlSource

TRACKING_PARAMETERS = (
    "utm_*", "gclid", "fbclid", "msclkid", "dclid", "mc_cid", "mc_eid", "igshid", "yclid",
    "_ga", "ref", "source",
)  # fmt: skip
SESSION_PARAMETERS = (
    "jsessionid", "phpsessid", "sid", "sessionid", "session_id", "aspsessionid*", "cfid", "cftoken",
)  # fmt: skip
_DEEPEST = 1_000_000
_MOST = 10**12
"""More than there are; all readers of JSON and all columns can hold it."""


FORM = "application/x-www-form-urlencoded"
_LONGEST_BODY = 65_536
_STORABLE = r"^[^\x00\ud800-\udfff]*$"
_ONE_LINE = r"^[ -~]*$"


class Sends(Struct, frozen=True):
    """What a request sends besides its URL, by POST."""

    body: str = ""
    content_type: str = FORM


class Post(Struct, frozen=True, forbid_unknown_fields=True):
    """A request to start from that sends something: a search form, filled in (URL-1)."""

    url: Annotated[str, Meta(min_length=1)]
    """Where it is sent."""
    body: Annotated[str, Meta(max_length=_LONGEST_BODY, pattern=_STORABLE)] = ""
    """What is sent there, by POST: `q=tea&page=1`."""
    content_type: Annotated[str, Meta(min_length=1, max_length=255, pattern=_ONE_LINE)] = FORM
    """What that is: a form unless you say `application/json`."""

    @property
    def sends(self) -> Sends:
        return Sends(self.body, self.content_type)


def sends_of(url: str, method: str, body: str | None, content_type: str | None) -> Sends | None:
    """What a seed that somebody wrote as JSON sends; None for one that is asked for. Raises
    `OutOfBounds`."""
    if method == "POST":
        return checked(Post(url, body or "", content_type or FORM)).sends
    if body is None and content_type is None:
        return None
    raise OutOfBounds('a body is sent by "method": "POST"')


class JobSpec(Struct, frozen=True):
    """What a user asks of a job: where to start, how far to go, what counts as the same URL."""

    seeds: tuple[str, ...] = ()
    """Where to start."""
    sitemaps: tuple[str, ...] = ()
    """Sitemaps (or feeds) to start from as well: what they list is crawled."""
    posts: tuple[Post, ...] = ()
    """Requests to start from that send something, as [[job.posts]] tables: where, what, and what
    that is."""
    scope: ScopeKind = ScopeKind.HOST
    """How far from the seeds: their host, domain or prefix, or any."""
    include: tuple[str, ...] = ()
    """When there are any, a URL has to match one: globs, or regular expressions after `re:`."""
    exclude: tuple[str, ...] = ()
    """URLs that match one of these are not taken."""
    allowed_hosts: tuple[str, ...] = ()
    """Hosts (globs) in scope besides those of the seeds."""
    blocked_hosts: tuple[str, ...] = ()
    """Hosts (globs) never visited, their subdomains included."""
    max_depth: Annotated[int, Meta(ge=0, le=_DEEPEST)] = 10
    """Links away from a seed, at most."""
    max_pages: Annotated[int, Meta(ge=1, le=_MOST)] | None = None
    """The job ends when this many pages are stored; never one more."""
    max_pages_per_host: Annotated[int, Meta(ge=1, le=_MOST)] | None = None
    """URLs taken of one host, at most; the rest is `host_limit`."""
    max_urls: Annotated[int, Meta(ge=1, le=_MOST)] | None = None
    """URLs taken by the job, at most; the rest is `job_limit`."""
    drop_parameters: tuple[str, ...] = TRACKING_PARAMETERS + SESSION_PARAMETERS
    """Query parameters that make no difference: two URLs that differ only in them are one."""
    drop_trailing_slash: bool = False
    """Take /a and /a/ as one URL."""
    discover: tuple[UrlSource, ...] = tuple(UrlSource)
    """Where URLs are looked for besides links: sitemaps, feeds, archives, pagination."""
    recrawl: Seconds | None = None
    """Seconds after which a page is visited again at first; how often it changes adapts that."""
    schedule: str = ""
    """When the job runs by itself: `every 6h`, or a cron line of five fields."""
    products: bool = True
    """Read what pages offer for sale: name, price, availability and more, with every change."""
    images: bool = False
    """Download the pictures of products, by the same rules as pages; each content is kept once."""

    @property
    def starts(self) -> tuple[str, ...]:
        """Every URL that it starts from."""
        return (*self.seeds, *self.sitemaps, *(post.url for post in self.posts))

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The same as proposals. Sitemaps first: one that is named as a seed too is still one."""
        return (
            *(Candidate(url, role=Role.SITEMAP) for url in self.sitemaps),
            *map(Candidate, self.seeds),
            *(Candidate(post.url, sends=post.sends) for post in self.posts),
        )

    def added_to(self, before: JobSpec) -> JobSpec:
        """This, with all that there was to start from before its own."""
        return replace(
            self,
            seeds=tuple(dict.fromkeys((*before.seeds, *self.seeds))),
            sitemaps=tuple(dict.fromkeys((*before.sitemaps, *self.sitemaps))),
            posts=tuple(dict.fromkeys((*before.posts, *self.posts))),
        )


class Job(Struct, frozen=True):
    id: int
    name: str
    state: JobState
    spec: JobSpec
    created_at: float
    ended_at: float | None = None
    next_run_at: float | None = None
    """When its schedule starts it next; None when it has none."""


class Candidate(Struct, frozen=True):
    """A proposed URL, as found: nothing about it has been checked."""

    url: str
    base: str | None = None
    depth: int = 0
    nofollow: bool = False
    found_on: int | None = None
    """The id of the target whose page named it; None for seeds."""
    priority: int | None = None
    """What the proposer wants; None lets the door assign one (FR-3)."""
    role: Role = Role.PAGE
    sends: Sends | None = None
    """What is sent there; None for a URL that is only asked for."""


class Target(Struct, frozen=True):
    """A URL we decided to fetch in a job; not yet in the ledger."""

    url: str
    """What will be requested: the discovered URL without its fragment."""
    identity: Url
    key: bytes
    """The first bytes of the identity's hash: what the ledger calls equal."""
    host: str
    origin: str
    depth: int
    priority: int
    found_on: int | None = None
    due_at: float = 0.0
    """Not to be visited before this; 0 for at any time."""
    role: Role = Role.PAGE
    modified: float | None = None
    """When it last changed, as a sitemap tells; None when none does."""
    shape: str = ""
    """What kind of URL it is at its host (URL-6)."""
    sends: Sends | None = None
    """What is sent there, by POST: part of what it is equal to."""


class Rejected(Struct, frozen=True):
    url: str
    reason: Reason
    detail: str = ""


class Copy(Struct, frozen=True):
    """What is kept of an earlier visit's page, to tell whether it still holds."""

    etag: str = ""
    last_modified: str = ""
    digest: bytes = b""
    fetched_at: float = 0.0
    """When it was last fetched or confirmed."""
    words: int = 0
    links: int = 0
    url: str = ""
    """Where redirects led to for it; empty when there were none."""


FOR_A_BROWSER = 253_370_764_800.0
"""When a target is due that waits for a worker with a browser: in the year 9999, which no clock
reaches. Claims pass it by like all that is due later; those for a browser look for it."""


class LeasedTarget(Struct, frozen=True):
    """A target handed to a worker, with what it needs to visit and to settle it."""

    id: int
    job_id: int
    url: str
    depth: int
    priority: int
    attempts: int
    """Attempts already spent on this visit; 0 on the first."""
    copy: Copy | None = None
    """What an earlier visit stored; None when none did."""
    role: Role = Role.PAGE
    crashes: int = 0
    """Processes that died while they read it: from the first on it is read alone."""
    for_browser: bool = False
    """It waited for a browser, and the main client need not be asked again."""
    sends: Sends | None = None
    """What is sent there, by POST; None where its URL is only asked for."""


class Assignment(Struct, frozen=True):
    """One host and some of its targets, leased to one worker until `expires_at`."""

    id: int
    host: Host
    targets: tuple[LeasedTarget, ...]
    slots: int
    """How many requests this worker may have under way at this host."""
    expires_at: float
    unit: str = ""
    """Whom the host shares its politeness with; empty when with nobody (FR-5)."""
    is_all: bool = False
    """Nothing else is due at the host."""
    jars: tuple[tuple[int, bytes], ...] = ()
    """By job, the cookies that the host has set, sealed."""


class VisitUnderWay(Struct, frozen=True):
    """A visit as somebody who looks on sees it: which step it is in, and since when."""

    url: str
    host: str
    job_id: int
    step: Step
    since: float
    began_at: float


class UnderWay(Struct, frozen=True):
    """What one process has under way, as it was at one moment."""

    at: float
    steps: dict[Step, int]
    """How many of its visits are in each step."""
    visits: tuple[VisitUnderWay, ...]
    """Those of them that began first, in that order."""
    held: tuple[str, ...] = ()
    """What keeps it from claiming work: `network`, `disk`."""
