"""The browser's only way out, against SSRF: a proxy of ours that looks up, judges and connects.

Chromium is started so that this proxy is its only way to the network (SEC-1). A name is looked
up here, every address is judged, and the socket is opened to exactly the address judged, so
redirects, frames, scripts, workers and WebSockets are held to one rule, and a name that changes
its address changes nothing. Each visit has its own credentials: other programs of this machine
cannot use the proxy, and no connection outlives the visit that opened it.
"""

from __future__ import annotations

import asyncio
import base64
import errno
import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from tenax.adapters.browser.bounds import RequestBounds
from tenax.adapters.browser.detour import NoWay, through
from tenax.adapters.browser.heads import Ask, Malformed, as_last, end_of_head, is_interim, read_ask
from tenax.adapters.libcurl.names import CachedNames, Resolver, Unknown
from tenax.adapters.libcurl.roots import trusted_roots
from tenax.adapters.libcurl.through_proxy import wants_login
from tenax.model import Failure, Fault, Forbidden, ProxyAddress, ProxyScheme, RequestLimits

Judge = Callable[[str], str | None]
"""Why an address may not be connected to; None when it may."""
Place: TypeAlias = tuple[str, int]
"""Host and port."""

HEAD_BYTES = 65_536
_HEAD_SECONDS = 10.0
_CHUNK = 65_536
_CONNECTIONS = 256
"""At once, for one visit."""
_OUT_OF_SOCKETS = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class Permit(Struct, eq=False):
    """What one visit may do at the proxy, and what became of it there."""

    username: str
    password: str
    limits: RequestLimits
    allowance: int
    """Bytes it may move, both ways together."""
    bounds: RequestBounds
    """Of its connections, among them what no other bound sees: WebSockets."""
    proxy: ProxyAddress | None = None
    """Through which all of it goes; None for straight to where it leads."""
    moved: int = 0
    is_open: bool = True
    peers: dict[Place, str] = field(default_factory=dict)
    """The address behind each place that was reached."""
    refused: dict[Place, Forbidden] = field(default_factory=dict)
    faults: dict[Place, tuple[Fault, str]] = field(default_factory=dict)
    lost: dict[Place, Failure] = field(default_factory=dict)
    """Where the proxy was in the way."""
    connections: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def is_spent(self) -> bool:
        return self.moved > self.allowance

    def spend(self, count: int) -> None:
        self.moved += count
        if self.is_spent:
            self.hang_up()

    def hang_up(self) -> None:
        """End every connection and allow no more."""
        self.is_open = False
        for task in self.connections:
            task.cancel()


class GuardProxy:
    """The proxy; open between `open` and `close`."""

    def __init__(self, judge: Judge, resolver: Resolver | None = None, roots: str = "") -> None:
        self._judge = judge
        self._roots = roots or trusted_roots()
        self._names = CachedNames(resolver)
        self._server: asyncio.Server | None = None
        self._permits: dict[str, Permit] = {}
        self._serving: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=HEAD_BYTES)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self._names.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)
        if self._server is not None:
            await self._server.wait_closed()

    def admit(
        self,
        limits: RequestLimits,
        allowance: int,
        bounds: RequestBounds,
        proxy: ProxyAddress | None = None,
    ) -> Permit:
        permit = Permit(
            secrets.token_hex(8), secrets.token_hex(16), limits, allowance, bounds, proxy
        )
        self._permits[_basic(permit)] = permit
        return permit

    async def dismiss(self, permit: Permit) -> None:
        """Nothing of the visit remains: no connection, no credentials."""
        self._permits.pop(_basic(permit), None)
        permit.hang_up()
        await asyncio.gather(*permit.connections, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        client = _ProxyLine(reader, writer)
        try:
            await self._serve(client, task)
        except (OSError, EOFError, Malformed):
            client.reset()
        except asyncio.CancelledError:
            client.reset()  # hung up on; nobody waits for this task but us
        finally:
            self._serving.discard(task)
            client.close()

    async def _serve(self, client: _ProxyLine, task: asyncio.Task[None]) -> None:
        try:
            async with asyncio.timeout(_HEAD_SECONDS):
                ask = read_ask(await client.reader.readuntil(b"\r\n\r\n"))
        except asyncio.LimitOverrunError as error:
            raise Malformed(f"a request head over {HEAD_BYTES} bytes") from error
        permit = self._permits.get(ask.credentials)
        if permit is None:
            client.say("407 Proxy Authentication Required", 'Proxy-Authenticate: Basic realm="-"')
            return
        if not permit.is_open or len(permit.connections) >= _CONNECTIONS:
            return
        if not permit.bounds.allow(ask.place[0]):
            return
        permit.connections.add(task)
        try:
            await self._carry(permit, ask, client)
        finally:
            permit.connections.discard(task)

    async def _carry(self, permit: Permit, ask: Ask, client: _ProxyLine) -> None:
        # Without a pin an HTTP proxy forwards what is not encrypted (FE-11).
        way = permit.proxy
        forwards = (
            way is not None
            and not ask.is_tunnel
            and not way.pinned
            and way.scheme is not ProxyScheme.SOCKS5
        )
        server = await self._connect(permit, ask.place, forwards=forwards)
        if server is None:
            if ask.is_tunnel:
                client.say("502 Not connected")
            return
        try:
            if ask.is_tunnel:
                client.writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
                await _first(_pump(permit, client, server), _pump(permit, server, client))
            else:
                server.writer.write(ask.forwarded(way if forwards else None))
                await _first(_upload(permit, ask, client, server),
                             _download(permit, ask.place, server, client))  # fmt: skip
        finally:
            server.close()

    async def _connect(
        self, permit: Permit, place: Place, *, forwards: bool = False
    ) -> _ProxyLine | None:
        """A socket to an address that was judged; None, with the reason noted, if there is none."""
        host, port = place
        try:
            found = await self._allowed(permit, host)
            if isinstance(found, Forbidden):
                permit.refused[place] = found
            elif isinstance(found, Unknown):
                permit.faults[place] = found
            else:
                server = await (
                    self._reach(permit, place, found)
                    if permit.proxy is None
                    else self._detour(permit, permit.proxy, place, found, forwards)
                )
                permit.faults.pop(place, None)
                return server
        except NoWay as error:
            permit.lost[place] = error.failure
        except TimeoutError:
            what = f"{host}:{port}: no connection within {permit.limits.connect:g} s"
            permit.faults[place] = (Fault.CONNECT_TIMEOUT, what)
        except OSError as error:
            is_ours = error.errno in _OUT_OF_SOCKETS
            fault = Fault.INTERNAL if is_ours else Fault.CONNECT_REFUSED
            permit.faults[place] = (fault, f"{host}:{port}: {error.strerror or error}")
        except Exception as error:  # a broken judge or resolver: never connect
            permit.faults[place] = (Fault.INTERNAL, f"{host}:{port} not judged: {error!r}")
        return None

    async def _allowed(self, permit: Permit, host: str) -> Sequence[str] | Forbidden | Unknown:
        found = await self._names.look_up(host, permit.limits.connect)
        if isinstance(found, Unknown):
            return found
        judged = [(address, self._judge(address)) for address in found]
        allowed = [address for address, why in judged if why is None]
        if permit.proxy is not None and len(allowed) < len(judged):
            allowed = []  # which of them a proxy takes may be out of our hands
        address, why = next((each for each in judged if each[1] is not None), judged[0])
        return allowed or Forbidden(address, why or "")

    async def _detour(
        self,
        permit: Permit,
        proxy: ProxyAddress,
        place: Place,
        addresses: Sequence[str],
        forwards: bool,
    ) -> _ProxyLine:
        host, port = place
        if proxy.pinned:
            # Proxies without IPv6 are common, and they cannot try both as we could.
            host = next((each for each in addresses if ":" not in each), addresses[0])
        streams = await through(
            proxy,
            (host, port),
            self._names,
            self._judge,
            self._roots,
            permit.limits.connect,
            forwards=forwards,
        )
        permit.lost.pop(place, None)
        permit.peers[place] = host if proxy.pinned else ""
        return _ProxyLine(*streams)

    async def _reach(self, permit: Permit, place: Place, addresses: Sequence[str]) -> _ProxyLine:
        """The first address that answers. One that did before goes first: a silent one costs."""
        known = permit.peers.get(place)
        ordered = sorted(addresses, key=lambda address: address != known)
        trouble: OSError = TimeoutError()
        for address in ordered:
            try:
                async with asyncio.timeout(permit.limits.connect / len(ordered)):
                    streams = await asyncio.open_connection(address, place[1], limit=HEAD_BYTES)
            except OSError as error:
                trouble = error
                continue
            permit.peers[place] = address
            return _ProxyLine(*streams)
        raise trouble


class _ProxyLine:
    """One end of a connection."""

    __slots__ = ("reader", "writer")

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def say(self, status: str, *fields: str) -> None:
        lines = (f"HTTP/1.1 {status}", *fields, "Connection: close", "Content-Length: 0", "", "")
        self.writer.write("\r\n".join(lines).encode("latin-1"))

    def reset(self) -> None:
        self.writer.transport.abort()

    def close(self) -> None:
        self.writer.close()


async def _first(*ways: Awaitable[None]) -> None:
    """Run both directions until one of them ends; what it ran into is raised."""
    tasks = [asyncio.ensure_future(way) for way in ways]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _pump(permit: Permit, source: _ProxyLine, sink: _ProxyLine) -> None:
    while chunk := await source.reader.read(_CHUNK):
        permit.spend(len(chunk))
        sink.writer.write(chunk)
        await sink.writer.drain()


async def _upload(permit: Permit, ask: Ask, client: _ProxyLine, server: _ProxyLine) -> None:
    """The request's body; then wait for the browser to leave.

    One exchange per connection: anything more that came would be meant for another place.
    """
    left = ask.body_bytes
    while left and (chunk := await client.reader.read(min(left, _CHUNK))):
        left -= len(chunk)
        permit.spend(len(chunk))
        server.writer.write(chunk)
        await server.writer.drain()
    while await client.reader.read(_CHUNK):
        pass


async def _download(permit: Permit, place: Place, server: _ProxyLine, client: _ProxyLine) -> None:
    """The answer, its head changed to say that the connection ends with it."""
    head, passed = bytearray(), 0
    most = permit.limits.header_bytes
    while chunk := await server.reader.read(_CHUNK):
        permit.spend(len(chunk))
        head += chunk
        if not head.startswith(b"HTTP/"[: len(head)]):
            break  # whatever it is, the browser will say so
        while (end := end_of_head(head)) and is_interim(head):
            client.writer.write(head[:end])
            passed += end
            del head[:end]
        if passed + (end or len(head)) > most:
            permit.faults[place] = (Fault.PROTOCOL, f"headers over {most} bytes")
            raise Malformed
        if end and permit.proxy is not None and head.split(None, 2)[1:2] == [b"407"]:
            permit.lost[place] = wants_login(permit.proxy)  # no site may ask for that
            raise Malformed
        if end:
            head[:end] = as_last(head[:end])
            break
    client.writer.write(head)
    await client.writer.drain()
    await _pump(permit, server, client)


def _basic(permit: Permit) -> str:
    pair = f"{permit.username}:{permit.password}".encode()
    return f"Basic {base64.b64encode(pair).decode()}"
