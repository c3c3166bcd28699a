"""Middleware around every request and answer: size limit, well-formed text, security headers.

Answers are data for programs: a browser that is led to one neither runs it, nor frames it, nor
keeps it, nor guesses what it might be (SEC-4, SEC-5).
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tenax.api.problems import TOO_LARGE, BodyNotText, Problem, response

MOST_BODY = 1_000_000
MOST_ADDRESS = 16_384
MOST_HEADERS = 32_768
"""Bytes."""
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
HEAD = "tenax.head"
"""In the scope of a request that wants no body."""
OWN_HEADERS = "tenax.headers"
"""In the scope of a request: what its answer has instead, because it is no data (the console)."""


_NO_TEXT = re.compile(r"[\0\ud800-\udfff]")
_CLOSE = {"Connection": "close"}


class Envelope:
    """Around everything else."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun = False
        is_head = scope["method"] == "HEAD"
        if is_head:
            # All that can be got can be asked for without its body.
            scope = {**scope, "method": "GET", HEAD: True}

        async def sending(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                MutableHeaders(scope=message).update(scope.get(OWN_HEADERS, _HEADERS))
            elif is_head:
                message = {**message, "body": b""}
            await send(message)

        try:
            _check(scope)
            await self._app(scope, _Limited(receive), sending)
        except Problem as problem:
            if has_begun:
                raise
            await response(problem)(scope, receive, sending)


def _check(scope: Scope) -> None:
    address: bytes = scope["raw_path"] + b"?" + scope["query_string"]
    if len(address) > MOST_ADDRESS:
        raise Problem(414, f"The address is longer than {MOST_ADDRESS:,} bytes.")
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MOST_HEADERS:
        raise Problem(431, f"The headers are longer than {MOST_HEADERS:,} bytes.")
    size = Headers(scope=scope).get("content-length", "0")
    if not size.isascii() or not size.isdecimal() or int(size[:20]) > MOST_BODY:
        raise Problem(413, TOO_LARGE, _CLOSE)
    # No name of ours has one, and PostgreSQL knows no text with one.
    if b"\0" in unquote_to_bytes(address):
        raise Problem(400, "There is a null character in this address.")


class _Limited:
    """A body that says less of its length than it has."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._size = 0

    async def __call__(self) -> Message:
        message = await self._receive()
        self._size += len(message.get("body", b""))
        if self._size > MOST_BODY:
            # Of its own kind, or whoever parses the body would take it for a mistake in there.
            raise HTTPException(413, headers=_CLOSE)
        return message


class JsonRequest(Request):
    """A request with a body in which all that is said is text: JSON knows null characters, which
    PostgreSQL does not, and halves of characters, which nobody can write down."""

    async def json(self) -> Any:
        told = await super().json()
        if _may_be_no_text(await self.body()):
            _require_text(told)
        return told


class _PlaceInBody(NamedTuple):
    within: _PlaceInBody | None
    name: str | int


def _may_be_no_text(body: bytes) -> bool:
    try:
        body.decode()
    except ValueError:
        return True
    return b"\\u" in body or b"\0" in body


def _require_text(told: Any) -> None:
    # Not by recursion, nor with a path for each: a body may be as deep as it is long.
    left: list[tuple[_PlaceInBody, Any]] = [(_PlaceInBody(None, "body"), told)]
    while left:
        place, value = left.pop()
        match value:
            case str() if _NO_TEXT.search(value):
                raise BodyNotText(_path(place))
            case dict():
                left += [(_PlaceInBody(place, key), key) for key in value if _NO_TEXT.search(key)]
                left += [(_PlaceInBody(place, key), each) for key, each in value.items()]
            case list():
                left += [(_PlaceInBody(place, n), each) for n, each in enumerate(value)]


def _path(place: _PlaceInBody | None) -> list[str | int]:
    found: list[str | int] = []
    while place is not None:
        found.append(place.name)
        place = place.within
    return found[::-1]
