"""What do we ask of the ledger about those who may use the API? Who a key belongs to."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from msgspec import Struct


class ApiRole(StrEnum):
    """What somebody may do by the API (API-3)."""

    ANONYMOUS = "anonymous"
    USER = "user"
    ADMIN = "admin"


class ApiKey(Struct, frozen=True):
    """Somebody who may use the API. The key itself is nowhere kept, only its hash."""

    id: int
    name: str
    role: ApiRole
    created_at: float
    digest: bytes


class ApiKeys(Protocol):
    async def add(self, name: str, role: ApiRole, digest: bytes) -> bool:
        """False when there is one of this name already."""

    async def find(self, digest: bytes) -> ApiKey | None: ...

    async def all(self) -> list[ApiKey]:
        """By name."""

    async def revoke(self, name: str) -> bool:
        """False when there is none of this name. It holds for the next request of everybody."""
