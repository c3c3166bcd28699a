"""`/api/auth`: log in and out, who am I, choose a password."""

from __future__ import annotations

from typing import Annotated

from fastapi import Request, Response
from msgspec import Struct
from pydantic import BaseModel, ConfigDict, StringConstraints

from tenax.api.callers import COOKIE, Caller, caller_of
from tenax.api.guard import Doors, guard_of
from tenax.api.problems import Problem
from tenax.api.server import is_loopback
from tenax.compose.api import Opened
from tenax.ops.accounts.passwords import LONGEST, PasswordRefused
from tenax.ops.accounts.users import SESSION_SECONDS, csrf_token
from tenax.ports.accounts import ApiRole

_Password = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST)]
_CLOSED = ConfigDict(extra="forbid")


class LoginBody(BaseModel):
    model_config = _CLOSED

    name: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    password: _Password


class PasswordBody(BaseModel):
    model_config = _CLOSED

    old: _Password
    new: _Password


class LoginAnswer(Struct, frozen=True):
    """A session has begun."""

    name: str
    role: ApiRole
    must_choose_password: bool
    expires_at: float
    csrf_token: str
    """To be sent as `X-CSRF-Token` with what changes something."""


class LogoutAnswer(Struct, frozen=True):
    logged_out: bool
    """False when there was no session."""


class PasswordAnswer(Struct, frozen=True):
    name: str
    changed: bool = True


class WhoAsks(Struct, frozen=True):
    kind: str | None
    """`user` or `key`; null for whoever does not say."""
    name: str | None
    role: ApiRole
    jobs: tuple[str, ...] | None
    """The only jobs that they may see; null for all."""
    must_choose_password: bool
    csrf_token: str | None


def add(doors: Doors, opened: Opened) -> None:
    auth = _Auth(opened)
    doors.post("/api/auth/login", auth.login, ApiRole.ANONYMOUS, secret=True, own_limit=True)
    doors.post("/api/auth/logout", auth.logout, ApiRole.ANONYMOUS, secret=True)
    doors.post("/api/auth/password", auth.password, ApiRole.ANONYMOUS, secret=True)
    doors.get("/api/auth/me", auth.me, ApiRole.ANONYMOUS, own_limit=True)


class _Auth:
    def __init__(self, opened: Opened) -> None:
        self._accounts = opened.accounts

    async def login(self, given: LoginBody, request: Request, response: Response) -> LoginAnswer:
        """Begin a session of 24 hours; its cookie is all that is needed. One that was there ends.
        The answer has the token that programs send back as `X-CSRF-Token` with what changes
        something; browsers need none on pages of ours."""
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise Problem(403, "Another site must not log you in.")
        await guard_of(request).count_login(request, given.name)
        old = request.cookies.get(COOKIE, "")
        logged_in = await self._accounts.log_in(given.name, given.password, old)
        if logged_in is None:
            raise Problem(401, "The name or the password is wrong.")
        await guard_of(request).is_right(request, given.name)
        response.set_cookie(
            COOKIE,
            logged_in.token,
            max_age=int(SESSION_SECONDS),
            path="/",
            secure=not _is_local(request),
            httponly=True,
            samesite="strict",
        )
        user = logged_in.user
        request.scope["tenax.caller"] = Caller(f"user {user.name}", user.role, user=user)
        return LoginAnswer(
            name=user.name,
            role=user.role,
            must_choose_password=user.one_time,
            expires_at=logged_in.expires_at,
            csrf_token=csrf_token(logged_in.token),
        )

    async def logout(self, request: Request, response: Response) -> LogoutAnswer:
        """End the session. Nothing happens without one."""
        is_ended = await self._accounts.log_out(caller_of(request).token)
        if is_ended:
            # Of theirs alone: whoever asks from another site's page has no session here.
            response.delete_cookie(
                COOKIE, path="/", secure=not _is_local(request), httponly=True, samesite="strict"
            )
        return LogoutAnswer(is_ended)

    async def password(self, given: PasswordBody, request: Request) -> PasswordAnswer:
        """Choose another password. All sessions of yours end: log in again."""
        user = caller_of(request).user
        if user is None:
            raise Problem(401, "Log in first: this is for people, not for keys.")
        await guard_of(request).count_login(request, user.name)
        if not await self._accounts.is_password(user, given.old):
            raise Problem(403, "The old password is wrong.")
        await guard_of(request).is_right(request, user.name)
        try:
            await self._accounts.choose_password(user.name, given.new)
        except PasswordRefused as error:
            raise Problem(422, str(error)) from error
        return PasswordAnswer(user.name)

    async def me(self, request: Request) -> WhoAsks:
        """Who asks: role `anonymous` without a session or a key."""
        caller = caller_of(request)
        kind, _, name = caller.name.partition(" ")
        is_known = caller.role is not ApiRole.ANONYMOUS
        return WhoAsks(
            kind=kind if is_known else None,
            name=name if is_known else None,
            role=caller.role,
            jobs=caller.jobs,
            must_choose_password=caller.user is not None and caller.user.one_time,
            csrf_token=csrf_token(caller.token) if caller.token else None,
        )


def _is_local(request: Request) -> bool:
    """Whether the browser talks to its own machine: only there a cookie may go without TLS."""
    host = request.headers.get("host", "")
    name = host.rpartition("]")[0].removeprefix("[") if "]" in host else host.partition(":")[0]
    return is_loopback(name)
