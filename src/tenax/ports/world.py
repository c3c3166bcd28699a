"""What do we ask of the world outside the ledger? The time, answers of servers, room for bodies."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from typing import NamedTuple, Protocol, runtime_checkable

from tenax.model import Failure, Forbidden, Request, Response


class Unavailable(Exception):
    """A part of our own infrastructure is down; the text says which, and what to do about it."""


class Unusable(Unavailable):
    """It answers, and refuses us: waiting would not help, a person has to."""


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since the epoch; never runs backwards within a process."""

    async def sleep(self, seconds: float) -> None: ...


class Seals(Protocol):
    """Encryption of what is secret, for the ledger. What it belongs to is part of the seal."""

    def seal(self, secret: str, belongs_to: str) -> bytes: ...

    def open(self, sealed: bytes, belongs_to: str) -> str: ...


class Names(Protocol):
    async def address(self, name: str) -> str | None:
        """Where this name leads; the same for names that share their addresses. None: nowhere."""


class Transport(Protocol):
    name: str

    async def send(self, request: Request) -> Response | Failure | Forbidden:
        """One exchange, no redirects followed. Never raises for anything a server does."""

    async def close(self) -> None: ...


class ContentStore(Protocol):
    """Page bodies by their SHA-256. Putting the same body twice is harmless."""

    async def put(self, bodies: Iterable[tuple[bytes, bytes]]) -> None:
        """Store (digest, body) pairs; they are durable against a crash of ours on return."""

    async def get(self, digest: bytes) -> bytes | None:
        """The body; None when it is not there, or damaged beyond reading."""

    async def missing(self, digests: Iterable[bytes]) -> list[bytes]: ...

    async def close(self) -> None: ...


class StoredBody(NamedTuple):
    digest: bytes
    size: int
    at: float


@runtime_checkable
class ContentStock(ContentStore, Protocol):
    """A content store that can tell what it holds, and let go of it."""

    def digests(self) -> AsyncIterator[list[bytes]]:
        """Everything that was there when it was asked, in batches; what came since, perhaps."""

    def inventory(self) -> AsyncIterator[list[StoredBody]]:
        """The same with how large each is as it lies there, and when it was last put."""

    async def remove(self, digests: Iterable[bytes], older: float | None = None) -> list[bytes]:
        """Forget these bodies; those that are not there are nothing to complain about. With
        `older` only those last put before that moment, also when somebody puts them just now.
        Which were forgotten."""
