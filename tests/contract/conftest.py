"""Which adapters do the contracts of the ledger's ports hold for? All of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator
from inspect import isasyncgenfunction, iscoroutinefunction
from pathlib import Path
from typing import Any, Final

import pytest
import pytest_asyncio

from tests.buckets import s3
from tests.ledgers import LEDGERS, Ledger
from tests.postgres import connections_are_kept
from tests.redises import redis, redis_service

__all__ = ["ledger", "redis", "redis_service", "s3"]


ONE_LOOP: Final = "session"
"""What all tests here share an event loop for: connections that are kept belong to theirs."""
SQLITE = [name for name in LEDGERS if name.startswith("sqlite")]


def pytest_itemcollected(item: pytest.Item) -> None:
    if isinstance(item, pytest.Function) and iscoroutinefunction(item.obj):
        item.add_marker(pytest.mark.asyncio(loop_scope=ONE_LOOP), append=False)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
    made_by: Any = fixturedef.func
    if not (isasyncgenfunction(made_by) or iscoroutinefunction(made_by)):
        return (yield)
    # Tests elsewhere use some of them, too.
    with pytest.MonkeyPatch.context() as here:
        here.setattr(made_by, "_loop_scope", ONE_LOOP, raising=False)
        return (yield)


@pytest_asyncio.fixture(scope=ONE_LOOP, loop_scope=ONE_LOOP, autouse=True)
async def one_loop() -> AsyncIterator[None]:
    async with connections_are_kept():
        yield


@pytest.fixture(params=LEDGERS)
async def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Ledger]:
    async with LEDGERS[request.param](tmp_path) as opened:
        yield opened


@pytest.fixture(params=SQLITE)
async def sqlite_ledger(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Ledger]:
    """For promises about SQLite alone: how it locks, which way it takes through its indexes."""
    async with LEDGERS[request.param](tmp_path) as opened:
        yield opened
