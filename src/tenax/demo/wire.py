"""How does a reply travel? A small HTTP/1.1 server protocol, fast enough to be crawled hard."""

from __future__ import annotations

import asyncio
import gzip
import socket
import string
import struct
import time
import zlib
from collections.abc import Callable, Iterator
from email.utils import formatdate, parsedate_to_datetime
from hashlib import blake2b
from http import HTTPStatus
from typing import cast
from urllib.parse import quote

from tenax.demo.site import Cut, Reply, SiteRequest

HEAD_LIMIT = 65_536
PIECE = 16_384
_PHRASES = {int(status): status.phrase for status in HTTPStatus}
# Linger of zero seconds: closing discards what is queued and sends RST instead of FIN.
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class Connection(asyncio.Protocol):
    """One client. Its requests, pipelined or not, are answered in order, one at a time."""

    def __init__(
        self,
        answer: Callable[[SiteRequest], Reply],
        finished: Callable[[], None],
        everyone: set[Connection],
    ) -> None:
        self._answer = answer
        self._finished = finished
        self._everyone = everyone
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._skip = 0
        self._busy = False
        self._last = False
        self._ended = False
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._everyone.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._everyone.discard(self)
        self._transport = None
        if self._timer:
            self._timer.cancel()
        self._settle()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._busy:
            self._advance()
        elif self._transport and len(self._buffer) > HEAD_LIMIT:
            # A client that pipelines without end waits in its own buffers, not in ours.
            self._transport.pause_reading()

    def eof_received(self) -> bool:
        # A client may close its half and still wait for what it has asked.
        self._ended = True
        return self._busy

    def abort(self) -> None:
        if self._transport:
            self._transport.abort()

    def _advance(self) -> None:
        """Answer every complete request in the buffer, until one takes time."""
        while self._transport and not self._busy and not self._transport.is_closing():
            end = self._buffer.find(b"\r\n\r\n", 0, HEAD_LIMIT) if self._skip_body() else -1
            if end < 0:
                self._wait(self._transport)
                return
            head = bytes(self._buffer[:end])
            del self._buffer[: end + 4]
            self._serve(head)

    def _wait(self, transport: asyncio.Transport) -> None:
        if len(self._buffer) >= HEAD_LIMIT:
            self._refuse(431)
        elif self._ended:
            transport.close()

    def _skip_body(self) -> bool:
        """Drop what is left of a request's body; False while more of it is to come."""
        dropped = min(self._skip, len(self._buffer))
        del self._buffer[:dropped]
        self._skip -= dropped
        return self._skip == 0

    def _serve(self, head: bytes) -> None:
        try:
            request, version = _parse(head)
        except ValueError:
            self._refuse(400)
            return
        headers = request.headers
        if "transfer-encoding" in headers:
            self._refuse(411)
            return
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit() and len(length) < 12):
            self._refuse(400)
            return
        self._skip = int(length)
        self._last = version == "HTTP/1.0" or "close" in headers.get("connection", "").lower()
        self._busy = True
        self._reply(request, self._answer(request))

    def _reply(self, request: SiteRequest, reply: Reply) -> None:
        if reply.cut is Cut.SILENT:
            return
        if reply.delay:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(reply.delay, self._send, request, reply)
        else:
            self._send(request, reply)

    def _send(self, request: SiteRequest, reply: Reply) -> None:
        transport = self._transport
        if transport is None:
            return
        if reply.cut is Cut.RESET:
            self._reset(transport)
            return
        head, body = compose(request, reply, last=self._last)
        if reply.cut is Cut.TRUNCATED:
            transport.write(head + body[: len(body) // 2])
            transport.close()
        elif reply.chunked and body:
            transport.write(head)
            self._trickle(_chunks(body, reply.drip), reply.drip)
        else:
            transport.write(head + body)
            self._done()

    def _trickle(self, pieces: Iterator[bytes], pause: float) -> None:
        for piece in pieces:
            if self._transport is None:
                return
            self._transport.write(piece)
            if pause:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(pause, self._trickle, pieces, pause)
                return
        self._done()

    def _done(self) -> None:
        self._settle()
        if self._transport is None:
            return
        if self._last:
            self._transport.close()
        elif self._timer:
            # Answered from a timer, so no `_advance` is below us on the stack.
            self._timer = None
            self._transport.resume_reading()
            self._advance()

    def _settle(self) -> None:
        if self._busy:
            self._busy = False
            self._finished()

    def _reset(self, transport: asyncio.Transport) -> None:
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        transport.abort()

    def _refuse(self, status: int) -> None:
        if self._transport:
            request = SiteRequest("GET", "/", {})
            reply = Reply(_PHRASES[status].encode(), status=status, kind="text/plain", modified="")
            self._transport.write(b"".join(compose(request, reply, last=True)))
            self._transport.close()


def compose(request: SiteRequest, reply: Reply, *, last: bool = False) -> tuple[bytes, bytes]:
    """The head and the body to send: conditional requests, codings and HEAD applied."""
    status, body = reply.status, reply.body
    lines = ["", f"Date: {_date()}", "Server: tenax-demo"]
    lines += [f"{name}: {value}" for name, value in reply.headers]
    if last:
        lines.append("Connection: close")
    if reply.codings:
        lines.append("Vary: Accept-Encoding")
    if status == 200 and reply.modified:
        tag = blake2b(body, digest_size=8).hexdigest()
        # Weak where the bytes depend on the coding: the tag speaks of the page, not of those.
        lines.append(f'ETag: {"W/" if reply.codings else ""}"{tag}"')
        lines.append(f"Last-Modified: {reply.modified}")
        if _is_current(request, tag, reply.modified):
            status, body = 304, b""
    if status != 304:
        coding = _choose(request.headers.get("accept-encoding", ""), reply.codings)
        if coding:
            body = _squeeze(body, coding)
            lines.append(f"Content-Encoding: {coding}")
        if reply.kind:
            lines.append(f"Content-Type: {reply.kind}")
        chunked = reply.chunked and body
        lines.append("Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(body)}")
    lines[0] = f"HTTP/1.1 {status} {_PHRASES.get(status, 'Unknown')}"
    head = "\r\n".join(lines) + "\r\n\r\n"
    return head.encode("latin-1"), b"" if request.method == "HEAD" else body


def _parse(head: bytes) -> tuple[SiteRequest, str]:
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, version = first.split(" ")
    if not version.startswith("HTTP/1."):
        raise ValueError(version)
    headers = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            raise ValueError(line)
        headers[name.lower()] = value.strip()
    if version == "HTTP/1.1" and "host" not in headers:
        raise ValueError("no Host")
    if target.startswith("http://"):
        target = "/" + target.split("/", 3)[3] if target.count("/") > 2 else "/"
    if not target.startswith("/"):
        raise ValueError(target)
    if not target.isascii():
        target = quote(target.encode("latin-1"), safe=string.punctuation)
    return SiteRequest(method, target, headers), version


def _chunks(body: bytes, drip: float) -> Iterator[bytes]:
    # A dripping page has some twenty drops, however long it is.
    size = max(1, -(-len(body) // 20)) if drip else PIECE
    for start in range(0, len(body), size):
        piece = body[start : start + size]
        yield b"%x\r\n%s\r\n" % (len(piece), piece)
    yield b"0\r\n\r\n"


def _is_current(request: SiteRequest, tag: str, modified: str) -> bool:
    """RFC 9110 section 13.2.2: If-None-Match decides alone where both are given."""
    tags = request.headers.get("if-none-match")
    if tags is not None:
        return tags.strip() == "*" or f'"{tag}"' in tags
    since = request.headers.get("if-modified-since")
    if since is None:
        return False
    try:
        return parsedate_to_datetime(modified) <= parsedate_to_datetime(since)
    except (TypeError, ValueError):
        return False


def _choose(accepted: str, codings: tuple[str, ...]) -> str | None:
    if not codings:
        return None
    weights = {}
    for item in accepted.lower().split(","):
        name, _, parameters = item.partition(";")
        weights[name.strip()] = parameters.strip() not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return next((each for each in codings if weights.get(each, weights.get("*", False))), None)


def _squeeze(body: bytes, coding: str) -> bytes:
    return gzip.compress(body, 6, mtime=0) if coding == "gzip" else zlib.compress(body)


_clock: tuple[int, str] = (0, "")


def _date() -> str:
    global _clock
    now = int(time.time())
    if _clock[0] != now:
        _clock = (now, formatdate(now, usegmt=True))
    return _clock[1]
