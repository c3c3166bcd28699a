"""Idempotency keys: a POST that is sent again is answered again, and not acted on twice (API-1)."""

from __future__ import annotations

from hashlib import sha256

from fastapi import Request
from fastapi.responses import Response
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Send

from tenax.api.problems import Problem
from tenax.ports.accounts import KeptAnswer, Repeat, Repeats

HEADER = "idempotency-key"
_LONGEST = 255
_MOST_BODY = 1_000_000


class Repeatable:
    """One request with a key: its body is read first, and its answer kept."""

    def __init__(self, repeats: Repeats, request: Request, caller: str) -> None:
        key = request.headers[HEADER]
        if not 0 < len(key) <= _LONGEST:
            raise Problem(422, f"Idempotency-Key: 1 to {_LONGEST} characters.")
        told = "\n".join((caller, request.method, request.scope["path"], key))
        self._id = sha256(told.encode()).digest()
        self._repeats = repeats
        self._status = 500
        self._type = ""
        self._parts: list[bytes] = []

    async def answer(self, receive: Receive) -> tuple[Response | None, Receive]:
        """What was answered before; or None, and the body for whoever acts on it."""
        body = await _whole(receive)
        match await self._repeats.begin(self._id, sha256(body).digest()):
            case Repeat.NEW:
                return None, _given(body)
            case Repeat.UNDER_WAY:
                raise Problem(
                    409, "The same request is under way. Try again.", {"Retry-After": "1"}
                )
            case Repeat.ANOTHER:
                raise Problem(422, "This Idempotency-Key was used for another request.")
            case KeptAnswer(status=status, content_type=kind, body=kept):
                headers = {"Idempotent-Replayed": "true"}
                return Response(kept, status, headers, media_type=kind), receive

    def sending(self, send: Send) -> Send:
        async def listen(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._status = message["status"]
                self._type = Headers(raw=message["headers"]).get("content-type", "")
            else:
                self._parts.append(message.get("body", b""))
            await send(message)

        return listen

    async def end(self) -> None:
        """Faults of ours are not kept: it is right to try again."""
        body = b"".join(self._parts)
        is_kept = self._status < 500 and self._status != 429 and len(body) <= _MOST_BODY
        kept = KeptAnswer(self._status, self._type, body) if is_kept else None
        await self._repeats.end(self._id, kept)


async def _whole(receive: Receive) -> bytes:
    parts = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


def _given(body: bytes) -> Receive:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive
