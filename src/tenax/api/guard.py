"""Authentication, roles, rate limit and timeout of every route; one without a role stops the start.

The guard comes before everything else, so that nothing of a request is read that nobody may make.
"""

from __future__ import annotations

import asyncio
import hmac
import math
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from math import inf
from typing import Any

from fastapi import FastAPI, Request
from fastapi.dependencies.models import Dependant
from fastapi.responses import Response, StreamingResponse
from fastapi.routing import APIRoute
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute
from starlette.types import Message, Receive, Scope, Send

from tenax.api.answering import Declared, answering, declare
from tenax.api.callers import COOKIE, Caller, address_of, caller_of, is_ours
from tenax.api.envelope import HEAD, JsonRequest
from tenax.api.problems import Problem, did_you_mean
from tenax.api.repeats import HEADER, Repeatable
from tenax.compose.api import Opened
from tenax.ops.accounts.api_keys import digest_of
from tenax.ops.accounts.limits import Allowance
from tenax.ops.accounts.users import token_digest
from tenax.ports import Unavailable
from tenax.ports.accounts import ApiKey, ApiRole

ROLE = "x-role"
"""Where a route says for whom it is; it stands in the OpenAPI document, too."""
STREAMS = "x-streams"
"""A route whose answer goes on for as long as somebody listens."""
SECRET = "x-secret"
"""A route whose answer is kept nowhere, because there is a secret in it."""
UNCOUNTED = "x-uncounted"
"""A route that may be asked as often as one likes, because its answers are kept for a while."""
DOOR_SECONDS = 3.0
"""For who asks, and how often: a ledger that takes longer is away."""
LOOK_SECONDS = 0.25
"""Between looks whether the ledger went away meanwhile."""
OWN_LIMIT = "x-own-limit"
"""A route that strangers are not counted for as for any other: what it does is limited by itself,
or is nothing. Many people may share an address, and each of them has to log in."""
READ_SECONDS = 20.0
ACT_SECONDS = 60.0
_LONGEST_KEY = 200
_SAFE = ("GET", "HEAD")
_OF_A_JOB = "/api/jobs/{name}"
_WIDER = 4
_USED_EVERY = 60.0
"""Seconds between two notes that a key is in use."""
_RANK = {role: rank for rank, role in enumerate(ApiRole)}


class RouteGuard:
    def __init__(self, opened: Opened, tell: Callable[[str], None] = lambda _: None) -> None:
        """`tell` is told of everything that an admin does (SEC-5)."""
        self._keys = opened.keys
        self._accounts = opened.accounts
        self._acts = opened.acts
        self._clock = opened.ledger.clock
        self._database = opened.ledger.database
        self._limiter = opened.limiter
        self.repeats = opened.ledger.repeats
        self._tell = tell
        self._used: dict[int, float] = {}

    async def enter(
        self, request: Request, role: ApiRole, *, own_limit: bool = False
    ) -> Allowance | None:
        """Raises the problem when this may not be asked, or not so often. None for whoever is not
        counted."""
        try:
            caller = await self._caller(request, role)
        except Problem:
            # Whoever tries keys is counted as nobody in particular.
            await self._count(address_of(request), ApiRole.ANONYMOUS)
            raise
        allowance = None
        if not (own_limit and _is_nobody(request, caller)):
            allowance = await self._count(caller.name, caller.role)
        if _RANK[caller.role] < _RANK[role]:
            if caller.role is ApiRole.ANONYMOUS:
                raise unknown("This needs a key (Authorization: Bearer KEY) or a login.")
            raise Problem(403, f"This is for the role {role}; you have the role {caller.role}.")
        if caller.user is not None and caller.user.one_time and role is not ApiRole.ANONYMOUS:
            raise Problem(403, "Choose a password first: POST /api/auth/password.")
        request.scope["tenax.caller"] = caller
        return allowance

    def require_ledger(self) -> None:
        """Nobody waits for a ledger that is known to be away: it is tried by others."""
        if trouble := self._database.trouble:
            raise Unavailable(trouble)

    @contextmanager
    def while_it_answers(self, limit: asyncio.Timeout) -> Iterator[None]:
        """End what is under way once the ledger is away, which workers wait for, for minutes."""
        looking = asyncio.create_task(self._look(limit))
        try:
            yield
        finally:
            looking.cancel()

    async def _look(self, limit: asyncio.Timeout) -> None:
        while not self._database.trouble:
            await self._clock.sleep(LOOK_SECONDS)
        limit.reschedule(asyncio.get_running_loop().time())

    async def count_seeds(self, request: Request) -> None:
        """Adding URLs is counted once more (API-4)."""
        limit = self._limiter.policy.seeds
        _require_left(await self._limiter.take(f"seeds {caller_of(request).name}", limit))

    async def count_login(self, request: Request, name: str) -> None:
        """Raises when this name, this address, or both together, tried too often. Counted before
        the password is looked at: whoever tries many at once is to find no more out."""
        few = self._limiter.policy.logins
        exactly, *wider = _tries(request, name)
        _require_left(await self._limiter.take(exactly, few))
        for asker in wider:
            _require_left(await self._limiter.take(asker, few * _WIDER))

    async def is_right(self, request: Request, name: str) -> None:
        """Who knows the password has not tried one: a team behind one address logs in."""
        for asker in _tries(request, name):
            await self._limiter.give_back(asker)

    async def acted(self, request: Request, status: int) -> None:
        """Somebody was let in to change something, and this came of it."""
        caller: Caller | None = request.scope.get("tenax.caller")
        if caller is None or request.method in _SAFE:
            return
        path = request.scope["raw_path"].decode("latin-1")[:200]
        name = ascii(caller.name)[1:-1]
        self._tell(f"api: {name} {request.method} {path}: {status}")
        # Who is told that the ledger is away is not to wait for it after all.
        with suppress(Unavailable, TimeoutError):
            self.require_ledger()
            async with asyncio.timeout(DOOR_SECONDS):
                await self._acts.note(name, f"{request.method} {ascii(path)[1:-1]}", status)

    async def _caller(self, request: Request, role: ApiRole) -> Caller:
        given = request.headers.get("authorization")
        if given is not None:
            return await self._program(given)
        token = request.cookies.get(COOKIE, "")
        session = await self._accounts.session(token) if token else None
        is_safe = request.method in _SAFE or is_ours(request, token)
        if session is None or (not is_safe and role is ApiRole.ANONYMOUS):
            return Caller(address_of(request), ApiRole.ANONYMOUS)
        if not is_safe:
            raise Problem(403, "This came from another site, or without X-CSRF-Token.")
        user = session.user
        digest = token_digest(token)
        return Caller(f"user {user.name}", user.role, user=user, token=token, digest=digest)

    async def _program(self, given: str) -> Caller:
        key = await self._key(given)
        if key is None:
            raise unknown("This key is not known, has expired, or was revoked.")
        now = self._clock.now()
        if now - self._used.get(key.id, -inf) >= _USED_EVERY:
            self._used[key.id] = now
            await self._keys.used(key.id)
        return Caller(f"key {key.name}", key.role, key.jobs, digest=key.digest)

    async def _count(self, asker: str, role: ApiRole) -> Allowance:
        return _require_left(await self._limiter.take(asker, self._limiter.policy.of(role)))

    async def _key(self, given: str) -> ApiKey | None:
        scheme, _, key = given.partition(" ")
        key = key.strip()
        if scheme.lower() != "bearer" or not key or len(key) > _LONGEST_KEY:
            return None
        digest = digest_of(key)
        found = await self._keys.find(digest)
        # By its index the table finds at most one; that it is this one is not for it to say.
        return found if found and hmac.compare_digest(found.digest, digest) else None


class GuardedRoute(APIRoute):
    """A route that nobody enters past the guard, and nobody stays in for too long."""

    declared: Declared

    @property
    def is_secret(self) -> bool:
        return bool((self.openapi_extra or {}).get(SECRET, False))

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handling(request: Request) -> Response:
            answer = await handle(JsonRequest(request.scope, request.receive))
            if isinstance(answer, StreamingResponse) and HEAD in request.scope:
                # What goes on and on is not even begun for nobody.
                answer.body_iterator = _nothing()
            return answer

        return handling

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        guard: RouteGuard = scope["app"].state.guard
        request = Request(scope)
        seconds = READ_SECONDS if request.method in _SAFE else ACT_SECONDS
        status = 500
        allowance: Allowance | None = None

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if allowance is not None:
                    MutableHeaders(scope=message).update(told(allowance))
            await send(message)

        role, counted = declared(self)
        said = self.openapi_extra or {}
        if counted:
            guard.require_ledger()
            async with asyncio.timeout(DOOR_SECONDS) as limit:
                with guard.while_it_answers(limit):
                    own = bool(said.get(OWN_LIMIT))
                    allowance = await guard.enter(request, role, own_limit=own)
        if not counted or said.get(STREAMS):
            await self._enter(request, role, receive, sending)
            return
        async with asyncio.timeout(seconds) as limit:
            with guard.while_it_answers(limit):
                try:
                    await self._enter(request, role, receive, sending)
                except HTTPException as error:
                    status = error.status_code
                    raise
                finally:
                    await guard.acted(request, status)

    async def _enter(self, request: Request, role: ApiRole, receive: Receive, send: Send) -> None:
        self._require_known(request)
        self._require_bound(request, role)
        await self._act(request, receive, send)

    async def _act(self, request: Request, receive: Receive, send: Send) -> None:
        if request.method != "POST" or HEADER not in request.headers or self.is_secret:
            await super().handle(request.scope, receive, send)
            return
        guard: RouteGuard = request.app.state.guard
        caller = caller_of(request).name
        repeatable = Repeatable(guard.repeats, request, caller)
        before, receive = await repeatable.answer(receive)
        if before is not None:
            await before(request.scope, receive, send)
            return
        try:
            await super().handle(request.scope, receive, repeatable.sending(send))
        finally:
            async with asyncio.timeout(DOOR_SECONDS):
                await repeatable.end()

    def _require_known(self, request: Request) -> None:
        """A parameter that nobody reads was meant to do something: a filter that is misspelled
        would answer with everything."""
        known = sorted(self._parameters)
        for name in request.query_params:
            if len(request.query_params.getlist(name)) > 1:
                # Whichever was meant: to answer for one would pass over the other.
                raise Problem(422, "There is a parameter that is given twice.", known=known)
            if name not in self._parameters:
                told = f"it knows {', '.join(known)}" if known else "it has none"
                meant = did_you_mean(name, known)
                detail = f"There is a parameter that this does not know: {told}.{meant}"
                raise Problem(422, detail, known=known)

    def _require_bound(self, request: Request, role: ApiRole) -> None:
        """A key for some jobs asks about one of these, or about nothing."""
        caller: Caller | None = request.scope.get("tenax.caller")
        if caller is None or caller.jobs is None or role is ApiRole.ANONYMOUS:
            return
        job = request.path_params.get("name") if self.path.startswith(_OF_A_JOB) else None
        if job is None and "job" in self._parameters:
            job = request.query_params.get("job")
        if job not in caller.jobs:
            named = ", ".join(caller.jobs)
            raise Problem(403, f"Your key is for {named}: name one, where this asks for a job.")

    @cached_property
    def _parameters(self) -> frozenset[str]:
        return frozenset(_asked_for(self.dependant))


class Doors:
    """Adds routes, each with those whom it is for."""

    def __init__(self, api: FastAPI) -> None:
        api.router.route_class = GuardedRoute
        self._api = api

    def keep(self, name: str, value: object) -> None:
        """For whoever runs the application: `api.state` has it under this name."""
        setattr(self._api.state, name, value)

    def get(self, path: str, answer: Callable[..., Any], role: ApiRole, **more: Any) -> None:
        self._add("GET", path, answer, role, **more)

    def post(self, path: str, answer: Callable[..., Any], role: ApiRole, **more: Any) -> None:
        self._add("POST", path, answer, role, **more)

    def put(self, path: str, answer: Callable[..., Any], role: ApiRole, **more: Any) -> None:
        self._add("PUT", path, answer, role, **more)

    def patch(self, path: str, answer: Callable[..., Any], role: ApiRole, **more: Any) -> None:
        self._add("PATCH", path, answer, role, **more)

    def delete(self, path: str, answer: Callable[..., Any], role: ApiRole, **more: Any) -> None:
        self._add("DELETE", path, answer, role, **more)

    def _add(
        self,
        method: str,
        path: str,
        answer: Callable[..., Any],
        role: ApiRole,
        *,
        counted: bool = True,
        streams: bool = False,
        secret: bool = False,
        own_limit: bool = False,
        media: tuple[str, ...] = (),
        problems: tuple[int, ...] = (),
        also: tuple[int, ...] = (),
        status_code: int = 200,
        include_in_schema: bool = True,
        route_class_override: type[GuardedRoute] | None = None,
    ) -> None:
        """What it answers is the return type of `answer`. `media` are other types of content,
        `problems` statuses of errors that not every route has, `also` other statuses of the same
        answer."""
        said: dict[str, Any] = {ROLE: role.value} | ({} if counted else {UNCOUNTED: True})
        said |= ({STREAMS: True} if streams else {}) | ({SECRET: True} if secret else {})
        said |= {OWN_LIMIT: True} if own_limit else {}
        self._api.router.add_api_route(
            path,
            answering(answer, status_code),
            methods=[method],
            openapi_extra=said,
            response_model=None,
            status_code=status_code,
            include_in_schema=include_in_schema,
            route_class_override=route_class_override,
        )
        route = self._api.router.routes[-1]
        assert isinstance(route, GuardedRoute)
        route.declared = declare(
            answer, media=media, problems=problems, status=status_code, also=also
        )


async def _nothing() -> AsyncIterator[bytes]:
    yield b""


def declared(route: APIRoute) -> tuple[ApiRole, bool]:
    """For whom a route is, and whether its requests are counted. Raises when it does not say."""
    said = route.openapi_extra or {}
    role, counted = ApiRole(said[ROLE]), not said.get(UNCOUNTED, False)
    if not counted and role is not ApiRole.ANONYMOUS:
        raise ValueError("whoever is not counted is not asked for a key either")
    return role, counted


def require_roles(routes: Sequence[BaseRoute]) -> None:
    """Closed by default (API-3): refuse to start with a route that does not say for whom it is, or
    what it answers."""
    for route in routes:
        try:
            if not isinstance(route, GuardedRoute):
                raise TypeError(type(route).__name__)
            declared(route)
            if not hasattr(route, "declared"):
                raise TypeError("what it answers")
        except (KeyError, ValueError, TypeError) as error:
            where = getattr(route, "path", repr(route))
            told = f"api: the route {where} does not say for whom it is, or what it answers"
            raise RuntimeError(told) from error


def told(allowance: Allowance) -> dict[str, str]:
    return {
        "RateLimit-Limit": str(allowance.limit),
        "RateLimit-Remaining": str(max(0, allowance.left)),
        "RateLimit-Reset": str(math.ceil(allowance.seconds)),
    }


def _is_nobody(request: Request, caller: Caller) -> bool:
    """Whether a stranger asks to be let in, or a page of ours whether it has to ask that: no look
    at the ledger was needed to know them for one."""
    if caller.role is not ApiRole.ANONYMOUS:
        return False
    is_ours = request.headers.get("sec-fetch-site") == "same-origin"
    return request.method not in _SAFE or (is_ours and COOKIE not in request.cookies)


def _tries(request: Request, name: str) -> tuple[str, str, str]:
    """What an attempt to log in is counted as: of this name from here, from here, of this name."""
    address = address_of(request)
    return f"login {name[:100]} {address}", f"login {address}", f"login {name[:100]}"


def guard_of(request: Request) -> RouteGuard:
    found: RouteGuard = request.app.state.guard
    return found


def _require_left(allowance: Allowance) -> Allowance:
    if allowance.is_spent:
        seconds = math.ceil(allowance.seconds)
        detail = f"More than {allowance.limit} requests in a minute. Wait {seconds} s."
        raise Problem(429, detail, {**told(allowance), "Retry-After": str(seconds)})
    return allowance


def _asked_for(dependant: Dependant) -> Iterator[str]:
    yield from (field.alias for field in dependant.query_params)
    for each in dependant.dependencies:
        yield from _asked_for(each)


def unknown(detail: str) -> Problem:
    return Problem(401, detail, {"WWW-Authenticate": 'Bearer realm="tenax"'})
