"""A web server that misbehaves on request: real sockets on the loopback, a script per path.

    async with Server({"/": answer(b"hello"), "/slow": drip(b"x", every=0.05)}) as server:
        await transport.send(Request(server.url("/slow")))

A script writes whatever bytes it likes, so servers that no library would agree to be can be
played. After it, the connection is closed unless the script asked to keep it.
"""

from __future__ import annotations

import asyncio
import base64
import datetime
import hashlib
import ipaddress
import socket
import ssl
import struct
import zlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Script = Callable[["Connection"], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it arrived, and the number of the connection it arrived on."""

    line: str
    headers: tuple[tuple[str, str], ...]
    connection: int

    @property
    def target(self) -> str:
        return self.line.split(" ")[1]

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name), None)


class Connection:
    """The server's end of one connection, in the hands of a script."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.keep = False
        self.method = ""

    @property
    def open(self) -> bool:
        return not self._writer.is_closing()

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def receive(self, size: int) -> bytes:
        return await self._reader.readexactly(size)

    async def request(self) -> tuple[str, tuple[tuple[str, str], ...]]:
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, *fields = head.removesuffix("\r\n\r\n").split("\r\n")
        self.method = line.split(" ")[0]
        pairs = (field.partition(":") for field in fields)
        return line, tuple((name, value.strip()) for name, _, value in pairs)

    async def hang(self) -> None:
        """Until the other side gives up, or the server stops."""
        await self._reader.read()

    def reset(self) -> None:
        raw: socket.socket = self._writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.abort()

    def abort(self) -> None:
        self._writer.transport.abort()

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()

    def speaks_http2(self) -> bool:
        tls: ssl.SSLObject | None = self._writer.get_extra_info("ssl_object")
        return tls is not None and tls.selected_alpn_protocol() == "h2"


class Server:
    """Answers each path by its script; remembers what it was asked and over how many sockets."""

    def __init__(
        self,
        scripts: Mapping[str, Script],
        *,
        address: str = "127.0.0.1",
        tls: ssl.SSLContext | None = None,
        streams: int | None = None,
    ) -> None:
        """Over HTTP/2 a connection is reset after `streams` requests."""
        self.streams = 0
        self._most_streams = streams
        self.asked: list[Asked] = []
        self.was_asked = asyncio.Event()
        self.connections = 0
        self._scripts = scripts
        self._address = address
        self._tls = tls
        self._open: dict[asyncio.Task[None], Connection] = {}

    def url(self, path: str = "/", host: str | None = None) -> str:
        host = host or (f"[{self._address}]" if ":" in self._address else self._address)
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}{path}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._accept, self._address, 0, ssl=self._tls, limit=1 << 20
        )
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await self.hang_up()
        await self._server.wait_closed()

    async def hang_up(self) -> None:
        """Drop every connection, whatever it is doing."""
        for connection in self._open.values():
            connection.abort()
        await self.all_gone()

    async def all_gone(self) -> None:
        """Wait until the clients have left."""
        await asyncio.gather(*self._open, return_exceptions=True)

    def _count_stream(self) -> None:
        self.streams += 1

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.connections += 1
        connection = self._open[task] = Connection(reader, writer)
        try:
            await self._serve(connection, self.connections)
        except (OSError, EOFError):
            connection.abort()  # the client left first, as many a script provokes
        finally:
            del self._open[task]

    async def _serve(self, connection: Connection, number: int) -> None:
        if connection.speaks_http2():
            await _serve_http2(connection, self._count_stream, self._most_streams)
            return
        while True:
            line, headers = await connection.request()
            self.asked.append(Asked(line, headers, number))
            self.was_asked.set()
            script = self._scripts.get(self.asked[-1].target.partition("?")[0], _not_found)
            connection.keep = False
            await script(connection)
            if not connection.keep:
                await connection.close()
                return


def answer(
    body: bytes = b"",
    status: str = "200 OK",
    headers: Mapping[str, str] | None = None,
    content_type: str | None = "text/html",
) -> Script:
    """A proper answer on a connection that stays open."""
    fields = {"Content-Length": str(len(body)), **(headers or {})}
    if content_type is not None:
        fields = {"Content-Type": content_type, **fields}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())

    async def script(connection: Connection) -> None:
        connection.keep = True
        shown = b"" if connection.method == "HEAD" else body
        await connection.send(f"HTTP/1.1 {status}\r\n{head}\r\n".encode("latin-1") + shown)

    return script


def raw(*parts: bytes) -> Script:
    """These bytes and nothing else, then the end of the connection."""

    async def script(connection: Connection) -> None:
        for part in parts:
            await connection.send(part)

    return script


def raw_then_hang(*parts: bytes) -> Script:
    async def script(connection: Connection) -> None:
        await raw(*parts)(connection)
        await connection.hang()

    return script


def raw_then_reset(*parts: bytes) -> Script:
    """The client gets the bytes first: it waits for them, and the reset follows its hanging."""

    async def script(connection: Connection) -> None:
        await raw(*parts)(connection)
        await asyncio.sleep(0.02)
        connection.reset()

    return script


def endless(part: bytes, *, first: bytes = b"", every: float = 0.0) -> Script:
    """The same part again and again, as fast as it is read or at a pace, without an end."""

    async def script(connection: Connection) -> None:
        await connection.send(first)
        while connection.open:
            await connection.send(part)
            await asyncio.sleep(every)

    return script


def drip(part: bytes, *, every: float) -> Script:
    """A body that keeps moving, too slowly ever to arrive."""
    return endless(part, first=OK + b"Content-Length: 1000000\r\n\r\n", every=every)


def chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + end


def gzip_bomb(megabytes: int) -> bytes:
    """A gzip body that inflates to this much: one full-flushed block of zeros, repeated."""
    packer = zlib.compressobj(9, wbits=-15)
    block = packer.compress(bytes(1_000_000)) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + block * megabytes + packer.flush()


OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


async def _not_found(connection: Connection) -> None:
    await answer(b"no such page", "404 Not Found")(connection)


@dataclass(frozen=True, slots=True)
class Certificate:
    """A self-signed certificate: what the server shows, and the file a client may trust."""

    path: Path
    key_path: Path

    def context(self, *protocols: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path, self.key_path)
        if protocols:
            context.set_alpn_protocols(list(protocols))
        return context


def self_signed(
    folder: Path, *, names: tuple[str, ...] = ("127.0.0.1", "localhost"), expired: bool = False
) -> Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tenax test server")])
    now = datetime.datetime.now(datetime.UTC)
    day = datetime.timedelta(days=1)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - 3 * day)
        .not_valid_after(now + (-day if expired else day))
        .add_extension(x509.SubjectAlternativeName([_san(name) for name in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    made = Certificate(folder / "server.pem", folder / "server.key")
    made.path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    made.key_path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return made


def key_digest(path: Path) -> str:
    """By what Chromium can be told to trust a certificate."""
    key = x509.load_pem_x509_certificate(path.read_bytes()).public_key()
    encoded = key.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return base64.b64encode(hashlib.sha256(encoded).digest()).decode()


def _san(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


# Just enough of RFC 9113 to answer "hello" to whatever is asked: the request's headers are
# compressed and not looked at.
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _SETTINGS = 0, 1, 4
_END_STREAM, _ACK, _END_HEADERS = 1, 1, 4


async def _serve_http2(
    connection: Connection, asked: Callable[[], None], most: int | None = None
) -> None:
    assert await connection.receive(len(_PREFACE)) == _PREFACE
    await connection.send(_frame(_SETTINGS, 0, 0, b""))
    streams = 0
    while True:
        head = await connection.receive(9)
        length, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
        stream = int.from_bytes(head[5:], "big")
        await connection.receive(length)
        if kind == _SETTINGS and not flags & _ACK:
            await connection.send(_frame(_SETTINGS, _ACK, 0, b""))
        if kind == _HEADERS:
            asked()
            streams += 1
            if most is not None and streams > most:
                connection.reset()
                return
            # 0x88 is ":status: 200"; 0x0f 0x10 a literal content-type (static table 31).
            fields = b"\x88\x0f\x10\x09text/html"
            await connection.send(_frame(_HEADERS, _END_HEADERS, stream, fields))
            await connection.send(_frame(_DATA, _END_STREAM, stream, b"hello"))


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload
