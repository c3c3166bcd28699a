"""How are hosts shown? A line each, or everything about one."""

from __future__ import annotations

import difflib

from tenax.cli.say import (
    EXIT_NOTHING,
    as_json,
    duration,
    fail,
    moment,
    note,
    plain,
    plural,
    printable,
)
from tenax.cli.table import Column, table, terminal_width
from tenax.compose import App, open_app
from tenax.hosts.pace import delay_of, opens_at
from tenax.model import Health
from tenax.ops.advice import RobotsAdvice, advise
from tenax.ops.lookup import as_asked
from tenax.ports import HostRecord
from tenax.settings import Settings
from tenax.urls.normalise import host_of


async def list_hosts(settings: Settings, limit: int, json: bool) -> int:
    async with open_app(settings, create=False) as app:
        found = await app.hosts.all(limit=limit + 1)
        now = app.parts.clock.now()
    shown = found[:limit]
    if json:
        for record in shown:
            as_json(plain(record))
        return 0
    columns = (
        Column("host", yields=True), Column("pages", right=True), Column("known", right=True),
        Column("delay", right=True), Column("next turn"), Column("health", yields=True),
    )  # fmt: skip
    rows = [_row(record, settings, now) for record in shown]
    if rows:
        print("\n".join(table(columns, rows, terminal_width())))
    more = " or more; --limit shows them" if len(found) > limit else ""
    note(f"{plural(len(shown), 'host')}{more}." if shown else "No hosts known yet.")
    return 0


async def tell_host(settings: Settings, asked: str, json: bool) -> int:
    href = as_asked(asked)
    async with open_app(settings, create=False) as app:
        record = await app.hosts.get(host_of(href)) if href else None
        if record is None:
            return fail(
                f"{asked}: not a host of this crawl.{await _hint(app, asked)}", EXIT_NOTHING
            )
        now = app.parts.clock.now()
        robots = await app.robots.load(record.host.origin)
        home = f"{record.host.origin}/"
        advice = advise(home, robots, settings.token, settings.robots, now)
    if json:
        as_json({**plain(record), "robots": plain(advice)})
        return 0
    for line in host_lines(record, settings, now):
        print(line)
    for line in robots_lines(advice, now):
        print(line)
    return 0


def host_lines(record: HostRecord, settings: Settings, now: float) -> list[str]:
    """What is known of a host, for `hosts` and `why`."""
    host, pace = record.host, record.host.pace
    asked = f", its robots.txt asks for {pace.crawl_delay:g} s" if pace.crawl_delay else ""
    ours = delay_of(pace, settings.pace)
    return [
        f"Host {host.name}",
        f"  known       {plural(record.known, 'URL')}, {plural(record.pages, 'page')} stored,"
        f" {plural(host.visits, 'visit')}",
        f"  pace        {ours:g} s between requests by these settings{asked}",
        f"  turn        {_turn(record, now)}",
        f"  health      {_health(host.health)}",
    ]


def robots_lines(advice: RobotsAdvice, now: float) -> list[str]:
    """The record of a robots.txt, for `hosts` and `why`."""
    lines = [f"robots.txt of {advice.origin}"]
    if advice.allowed is None:
        return [*lines, f"  record      {advice.why}"]
    answer = advice.error or f"answered {advice.status}"
    age = f"asked {duration(max(now - advice.fetched_at, 0))} ago"
    until = f"holds until {moment(advice.expires_at)}" if advice.is_fresh else "to be asked again"
    lines.append(f"  record      {printable(answer)}; {age}, {until}")
    if advice.group:
        delay = (
            "no Crawl-delay"
            if advice.crawl_delay is None
            else f"Crawl-delay {advice.crawl_delay:g}"
        )
        lines.append(f"  group       user-agent {printable(advice.group)}, {delay}")
    lines += [f"  sitemap     {printable(sitemap)}" for sitemap in advice.sitemaps[:5]]
    if len(advice.sitemaps) > 5:
        lines.append(f"{'':14}and {len(advice.sitemaps) - 5:,} more")
    return lines


def _row(record: HostRecord, settings: Settings, now: float) -> tuple[str, ...]:
    host = record.host
    return (
        host.name,
        f"{record.pages:,}",
        f"{record.known:,}",
        f"{delay_of(host.pace, settings.pace):g} s",
        _turn(record, now),
        _health(host.health),
    )


def _turn(record: HostRecord, now: float) -> str:
    pace = record.host.pace
    if record.host.paused:
        return "paused"
    if record.leased:
        return f"working on {record.leased:,}"
    if record.ready_at is None:
        return "nothing left"
    at = max(record.ready_at, opens_at(pace))
    if at <= now:
        return "now"
    asked = " (told to wait, or its robots.txt cannot be had)" if pace.backoff_until >= at else ""
    return f"{moment(at)}{asked}"


def _health(health: Health) -> str:
    if health.failures:
        since = moment(health.last_failure_at)
        return f"{plural(health.failures, 'failure')} in a row, {health.last_fault} at {since}"
    return (
        f"answered at {moment(health.last_success_at)}"
        if health.last_success_at
        else "not asked yet"
    )


async def _hint(app: App, asked: str) -> str:
    names = [record.host.name for record in await app.hosts.all(limit=1_000)]
    close = difflib.get_close_matches(asked, names, n=1)
    return f" Did you mean {close[0]}?" if close else " `tenax hosts` lists them."
