"""How is a key of the API made, and what is kept of it?"""

from __future__ import annotations

import re
import secrets
from hashlib import sha256
from typing import Any

from tenax.ops.dates import iso
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


def key_json(key: ApiKey) -> dict[str, Any]:
    """What is told of a key, by the command and by the API."""
    return {
        "name": key.name,
        "role": key.role.value,
        "created_at": iso(key.created_at),
        "jobs": None if key.jobs is None else list(key.jobs),
        "expires_at": None if key.expires_at is None else iso(key.expires_at),
        "used_at": None if key.used_at is None else iso(key.used_at),
    }
