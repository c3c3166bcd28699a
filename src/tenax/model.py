"""The nouns: what a crawl is about, as frozen values without behaviour.

Times are seconds since the epoch (UTC) and durations are seconds, both as floats; they
become dates only where a person reads them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NewType

Url = NewType("Url", str)
"""The identity of a URL: its normal form. Made only by `urls.normalise`."""


class State(StrEnum):
    """Where a target is; it is always in exactly one of these (FR-1)."""

    PENDING = "pending"
    LEASED = "leased"
    DONE = "done"
    FAILED = "failed"
    BLOCKED = "blocked"
    REJECTED = "rejected"
    GONE = "gone"


class JobState(StrEnum):
    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"
    DONE = "done"


class Reason(StrEnum):
    """Why a candidate was not taken, or a target not visited (URL-4)."""

    MALFORMED = "malformed"
    SCHEME = "scheme"
    TOO_LONG = "too_long"
    CREDENTIALS_IN_URL = "credentials_in_url"
    PRIVATE_ADDRESS = "private_address"
    BLOCKED_HOST = "blocked_host"
    OUT_OF_SCOPE = "out_of_scope"
    EXCLUDED = "excluded"
    TOO_DEEP = "too_deep"
    FILE_TYPE = "file_type"
    TRAP = "trap"
    NOFOLLOW = "nofollow"
    HOST_LIMIT = "host_limit"
    JOB_LIMIT = "job_limit"
    KNOWN = "known"
    ROBOTS = "robots"


class Fault(StrEnum):
    """What went wrong when a visit failed (FE-6)."""

    DNS = "dns"
    CONNECT_REFUSED = "connect_refused"
    CONNECT_TIMEOUT = "connect_timeout"
    READ_TIMEOUT = "read_timeout"
    RESET = "reset"
    TLS = "tls"
    PROTOCOL = "protocol"
    TOO_LARGE = "too_large"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    PROXY = "proxy"
    CLIENT_ERROR = "client_error"
    SERVER_ERROR = "server_error"
    BAD_GATEWAY = "bad_gateway"
    ENCODING = "encoding"
    INTERNAL = "internal"


class ScopeKind(StrEnum):
    HOST = "host"
    DOMAIN = "domain"
    PREFIX = "prefix"
    ANY = "any"


TRACKING_PARAMETERS = (
    "utm_*", "gclid", "fbclid", "msclkid", "dclid", "mc_cid", "mc_eid", "igshid", "yclid",
    "_ga", "ref", "source",
)  # fmt: skip
SESSION_PARAMETERS = (
    "jsessionid", "phpsessid", "sid", "sessionid", "session_id", "aspsessionid*", "cfid", "cftoken",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class JobSpec:
    """What a user asks of a job: where to start, how far to go, what counts as the same URL."""

    seeds: tuple[str, ...] = ()
    """Where to start."""
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
    max_depth: int = 10
    """Links away from a seed, at most."""
    max_pages: int | None = None
    """The job ends when this many pages are stored; never one more."""
    max_pages_per_host: int | None = None
    """URLs taken of one host, at most; the rest is `host_limit`."""
    max_urls: int | None = None
    """URLs taken by the job, at most; the rest is `job_limit`."""
    drop_parameters: tuple[str, ...] = TRACKING_PARAMETERS + SESSION_PARAMETERS
    """Query parameters that make no difference: two URLs that differ only in them are one."""
    drop_trailing_slash: bool = False
    """Take /a and /a/ as one URL."""


@dataclass(frozen=True, slots=True)
class Job:
    id: int
    name: str
    state: JobState
    spec: JobSpec
    created_at: float
    ended_at: float | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposed URL, as found: nothing about it has been checked."""

    url: str
    base: str | None = None
    depth: int = 0
    nofollow: bool = False
    found_on: int | None = None
    """The id of the target whose page named it; None for seeds."""
    priority: int | None = None
    """What the proposer wants; None lets the door assign one (FR-3)."""


@dataclass(frozen=True, slots=True)
class Target:
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


@dataclass(frozen=True, slots=True)
class Rejected:
    url: str
    reason: Reason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class LeasedTarget:
    """A target handed to a worker, with what it needs to visit and to settle it."""

    id: int
    job_id: int
    url: str
    depth: int
    priority: int
    attempts: int
    """Attempts already spent on this visit; 0 on the first."""


@dataclass(frozen=True, slots=True)
class Pace:
    """When a host may be asked next. Two clocks, kept apart: our delay and its back-off."""

    crawl_delay: float = 0.0
    """What its robots.txt asks for, already capped."""
    next_at: float = 0.0
    """No request starts before this: the last start plus the delay."""
    backoff_until: float = 0.0
    """No request starts before this: the host said so, or answered 429."""
    throttle: Throttle | None = None
    """What the host's complaints have left behind; None when it never complained."""


@dataclass(frozen=True, slots=True)
class Throttle:
    """How a host that told us to slow down is asked since then (HOST-1)."""

    since: float
    """When the last incident began."""
    until: float
    """When its blackout ends: complaints about requests sent before then belong to it."""
    incidents: int = 0
    """Incidents in a row; 0 when they are forgiven."""
    interval: float = 0.0
    """Seconds between request starts, at least; 0 when the rate has recovered."""
    successes: int = 0
    """Towards the next step of recovery."""


@dataclass(frozen=True, slots=True)
class Health:
    """How a host has been answering lately."""

    failures: int = 0
    """Failures in a row that may be the site's; an answer of the server's own ends the row."""
    last_fault: Fault | None = None
    last_failure_at: float | None = None
    last_success_at: float | None = None
    """When it last answered by itself, whatever it said."""
    refusals: int = 0
    """403 and 429 in a row."""
    trouble: Trouble | None = None
    """What past failures still mean for the host; None when there were none."""


@dataclass(frozen=True, slots=True)
class Breaker:
    """Whether a host that stopped answering is asked again (HOST-3)."""

    trips: int = 0
    """Back-offs begun since it was last closed; 0 when it is closed."""
    until: float = 0.0
    """When the back-off ends and a probe may be sent."""
    passed: int = 0
    """Successes since then."""
    changed_at: float = 0.0
    """Of two views of a host, the one that changed last is right."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """The record of a host that gave trouble: budget, breaker and cooldown (HOST-2, 3, 4)."""

    failed_at: tuple[float, ...] = ()
    """The last failures, oldest first; as many as the budget allows, and no more."""
    breaker: Breaker = Breaker()
    cooled_at: float = 0.0
    """When the last cooldown began."""
    cool_until: float = 0.0
    """No visits before this: the host turned us away."""
    reset_at: float = 0.0
    """When a person last cleared the record; nothing learned before then counts."""


@dataclass(frozen=True, slots=True)
class Host:
    """What we know of one host: a name, with its port where that is not the default one."""

    name: str
    origin: str
    """scheme://host[:port] of the first URL seen; other origins of the host are spelled out."""
    id: int = 0
    visits: int = 0
    pace: Pace = field(default_factory=Pace)
    health: Health = field(default_factory=Health)
    paused: bool = False


@dataclass(frozen=True, slots=True)
class Assignment:
    """One host and some of its targets, leased to one worker until `expires_at`."""

    id: int
    host: Host
    targets: tuple[LeasedTarget, ...]
    slots: int
    """How many requests this worker may have under way at this host."""
    expires_at: float


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may cost us (FE-2)."""

    connect: float = 10.0
    """Seconds for looking up the name, connecting and TLS."""
    total: float = 30.0
    """Seconds for the whole exchange, however slowly it drips."""
    body_bytes: int = 10_000_000
    """Counted on the wire and, separately, after decompression."""
    header_bytes: int = 65_536
    """All header lines of an answer together."""


class ProxyScheme(StrEnum):
    """How we speak to a proxy."""

    HTTP = "http"
    HTTPS = "https"
    SOCKS5 = "socks5"


@dataclass(frozen=True, slots=True)
class ProxyAddress:
    """What a transport needs to go through a proxy. Its secrets are in no repr (SEC-3)."""

    scheme: ProxyScheme
    host: str
    """A name or an address, IPv6 without brackets."""
    port: int
    username: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    pinned: bool = True
    """Ask it for the address we judged, never for a name: then it resolves nothing (SEC-1)."""

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


class ProxyEvent(StrEnum):
    """What a visit says about the proxy it went through (FE-11)."""

    ANSWERED = "answered"
    FAILED = "failed"
    SHUNNED = "shunned"
    """The site turned the proxy away, and not others."""


@dataclass(frozen=True, slots=True)
class ProxyReport:
    """One thing that happened to a proxy; replayed in order, reports give its health."""

    proxy_id: int
    event: ProxyEvent
    at: float
    ms: float = 0.0
    """How long the answer took; only of those that came."""


@dataclass(frozen=True, slots=True)
class ProxyHealth:
    """How a proxy has been doing, and whether it may be used."""

    successes: int = 0
    failures: int = 0
    average_ms: float = 0.0
    """Of the answers through it, old ones fading; 0 when there was none."""
    last_used_at: float | None = None
    failed_in_row: int = 0
    worked_in_row: int = 0
    bans: int = 0
    """Bans not yet forgiven."""
    banned_until: float = 0.0
    disabled: str = ""
    """Why it is out of service; empty when it is in."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy in the ledger. Its user and password are there only where they are used."""

    name: str
    address: ProxyAddress
    id: int = 0
    group: str = "default"
    priority: int = 100
    """Lower goes first, where the strategy is `priority`."""
    has_login: bool = False
    """Whether it wants a user and password, known or not."""
    health: ProxyHealth = field(default_factory=ProxyHealth)


@dataclass(frozen=True, slots=True)
class Request:
    url: str
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    limits: Limits = Limits()
    any_type: bool = False
    """Read the body whatever its content type; otherwise only text-like bodies are read."""
    proxy: ProxyAddress | None = None
    """The proxy to go through; None to connect directly."""


@dataclass(frozen=True, slots=True)
class SiteRules:
    """How the hosts that match a pattern are asked, where it differs from the default (FE-13)."""

    host: str
    """A glob over host names: `shop.example.org`, `*.example.org`."""
    headers: dict[str, str] = field(default_factory=dict)
    """Sent besides the default headers, or instead of those of the same name."""
    cookies: dict[str, str] = field(default_factory=dict)
    profile: Literal["honest", "browser"] = "honest"
    """`browser` sends what a browser sends besides its name; who we are is always told."""
    force_https: bool = False
    """Ask over https even where links say http."""


class Headers:
    """Response headers: case-insensitive, repeated names kept, order kept."""

    __slots__ = ("pairs",)

    def __init__(self, pairs: tuple[tuple[str, str], ...] = ()) -> None:
        self.pairs = pairs

    def get(self, name: str, default: str | None = None) -> str | None:
        """The first value, or the default."""
        wanted = name.lower()
        return next((value for key, value in self.pairs if key.lower() == wanted), default)

    def all(self, name: str) -> list[str]:
        wanted = name.lower()
        return [value for key, value in self.pairs if key.lower() == wanted]

    def __repr__(self) -> str:
        return f"Headers({self.pairs!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Headers) and self.pairs == other.pairs

    def __hash__(self) -> int:
        return hash(self.pairs)


@dataclass(frozen=True, slots=True)
class Timing:
    """How long one exchange took, in milliseconds, and what it moved over the wire."""

    sent_ms: float = 0.0
    """From our start until the request was on its way: name look-up, connect, TLS."""
    ttfb_ms: float = 0.0
    total_ms: float = 0.0
    wire_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Response:
    """A complete answer. Its body is already decompressed; None means we chose not to read it."""

    url: str
    status: int
    headers: Headers
    body: bytes | None
    timing: Timing = Timing()
    address: str = ""

    @property
    def content_type(self) -> str:
        """The media type alone, lower case; empty when the server named none."""
        return (self.headers.get("content-type") or "").split(";", 1)[0].strip().lower()


@dataclass(frozen=True, slots=True)
class Failure:
    """No complete answer. `status` is known when the headers had arrived."""

    fault: Fault
    detail: str
    status: int | None = None
    timing: Timing = Timing()
    address: str = ""
    proxy_alive: bool = False
    """Of a proxy fault: the proxy answered, so that it or the host may be to blame."""


@dataclass(frozen=True, slots=True)
class Forbidden:
    """The address behind a name is one we may not connect to; nothing was sent (SEC-1)."""

    address: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class RobotsRecord:
    """The last answer to /robots.txt of one origin, as the ledger keeps it (ROB-2)."""

    origin: str
    status: int | None
    text: str
    fetched_at: float
    good_at: float
    """When `text` was really obtained; 0 when it never was."""
    expires_at: float
    error: str = ""


@dataclass(frozen=True, slots=True)
class Directives:
    """What the page itself asks of robots (ROB-3): X-Robots-Tag and meta, most restrictive."""

    noindex: bool = False
    nofollow: bool = False
    source: str = ""
    """The header or meta tag that said so, for `tenax why`."""


@dataclass(frozen=True, slots=True)
class Page:
    """What one successful visit read. Fields a body can give again later are not kept here."""

    url: str
    """Where the body came from: the last hop of same-host redirects."""
    status: int
    content_type: str
    body: bytes | None
    """Decompressed bytes as served; None when the content type is not text."""
    fetched_at: float
    charset: str = ""
    title: str = ""
    description: str = ""
    canonical: str = ""
    language: str = ""
    published: str = ""
    modified: str = ""
    content_hash: bytes = b""
    """SHA-256 of the main text; empty when there is no text."""
    digest: bytes = b""
    """SHA-256 of the body; the name of its file in the content store."""
    words: int = 0
    etag: str = ""
    last_modified: str = ""
    base: str = ""
    """What its links resolve against."""
    links: tuple[str, ...] = ()
    """As the page spells them, each once: white space and fragment removed, not resolved."""
    unfollowed: frozenset[str] = frozenset()
    """Those of the links that it asks not to follow wherever it names them."""
    directives: Directives = Directives()
    rights: tuple[tuple[str, str], ...] = ()
    """Signals about use kept with the page (ROB-4): (where it stood, what it said)."""
