"""`/api/domains`: what is known of hosts, and how they stand with us."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import Path, Query

from tenax.api import cursors
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, Limit, listed
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.hosts.standing import standing
from tenax.ops.plain import plain
from tenax.ops.sites.facts import site_facts
from tenax.ops.why.learned import Lessons, learned_facts
from tenax.ops.why.robots_advice import advise
from tenax.ports.accounts import ApiRole
from tenax.ports.overview import HostSight

_MOST_SHAPES = 50
RobotsPath = Annotated[str, Query(max_length=2_000, description="A path, with its query.")]
Domain = Annotated[str, Path(max_length=255, description="A name, with its port if it has one.")]


def add(doors: Doors, opened: Opened) -> None:
    domains = _Domains(opened)
    doors.get("/api/domains", domains.list, ApiRole.USER)
    doors.get("/api/domains/{domain}", domains.get, ApiRole.USER)
    doors.get("/api/domains/{domain}/robots", domains.robots, ApiRole.USER)
    doors.get("/api/domains/{domain}/learned", domains.learned, ApiRole.USER)
    doors.post("/api/admin/domains/{domain}/pause", domains.pause, ApiRole.ADMIN)
    doors.post("/api/admin/domains/{domain}/resume", domains.resume, ApiRole.ADMIN)
    doors.post("/api/admin/domains/{domain}/reset", domains.reset, ApiRole.ADMIN)


class _Domains:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger
        self._overview = opened.overview

    async def list(self, limit: Limit = 100, cursor: Cursor = None) -> dict[str, Any]:
        """Hosts by name."""
        found = await self._overview.hosts(cursors.name(cursor), limit)
        place = found[-1].host.name if len(found) == limit else None
        return listed((self._facts(sight) for sight in found), place)

    async def get(self, domain: Domain) -> dict[str, Any]:
        """A host: its pace, health and standing, and what its robots.txt says of its front page."""
        sight = await self._sight(domain)
        ledger, settings = self._ledger, self._ledger.settings
        robots = await ledger.robots.load(sight.host.origin)
        now = ledger.clock.now()
        home = f"{sight.host.origin}/"
        site = ledger.sites.of(sight.host.name)
        advice = advise(home, robots, settings.token, settings.at(site).robots, now)
        told = {"robots": plain(advice), "site": plain(site_facts(site))}
        return {**self._facts(sight), **told}

    async def robots(self, domain: Domain, path: RobotsPath = "/") -> dict[str, Any]:
        """The robots.txt of a host as it was last fetched, and which of its lines decides about a
        path. Nothing is fetched."""
        sight = await self._sight(domain)
        if not path.startswith("/"):
            raise Problem(422, "path: it begins with a slash.")
        ledger, settings = self._ledger, self._ledger.settings
        record = await ledger.robots.load(sight.host.origin)
        site = ledger.sites.of(sight.host.name)
        url = f"{sight.host.origin}{path}"
        policy = settings.at(site).robots
        advice = advise(url, record, settings.token, policy, ledger.clock.now())
        return {**plain(advice), "path": path, "text": None if record is None else record.text}

    async def learned(self, domain: Domain) -> dict[str, Any]:
        """What a host has taught: its listings and archives, what guesses brought, kinds of URLs
        that brought nothing new, sitemaps and feeds."""
        host, ledger = (await self._sight(domain)).host, self._ledger
        rules, notes = await ledger.rules.load(host.id), await ledger.rules.notes(host.id)
        shapes = await ledger.hosts.shapes(host.name, _MOST_SHAPES)
        listings = await ledger.hosts.listings(host.name)
        return {
            **learned_facts(Lessons.of(rules, notes, host.visits)),
            "fruitless": [plain(shape) for shape in shapes],
            "taken": [plain(each) for each in listings],
        }

    async def pause(self, domain: Domain) -> dict[str, Any]:
        """Ask the host for nothing more, until it is resumed."""
        return await self._change(domain, self._ledger.hosts.pause)

    async def resume(self, domain: Domain) -> dict[str, Any]:
        """Go on asking it."""
        return await self._change(domain, self._ledger.hosts.resume)

    async def reset(self, domain: Domain) -> dict[str, Any]:
        """Forget what it did: breaker, budget, cooldown, and what it told us to wait for."""
        return await self._change(domain, self._ledger.hosts.reset)

    async def _change(
        self, domain: str, change: Callable[[str], Awaitable[bool]]
    ) -> dict[str, Any]:
        name = (await self._sight(domain)).host.name
        await change(name)
        return self._facts(await self._sight(name))

    async def _sight(self, domain: str) -> HostSight:
        sight = await self._overview.host(domain.lower())
        if sight is None:
            raise Problem(404, "No host of this name is known. GET /api/domains lists them.")
        return sight

    def _facts(self, sight: HostSight) -> dict[str, Any]:
        ledger = self._ledger
        settings = ledger.settings.at(ledger.sites.of(sight.host.name))
        stands = standing(sight.host, ledger.clock.now(), settings.treatment)
        return {**plain(sight), "standing": plain(stands)}
