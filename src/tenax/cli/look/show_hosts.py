"""How are hosts shown and changed? A line each, everything about one, and what a person did."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from tenax.cli.look.show_learned import learned_lines
from tenax.cli.terminal.say import (
    EXIT_NOTHING,
    as_json,
    at_data,
    duration,
    fail,
    moment,
    note,
    plain,
    plural,
    printable,
)
from tenax.cli.terminal.stalls import SeenVisit, sightings, told_visit
from tenax.cli.terminal.table import TableColumn, table, terminal_width
from tenax.compose import Ledger, open_ledger
from tenax.hosts import conduct
from tenax.hosts.breaker import Circuit, backoff, circuit
from tenax.hosts.budget import locked_until
from tenax.hosts.pace import delay_of
from tenax.hosts.standing import HostStanding, Word, budget_used, lasting, slowed_to, standing
from tenax.model import CookieNames, Host, HostHealth, HostTrouble, Incident, IncidentKind
from tenax.ops.dates import iso
from tenax.ops.sites.facts import SiteFact, site_facts
from tenax.ops.why.learned import Lessons, learned_facts
from tenax.ops.why.lookup import as_asked
from tenax.ops.why.robots_advice import RobotsAdvice, advise
from tenax.ports import HostRecord, ListingCount, ShapeRecord
from tenax.settings import Settings
from tenax.urls.normalise import host_of

_MOST_NAMES = 10


class Act(StrEnum):
    """What a person can do to a host (FR-7)."""

    PAUSE = "pause"
    RESUME = "resume"
    RESET = "reset"


async def list_hosts(settings: Settings, limit: int, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        await ledger.know_sites()
        found = await ledger.hosts.all(limit=limit + 1)
        now = ledger.clock.now()
    shown = found[:limit]
    at = {record.host.name: settings.at(ledger.sites.of(record.host.name)) for record in shown}
    if json:
        for record in shown:
            as_json(_facts(record, at[record.host.name], now))
        return 0
    columns = (
        TableColumn("host", yields=True), TableColumn("pages", right=True),
        TableColumn("known", right=True), TableColumn("delay", right=True),
        TableColumn("next turn"), TableColumn("standing", yields=True),
    )  # fmt: skip
    rows = [_row(record, at[record.host.name], now) for record in shown]
    if rows:
        print("\n".join(table(columns, rows, terminal_width())))
    more = " or more; --limit shows them" if len(found) > limit else ""
    note(f"{plural(len(shown), 'host')}{more}." if shown else "No hosts known yet.")
    return 0


async def tell_host(settings: Settings, asked: str, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        await ledger.know_sites()
        record = await find_host(ledger, asked)
        if record is None:
            return await unknown_host(ledger, asked)
        now = ledger.clock.now()
        site = ledger.sites.of(record.host.name)
        settings = settings.at(site)
        robots = await ledger.robots.load(record.host.origin)
        home = f"{record.host.origin}/"
        advice = advise(home, robots, settings.token, settings.robots, now)
        id, visits = record.host.id, record.host.visits
        lessons = Lessons.of(await ledger.rules.load(id), await ledger.rules.notes(id), visits)
        shapes = await ledger.overview.fruitless(record.host.name)
        listings = await ledger.hosts.listings(record.host.name)
        workers = await ledger.overview.workers()
        incidents = await ledger.hosts.incidents(id)
        cookies = await ledger.hosts.cookies(id)
    under_way = sightings(workers, lambda visit: visit.host == record.host.name)
    if json:
        facts = {
            "robots": plain(advice),
            "site": plain(site_facts(site)),
            "learned": plain(learned_facts(lessons)),
            "fruitless": [plain(shape) for shape in shapes],
            "listings": [plain(each) for each in listings],
            "cookies": [plain(each) for each in cookies],
            "under_way": [_visit_facts(each) for each in under_way],
        }
        as_json({**_facts(record, settings, now), **facts})
        return 0
    for line in host_lines(record, settings, now):
        print(line)
    beside = [
        *login_lines(incidents),
        *cookie_lines(cookies),
        *visit_lines(under_way, now),
        *shape_lines(shapes),
    ]
    beside += listing_lines(listings, settings.listing.budget)
    beside += site_lines(site_facts(site))
    for line in [*beside, *robots_lines(advice, now)]:
        print(line)
    for line in learned_lines(lessons, settings.recrawl):
        print(line)
    return 0


def login_lines(incidents: Sequence[Incident]) -> list[str]:
    """How the last login went, where there was one; the latest incident is the first."""
    last = next((each for each in incidents if each.kind is IncidentKind.LOGIN), None)
    return [] if last is None else [f"  login       {printable(last.why)}, at {moment(last.at)}"]


def cookie_lines(cookies: Sequence[CookieNames]) -> list[str]:
    """What the host has set in jobs, by name: what it says is as secret as a password."""
    lines = [f"{some_names(each.names)} in job {printable(each.job)}" for each in cookies]
    return [f"  {'cookies' if place == 0 else '':<12}{line}" for place, line in enumerate(lines)]


def some_names(names: Sequence[str]) -> str:
    shown = ", ".join(printable(name) for name in names[:_MOST_NAMES])
    more = len(names) - _MOST_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


async def change_host(settings: Settings, asked: str, act: Act, json: bool) -> int:
    async with open_ledger(settings, create=False) as ledger:
        await ledger.know_sites()
        before = await find_host(ledger, asked)
        if before is None:
            return await unknown_host(ledger, asked)
        name = before.host.name
        change = {
            Act.PAUSE: ledger.hosts.pause,
            Act.RESUME: ledger.hosts.resume,
            Act.RESET: ledger.hosts.reset,
        }
        await change[act](name)
        after = await ledger.hosts.get(name)
        now = ledger.clock.now()
        settings = settings.at(ledger.sites.of(name))
    assert after is not None, "hosts are never deleted"
    if json:
        as_json({"did": act, **_facts(after, settings, now)})
        return 0
    for line in _told(act, before, after, settings, now):
        note(line)
    return 0


def host_lines(record: HostRecord, settings: Settings, now: float) -> list[str]:
    """What is known of a host, for `hosts` and `why`."""
    host, policies = record.host, settings.treatment
    lines = [
        f"Host {host.name}",
        f"  known       {plural(record.known, 'URL')}, {plural(record.pages, 'page')} stored,"
        f" {plural(host.visits, 'visit')}",
        f"  standing    {told_standing(standing(host, now, policies))}",
        f"  turn        {_turn(record, settings, now)}",
        f"  pace        {_pace(host, settings)}",
    ]
    lines += [f"{'':14}{line}" for line in _recovery(host, settings, now)]
    lines += [
        f"  breaker     {_breaker(host, settings, now)}",
        f"  failures    {_failures(host.health)}",
        f"  budget      {_budget(host, settings, now)}",
        f"  cooldown    {_cooldown(host, settings, now)}",
        f"  answered    {_answered(host.health)}",
    ]
    trouble = host.health.trouble
    if trouble and trouble.reset_at:
        lines.append(f"  reset       by a person at {moment(trouble.reset_at)}")
    return lines


def told_standing(stands: HostStanding, *, because: bool = True) -> str:
    """A standing with its clock, and what brought it about."""
    says = stands.says
    if stands.until is not None:
        then = ", probe at" if stands.word is Word.BREAKER else " until"
        says = f"{says}{then} {moment(stands.until)}"
    return f"{says} ({stands.because})" if because and stands.because else says


def visit_lines(visits: Sequence[SeenVisit], now: float) -> list[str]:
    """Visits under way at the host, in whichever process, the oldest first."""
    lines = [
        f"{told_visit(each.visit, each.at)} (process {each.pid}, {_ago(each.at, now)})"
        for each in visits
    ]
    return [f"  {'under way' if place == 0 else '':<12}{line}" for place, line in enumerate(lines)]


def _ago(at: float, now: float) -> str:
    return f"as of {duration(max(now - at, 0.0))} ago"


def _visit_facts(seen: SeenVisit) -> dict[str, Any]:
    return {"pid": seen.pid, "at": iso(seen.at), **plain(seen.visit)}


def shape_lines(shapes: Sequence[ShapeRecord]) -> list[str]:
    """Kinds of URLs that brought nothing new, the commonest first (URL-6)."""
    lines = [
        f"{printable(shape.shape)}: {shape.fruitless:,} of {plural(shape.visits, 'visit')}"
        f" in job {printable(shape.job)}"
        for shape in shapes
    ]
    return [f"  {'fruitless' if place == 0 else '':<12}{line}" for place, line in enumerate(lines)]


def listing_lines(listings: Sequence[ListingCount], budget: int) -> list[str]:
    """The sitemaps and feeds that jobs have taken, and whether there may be more (DISC-1)."""
    lines = [
        f"{plural(each.known, each.role.value)} in job {printable(each.job)}"
        + (": all that listing.budget allows; others are not asked for" * (each.known >= budget))
        for each in listings
    ]
    return [f"  {'listings' if place == 0 else '':<12}{line}" for place, line in enumerate(lines)]


def site_lines(facts: Sequence[SiteFact]) -> list[str]:
    """What the rules of the host's site decide, and which of them does, for `hosts` and `why`."""
    if not facts:
        return []
    lines = [
        f"  {fact.key:<16}{printable(told_value(fact.value))}, by {fact.pattern} ({fact.source})"
        for fact in facts
    ]
    return ["Site rules", *lines]


def told_value(value: Any) -> str:
    """A value of a rule, in short."""
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return f"{value:g}"
        case dict():
            return ", ".join(f"{name}={told}" for name, told in value.items())
        case list():
            return ", ".join(map(str, value))
        case _:
            return str(value)


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
        f"{delay_of(host.pace, settings.pace):.3g} s",
        _turn(record, settings, now),
        told_standing(standing(host, now, settings.treatment), because=False),
    )


def _facts(record: HostRecord, settings: Settings, now: float) -> dict[str, Any]:
    return {**plain(record), "standing": plain(standing(record.host, now, settings.treatment))}


def _turn(record: HostRecord, settings: Settings, now: float) -> str:
    if record.leased:
        return f"working on {record.leased:,}"
    if record.host.paused:
        return "paused"
    if record.ready_at is None:
        return "nothing due"
    at = max(record.ready_at, conduct.opens_at(record.host, settings.treatment).at)
    return "now" if at <= now else moment(at)


def _pace(host: Host, settings: Settings) -> str:
    delays = [f"{settings.pace.delay:g} s by settings"]
    if host.pace.crawl_delay:
        delays.append(f"{host.pace.crawl_delay:g} s by robots.txt")
    if interval := slowed_to(host, settings.treatment):
        delays.append(f"{interval:.3g} s by its complaints")
    delay = delay_of(host.pace, settings.pace)
    if len(delays) == 1:
        return f"{delay:g} s between requests by these settings"
    return f"{delay:.3g} s between requests: {', '.join(delays)}"


def _recovery(host: Host, settings: Settings, now: float) -> list[str]:
    """What it takes until the host is asked as before its complaints."""
    throttle, policy = host.pace.throttle, settings.throttle
    if throttle is None:
        return []
    lines = []
    if slowed_to(host, settings.treatment):
        step = f"a step of {policy.step:.0%} faster"
        lines.append(f"{throttle.successes} of {policy.successes_per_step} answers towards {step}")
    forgiven_at = throttle.until + policy.forgiven_after
    if throttle.incidents and forgiven_at > now:
        told = plural(throttle.incidents, "time")
        lines.append(f"told to wait {told} in a row; forgiven at {moment(forgiven_at)}")
    return lines


def _breaker(host: Host, settings: Settings, now: float) -> str:
    policy, known = settings.breaker, _trouble(host).breaker
    match circuit(host.health, now):
        case Circuit.CLOSED:
            return f"closed; {policy.failures} failures in a row open it"
        case Circuit.OPEN:
            waits = f"back-off {known.trips} of {lasting(backoff(known.trips, policy))}"
            return f"open, {waits}; probe at {moment(known.until)}"
        case Circuit.HALF_OPEN:
            return f"half-open, {known.passed} of {policy.successes} answers that close it"


def _failures(health: HostHealth) -> str:
    if not health.failures:
        last = f", the last at {moment(health.last_failure_at)}" if health.last_failure_at else ""
        return f"none in a row{last}"
    at = moment(health.last_failure_at)
    return f"{health.failures:,} in a row, the last {health.last_fault} at {at}"


def _budget(host: Host, settings: Settings, now: float) -> str:
    policy = settings.budget
    used = f"{budget_used(host, now, settings.treatment)} of {policy.failures}"
    told = f"{used} failures in the last {lasting(policy.window)}"
    until = locked_until(_trouble(host).failed_at, policy)
    return f"{told}; locked until {moment(until)}" if until > now else told


def _cooldown(host: Host, settings: Settings, now: float) -> str:
    until = _trouble(host).cool_until
    if until > now:
        return f"until {moment(until)}: it turned us away"
    row = f"{host.health.refusals} of {settings.cooldown.refusals}"
    return f"none; {row} answers 403 or 429 in a row"


def _answered(health: HostHealth) -> str:
    return f"last at {moment(health.last_success_at)}" if health.last_success_at else "never yet"


def _trouble(host: Host) -> HostTrouble:
    return host.health.trouble or HostTrouble()


def _told(
    act: Act, before: HostRecord, after: HostRecord, settings: Settings, now: float
) -> list[str]:
    """What a person changed, and what happens next."""
    name, treatment = after.host.name, settings.treatment
    resume = f"tenax hosts {name} --resume{at_data(settings)}"
    match act:
        case Act.PAUSE:
            already = "already" if before.host.paused else "now"
            lines = [f"{name} is {already} paused: nothing more of it is handed out."]
            if after.leased:
                held = plural(after.leased, "URL")
                lines.append(f"  The crawl under way has {held} of it in hand, and ends with them.")
            return [*lines, f"  To go on with it: {resume}"]
        case Act.RESUME:
            lines = [f"{name} {'is no longer' if before.host.paused else 'was not'} paused."]
        case Act.RESET:
            was = told_standing(standing(before.host, now, treatment))
            cleared = "its breaker, budget, cooldown and throttle are cleared"
            lines = [f"{name} is reset: {cleared}.", f"  Before: {was}"]
    if after.host.paused:
        return [*lines, f"  It stays paused until: {resume}"]
    stands = told_standing(standing(after.host, now, treatment))
    turn = _turn(after, settings, now)
    return [*lines, f"  Now: {stands}. Next turn: {turn}.", f"  {_GOES_ON}"]


_GOES_ON = "A crawl under way goes on with it by itself; else run the crawl again."


async def find_host(ledger: Ledger, asked: str) -> HostRecord | None:
    href = as_asked(asked)
    return await ledger.hosts.get(host_of(href)) if href else None


async def unknown_host(ledger: Ledger, asked: str) -> int:
    names = [record.host.name for record in await ledger.hosts.all(limit=1_000)]
    close = difflib.get_close_matches(asked, names, n=1)
    hint = f" Did you mean {close[0]}?" if close else " `tenax hosts` lists them."
    return fail(f"{printable(asked)}: not a host of this crawl.{hint}", EXIT_NOTHING)
