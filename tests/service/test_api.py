"""Does the API answer from PostgreSQL as from SQLite, hostile questions included?"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tenax.adapters.sql.engine.postgres import Postgres
from tenax.api import cursors, guard
from tenax.settings import Settings
from tests.asking import HOSTILE, MUCH, NULLS, Asker, opened, told_oddly
from tests.live import own_service
from tests.postgres import empty_ledger


@pytest.fixture
async def asker(tmp_path: Path) -> AsyncIterator[Asker]:
    settings = Settings(data=str(tmp_path), database=await empty_ledger(), api=MUCH)
    async with opened(tmp_path, settings) as made:
        asker = Asker(made)
        await asker.make_keys()
        yield asker


async def test_hostile_addresses_break_nothing(asker: Asker) -> None:
    for path in HOSTILE:
        said = await asker.ask(path)
        assert said.status in (200, 501) or (said.status < 500 and said.is_problem), path


async def test_hostile_bodies_and_cursors_break_nothing(asker: Asker) -> None:
    broken = [(a, body) async for a, body, said in told_oddly(asker, NULLS) if said.status >= 500]
    assert broken == []
    paths = asker.checked.document["paths"]
    lists = [path for path, verbs in paths.items() if "cursor" in str(verbs.get("get", {}))]
    assert len(lists) > 10
    for path in lists:
        real = path.replace("{domain}", "a.example").replace("{name}", "a")
        for place in (2**63 - 1, 2**31, "a", (1e300, 2**63 - 1)):
            said = await asker.ask(f"{real}?cursor={cursors.encode(place)}")
            assert said.status < 500 or said.status == 501, (path, place)
    for path in ("alerts/{}/silence", "products/{}/prices", "records/{}", "products/{}/images/9"):
        said = await asker.ask(f"/api/{path.format(2**63 - 1)}", _verb(path))
        assert said.status == 404, path
    many = {"ids": [1, 2**31, 2**63 - 1], "dry_run": True}
    assert (await asker.ask("/api/dead-letters/return", "POST", body=many)).status == 200


def _verb(path: str) -> str:
    return "POST" if path.endswith("/silence") else "GET"


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


async def test_a_server_that_goes_away_is_told_at_once_and_that_it_is_back_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Were it not for a look at the ledger, an answer would take an hour.
    monkeypatch.setattr(guard, "READ_SECONDS", 3_600.0)
    monkeypatch.setattr(guard, "DOOR_SECONDS", 3_600.0)
    with own_service("postgres", tmp_path / "server") as server:
        settings = Settings(data=str(tmp_path / "data"), database=server.url)
        database = Postgres(server.url)
        await database.upgrade()
        await database.close()
        async with opened(tmp_path, settings) as made:
            asker = Asker(made)
            await asker.make_keys()
            assert (await asker.ask("/api/jobs")).status == 200
            await asyncio.to_thread(server.stop)
            for path, method in (("/api/jobs", "GET"), ("/api/jobs/x/stop", "POST")):
                said = await asyncio.wait_for(asker.ask(path, method), 300)
                assert (said.status, said.is_problem) == (503, True)
            health = await asyncio.wait_for(asker.ask("/health"), 300)
            assert (health.status, health.json["parts"]["ledger"]) == (503, "away")
            await asyncio.to_thread(server.start)
            async with asyncio.timeout(300):
                while (await asker.ask("/api/jobs")).status != 200:
                    await made.ledger.clock.sleep(0.2)
