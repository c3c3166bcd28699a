"""What is Tenax told to do, and by whom? The typed settings tree; the only reader of files and
environment.

Every knob is a field of a policy beside the code that obeys it; this module gathers them and
remembers where each value came from.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from tenax.adapters.browser.policy import BrowserPolicy
from tenax.crawl.fleet.handout import DispatchPolicy
from tenax.crawl.fleet.intake import IntakePolicy
from tenax.crawl.handling.policy import HandlingPolicy
from tenax.crawl.outages.best_effort_copies import BodyPolicy
from tenax.crawl.outages.outage import OutagePolicy
from tenax.crawl.policy import (
    CarePolicy,
    CommitPolicy,
    FeedPolicy,
    LeasePolicy,
    LogPolicy,
    RetryPolicy,
)
from tenax.crawl.traps.judgement import TrapPolicy
from tenax.discover.gathered import ListingPolicy
from tenax.discover.guess_policy import GuessPolicy
from tenax.fetch.bot_auth.signatures import BotAuthPolicy
from tenax.fetch.fetch_policy import FetchPolicy, PagePolicy, ReadingPolicy, SimilarPolicy
from tenax.fetch.freshness import FreshnessPolicy
from tenax.fetch.proxies.choice import ProxyPolicy
from tenax.hosts import conduct
from tenax.hosts.breaker import BreakerPolicy
from tenax.hosts.budget import BudgetPolicy
from tenax.hosts.cooldown import CooldownPolicy
from tenax.hosts.pace import PacePolicy, pace_at
from tenax.hosts.robots_policy import RobotsPolicy, robots_at
from tenax.hosts.throttle import ThrottlePolicy
from tenax.jobs.calendar import ScheduleError, parse_schedule
from tenax.jobs.revisit_policy import RecrawlPolicy, contradiction, wrong_interval
from tenax.model import JobSpec, SiteRules, Webhook
from tenax.model.knobs import AtLeastOne, Knob, Name, Seconds, knob
from tenax.model.record import RecordRule
from tenax.ops.accounts.limits import ApiPolicy
from tenax.ops.alerts.rules import AlertingPolicy, AlertRule, wrong_alerting, wrong_alerts
from tenax.ops.events.delivery import RelayPolicy, wrong_webhooks
from tenax.ops.health.pulse import HealthPolicy
from tenax.ops.lifecycle.retention_policy import RetentionPolicy
from tenax.ops.secrets import masked

if TYPE_CHECKING:
    from tenax.urls.sites import SiteAtHost

FILE = "tenax.toml"
PREFIX = "TENAX_"
# What Kubernetes tells every pod of a service whose name begins with tenax: no settings.
_SERVICE_LINK = re.compile(r"TENAX_([A-Z0-9]+_)*(SERVICE_(HOST|PORT\w*)|PORT(_\d+_[A-Z]+\w*)?)")


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
    token: Name = "tenax"
    """The product token that robots.txt rules are matched against."""
    allow_private: tuple[str, ...] = ()
    """Networks (CIDR) that may be crawled although they are not public."""
    busy: Seconds = 15.0
    """Seconds to wait for a ledger that another program has locked."""
    sites: tuple[SiteRules, ...] = ()
    """Rules for single sites, as [[sites]] tables: the pattern of their hosts, and what differs."""
    alerts: tuple[AlertRule, ...] = ()
    """Where alerts differ from what they are by default, as [[alerts]] tables (OBS-4)."""
    webhooks: tuple[Webhook, ...] = ()
    """Who is told by requests, as [[webhooks]] tables: where, of what, signed with what."""
    handlers: tuple[str, ...] = ()
    """Files with handlers of your own: Python, with functions marked @on (REC-1)."""
    records: tuple[RecordRule, ...] = ()
    """Records without a program, as [[records]] tables: which pages, and a selector for each
    field (REC-2)."""
    processes: AtLeastOne = 1
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
    traps: TrapPolicy = field(default_factory=TrapPolicy)
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
    page: PagePolicy = field(default_factory=PagePolicy)
    similar: SimilarPolicy = field(default_factory=SimilarPolicy)
    handling: HandlingPolicy = field(default_factory=HandlingPolicy)
    lease: LeasePolicy = field(default_factory=LeasePolicy)
    outage: OutagePolicy = field(default_factory=OutagePolicy)
    commit: CommitPolicy = field(default_factory=CommitPolicy)
    feed: FeedPolicy = field(default_factory=FeedPolicy)
    intake: IntakePolicy = field(default_factory=IntakePolicy)
    bodies: BodyPolicy = field(default_factory=BodyPolicy)
    dispatch: DispatchPolicy = field(default_factory=DispatchPolicy)
    health: HealthPolicy = field(default_factory=HealthPolicy)
    log: LogPolicy = field(default_factory=LogPolicy)
    care: CarePolicy = field(default_factory=CarePolicy)
    alerting: AlertingPolicy = field(default_factory=AlertingPolicy)
    relay: RelayPolicy = field(default_factory=RelayPolicy)
    api: ApiPolicy = field(default_factory=ApiPolicy)
    retention: RetentionPolicy = field(default_factory=RetentionPolicy)

    def __repr__(self) -> str:
        """Nothing of it: there are secrets among them, and reprs end up in logs (SEC-3)."""
        return "Settings(...)"

    def at(self, site: SiteAtHost) -> Settings:
        """How a host is treated, by the rules of its site."""
        pace, robots = pace_at(self.pace, site), robots_at(self.robots, site)
        return replace(self, pace=pace, robots=robots)

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
        raise SettingsError(_explain(str(error), tree, sources)) from error
    _check(settings, sources)
    return Loaded(_with_secrets(settings, environ) if settings.sites else settings, sources)


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
    found, known = {}, _defaults()
    for name, value in environ.items():
        dotted = name.removeprefix(PREFIX).lower().replace("__", ".")
        is_link = dotted not in known and _SERVICE_LINK.fullmatch(name)
        if name.startswith(PREFIX) and name != f"{PREFIX}CONFIG" and not is_link:
            listed = [item.strip() for item in value.split(",") if item.strip()]
            found[dotted] = listed if isinstance(known.get(dotted), tuple) else value
    return found


def _flatten(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping) and value:
            yield from _flatten(value, f"{name}.")
        else:
            yield name, value


def _put(tree: dict[str, Any], name: str, value: Any, source: str) -> None:
    known = _defaults()
    if name not in known:
        below = [each for each in known if each.startswith(f"{name}.")]
        if below and value == {}:
            return
        raise SettingsError(f"unknown setting {name!r} ({source}).{_hint(name, known, below)}")
    *path, last = name.split(".")
    for part in path:
        tree = tree.setdefault(part, {})
    tree[last] = value


def _hint(name: str, known: Mapping[str, Any], below: Sequence[str]) -> str:
    if below:
        return f" It is a table: write [{name}], and {below[0].removeprefix(f'{name}.')} below it."
    above = name.rpartition(".")[0]
    if above == "sites":
        return " Write it in a table of its site: [[sites]]."
    if above in ("webhooks", "records"):
        return f" Write it in a table of its own: [[{above}]]."
    return _nearest(name, known) or " See `tenax config` for all of them."


def _nearest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f" Did you mean {close[0]!r}?" if close else ""


def _leaves(node: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for item in node.__struct_fields__:
        value = getattr(node, item)
        name = f"{prefix}{item}"
        if isinstance(value, Struct):
            yield from _leaves(value, f"{name}.")
        else:
            yield name, value


def _explain(error: str, tree: Mapping[str, Any], sources: Mapping[str, str]) -> str:
    """msgspec names the place as `$.pace.delay`; people want to know what they wrote there, where,
    and what to write instead."""
    text, _, place = error.partition(" - at `$.")
    steps = _STEP.findall(place)
    depth = next((at for at, step in enumerate(steps) if step.isdecimal()), len(steps))
    name, inside = ".".join(steps[:depth]), steps[depth:]
    source, value, bounds = sources.get(name, "settings"), _value(tree, name), declared(name)
    if not inside:
        if bounds.is_list:
            return f"{name} ({source}): must be a list of {bounds.plural}."
        return _told(name, value, source, bounds)
    item, which = value[int(inside[0])], f"number {int(inside[0]) + 1}"
    if bounds.kind != "table":
        return f"{which} of " + _told(name, item, source, bounds)
    if not isinstance(item, Mapping):
        return f"{name} ({source}): write each as a table, [[{name}]], in the settings file."
    owner, last = _owner(name)
    (kind, *_) = get_args(get_type_hints(owner)[last])
    # The first field is what people know such a table by.
    called = item.get(kind.__struct_fields__[0])
    label = f"[[{name}]] {which}" + (f", {called}" if isinstance(called, str) else "")
    if len(inside) == 1:
        return _misspelt(text, label, source, kind)
    return f"{label}: " + _told(inside[1], item.get(inside[1]), source, knob(kind, inside[1]))


_STEP = re.compile(r"[^.\[\]`]+")


def _told(name: str, value: Any, source: str, bounds: Knob) -> str:
    if bounds.kind == "table" and isinstance(value, Mapping):
        return f"{name} ({source}): each of its values must be a text."
    # What has parts may be long, and what a site is sent opens doors.
    if bounds.kind == "table" or isinstance(value, list | Mapping):
        return f"{name} ({source}): {bounds.demand(value)}."
    shown = masked(name, value)
    if isinstance(value, bool) or (isinstance(value, str) and source != "environment"):
        shown = json.dumps(shown, ensure_ascii=False)
    return f"{name} = {shown} ({source}): {bounds.demand(value)}."


def _misspelt(text: str, label: str, source: str, kind: type[Struct]) -> str:
    """A key too many in a table of a list, or too few."""
    key = text.partition("`")[2].rstrip("`")
    if "missing" in text:
        return f"{label} ({source}): needs {key!r}."
    known = kind.__struct_fields__
    hint = _nearest(key, known) or f" Use {', '.join(known)}."
    return f"unknown setting {key!r} in {label} ({source}).{hint}"


def _value(tree: Any, name: str) -> Any:
    for step in name.split("."):
        tree = tree[step]
    return tree


def _owner(name: str) -> tuple[type[Struct], str]:
    """The policy that declares a knob, and the knob's own name."""
    owner: Any = Settings
    *path, last = name.split(".")
    for step in path:
        owner = get_type_hints(owner)[step]
    return owner, last


@cache
def declared(name: str) -> Knob:
    """What a knob may be set to."""
    return knob(*_owner(name))


def _check(settings: Settings, sources: Mapping[str, str]) -> None:
    """What no single knob can tell."""
    for name, told, wrong in _contradictions(settings):
        raise SettingsError(f"{told} ({sources.get(name, 'default')}): {wrong}")


def _contradictions(settings: Settings) -> Iterator[tuple[str, str, str]]:
    """The setting, how it is told of, and what is wrong with it."""
    job, recrawl = settings.job, settings.recrawl
    if wrong := contradiction(recrawl):
        yield "recrawl.longest", f"recrawl.longest = {recrawl.longest:g} seconds", wrong
    wanted = [
        ("job.recrawl", "job.recrawl", job.recrawl),
        ("recrawl.interval", "recrawl.interval", recrawl.interval),
        *(("sites", f"interval of the site {site.host}", site.interval) for site in settings.sites),
    ]
    for name, told, interval in wanted:
        # 0 leaves it to recrawl.interval, which is one of them.
        if interval and (wrong := wrong_interval(interval, recrawl)):
            yield name, f"{told} = {interval:g} seconds", wrong
    yield from _wrong_sites(settings)
    yield from wrong_webhooks(settings.webhooks)
    yield from _wrong_records(settings)
    try:
        parse_schedule(job.schedule or "@daily")
    except ScheduleError as error:
        yield "job.schedule", "job.schedule", str(error)
    queue = settings.intake.queue
    if queue == settings.relay.dead_list:
        yield "intake.queue", f"intake.queue = {queue!r}", _SAME_LISTS
    if not all(_PLACE.fullmatch(place) for place in settings.care.probe):
        yield "care.probe", f"care.probe = {list(settings.care.probe)}", _NO_PLACE
    for told, wrong in wrong_alerts(settings.alerts):
        yield "alerts", f"[[alerts]]: {told}", wrong
    yield from wrong_alerting(settings.alerting)
    if settings.contact and not _CONTACT.fullmatch(settings.contact):
        yield "contact", f"contact = {settings.contact!r}", _NO_CONTACT
    if settings.allow_private:
        from tenax.urls.addresses import wrong_networks

        yield from wrong_networks(settings.allow_private)


def _wrong_sites(settings: Settings) -> Iterator[tuple[str, str, str]]:
    if settings.sites:  # only those who have some pay for the import
        from tenax.urls.sites import wrong_rules

        for site in settings.sites:
            if wrong := wrong_rules(site):
                yield "sites", f"{wrong[0]} of the site {site.host}", wrong[1]


def _with_secrets(settings: Settings, environ: Mapping[str, str]) -> Settings:
    from tenax.urls.sites import from_environment

    try:
        sites = tuple(from_environment(site, environ) for site in settings.sites)
    except ValueError as error:
        raise SettingsError(str(error)) from error
    return replace(settings, sites=sites)


def _wrong_records(settings: Settings) -> Iterator[tuple[str, str, str]]:
    if settings.records:
        from tenax.page.handlers.record_rules import wrong_rules

        for number, why in wrong_rules(settings.records):
            yield "records", f"[[records]] number {number}", why


_NO_PLACE = "each must be HOST:PORT, such as 192.0.2.53:53 or resolver.example.org:443."
_SAME_LISTS = (
    "dead letters are put on the same list, and would be crawled. Give it another name, or"
    " relay.dead_list."
)
_NO_CONTACT = (
    "neither a URL nor a mail address. Site owners use it to reach you: https://example.org/bot or"
    " mailto:you@example.org."
)
_PLACE = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):[0-9]{1,5}")
# It stands in a header, inside parentheses (RFC 9110, section 10.1.5).
_CONTACT = re.compile(r"(?:https?://|(?:mailto:)?[!-'*-?A-~]+@)[!-'*-~]+")
