"""Which rules apply to a host, and who made them? Key by key, the most specific pattern first.

Rules come from the settings file and from the ledger (HOST-7). Of several patterns that match a
host, each key is decided by the most specific one that names it: a host without `*` before one
with, with a port before without, then the longer one. Of equal patterns the ledger's counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from tenax.model import SiteRules
from tenax.urls.normalise import host_of, name_of, resolve
from tenax.urls.patterns import HostPatterns, UrlPatterns, host_spelling

KEYS: Final = SiteRules.__struct_fields__[1:]
"""What rules may say; the first field is the pattern."""
_ENV: Final = "env:"
_REMEMBERED: Final = 4_096
_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TEXT: Final = re.compile(r"[\t\x20-\x7e\x80-\U0010ffff]*")


class RuleSource(StrEnum):
    LEDGER = "ledger"
    """By `tenax sites` or the API, for the whole fleet."""
    SETTINGS = "settings"
    """A [[sites]] table of this process's settings."""


class SiteRule(Struct, frozen=True):
    """Rules for one pattern, and where they stand."""

    rules: SiteRules
    source: RuleSource

    @property
    def told(self) -> str:
        return f"site rule {self.rules.host} ({self.source})"


class SiteAtHost(Struct, frozen=True):
    """What the rules of all patterns that match a host come to."""

    rules: SiteRules
    """`host` is the host's own name."""
    decided: dict[str, SiteRule] = field(default_factory=dict)
    """By key, the rule that says it; keys that none says are missing."""
    include: UrlPatterns = UrlPatterns("include", ())
    exclude: UrlPatterns = UrlPatterns("exclude", ())

    @property
    def has_patterns(self) -> bool:
        return bool(self.include or self.exclude)

    def refusal(self, href: str, *, is_seed: bool) -> str | None:
        """Why a URL of the host is not wanted; None when it is. Seeds need not be included."""
        if pattern := self.exclude.first_match(href):
            return f"matches exclude {pattern} of the {self.decided['exclude'].told}"
        if self.include and not is_seed and not self.include.first_match(href):
            return f"matches no include pattern of the {self.decided['include'].told}"
        return None


class Sites:
    """The rules as this process knows them: one for all its parts, renewed when they change."""

    def __init__(self, of_settings: Iterable[SiteRules] = ()) -> None:
        """Raises `ValueError` for a pattern that is none."""
        self.version = 0
        """Of the ledger's rules, as last heard."""
        self.changes = 0
        """Grows with every change: who remembers what was decided looks at it."""
        self._of_settings = [SiteRule(rules, RuleSource.SETTINGS) for rules in of_settings]
        self._renew(())

    def heed(self, version: int, of_ledger: Iterable[SiteRules]) -> None:
        """These are the ledger's rules from now on."""
        self._renew(SiteRule(rules, RuleSource.LEDGER) for rules in of_ledger)
        self.version = version
        self.changes += 1

    def of(self, host: str) -> SiteAtHost:
        """What holds for a host (with its port, where that is not the default one)."""
        site = self._known.get(host)
        if site is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            site = self._known[host] = self._resolve(host)
        return site

    def matching(self, host: str) -> list[SiteRule]:
        """The rules whose pattern matches a host, the most specific first."""
        name = name_of(host)
        named = self._named.get(host, []) + (self._named.get(name, []) if name != host else [])
        return named + [rule for rule, glob in self._globs if glob.first_match(host)]

    def all(self) -> list[SiteRule]:
        """Every rule, the most specific first."""
        return list(self._rules)

    def __bool__(self) -> bool:
        return bool(self._rules)

    @property
    def has_limits(self) -> bool:
        """Whether any site takes only so many URLs."""
        return "max_pages" in self._said

    @property
    def has_priorities(self) -> bool:
        return "priority" in self._said

    @property
    def has_proxies(self) -> bool:
        return "proxy" in self._said

    @property
    def has_logins(self) -> bool:
        return "login" in self._said

    def _renew(self, of_ledger: Iterable[SiteRule]) -> None:
        # Sorting is stable: at equal patterns the ledger's rules stay ahead.
        rules = self._rules = sorted([*of_ledger, *self._of_settings], key=_place)
        self._said = {key for rule in rules for key in said(rule.rules)}
        self._known: dict[str, SiteAtHost] = {}
        # There may be thousands of hosts by name: those are looked up, patterns are tried.
        self._named: dict[str, list[SiteRule]] = {}
        self._globs: list[tuple[SiteRule, HostPatterns]] = []
        for rule in rules:
            if "*" in rule.rules.host:
                self._globs.append((rule, HostPatterns("sites.host", (rule.rules.host,))))
            else:
                name = host_spelling("sites.host", rule.rules.host)
                self._named.setdefault(name, []).append(rule)

    def _resolve(self, host: str) -> SiteAtHost:
        decided: dict[str, SiteRule] = {}
        for rule in self.matching(host):
            for key in said(rule.rules):
                decided.setdefault(key, rule)
        if not decided:
            return _PLAIN
        rules = SiteRules(host, **{key: getattr(by.rules, key) for key, by in decided.items()})
        return SiteAtHost(
            rules,
            decided,
            UrlPatterns("include", rules.include or ()),
            UrlPatterns("exclude", rules.exclude or ()),
        )


_PLAIN: Final = SiteAtHost(SiteRules(""))


def said(rules: SiteRules) -> dict[str, Any]:
    """What rules say, by key; nothing of what they leave open."""
    return {key: value for key in KEYS if (value := getattr(rules, key)) is not None}


def spelled(pattern: str) -> str:
    """A pattern as hosts are spelled, so that there is one of each. Raises `ValueError`."""
    return host_spelling("host", pattern)


def wrong_rules(rules: SiteRules) -> tuple[str, str] | None:
    """The key that cannot be meant so, and why; None when all can. Bounds are checked before."""
    try:
        HostPatterns("host", (rules.host,))
    except ValueError as error:
        return "host", str(error).removeprefix("host: ")
    for key in ("include", "exclude"):
        try:
            UrlPatterns(key, getattr(rules, key) or ())
        except ValueError as error:
            return key, str(error).removeprefix(f"{key}: ")
    for name, value in (rules.headers or {}).items():
        if not _TOKEN.fullmatch(name) or not _TEXT.fullmatch(value):
            return "headers", "a header needs a name without blanks and a value of one line."
    for name, value in (rules.cookies or {}).items():
        if not _TOKEN.fullmatch(name) or not _TEXT.fullmatch(value) or ";" in value:
            return "cookies", "a cookie needs a name without blanks and a value without semicolon."
    return _wrong_login(rules)


def _wrong_login(rules: SiteRules) -> tuple[str, str] | None:
    url, check = rules.login, rules.login_check
    if url is not None and login_url(rules, rules.host) is None:
        told = "a path such as /login, or an http or https URL of this very host."
        return "login", f"{told} With * in the pattern of hosts only a path will do."
    if check is not None and not check.removeprefix("css:").removeprefix("cookie:").strip():
        return "login_check", "write a text of the page, css:SELECTOR or cookie:NAME."
    return None


def login_url(rules: SiteRules, host: str) -> str | None:
    """Where to log in at a host; None where these rules name no place there. A path is asked for
    by https, whatever links say: whoever wants to send a password in the open writes that out."""
    url = rules.login or ""
    if url.startswith("/") and not url.startswith("//"):
        return resolve(url, f"https://{host.replace('*', 'x')}/")
    href = resolve(url)
    if href is None or not href.startswith(("http://", "https://")) or "@" in href.split("/")[2]:
        return None
    there = host_of(href)
    return href if host in (there, name_of(there)) else None


def in_environment(rules: SiteRules) -> str | None:
    """The first field of the login that is to come from the environment; None where none is."""
    fields = rules.login_fields or {}
    return next((name for name, value in fields.items() if value.startswith(_ENV)), None)


def from_environment(rules: SiteRules, environ: Mapping[str, str]) -> SiteRules:
    """With the values of `env:NAME`. Raises `ValueError` where the environment has none."""
    if in_environment(rules) is None:
        return rules
    fields = {}
    for name, value in (rules.login_fields or {}).items():
        variable = value.removeprefix(_ENV)
        if value.startswith(_ENV) and not environ.get(variable):
            where = f"login_fields.{name} of the site {rules.host}"
            raise ValueError(f"{where}: the environment has no {variable}.")
        fields[name] = environ[variable] if value.startswith(_ENV) else value
    return replace(rules, login_fields=fields)


def _place(rule: SiteRule) -> tuple[int, int, int]:
    """The smaller, the more specific."""
    pattern = rule.rules.host
    has_port = ":" in pattern.rpartition("]")[2]
    return int("*" in pattern), -int(has_port), -len(pattern.replace("*", ""))
