"""The guard's way through a proxy of the pool: connect to it, log in, ask for the judged address.

As with the other clients: names are looked up and every address judged before the proxy is asked,
it is asked for that very address (pinned), and what fails before the way is open is its fault, or
at least not known to be the host's (FE-11, SEC-1).
"""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import ssl
from collections.abc import Callable

from tenax.adapters.libcurl.names import CachedNames, Unknown
from tenax.adapters.libcurl.through_proxy import FailedTransfer, failed, lost, off_limits
from tenax.model import Failure, ProxyAddress, ProxyScheme

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
_HEAD_BYTES = 65_536
_RECEIVE_ERROR, _HANDSHAKE = 56, 97
_SOCKS_GRANTED = 0
_SOCKS_REPLIED = 25
"""How libcurl names a SOCKS5 reply that it knows nothing of: the proxy did as told."""


class NoWay(Exception):
    """The proxy led nowhere: what it did, as others are told of it."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.detail)
        self.failure = failure


async def through(
    proxy: ProxyAddress,
    place: tuple[str, int],
    names: CachedNames,
    judge: Callable[[str], str | None],
    roots: str,
    patience: float,
    *,
    forwards: bool = False,
) -> Streams:
    """A connection to the place by way of the proxy; to the proxy alone where it `forwards`
    requests in plain http. Raises NoWay."""
    streams: Streams | None = None
    try:
        async with asyncio.timeout(patience):
            streams = await _connect(proxy, names, judge, roots, patience)
            if proxy.scheme is ProxyScheme.SOCKS5:
                await _ask_socks(proxy, place, streams)
            elif not forwards:
                await _ask_http(proxy, place, streams)
            return streams
    except BaseException as error:
        if streams is not None:
            streams[1].close()
        if isinstance(error, TimeoutError):
            # A host that swallows packets looks the same from here as a proxy that sleeps.
            is_alive = streams is not None
            what = "did not answer" if is_alive else "could not be connected to"
            raise NoWay(failed(proxy, f"{what} within {patience:g} s", is_alive=is_alive)) from None
        if isinstance(error, OSError | EOFError | asyncio.LimitOverrunError):
            raise NoWay(failed(proxy, str(error) or type(error).__name__)) from error
        raise


def login(proxy: ProxyAddress) -> str:
    """The value of Proxy-Authorization; empty without a login."""
    if not proxy.username and not proxy.password:
        return ""
    pair = f"{proxy.username}:{proxy.password}".encode()
    return f"Basic {base64.b64encode(pair).decode()}"


async def _connect(
    proxy: ProxyAddress,
    names: CachedNames,
    judge: Callable[[str], str | None],
    roots: str,
    patience: float,
) -> Streams:
    """One that was added by its address is allowed there; a name has to lead to where we may."""
    addresses = [proxy.host]
    if not _is_address(proxy.host):
        found = await names.look_up(proxy.host, patience)
        if isinstance(found, Unknown):
            raise NoWay(failed(proxy, found.detail))
        for address in found:
            if judge(address) is not None:
                raise NoWay(off_limits(proxy, address))
        addresses = list(found)
    tls: dict[str, object] = {}
    if proxy.scheme is ProxyScheme.HTTPS:
        context = ssl.create_default_context(cafile=roots)
        tls = {"ssl": context, "server_hostname": proxy.host}
    trouble: OSError = TimeoutError()
    for address in addresses:
        try:
            return await asyncio.open_connection(
                address,
                proxy.port,
                limit=_HEAD_BYTES,
                **tls,  # type: ignore[arg-type]  # the same two for all
            )
        except OSError as error:
            trouble = error
    raise trouble


async def _ask_http(proxy: ProxyAddress, place: tuple[str, int], streams: Streams) -> None:
    reader, writer = streams
    host, port = place
    target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
    if known := login(proxy):
        lines.append(f"Proxy-Authorization: {known}")
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
    head = await reader.readuntil(b"\r\n\r\n")
    words = head.split(None, 2)
    status = int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
    if not head.startswith(b"HTTP/") or not 200 <= status < 300:
        raise NoWay(_lost(proxy, "it does not speak HTTP", status=status))


async def _ask_socks(proxy: ProxyAddress, place: tuple[str, int], streams: Streams) -> None:
    """RFC 1928, and RFC 1929 for the login."""
    reader, writer = streams
    has_login = bool(proxy.username or proxy.password)
    writer.write(b"\x05\x02\x00\x02" if has_login else b"\x05\x01\x00")
    version, method = await reader.readexactly(2)
    if version != 5 or method not in ((0, 2) if has_login else (0,)):
        raise NoWay(_lost(proxy, "no way of logging in that both of us know"))
    if method == 2:
        user, password = proxy.username.encode()[:255], proxy.password.encode()[:255]
        writer.write(b"\x01%c%b%c%b" % (len(user), user, len(password), password))
        if (await reader.readexactly(2))[1] != 0:
            raise NoWay(_lost(proxy, "wants another user and password"))
    writer.write(b"\x05\x01\x00" + _socks_address(place[0]) + place[1].to_bytes(2, "big"))
    _, reply, _, kind = await reader.readexactly(4)
    if reply != _SOCKS_GRANTED:
        raise NoWay(_lost(proxy, f"answered {reply} when asked for the way", socks=reply))
    size = {1: 4, 4: 16}.get(kind) or (await reader.readexactly(1))[0]
    await reader.readexactly(size + 2)


def _socks_address(host: str) -> bytes:
    if not _is_address(host):
        name = host.encode("idna")
        return b"\x03%c%b" % (len(name), name)
    packed = ipaddress.ip_address(host).packed
    return (b"\x01" if len(packed) == 4 else b"\x04") + packed


def _lost(proxy: ProxyAddress, what: str, *, status: int = 0, socks: int = 0) -> Failure:
    """Told as of the other clients, by the same rules."""
    is_socks = proxy.scheme is ProxyScheme.SOCKS5
    code = _HANDSHAKE if is_socks else _RECEIVE_ERROR
    told = _SOCKS_REPLIED if socks else 0
    seen = FailedTransfer(code, what, status, told, connected=True, sent=False)
    return lost(seen, proxy) or failed(proxy, what)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
