"""`/api/domains`: what is known of hosts, and how they stand with us."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path

from tenax.api import cursors
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, Limit, listed
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.hosts.standing import standing
from tenax.ops.plain import plain
from tenax.ops.sites.facts import site_facts
from tenax.ops.why.robots_advice import advise
from tenax.ports.accounts import ApiRole
from tenax.ports.overview import HostSight

Domain = Annotated[str, Path(max_length=255, description="A name, with its port if it has one.")]


def add(doors: Doors, opened: Opened) -> None:
    domains = _Domains(opened)
    doors.get("/api/domains", domains.list, ApiRole.USER)
    doors.get("/api/domains/{domain}", domains.get, ApiRole.USER)


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
        sight = await self._overview.host(domain.lower())
        if sight is None:
            raise Problem(404, "No host of this name is known. GET /api/domains lists them.")
        ledger, settings = self._ledger, self._ledger.settings
        robots = await ledger.robots.load(sight.host.origin)
        now = ledger.clock.now()
        home = f"{sight.host.origin}/"
        site = ledger.sites.of(sight.host.name)
        advice = advise(home, robots, settings.token, settings.at(site).robots, now)
        told = {"robots": plain(advice), "site": plain(site_facts(site))}
        return {**self._facts(sight), **told}

    def _facts(self, sight: HostSight) -> dict[str, Any]:
        ledger = self._ledger
        settings = ledger.settings.at(ledger.sites.of(sight.host.name))
        stands = standing(sight.host, ledger.clock.now(), settings.treatment)
        return {**plain(sight), "standing": plain(stands)}
