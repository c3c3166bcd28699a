"""Which words does a crawl use: states, outcomes, reasons, faults? Closed sets, one word each."""

from __future__ import annotations

from enum import StrEnum
from typing import NewType

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
    LISTING_LIMIT = "listing_limit"
    """One sitemap or feed more than a job asks a host for."""
    KNOWN = "known"
    ROBOTS = "robots"


MOMENTARY = frozenset({
    Reason.TRAP, Reason.HOST_LIMIT, Reason.JOB_LIMIT, Reason.LISTING_LIMIT,
})  # fmt: skip
"""Reasons that depend on the moment: of what is refused for them more is kept than examples."""


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


class OutcomeWord(StrEnum):
    """How a visit ended, in one word: stored with its target and with its attempt."""

    READ = "read"
    UNCHANGED = "unchanged"
    DUPLICATE = "duplicate"
    STALE = "stale"
    MOVED = "moved"
    GONE = "gone"
    THROTTLED = "throttled"
    GARBAGE = "garbage"
    UNRENDERED = "unrendered"
    REFUSED = "refused"
    PRICED = "priced"
    FAILED = "failed"
    WAITING = "waiting"


class Role(StrEnum):
    """Why a target is visited: as a page, for the URLs it lists, to try a guess of ours, for the
    picture that it is, or for what it answers to what is sent there."""

    PAGE = ""
    SITEMAP = "sitemap"
    FEED = "feed"
    ARCHIVE = "archive"
    PAGINATION = "pagination"
    IMAGE = "image"
    POSTED = "posted"


class Step(StrEnum):
    """What a visit is doing. It passes these in order, the first three again with each redirect."""

    GATE = "gate"
    """It asks robots.txt and the host's standing, which may take requests of their own."""
    TURN = "turn"
    """It waits until it may ask: for the host's rate limit, a proxy, a slot of this process."""
    REQUEST = "request"
    """It is on the wire."""
    READ = "read"
    """The answer is being parsed."""
    JUDGE = "judge"
    """Is it a page, what did it bring, what follows?"""
    COMMIT = "commit"
    """It waits for the transaction that writes it down, or is part of one."""


class UrlSource(StrEnum):
    """Where URLs are looked for besides the links of pages (DISC-1 to 3)."""

    SITEMAPS = "sitemaps"
    FEEDS = "feeds"
    ARCHIVES = "archives"
    PAGINATION = "pagination"


class Client(StrEnum):
    """Who asks, from the cheapest to the dearest (FE-9)."""

    HTTP = "http"
    CURL = "curl"
    BROWSER = "browser"


class ScopeKind(StrEnum):
    HOST = "host"
    DOMAIN = "domain"
    PREFIX = "prefix"
    ANY = "any"
