"""What is Tenax told to do, and by whom? The typed settings tree; the only reader of files and
environment.

Every knob is a field of a policy beside the code that obeys it; this module gathers them and
remembers where each value came from.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
from msgspec import Struct, field

from tenax.crawl.commit import CommitPolicy
from tenax.crawl.feeder import FeedPolicy
from tenax.crawl.fleet.handout import DispatchPolicy
from tenax.crawl.fleet.intake import IntakePolicy
from tenax.crawl.outages.best_effort_copies import BodyPolicy
from tenax.crawl.outages.outage import OutagePolicy
from tenax.crawl.policy import LeasePolicy, RetryPolicy
from tenax.crawl.traps.shape_record import YieldPolicy
from tenax.discover.gathered import ListingPolicy
from tenax.discover.guess_policy import GuessPolicy
from tenax.fetch.bot_auth.signatures import BotAuthPolicy
from tenax.fetch.browser_policy import BrowserPolicy
from tenax.fetch.fetcher import FetchPolicy
from tenax.fetch.freshness import FreshnessPolicy
from tenax.fetch.proxies.choice import ProxyPolicy
from tenax.fetch.reading import ReadingPolicy
from tenax.hosts import conduct
from tenax.hosts.breaker import BreakerPolicy
from tenax.hosts.budget import BudgetPolicy
from tenax.hosts.cooldown import CooldownPolicy
from tenax.hosts.pace import PacePolicy
from tenax.hosts.robots_policy import RobotsPolicy
from tenax.hosts.throttle import ThrottlePolicy
from tenax.jobs.calendar import ScheduleError, parse_schedule
from tenax.jobs.revisit_policy import RecrawlPolicy
from tenax.model import JobSpec, SiteRules
from tenax.ops.events.delivery import RelayPolicy
from tenax.ops.health.pulse import HealthPolicy
from tenax.page.similar import MOST_DISTANCE, SimilarPolicy

FILE = "tenax.toml"
PREFIX = "TENAX_"


class SettingsError(ValueError):
    """A setting is wrong: what, where, and what to do."""


class Settings(Struct, frozen=True):
    data: str = "./tenax-data"
    """The folder for everything a crawl keeps."""
    database: str = ""
    """The ledger: sqlite:///PATH or postgresql://USER:PASSWORD@HOST/NAME; empty for ledger.db in
    the data folder."""
    content: str = ""
    """Page bodies: file:///PATH, s3://BUCKET/PREFIX or redis:; empty for content/ in the data
    folder."""
    events: str = ""
    """Who is told of every page: kafka://HOST:PORT or file:///PATH; empty for nobody."""
    queue: str = ""
    """How work is handed out: redis: or amqp://USER:PASSWORD@HOST; empty for from the ledger."""
    redis: str = ""
    """Where workers share what must be known at once: redis://HOST:PORT/0; empty for nowhere."""
    search: str = ""
    """The search index: fts5:, postgresql:, opensearch://HOST:PORT or elasticsearch://HOST:PORT;
    empty for search.db in the data folder, made when it is asked."""
    contact: str = ""
    """A URL or mail address for site owners; needed before a public host is crawled (ROB-6)."""
    token: str = "tenax"
    """The product token that robots.txt rules are matched against."""
    allow_private: tuple[str, ...] = ()
    """Networks (CIDR) that may be crawled although they are not public."""
    busy: float = 15.0
    """Seconds to wait for a ledger that another program has locked."""
    sites: tuple[SiteRules, ...] = ()
    """Rules for single sites, as [[sites]] tables: host, headers, cookies, profile, force_https."""
    processes: int = 1
    """Processes that crawl one job together."""
    secret_key: str = ""
    """32 bytes in Base64 that seal secrets in the ledger; empty for secret.key in the data."""
    job: JobSpec = field(default_factory=JobSpec)
    pace: PacePolicy = field(default_factory=PacePolicy)
    throttle: ThrottlePolicy = field(default_factory=ThrottlePolicy)
    budget: BudgetPolicy = field(default_factory=BudgetPolicy)
    breaker: BreakerPolicy = field(default_factory=BreakerPolicy)
    cooldown: CooldownPolicy = field(default_factory=CooldownPolicy)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    yields: YieldPolicy = field(default_factory=YieldPolicy)
    robots: RobotsPolicy = field(default_factory=RobotsPolicy)
    listing: ListingPolicy = field(default_factory=ListingPolicy)
    guess: GuessPolicy = field(default_factory=GuessPolicy)
    fetch: FetchPolicy = field(default_factory=FetchPolicy)
    reading: ReadingPolicy = field(default_factory=ReadingPolicy)
    freshness: FreshnessPolicy = field(default_factory=FreshnessPolicy)
    recrawl: RecrawlPolicy = field(default_factory=RecrawlPolicy)
    browser: BrowserPolicy = field(default_factory=BrowserPolicy)
    proxies: ProxyPolicy = field(default_factory=ProxyPolicy)
    bot_auth: BotAuthPolicy = field(default_factory=BotAuthPolicy)
    similar: SimilarPolicy = field(default_factory=SimilarPolicy)
    lease: LeasePolicy = field(default_factory=LeasePolicy)
    outage: OutagePolicy = field(default_factory=OutagePolicy)
    commit: CommitPolicy = field(default_factory=CommitPolicy)
    feed: FeedPolicy = field(default_factory=FeedPolicy)
    intake: IntakePolicy = field(default_factory=IntakePolicy)
    bodies: BodyPolicy = field(default_factory=BodyPolicy)
    dispatch: DispatchPolicy = field(default_factory=DispatchPolicy)
    health: HealthPolicy = field(default_factory=HealthPolicy)
    relay: RelayPolicy = field(default_factory=RelayPolicy)

    def __repr__(self) -> str:
        """Nothing of it: there are secrets among them, and reprs end up in logs (SEC-3)."""
        return "Settings(...)"

    @property
    def treatment(self) -> conduct.HostPolicies:
        """How hosts are treated."""
        return conduct.HostPolicies(
            self.pace, self.throttle, self.budget, self.breaker, self.cooldown
        )


class Loaded(Struct, frozen=True):
    """Settings, and for every value that is not a default, who set it."""

    settings: Settings
    sources: dict[str, str]

    def rows(self) -> Iterator[tuple[str, Any, str]]:
        """(name, value, source) for every knob, in the order of the tree."""
        for name, value in _leaves(self.settings):
            yield name, value, self.sources.get(name, "default")


def load(
    flags: Mapping[str, Any] | None = None,
    *,
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Loaded:
    """Defaults < file < environment < flags. Flags are dotted names; None means not given."""
    environ = os.environ if environment is None else environment
    named = file or environ.get(f"{PREFIX}CONFIG")
    path = Path(named or FILE)
    tree: dict[str, Any] = {}
    sources: dict[str, str] = {}
    layers = (
        (str(path), _from_file(path, required=bool(named))),
        ("environment", _from_environment(environ)),
        ("flag", {k: v for k, v in (flags or {}).items() if v is not None}),
    )
    for source, values in layers:
        for name, value in values.items():
            _put(tree, name, value, source)
            sources[name] = source
    try:
        settings = msgspec.convert(tree, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise SettingsError(_explain(str(error), sources)) from error
    _check(settings)
    return Loaded(settings, sources)


def names() -> list[str]:
    """Every knob there is, dotted."""
    return list(_defaults())


@cache
def _defaults() -> dict[str, Any]:
    return dict(_leaves(Settings()))


def _from_file(path: Path, *, required: bool) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if required:
            raise SettingsError(f"{path}: no such settings file.") from None
        return {}
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror}).") from error
    try:
        return dict(_flatten(tomllib.loads(text)))
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: not valid TOML: {error}") from error


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    found = {}
    for name, value in environ.items():
        if name.startswith(PREFIX) and name != f"{PREFIX}CONFIG":
            dotted = name.removeprefix(PREFIX).lower().replace("__", ".")
            listed = [item.strip() for item in value.split(",") if item.strip()]
            found[dotted] = listed if _is_list(dotted) else value
    return found


def _is_list(name: str) -> bool:
    return isinstance(_defaults().get(name), tuple)


def _flatten(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{name}.")
        else:
            yield name, value


def _put(tree: dict[str, Any], name: str, value: Any, source: str) -> None:
    known = _defaults()
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f" Did you mean {close[0]!r}?" if close else " See `tenax config` for all of them."
        raise SettingsError(f"unknown setting {name!r} ({source}).{hint}")
    *path, last = name.split(".")
    for part in path:
        tree = tree.setdefault(part, {})
    tree[last] = value


def _leaves(node: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for item in node.__struct_fields__:
        value = getattr(node, item)
        name = f"{prefix}{item}"
        if isinstance(value, Struct):
            yield from _leaves(value, f"{name}.")
        else:
            yield name, value


def _explain(error: str, sources: Mapping[str, str]) -> str:
    """msgspec names the place as `$.pace.delay`; people want to know who wrote it there."""
    text, _, place = error.partition(" - at `$.")
    name = place.rstrip("`").split("[")[0]
    return f"{name or 'settings'} ({sources.get(name, 'settings')}): {text[:1].lower()}{text[1:]}."


def _check(settings: Settings) -> None:
    """Values that have the right type and still make no sense."""
    at_least = {
        "processes": 1, "pace.delay": 0, "pace.slots_unpaced": 1, "retry.attempts": 1,
        "throttle.cut": 0.001, "throttle.slowest": 0.001, "throttle.fastest": 0.001,
        "throttle.successes_per_step": 1, "breaker.failures": 1, "breaker.successes": 1,
        "budget.failures": 1, "fetch.concurrency": 1, "fetch.limits.connect": 0.001,
        "fetch.limits.total": 0.001,
        "job.max_depth": 0, "job.max_pages": 1, "job.max_pages_per_host": 1, "job.max_urls": 1,
        "browser.concurrency": 1, "browser.pages": 1, "browser.errors": 1,
        "fetch.ways.wins": 1, "fetch.ways.recheck": 1, "fetch.ways.losses": 1,
        "proxies.tries": 1, "proxies.failures": 1, "proxies.ban": 0, "proxies.bans": 1,
        "proxies.forgive": 1, "proxies.pair_delay": 0, "proxies.patience": 0, "proxies.sync": 0,
        "proxies.fading": 0.001,
        "feed.hosts": 1, "feed.claim": 1, "commit.most": 1, "lease.seconds": 1,
        "outage.tries": 1, "outage.first": 0.001, "outage.longest": 0.001, "outage.limit": 0.1,
        "outage.patience": 0,
        "guess.share": 0, "guess.allowance": 0, "guess.at_once": 1, "guess.look_again": 60,
        "guess.gap_months": 0, "guess.gap_years": 0, "guess.most_series": 1,
        "guess.most_archives": 1,
        "listing.limits.connect": 0.001, "listing.limits.total": 0.001, "listing.at_once": 1,
        "listing.urls": 1, "listing.alternates": 0, "listing.tags": 1, "listing.ratio": 1,
        "listing.index_depth": 0, "listing.per_host": 0, "listing.look_again": 1,
        "reading.seconds": 0.1, "reading.memory": 10_000_000,
        "freshness.gone": 0, "yields.enough": 1, "yields.endless": 1,
        "recrawl.interval": 1, "recrawl.shortest": 1, "recrawl.longest_listing": 1,
        "recrawl.shrink": 0.001, "recrawl.grow": 1, "recrawl.evidence": 1, "recrawl.sample": 1,
        "bot_auth.expires": 1, "bot_auth.lead": 0, "bot_auth.keep": 0,
        "bot_auth.directory_expires": 1,
        "intake.max_depth": 0, "intake.at_once": 1, "intake.poll": 0.01, "intake.recover": 1,
        "bodies.ttl": 1,
        "dispatch.depth": 1, "dispatch.patience": 1, "dispatch.again": 0.1, "dispatch.turn": 1,
        "health.port": 0,
        "relay.batch": 1, "relay.look": 0.01, "relay.lease": 1, "relay.keep": 0, "relay.drain": 0,
        "relay.rotate": 1,
    }  # fmt: skip
    values = dict(_leaves(settings))
    for name, least in at_least.items():
        value = values[name]
        if value is not None and not value >= least:
            raise SettingsError(f"{name} = {value}: must be at least {least}.")
    _check_recrawl(settings)
    if not 0 <= settings.similar.distance <= MOST_DISTANCE:
        raise SettingsError(
            f"similar.distance = {settings.similar.distance}: use 0 to {MOST_DISTANCE} bits; what"
            " differs in more is not looked for."
        )
    if not 0 <= settings.browser.nice <= 19:
        raise SettingsError(f"browser.nice = {settings.browser.nice}: use 0 to 19.")
    if settings.contact and not _CONTACT.fullmatch(settings.contact):
        raise SettingsError(
            f"contact = {settings.contact!r}: neither a URL nor a mail address. Site owners use it"
            " to reach you: https://example.org/bot or mailto:you@example.org."
        )


def _check_recrawl(settings: Settings) -> None:
    policy = settings.recrawl
    for name in ("shrink", "honest", "fading", "sweeping"):
        if not 0 <= getattr(policy, name) <= 1:
            raise SettingsError(f"recrawl.{name} = {getattr(policy, name)}: use 0 to 1.")
    if policy.longest < policy.shortest:
        raise SettingsError("recrawl.longest: must not be less than recrawl.shortest.")
    wanted = [("job.recrawl", settings.job.recrawl), ("recrawl.interval", policy.interval)]
    wanted += [(f"interval of the site {site.host}", site.interval) for site in settings.sites]
    for name, interval in wanted:
        # 0 leaves it to recrawl.interval, which is one of them.
        if interval and not policy.shortest <= interval <= policy.longest:
            raise SettingsError(
                f"{name} = {interval:g} seconds: use recrawl.shortest ({policy.shortest:g}) to"
                f" recrawl.longest ({policy.longest:g}), or change these."
            )
    try:
        parse_schedule(settings.job.schedule or "@daily")
    except ScheduleError as error:
        raise SettingsError(f"job.schedule: {error}") from error


# It stands in a header, inside parentheses (RFC 9110, section 10.1.5).
_CONTACT = re.compile(r"(?:https?://|(?:mailto:)?[!-'*-?A-~]+@)[!-'*-~]+")


def type_of(name: str) -> str:
    """The type of a knob as written in the code, for the reference."""
    node: Any = Settings
    for part in name.split("."):
        node = get_type_hints(node)[part]
    return getattr(node, "__name__", str(node)) if isinstance(node, type) else str(node)
