"""What do we ask of the ledger about those who may use the API? People, sessions, keys, acts."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import Protocol

from msgspec import Struct


class ApiRole(StrEnum):
    """What somebody may do by the API (API-3)."""

    ANONYMOUS = "anonymous"
    USER = "user"
    ADMIN = "admin"


class ApiKey(Struct, frozen=True):
    """A program that may use the API. The key itself is nowhere kept, only its hash."""

    id: int
    name: str
    role: ApiRole
    created_at: float
    digest: bytes
    jobs: tuple[str, ...] | None = None
    """The only jobs that it may look at and change; None for everything."""
    expires_at: float | None = None
    used_at: float | None = None
    """When it was used last, to about a minute."""


class ApiKeys(Protocol):
    async def add(
        self,
        name: str,
        role: ApiRole,
        digest: bytes,
        *,
        jobs: tuple[str, ...] | None = None,
        expires_at: float | None = None,
    ) -> bool:
        """False when there is one of this name already."""

    async def find(self, digest: bytes) -> ApiKey | None:
        """None for one that has expired, too."""

    async def valid(self, digests: Collection[bytes]) -> set[bytes]:
        """Those of them that are of a key, and of none that has expired."""

    async def all(self) -> list[ApiKey]:
        """By name, those that have expired among them."""

    async def used(self, id: int) -> None:
        """It was used just now."""

    async def revoke(self, name: str) -> bool:
        """False when there is none of this name. It holds for the next request of everybody."""


class User(Struct, frozen=True):
    """A person who may use the console and the API."""

    id: int
    name: str
    role: ApiRole
    created_at: float
    password: str
    """Its hash, with all that is needed to check one against it."""
    one_time: bool = False
    """Whether it is good for nothing but to choose another."""


class Session(Struct, frozen=True):
    """Somebody who has logged in, and until when. Its token is kept nowhere, only its hash."""

    user: User
    created_at: float
    expires_at: float


class Users(Protocol):
    async def add(self, name: str, role: ApiRole, password: str, *, one_time: bool = False) -> bool:
        """False when there is one of this name already."""

    async def add_first(self, name: str, password: str) -> bool:
        """An admin whose password is good once; False when there is anybody already."""

    async def find(self, name: str) -> User | None: ...

    async def all(self) -> list[User]:
        """By name."""

    async def change_password(self, name: str, password: str, *, one_time: bool = False) -> bool:
        """Ends all sessions of theirs. False when there is none of this name."""

    async def remove(self, name: str, *, keep_an_admin: bool = False) -> bool:
        """With all sessions of theirs. False when there is none of this name, or when it is the
        last admin's, and one is to be kept."""

    async def open_session(self, user: int, digest: bytes, expires_at: float) -> None: ...

    async def session(self, digest: bytes) -> Session | None:
        """None when it has expired or was ended."""

    async def valid_sessions(self, digests: Collection[bytes]) -> set[bytes]:
        """Those of them that have neither expired nor been ended."""

    async def end_session(self, digest: bytes) -> bool: ...

    async def end_expired(self) -> int:
        """Throw away the sessions that are over, and say how many."""


class AdminAct(Struct, frozen=True):
    """Something that somebody who was let in has changed, or tried to."""

    id: int
    at: float
    who: str
    """`user NAME` or `key NAME`."""
    what: str
    """Method and path."""
    status: int


class Acts(Protocol):
    async def note(self, who: str, what: str, status: int) -> None: ...

    async def latest(self, before: int | None, most: int) -> list[AdminAct]:
        """The newest first; those before this number."""


class RequestCounts(Protocol):
    """How often did somebody ask, over all servers of one ledger? By windows of fixed length."""

    async def count(self, asker: str, window: int) -> tuple[int, int]:
        """Count one in this window; how many there were in it, and in the one before."""

    async def uncount(self, asker: str, window: int) -> None:
        """One that was counted in this window was none after all."""


class KeptAnswer(Struct, frozen=True):
    """What was answered to a request that may be repeated (API-1)."""

    status: int
    content_type: str
    body: bytes


class Repeat(StrEnum):
    NEW = "new"
    UNDER_WAY = "under_way"
    ANOTHER = "another"
    """The same key with another body."""


class Repeats(Protocol):
    async def begin(self, id: bytes, request: bytes) -> Repeat | KeptAnswer:
        """Whether a request is to be acted on: NEW, once in 24 hours. One that was begun two
        minutes ago and never ended is NEW again: whoever acted on it is gone."""

    async def end(self, id: bytes, answer: KeptAnswer | None) -> None:
        """Keep the answer; None forgets the request, so that it can be sent again."""
