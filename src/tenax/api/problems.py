"""Errors as problem+json (RFC 9457), whatever went wrong.

Nothing of a request is repeated in them, and nothing of what went wrong inside.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from tenax.ports import Unavailable

log = logging.getLogger(__name__)
MEDIA_TYPE = "application/problem+json"
TOO_LARGE = "The body is too long."
AGAIN = 5
"""Seconds after which asking again may help, when something of ours is away."""


class Problem(Exception):
    """An answer that is not what was asked for; to be raised."""

    def __init__(
        self, status: int, detail: str, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = headers or {}
        self.more = more


def install(api: FastAPI) -> None:
    """Have every error told as a problem."""
    for kind, handler in (
        (Problem, _problem),
        (HTTPException, _refused),
        (RequestValidationError, _invalid),
        (Unavailable, _unavailable),
        (TimeoutError, _late),
        (Exception, _broken),
    ):
        api.add_exception_handler(kind, handler)  # type: ignore[arg-type]  # each has its own kind


def response(problem: Problem) -> Response:
    return Response(document(problem), problem.status, dict(problem.headers), media_type=MEDIA_TYPE)


def document(problem: Problem) -> bytes:
    """Kinds have no page of their own: about:blank, and the title of the status (RFC 9457, 4.2)."""
    told = {
        "type": "about:blank",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": problem.detail,
    }
    return orjson.dumps(told | problem.more)


async def _problem(_: Request, error: Problem) -> Response:
    return response(error)


async def _refused(_: Request, error: HTTPException) -> Response:
    detail = {
        404: "There is nothing at this address. GET /api/openapi.json tells what there is.",
        405: "This address does not know that method.",
        413: TOO_LARGE,
    }
    said = detail.get(error.status_code, HTTPStatus(error.status_code).phrase)
    return response(Problem(error.status_code, said, error.headers))


async def _invalid(_: Request, error: RequestValidationError) -> Response:
    wrong = [_where(each) for each in error.errors()]
    return response(Problem(422, "The request is not as it should be.", errors=wrong[:20]))


def _where(error: Mapping[str, Any]) -> dict[str, str]:
    place: Sequence[object] = error.get("loc", ())
    # The keys of a body are the asker's own words, and as long as they like.
    return {"where": ".".join(str(part)[:40] for part in place), "why": str(error.get("msg", ""))}


async def _unavailable(_: Request, error: Unavailable) -> Response:
    # It names servers and folders, which is for those who run them.
    log.warning("the API could not answer: %s", error)
    return response(away())


async def _late(_: Request, error: TimeoutError) -> Response:
    return response(away())


def away() -> Problem:
    detail = "A part that is needed for this is away. Try again; GET /health tells which."
    return Problem(503, detail, {"Retry-After": str(AGAIN)})


async def _broken(_: Request, error: Exception) -> Response:
    """Starlette tells the log of it."""
    return response(Problem(500, "Something is wrong with Tenax itself; its log says more."))
