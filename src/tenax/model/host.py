"""What is known of a host: how it is asked, how it has answered, what it wishes."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, field

from tenax.model.knobs import AtLeastOne, Seconds
from tenax.model.words import Client, Fault


class Pace(Struct, frozen=True):
    """When a host may be asked next. Two clocks, kept apart: our delay and its back-off."""

    crawl_delay: float = 0.0
    """What its robots.txt asks for, already capped."""
    next_at: float = 0.0
    """No request starts before this: the last start plus the delay."""
    backoff_until: float = 0.0
    """No request starts before this: the host said so, or answered 429."""
    throttle: Throttle | None = None
    """What the host's complaints have left behind; None when it never complained."""


class Throttle(Struct, frozen=True):
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


class HostHealth(Struct, frozen=True):
    """How a host has been answering lately."""

    failures: int = 0
    """Failures in a row that may be the site's; an answer of the server's own ends the row."""
    last_fault: Fault | None = None
    last_failure_at: float | None = None
    last_success_at: float | None = None
    """When it last answered by itself, whatever it said."""
    refusals: int = 0
    """403 and 429 in a row."""
    trouble: HostTrouble | None = None
    """What past failures still mean for the host; None when there were none."""


class Breaker(Struct, frozen=True):
    """Whether a host that stopped answering is asked again (HOST-3)."""

    trips: int = 0
    """Back-offs begun since it was last closed; 0 when it is closed."""
    until: float = 0.0
    """When the back-off ends and a probe may be sent."""
    passed: int = 0
    """Successes since then."""
    changed_at: float = 0.0
    """Of two views of a host, the one that changed last is right."""


class HostTrouble(Struct, frozen=True):
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
    paid_until: float = 0.0
    """When the last lock of the budget had been served; failures before then count no more."""


class Habit(Struct, frozen=True):
    """Which client gets a host's pages, as far as it has taught us."""

    client: Client = Client.HTTP
    """The one that last got a page the main client could not."""
    wins: int = 0
    """Pages in a row of which that is true."""
    until: float = 0.0
    """Until then it is asked first."""
    visits: int = 0
    """Pages it got while asked first."""
    is_recheck_due: bool = False
    """The main client is to have another chance."""
    losses: int = 0
    """Pages in a row that no client could get."""
    respite_until: float = 0.0
    """Until then only the main client is tried."""


class Host(Struct, frozen=True):
    """What we know of one host: a name, with its port where that is not the default one."""

    name: str
    origin: str
    """scheme://host[:port] of the first URL seen; other origins of the host are spelled out."""
    id: int = 0
    visits: int = 0
    """How often one of its URLs was asked for, by any job; robots.txt and probes are no visits."""
    pace: Pace = field(default_factory=Pace)
    health: HostHealth = field(default_factory=HostHealth)
    paused: bool = False
    habit: Habit = Habit()


class IncidentKind(StrEnum):
    BREAKER = "breaker"
    """It stopped answering: it is left alone, then probed."""
    SILENCE = "silence"
    """It told us to wait."""
    ROBOTS = "robots"
    """Its robots.txt could not be had."""
    COOLDOWN = "cooldown"
    """It turned us away again and again."""
    BUDGET = "budget"
    """It failed too often."""
    PAUSED = "paused"
    RESUMED = "resumed"
    RESET = "reset"
    """A person had its record forgotten."""
    LOGIN = "login"
    """We logged in there, or could not."""


class Incident(Struct, frozen=True):
    """Something that happened to a host, and until when it matters."""

    at: float
    kind: IncidentKind
    why: str = ""
    until: float | None = None
    """When it is asked again, be it by a probe; None where no clock tells."""


class SiteRules(Struct, frozen=True, forbid_unknown_fields=True):
    """How the hosts that match a pattern are treated, where it differs from the rest (HOST-7).

    None is for what these rules say nothing of: then a less specific pattern may, or the settings.
    """

    host: str
    """A glob over host names: `shop.example.org`, `*.example.org`."""
    headers: dict[str, str] | None = None
    """Sent besides the default headers, or instead of those of the same name."""
    cookies: dict[str, str] | None = None
    keep_cookies: bool | None = None
    """Whether what it sets is sent back to it within a job; else `fetch.cookies` says that."""
    login: str | None = None
    """Where to log in before its first page: a path there, by https, or the whole URL."""
    login_fields: dict[str, str] | None = None
    """What is sent there, by the names of the form's fields. As secret as a password."""
    login_as: Literal["form", "json"] | None = None
    """`form` fills in the page's own form, `json` sends the fields as an object, unasked."""
    login_check: str | None = None
    """What proves it: a text of the page that comes then, `css:SELECTOR` or `cookie:NAME`."""
    profile: Literal["honest", "browser"] | None = None
    """`browser` sends what a browser sends besides its name; who we are is always told."""
    force_https: bool | None = None
    """Ask over https even where links say http."""
    render: Literal["auto", "always", "never"] | None = None
    """Whether a browser reads its pages: where it helps, always, or never."""
    proxy: str | None = None
    """The group of proxies it is asked through; empty for the default group, if there is one."""
    interval: Seconds | None = None
    """Seconds until its pages are visited again at first, in jobs that do that."""
    delay: Seconds | None = None
    """Seconds between request starts; a longer Crawl-delay still counts."""
    concurrency: AtLeastOne | None = None
    """Requests under way at once where there is no delay; with one it is one at a time (FR-4)."""
    robots_on_error: Literal["disallow", "allow"] | None = None
    """What an unreachable robots.txt without a usable copy means; `allow` breaks RFC 9309."""
    include: tuple[str, ...] | None = None
    """Patterns of which a URL of it has to match one, besides what the job includes."""
    exclude: tuple[str, ...] | None = None
    """Patterns of URLs of it that are not wanted, besides what the job excludes."""
    max_pages: AtLeastOne | None = None
    """URLs that a job takes of each such host; of this and `max_pages_per_host` the smaller one."""
    parser: str | None = None
    """The parser that reads its products, by name; `generic` for none of a site's own."""
    priority: Annotated[int, Meta(ge=1, le=10)] | None = None
    """Of its URLs, 1 first to 10; of hosts that could be asked now, those with a smaller one."""


SITE_SECRETS: Final = ("headers", "cookies", "login_fields")
"""Tables of rules with names of their own; of their values people see nothing."""


class RobotsRecord(Struct, frozen=True):
    """The last answer to /robots.txt of one origin, as the ledger keeps it (ROB-2)."""

    origin: str
    status: int | None
    text: str
    fetched_at: float
    good_at: float
    """When `text` was really obtained; 0 when it never was."""
    expires_at: float
    error: str = ""
