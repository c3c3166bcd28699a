"""Is a ledger that is away told at once? (OBS-5)"""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from tenax.api import guard
from tests.asking import Asker, opened


async def test_nobody_waits_for_a_ledger_that_another_program_has_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path) as made:
        asker = Asker(made)
        await asker.make_keys()
        assert (await asker.ask("/api/jobs")).status == 200
        monkeypatch.setattr(guard, "DOOR_SECONDS", 0.1)
        # Were it not for the door, they would wait for as long as the ledger does.
        monkeypatch.setattr(guard, "READ_SECONDS", 3_600.0)
        other = sqlite3.connect(tmp_path / "data" / "ledger.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        for path, method in (("/api/jobs", "GET"), ("/api/jobs/x/stop", "POST")):
            said = await asker.ask(path, method)
            assert (said.status, said.is_problem) == (503, True)
            assert said.headers["retry-after"].isdecimal()
        other.execute("ROLLBACK")
        other.close()
        monkeypatch.undo()
        async with asyncio.timeout(60):
            while (await asker.ask("/api/jobs")).status != 200:
                await made.ledger.clock.sleep(0.1)
