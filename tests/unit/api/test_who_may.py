"""May everybody ask what they may, and nothing else? (API-2, API-3, API-4)"""

from __future__ import annotations

from pathlib import Path

import pytest

from tenax.ports.accounts import ApiRole
from tests.asking import Asker, ask, opened
from tests.who_may import real, table, written

OPEN = {"GET /health", "GET /api/stats", "GET /api/live", "GET /api/auth/me",
        "POST /api/auth/login", "POST /api/auth/logout", "POST /api/auth/password"}  # fmt: skip
OF_USERS = {"POST /api/jobs/preview"}
"""Sent by POST because of its size; it changes nothing."""
OF_A_JOB = {"DELETE /api/frontier", "DELETE /api/admin/pages"}
"""Their parameter names the job, without which a key for one job is refused."""

OF_A_JOB = {"DELETE /api/frontier", "DELETE /api/admin/pages"}
"""What they are about is the job that they name."""


async def test_the_reference_says_who_may_ask_what() -> None:
    found = await real()
    assert written() == table(found), "stale: run python -m tests.who_may"
    for route, row in found.items():
        is_read = route.startswith("GET ")
        if route in OPEN:
            if not route.endswith("/password"):
                assert row["anonymous"] == row["session over"] == "yes", route
            continue
        assert row["anonymous"] == row["session over"] == "401", route
        assert row["admin"] == "yes", route
        assert row["session, other site"] == ("yes" if is_read else "403"), route
        if not is_read and route not in OF_USERS:
            assert row["user"] == "403", route
        if "/{name}" not in route and row["key for one job"] == "yes":
            assert is_read or route in OF_A_JOB, f"{route} changes more than one job"


async def test_limits_hold_to_the_request_over_two_servers_of_one_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path) as made, opened(tmp_path) as other:
        # A moment at which a minute has begun, and does not end.
        for each in (made, other):
            monkeypatch.setattr(each.ledger.clock, "now", lambda: 1_800_000_000.0)
        asker = Asker(made)
        await asker.make_keys()
        servers = (asker.api, Asker(other).api)
        for role, limit in ((ApiRole.ANONYMOUS, 10), (ApiRole.USER, 100), (ApiRole.ADMIN, 500)):
            said = [
                (await ask(servers[n % 2], "/api/auth/me", key=asker.keys[role])).status
                for n in range(limit + 2)
            ]
            assert said == [200] * limit + [429] * 2, role
