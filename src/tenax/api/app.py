"""The ASGI application: its routes, each with its role, around an opened Tenax."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import orjson
from fastapi import FastAPI
from fastapi.responses import Response
from starlette.middleware.gzip import GZipMiddleware

from tenax.api import console_files, problems
from tenax.api.answering import JSON
from tenax.api.compression import Brotlied
from tenax.api.document import document
from tenax.api.envelope import Envelope
from tenax.api.etags import Etags
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
from tenax.api.routes.own import records
from tenax.compose.api import Opened
from tenax.ports.accounts import ApiRole
from tenax.version import VERSION

COMPRESSED_FROM = 1_000
"""Bytes."""
_RESOURCES = (
    health, metrics, live, frontier, fetch, pages, domains, jobs, dead_letters, products, records,
    search,    why, workers, sites, auth, users, proxies, lookup,
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
    doors.get(
        "/api/openapi.json",
        _document_of(api),
        ApiRole.USER,
        media=(JSON,),
        include_in_schema=False,
    )
    console_files.add(doors)
    require_roles(api.router.routes)
    api.add_middleware(Etags)
    # Whoever is answered in Brotli is not answered in gzip: what has an encoding stays as it is.
    api.add_middleware(Brotlied, minimum_size=COMPRESSED_FROM)
    api.add_middleware(GZipMiddleware, minimum_size=COMPRESSED_FROM, compresslevel=5)
    api.add_middleware(Envelope)
    return api


def _document_of(api: FastAPI) -> Callable[[], Any]:
    @cache
    def encoded() -> bytes:
        return orjson.dumps(document(api))

    async def answer() -> Response:
        return Response(encoded(), media_type=JSON)

    return answer
