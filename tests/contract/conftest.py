"""Which adapters do the contracts of the ledger's ports hold for? All of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.buckets import s3
from tests.ledgers import LEDGERS, Ledger
from tests.redises import redis, redis_service

__all__ = ["ledger", "redis", "redis_service", "s3"]


SQLITE = [name for name in LEDGERS if name.startswith("sqlite")]


@pytest.fixture(params=LEDGERS)
async def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Ledger]:
    async with LEDGERS[request.param](tmp_path) as opened:
        yield opened


@pytest.fixture(params=SQLITE)
async def sqlite_ledger(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Ledger]:
    """For promises about SQLite alone: how it locks, which way it takes through its indexes."""
    async with LEDGERS[request.param](tmp_path) as opened:
        yield opened
