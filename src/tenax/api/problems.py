"""Errors as problem+json (RFC 9457), whatever went wrong.

Nothing of a request is repeated in them, and nothing of what went wrong inside.
"""

from __future__ import annotations

import difflib
import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from msgspec import UNSET, Struct, UnsetType
from starlette.exceptions import HTTPException
from starlette.routing import Match

from tenax.ports import Unavailable

log = logging.getLogger(__name__)
MEDIA_TYPE = "application/problem+json"
TOO_LARGE = "The body is too long."
AGAIN = 5
"""Seconds after which asking again may help, when something of ours is away."""


PROBLEMS: dict[int, tuple[str, str]] = {
    status: (HTTPStatus(status).phrase, detail)
    for status, detail in (
        (400, "The address, or a cursor in it, is none."),
        (401, "This needs a key or a login, or the one given is not good."),
        (403, "This is for another role, another key, or a page of ours."),
        (404, "There is nothing of this name."),
        (409, "This cannot be done as things are, or the same request is under way."),
        (413, TOO_LARGE),
        (414, "The address is too long."),
        (415, "The body is not JSON."),
        (422, "A parameter or a field is unknown, or not as it should be."),
        (429, "Too many requests in a minute; Retry-After says how long to wait."),
        (431, "The headers are too long."),
        (500, "Something is wrong with Tenax itself; its log says more."),
        (501, "This fleet is not set up for it."),
        (503, "A part that is needed for this is away."),
        (504, "The site takes too long for one request."),
    )
}
"""Statuses of errors: what each is called, and what it means."""


class Wrong(Struct, frozen=True):
    """One thing that is wrong with a request."""

    where: str
    """`query.limit`, `body.seeds.0`."""
    why: str


class ProblemAnswer(Struct, frozen=True):
    """What went wrong (RFC 9457)."""

    type: str
    """`about:blank`: kinds of problems have no page of their own."""
    title: str
    status: int
    detail: str
    """What is wrong, and what to do."""
    errors: tuple[Wrong, ...] | UnsetType = UNSET
    known: tuple[str, ...] | UnsetType = UNSET
    """Parameters that there are."""
    state: str | UnsetType = UNSET
    """Of the job that cannot be ordered this."""


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


class BodyNotText(HTTPException):
    """What is said in a body is no text: of the kind that whoever parses a body lets pass."""

    def __init__(self, where: Sequence[str | int]) -> None:
        super().__init__(422)
        self.where = where


def install(api: FastAPI) -> None:
    """Have every error told as a problem."""
    for kind, handler in (
        (Problem, _problem),
        (HTTPException, _refused),
        (BodyNotText, _no_text),
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


async def _refused(request: Request, error: HTTPException) -> Response:
    detail = {
        404: "There is nothing at this address. GET /api/openapi.json tells what there is.",
        405: "This address does not know that method.",
        413: TOO_LARGE,
    }
    said = detail.get(error.status_code, HTTPStatus(error.status_code).phrase)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(_methods(request))
    return response(Problem(error.status_code, said, headers))


def _methods(request: Request) -> list[str]:
    """All that an address knows, whichever of its routes was asked."""
    routes = request.app.router.routes
    there = [each for each in routes if each.matches(request.scope)[0] is not Match.NONE]
    # An address of its own comes before one that may be any name.
    there = [each for each in there if each.path == request.scope["path"]] or there
    found = {method for each in there for method in getattr(each, "methods", None) or ()}
    return sorted(found | {"HEAD"} if "GET" in found else found)


async def _invalid(request: Request, error: RequestValidationError) -> Response:
    fields = _fields(request.scope.get("route"))
    wrong = [_where(each, fields) for each in error.errors()]
    return response(Problem(422, "The request is not as it should be.", errors=wrong[:20]))


async def _no_text(_: Request, error: BodyNotText) -> Response:
    # As it is spelled: half a character cannot be sent back.
    where = ".".join(ascii(str(part)[:40])[1:-1] for part in error.where)
    wrong = {"where": where, "why": "There is a null character in it, or half of a character."}
    return response(Problem(422, "The request is not as it should be.", errors=[wrong]))


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """A hint, in words of ours."""
    close = difflib.get_close_matches(name[:40], known, n=1, cutoff=0.5)
    return f" Did you mean {close[0]}?" if close else ""


def _where(error: Mapping[str, Any], fields: Sequence[str]) -> dict[str, str]:
    place: Sequence[object] = error.get("loc", ())
    why = str(error.get("msg", ""))
    if error.get("type") == "extra_forbidden":
        why = f"There is no such field.{did_you_mean(str(place[-1]), fields)}"
    # The keys of a body are the asker's own words, and as long as they like.
    return {"where": ".".join(str(part)[:40] for part in place), "why": why}


def _fields(route: object) -> Sequence[str]:
    """Those that a body of this route may have."""
    field = getattr(route, "body_field", None)
    kind = getattr(getattr(field, "field_info", None), "annotation", None)
    return list(getattr(kind, "model_fields", {}))


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
