"""An alert as JSON, and in one word: the same for commands and API. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tenax.ops.alerts.rules import PRODUCT_TERMS, AlertRule, limits, product_rules
from tenax.ports.checks import AlertRecord


class AlertJson(Struct, frozen=True):
    id: int
    what: str
    about: str | None
    """Which worker, site, sink or product; null for all together."""
    told: str
    value: float
    state: str
    """`raised`, `silenced` or `cleared`."""
    since: float
    raised_at: float | None
    cleared_at: float | None
    silent_until: float | None
    heard: tuple[str, ...]
    """Who was told of what: `raised:mail`."""


class RuleJson(Struct, frozen=True):
    """A rule that is on."""

    what: str
    name: str | None
    """Null for those that are on by default."""
    threshold: float
    is_upper: bool
    """More than that is wrong; else less."""
    lasting: float
    """Seconds that it has to be so."""
    of: dict[str, str]
    """Of which products; empty for all, and for what is not of products."""


def rule_facts(rules: Sequence[AlertRule]) -> list[RuleJson]:
    """Every rule that is on: those by default, as they were changed, then those of products."""
    found = [
        RuleJson(what.value, None, limit.threshold, limit.is_upper, limit.lasting, {})
        for what, limit in limits(rules).items()
    ]
    for rule, limit in product_rules(rules):
        of = {key: value for key in PRODUCT_TERMS if (value := getattr(rule, key))}
        found.append(RuleJson(rule.what.value, rule.name, limit.threshold, True, limit.lasting, of))
    return found


def alert_facts(alert: AlertRecord, now: float) -> AlertJson:
    return AlertJson(
        id=alert.id,
        what=alert.what,
        about=alert.about or None,
        told=alert.told,
        value=alert.value,
        state=state_of(alert, now),
        since=alert.since,
        raised_at=alert.raised_at or None,
        cleared_at=alert.cleared_at or None,
        silent_until=alert.silent_until or None,
        heard=tuple(sorted(alert.heard)),
    )


def state_of(alert: AlertRecord, now: float) -> str:
    if alert.cleared_at is not None:
        return "cleared"
    return "silenced" if now < alert.silent_until else "raised"
