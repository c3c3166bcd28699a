"""Which evil can a server do? One table of them, each served on a port of its own.

    with Ground(CASES, folder) as ground:
        await transport.send(Request(ground.url("gzip bomb"), limits=HASTE))

A port for each, so that what one does to its host is not done to the next. The scripts are
those of `tests.servers`: they write whatever bytes they like. Certificates that should be
trusted are signed by the authority in `ground.authority`.
"""

from __future__ import annotations

import asyncio
import datetime
import gzip
import ipaddress
import ssl
import struct
import threading
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self

import brotli
import zstandard
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tenax.model import Fault
from tests.servers import (
    OK,
    Connection,
    Script,
    Server,
    answer,
    chunked,
    drip,
    endless,
    gzip_bomb,
    raw,
    raw_then_hang,
    raw_then_reset,
)

MEGABYTE = 1_000_000
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Case:
    """One misbehaviour, and what is to come of it."""

    name: str
    script: Script
    expected: Fault | int
    """The fault, or the status of the answer that is one all the same."""
    visit: str = ""
    """How a visit ends, where status or fault do not say: the outcome's word and its reason."""
    tls: str = ""
    """Which certificate is shown; empty for plain http."""
    protocols: tuple[str, ...] = ()
    raw: bool = False
    """The script has the connection at once: no request is waited for."""
    scheme: str = "http"

    @property
    def path(self) -> str:
        return "/" + self.name.replace(" ", "-").replace("/", "-")

    @property
    def hangs(self) -> bool:
        return self.expected in (Fault.READ_TIMEOUT, Fault.CONNECT_TIMEOUT)

    @property
    def ending(self) -> str:
        """The outcome's word, and its fault when it failed."""
        if self.visit:
            return self.visit
        if isinstance(self.expected, Fault):
            return f"failed {self.expected}"
        return {304: "unchanged", 404: "gone", 500: "failed server_error"}.get(
            self.expected, "read"
        )


def plain(name: str, script: Script, expected: Fault | int, visit: str = "") -> Case:
    return Case(name, script, expected, visit)


def page(name: str, body: Callable[[], bytes], content_type: str = "text/html") -> Case:
    """A page that is served properly and hurts when it is read; made when it is asked for."""

    async def script(connection: Connection) -> None:
        await answer(body(), content_type=content_type)(connection)

    return Case(name, script, 200)


def huge(name: str, body: Callable[[], bytes]) -> Case:
    """A page whose tree would take too much memory: none is built."""
    return replace(page(name, body), visit="failed too_large")


def secure(
    name: str, script: Script, expected: Fault | int, shows: str = "good", *protocols: str
) -> Case:
    raw_script = bool(protocols)
    return Case(
        name, script, expected, tls=shows, protocols=protocols, raw=raw_script, scheme="https"
    )


def socket_level(name: str, script: Script, expected: Fault | int) -> Case:
    """Where a TLS handshake is expected, this comes instead."""
    return Case(name, script, expected, raw=True, scheme="https")


def head(*lines: bytes, status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 %b\r\n%b\r\n" % (status, b"".join(line + b"\r\n" for line in lines))


def html(*lines: bytes, body: bytes = b"<p>hi</p>") -> bytes:
    return head(b"Content-Type: text/html", b"Content-Length: %d" % len(body), *lines) + body


def coded(coding: str, packed: Callable[[], bytes], expected: Fault | int, name: str) -> Case:
    async def script(connection: Connection) -> None:
        await answer(packed(), headers={"Content-Encoding": coding})(connection)

    return Case(name, script, expected)


def packed_bomb(pack: Callable[[bytes], bytes], megabytes: int = 200) -> Callable[[], bytes]:
    return cache(lambda: pack(bytes(megabytes * MEGABYTE)))


def deflate_bomb() -> bytes:
    packer = zlib.compressobj(9, wbits=-15)
    block = packer.compress(bytes(MEGABYTE)) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * 500 + packer.flush()


def slowly(data: bytes, every: float = 0.05) -> Script:
    """Byte by byte, and then for ever nothing."""

    async def script(connection: Connection) -> None:
        for at in range(len(data)):
            await connection.send(data[at : at + 1])
            await asyncio.sleep(every)
        await connection.hang()

    return script


def lingering(*parts: bytes) -> Script:
    """Say this, hear the other side out for a moment, and leave: so that all of it arrives."""

    async def script(connection: Connection) -> None:
        await raw(*parts)(connection)
        with suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                await connection.hang()

    return script


def after_hello(*parts: bytes) -> Script:
    """Hear the client's first words, then say this and leave."""

    async def script(connection: Connection) -> None:
        await connection.receive(5)
        await raw(*parts)(connection)

    return script


async def reset_at_hello(connection: Connection) -> None:
    await connection.receive(5)
    connection.reset()


async def redirect_by_request(connection: Connection) -> None:
    """Never the same Location twice, and never an end."""
    redirect_by_request.__dict__.setdefault("count", 0)
    redirect_by_request.__dict__["count"] += 1
    number = redirect_by_request.__dict__["count"]
    await raw(to(b"/endless-redirects?%d" % number))(connection)


def to(location: bytes, status: bytes = b"302 Found") -> bytes:
    return head(b"Location: " + location, b"Content-Length: 0", status=status)


OVERDUE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\nevil"
"""A whole answer that nobody asked for."""


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """RFC 9113 4.1."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


SETTINGS = frame(4, 0, 0, b"")
STATUS_200 = b"\x88"

HANGING = (
    plain("says nothing", raw_then_hang(), Fault.READ_TIMEOUT),
    plain("hangs in the status line", raw_then_hang(b"HTTP/1.1 20"), Fault.READ_TIMEOUT),
    plain("hangs in the headers", raw_then_hang(OK + b"X-Half: o"), Fault.READ_TIMEOUT),
    plain("hangs behind the headers", raw_then_hang(html(body=b"")[:-4]), Fault.READ_TIMEOUT),
    plain("hangs before the body", raw_then_hang(html(body=b"x" * 9)[:-9]), Fault.READ_TIMEOUT),
    plain("hangs in the body", raw_then_hang(html(body=b"x" * 9)[:-5]), Fault.READ_TIMEOUT),
    plain("never ends a body without length", raw_then_hang(OK + b"\r\n<p>"), Fault.READ_TIMEOUT),
    plain("hangs in a chunk size", raw_then_hang(CHUNKED + b"5"), Fault.READ_TIMEOUT),
    plain("hangs in a chunk", raw_then_hang(CHUNKED + b"5\r\nab"), Fault.READ_TIMEOUT),
    plain(
        "hangs before the last chunk",
        raw_then_hang(CHUNKED + chunked(b"abc", end=b"")),
        Fault.READ_TIMEOUT,
    ),
    plain(
        "hangs in the trailers",
        raw_then_hang(CHUNKED + chunked(b"abc", end=b"0\r\nX-Late: y\r\n")),
        Fault.READ_TIMEOUT,
    ),
    plain("drips the status line", slowly(b"HTTP/1.1 200 " + b"O" * 999), Fault.READ_TIMEOUT),
    plain("drips the body", drip(b"x", every=0.05), Fault.READ_TIMEOUT),
    plain("drips headers", endless(b"X: y\r\n", first=OK, every=0.05), Fault.READ_TIMEOUT),
    plain("drips chunks", endless(b"1\r\nx\r\n", first=CHUNKED, every=0.05), Fault.READ_TIMEOUT),
    plain(
        "drips interim answers",
        endless(b"HTTP/1.1 102 Processing\r\n\r\n", every=1.5),
        Fault.READ_TIMEOUT,
    ),
    plain(
        "drips a chunk extension",
        endless(b";x=y", first=CHUNKED + b"5", every=0.05),
        Fault.READ_TIMEOUT,
    ),
    secure("hangs behind the handshake", raw_then_hang(), Fault.READ_TIMEOUT),
    secure("drips behind the handshake", drip(b"x", every=0.05), Fault.READ_TIMEOUT),
    socket_level("hangs in the handshake", raw_then_hang(), Fault.CONNECT_TIMEOUT),
    socket_level("drips the handshake", slowly(b"\x16\x03\x03\x40\x00" + bytes(99)),
                 Fault.CONNECT_TIMEOUT),
    secure("h2 says nothing", raw_then_hang(), Fault.READ_TIMEOUT, "good", "h2"),
    secure("h2 only settings", raw_then_hang(SETTINGS), Fault.READ_TIMEOUT, "good", "h2"),
    secure(
        "h2 endless pings",
        endless(frame(6, 0, 0, bytes(8)), first=SETTINGS, every=0.002),
        Fault.READ_TIMEOUT,
        "good",
        "h2",
    ),
)  # fmt: skip

CUT_OFF = (
    plain("closes without a word", raw(), Fault.RESET),
    plain("closes in the status line", raw(b"HTTP/1.1 20"), Fault.RESET),
    plain("closes in the headers", raw(OK + b"Content-Le"), Fault.RESET),
    plain("closes behind an interim answer", raw(b"HTTP/1.1 103 Hint\r\n\r\n"), Fault.RESET),
    plain("content length too long", raw(html(body=b"x" * 99)[:-9]), Fault.RESET),
    plain("closes in a chunk", raw(CHUNKED + b"5\r\nab"), Fault.RESET),
    plain("closes between chunks", raw(CHUNKED + chunked(b"abc", end=b"")), Fault.RESET),
    plain("closes in the trailers", raw(CHUNKED + chunked(b"a", end=b"0\r\nX")), Fault.RESET),
    plain("resets without a word", raw_then_reset(), Fault.RESET),
    plain("resets in the headers", raw_then_reset(OK), Fault.RESET),
    plain("resets in the body", raw_then_reset(html(body=b"x" * 99)[:-9]), Fault.RESET),
    plain(
        "resets a megabyte into the body",
        raw_then_reset(html(body=b"x" * 2 * MEGABYTE)[:MEGABYTE]),
        Fault.RESET,
    ),
)

BROKEN = (
    plain("another protocol", raw(b"SSH-2.0-OpenSSH_9.2\r\n"), Fault.PROTOCOL),
    plain("HTTP 0.9", raw(b"<html><p>no headers at all</p></html>"), Fault.PROTOCOL),
    plain("status line alone", raw(b"HTTP/1.1\r\n\r\n"), Fault.PROTOCOL),
    plain("status in words", raw(b"HTTP/1.1 two hundred\r\n\r\n"), Fault.PROTOCOL),
    plain("status of two digits", raw(b"HTTP/1.1 20 OK\r\n\r\nhi"), Fault.PROTOCOL),
    plain("status of four digits", raw(b"HTTP/1.1 2000 OK\r\n\r\nhi"), Fault.PROTOCOL),
    plain("status 0", raw(b"HTTP/1.1 000 OK\r\n\r\nhi"), Fault.PROTOCOL),
    plain("version 9", raw(b"HTTP/9.9 200 OK\r\n\r\nhi"), Fault.PROTOCOL),
    plain("icecast", raw(b"ICY 200 OK\r\n\r\nhi"), Fault.PROTOCOL),
    plain("NULs instead of a status line", raw(bytes(5000)), Fault.PROTOCOL),
    plain("endless status line", endless(b"a" * 4096, first=b"HTTP/1.1 200 "), Fault.PROTOCOL),
    plain("endless line feeds", endless(b"\r\n" * 999), Fault.PROTOCOL),
    plain("endless headers", endless(b"X-A: b\r\n" * 99, first=OK), Fault.PROTOCOL),
    plain("endless header", endless(b"a" * 4096, first=OK + b"X: "), Fault.PROTOCOL),
    plain("endless folded header", endless(b"\r\n a" * 999, first=OK + b"X:"), Fault.PROTOCOL),
    plain("header line of 1 MB", raw(html(b"X: " + b"a" * MEGABYTE)), Fault.PROTOCOL),
    plain("headers over 64 KB", raw(html(b"X: " + b"a" * 70_000)), Fault.PROTOCOL),
    plain("a thousand headers", raw(html(*[b"X: a"] * 1001)), Fault.PROTOCOL),
    plain("flood of cookies", raw(html(*[b"Set-Cookie: a%d=b" % n for n in range(4000)])),
          Fault.PROTOCOL),
    plain("header without a colon", raw(html(b"no colon here")), Fault.PROTOCOL),
    plain("NUL in a header", raw(html(b"X: a\0b")), Fault.PROTOCOL),
    plain("bare CR in a header", raw(html(b"X-Odd: a\rContent-Length: 9")), Fault.PROTOCOL),
    plain("length in words", raw(head(b"Content-Length: ten") + b"0123456789"), Fault.PROTOCOL),
    plain("negative length", raw(head(b"Content-Length: -1") + b"abc"), Fault.PROTOCOL),
    plain("two lengths", raw(head(b"Content-Length: 3", b"Content-Length: 4") + b"abcd"),
          Fault.PROTOCOL),
    plain("two lengths in one", raw(head(b"Content-Length: 3, 4") + b"abcd"), Fault.PROTOCOL),
    plain("chunk size in words", raw(CHUNKED + b"zz\r\nabc\r\n"), Fault.PROTOCOL),
    plain("negative chunk size", raw(CHUNKED + b"-5\r\nabcde\r\n0\r\n\r\n"), Fault.PROTOCOL),
    plain("chunk size beyond numbers", raw(CHUNKED + b"f" * 18 + b"\r\nabc\r\n"), Fault.PROTOCOL),
    plain("chunk longer than it said", raw(CHUNKED + b"3\r\nabcdef\r\n0\r\n\r\n"), Fault.PROTOCOL),
    plain("unknown transfer coding",
          raw(head(b"Transfer-Encoding: gzip, chunked") + chunked(b"abc")), Fault.PROTOCOL),
    plain("switches protocols",
          raw_then_hang(head(b"Upgrade: x", status=b"101 Switching Protocols") + b"abc"),
          Fault.PROTOCOL),
    plain("endless interim answers", endless(b"HTTP/1.1 100 Continue\r\n\r\n" * 99),
          Fault.PROTOCOL),
    plain("interim answers with headers", raw(head(b"X: " + b"a" * 9000, status=b"103 Hint") * 9
                                              + html()), Fault.PROTOCOL),
    plain("eleven interim answers", raw(head(status=b"100 Continue") * 11 + html()),
          Fault.PROTOCOL),
    plain("endless trailers",
          endless(b"X-Late: y\r\n" * 99, first=CHUNKED + chunked(b"abc", end=b"0\r\n")),
          Fault.PROTOCOL),
    secure("h2 garbage", lingering(b"\xff" * 9999), Fault.PROTOCOL, "good", "h2"),
    secure("h2 speaks http 1", lingering(html()), Fault.PROTOCOL, "good", "h2"),
    secure("h2 goes away", lingering(SETTINGS, frame(7, 0, 0, b"\0\0\0\x01\0\0\0\x0b")),
           Fault.PROTOCOL, "good", "h2"),
    secure("h2 resets the stream", lingering(SETTINGS, frame(3, 0, 1, b"\0\0\0\x02")),
           Fault.PROTOCOL, "good", "h2"),
    secure("h2 endless continuations",
           endless(frame(9, 0, 1, b"\x00\x01a\x7f\x81\x1f" + b"b" * 300) * 9,
                   first=SETTINGS + frame(1, 0, 1, STATUS_200)),
           Fault.PROTOCOL, "good", "h2"),
    secure("h2 compressed header bomb",
           lingering(SETTINGS, frame(1, 4, 1, STATUS_200 + b"\x40\x01a\x7f\xa1\x1e"
                                         + b"b" * 4000 + b"\xbe" * 12_000)),
           Fault.PROTOCOL, "good", "h2"),
)  # fmt: skip

UNTRUSTED = (
    secure("certificate expired", raw(html()), Fault.TLS, "expired"),
    secure("certificate not valid yet", raw(html()), Fault.TLS, "early"),
    secure("certificate for another name", raw(html()), Fault.TLS, "other name"),
    secure("certificate self-signed", raw(html()), Fault.TLS, "self-signed"),
    secure("certificate of an unknown authority", raw(html()), Fault.TLS, "unknown authority"),
    secure("certificate that signs itself another", raw(html()), Fault.TLS, "signed by a leaf"),
    socket_level("garbage for a handshake", after_hello(b"\xde\xad\xbe\xef" * 999), Fault.TLS),
    socket_level("endless garbage for a handshake",
                 endless(b"\x16\x03\x03\x40\x00" + b"\x0b" * 0x4000), Fault.TLS),
    socket_level("plain http on the https port", after_hello(html()), Fault.TLS),
    socket_level("closes in the handshake", after_hello(b""), Fault.TLS),
    socket_level("a TLS alert", after_hello(b"\x15\x03\x03\x00\x02\x02\x28"), Fault.TLS),
    socket_level("resets in the handshake", reset_at_hello, Fault.RESET),
)  # fmt: skip

TOO_MUCH = (
    plain("endless body", endless(b"x" * 65_536, first=OK + b"\r\n"), Fault.TOO_LARGE),
    plain("endless chunks", endless(b"8000\r\n%b\r\n" % (b"x" * 0x8000), first=CHUNKED),
          Fault.TOO_LARGE),
    plain("declared too large", raw_then_hang(head(b"Content-Length: 9999999999") + b"x"),
          Fault.TOO_LARGE),
    plain("length beyond numbers", raw_then_hang(head(b"Content-Length: " + b"9" * 40) + b"x"),
          Fault.TOO_LARGE),
    plain("50 MB of one line", raw(OK + b"\r\n", *[b"x" * MEGABYTE] * 50), Fault.TOO_LARGE),
    plain("a million links",
          raw(OK + b"\r\n", *[b"<a href='/some/%d'>x</a>" % n * 1000 for n in range(1000)]),
          Fault.TOO_LARGE),
    coded("gzip", cache(lambda: gzip_bomb(1000)), Fault.TOO_LARGE, "gzip bomb"),
    coded("deflate", packed_bomb(zlib.compress), Fault.TOO_LARGE, "deflate bomb"),
    coded("deflate", cache(deflate_bomb), Fault.TOO_LARGE, "bare deflate bomb"),
    coded("br", packed_bomb(lambda data: bytes(brotli.compress(data, quality=5))),
          Fault.TOO_LARGE, "brotli bomb"),
    coded("zstd", packed_bomb(zstandard.compress), Fault.TOO_LARGE, "zstd bomb"),
    coded("gzip, gzip, gzip",
          cache(lambda: gzip.compress(gzip.compress(gzip_bomb(1000)))),
          Fault.TOO_LARGE, "bomb in a bomb in a bomb"),
)  # fmt: skip

UNDECODABLE = (
    coded("gzip", lambda: b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 99, Fault.ENCODING,
          "gzip that is none"),
    coded("gzip", lambda: gzip.compress(b"hello" * 999)[:-9], Fault.ENCODING, "gzip cut short"),
    coded("gzip", lambda: gzip.compress(b"") * 100_000, Fault.ENCODING, "a hundred thousand gzips"),
    coded(", ".join(["gzip"] * 50), lambda: gzip.compress(b"hello"), Fault.ENCODING, "50 codings"),
    coded("br", lambda: b"\xff" * 9999, Fault.ENCODING, "brotli that is none"),
    coded("zstd", lambda: b"\x28\xb5\x2f\xfd" + b"\xff" * 9999, Fault.ENCODING, "broken zstd"),
    coded("x-unheard-of", lambda: bytes(range(256)) * 9, Fault.ENCODING, "unheard-of coding"),
    coded("gzip", lambda: b"<p>plain after all</p>", 200, "gzip that is text"),
    coded("gzip", lambda: gzip.compress(gzip.compress(b"<p>twice</p>")), 200, "gzip in gzip"),
    coded("gzip, gzip", lambda: gzip.compress(gzip.compress(b"<p>twice</p>")), 200, "gzip twice"),
)  # fmt: skip

ODD = (
    plain("content length too short", raw(head(b"Content-Length: 2") + b"hi" + b"x" * 999), 200),
    plain("length and chunks",
          raw(head(b"Content-Length: 999", b"Transfer-Encoding: chunked") + chunked(b"<p>hi")),
          200),
    plain("204 with a body", raw(head(b"Content-Length: 4", status=b"204 None") + b"evil"), 204),
    plain("205 with a body", raw(head(b"Content-Length: 4", status=b"205 Reset") + b"evil"), 205),
    plain("304 with a body", raw(head(b"Content-Length: 4", status=b"304 Same") + b"evil"), 304),
    plain("204 with an answer behind it", raw(head(status=b"204 None") + OVERDUE), 204),
    plain("404 without an end", endless(b"x" * 50_000, first=head(status=b"404 Not Here")), 404),
    plain("500 with a bomb",
          raw(head(b"Content-Encoding: gzip", status=b"500 Broken") + gzip_bomb(50)), 500),
    plain("429 for ever",
          raw(head(b"Retry-After: 99999999999999999999", b"Content-Length: 0",
                   status=b"429 Slow Down")), 429, "throttled"),
    plain("503 until the year 9999",
          raw(head(b"Retry-After: Fri, 31 Dec 9999 23:59:59 GMT", b"Content-Length: 0",
                   status=b"503 Busy")), 503, "throttled"),
    plain("status 299", raw(head(b"Content-Length: 2", status=b"299 Odd") + b"hi"), 299),
    plain("status 999", raw(head(b"Content-Length: 2", status=b"999 Denied") + b"hi"), 999,
          "failed server_error"),
    plain("hundreds of cookies", raw(html(*[b"Set-Cookie: a%d=b" % n for n in range(900)])), 200),
    plain("validators of 30 KB", raw(html(b"ETag: " + b"e" * 30_000,
                                          b"Last-Modified: " + b"l" * 30_000)), 200),
    plain("image that is a page", answer(b"<p>hi</p>", content_type="image/png"), 200),
    plain("page that is an image", answer(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 999), 200),
    plain("page that is a program", answer(b"\x7fELF" + bytes(range(256)) * 999), 200),
    plain("page that is a gzip", answer(gzip.compress(b"<p>hi</p>")), 200),
    plain("type of 30 KB", answer(b"<p>hi", content_type="text/html; x=" + "y" * 30_000), 200),
    plain("type of nonsense", answer(b"<p>hi", content_type=";;;/=,\xff"), 200),
    plain("charset nobody knows", answer(b"<p>\xff\xfe\x80", content_type="a/b; charset=utf-99"),
          200),
    plain("charset utf-7", answer(b"<p>+ADw-script+AD4-", content_type="text/html; charset=utf-7"),
          200),
    plain("charset that lies", answer(b"<p>\xe9\x80" * 9999,
                                      content_type="text/html; charset=utf-8"), 200),
    plain("utf-16 of an odd length", answer(b"\xff\xfe" + "<p>hi".encode("utf-16-le") + b"x"), 200),
    plain("charset named like a codec",
          answer(b"<p>hi", content_type="text/html; charset=base64"), 200),
)  # fmt: skip

REDIRECTING = (
    plain("redirects to itself", raw(to(b"/redirects-to-itself")), 302,
          "failed too_many_redirects"),
    plain("endless redirects", redirect_by_request, 302, "failed too_many_redirects"),
    plain("redirects nowhere", raw(head(b"Content-Length: 0", status=b"302 Found")), 302,
          "failed protocol"),
    plain("empty Location", raw(to(b"")), 302, "failed protocol"),
    plain("unreadable Location", raw(to(b"http://[::bad/")), 302, "failed protocol"),
    plain("Location with a script", raw(to(b"javascript:alert(1)")), 302, "refused scheme"),
    plain("Location of a file", raw(to(b"file:///etc/passwd")), 302, "refused scheme"),
    plain("Location with data", raw(to(b"data:text/html,<p>evil")), 302, "refused scheme"),
    plain("Location over two lines", raw(to(b"/one\r\n\ttwo")), 302, "gone"),
    plain("Location with a header in it", raw(to(b"/one%0d%0aX-Evil:%201")), 302, "gone"),
    plain("Location of 60 KB", raw(to(b"/" + b"a" * 60_000)), 302, "refused too_long"),
    plain("Location with credentials", raw(to(b"http://user:secret@127.0.0.1:1/")), 302, "moved"),
    plain("Location in the metadata service", raw(to(b"http://169.254.169.254/latest/")), 302,
          "moved"),
)  # fmt: skip

# OpenSSL skips them in silence: faster than they can be read, they never let go of a client.
HELLO_REQUESTS = socket_level(
    "endless hello requests", endless(b"\x16\x03\x03\x40\x00" + bytes(0x4000)), Fault.TLS
)

FAST = (
    *HANGING, *CUT_OFF, *BROKEN, *UNTRUSTED, *TOO_MUCH, *UNDECODABLE, *ODD, *REDIRECTING,
)  # fmt: skip

_LAUGHS = b"".join(b"<!ENTITY l%d '%b'>" % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 12))
_XHTML = b"<html xmlns='http://www.w3.org/1999/xhtml'><head><title>%b</title></head></html>"

PAGES = (
    page("100 000 nested tags", lambda: b"<div>" * 100_000 + b"x"),
    huge("100 000 nested bold tags", lambda: b"<b>x" * 100_000),
    huge("nested tables", lambda: b"<table><tr><td>" * 100_000),
    page("nested forms", lambda: b"<form><div>" * 100_000),
    page("nested lists", lambda: b"<ul><li>" * 100_000),
    huge("10 MB of opening brackets", lambda: b"<" * 10 * MEGABYTE),
    page("10 MB of one word", lambda: b"x" * 10 * MEGABYTE),
    huge("10 MB of open comments", lambda: b"<!--" * (10 * MEGABYTE // 4)),
    page("10 MB of line ends", lambda: b"<pre>" + b"\n" * 9 * MEGABYTE),
    page("10 MB of entities", lambda: b"&amp;&#x41;&notit;" * (10 * MEGABYTE // 19)),
    huge("10 MB of tags", lambda: b"<i>" * (10 * MEGABYTE // 3)),
    huge("10 MB of breaks", lambda: b"<br>" * (10 * MEGABYTE // 4)),
    page("10 MB in an attribute", lambda: b"<a href='" + b"a" * 9 * MEGABYTE + b"'>x</a>"),
    huge("a million attributes", lambda: b"<p " + b"".join(b"a%d " % n for n in range(MEGABYTE))),
    huge("a million short links", lambda: b"<a href=a>" * 999_999),
    huge("half a million links", lambda: b"".join(b"<a href=/%d>x" % n for n in range(500_000))),
    huge("half a million nofollows", lambda: b"<a rel=nofollow href=a>" * 400_000),
    huge("10 MB of headings", lambda: b"<h1>x</h1>" * MEGABYTE),
    page("10 MB of titles", lambda: b"<title>" + b"x " * 4_900_000),
    huge("10 MB of scripts", lambda: b"<script>x</script>" * 555_000),
    huge("10 MB of metas", lambda: b"<meta name=robots content=x>" * 350_000),
    huge("5 MB of NULs", lambda: bytes(5 * MEGABYTE)),
    page("10 MB of half characters", lambda: b"\xe2\x80" * 5 * MEGABYTE, "text/html;charset=utf-8"),
    page("10 MB of plain text", lambda: b"word " * 2 * MEGABYTE, "text/plain"),
    page("10 MB of plain text in one word", lambda: b"w" * 10 * MEGABYTE, "text/plain"),
    page("10 MB of json", lambda: b"[" * 10 * MEGABYTE, "application/json"),
    page("billion laughs",
         lambda: b"<?xml version='1.0'?><!DOCTYPE html [<!ENTITY l0 'ha'>" + _LAUGHS + b"]>"
         + _XHTML % b"&l11;", "application/xhtml+xml"),
    page("quadratic laughs",
         lambda: b"<?xml version='1.0'?><!DOCTYPE html [<!ENTITY a '" + b"a" * MEGABYTE + b"'>]>"
         + _XHTML % (b"&a;" * 300_000), "application/xhtml+xml"),
    page("an entity from our disk",
         lambda: b"<?xml version='1.0'?><!DOCTYPE html [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>"
         + _XHTML % b"&x;", "application/xhtml+xml"),
    page("100 000 nested tags in xml", lambda: b"<div>" * 100_000, "application/xhtml+xml"),
    page("10 MB of json in a script",
         lambda: b"<script type=application/ld+json>" + b"[" * 9 * MEGABYTE),
)  # fmt: skip

CASES = (*FAST, *PAGES)


class Ground:
    """Every case on its port, served by a thread of their own until the end of the block."""

    def __init__(self, cases: Iterable[Case], folder: Path) -> None:
        self._cases = {case.name: case for case in cases}
        self._servers: dict[str, Server] = {}
        self._certificates = Certificates(folder)
        self._opened = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    @property
    def authority(self) -> str:
        """The file of the one authority to trust."""
        return str(self._certificates.authority)

    def url(self, name: str) -> str:
        case, server = self._cases[name], self._servers[name]
        return f"{case.scheme}://127.0.0.1:{server.port}{case.path}"

    def asked(self, name: str) -> list[str]:
        """The request targets a case was asked for."""
        return [asked.target for asked in self._servers[name].asked]

    def __enter__(self) -> Self:
        self._thread.start()
        self._opened.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        # A client that turns a certificate down is no news here.
        self._loop.set_exception_handler(lambda _loop, _context: None)
        for case in self._cases.values():
            self._servers[case.name] = await self._server(case).__aenter__()
        self._opened.set()
        await self._over.wait()
        for server in self._servers.values():
            await server.__aexit__()

    def _server(self, case: Case) -> Server:
        tls = self._certificates.context(case.tls, case.protocols) if case.tls else None
        if case.raw:
            return _Blunt(case.script, tls=tls)
        return Server({case.path: case.script}, tls=tls)


class _Blunt(Server):
    """Runs its script on every connection, whatever is asked."""

    def __init__(self, script: Script, *, tls: ssl.SSLContext | None) -> None:
        super().__init__({}, tls=tls)
        self._script = script

    async def _serve(self, connection: Connection, number: int) -> None:
        await self._script(connection)
        await connection.close()


class Certificates:
    """An authority, and certificates with one flaw each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._keys = {name: ec.generate_private_key(ec.SECP256R1()) for name in ("us", "them")}
        self._leaf = ec.generate_private_key(ec.SECP256R1())
        self.authority = self._write("authority", [self._make("us", "us", is_authority=True)])

    def context(self, shows: str, protocols: tuple[str, ...]) -> ssl.SSLContext:
        name = shows.replace(" ", "-")
        chain = self._write(name, self._chain(shows))
        key = self._folder / f"{name}.key"
        key.write_bytes(
            self._leaf.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain, key)
        if protocols:
            context.set_alpn_protocols(list(protocols))
        return context

    def _chain(self, shows: str) -> list[x509.Certificate]:
        match shows:
            case "good":
                return [self._make("leaf", "us")]
            case "expired":
                return [self._make("leaf", "us", days=(-9, -2))]
            case "early":
                return [self._make("leaf", "us", days=(2, 9))]
            case "other name":
                return [self._make("leaf", "us", name="b.example")]
            case "self-signed":
                return [self._make("leaf", "leaf", is_authority=True)]
            case "unknown authority":
                return [self._make("leaf", "them"), self._make("them", "them", is_authority=True)]
            case "signed by a leaf":
                return [self._make("leaf", "them"), self._make("them", "us")]
            case _:
                raise ValueError(shows)

    def _make(
        self,
        subject: str,
        issuer: str,
        *,
        name: str = "127.0.0.1",
        days: tuple[int, int] = (-2, 9),
        is_authority: bool = False,
    ) -> x509.Certificate:
        keys = {**self._keys, "leaf": self._leaf}
        now = datetime.datetime.now(datetime.UTC)
        start, end = (now + datetime.timedelta(days=each) for each in days)
        constraints = x509.BasicConstraints(ca=is_authority, path_length=None)
        return (
            x509.CertificateBuilder()
            .subject_name(_called(subject))
            .issuer_name(_called(issuer))
            .public_key(keys[subject].public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(start)
            .not_valid_after(end)
            .add_extension(x509.SubjectAlternativeName([_names(name)]), critical=False)
            .add_extension(constraints, critical=True)
            .sign(keys[issuer], hashes.SHA256())
        )

    def _write(self, name: str, chain: list[x509.Certificate]) -> Path:
        path = self._folder / f"{name}.pem"
        path.write_bytes(b"".join(each.public_bytes(serialization.Encoding.PEM) for each in chain))
        return path


def _called(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"tenax test {name}")])


def _names(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
