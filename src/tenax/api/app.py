"""The ASGI application: its routes, each with its role, around an opened Tenax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from tenax.api import problems
from tenax.api.envelope import Envelope
from tenax.api.guard import Doors, RouteGuard, require_roles
from tenax.api.routes import (
    auth,
    dead_letters,
    domains,
    fetch,
    frontier,
    health,
    jobs,
    live,
    lookup,
    metrics,
    pages,
    products,
    proxies,
    search,
    sites,
    users,
    why,
    workers,
)
from tenax.compose.api import Opened
from tenax.ports.accounts import ApiRole
from tenax.version import VERSION

COMPRESSED_FROM = 1_000
"""Bytes."""
_RESOURCES = (
    health, metrics, live, frontier, fetch, pages, domains, jobs, dead_letters, products, search,
    why, workers, sites, auth, users, proxies, lookup,
)  # fmt: skip


def build(opened: Opened, tell: Callable[[str], None] = lambda _: None) -> FastAPI:
    """An application for any ASGI server. `tell` is told of everything that an admin does."""
    api = FastAPI(
        title="Tenax",
        version=VERSION,
        description="Errors are problem+json (RFC 9457). Send keys as `Authorization: Bearer KEY`.",
        # Pages that explain an API load scripts from elsewhere; the document itself is below.
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
    )
    api.state.guard = RouteGuard(opened, tell)
    problems.install(api)
    doors = Doors(api)
    for resource in _RESOURCES:
        resource.add(doors, opened)
    doors.get("/api/openapi.json", _document_of(api), ApiRole.USER, include_in_schema=False)
    require_roles(api.router.routes)
    api.add_middleware(GZipMiddleware, minimum_size=COMPRESSED_FROM, compresslevel=5)
    api.add_middleware(Envelope)
    return api


def _document_of(api: FastAPI) -> Callable[[], Any]:
    async def document() -> Any:
        found = api.openapi()
        scheme = {"type": "http", "scheme": "bearer"}
        found.setdefault("components", {})["securitySchemes"] = {"key": scheme}
        found["security"] = [{"key": []}]
        return found

    return document
