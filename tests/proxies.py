"""Proxies that misbehave on request: HTTP (CONNECT and forwarding) and SOCKS5, on the loopback.

    async with HttpProxy(login=("me", "secret")) as proxy:
        await transport.send(Request(url, proxy=proxy.address()))
        proxy.mood = Mood.DROPS

They are real: bytes go through them to a server of the test's. `asked` tells what they were
asked to connect to, so that a test can say who resolved a name.
"""

from __future__ import annotations

import asyncio
import base64
import ssl
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from tenax.model import ProxyAddress, ProxyScheme

Login = tuple[str, str]


class Mood(StrEnum):
    WELL = "well"
    DROPS = "drops"
    """Hangs up when it is asked for anything."""
    DROPS_TUNNELS = "drops_tunnels"
    """Says yes, and hangs up then."""
    SILENT = "silent"
    """Takes the connection and never says a word."""
    REFUSES = "refuses"
    """Answers `refusal`: a status, or a SOCKS5 reply."""
    BABBLES = "babbles"
    """Speaks no protocol of ours."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One request for a way through: to whom, as it was spelled, and by which user."""

    target: str
    user: str = ""
    tunnel: bool = True


class ProxyServer:
    """What the two kinds share: a port, a mood, and the pumping of bytes."""

    scheme = ProxyScheme.HTTP

    def __init__(
        self,
        *,
        login: Login | None = None,
        mood: Mood = Mood.WELL,
        refusal: int = 403,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.login = login
        self.mood = mood
        self.refusal = refusal
        self.asked: list[Wanted] = []
        self.connections = 0
        self._tls = tls
        self._tasks: set[asyncio.Task[None]] = set()

    def address(self, login: Login | None = None, *, host: str = "127.0.0.1") -> ProxyAddress:
        user, password = login or self.login or ("", "")
        return ProxyAddress(self.scheme, host, self.port, user, password)

    @property
    def url(self) -> str:
        """As a user types it."""
        login = f"{self.login[0]}:{self.login[1]}@" if self.login else ""
        return f"{self.scheme}://{login}127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, ssl=self._tls)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.die()

    async def die(self) -> None:
        """As a crash does it: nobody listens any more, and every connection is cut."""
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            await self._serve(reader, writer)
        except (OSError, EOFError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.transport.abort() if task.cancelling() else writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.mood is Mood.SILENT:
            await reader.read()
        elif self.mood is Mood.BABBLES:
            writer.write(b"\xffHOWDY\r\n\r\n")
            await writer.drain()
        else:
            await self.converse(reader, writer)

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raise NotImplementedError


class HttpProxy(ProxyServer):
    """CONNECT, and forwarding of plain requests; https when given a certificate."""

    def __init__(
        self,
        *,
        login: Login | None = None,
        mood: Mood = Mood.WELL,
        refusal: int = 403,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        super().__init__(login=login, mood=mood, refusal=refusal, tls=tls)
        self.scheme = ProxyScheme.HTTPS if tls else ProxyScheme.HTTP

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        method, target, _ = head.split("\r\n", 1)[0].split(" ")
        user, password = _basic(head)
        self.asked.append(Wanted(target, user, method == "CONNECT"))
        if self.mood is Mood.DROPS:
            return
        if self.login and (user, password) != self.login:
            writer.write(b"HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=p\r\n")
            writer.write(b"Content-Length: 0\r\n\r\n")
        elif self.mood is Mood.REFUSES:
            writer.write(b"HTTP/1.1 %d No\r\nContent-Length: 2\r\n\r\nno" % self.refusal)
        elif method == "CONNECT":
            await self._tunnel(target, reader, writer)
            return
        else:
            await _forward(head, target, reader, writer)
            return
        await writer.drain()

    async def _tunnel(
        self, target: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        host, _, port = target.rpartition(":")
        try:
            far_reader, far_writer = await asyncio.open_connection(host.strip("[]"), int(port))
        except OSError:
            writer.write(b"HTTP/1.1 502 Unreachable\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
            return
        writer.write(b"HTTP/1.1 200 Connected\r\nX-From-Proxy: 1\r\n\r\n")
        await writer.drain()
        if self.mood is Mood.DROPS_TUNNELS:
            far_writer.close()
            return
        await _pump_both(reader, writer, far_reader, far_writer)


class SocksProxy(ProxyServer):
    """SOCKS5 (RFC 1928), with user and password (RFC 1929) when there is a login.

    `refusal` is a reply: 1 general failure, 2 not allowed, 5 connection refused.
    """

    scheme = ProxyScheme.SOCKS5

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, count = await reader.readexactly(2)
        offered = await reader.readexactly(count)
        if self.mood is Mood.DROPS:
            return
        method = 2 if self.login else 0
        if method not in offered:
            writer.write(b"\x05\xff")
            await writer.drain()
            return
        writer.write(bytes([5, method]))
        user = ""
        if self.login:
            user, password = await _socks_login(reader)
            good = (user, password) == self.login
            writer.write(b"\x01\x00" if good else b"\x01\x01")
            if not good:
                await writer.drain()
                return
        host, port = await _socks_target(reader)
        self.asked.append(Wanted(f"{host}:{port}", user))
        await self._connect(host, port, reader, writer)

    async def _connect(
        self, host: str, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        reply = self.refusal if self.mood is Mood.REFUSES else 0
        if not reply:
            try:
                far_reader, far_writer = await asyncio.open_connection(host, port)
            except OSError:
                reply = 5
        writer.write(bytes([5, reply, 0, 1, 0, 0, 0, 0, 0, 0]))
        await writer.drain()
        if reply:
            return
        if self.mood is Mood.DROPS_TUNNELS:
            far_writer.close()
            return
        await _pump_both(reader, writer, far_reader, far_writer)


def _basic(head: str) -> Login:
    for line in head.split("\r\n"):
        name, _, value = line.partition(":")
        if name.lower() == "proxy-authorization":
            user, _, password = base64.b64decode(value.split()[1]).decode().partition(":")
            return user, password
    return "", ""


async def _socks_login(reader: asyncio.StreamReader) -> Login:
    _, length = await reader.readexactly(2)
    user = await reader.readexactly(length)
    (length,) = await reader.readexactly(1)
    return user.decode(), (await reader.readexactly(length)).decode()


async def _socks_target(reader: asyncio.StreamReader) -> tuple[str, int]:
    kind = (await reader.readexactly(4))[3]
    if kind == 1:
        host = ".".join(map(str, await reader.readexactly(4)))
    elif kind == 3:
        (length,) = await reader.readexactly(1)
        host = (await reader.readexactly(length)).decode()
    else:
        raw = await reader.readexactly(16)
        host = ":".join(raw[i : i + 2].hex() for i in range(0, 16, 2))
    return host, int.from_bytes(await reader.readexactly(2), "big")


async def _forward(
    head: str, target: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """One plain request, its absolute URL cut down to a path; then the connection ends."""
    authority, _, path = target.removeprefix("http://").partition("/")
    host, _, port = authority.partition(":")
    far_reader, far_writer = await asyncio.open_connection(host, int(port or 80))
    rest = [
        line
        for line in head.split("\r\n")[1:]
        if not line.lower().startswith(("proxy-", "connection:")) and line
    ]
    lines = [f"GET /{path} HTTP/1.1", *rest, "Connection: close", "", ""]
    far_writer.write("\r\n".join(lines).encode("latin-1"))
    await _pump_both(reader, writer, far_reader, far_writer)


async def _pump_both(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    far_reader: asyncio.StreamReader,
    far_writer: asyncio.StreamWriter,
) -> None:
    there = asyncio.create_task(_pump(reader, far_writer))
    back = asyncio.create_task(_pump(far_reader, writer))
    try:
        await asyncio.wait({there, back}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        far_writer.close()  # before anything is awaited: we may be cancelled a second time
        for task in (there, back):
            task.cancel()
        await asyncio.gather(there, back, return_exceptions=True)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await reader.read(65_536):
            writer.write(chunk)
            await writer.drain()
