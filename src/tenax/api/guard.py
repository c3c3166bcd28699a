"""Authentication, roles, rate limit and timeout of every route; one without a role stops the start.

The guard comes before everything else, so that nothing of a request is read that nobody may make.
"""

from __future__ import annotations

import asyncio
import hmac
import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

from fastapi import FastAPI, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute
from starlette.types import Message, Receive, Scope, Send

from tenax.api.limits import Allowance, Limiter
from tenax.api.problems import Problem
from tenax.ops.accounts.api_keys import digest_of
from tenax.ports.api_keys import ApiKey, ApiKeys, ApiRole

ROLE = "x-role"
"""Where a route says for whom it is; it stands in the OpenAPI document, too."""
UNCOUNTED = "x-uncounted"
"""A route that may be asked as often as one likes, because its answers are kept for a while."""
READ_SECONDS = 20.0
ACT_SECONDS = 60.0
_LONGEST_KEY = 200
_SAFE = ("GET", "HEAD")
_RANK = {role: rank for rank, role in enumerate(ApiRole)}


class RouteGuard:
    def __init__(
        self, keys: ApiKeys, limiter: Limiter, tell: Callable[[str], None] = lambda _: None
    ) -> None:
        """`tell` is told of everything that an admin does (SEC-5)."""
        self._keys = keys
        self._limiter = limiter
        self._tell = tell

    async def enter(self, request: Request, role: ApiRole, *, counted: bool) -> Allowance | None:
        """Raises the problem when this may not be asked, or not so often."""
        if not counted:
            return None
        address = request.client.host if request.client else ""
        given = request.headers.get("authorization")
        if given is None:
            allowance = self._count(f"address {address}", ApiRole.ANONYMOUS)
            if role is not ApiRole.ANONYMOUS:
                raise _unknown("This needs a key: send Authorization: Bearer KEY.")
            return allowance
        key = await self._key(given)
        if key is None:
            # Whoever tries keys is counted as nobody in particular.
            self._count(f"address {address}", ApiRole.ANONYMOUS)
            raise _unknown("This key is not known, or was revoked.")
        allowance = self._count(f"key {key.id}", key.role)
        if _RANK[key.role] < _RANK[role]:
            raise Problem(403, f"This is for the role {role}; your key has the role {key.role}.")
        request.scope["tenax.key"] = key
        return allowance

    def acted(self, request: Request, status: int) -> None:
        """Somebody was let in to change something, and this came of it."""
        key: ApiKey | None = request.scope.get("tenax.key")
        if key is not None and request.method not in _SAFE:
            path = request.scope["raw_path"].decode("latin-1")[:200]
            self._tell(f"api: {ascii(key.name)[1:-1]} {request.method} {path}: {status}")

    def _count(self, asker: str, role: ApiRole) -> Allowance:
        allowance = self._limiter.take(asker, role)
        if allowance.is_spent:
            seconds = math.ceil(allowance.seconds)
            detail = f"More than {allowance.limit} requests in a minute. Wait {seconds} s."
            raise Problem(429, detail, {**told(allowance), "Retry-After": str(seconds)})
        return allowance

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

        async with asyncio.timeout(seconds):
            role, counted = declared(self)
            allowance = await guard.enter(request, role, counted=counted)
            try:
                self._require_known(request)
                await super().handle(scope, receive, sending)
            except HTTPException as error:
                status = error.status_code
                raise
            finally:
                guard.acted(request, status)

    def _require_known(self, request: Request) -> None:
        """A parameter that nobody reads was meant to do something: a filter that is misspelled
        would answer with everything."""
        known = self._parameters
        if any(name not in known for name in request.query_params):
            told = f"it knows {', '.join(sorted(known))}" if known else "it has none"
            detail = f"There is a parameter that this does not know: {told}."
            raise Problem(422, detail, known=sorted(known))

    @cached_property
    def _parameters(self) -> frozenset[str]:
        return frozenset(_asked_for(self.dependant))


class Doors:
    """Adds routes, each with those whom it is for."""

    def __init__(self, api: FastAPI) -> None:
        api.router.route_class = GuardedRoute
        self._api = api

    def get(self, path: str, answer: Callable[..., Any], role: ApiRole, **more: Any) -> None:
        self._add("GET", path, answer, role, **more)

    def post(self, path: str, answer: Callable[..., Any], role: ApiRole, **more: Any) -> None:
        self._add("POST", path, answer, role, **more)

    def put(self, path: str, answer: Callable[..., Any], role: ApiRole, **more: Any) -> None:
        self._add("PUT", path, answer, role, **more)

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
        **more: Any,
    ) -> None:
        said = {ROLE: role.value} | ({} if counted else {UNCOUNTED: True})
        self._api.router.add_api_route(
            path, answer, methods=[method], openapi_extra=said, response_model=None, **more
        )


def declared(route: APIRoute) -> tuple[ApiRole, bool]:
    """For whom a route is, and whether its requests are counted. Raises when it does not say."""
    said = route.openapi_extra or {}
    role, counted = ApiRole(said[ROLE]), not said.get(UNCOUNTED, False)
    if not counted and role is not ApiRole.ANONYMOUS:
        raise ValueError("whoever is not counted is not asked for a key either")
    return role, counted


def require_roles(routes: Sequence[BaseRoute]) -> None:
    """Closed by default (API-3): refuse to start with a route that does not say for whom it is."""
    for route in routes:
        try:
            if not isinstance(route, GuardedRoute):
                raise TypeError(type(route).__name__)
            declared(route)
        except (KeyError, ValueError, TypeError) as error:
            where = getattr(route, "path", repr(route))
            raise RuntimeError(f"api: the route {where} does not say for whom it is") from error


def told(allowance: Allowance) -> dict[str, str]:
    return {
        "RateLimit-Limit": str(allowance.limit),
        "RateLimit-Remaining": str(max(0, allowance.left)),
        "RateLimit-Reset": str(math.ceil(allowance.seconds)),
    }


def _asked_for(dependant: Dependant) -> Iterator[str]:
    yield from (field.alias for field in dependant.query_params)
    for each in dependant.dependencies:
        yield from _asked_for(each)


def _unknown(detail: str) -> Problem:
    return Problem(401, detail, {"WWW-Authenticate": 'Bearer realm="tenax"'})
