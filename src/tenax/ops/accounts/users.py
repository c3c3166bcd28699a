"""The verbs of accounts: add a user, log in and out, choose a password, remove a user."""

from __future__ import annotations

import hmac
import re
import secrets
from hashlib import sha256

from msgspec import Struct

from tenax.ops.accounts.passwords import Passwords, one_time_password, require_good
from tenax.ports import Clock
from tenax.ports.accounts import ApiKeys, ApiRole, Session, User, Users

SESSION_SECONDS = 86_400.0
"""API-2."""
FIRST_NAME = "admin"
_NAME = re.compile(r"[\w.@+-]{1,64}")
_BYTES = 32
_LONGEST_TOKEN = 100


class AccountRefused(ValueError):
    """The message says why, in words for whoever asked."""


class LoggedIn(Struct, frozen=True):
    user: User
    token: str
    """What the cookie says: kept nowhere else."""
    expires_at: float


class Accounts:
    def __init__(self, users: Users, clock: Clock, passwords: Passwords | None = None) -> None:
        self._users = users
        self._clock = clock
        self._passwords = passwords or Passwords()

    async def add(self, name: str, role: ApiRole, password: str) -> None:
        """Raises `AccountRefused`, or `PasswordRefused`."""
        if not _NAME.fullmatch(name):
            raise AccountRefused("A name has up to 64 letters, digits and . _ - @ +.")
        require_good(password, name)
        if not await self._users.add(name, role, await self._passwords.hash(password)):
            raise AccountRefused(f"There is a user {name} already.")

    async def add_first(self) -> str | None:
        """An admin for a ledger that knows nobody, and the password that is good once; None where
        there is somebody."""
        if await self._users.all():
            return None
        password = one_time_password()
        hashed = await self._passwords.hash(password)
        return password if await self._users.add_first(FIRST_NAME, hashed) else None

    async def log_in(self, name: str, password: str, old_token: str = "") -> LoggedIn | None:
        """A new session; the one that was there ends. None for a wrong name or password."""
        user = await self._users.find(name) if _NAME.fullmatch(name) else None
        if not await self._passwords.is_right(password, user.password if user else None):
            return None
        assert user is not None, "nobody's password is never right"
        token = secrets.token_urlsafe(_BYTES)
        expires_at = self._clock.now() + SESSION_SECONDS
        await self.log_out(old_token)
        await self._users.end_expired()
        await self._users.open_session(user.id, token_digest(token), expires_at)
        return LoggedIn(user, token, expires_at)

    async def log_out(self, token: str) -> bool:
        return _is_token(token) and await self._users.end_session(token_digest(token))

    async def session(self, token: str) -> Session | None:
        return await self._users.session(token_digest(token)) if _is_token(token) else None

    async def choose_password(self, name: str, password: str) -> bool:
        """Ends all sessions of theirs. Raises `PasswordRefused`; False when there is nobody."""
        require_good(password, name)
        return await self._users.change_password(name, await self._passwords.hash(password))

    async def is_password(self, user: User, password: str) -> bool:
        return await self._passwords.is_right(password, user.password)

    async def remove(self, name: str) -> bool:
        """Raises `AccountRefused` for the last admin: nobody could make another."""
        is_gone = await self._users.remove(name, keep_an_admin=True)
        if not is_gone and await self._users.find(name) is not None:
            raise AccountRefused(f"{name} is the only admin. Add another one first.")
        return is_gone


def token_digest(token: str) -> bytes:
    """As for keys: 256 random bits need no slow hash."""
    return sha256(token.encode()).digest()


def csrf_token(token: str) -> str:
    """What a page of ours sends along with what changes something, to show that it can read our
    answers; others' pages can send the cookie, but read nothing."""
    return hmac.new(token.encode(), b"csrf", sha256).hexdigest()


def _is_token(token: str) -> bool:
    return bool(token) and len(token) <= _LONGEST_TOKEN


async def lapsed(keys: ApiKeys, users: Users, digests: set[bytes]) -> set[bytes]:
    """Of keys and sessions that were good a while ago, by their digests, those that are not any
    more."""
    left = digests - await keys.valid(digests)
    return left - await users.valid_sessions(left) if left else left


class UserFacts(Struct, frozen=True):
    """Somebody who can log in."""

    name: str
    role: ApiRole
    created_at: float
    must_choose_password: bool
    """Theirs is good once."""


def user_facts(user: User) -> UserFacts:
    return UserFacts(user.name, user.role, user.created_at, user.one_time)
