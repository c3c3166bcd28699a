"""How do the rules of sites read? As JSON, secrets masked; and which of them decide at a host."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from tenax.model import SiteRules
from tenax.ops.secrets import masked
from tenax.urls.sites import KEYS, RuleSource, SiteAtHost, SiteRule, said


class SiteFact(Struct, frozen=True):
    """One key that rules decide at a host."""

    key: str
    value: Any
    pattern: str
    source: str
    """`ledger` or `settings`."""


def rules_json(rules: SiteRules) -> dict[str, Any]:
    """What they say, by key; of headers and cookies the names."""
    told: dict[str, Any] = said(masked("sites", rules))
    return {key: list(value) if isinstance(value, tuple) else value for key, value in told.items()}


class RuleFacts(Struct, frozen=True):
    """The rules of a pattern of hosts."""

    host: str
    """The pattern."""
    source: RuleSource
    rules: dict[str, Any]
    """What they say, by key; of headers and cookies the names."""


def rule_facts(rule: SiteRule) -> RuleFacts:
    return RuleFacts(rule.rules.host, rule.source, rules_json(rule.rules))


def site_facts(site: SiteAtHost) -> tuple[SiteFact, ...]:
    """Every key that the rules of the host's site decide, and which of them does."""
    values = rules_json(site.rules)
    return tuple(
        SiteFact(key, values[key], by.rules.host, by.source.value)
        for key in KEYS
        if (by := site.decided.get(key)) is not None
    )
