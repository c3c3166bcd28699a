"""The unit of work: a function of a connection, run in one transaction, committed or undone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from sqlalchemy.engine import Connection

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
