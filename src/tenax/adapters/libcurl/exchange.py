"""What both libcurl clients share: an answer received within its limits, and error codes as faults.

Neither client's library is imported here: both hand over header lines, chunks of the body and
libcurl's codes, so that a server is treated alike whichever of them asked.
"""

from __future__ import annotations

import errno
import re
import socket
import struct
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from tenax.fetch.content_types import is_readable
from tenax.fetch.decode import decode
from tenax.model import Failure, Fault, Headers, Request, Response, Timing

Judge = Callable[[str], str | None]
"""Why an address may not be connected to; None when it may."""

ERROR_BODY_BYTES = 500_000
"""How much of a body is read when the status already tells the story (300 and up)."""
MAX_HEADER_FIELDS = 1000
MAX_INTERIM_ANSWERS = 10
KEPT_ENDED = "the connection, kept from an earlier request, ended before any answer"

_STATUS_LINE = re.compile(rb"HTTP/[0-9.]+ +([0-9]{3})\s")
_CUT_SHORT = (Fault.RESET, "the connection closed inside the headers")


@lru_cache(maxsize=256)
def header_lines(headers: tuple[tuple[str, str], ...]) -> list[bytes]:
    """In libcurl's notation: `Name;` sends an empty value, `Name:` silences a default of its."""
    lines = [_header_line(name, value) for name, value in headers]
    given = {name.lower() for name, _ in headers}
    lines += [f"{name}:".encode() for name in ("User-Agent", "Accept") if name.lower() not in given]
    return lines


def _header_line(name: str, value: str) -> bytes:
    line = f"{name}: {value}" if value.strip() else f"{name};"
    if any(breaker in line for breaker in "\r\n\0"):
        raise ValueError(f"header {name!r} holds a line break or NUL; take it out")
    return line.encode("latin-1")


def milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))  # 0 would mean libcurl's default, or for ever


class Measured(NamedTuple):
    """What libcurl knows of an exchange: seconds since its start, and who was at the other end."""

    sent: float
    first_byte: float
    total: float
    address: str


def forget_unsent(opened: socket.socket) -> None:
    """Closing it ends it at once. Else the system would go on trying to deliver a request that we
    gave up, and send it when the network is back, beside the one that we make then. The cost: a
    server sees a reset where it would see a connection end in order."""
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)


_AT_ONCE = struct.pack("ii", 1, 0)


class IncomingAnswer:
    """What has arrived of one answer, and why we stopped listening if we did."""

    __slots__ = (
        "_chunks",
        "_headers",
        "_limit",
        "_request",
        "_unread",
        "_wire_bytes",
        "lines",
        "status",
        "stopped",
    )

    def __init__(self, request: Request) -> None:
        self.lines: list[bytes] = []
        """The header lines as they came, those of interim answers and trailers among them."""
        self.status = 0
        """Of the final answer, once its headers were read."""
        self.stopped: tuple[Fault, str] | None = None
        """Why we don't want the rest, when that is a fault."""
        self._request = request
        self._headers = Headers()
        self._chunks: list[bytes] = []
        self._wire_bytes = 0
        self._limit = request.limits.body_bytes
        self._unread = False

    def take(self, chunk: bytes) -> bool:
        """Keep a piece of the body; False when the transfer is to end here."""
        if not self._wire_bytes and not self._wants_body():
            return False
        self._wire_bytes += len(chunk)
        if self._wire_bytes > self._limit:
            self._over_limit()
            return False
        self._chunks.append(chunk)
        return True

    def complete(self, measured: Measured) -> Response | Failure:
        """libcurl is content; we may still not be."""
        if not self._chunks and not self.read_headers():
            return self.failure(*(self.stopped or _CUT_SHORT), measured)
        body = b"".join(self._chunks)
        if not body or "content-encoding" not in self._headers.named:
            return self._response(body, measured)
        coding = ",".join(self._headers.all("content-encoding"))
        decoded = decode(body, coding, self._request.limits.body_bytes)
        if isinstance(decoded, bytes):
            return self._response(decoded, measured)
        if self.status >= 300:  # the status is worth more than its body
            return self._response(None, measured)
        return self.failure(decoded.fault, decoded.detail, measured)

    def given_up(self, measured: Measured) -> Response | Failure | None:
        """What a transfer comes to that ended early because we wanted it so; None if we did not."""
        if not self.status:
            self.read_headers()  # they may be what libcurl choked on, and tell it better
        if self.stopped:
            return self.failure(*self.stopped, measured)
        return self._response(None, measured) if self._unread else None

    def failure(self, fault: Fault, detail: str, measured: Measured) -> Failure:
        timing = self._timing(measured)
        return Failure(fault, detail[:300], self.status or None, timing, measured.address)

    def read_headers(self) -> bool:
        """Take status and headers of the final answer; False when there is none we accept."""
        size = sum(map(len, self.lines))
        if size > self._request.limits.header_bytes:
            return self._stop(f"headers over {self._request.limits.header_bytes} bytes")
        start = 0
        for _ in range(MAX_INTERIM_ANSWERS + 1):
            end = _blank_line(self.lines, start)
            if end is None:
                return False
            status = _status_in(self.lines[start])
            if status is None:
                return self._stop("no status line")
            if status == 101:
                return self._stop("switched protocols without being asked to")
            if status >= 200:
                break
            start = end + 1
        else:
            return self._stop(f"over {MAX_INTERIM_ANSWERS} interim answers")
        if end - start > MAX_HEADER_FIELDS:
            return self._stop(f"over {MAX_HEADER_FIELDS} header fields")
        self.status = status
        read = _known_field if size <= _LARGE else _field
        self._headers = Headers(tuple(map(read, self.lines[start + 1 : end])))
        return True

    def _wants_body(self) -> bool:
        """Decide by the headers alone, before any of the body is kept."""
        if not self.read_headers():
            return False
        if self.status >= 300:
            self._limit = min(self._limit, ERROR_BODY_BYTES)
        elif not self._request.any_type and not is_readable(
            self._headers.get("content-type"), self._request.pdf
        ):
            self._unread = True
            return False
        declared = self._headers.get("content-length") or ""
        if declared.isdecimal() and (len(declared) > 18 or int(declared) > self._limit):
            self._over_limit()
            return False
        return True

    def _stop(self, detail: str) -> bool:
        self.stopped = (Fault.PROTOCOL, detail)
        return False

    def _over_limit(self) -> None:
        if self.status >= 300:
            self._unread = True
        else:
            self.stopped = (Fault.TOO_LARGE, f"body over {self._limit} bytes on the wire")

    def _response(self, body: bytes | None, measured: Measured) -> Response:
        return Response(
            self._request.url,
            self.status,
            self._headers,
            body,
            self._timing(measured),
            measured.address,
        )

    def _timing(self, measured: Measured) -> Timing:
        return Timing(
            measured.sent * 1000,
            measured.first_byte * 1000,
            measured.total * 1000,
            self._wire_bytes,
        )


def _status_in(line: bytes) -> int | None:
    """libcurl hands on what it is about to refuse, so this is not always a status line."""
    found = _STATUS_LINE.match(line)
    return int(found[1]) if found else None


def _blank_line(lines: list[bytes], start: int) -> int | None:
    for blank in (b"\r\n", b"\n"):
        try:
            return lines.index(blank, start)
        except ValueError:
            continue
    return None


def _field(line: bytes) -> tuple[str, str]:
    """libcurl has already unfolded continued lines and refused those without a colon."""
    name, _, value = line.decode("latin-1").partition(":")
    return name, value.strip(" \t\r\n")


# Most lines are the same in all answers of a server.
_known_field = lru_cache(maxsize=256)(_field)
_LARGE = 4_096
"""Bytes of headers from which on no line of them is remembered."""


TIMED_OUT = 28
_NO_SOCKET = "failed to open socket"
_OUR_SHORTAGES = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL}
_COULDNT_CONNECT, _SSL_CONNECT_ERROR, _RECV_ERROR = 7, 35, 56
_FAULTS = {
    1: Fault.PROTOCOL,  # unsupported protocol: among them answers without a status line
    3: Fault.PROTOCOL,  # URL malformed
    6: Fault.DNS,
    _COULDNT_CONNECT: Fault.CONNECT_REFUSED,
    8: Fault.PROTOCOL,  # weird server reply
    16: Fault.PROTOCOL,  # HTTP/2 framing
    18: Fault.RESET,  # partial file
    _SSL_CONNECT_ERROR: Fault.TLS,
    52: Fault.RESET,  # got nothing
    55: Fault.RESET,  # send error
    _RECV_ERROR: Fault.RESET,
    58: Fault.TLS,  # our certificate
    59: Fault.TLS,  # cipher
    60: Fault.TLS,  # the peer's certificate
    61: Fault.PROTOCOL,  # a Transfer-Encoding nobody asked for
    63: Fault.TOO_LARGE,
    83: Fault.TLS,  # issuer
    91: Fault.TLS,  # certificate status
    92: Fault.PROTOCOL,  # HTTP/2 stream
    95: Fault.PROTOCOL,  # HTTP/3
    96: Fault.PROTOCOL,  # QUIC
    100: Fault.PROTOCOL,  # headers too large
}
"""By CURLcode. The numbers are libcurl's promise; its Python clients name but some of them."""


def fault_of(code: int, message: str, os_error: int) -> Fault:
    """Where one of libcurl's codes stands for two things, its message or errno tells which."""
    if code == _COULDNT_CONNECT and os_error == errno.ETIMEDOUT:
        return Fault.CONNECT_TIMEOUT
    if code == _COULDNT_CONNECT and (os_error in _OUR_SHORTAGES or _NO_SOCKET in message):
        return Fault.INTERNAL
    if code == _RECV_ERROR and ("chunk" in message.lower() or "nghttp2" in message):
        return Fault.PROTOCOL
    if code == _SSL_CONNECT_ERROR and "reset by peer" in message:
        return Fault.RESET
    return _FAULTS.get(code, Fault.INTERNAL)
