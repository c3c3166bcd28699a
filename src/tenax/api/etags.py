"""Middleware for conditional reads: an ETag of what is answered, and 304 for who has it already."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from hashlib import sha256

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_BYTES = 12
_NOT_OF_304 = ("content-type", "content-length", "content-disposition")


class Etags:
    """Around the routes, inside compression: the same answer has the same tag, compressed or not.
    They are weak for that reason (RFC 9110, 8.8.1)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        known = Headers(scope=scope).get("if-none-match", "")
        start: Message | None = None

        async def sending(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and message["status"] == 200:
                start = message
                return
            if start is None:
                await send(message)
                return
            begun, start = start, None
            # What goes on and on is no one thing.
            if not message.get("more_body", False):
                tag = _tag(message.get("body", b""))
                headers = MutableHeaders(scope=begun)
                headers["ETag"] = tag
                if _has(known, tag):
                    for name in _NOT_OF_304:
                        if name in headers:
                            del headers[name]
                    begun, message = {**begun, "status": 304}, {**message, "body": b""}
            await send(begun)
            await send(message)

        await self._app(scope, receive, sending)


def _tag(body: bytes) -> str:
    return f'W/"{urlsafe_b64encode(sha256(body).digest()[:_BYTES]).decode()}"'


def _has(known: str, tag: str) -> bool:
    opaque = tag.removeprefix("W/")
    given = [each.strip().removeprefix("W/") for each in known.split(",")]
    return "*" in given or opaque in given
