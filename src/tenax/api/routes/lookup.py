"""`/api/settings`, `/api/audit` and `/api/find`: what is set, does it add up, where is it?"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query

from tenax.api.guard import Doors
from tenax.compose.api import Opened
from tenax.ops.plain import plain
from tenax.ops.secrets import masked
from tenax.ops.why.lookup import as_asked
from tenax.ports.accounts import ApiRole
from tenax.settings import Loaded

_MOST = 10
Words = Annotated[str, Query(min_length=1, max_length=2_000)]


def add(doors: Doors, opened: Opened) -> None:
    lookup = _Lookup(opened)
    doors.get("/api/settings", lookup.settings, ApiRole.USER)
    doors.post("/api/audit", lookup.whole_audit, ApiRole.ADMIN)
    doors.get("/api/find", lookup.find, ApiRole.USER)


class _Lookup:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger
        self._overview = opened.overview

    async def settings(self) -> dict[str, Any]:
        """The settings of the process that answers; secrets are masked."""
        rows = Loaded(self._ledger.settings, {}).rows()
        return {name: plain(masked(name, value)) for name, value, _ in rows}

    async def whole_audit(self) -> dict[str, Any]:
        """Look at every row: as `tenax audit` does, and as long as that takes."""
        findings = await self._ledger.auditor.audit()
        return {"whole": not findings, "findings": plain(findings)}

    async def find(self, q: Words) -> dict[str, Any]:
        """Jobs whose names contain it, hosts whose names begin with it, and the URL, if it is
        one."""
        asked = q.strip().lower()
        jobs = [job.name for job in await self._ledger.jobs.all() if asked in job.name.lower()]
        same = await self._overview.host(asked)
        behind = await self._overview.hosts(asked, _MOST)
        sights = [*([same] if same else []), *behind]
        hosts = [each.host.name for each in sights if each.host.name.startswith(asked)]
        url = as_asked(q.strip()) if "." in asked or "://" in asked else None
        return {"jobs": jobs[:_MOST], "hosts": hosts, "url": url}
