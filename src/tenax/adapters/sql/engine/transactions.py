"""The unit of work: a function of a connection, run in one transaction, committed or undone."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from sqlalchemy.engine import Connection

from tenax.fetch.tally import Histogram

T = TypeVar("T")


class Transactions(Protocol):
    """`work` is a function of the connection and changes nothing else: it may be run again when
    its first transaction certainly came to nothing."""

    @property
    def trouble(self) -> str:
        """Why the database counts as away; empty while it answers."""

    def hasten(self, seconds: float) -> None:
        """Wait no longer than this from now on for a database that is away."""

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in one read-write transaction; it is committed or it never happened."""

    async def read(self, work: Callable[[Connection], T]) -> T: ...

    async def close(self) -> None: ...


class TimedTransactions:
    """The same with a stopwatch: each is observed, waiting for its turn included, also those that
    failed."""

    def __init__(self, database: Transactions, read: Histogram, write: Histogram) -> None:
        self._database = database
        self._read = read
        self._write = write

    @property
    def trouble(self) -> str:
        return self._database.trouble

    def hasten(self, seconds: float) -> None:
        self._database.hasten(seconds)

    async def write(self, work: Callable[[Connection], T]) -> T:
        began = time.perf_counter()
        try:
            return await self._database.write(work)
        finally:
            self._write.observe(time.perf_counter() - began)

    async def read(self, work: Callable[[Connection], T]) -> T:
        began = time.perf_counter()
        try:
            return await self._database.read(work)
        finally:
            self._read.observe(time.perf_counter() - began)

    async def close(self) -> None:
        await self._database.close()


def timed(database: Transactions, by_kind: Mapping[str, Histogram]) -> Transactions:
    return TimedTransactions(database, by_kind["read"], by_kind["write"])
