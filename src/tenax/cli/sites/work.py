"""What do the commands of `tenax sites` do? Ask for the rules, change them, and show them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tenax.cli.look.show_hosts import site_lines, told_value
from tenax.cli.terminal.say import (
    EXIT_BAD_INPUT,
    EXIT_NOTHING,
    as_json,
    fail,
    moment,
    note,
    plain,
    plural,
    printable,
)
from tenax.cli.terminal.table import TableColumn, table, terminal_width
from tenax.compose import has_ledger, open_ledger
from tenax.model import SiteRules
from tenax.ops.sites.change import remove_rules, set_keys, unset_keys
from tenax.ops.sites.cookie_files import BrowserCookie, for_host
from tenax.ops.sites.facts import rule_facts, rules_json, site_facts
from tenax.ops.sites.wishes import SiteProblem, read_wishes
from tenax.ops.why.lookup import as_asked
from tenax.settings import Settings
from tenax.urls.normalise import host_of
from tenax.urls.sites import RuleSource, SiteRule, Sites, spelled


async def list_sites(settings: Settings, json: bool) -> int:
    rules = (await _sites(settings)).all()
    if json:
        for rule in rules:
            as_json(rule_facts(rule))
        return 0
    if not rules:
        note("No site has rules of its own. Make some: tenax sites set HOST KEY=VALUE")
        return 0
    columns = (
        TableColumn("host", yields=True),
        TableColumn("by"),
        TableColumn("rules", yields=True),
    )
    rows = [(rule.rules.host, rule.source.value, _in_short(rule.rules)) for rule in rules]
    print("\n".join(table(columns, rows, terminal_width())))
    note(f"{plural(len(rows), 'rule')}, the most specific first.")
    return 0


async def show_site(settings: Settings, asked: str, json: bool) -> int:
    sites = await _sites(settings)
    try:
        pattern = spelled(asked)
    except ValueError:
        href = as_asked(asked)
        if href is None:
            return fail(f"{printable(asked)}: neither a host nor a pattern.", EXIT_BAD_INPUT)
        pattern = host_of(href)
    if "*" in pattern:
        return _show_pattern([r for r in sites.all() if r.rules.host == pattern], pattern, json)
    facts = site_facts(sites.of(pattern))
    if json:
        as_json({"host": pattern, "site": plain(facts)})
    elif facts:
        print(pattern)
        print("\n".join(site_lines(facts)))
    else:
        note(f"No rules apply to {pattern}: it is treated as the settings say.")
    return 0 if facts else EXIT_NOTHING


def _show_pattern(rules: Sequence[SiteRule], pattern: str, json: bool) -> int:
    if not rules:
        return fail(f"{pattern}: no rules for this pattern. See `tenax sites list`.", EXIT_NOTHING)
    for rule in rules:
        if json:
            as_json(rule_facts(rule))
            continue
        print(f"{rule.rules.host} ({rule.source})")
        for key, value in rules_json(rule.rules).items():
            print(f"  {key:<16}{printable(told_value(value))}")
    return 0


async def set_site(settings: Settings, pattern: str, wishes: Sequence[str], json: bool) -> int:
    wanted = read_wishes(wishes, lambda: sys.stdin.readline().rstrip("\r\n"))
    if isinstance(wanted, SiteProblem):
        return _failed(pattern, wanted)
    async with open_ledger(settings) as ledger:
        await ledger.know_sites()
        return _changed(pattern, await set_keys(ledger.site_context, pattern, wanted), json)


async def set_cookies(settings: Settings, host: str, found: Sequence[BrowserCookie]) -> int:
    """Keep those that the host would get, in place of those that it had."""
    async with open_ledger(settings) as ledger:
        mine = for_host(found, host, ledger.clock.now())
        if not mine:
            return fail(f"no cookie is for {host}: nothing was kept.", EXIT_NOTHING)
        await ledger.know_sites()
        wanted = {"cookies": {cookie.name: cookie.value for cookie in mine}}
        await unset_keys(ledger.site_context, host, ["cookies"])
        rules = await set_keys(ledger.site_context, host, wanted)
    if isinstance(rules, SiteProblem):
        return _failed(host, rules)
    ends = min((cookie.expires for cookie in mine if cookie.expires is not None), default=None)
    until = f", the first of them until {moment(ends)}" if ends is not None else ""
    note(f"{host}: {plural(len(mine), 'cookie')} kept{until}. Every worker sends them.")
    return 0


async def unset_site(settings: Settings, pattern: str, keys: Sequence[str], json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        await ledger.know_sites()
        return _changed(pattern, await unset_keys(ledger.site_context, pattern, keys), json)


async def remove_site(settings: Settings, pattern: str, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        await ledger.know_sites()
        return _changed(pattern, await remove_rules(ledger.site_context, pattern), json)


def _changed(pattern: str, rules: SiteRules | SiteProblem | None, json: bool) -> int:
    if isinstance(rules, SiteProblem):
        return _failed(pattern, rules)
    if json:
        told = SiteRule(rules or SiteRules(spelled(pattern)), RuleSource.LEDGER)
        as_json({**plain(rule_facts(told)), "removed": rules is None})
    elif rules is None:
        note(f"The ledger has no rules for {spelled(pattern)} any more.")
    else:
        note(f"{rules.host}: {printable(_in_short(rules))}. Every worker obeys within seconds.")
    return 0


def _failed(pattern: str, problem: SiteProblem) -> int:
    if problem.is_unknown:
        return fail(f"{printable(problem.why)} See `tenax sites list`.", EXIT_NOTHING)
    return fail(f"{printable(pattern)}: {printable(problem.told)}", EXIT_BAD_INPUT)


def _in_short(rules: SiteRules) -> str:
    return "; ".join(f"{key}={told_value(value)}" for key, value in rules_json(rules).items())


async def _sites(settings: Settings) -> Sites:
    if not has_ledger(settings):
        return Sites(settings.sites)
    async with open_ledger(settings, create=False) as ledger:
        await ledger.know_sites()
        return ledger.sites
