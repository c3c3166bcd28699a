"""`/api/settings`, `/api/audit` and `/api/find`: what is set, does it add up, where is it?"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import Query
from msgspec import Struct

from tenax.api.guard import Doors
from tenax.api.listing import ListPart, listed
from tenax.compose.api import Opened
from tenax.ops.plain import extended, plain
from tenax.ops.secrets import masked
from tenax.ops.why.lookup import as_asked
from tenax.ports.accounts import ApiRole
from tenax.ports.checks import Finding
from tenax.ports.overview import ConservedSums, HostSieve, JobSieve
from tenax.settings import Loaded

_MOST = 10
_KEPT = 5.0
"""Seconds for which a look at every row is not made again."""
Words = Annotated[str, Query(min_length=1, max_length=2_000)]


class Setting(Struct, frozen=True):
    name: str
    value: Any
    source: str
    """Who set it: `default`, a file by its name, `environment` or `flag`."""


class AuditAnswer(Struct, frozen=True):
    whole: bool
    findings: list[Finding]
    at: float
    """When it began."""


class AuditSums(ConservedSums, frozen=True, kw_only=True):
    adds_up: bool
    last: AuditAnswer | None
    """Of the last look at every row; null when this server made none."""


class FoundAnywhere(Struct, frozen=True):
    jobs: list[str]
    hosts: list[str]
    url: str | None
    """The URL that is meant, if it is one."""


def add(doors: Doors, opened: Opened) -> None:
    lookup = _Lookup(opened)
    doors.get("/api/settings", lookup.settings, ApiRole.USER)
    doors.get("/api/audit", lookup.audit, ApiRole.USER)
    doors.post("/api/audit", lookup.whole_audit, ApiRole.ADMIN)
    doors.get("/api/find", lookup.find, ApiRole.USER)


class _Lookup:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger
        self._overview = opened.overview
        self._sources = opened.sources
        self._last: AuditAnswer | None = None
        self._auditing = asyncio.Lock()

    async def settings(self) -> ListPart[Setting]:
        """The settings of the process that answers, and who set them; secrets are masked."""
        rows = Loaded(self._ledger.settings, dict(self._sources)).rows()
        return listed(
            Setting(name, plain(masked(name, value)), source) for name, value, source in rows
        )

    async def audit(self) -> AuditSums:
        """Whether every URL is in exactly one state: what jobs count together, and what hosts do.
        And what came of the last look at every row, where this server made one."""
        sums = await self._overview.conserved()
        adds_up = sums.by_states == sums.by_hosts
        return extended(AuditSums, sums, adds_up=adds_up, last=self._last)

    async def whole_audit(self) -> AuditAnswer:
        """Look at every row: as `tenax audit` does, and as long as that takes. Of several who ask
        at once, all get the same answer."""
        async with self._auditing:
            began = self._ledger.clock.now()
            if self._last is None or began - self._last.at >= _KEPT:
                findings = await self._ledger.auditor.audit()
                self._last = AuditAnswer(not findings, findings, began)
            return self._last

    async def find(self, q: Words) -> FoundAnywhere:
        """Jobs whose names contain it, hosts whose names begin with it, and the URL, if it is
        one."""
        asked = q.strip().lower()
        jobs, _ = await self._overview.jobs(JobSieve(contains=asked), 0, _MOST)
        same = await self._overview.host(asked)
        behind, _ = await self._overview.hosts(HostSieve(), asked, _MOST)
        sights = [*([same] if same else []), *behind]
        hosts = [each.host.name for each in sights if each.host.name.startswith(asked)]
        url = as_asked(q.strip()) if "." in asked or "://" in asked else None
        return FoundAnywhere([job.name for job in jobs], hosts, url)
