"""How are the rules of a site changed? Set, unset, replace, remove: once, for the whole fleet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tenax.crawl.fleet.site_news import SiteNews
from tenax.jobs.revisit_policy import RecrawlPolicy
from tenax.model import SiteRules
from tenax.ops.secrets import MASK
from tenax.ops.sites.wishes import TABLES, SiteProblem, make_rules, unknown_key
from tenax.ports import SiteStore
from tenax.urls.sites import said, spelled

_Change: TypeAlias = Callable[[SiteRules], SiteRules | None]


class SiteContext(Struct, frozen=True):
    """What the verbs about sites work with."""

    store: SiteStore
    news: SiteNews
    """Told at once, so that this process obeys, too."""
    recrawl: RecrawlPolicy


async def set_keys(
    context: SiteContext, pattern: str, wanted: Mapping[str, Any]
) -> SiteRules | SiteProblem:
    """Add to what the rules of a pattern say, or change it; what is not named stays. Of headers
    and cookies those that are named."""
    rules = make_rules(pattern, wanted, context.recrawl, strict=False)
    if isinstance(rules, SiteProblem):
        return rules
    new = said(rules)
    if not new:
        return SiteProblem("", "nothing to set: write KEY=VALUE, such as delay=5.")

    def change(before: SiteRules) -> SiteRules:
        tables = {key: (getattr(before, key) or {}) | new[key] for key in TABLES if key in new}
        return replace(before, **(new | tables))

    return await _changed(context, rules.host, change) or rules


async def replace_rules(
    context: SiteContext, pattern: str, wanted: Mapping[str, Any]
) -> SiteRules | SiteProblem:
    """These and no others. A header or cookie whose value is the mask stays as it is: so whoever
    was shown the rules can send them back."""
    rules = make_rules(pattern, wanted, context.recrawl)
    if isinstance(rules, SiteProblem):
        return rules
    if not said(rules):
        return SiteProblem("", "these rules say nothing. To have none, delete them.")
    lacking: list[str] = []

    def change(before: SiteRules) -> SiteRules | None:
        lacking.clear()
        tables = {}
        for key in TABLES:
            table, known = getattr(rules, key), getattr(before, key) or {}
            if table is not None:
                kept = [name for name, value in table.items() if value == MASK]
                lacking.extend(f"{key}.{name}" for name in kept if name not in known)
                tables[key] = table | {name: known.get(name, "") for name in kept}
        if lacking:
            return before if said(before) else None
        return replace(rules, **tables)

    changed = await _changed(context, rules.host, change)
    if lacking:
        return SiteProblem(lacking[0][:60], "its value is the mask, and there is none to keep.")
    return changed or rules


async def unset_keys(
    context: SiteContext, pattern: str, names: Sequence[str]
) -> SiteRules | SiteProblem | None:
    """Let the rules of a pattern say nothing of these; a header or cookie is `headers.NAME`. None
    when nothing is left of them."""
    for name in names:
        if (problem := unknown_key(name.partition(".")[0])) is not None:
            return problem
    before = await _rules_of(context, pattern)
    if isinstance(before, SiteProblem):
        return before
    for name in names:
        key, _, inner = name.partition(".")
        value = getattr(before, key)
        if value is None or (inner and (key not in TABLES or inner not in value)):
            return SiteProblem(name[:60], f"the rules of {before.host} say nothing of it.")

    def change(now: SiteRules) -> SiteRules | None:
        for name in names:
            key, _, inner = name.partition(".")
            table = dict(getattr(now, key) or {}) if inner else {}
            table.pop(inner, None)
            now = replace(now, **{key: table or None})
        return now if said(now) else None

    return await _changed(context, before.host, change)


async def remove_rules(context: SiteContext, pattern: str) -> SiteProblem | None:
    """Let the ledger say nothing of a pattern; what the settings say of it stays."""
    before = await _rules_of(context, pattern)
    if isinstance(before, SiteProblem):
        return before
    await _changed(context, before.host, lambda _: None)
    return None


async def _rules_of(context: SiteContext, pattern: str) -> SiteRules | SiteProblem:
    try:
        host = spelled(pattern)
    except ValueError as error:
        return SiteProblem("host", str(error).removeprefix("host: "))
    known = (await context.store.load(secrets=False)).rules
    found = next((rules for rules in known if rules.host == host), None)
    return found or SiteProblem("", f"the ledger has no rules for {host[:60]}.", is_unknown=True)


async def _changed(context: SiteContext, host: str, change: _Change) -> SiteRules | None:
    changed = await context.store.change(host, change)
    await context.news.look()
    return changed
