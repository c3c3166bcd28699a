"""Where is an empty PostgreSQL ledger for a test? A database of this process, wiped each time.

Its connections may be kept for the next one. Each has to be opened, and every statement planned by
the server and looked up by us, anew: that was half of what a test on PostgreSQL took.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import asyncpg

from tenax.adapters.sql.engine.postgres import _LEAVE, Postgres
from tenax.adapters.sql.schema.tables import metadata
from tests.live import service

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

_made: set[str] = set()
_kept: dict[asyncio.AbstractEventLoop, defaultdict[object, list[AsyncEngine]]] = {}
"""Connections that nobody has at the moment, by what they are good for: each belongs to a loop."""
_MOST = 4
"""Ledgers whose connections are kept, six at most of each: the server has 300 for all processes."""


@asynccontextmanager
async def connections_are_kept() -> AsyncIterator[None]:
    """Until this ends, for all of `Lent` on this loop."""
    loop = asyncio.get_running_loop()
    kept = _kept[loop] = defaultdict(list)
    try:
        yield
    finally:
        del _kept[loop]
        for engine in (engine for engines in kept.values() for engine in engines):
            await engine.dispose()


class Lent(Postgres):
    """A ledger on connections that another one had before, where they are kept. As every ledger
    does, it has them to itself."""

    def __init__(self, url: str, **options: Any) -> None:
        self._has: list[tuple[object, AsyncEngine]] = []
        super().__init__(url, **options)

    def _engine(self, size: int, server_settings: dict[str, str], *more: Any) -> AsyncEngine:
        kind = (self._url, size, *server_settings.items(), *more)
        kept = _kept.get(asyncio.get_running_loop())
        waiting = kept[kind] if kept is not None else []
        made = waiting.pop() if waiting else super()._engine(size, server_settings, *more)
        self._has.append((kind, made))
        return made

    async def close(self) -> None:
        kept = _kept.get(asyncio.get_running_loop())
        await self._calls.end(_LEAVE)
        has, self._has = self._has, []
        is_sound = not self.trouble and not self._calls.abandoned
        if kept is None or not is_sound or any(_is_used(engine) for _, engine in has):
            await super().close()
            return
        if self._named:
            await self._end_signing()
        for kind, engine in has:
            if len(kept[kind]) < _MOST:
                kept[kind].append(engine)
            else:
                await engine.dispose()


def _is_used(engine: AsyncEngine) -> bool:
    return bool(engine.sync_engine.pool.checkedout())  # type: ignore[attr-defined]  # of a queue


async def empty_ledger() -> str:
    """Its URL. Faster than a new database: most tables of a test have a few rows, or none."""
    url = await _own_database()
    await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_sponge().wipe(url), _loop()))
    return url


async def empty_database(name: str) -> str:
    """The URL of a database without tables, of this process."""
    url = service("postgres").url
    own = f"{_name()}_{name}"
    await _recreate(url, own)
    return urlsplit(url)._replace(path=f"/{own}").geturl()


def own_url(shared: str) -> str:
    return urlsplit(shared)._replace(path=f"/{_name()}").geturl()


class _Sponge:
    """A connection that is kept. Opening one, and letting it learn all tables again, takes the
    server fifteen times as long as wiping them."""

    def __init__(self) -> None:
        self._connection: asyncpg.Connection | None = None

    async def wipe(self, url: str) -> None:
        if self._connection is None or self._connection.is_closed():
            self._connection = await asyncpg.connect(url)
        if grown := await self._connection.fetch(_GROWN):
            await self._connection.execute(f"TRUNCATE {', '.join(name for (name,) in grown)}")
        await self._connection.execute(_WIPE)

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()


@cache
def _sponge() -> _Sponge:
    return _Sponge()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """One beside those of the tests, which end with each of them."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    @atexit.register
    def end() -> None:
        asyncio.run_coroutine_threadsafe(_sponge().close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    return loop


async def _own_database() -> str:
    shared, name = service("postgres").url, _name()
    url = own_url(shared)
    if name not in _made:
        await _recreate(shared, name)
        database = Postgres(url)
        await database.upgrade()
        await database.close()
    return url


async def _recreate(url: str, name: str) -> None:
    await _drop(url, name)
    connection = await asyncpg.connect(url)
    await connection.execute(f"CREATE DATABASE {name}")
    await connection.close()
    if name not in _made:
        _made.add(name)
        atexit.register(lambda: asyncio.run(_drop(url, name)))


async def _drop(url: str, name: str) -> None:
    try:
        connection = await asyncpg.connect(url)
    except OSError:
        return
    await connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    await connection.close()


def _name() -> str:
    return f"test_{os.getpid()}"


# What is deleted still lies there, and is looked through by whoever reads the whole table: all that
# come after a test with many rows, and the server starts more processes to help them.
_GROWN = (
    "SELECT relname FROM pg_class WHERE relkind = 'r' AND pg_relation_size(oid) > 200000"
    " AND relnamespace = 'public'::regnamespace"
)
_NUMBERED = [table.name for table in metadata.sorted_tables if "id" in table.c]
_WIPE = ";".join(
    [f"DELETE FROM {table.name}" for table in metadata.sorted_tables]
    + ["DELETE FROM receipts"]
    + [f"SELECT setval('{name}_id_seq', 1, false)" for name in _NUMBERED]
)
