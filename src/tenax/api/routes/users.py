"""`/api/users`, `/api/keys` and `/api/acts`: who may use this, and what did they change?"""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Path
from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from tenax.api import cursors
from tenax.api.bounds import STRICT
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, Limit, ListPart, Removed, listed, the_job
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.ops.accounts.api_keys import KeyFacts, KeyRefused, add_key, key_facts
from tenax.ops.accounts.passwords import LONGEST, PasswordRefused
from tenax.ops.accounts.users import AccountRefused, UserFacts, user_facts
from tenax.ops.plain import extended
from tenax.ports.accounts import ApiRole

_Name = Annotated[str, StringConstraints(min_length=1, max_length=64)]
_Job = Annotated[str, StringConstraints(max_length=255)]
_Jobs = Annotated[list[_Job], Field(max_length=100)]
_Role = Literal["user", "admin"]
_CLOSED = ConfigDict(extra="forbid")
NamedInPath = Annotated[str, Path(max_length=64)]


class UserBody(BaseModel):
    model_config = _CLOSED

    name: _Name
    role: _Role
    password: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST)]


class KeyBody(BaseModel):
    model_config = _CLOSED

    name: _Name
    role: _Role
    jobs: _Jobs | None = None
    expires_in: Annotated[float, STRICT, Field(gt=0, le=315_360_000)] | None = None
    """Seconds."""


class NewKey(KeyFacts, frozen=True, kw_only=True):
    key: str
    """The key itself: it is here, and nowhere else."""


class Revoked(Struct, frozen=True):
    name: str
    revoked: bool = True


class ActFacts(Struct, frozen=True):
    """Something that was changed by the API."""

    at: float
    who: str
    what: str
    status: int


def add(doors: Doors, opened: Opened) -> None:
    users, keys, acts = _Users(opened), _Keys(opened), _Acts(opened)
    doors.get("/api/users", users.list, ApiRole.ADMIN)
    doors.post("/api/users", users.create, ApiRole.ADMIN, status_code=201)
    doors.delete("/api/users/{user}", users.delete, ApiRole.ADMIN, problems=(404, 409))
    doors.get("/api/keys", keys.list, ApiRole.ADMIN)
    doors.post(
        "/api/keys", keys.create, ApiRole.ADMIN, status_code=201, secret=True, problems=(404,)
    )
    doors.delete("/api/keys/{key}", keys.delete, ApiRole.ADMIN, problems=(404,))
    doors.get("/api/acts", acts.list, ApiRole.ADMIN)


class _Users:
    def __init__(self, opened: Opened) -> None:
        self._accounts = opened.accounts
        self._users = opened.users

    async def list(self) -> ListPart[UserFacts]:
        """People who can log in."""
        return listed(map(user_facts, await self._users.all()))

    async def create(self, given: UserBody) -> UserFacts:
        """Add somebody who can log in."""
        try:
            await self._accounts.add(given.name, ApiRole(given.role), given.password)
        except PasswordRefused as error:
            raise Problem(422, f"password: {error}") from error
        except AccountRefused as error:
            raise Problem(409 if "already" in str(error) else 422, f"name: {error}") from error
        user = await self._users.find(given.name)
        assert user is not None, "it was added just now"
        return user_facts(user)

    async def delete(self, user: NamedInPath) -> Removed:
        """Remove somebody, with all sessions of theirs."""
        try:
            is_gone = await self._accounts.remove(user)
        except AccountRefused as error:
            raise Problem(409, str(error)) from error
        if not is_gone:
            raise Problem(404, "There is nobody of this name. GET /api/users lists them.")
        return Removed(user)


class _Keys:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger
        self._keys = opened.keys

    async def list(self) -> ListPart[KeyFacts]:
        """Keys of programs; the keys themselves are kept nowhere."""
        return listed(map(key_facts, await self._keys.all()))

    async def create(self, given: KeyBody) -> NewKey:
        """Make a key. It is in this answer, and nowhere else."""
        for name in given.jobs or ():
            await the_job(self._ledger, name)
        jobs = None if given.jobs is None else tuple(given.jobs)
        now = self._ledger.clock.now()
        until = None if given.expires_in is None else now + given.expires_in
        try:
            key = await add_key(
                self._keys, given.name, ApiRole(given.role), jobs=jobs, expires_at=until
            )
        except KeyRefused as error:
            raise Problem(409 if "already" in str(error) else 422, f"name: {error}") from error
        (made,) = [each for each in await self._keys.all() if each.name == given.name]
        return extended(NewKey, key_facts(made), key=key)

    async def delete(self, key: NamedInPath) -> Revoked:
        """Revoke a key: it opens nothing any more, from the next request on."""
        if not await self._keys.revoke(key):
            raise Problem(404, "There is no key of this name. GET /api/keys lists them.")
        return Revoked(key)


class _Acts:
    def __init__(self, opened: Opened) -> None:
        self._acts = opened.acts

    async def list(self, limit: Limit = 100, cursor: Cursor = None) -> ListPart[ActFacts]:
        """What was changed by the API, and by whom; the newest first."""
        found = await self._acts.latest(cursors.number(cursor) or None, limit)
        items = [ActFacts(act.at, act.who, act.what, act.status) for act in found]
        return listed(items, found[-1].id if len(found) == limit else None)
