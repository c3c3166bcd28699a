"""`/api/proxies`: which proxies requests go through, and how they are doing."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from msgspec.structs import replace
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from tenax.api.bounds import STRICT, WHOLE
from tenax.api.guard import Doors
from tenax.api.listing import ListPart, Name, Removed, listed
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.fetch.proxies.choice import disabled, enabled, parse_proxy
from tenax.model import Proxy
from tenax.ops.proxies import ProxyFacts, facts, free_name
from tenax.ports.accounts import ApiRole

_Text = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"^[^\x00-\x1f]*$")]
_Priority = Annotated[int, Field(ge=0, le=1_000_000), WHOLE]
ProxyName = Annotated[str, Path(max_length=255)]
_CLOSED = ConfigDict(extra="forbid")


class ProxyBody(BaseModel):
    model_config = _CLOSED

    url: Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
    """`http://`, `https://` or `socks5://[USER:PASSWORD@]HOST:PORT`."""
    name: _Text | None = None
    group: _Text = "default"
    priority: _Priority = 100


class ProxyWishes(BaseModel):
    model_config = _CLOSED

    group: _Text | None = None
    priority: _Priority | None = None
    enabled: Annotated[bool, STRICT] | None = None


def add(doors: Doors, opened: Opened) -> None:
    proxies = _Proxies(opened)
    doors.get("/api/proxies", proxies.list, ApiRole.USER)
    doors.post("/api/proxies", proxies.create, ApiRole.ADMIN, status_code=201)
    doors.patch("/api/proxies/{proxy}", proxies.change, ApiRole.ADMIN, problems=(404,))
    doors.delete("/api/proxies/{proxy}", proxies.delete, ApiRole.ADMIN, problems=(404,))


class _Proxies:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger

    async def list(self, group: Name = None) -> ListPart[ProxyFacts]:
        """Proxies by group and name; users and passwords are never told."""
        now = self._ledger.clock.now()
        found = [each for each in await self._ledger.proxies.all() if group in (None, each.group)]
        return listed(facts(proxy, now) for proxy in found)

    async def create(self, given: ProxyBody) -> ProxyFacts:
        """Add a proxy. User and password are kept encrypted."""
        try:
            address = parse_proxy(given.url)
        except ValueError as error:
            raise Problem(422, f"url: {error}") from error
        proxies = self._ledger.proxies
        name = given.name or free_name(address, {each.name for each in await proxies.all()})
        has_login = bool(address.username or address.password)
        proxy = Proxy(name, address, 0, given.group, given.priority, has_login)
        if not await proxies.add(proxy):
            raise Problem(409, "There is a proxy of this name already.")
        return facts(proxy, self._ledger.clock.now())

    async def change(self, proxy: ProxyName, given: ProxyWishes) -> ProxyFacts:
        """Put it into another group, change its priority, take it out of service or back."""

        def changed(before: Proxy) -> Proxy:
            health = before.health
            if given.enabled is not None:
                health = enabled(health) if given.enabled else disabled(health)
            return replace(
                before,
                group=given.group or before.group,
                priority=before.priority if given.priority is None else given.priority,
                health=health,
            )

        after = await self._ledger.proxies.change(proxy, changed)
        if after is None:
            raise _no_such()
        return facts(after, self._ledger.clock.now())

    async def delete(self, proxy: ProxyName) -> Removed:
        """Forget a proxy, its figures and its secrets."""
        if not await self._ledger.proxies.remove(proxy):
            raise _no_such()
        return Removed(proxy)


def _no_such() -> Problem:
    return Problem(404, "There is no proxy of this name. GET /api/proxies lists them.")
