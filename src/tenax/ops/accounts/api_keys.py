"""How is a key of the API made, and what is kept of it?"""

from __future__ import annotations

import re
import secrets
from hashlib import sha256

from msgspec import Struct

from tenax.ports.accounts import ApiKey, ApiKeys, ApiRole

_PREFIX = "tnx_"
"""So that a key is recognised where it should not be: in a log, in a repository."""
_BYTES = 32
_NAME = re.compile(r"[\w.@+-]{1,64}")


class KeyRefused(ValueError):
    """The message says why, in words for whoever asked."""


def new_key() -> str:
    return _PREFIX + secrets.token_urlsafe(_BYTES)


def digest_of(key: str) -> bytes:
    """What is kept of a key. It is 256 random bits, so nobody finds it by trying: a slow hash, as
    for what people think up, would cost every request and protect nothing more."""
    return sha256(key.encode()).digest()


async def add_key(
    keys: ApiKeys,
    name: str,
    role: ApiRole,
    *,
    jobs: tuple[str, ...] | None = None,
    expires_at: float | None = None,
) -> str:
    """A new key, which is kept nowhere. Raises `KeyRefused`."""
    if not _NAME.fullmatch(name):
        raise KeyRefused("Use up to 64 letters, digits and . _ - @ +.")
    key = new_key()
    if not await keys.add(name, role, digest_of(key), jobs=jobs, expires_at=expires_at):
        raise KeyRefused(f"There is a key {name} already. Revoke it first.")
    return key


class KeyFacts(Struct, frozen=True):
    """A key of a program; the key itself is kept nowhere."""

    name: str
    role: ApiRole
    created_at: float
    jobs: tuple[str, ...] | None
    """The only jobs that it is for; null for all."""
    expires_at: float | None
    used_at: float | None


def key_facts(key: ApiKey) -> KeyFacts:
    return KeyFacts(key.name, key.role, key.created_at, key.jobs, key.expires_at, key.used_at)
