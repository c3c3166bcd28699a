"""How is a password kept, and how is one checked? As an argon2id hash, a few at a time.

A hash takes 64 MB and a good part of a second on purpose; more than two at once would be a way to
take a server's memory and processors by trying to log in.
"""

from __future__ import annotations

import asyncio
import secrets
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST = 12
LONGEST = 200
_AT_ONCE = 2
_ONE_TIME_BYTES = 15


class PasswordRefused(ValueError):
    """The message says why it is not good enough."""


def require_good(password: str, name: str) -> None:
    """Raises `PasswordRefused`. Length is what counts: rules about letters make people write them
    down."""
    if len(password) < SHORTEST:
        raise PasswordRefused(f"A password has at least {SHORTEST} characters.")
    if len(password) > LONGEST:
        raise PasswordRefused(f"A password has at most {LONGEST} characters.")
    if name.casefold() in password.casefold() and len(password) < 2 * len(name) + SHORTEST:
        raise PasswordRefused("The password contains the name.")
    if len(set(password)) < SHORTEST // 3:
        raise PasswordRefused("The password repeats the same few characters.")


def one_time_password() -> str:
    return secrets.token_urlsafe(_ONE_TIME_BYTES)


class Passwords:
    """Hashes and checks beside the event loop."""

    def __init__(self) -> None:
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def hash(self, password: str) -> str:
        async with self._turns:
            return await asyncio.to_thread(_hasher().hash, password)

    async def is_right(self, password: str, kept: str | None) -> bool:
        """`kept` is None for a name that nobody has: it takes as long, so that nobody can tell."""
        if len(password) > LONGEST:
            return False
        async with self._turns:
            return await asyncio.to_thread(_check, password, kept)


def _check(password: str, kept: str | None) -> bool:
    from argon2.exceptions import InvalidHashError, VerificationError

    try:
        _hasher().verify(kept or _nobodys(), password)
    except (VerificationError, InvalidHashError):
        return False
    return kept is not None


@cache
def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher

    return PasswordHasher()


@cache
def _nobodys() -> str:
    return _hasher().hash(secrets.token_urlsafe(16))
