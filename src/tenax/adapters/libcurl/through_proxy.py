"""Requests through HTTP and SOCKS proxies: addresses judged first, and whose failure it was.

No client's library is imported here: options and what libcurl tells go by libcurl's own names,
so that both clients take the same way. Until the tunnel stands nothing of the host's was seen,
so whatever fails before is the proxy's fault, or at least not known to be the host's (FE-11).
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec.structs import replace

from tenax.adapters.libcurl.exchange import Judge
from tenax.adapters.libcurl.names import CachedNames, Resolver, Unknown
from tenax.model import Failure, Fault, Forbidden, ProxyAddress, ProxyScheme, Request, Response
from tenax.urls.normalise import hostname_of

# Answers to CONNECT that are about us and the proxy, whichever host was asked for.
_ABOUT_US = frozenset({401, 402, 407, 429})
_SOCKS_REPLIES = range(17, 26)
"""CURLPX_REPLY_…: the proxy did as told, and tells what came of it."""
_COULDNT_RESOLVE_PROXY, _TIMED_OUT, _PROXY_HANDSHAKE = 5, 28, 97
_MOST_MISSES = 10_000
_LEAST_TIME = 0.001


class Detours:
    """Looks up and judges where a proxy will be asked to go, before it is asked (SEC-1)."""

    def __init__(self, judge: Judge, resolver: Resolver | None = None) -> None:
        self._judge = judge
        self._names = CachedNames(resolver)
        self._misses: dict[str, int] = {}

    async def plan(self, request: Request) -> tuple[Request, str] | Failure | Forbidden:
        """The request with the time that is left, and the address to ask the proxy for.

        One address that may not be connected to is enough to refuse: which of them a proxy
        takes is not in our hands once names are left to it.
        """
        host = hostname_of(request.url)
        started = asyncio.get_running_loop().time()
        found = await self._names.look_up(host, request.limits.connect)
        if isinstance(found, Unknown):
            return Failure(found.fault, found.detail[:300])
        for address in found:
            if (why := self._judge(address)) is not None:
                return Forbidden(address, why)
        # Proxies without IPv6 are common, and they cannot try both as we could.
        usable = [each for each in found if ":" not in each] or found
        address = usable[self._misses.get(host, 0) % len(usable)]
        return _in_time(request, asyncio.get_running_loop().time() - started), address

    def missed(self, request: Request) -> None:
        """No way to the address: another one of the host is asked for next time."""
        host = hostname_of(request.url)
        if len(self._misses) >= _MOST_MISSES:
            self._misses.clear()
        self._misses[host] = self._misses.get(host, 0) + 1

    def came_back(
        self, outcome: Response | Failure, request: Request, proxy: ProxyAddress, address: str
    ) -> Response | Failure:
        """What a proxy forwards as a status may be its own; the peer we saw is the proxy."""
        if isinstance(outcome, Response):
            if outcome.status == 407:
                return wants_login(proxy)
        elif outcome.proxy_alive:
            self.missed(request)
        return replace(outcome, address=address if proxy.pinned else "")

    def close(self) -> None:
        self._names.close()


def _in_time(request: Request, spent: float) -> Request:
    limits = request.limits
    left = replace(
        limits,
        connect=max(limits.connect - spent, _LEAST_TIME),
        total=max(limits.total - spent, _LEAST_TIME),
    )
    return replace(request, limits=left)


def options(
    request: Request, proxy: ProxyAddress, address: str, roots: str
) -> Iterator[tuple[str, Any]]:
    """The options, by name, that send a request through a proxy to the address that was judged.

    Without a pin the proxy resolves the name itself, and forwards http without a tunnel.
    """
    scheme = proxy.scheme.value
    if proxy.scheme is ProxyScheme.SOCKS5 and not proxy.pinned:
        scheme = "socks5h"
    yield "PROXY", f"{scheme}://{_bracketed(proxy.host)}:{proxy.port}"
    yield "NOPROXY", ""  # or the environment could send it directly
    if proxy.username or proxy.password:
        yield "PROXYUSERNAME", proxy.username.encode()
        yield "PROXYPASSWORD", proxy.password.encode()
    if proxy.scheme is ProxyScheme.HTTPS:
        yield "PROXY_CAINFO", roots
    yield "SUPPRESS_CONNECT_HEADERS", 1
    if proxy.pinned:
        yield "HTTPPROXYTUNNEL", 1
        # Only where we connect changes: Host, SNI and certificate are those of the URL.
        yield "CONNECT_TO", [f"::{_bracketed(address)}:"]
    elif request.url.startswith("http://") and proxy.scheme is not ProxyScheme.SOCKS5:
        yield "REQUEST_TARGET", request.url.partition("#")[0]


def is_configured(proxy: ProxyAddress, ip: str, port: int) -> bool:
    """Whether this is the very address and port the user named: that is permission (SEC-1)."""
    try:
        return port == proxy.port and ipaddress.ip_address(ip) == ipaddress.ip_address(proxy.host)
    except ValueError:
        return False


class FailedTransfer(NamedTuple):
    """What libcurl knows of a transfer that failed."""

    code: int
    message: str
    connect_status: int
    """Of the proxy's answer to CONNECT; 0 when there was none."""
    socks_error: int
    connected: bool
    """Whether the proxy took the connection."""
    sent: bool
    """Whether the request itself was on its way: then the proxy had let us through."""


def lost(seen: FailedTransfer, proxy: ProxyAddress) -> Failure | None:
    """The failure of a proxy; None when the way through it was open."""
    tunnels = proxy.scheme is not ProxyScheme.SOCKS5
    if seen.connect_status and not 200 <= seen.connect_status < 300:
        is_alive = seen.connect_status not in _ABOUT_US
        return failed(proxy, _refusal(seen.connect_status), is_alive=is_alive)
    if seen.sent:
        return None
    if seen.code == _PROXY_HANDSHAKE:
        return failed(proxy, seen.message, is_alive=seen.socks_error in _SOCKS_REPLIES)
    if seen.code == _COULDNT_RESOLVE_PROXY or not seen.connected:
        return failed(proxy, seen.message)
    if tunnels and seen.connect_status:
        return None
    if seen.code == _TIMED_OUT:
        # A host that swallows packets looks the same from here as a proxy that sleeps.
        return failed(proxy, f"did not answer: {seen.message}", is_alive=True)
    return failed(proxy, seen.message) if tunnels else None


def wants_login(proxy: ProxyAddress) -> Failure:
    """407 by a proxy that forwards; no site may ask for that."""
    return failed(proxy, _refusal(407))


def off_limits(proxy: ProxyAddress, address: str) -> Failure:
    advice = "Add the proxy by that address, or name the address in allow_private."
    return failed(proxy, f"{address} may not be connected to. {advice}")


def failed(proxy: ProxyAddress, what: str, *, is_alive: bool = False) -> Failure:
    return Failure(Fault.PROXY, scrubbed(f"{proxy}: {what}", proxy)[:300], proxy_alive=is_alive)


def scrubbed(text: str, proxy: ProxyAddress) -> str:
    """Without the proxy's secrets, should a library ever repeat them (SEC-3)."""
    for secret in (proxy.password, proxy.username):
        if len(secret) > 2:
            text = text.replace(secret, "********")
    return text


def _refusal(status: int) -> str:
    if status == 407:
        return "wants a user and password, or others than these (407)"
    return f"answered {status} when asked for the way"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
