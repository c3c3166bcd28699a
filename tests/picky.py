"""A web server that is choosy about its clients, and about how long it keeps a connection.

It looks at the ClientHello before it shakes hands, as those do that sort clients by the way their
TLS library speaks, and resets the connections of those it does not like. Every request that
reaches it is in its log, answered or not. A thread of its own, real sockets on the loopback.
"""

from __future__ import annotations

import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable
from typing import NamedTuple, Self

from tenax.demo import LoggedRequest

_ENCRYPT_THEN_MAC = 22
"""OpenSSL offers this extension; BoringSSL, of the second client and of Chromium, does not."""


class Hello(NamedTuple):
    """What a ClientHello offers."""

    ciphers: tuple[int, ...]
    extensions: tuple[int, ...]

    @property
    def is_openssl(self) -> bool:
        return _ENCRYPT_THEN_MAC in self.extensions

    @property
    def is_chromium(self) -> bool:
        """Chromium alone greases: it offers ciphers that do not exist (RFC 8701)."""
        return any(cipher & 0x0F0F == 0x0A0A for cipher in self.ciphers)


def read_hello(record: bytes) -> Hello:
    at = 5 + 4 + 2 + 32  # record, handshake, version, random
    at += 1 + record[at]  # session
    size = int.from_bytes(record[at : at + 2], "big")
    ciphers = struct.unpack_from(f">{size // 2}H", record, at + 2)
    at += 2 + size
    at += 1 + record[at]  # compression
    end, at = at + 2 + int.from_bytes(record[at : at + 2], "big"), at + 2
    extensions = []
    while at < end:
        kind, size = struct.unpack_from(">HH", record, at)
        extensions.append(kind)
        at += 4 + size
    return Hello(ciphers, tuple(extensions))


def anybody(_: Hello) -> bool:
    return True


class PickyServer:
    """`pages` are bodies by path. `most` is how many requests a connection may bring: the next one
    is read, and the connection reset instead of an answer."""

    def __init__(
        self,
        pages: dict[str, bytes],
        *,
        tls: ssl.SSLContext | None = None,
        likes: Callable[[Hello], bool] = anybody,
        most: int | None = None,
    ) -> None:
        self.log: list[LoggedRequest] = []
        self.turned_away: list[Hello] = []
        self.likes = likes
        self.is_away = False
        """Whether it answers nobody at all."""
        self.broken: set[str] = set()
        """Paths of which every request is reset."""
        self._pages = pages
        self._tls = tls
        self._most = most
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]

    def url(self, path: str = "/") -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}{path}"

    def asked(self, path: str) -> int:
        return sum(visit.path == path for visit in self.log)

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        for connection in tuple(self._open):
            _reset(connection)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        self._open.add(connection)
        try:
            if self._tls is not None:
                hello = _peeked(connection)
                if self.is_away or not self.likes(hello):
                    self.turned_away.append(hello)
                    _reset(connection)
                    return
                self._open.discard(connection)
                connection = self._tls.wrap_socket(connection, server_side=True)
                self._open.add(connection)
            self._answer(connection)
        except (OSError, EOFError):
            pass  # the client left first
        finally:
            self._open.discard(connection)
            connection.close()

    def _answer(self, connection: socket.socket) -> None:
        answered = 0
        while True:
            head = b""
            while b"\r\n\r\n" not in head:
                part = connection.recv(65_536)
                if not part:
                    return
                head += part
            method, path, _ = head.decode("latin-1").split(" ", 2)
            is_old = self._most is not None and answered >= self._most
            is_over = self.is_away or is_old or path in self.broken
            body = self._pages.get(path)
            status = "404 Not Found" if body is None else "200 OK"
            code = 0 if is_over else int(status[:3])
            self.log.append(LoggedRequest(time.monotonic(), "", "", method, path, "", code, 1))
            if is_over:
                _reset(connection)
                return
            answered += 1
            kind = "text/plain" if path.endswith(".txt") else "text/html"
            said = (
                f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body or b'')}"
            )
            shown = b"" if method == "HEAD" else body or b""
            connection.sendall(f"{said}\r\n\r\n".encode() + shown)


def _peeked(connection: socket.socket) -> Hello:
    """Its ClientHello, left for the handshake to read."""
    record, size = b"", 5
    while len(record) < size:
        record = connection.recv(size, socket.MSG_PEEK)
        if not record:
            raise EOFError
        if len(record) >= 5:
            size = 5 + int.from_bytes(record[3:5], "big")
    return read_hello(record)


def _reset(connection: socket.socket) -> None:
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        return  # closed already
    # Not `shutdown`: that would say goodbye in order.
    socket.close(connection.detach())
