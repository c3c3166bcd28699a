"""What does the web answer to one request? The main client: libcurl on the event loop.

Everything a server can do ends as a value: an answer, a fault, or an address we may not
connect to. Redirects, cookies, retries and pace belong to the callers.
"""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import certifi
import pycurl

from tenax.fetch.content_types import is_text
from tenax.fetch.decode import decode
from tenax.model import Failure, Fault, Forbidden, Headers, Request, Response, Timing

Judge = Callable[[str], str | None]
"""Why an address may not be connected to; None when it may."""

ERROR_BODY_BYTES = 500_000
"""How much of a body is read when the status already tells the story (300 and up)."""
MAX_HEADER_FIELDS = 1000
MAX_INTERIM_ANSWERS = 10

_REFUSE: int = pycurl.SOCKET_BAD
_CUT_SHORT = (Fault.RESET, "the connection closed inside the headers")

# The same for every request. What libcurl leaves off unless told stays off and is held by
# tests: redirects, .netrc, cookies, HSTS, Alt-Svc. Each option costs half a microsecond.
_FIXED_OPTIONS: tuple[tuple[int, Any], ...] = (
    (pycurl.PROXY, ""),  # nor one from the environment
    (pycurl.NOSIGNAL, 1),
    (pycurl.TCP_KEEPALIVE, 1),
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
    ) -> None:
        self._judge = judge
        self._roots = ca_file or trusted_roots()
        self._idle: list[pycurl.Curl] = []
        self._multi = pycurl.AsyncCurlMulti()
        self._multi.setopt(pycurl.M_MAX_HOST_CONNECTIONS, connections_per_host)
        self._multi.setopt(pycurl.M_MAX_TOTAL_CONNECTIONS, max_connections)
        self._multi.setopt(pycurl.M_MAXCONNECTS, max_connections)

    async def send(self, request: Request) -> Response | Failure | Forbidden:
        """One exchange. `request.url` is an href as the URL parser writes it, sent unchanged."""
        if request.method not in ("GET", "HEAD"):
            raise ValueError(f"method {request.method!r}: the http transport sends GET and HEAD")
        curl = self._idle.pop() if self._idle else pycurl.Curl()
        try:
            outcome = await self._exchange(curl, request)
        except BaseException:
            curl.close()
            raise
        # Now rather than before the next use: an idle handle must not keep a body alive.
        curl.reset()
        self._idle.append(curl)
        return outcome

    async def close(self) -> None:
        """Cancels what is under way and closes every connection.

        Waits for name look-ups under way, seconds if a resolver is silent: libcurl joins its
        threads, and pycurl cannot tell it not to.
        """
        await self._multi.aclose()
        while self._idle:
            self._idle.pop().close()

    async def _exchange(
        self, curl: pycurl.Curl, request: Request
    ) -> Response | Failure | Forbidden:
        answer = _Answer(request, self._judge)
        try:
            self._prepare(curl, request, answer)
        except (pycurl.error, ValueError) as error:
            return Failure(Fault.INTERNAL, f"request not sent: {error}")
        try:
            await self._multi.add_handle(curl)
        except pycurl.error as error:
            return answer.broken_off(curl, *error.args)
        return answer.finished(curl)

    def _prepare(self, curl: pycurl.Curl, request: Request, answer: _Answer) -> None:
        setopt, url = curl.setopt, request.url
        for option, value in _FIXED_OPTIONS:
            setopt(option, value)
        if url.startswith("https://"):
            setopt(pycurl.CAINFO, self._roots)
        elif not url.startswith("http://"):
            raise ValueError(f"{url[:80]} is neither http nor https")
        setopt(pycurl.URL, url)
        # What was judged is what is sent: left alone, libcurl rewrites a path (%7e to %7E).
        setopt(pycurl.REQUEST_TARGET, url[url.index("/", 8) :].partition("#")[0])
        setopt(pycurl.HTTPHEADER, _header_lines(request.headers))
        setopt(pycurl.CONNECTTIMEOUT_MS, _milliseconds(request.limits.connect))
        setopt(pycurl.TIMEOUT_MS, _milliseconds(request.limits.total))
        setopt(pycurl.OPENSOCKETFUNCTION, answer.on_connect)
        # Not a method of ours: a call per line is a tenth of the exchange, and libcurl
        # itself gives up at 300 KB. Our smaller bounds are checked when the lines are read.
        setopt(pycurl.HEADERFUNCTION, answer.lines.append)
        setopt(pycurl.WRITEFUNCTION, answer.on_body)
        if request.method == "HEAD":
            setopt(pycurl.NOBODY, 1)


def trusted_roots() -> str:
    """The CA bundle: SSL_CERT_FILE or the system's, certifi's where there is none.

    A file rather than a folder, because libcurl keeps a parsed file between handshakes.
    """
    named = ssl.get_default_verify_paths().cafile
    known = (
        "/etc/ssl/certs/ca-certificates.crt",  # Debian, Alpine, Arch
        "/etc/pki/tls/certs/ca-bundle.crt",  # Fedora, RHEL
        "/etc/ssl/ca-bundle.pem",  # openSUSE
        "/etc/ssl/cert.pem",  # macOS, BSD
    )
    return named or next((path for path in known if Path(path).is_file()), certifi.where())


@lru_cache(maxsize=256)
def _header_lines(headers: tuple[tuple[str, str], ...]) -> list[bytes]:
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


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))  # 0 would mean libcurl's default, or for ever


class _Answer:
    """What has arrived of one answer, and why we stopped listening if we did.

    The `on_` methods are called by libcurl; `on_body` returns 0 to end the transfer.
    """

    __slots__ = (
        "_chunks",
        "_fields",
        "_judge",
        "_limit",
        "_named",
        "_opened",
        "_refused",
        "_request",
        "_status",
        "_stopped",
        "_unread",
        "_wire_bytes",
        "lines",
    )

    def __init__(self, request: Request, judge: Judge) -> None:
        self.lines: list[bytes] = []
        self._request = request
        self._judge = judge
        self._refused = ""
        self._opened = False
        self._status = 0
        self._fields: list[tuple[str, str]] = []
        self._named: dict[str, str] = {}
        self._chunks: list[bytes] = []
        self._wire_bytes = 0
        self._limit = request.limits.body_bytes
        self._unread = False
        self._stopped: tuple[Fault, str] | None = None

    def on_connect(self, _purpose: int, address: Any) -> int:
        """The only door to the network: asked for each address libcurl is about to connect to."""
        ip = address.addr[0]
        try:
            if self._judge(ip) is not None:
                self._refused = self._refused or ip
                return _REFUSE
            opened = socket.socket(address.family, address.socktype, address.protocol)
        except Exception as error:  # a broken judge, or no descriptors left: never connect
            self._stopped = (Fault.INTERNAL, f"no socket for {ip}: {error!r}")
            return _REFUSE
        self._opened = True
        self._stopped = None  # trouble with another address of the name is over
        return opened.detach()

    def on_body(self, chunk: bytes) -> int | None:
        if not self._wire_bytes and not self._wants_body():
            return 0
        self._wire_bytes += len(chunk)
        if self._wire_bytes > self._limit:
            self._over_limit()
            return 0
        self._chunks.append(chunk)
        return None

    def finished(self, curl: pycurl.Curl) -> Response | Failure:
        """libcurl is content; we may still not be."""
        if not self._chunks and not self._read_headers():
            return self._failure(curl, *(self._stopped or _CUT_SHORT))
        body = b"".join(self._chunks)
        if not body or "content-encoding" not in self._named:
            return self._response(curl, body)
        coding = ",".join(Headers(tuple(self._fields)).all("content-encoding"))
        decoded = decode(body, coding, self._request.limits.body_bytes)
        if isinstance(decoded, bytes):
            return self._response(curl, decoded)
        if self._status >= 300:  # the status is worth more than its body
            return self._response(curl, None)
        return self._failure(curl, decoded.fault, decoded.detail)

    def broken_off(
        self, curl: pycurl.Curl, code: int, message: str
    ) -> Response | Failure | Forbidden:
        """The transfer ended early: because we wanted it so, or because something failed."""
        if not self._status:
            self._read_headers()  # they may be what libcurl choked on, and tell it better
        if self._stopped:
            return self._failure(curl, *self._stopped)
        if self._unread:
            return self._response(curl, None)
        if self._refused and not self._opened:
            return Forbidden(self._refused)
        message = message or f"libcurl error {code}"
        if code == pycurl.E_OPERATION_TIMEDOUT:
            return self._failure(curl, *self._timeout(curl, message))
        return self._failure(curl, _fault(curl, code, message), message)

    def _wants_body(self) -> bool:
        """Decide by the headers alone, before any of the body is kept."""
        if not self._read_headers():
            return False
        if self._status >= 300:
            self._limit = min(self._limit, ERROR_BODY_BYTES)
        elif not self._request.any_type and not is_text(self._named.get("content-type")):
            self._unread = True
            return False
        declared = self._named.get("content-length", "")
        if declared.isdecimal() and (len(declared) > 18 or int(declared) > self._limit):
            self._over_limit()
            return False
        return True

    def _read_headers(self) -> bool:
        """Take status and headers of the final answer; False when there is none we accept."""
        if sum(map(len, self.lines)) > self._request.limits.header_bytes:
            return self._stop(f"headers over {self._request.limits.header_bytes} bytes")
        start = 0
        for _ in range(MAX_INTERIM_ANSWERS + 1):
            end = _blank_line(self.lines, start)
            if end is None:
                return False
            status = int(self.lines[start].split(None, 2)[1])
            if status == 101:
                return self._stop("switched protocols without being asked to")
            if status >= 200:
                break
            start = end + 1
        else:
            return self._stop(f"over {MAX_INTERIM_ANSWERS} interim answers")
        if end - start > MAX_HEADER_FIELDS:
            return self._stop(f"over {MAX_HEADER_FIELDS} header fields")
        self._status = status
        self._fields = _fields(self.lines[start + 1 : end])
        # One dictionary here is cheaper than looking three names up in the pairs.
        self._named = {name.lower(): value for name, value in reversed(self._fields)}
        return True

    def _stop(self, detail: str) -> bool:
        self._stopped = (Fault.PROTOCOL, detail)
        return False

    def _over_limit(self) -> None:
        if self._status >= 300:
            self._unread = True
        else:
            self._stopped = (Fault.TOO_LARGE, f"body over {self._limit} bytes on the wire")

    def _response(self, curl: pycurl.Curl, body: bytes | None) -> Response:
        return Response(
            self._request.url,
            self._status,
            Headers(tuple(self._fields)),
            body,
            self._timing(curl),
            _peer(curl),
        )

    def _failure(self, curl: pycurl.Curl, fault: Fault, detail: str) -> Failure:
        return Failure(fault, detail[:300], self._status or None, self._timing(curl), _peer(curl))

    def _timing(self, curl: pycurl.Curl) -> Timing:
        getinfo = curl.getinfo
        return Timing(
            getinfo(pycurl.PRETRANSFER_TIME) * 1000,
            getinfo(pycurl.STARTTRANSFER_TIME) * 1000,
            getinfo(pycurl.TOTAL_TIME) * 1000,
            self._wire_bytes,
        )

    def _timeout(self, curl: pycurl.Curl, message: str) -> tuple[Fault, str]:
        if curl.getinfo(pycurl.REQUEST_SIZE):
            return Fault.READ_TIMEOUT, message
        if message.startswith("Resolving"):
            return Fault.DNS, message
        if self._opened:
            return Fault.CONNECT_TIMEOUT, message
        return Fault.INTERNAL, "no connection of ours came free; raise the transport's caps"


def _blank_line(lines: list[bytes], start: int) -> int | None:
    for blank in (b"\r\n", b"\n"):
        try:
            return lines.index(blank, start)
        except ValueError:
            continue
    return None


def _fields(lines: list[bytes]) -> list[tuple[str, str]]:
    """libcurl has already unfolded continued lines and refused those without a colon."""
    fields = []
    for line in lines:
        name, _, value = line.decode("latin-1").partition(":")
        fields.append((name, value.strip(" \t\r\n")))
    return fields


def _peer(curl: pycurl.Curl) -> str:
    return curl.getinfo(pycurl.PRIMARY_IP) or ""


_HTTP2_STREAM, _HTTP3, _QUIC, _HEADERS_TOO_LARGE = 92, 95, 96, 100  # not named by pycurl
_FAULTS = {
    pycurl.E_UNSUPPORTED_PROTOCOL: Fault.PROTOCOL,  # among them answers without a status line
    pycurl.E_URL_MALFORMAT: Fault.PROTOCOL,
    pycurl.E_COULDNT_RESOLVE_HOST: Fault.DNS,
    pycurl.E_COULDNT_CONNECT: Fault.CONNECT_REFUSED,
    pycurl.E_FTP_WEIRD_SERVER_REPLY: Fault.PROTOCOL,  # the old name of "weird server reply"
    pycurl.E_HTTP2: Fault.PROTOCOL,
    _HTTP2_STREAM: Fault.PROTOCOL,
    _HTTP3: Fault.PROTOCOL,
    _QUIC: Fault.PROTOCOL,
    _HEADERS_TOO_LARGE: Fault.PROTOCOL,
    pycurl.E_BAD_CONTENT_ENCODING: Fault.PROTOCOL,  # a Transfer-Encoding nobody asked for
    pycurl.E_FILESIZE_EXCEEDED: Fault.TOO_LARGE,
    pycurl.E_PARTIAL_FILE: Fault.RESET,
    pycurl.E_GOT_NOTHING: Fault.RESET,
    pycurl.E_SEND_ERROR: Fault.RESET,
    pycurl.E_RECV_ERROR: Fault.RESET,
    pycurl.E_SSL_CONNECT_ERROR: Fault.TLS,
    pycurl.E_SSL_CIPHER: Fault.TLS,
    pycurl.E_PEER_FAILED_VERIFICATION: Fault.TLS,
    pycurl.E_SSL_ISSUER_ERROR: Fault.TLS,
    pycurl.E_SSL_INVALIDCERTSTATUS: Fault.TLS,
    pycurl.E_SSL_CERTPROBLEM: Fault.TLS,
}


def _fault(curl: pycurl.Curl, code: int, message: str) -> Fault:
    """Where one of libcurl's codes stands for two things, its message or errno tells which."""
    if code == pycurl.E_COULDNT_CONNECT and curl.getinfo(pycurl.OS_ERRNO) == errno.ETIMEDOUT:
        return Fault.CONNECT_TIMEOUT
    if code == pycurl.E_RECV_ERROR and "chunk" in message.lower():
        return Fault.PROTOCOL
    if code == pycurl.E_SSL_CONNECT_ERROR and "reset by peer" in message:
        return Fault.RESET
    return _FAULTS.get(code, Fault.INTERNAL)
