"""Where is an empty PostgreSQL ledger for a test? A database of this process, wiped each time."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from functools import cache
from urllib.parse import urlsplit

import asyncpg

from tenax.adapters.sql.engine.postgres import Postgres
from tenax.adapters.sql.schema.tables import metadata
from tests.live import service

_made: set[str] = set()


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


_NUMBERED = [table.name for table in metadata.sorted_tables if "id" in table.c]
_WIPE = ";".join(
    [f"DELETE FROM {table.name}" for table in metadata.sorted_tables]
    + ["DELETE FROM receipts"]
    + [f"SELECT setval('{name}_id_seq', 1, false)" for name in _NUMBERED]
)
