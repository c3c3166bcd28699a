"""The fallback HTTP client: BoringSSL's libcurl, for servers that fail the main one's TLS.

Asked only when the main client was cut off, refused in the TLS handshake or not understood
(FE-9): some servers fail one TLS stack and serve another. It says honestly who we are; what
differs is how it speaks, not who it claims to be. Needs the extra `curl`.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Callable
from typing import Any, NamedTuple

from curl_cffi import AsyncCurl, Curl, CurlError, CurlInfo, CurlOpt, ffi, lib
from curl_cffi.curl import CURL_WRITEFUNC_ERROR
from msgspec.structs import replace

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
from tenax.adapters.libcurl.names import CachedNames, Resolver, Unknown
from tenax.adapters.libcurl.roots import trusted_roots
from tenax.adapters.libcurl.through_proxy import (
    Detours,
    FailedTransfer,
    failed,
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
    Response,
    Timing,
)
from tenax.urls.addresses import literal_address

# As the URL parser writes it, and nothing libcurl might read another host from: what is
# pinned has to be what libcurl goes to.
_HREF = re.compile(r"(https?)://([^\s/?#@\\%:\[\]]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?/[!-~]*")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class CurlTransport:
    """Sends requests and keeps connections alive per host; bound to the loop of its first send.

    libcurl looks up no name here: we do, judge the addresses, and pin those that may be used.
    `at_once` is a fence beyond the callers' own: what waits at it spends none of its time.
    """

    name = "curl"

    def __init__(
        self,
        *,
        judge: Judge,
        at_once: int = 64,
        ca_file: str | None = None,
        resolver: Resolver | None = None,
    ) -> None:
        self._judge = judge
        self._slots = asyncio.Semaphore(at_once)
        self._is_closed = False
        self._roots = ca_file or trusted_roots()
        self._names = CachedNames(resolver)
        self._detours = Detours(judge, resolver)
        self._multi: AsyncCurl | None = None
        self._idle: list[Curl] = []
        self._under_way: set[Curl] = set()

    async def send(self, request: Request) -> Response | Failure | Forbidden:
        """One exchange. `request.url` is an href as the URL parser writes it, sent unchanged."""
        if request.method not in ("GET", "HEAD", "POST"):
            raise ValueError(f"method {request.method!r}: the curl transport does not send it")
        try:
            place = _place(request.url)
            lines = header_lines(request.headers)
        except ValueError as error:
            return Failure(Fault.INTERNAL, f"request not sent: {error}")
        async with self._slots:
            if self._is_closed:
                raise asyncio.CancelledError
            started = _now()
            way = await self._find_way(request, place)
            if not isinstance(way, _Way):
                return way
            order = _CurlExchange(request, place, lines, way, _now() - started)
            outcome = await self._exchange(order)
        if request.proxy is None or isinstance(outcome, Forbidden):
            return outcome
        return self._detours.came_back(outcome, request, request.proxy, way.behind_proxy)

    async def close(self) -> None:
        """Cancels what is under way and closes every connection."""
        self._is_closed = True
        self._names.close()
        self._detours.close()
        if self._multi is not None:
            while self._under_way:
                self._multi.remove_handle(self._under_way.pop())
            await self._multi.close()  # type: ignore[no-untyped-call]  # curl_cffi left it out
            self._multi = None
        while self._idle:
            self._idle.pop().close()

    async def _find_way(self, request: Request, place: _UrlPlace) -> _Way | Failure | Forbidden:
        """Where to connect: to the host itself, or to a proxy that is told the host's address."""
        proxy, behind = request.proxy, ""
        if proxy is not None:
            planned = await self._detours.plan(request)
            if not isinstance(planned, tuple):
                return planned
            behind = planned[1]
            place = _UrlPlace(proxy.host, proxy.port, "")
        started = _now()
        found = await self._names.look_up(place.host, request.limits.connect)
        if isinstance(found, Unknown):
            if proxy is not None:
                return failed(proxy, found.detail)
            timing = Timing(total_ms=(_now() - started) * 1000)
            return Failure(found.fault, found.detail[:300], timing=timing)
        try:
            allowed = [address for address in found if self._may_connect(address, proxy)]
        except Exception as error:  # a judge that fails allows nothing
            return Failure(Fault.INTERNAL, f"{found[0]} could not be judged: {error!r}")
        if not allowed:
            return Forbidden(found[0]) if proxy is None else off_limits(proxy, found[0])
        return _Way(place.host, place.port, allowed, behind)

    def _may_connect(self, address: str, proxy: ProxyAddress | None) -> bool:
        if proxy is not None and is_configured(proxy, address, proxy.port):
            return True
        return self._judge(address) is None

    async def _exchange(self, order: _CurlExchange) -> Response | Failure | Forbidden:
        answer = IncomingAnswer(order.request)
        leaving = _Leaving(order.request.may_leave)
        curl = self._idle.pop() if self._idle else Curl()
        slist = _to_slist([])
        try:
            try:
                self._prepare(curl, order, answer)
                slist = self._route(curl, order)
                leaving.watch(curl)
            except CurlError as error:
                return Failure(Fault.INTERNAL, f"request not sent: {_message(error)}")
            began = _now() - order.spent
            outcome = await self._perform(curl, order, answer)
            if leaving.is_repeated and isinstance(outcome, Failure):
                outcome = leaving.lost_with_connection(outcome, began)
        except BaseException:
            curl.close()
            raise
        finally:
            lib.curl_slist_free_all(slist)
        # Now rather than before the next use: an idle handle must not keep a body alive.
        curl.clean_handles_and_buffers()
        curl.reset()
        self._idle.append(curl)
        return WITHHELD if leaving.is_withheld else outcome

    async def _perform(
        self, curl: Curl, order: _CurlExchange, answer: IncomingAnswer
    ) -> Response | Failure | Forbidden:
        if self._multi is None:
            self._multi = AsyncCurl()
        began = _now()
        performed = self._multi.add_handle(curl)
        self._under_way.add(curl)
        error: CurlError | None = None
        try:
            await performed
        except CurlError as raised:
            error = raised
        except asyncio.CancelledError:
            if curl in self._under_way:  # else it was `close` that cancelled it
                self._multi.remove_handle(curl)
            raise
        finally:
            self._under_way.discard(curl)
        # libcurl counts from when it came to begin. What we heard late counts as begun late: a
        # host may be asked too late by that, but never too early.
        late = max(0.0, _now() - began - _number(curl, CurlInfo.TOTAL_TIME))
        measured = _measured(curl, order.spent + late)
        # Pinning has to hold whatever libcurl makes of a name; if ever it does not, nothing
        # of the answer leaves this room.
        if measured.address and not self._may_connect(measured.address, order.request.proxy):
            return Forbidden(measured.address)
        if error is None:
            return answer.complete(measured)
        return _broken_off(curl, order.request, answer, error, measured)

    def _prepare(self, curl: Curl, order: _CurlExchange, answer: IncomingAnswer) -> None:
        def on_line(line: bytes) -> int:
            answer.lines.append(line)
            return len(line)

        def on_body(chunk: bytes) -> int:
            return len(chunk) if answer.take(chunk) else CURL_WRITEFUNC_ERROR

        setopt, limits = curl.setopt, order.request.limits
        setopt(CurlOpt.PROXY, "")  # nor one from the environment
        setopt(CurlOpt.NOSIGNAL, 1)
        setopt(CurlOpt.CAINFO, self._roots)
        setopt(CurlOpt.URL, order.request.url)
        # What was judged is what is sent: left alone, libcurl rewrites a path (%7e to %7E).
        setopt(CurlOpt.REQUEST_TARGET, order.place.target)
        setopt(CurlOpt.HTTPHEADER, order.lines)
        # Looking up is part of connecting (FE-2), so its time is already gone.
        setopt(CurlOpt.CONNECTTIMEOUT_MS, milliseconds(limits.connect - order.spent))
        setopt(CurlOpt.TIMEOUT_MS, milliseconds(limits.total - order.spent))
        setopt(CurlOpt.HEADERFUNCTION, on_line)
        setopt(CurlOpt.WRITEFUNCTION, on_body)
        if order.request.method == "HEAD":
            setopt(CurlOpt.NOBODY, 1)
        elif order.request.method == "POST":
            setopt(CurlOpt.POSTFIELDSIZE, len(order.request.body))
            setopt(CurlOpt.COPYPOSTFIELDS, order.request.body)
        if order.request.fresh:
            setopt(CurlOpt.FRESH_CONNECT, 1)

    def _route(self, curl: Curl, order: _CurlExchange) -> Any:
        """Tell libcurl the way, so that it asks no one for it; what has to be freed afterwards."""
        way, request, slist = order.way, order.request, _to_slist([])
        if literal_address(way.host) is None:
            listed = ",".join(f"[{each}]" if ":" in each else each for each in way.addresses)
            # With "+" the entry is forgotten in time: not before the transfer can be over.
            curl.setopt(CurlOpt.RESOLVE, [f"+{way.host}:{way.port}:{listed}"])
            curl.setopt(CurlOpt.DNS_CACHE_TIMEOUT, int(request.limits.total) + 60)
        if request.proxy is not None:
            for name, value in options(request, request.proxy, way.behind_proxy, self._roots):
                if isinstance(value, list):  # of these curl_cffi knows but some
                    value = slist = _to_slist(value)
                curl.setopt(CurlOpt[name], value)
        return slist


class _Leaving:
    """One request's question whether it may leave; libcurl asks when all else is ready.

    Once: libcurl would repeat by itself, at once, what a kept connection ended under before a
    byte of the answer, and no option keeps it from that.
    """

    def __init__(self, may_leave: Callable[[], bool] | None) -> None:
        self.is_withheld = False
        self.is_repeated = False
        self._left_at = 0.0
        self._may_leave = may_leave
        self._handle = ffi.new_handle(self)  # libcurl knows us by it, and it dies with us

    def watch(self, curl: Curl) -> None:
        # curl_cffi's own `setopt` knows no such callbacks.
        for option, value in (
            (CurlOpt.PREREQFUNCTION, _on_ready),
            (CurlOpt.PREREQDATA, self._handle),
            (CurlOpt.SOCKOPTFUNCTION, _on_socket),
            (CurlOpt.SOCKOPTDATA, self._handle),
        ):
            lib._curl_easy_setopt(curl._curl, option, value)

    def may_connect(self) -> bool:
        """Asked for every socket that is about to be connected."""
        self.is_repeated = self._left_at > 0
        return not self.is_repeated

    def may_leave(self) -> bool:
        """Asked before the request leaves, on a new connection or one that was kept."""
        if not self.may_connect():
            return False
        self.is_withheld = self._may_leave is not None and not self._may_leave()
        if not self.is_withheld:
            self._left_at = _now()
        return not self.is_withheld

    def lost_with_connection(self, failure: Failure, began: float) -> Failure:
        """A second try is the caller's to decide."""
        timing = replace(failure.timing, sent_ms=(self._left_at - began) * 1000, ttfb_ms=0.0)
        return replace(failure, fault=Fault.RESET, detail=KEPT_ENDED, timing=timing, kept=True)


def _may_leave(leaving: Any, _peer: Any, _here: Any, _peer_port: int, _port: int) -> int:
    """0 to go on, 1 to abort, as libcurl's CURLOPT_PREREQFUNCTION has it."""
    return 0 if ffi.from_handle(leaving).may_leave() else 1


def _may_connect(leaving: Any, number: int, _purpose: int) -> int:
    """0 to go on, 1 to abort, as libcurl's CURLOPT_SOCKOPTFUNCTION has it."""
    opened = socket.socket(fileno=number)
    try:
        forget_unsent(opened)
    finally:
        opened.detach()  # it is libcurl's
    return 0 if ffi.from_handle(leaving).may_connect() else 1


_on_ready = ffi.callback("int(void *, char *, char *, int, int)", _may_leave, error=1)
_on_socket = ffi.callback("int(void *, int, int)", _may_connect, error=1)


class _Way(NamedTuple):
    """Whom to connect to, and under which of its addresses."""

    host: str
    port: int
    addresses: list[str]
    behind_proxy: str
    """The address a proxy is asked for; empty without one."""


class _CurlExchange(NamedTuple):
    """One exchange, ready to go."""

    request: Request
    place: _UrlPlace
    lines: list[bytes]
    way: _Way
    spent: float
    """Seconds it took to find the way."""


def _to_slist(lines: list[str]) -> Any:
    slist = ffi.NULL
    for line in lines:
        slist = lib.curl_slist_append(slist, line.encode())
    return slist


class _UrlPlace(NamedTuple):
    """Where a URL leads: what to look up, where to connect, what to ask for there."""

    host: str
    port: int
    target: str


def _place(url: str) -> _UrlPlace:
    parts = _HREF.fullmatch(url)
    if parts is None:
        raise ValueError(f"{url[:80]!r} is not the href of an http or https URL")
    target = url[url.index("/", 8) :].partition("#")[0]
    return _UrlPlace(parts[2], int(parts[3] or _DEFAULT_PORTS[parts[1]]), target)


def _broken_off(
    curl: Curl, request: Request, answer: IncomingAnswer, error: CurlError, measured: Measured
) -> Response | Failure:
    """The transfer ended early: because we wanted it so, or because something failed."""
    code, message = int(error.code), _message(error)
    if request.proxy is not None and not answer.stopped:
        failure = lost(_seen(curl, code, message), request.proxy)
        if failure is not None:
            timed = answer.failure(failure.fault, failure.detail, measured)
            return replace(timed, proxy_alive=failure.proxy_alive)
    if (wanted := answer.given_up(measured)) is not None:
        return wanted
    if code == TIMED_OUT:
        was_sent = _number(curl, CurlInfo.REQUEST_SIZE) > 0
        fault = Fault.READ_TIMEOUT if was_sent else Fault.CONNECT_TIMEOUT
    else:
        fault = fault_of(code, message, int(_number(curl, CurlInfo.OS_ERRNO)))
    return answer.failure(fault, message, measured)


def _seen(curl: Curl, code: int, message: str) -> FailedTransfer:
    return FailedTransfer(
        code,
        message,
        int(_number(curl, CurlInfo.HTTP_CONNECTCODE)),
        int(_number(curl, CurlInfo.PROXY_ERROR)),
        _number(curl, CurlInfo.NUM_CONNECTS) > 0,
        _number(curl, CurlInfo.REQUEST_SIZE) > 0,
    )


def _message(error: CurlError) -> str:
    """What libcurl said, without what curl_cffi wraps around it."""
    text = str(error).partition(f"curl: ({int(error.code)}) ")[2] or str(error)
    return text.partition(". See https://curl.se")[0] or f"libcurl error {int(error.code)}"


def _measured(curl: Curl, spent: float) -> Measured:
    peer: Any = curl.getinfo(CurlInfo.PRIMARY_IP)
    return Measured(
        spent + _number(curl, CurlInfo.PRETRANSFER_TIME),
        spent + _number(curl, CurlInfo.STARTTRANSFER_TIME),
        spent + _number(curl, CurlInfo.TOTAL_TIME),
        peer.decode("ascii"),
    )


def _number(curl: Curl, info: CurlInfo) -> float:
    value: Any = curl.getinfo(info)
    return float(value)


def _now() -> float:
    return asyncio.get_running_loop().time()
