"""Does the API answer from PostgreSQL as from SQLite, hostile questions included?"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tenax.settings import Settings
from tests.asking import HOSTILE, Asker, opened
from tests.postgres import empty_ledger


@pytest.fixture
async def asker(tmp_path: Path) -> AsyncIterator[Asker]:
    settings = Settings(data=str(tmp_path), database=await empty_ledger())
    async with opened(tmp_path, settings) as made:
        asker = Asker(made)
        await asker.make_keys()
        yield asker


async def test_hostile_addresses_break_nothing(asker: Asker) -> None:
    for path in HOSTILE:
        said = await asker.ask(path)
        assert said.status in (200, 501) or (said.status < 500 and said.is_problem), path


async def test_a_job_is_created_looked_at_and_deleted(asker: Asker) -> None:
    wanted = {"name": "a", "seeds": ["https://a.example/", "https://b.example/x"]}
    created = await asker.ask("/api/jobs", "POST", body=wanted)
    assert (created.status, created.json["pending"]) == (201, 2)
    for path in (
        "/api/jobs", "/api/jobs/a", "/api/jobs/a/progress", "/api/frontier/stats?job=a",
        "/api/frontier/urls?job=a&host=b.example&state=pending", "/api/pages?job=a",
        "/api/domains", "/api/domains/a.example", "/api/dead-letters?job=a&host=a.example",
        "/api/products?job=a", "/api/why?url=https://a.example/", "/api/workers", "/api/stats",
        "/metrics", "/health",
    ):  # fmt: skip
        said = await asker.ask(path)
        assert said.status == 200, (path, said.body)
    assert (await asker.ask("/api/jobs/a", "DELETE")).json == {
        "job": "a", "deleted": 2, "is_gone": True,
    }  # fmt: skip


async def test_without_an_index_of_the_fleet_nothing_is_searched(asker: Asker) -> None:
    said = await asker.ask("/api/search?q=kettle")
    assert (said.status, said.is_problem) == (501, True)
