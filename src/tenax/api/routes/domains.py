"""`/api/domains`: what is known of hosts, and how they stand with us."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Path, Query

from tenax.api import cursors
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, Limit, ListPart, Name, listed, the_job
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.hosts.pace import delay_of
from tenax.hosts.robots import GroupPlace, parse
from tenax.hosts.standing import HostStanding, Word
from tenax.hosts.standing import standing as stands_how
from tenax.model import CookieNames
from tenax.ops.hosts.politeness import Politeness, politeness
from tenax.ops.hosts.shapes import DeferralBudget, HostShape, shape_map
from tenax.ops.plain import extended
from tenax.ops.sites.facts import SiteFact, site_facts
from tenax.ops.why.learned import LearnedFacts, Lessons, learned_facts
from tenax.ops.why.robots_advice import RobotsAdvice, advise
from tenax.ports import ListingCount, ShapeRecord
from tenax.ports.accounts import ApiRole
from tenax.ports.overview import HostSieve, HostSight, HostSort, TooMany

_MOST_SHAPES = 50
_MOST_STEPS = 10
"""Looks at the ledger for one answer."""
TimelineMinutes = Annotated[int, Query(ge=1, le=360, description="Minutes.")]
RobotsPath = Annotated[
    str, Query(max_length=2_000, pattern=r"^/[^\x00]*$", description="A path, with its query.")
]
Domain = Annotated[str, Path(max_length=255, description="A name, with its port if it has one.")]


class HostFacts(HostSight, frozen=True, kw_only=True):
    """A host: its pace and health, and how it stands with us."""

    standing: HostStanding
    delay: float
    """Seconds between two requests to it: the longest of ours, its Crawl-delay, and what it was
    slowed to."""


class HostDetail(HostFacts, frozen=True, kw_only=True):
    robots: RobotsAdvice
    """What its robots.txt says of its front page."""
    site: tuple[SiteFact, ...]
    """What rules of sites decide there, and which of them."""
    cookies: tuple[CookieNames, ...]
    """What it has set in jobs, by name."""


class RobotsText(RobotsAdvice, frozen=True, kw_only=True):
    """A robots.txt as it was last fetched, and what it says of a path."""

    path: str
    text: str | None
    """Null while it was never asked for."""
    groups: tuple[GroupPlace, ...]
    """Where what is said to some crawlers begins, and whether we are among them."""


class HostShapes(ListPart[HostShape], frozen=True, kw_only=True):
    budgets: list[DeferralBudget]
    """Of each job: what it may spend on what is deferred."""
    is_whole: bool
    """False when there are more kinds, or jobs, than are looked at."""


class HostLessons(LearnedFacts, frozen=True, kw_only=True):
    fruitless: list[ShapeRecord]
    """Kinds of URLs that brought nothing new."""
    taken: list[ListingCount]
    """Sitemaps and feeds."""


def add(doors: Doors, opened: Opened) -> None:
    domains = _Domains(opened)
    doors.get("/api/domains", domains.list, ApiRole.USER)
    doors.get("/api/domains/{domain}", domains.get, ApiRole.USER, problems=(404,))
    doors.get("/api/domains/{domain}/robots", domains.robots, ApiRole.USER, problems=(404,))
    doors.get("/api/domains/{domain}/learned", domains.learned, ApiRole.USER, problems=(404,))
    doors.get("/api/domains/{domain}/shapes", domains.shapes, ApiRole.USER, problems=(404,))
    doors.get("/api/domains/{domain}/timeline", domains.timeline, ApiRole.USER, problems=(404,))
    doors.post("/api/admin/domains/{domain}/pause", domains.pause, ApiRole.ADMIN, problems=(404,))
    doors.post("/api/admin/domains/{domain}/resume", domains.resume, ApiRole.ADMIN, problems=(404,))
    doors.post("/api/admin/domains/{domain}/reset", domains.reset, ApiRole.ADMIN, problems=(404,))


class _Domains:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger
        self._overview = opened.overview

    async def list(
        self,
        q: Name = None,
        standing: Word | None = None,
        trouble: bool = False,
        sort: HostSort = HostSort.NAME,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> ListPart[HostFacts]:
        """Hosts by name, or those with the most URLs or pages first. `q` is a part of the name,
        `standing` how it stands with us, `trouble` leaves out those that simply answer. An answer
        may be short, or empty, although there is more."""
        seeks = trouble or standing not in (None, Word.OK, Word.NEW)
        sieve = HostSieve(q or "", troubled=seeks)
        if sort is not HostSort.NAME:
            if standing is not None:
                raise Problem(422, "sort: hosts of one standing come by name.")
            return await self._largest(sieve, sort, cursors.number(cursor), limit)
        found: list[HostFacts] = []
        place: str | None = cursors.name(cursor)
        for _ in range(_MOST_STEPS):
            some, place = await self._overview.hosts(sieve, place or "", limit)
            facts = [self._facts(sight) for sight in some]
            found += [each for each in facts if standing in (None, each.standing.word)]
            if place is None or len(found) >= limit:
                break
        if len(found) > limit:
            found, place = found[:limit], found[limit - 1].host.name
        return listed(found, place)

    async def _largest(
        self, sieve: HostSieve, sort: HostSort, skip: int, limit: int
    ) -> ListPart[HostFacts]:
        sights = await self._overview.largest_hosts(sieve, sort, skip, limit)
        if isinstance(sights, TooMany):
            raise Problem(422, f"sort: more than {sights.most:,} places; list them by name.")
        place = skip + limit if len(sights) == limit else None
        return listed((self._facts(sight) for sight in sights), place)

    async def timeline(self, domain: Domain, minutes: TimelineMinutes = 10) -> Politeness:
        """Every request that left for the host in the last minutes, and which were too early, by
        the delay in force and by what it had asked for; what closed it, and what people did. The
        last 500 requests are kept, for six hours, and the last 100 incidents."""
        host = (await self._sight(domain)).host
        return await politeness(self._ledger.hosts, host, minutes, self._ledger.clock.now())

    async def get(self, domain: Domain) -> HostDetail:
        """A host: its pace, health and standing, and what its robots.txt says of its front page."""
        sight = await self._sight(domain)
        ledger, settings = self._ledger, self._ledger.settings
        robots = await ledger.robots.load(sight.host.origin)
        now = ledger.clock.now()
        home = f"{sight.host.origin}/"
        site = ledger.sites.of(sight.host.name)
        advice = advise(home, robots, settings.token, settings.at(site).robots, now)
        cookies = tuple(await ledger.hosts.cookies(sight.host.id))
        facts = self._facts(sight)
        return extended(HostDetail, facts, robots=advice, site=site_facts(site), cookies=cookies)

    async def robots(self, domain: Domain, path: RobotsPath = "/") -> RobotsText:
        """The robots.txt of a host as it was last fetched, and which of its lines decides about a
        path. Nothing is fetched."""
        sight = await self._sight(domain)
        ledger, settings = self._ledger, self._ledger.settings
        record = await ledger.robots.load(sight.host.origin)
        site = ledger.sites.of(sight.host.name)
        url = f"{sight.host.origin}{path}"
        policy = settings.at(site).robots
        advice = advise(url, record, settings.token, policy, ledger.clock.now())
        text = None if record is None else record.text
        groups = () if record is None else parse(record.text).groups(settings.token)
        return extended(RobotsText, advice, path=path, text=text, groups=groups)

    async def learned(self, domain: Domain) -> HostLessons:
        """What a host has taught: its listings and archives, what guesses brought, kinds of URLs
        that brought nothing new, sitemaps and feeds."""
        host, ledger = (await self._sight(domain)).host, self._ledger
        rules, notes = await ledger.rules.load(host.id), await ledger.rules.notes(host.id)
        shapes = await self._overview.fruitless(host.name, _MOST_SHAPES)
        listings = await ledger.hosts.listings(host.name)
        learned = learned_facts(Lessons.of(rules, notes, host.visits))
        return extended(HostLessons, learned, fruitless=shapes, taken=listings)

    async def shapes(
        self,
        domain: Domain,
        job: Name = None,
        deferred: bool | None = None,
        limit: Limit = 50,
        cursor: Cursor = None,
    ) -> HostShapes:
        """The kinds of URLs of a host, those that were visited most first: how many visits brought
        nothing new, which wait until all else was visited, why, and examples. Of one `job`, or of
        the latest twenty; `deferred` asks for those that wait, or for the others. 5,000 kinds and
        as many URLs are looked at."""
        ledger = self._ledger
        id = None if job is None else (await the_job(ledger, job)).id
        host = (await self._sight(domain)).host
        found = await shape_map(
            self._overview, ledger.settings.traps, host.id, id, deferred=deferred
        )
        if id is not None and not found.budgets:
            # What others know of a host is nothing for whoever may ask of one job alone.
            raise _no_such_host()
        skip = cursors.number(cursor)
        end = skip + limit
        part = listed(found.shapes[skip:end], end if end < len(found.shapes) else None)
        return extended(HostShapes, part, budgets=found.budgets, is_whole=found.is_whole)

    async def pause(self, domain: Domain) -> HostFacts:
        """Ask the host for nothing more, until it is resumed."""
        return await self._change(domain, self._ledger.hosts.pause)

    async def resume(self, domain: Domain) -> HostFacts:
        """Go on asking it."""
        return await self._change(domain, self._ledger.hosts.resume)

    async def reset(self, domain: Domain) -> HostFacts:
        """Forget what it did: breaker, budget, cooldown, and what it told us to wait for."""
        return await self._change(domain, self._ledger.hosts.reset)

    async def _change(self, domain: str, change: Callable[[str], Awaitable[bool]]) -> HostFacts:
        name = (await self._sight(domain)).host.name
        await change(name)
        return self._facts(await self._sight(name))

    async def _sight(self, domain: str) -> HostSight:
        sight = await self._overview.host(domain.lower())
        if sight is None:
            raise _no_such_host()
        return sight

    def _facts(self, sight: HostSight) -> HostFacts:
        ledger = self._ledger
        settings = ledger.settings.at(ledger.sites.of(sight.host.name))
        stands = stands_how(sight.host, ledger.clock.now(), settings.treatment)
        delay = delay_of(sight.host.pace, settings.pace)
        return extended(HostFacts, sight, standing=stands, delay=delay)


def _no_such_host() -> Problem:
    return Problem(404, "No host of this name is known. GET /api/domains lists them.")
