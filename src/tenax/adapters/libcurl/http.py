"""The main HTTP client: libcurl on the event loop, with keep-alive; every failure is a value.

Everything a server can do ends as a value: an answer, a fault, or an address we may not
connect to. Redirects, cookies, retries and pace belong to the callers.
"""

from __future__ import annotations

import socket
from time import perf_counter
from typing import Any

import pycurl
from msgspec.structs import replace

from tenax.adapters.libcurl.connections import (
    SENT_AGAIN,
    Ends,
    Idle,
    Sentinel,
    came_by,
    sending,
    with_ends,
)
from tenax.adapters.libcurl.exchange import (
    KEPT_ENDED,
    TIMED_OUT,
    IncomingAnswer,
    Judge,
    Measured,
    fault_of,
    forget_unsent,
    header_lines,
    milliseconds,
)
from tenax.adapters.libcurl.multi import open_multi
from tenax.adapters.libcurl.names import Resolver
from tenax.adapters.libcurl.roots import trusted_roots
from tenax.adapters.libcurl.through_proxy import (
    Detours,
    FailedTransfer,
    is_configured,
    lost,
    off_limits,
    options,
)
from tenax.model import (
    WITHHELD,
    Failure,
    Fault,
    Forbidden,
    ProxyAddress,
    Request,
    RequestLimits,
    Response,
)

_REFUSE: int = pycurl.SOCKET_BAD
_GO_ON: int = pycurl.PREREQFUNC_OK
_ABORT: int = pycurl.PREREQFUNC_ABORT
_GRACE = 1.0
"""Seconds after which libcurl should have ended by itself what is overdue."""
_OPTIONS = {
    name: getattr(pycurl, name)
    for name in (
        "PROXY", "NOPROXY", "PROXYUSERNAME", "PROXYPASSWORD", "PROXY_CAINFO", "HTTPPROXYTUNNEL",
        "CONNECT_TO", "REQUEST_TARGET",
    )
} | {"SUPPRESS_CONNECT_HEADERS": 265}  # fmt: skip
"""How pycurl calls what a detour sets; the last it has no name for."""

# The same for every request. What libcurl leaves off unless told stays off and is held by
# tests: redirects, .netrc, cookies, HSTS, Alt-Svc. Each option costs half a microsecond.
_FIXED_OPTIONS: tuple[tuple[int, Any], ...] = (
    (pycurl.PROXY, ""),  # nor one from the environment
    (pycurl.NOSIGNAL, 1),
    (pycurl.TCP_KEEPALIVE, 1),
    # A page in one or two reads rather than one per 16 KB: a quarter of the exchange's time.
    (pycurl.BUFFERSIZE, 262_144),
    (pycurl.DNS_CACHE_TIMEOUT, 300),
)


class HttpTransport:
    """Sends requests and keeps connections alive per host; bound to the loop of its first send.

    The caps are a fence beyond the callers' own: what waits at it spends its own timeouts.
    """

    name = "http"

    def __init__(
        self,
        *,
        judge: Judge,
        connections_per_host: int = 64,
        max_connections: int = 512,
        ca_file: str | None = None,
        resolver: Resolver | None = None,
    ) -> None:
        self._judge = judge
        self._detours = Detours(judge, resolver)
        self._roots = ca_file or trusted_roots()
        self._idle: list[_CurlHandle] = []
        self._kept = Idle(2 * max_connections)
        self._sentinel = Sentinel()
        self._multi = open_multi()
        self._multi.setopt(pycurl.M_MAX_HOST_CONNECTIONS, connections_per_host)
        self._multi.setopt(pycurl.M_MAX_TOTAL_CONNECTIONS, max_connections)
        self._multi.setopt(pycurl.M_MAXCONNECTS, max_connections)

    async def send(self, request: Request) -> Response | Failure | Forbidden:
        """One exchange. `request.url` is an href as the URL parser writes it, sent unchanged."""
        if request.method not in ("GET", "HEAD", "POST"):
            raise ValueError(f"method {request.method!r}: the http transport does not send it")
        began, address = perf_counter(), ""
        if request.proxy is not None:
            planned = await self._detours.plan(request)
            if not isinstance(planned, tuple):
                return planned
            request, address = planned
        line = self._idle.pop() if self._idle else _CurlHandle()
        try:
            outcome = await self._exchange(line, request, address, began)
        except BaseException:
            line.close()
            raise
        # Now rather than before the next use: an idle line must not keep a body alive.
        line.hang_up()
        if not isinstance(outcome, Response) or request.method != "GET" or request.proxy:
            line.clear()
        self._idle.append(line)
        return outcome

    async def close(self) -> None:
        """Cancels what is under way and closes every connection.

        Waits for name look-ups under way, seconds if a resolver is silent: libcurl joins its
        threads, and pycurl cannot tell it not to.
        """
        self._detours.close()
        await self._multi.aclose()
        self._sentinel.close()
        while self._idle:
            self._idle.pop().close()

    async def _exchange(
        self,
        line: _CurlHandle,
        request: Request,
        address: str,
        began: float,
        *,
        afresh: bool = False,
    ) -> Response | Failure | Forbidden:
        answer = _answer(request, self._judge, self._kept, self._sentinel)
        answer.began = began
        curl = line.curl
        afresh = afresh or request.fresh
        try:
            line.prepare(request, answer, self._roots)
            if afresh:
                curl.setopt(pycurl.FRESH_CONNECT, 1)
            if request.proxy is not None:
                self._route(curl, request, request.proxy, address)
        except (pycurl.error, ValueError) as error:
            return Failure(Fault.INTERNAL, f"request not sent: {error}")
        try:
            trouble = await self._multi.perform(curl)
            if trouble is None:
                outcome: Response | Failure | Forbidden = answer.complete(answer.measured(curl))
                answer.keep()
            elif answer.is_withheld:
                return WITHHELD
            elif answer.is_spoiled and not afresh:
                line.clear()
                return await self._exchange(line, request, address, began, afresh=True)
            elif answer.is_repeated:
                outcome = answer.lost_with_connection(curl)
            else:
                outcome = answer.broken_off(curl, *trouble)
        finally:
            answer.leave()
            if afresh:
                curl.setopt(pycurl.FRESH_CONNECT, 0)
        if request.proxy is None or isinstance(outcome, Forbidden):
            return outcome
        return self._detours.came_back(outcome, request, request.proxy, address)

    def _route(
        self, curl: pycurl.Curl, request: Request, proxy: ProxyAddress, address: str
    ) -> None:
        for name, value in options(request, proxy, address, self._roots):
            curl.setopt(_OPTIONS[name], value)


class _CurlHandle:
    """A handle of libcurl's. What requests have in common stays set on it from one to the next."""

    __slots__ = ("_answer", "_headers", "_limits", "_lines", "curl")

    def __init__(self) -> None:
        self.curl = pycurl.Curl()
        self._answer: _Answer | None = None
        self._lines: list[bytes] = []
        self.clear()

    def clear(self) -> None:
        """Forget every option of the last request."""
        self.curl.reset()
        self._headers: tuple[tuple[str, str], ...] | None = None
        self._limits: RequestLimits | None = None
        setopt = self.curl.setopt
        for option, value in _FIXED_OPTIONS:
            setopt(option, value)
        setopt(pycurl.OPENSOCKETFUNCTION, self._on_connect)
        setopt(pycurl.PREREQFUNCTION, self._on_ready)
        # Not a method of ours: a call per line is a tenth of the exchange, and libcurl
        # itself gives up at 300 KB. Our smaller bounds are checked when the lines are read.
        setopt(pycurl.HEADERFUNCTION, self._lines.append)
        setopt(pycurl.WRITEFUNCTION, self._on_body)

    def prepare(self, request: Request, answer: _Answer, roots: str) -> None:
        setopt, url = self.curl.setopt, request.url
        if url.startswith("https://"):
            setopt(pycurl.CAINFO, roots)
        elif not url.startswith("http://"):
            raise ValueError(f"{url[:80]} is neither http nor https")
        setopt(pycurl.URL, url)
        # What was judged is what is sent: left alone, libcurl rewrites a path (%7e to %7E).
        setopt(pycurl.REQUEST_TARGET, url[url.index("/", 8) :].partition("#")[0])
        if request.headers is not self._headers:
            setopt(pycurl.HTTPHEADER, header_lines(request.headers))
            self._headers = request.headers
        if request.limits is not self._limits:
            setopt(pycurl.CONNECTTIMEOUT_MS, milliseconds(request.limits.connect))
            setopt(pycurl.TIMEOUT_MS, milliseconds(request.limits.total))
            self._limits = request.limits
        if request.method == "HEAD":
            setopt(pycurl.NOBODY, 1)
        elif request.method == "POST":
            setopt(pycurl.POSTFIELDS, request.body)
        self._lines.clear()
        answer.lines = self._lines
        self._answer = answer

    def hang_up(self) -> None:
        """Let go of the answer; whatever the handle asks from now on is refused."""
        self._answer = None
        self._lines.clear()

    def close(self) -> None:
        self.hang_up()
        self.curl.close()

    def _on_connect(self, purpose: int, address: Any) -> int:
        return _REFUSE if self._answer is None else self._answer.on_connect(purpose, address)

    def _on_ready(self, peer: str, here: str, peer_port: int, port: int) -> int:
        return (
            _ABORT if self._answer is None else self._answer.on_ready((peer, here, peer_port, port))
        )

    def _on_body(self, chunk: bytes) -> int | None:
        return None if self._answer is not None and self._answer.take(chunk) else 0


class _Answer(IncomingAnswer):
    """An answer over connections of ours. The `on_` methods are called by libcurl."""

    __slots__ = (
        "_ends", "_judge", "_kept", "_opened", "_ready", "_refused", "_sentinel", "_watched",
        "began", "is_repeated", "is_spoiled", "is_withheld",
    )  # fmt: skip

    def __init__(self, request: Request, judge: Judge, kept: Idle, sentinel: Sentinel) -> None:
        super().__init__(request)
        self._judge = judge
        self._kept = kept
        self._sentinel = sentinel
        self._refused = ""
        self._opened: list[int] = []
        self._watched: tuple[socket.socket, ...] = ()
        self._ends: Ends | None = None
        self._ready = 0.0
        self.began = 0.0
        """When the exchange was asked for."""
        self.is_spoiled = False
        """Whether the connection had something to say before it was asked."""
        self.is_withheld = False
        """Whether the request might not leave any more."""
        self.is_repeated = False
        """Whether libcurl was about to send it a second time. There is no option against it: it
        does so, at once, when a kept connection ends before a byte of the answer."""

    def on_connect(self, _purpose: int, address: Any) -> int:
        """The only door to the network: asked for each address libcurl is about to connect to."""
        ip = address.addr[0]
        if self._ready:
            self.is_repeated = True
            return _REFUSE
        try:
            if self._is_refused(ip, address.addr[1]):
                self._refused = self._refused or ip
                return _REFUSE
            opened = socket.socket(address.family, address.socktype, address.protocol)
            forget_unsent(opened)
        except Exception as error:  # a broken judge, or no descriptors left: never connect
            self.stopped = (Fault.INTERNAL, f"no socket for {ip}: {error!r}")
            return _REFUSE
        self._opened.append(opened.fileno())
        if self._request.url.startswith("https:"):
            seconds = self._request.limits.connect + _GRACE
            self._watched += (self._sentinel.watch(opened, seconds),)
        self.stopped = None  # trouble with another address of the name is over
        return opened.detach()

    def on_ready(self, ends: Ends) -> int:
        """Asked before the request leaves, on a new connection or one that was kept."""
        if self._ready:
            self.is_repeated = True
            return _ABORT
        self._ready = perf_counter()
        self._ends = ends
        if self._opened:
            for own in self._watched:
                self._sentinel.extend(own, self._request.limits.total + _GRACE)
        elif self._kept.is_spoiled(ends):
            self.is_spoiled = True
            return _ABORT
        # The last thing asked: connecting may have taken as long as our right to ask lasted.
        self.is_withheld = self._request.may_leave is not None and not self._request.may_leave()
        return _ABORT if self.is_withheld else _GO_ON

    def keep(self) -> None:
        """The connection may be used again: watch over it. HTTP/2 has its own order of things."""
        if not self._opened or self._ends is None or not self.lines:
            return
        if self.lines[0].startswith(b"HTTP/1"):
            self._kept.keep(self._ends, self._opened)

    def leave(self) -> None:
        """The exchange is over, one way or another."""
        for own in self._watched:
            self._sentinel.leave(own)

    def measured(self, curl: pycurl.Curl) -> Measured:
        """From the moment we were asked. libcurl counts from when it came to begin, which on a
        busy loop is later: a hundred milliseconds have been seen, and pace depends on them."""
        getinfo = curl.getinfo
        sent = getinfo(pycurl.PRETRANSFER_TIME)
        late = max(0.0, self._ready - self.began - sent)
        first, total = getinfo(pycurl.STARTTRANSFER_TIME), getinfo(pycurl.TOTAL_TIME)
        if first - sent > SENT_AGAIN and (descriptor := self._descriptor()) is not None:
            told, since = sending(descriptor), perf_counter() - self._ready
            if told is not None:
                # The host's delay counts from when the server has seen it.
                sent += came_by(told, since, first - sent)
        return Measured(late + sent, late + first, late + total, getinfo(pycurl.PRIMARY_IP) or "")

    def _descriptor(self) -> int | None:
        """Of the connection that was asked, where it is still ours."""
        if self._ends is None:
            return None
        if self._opened:
            return with_ends(self._ends, self._opened)
        return self._kept.descriptor(self._ends)

    def _is_refused(self, ip: str, _port: int) -> bool:
        return self._judge(ip) is not None

    def broken_off(
        self, curl: pycurl.Curl, code: int, message: str
    ) -> Response | Failure | Forbidden:
        """The transfer ended early: because we wanted it so, or because something failed."""
        measured = self.measured(curl)
        if (wanted := self.given_up(measured)) is not None:
            return wanted
        if self._refused and not self._opened:
            return Forbidden(self._refused)
        message = message or f"libcurl error {code}"
        if code == TIMED_OUT:
            return self.failure(*self._timeout(curl, message), measured)
        fault = fault_of(code, message, curl.getinfo(pycurl.OS_ERRNO))
        return self.failure(fault, message, measured)

    def lost_with_connection(self, curl: pycurl.Curl) -> Failure:
        """The kept connection ended under the request: a second try is the caller's to decide."""
        spent = perf_counter() - self.began
        address = curl.getinfo(pycurl.PRIMARY_IP) or ""
        measured = Measured(self._ready - self.began, 0.0, spent, address)
        return replace(self.failure(Fault.RESET, KEPT_ENDED, measured), kept=True)

    def _timeout(self, curl: pycurl.Curl, message: str) -> tuple[Fault, str]:
        if curl.getinfo(pycurl.REQUEST_SIZE):
            return Fault.READ_TIMEOUT, message
        if message.startswith("Resolving"):
            return Fault.DNS, message
        if self._opened:
            return Fault.CONNECT_TIMEOUT, message
        return Fault.INTERNAL, "no connection of ours came free; raise the transport's caps"


class _ProxiedAnswer(_Answer):
    """An answer through a proxy: the address we connect to is the proxy's, its failures too."""

    __slots__ = ("_proxy",)

    def __init__(
        self, request: Request, proxy: ProxyAddress, judge: Judge, kept: Idle, sentinel: Sentinel
    ) -> None:
        super().__init__(request, judge, kept, sentinel)
        self._proxy = proxy

    def _is_refused(self, ip: str, port: int) -> bool:
        return not is_configured(self._proxy, ip, port) and super()._is_refused(ip, port)

    def broken_off(
        self, curl: pycurl.Curl, code: int, message: str
    ) -> Response | Failure | Forbidden:
        if self._refused and not self._opened:
            return off_limits(self._proxy, self._refused)
        failure = None
        if self._opened or message.startswith("Resolving") or code != TIMED_OUT:
            failure = lost(_seen(curl, code, message), self._proxy)
        if failure is None or self.stopped:
            return super().broken_off(curl, code, message)
        timed = self.failure(failure.fault, failure.detail, self.measured(curl))
        return replace(timed, proxy_alive=failure.proxy_alive)


def _answer(request: Request, judge: Judge, kept: Idle, sentinel: Sentinel) -> _Answer:
    if request.proxy is None:
        return _Answer(request, judge, kept, sentinel)
    return _ProxiedAnswer(request, request.proxy, judge, kept, sentinel)


def _seen(curl: pycurl.Curl, code: int, message: str) -> FailedTransfer:
    getinfo = curl.getinfo
    return FailedTransfer(
        code,
        message or f"libcurl error {code}",
        getinfo(pycurl.HTTP_CONNECTCODE),
        getinfo(pycurl.PROXY_ERROR),
        getinfo(pycurl.CONNECT_TIME) > 0,
        getinfo(pycurl.REQUEST_SIZE) > 0,
    )
