"""What every transport promises: one exchange, whatever the server does, ends as a value.

FE-2 (limits), FE-6 (faults), FE-12 (timings), SEC-1 (addresses), SEC-2 (hostile servers),
SEC-3 (TLS). Run against each transport in TRANSPORTS.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import os
import resource
import socket
import time
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

import brotli
import pytest
import uvloop
import zstandard

from tenax.adapters.libcurl.exchange import ERROR_BODY_BYTES
from tenax.adapters.libcurl.http import HttpTransport
from tenax.adapters.libcurl.second_client import CurlTransport
from tenax.fetch.decode import ACCEPT_ENCODING
from tenax.model import Failure, Fault, Forbidden, Request, RequestLimits, Response
from tenax.ports import Transport
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
    self_signed,
)

TRANSPORTS: dict[str, Callable[..., Transport]] = {"http": HttpTransport, "curl": CurlTransport}
HASTE = RequestLimits(connect=0.4, total=0.4)
SMALL = RequestLimits(connect=60.0, total=60.0, body_bytes=100_000)


class Opener(Protocol):
    def __call__(
        self, *, judge: Callable[[str], str | None] = ..., ca_file: str | None = ...
    ) -> Transport: ...


def anyone(_address: str) -> None:
    return None


@pytest.fixture(params=TRANSPORTS)
async def open_transport(request: pytest.FixtureRequest) -> AsyncIterator[Opener]:
    opened: list[Transport] = []

    def opener(
        *, judge: Callable[[str], str | None] = anyone, ca_file: str | None = None
    ) -> Transport:
        opened.append(TRANSPORTS[request.param](judge=judge, ca_file=ca_file))
        return opened[-1]

    yield opener
    for transport in opened:
        await transport.close()


@pytest.fixture
def transport(open_transport: Opener) -> Transport:
    return open_transport()


async def ask(
    transport: Transport, script: Script, limits: RequestLimits = SMALL, method: str = "GET"
) -> Response | Failure | Forbidden:
    async with Server({"/": script}) as server:
        return await transport.send(Request(server.url(), method, limits=limits))


async def response_to(
    transport: Transport, script: Script, limits: RequestLimits = SMALL, method: str = "GET"
) -> Response:
    result = await ask(transport, script, limits, method)
    assert isinstance(result, Response), result
    return result


async def fault_of(
    transport: Transport, script: Script, limits: RequestLimits = SMALL, method: str = "GET"
) -> Fault:
    result = await ask(transport, script, limits, method)
    assert isinstance(result, Failure), result
    assert result.detail
    return result.fault


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@asynccontextmanager
async def listening(greeting: bytes) -> AsyncIterator[int]:
    """A port that greets at once, without being asked, and then says nothing more."""

    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        greeted.append(writer)
        writer.write(greeting)

    greeted: list[asyncio.StreamWriter] = []
    async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]
        for writer in greeted:
            writer.close()


# -- An ordinary answer


async def test_an_answer_carries_what_the_server_said(transport: Transport) -> None:
    async with Server({"/": answer(b"hello", headers={"X-Twice": "a", "x-twice": "b"})}) as server:
        result = await transport.send(Request(server.url()))
    assert isinstance(result, Response)
    assert (result.url, result.status, result.body) == (server.url(), 200, b"hello")
    assert result.headers.all("X-TWICE") == ["a", "b"]
    assert result.content_type == "text/html"
    assert result.address == "127.0.0.1"


async def test_a_post_carries_its_body_and_the_next_request_none_of_it(
    transport: Transport,
) -> None:
    heard: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r")[0]
        heard.append(head.partition(b" ")[0] + b" " + await reader.readexactly(int(length or 0)))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        for request in (Request(url, "POST", body=b"a=\x00&b=1", fresh=True), Request(url)):
            assert isinstance(await transport.send(request), Response)
    assert heard == [b"POST a=\x00&b=1", b"GET "]


async def test_an_answer_says_how_long_it_took_and_what_it_moved(transport: Transport) -> None:
    timing = (await response_to(transport, answer(b"x" * 50_000))).timing
    assert timing.wire_bytes == 50_000
    assert 0 < timing.ttfb_ms <= timing.total_ms
    assert 0 < timing.sent_ms <= timing.total_ms


async def test_headers_are_decoded_as_latin_1_and_trimmed(transport: Transport) -> None:
    script = raw(OK + b"X-Odd:  caf\xe9 \t\r\nX-Empty:\r\nContent-Length: 0\r\n\r\n")
    headers = (await response_to(transport, script)).headers
    assert headers.get("x-odd") == "café"
    assert headers.get("x-empty") == ""


async def test_a_header_in_utf_8_keeps_every_byte(transport: Transport) -> None:
    """The last byte of "à" is a space in latin-1, and half a letter all the same."""
    script = raw(OK + "Location: /voilà\r\nContent-Length: 0\r\n\r\n".encode())
    location = (await response_to(transport, script)).headers.get("location")
    assert location is not None
    assert location.encode("latin-1").decode() == "/voilà"


async def test_a_folded_header_is_one_header(transport: Transport) -> None:
    script = raw(OK + b"X-Long: one\r\n\ttwo\r\nContent-Length: 0\r\n\r\n")
    assert (await response_to(transport, script)).headers.get("x-long") == "one two"


async def test_bare_line_feeds_are_understood(transport: Transport) -> None:
    result = await response_to(transport, raw(b"HTTP/1.1 200 OK\nX-A: b\n\nhello"))
    assert (result.headers.get("x-a"), result.body) == ("b", b"hello")


async def test_only_the_final_answer_counts(transport: Transport) -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    result = await response_to(transport, raw(early * 2 + OK + b"Content-Length: 2\r\n\r\nhi"))
    assert (result.status, result.body) == (200, b"hi")
    assert result.headers.get("link") is None


async def test_trailers_do_not_become_headers(transport: Transport) -> None:
    body = chunked(b"abc", end=b"0\r\nContent-Type: image/png\r\nX-Late: 1\r\n\r\n")
    result = await response_to(transport, raw(OK + b"Transfer-Encoding: chunked\r\n\r\n" + body))
    assert (result.content_type, result.body) == ("text/html", b"abc")
    assert result.headers.get("x-late") is None


async def test_a_body_ended_by_the_connection_is_complete(transport: Transport) -> None:
    assert (await response_to(transport, raw(OK + b"\r\nto the end"))).body == b"to the end"


async def test_http_1_0_is_understood(transport: Transport) -> None:
    assert (await response_to(transport, raw(b"HTTP/1.0 200\r\n\r\nold"))).body == b"old"


@pytest.mark.parametrize("status", [204, 304])
async def test_answers_without_a_body_have_an_empty_one(transport: Transport, status: int) -> None:
    script = raw(b"HTTP/1.1 %d X\r\nContent-Length: 99999999\r\n\r\n" % status)
    result = await response_to(transport, script)
    assert (result.status, result.body) == (status, b"")


async def test_head_asks_without_a_body(transport: Transport) -> None:
    head = OK + b"Content-Encoding: gzip\r\nContent-Length: 99999999\r\n\r\n"
    async with Server({"/": raw_then_hang(head)}) as server:
        result = await transport.send(Request(server.url(), "HEAD"))
    assert isinstance(result, Response)
    assert result.body == b""
    assert server.asked[0].line == "HEAD / HTTP/1.1"


async def test_a_get_after_a_head_has_its_body(transport: Transport) -> None:
    """A handle used again remembers nothing of the request before."""
    async with Server({"/": answer(b"body")}) as server:
        await transport.send(Request(server.url(), "HEAD", headers=(("X-Only-Once", "1"),)))
        result = await transport.send(Request(server.url()))
    assert isinstance(result, Response)
    assert result.body == b"body"
    assert server.asked[1].header("x-only-once") is None


async def test_connections_are_kept_alive(transport: Transport) -> None:
    async with Server({"/": answer(b"again")}) as server:
        for _ in range(5):
            await transport.send(Request(server.url()))
    assert server.connections == 1


async def test_a_connection_the_server_has_left_is_replaced(transport: Transport) -> None:
    """Keep-alive races are the client's to bear: the page is fine."""
    async with Server({"/": answer(b"one")}) as server:
        await transport.send(Request(server.url()))
        await server.hang_up()
        result = await transport.send(Request(server.url()))
    assert isinstance(result, Response)
    assert server.connections == 2


async def resetting(connection: Connection) -> None:
    """Takes the request and hangs up on it."""
    connection.reset()


async def closing(connection: Connection) -> None:
    """Takes the request and ends the connection without a word."""


@pytest.mark.parametrize("end", [resetting, closing])
async def test_a_kept_connection_that_ends_is_told_and_nothing_is_sent_twice(
    transport: Transport, end: Script
) -> None:
    """FE-9: libcurl would ask again by itself, at once, and nobody would know."""
    async with Server({"/": answer(b"hello"), "/end": end}) as server:
        assert isinstance(await transport.send(Request(server.url())), Response)
        lost = await transport.send(Request(server.url("/end")))
        assert isinstance(lost, Failure)
        assert (lost.fault, lost.kept) == (Fault.RESET, True)
        assert [asked.target for asked in server.asked] == ["/", "/end"]
        assert server.connections == 1, "nor is anything opened for it"
        lost = await transport.send(Request(server.url("/end")))
        assert isinstance(lost, Failure)
        assert (lost.fault, lost.kept) == (Fault.RESET, False), "a new one has no past to blame"
        assert isinstance(await transport.send(Request(server.url())), Response)


async def test_a_fresh_request_uses_no_kept_connection(transport: Transport) -> None:
    async with Server({"/": answer(b"hello"), "/end": resetting}) as server:
        assert isinstance(await transport.send(Request(server.url())), Response)
        lost = await transport.send(Request(server.url("/end"), fresh=True))
        assert isinstance(lost, Failure)
        assert (lost.fault, lost.kept, server.connections) == (Fault.RESET, False, 2)
        assert isinstance(await transport.send(Request(server.url())), Response)
        assert server.connections == 2, "it was this request's wish alone"


async def test_a_kept_http_2_connection_that_ends_is_told_too(
    open_transport: Opener, tmp_path: Path
) -> None:
    certificate = self_signed(tmp_path)
    transport = open_transport(ca_file=str(certificate.path))
    async with Server({}, tls=certificate.context("h2"), streams=1) as server:
        assert isinstance(await transport.send(Request(server.url())), Response)
        lost = await transport.send(Request(server.url()))
        assert isinstance(lost, Failure)
        assert (lost.fault, lost.kept, server.streams) == (Fault.RESET, True, 2)
        assert isinstance(await transport.send(Request(server.url())), Response)


async def test_many_exchanges_run_at_once_over_as_few_connections_as_needed(
    transport: Transport,
) -> None:
    async with Server({"/": answer(b"x" * 1000)}) as server:
        requests = [Request(server.url(f"/?{n}")) for n in range(40)]
        results = await asyncio.gather(*map(transport.send, requests * 3))
    assert {result.status for result in results if isinstance(result, Response)} == {200}
    assert server.connections < len(results)


# -- What is sent


@pytest.mark.parametrize(
    "target",
    [
        "/", "/a|b", "//x", "//x//", "/%7Efoo", "/%7efoo", "/~foo", "/a%20b", "/a%2fb%2Fc", "/a?",
        "/?", "/a??b", "/a?b?c=/d", "/a?a%20b+c", "/a;v=1;w?x;y", "/caf%C3%A9?n=%e9", "/a'b(c)!*",
        "/a?q=[1]{2}^`|\\", "/[x]", "/%", "/%zz?%", "/a?<x>", "/a:b@c", "/http://b.example/x?y",
        "/a=&b", "/$a,b", "/a?x=..%2f..%2fetc", "/.../a.", "/a?#",
    ],
)  # fmt: skip
async def test_the_path_and_query_arrive_as_they_were_judged(
    transport: Transport, target: str
) -> None:
    async with Server({}) as server:
        await transport.send(Request(server.url(target)))
    assert server.asked[0].line == f"GET {target.removesuffix('#')} HTTP/1.1"
    assert server.asked[0].header("host") == f"127.0.0.1:{server.port}"


async def test_an_ipv6_literal_is_asked_by_its_name(transport: Transport) -> None:
    try:
        async with Server({"/a?b": answer()}, address="::1") as server:
            result = await transport.send(Request(server.url("/a?b")))
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    assert isinstance(result, Response)
    assert server.asked[0].header("host") == f"[::1]:{server.port}"
    assert result.address == "::1"


async def test_the_headers_sent_are_the_ones_given_and_no_others(transport: Transport) -> None:
    given = (("User-Agent", "tenax/1 (+mailto:a@b.example)"), ("accept", "*/*"), ("X-Empty", ""))
    async with Server({"/": answer()}) as server:
        await transport.send(Request(server.url(), headers=given))
    assert server.asked[0].headers == (("Host", f"127.0.0.1:{server.port}"), *given)


async def test_without_headers_only_the_host_is_sent(transport: Transport) -> None:
    async with Server({"/": answer()}) as server:
        await transport.send(Request(server.url()))
    assert [name for name, _ in server.asked[0].headers] == ["Host"]


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\0b", "\N{SNOWMAN}"])
async def test_a_header_that_would_break_the_request_is_not_sent(
    transport: Transport, value: str
) -> None:
    """Validators come from the web: an ETag must not smuggle a header."""
    async with Server({"/": answer()}) as server:
        result = await transport.send(Request(server.url(), headers=(("If-None-Match", value),)))
    assert isinstance(result, Failure)
    assert result.fault == Fault.INTERNAL
    assert server.asked == []


async def test_redirects_are_handed_over_not_followed(transport: Transport) -> None:
    async with Server({"/": answer(b"", "302 Found", {"Location": "/next"})}) as server:
        result = await transport.send(Request(server.url()))
    assert isinstance(result, Response)
    assert (result.status, result.headers.get("location")) == (302, "/next")
    assert len(server.asked) == 1


async def test_nothing_is_remembered_between_exchanges(transport: Transport) -> None:
    memory = {
        "Set-Cookie": "a=b; Path=/",
        "Strict-Transport-Security": "max-age=9999",
        "Alt-Svc": 'h2=":1"',
    }
    async with Server({"/": answer(b"", headers=memory)}) as server:
        for _ in range(2):
            assert isinstance(await transport.send(Request(server.url())), Response)
    assert server.asked[1].headers == server.asked[0].headers


async def test_the_environment_and_the_home_folder_have_no_say(
    open_transport: Opener, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{closed_port()}")
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login user password secret\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    async with Server({"/": answer(b"direct")}) as server:
        result = await open_transport().send(Request(server.url()))
    assert isinstance(result, Response)
    assert server.asked[0].header("authorization") is None


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1", "http://127.0.0.1:1/\N{SNOWMAN}", "http://127.0.0.1:1/\r\nX: y", "", "x"],
)
async def test_what_is_no_href_is_not_sent(transport: Transport, url: str) -> None:
    assert isinstance(await transport.send(Request(url)), Failure)


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/x"])
async def test_only_http_and_https_are_spoken(transport: Transport, url: str) -> None:
    assert isinstance(await transport.send(Request(url)), Failure)


# -- Addresses (SEC-1)


async def test_a_forbidden_address_is_not_connected_to(open_transport: Opener) -> None:
    transport = open_transport(judge=lambda ip: "loopback" if ip == "127.0.0.1" else None)
    async with Server({"/": answer(b"secret")}) as server:
        result = await transport.send(Request(server.url()))
    assert result == Forbidden("127.0.0.1")
    assert server.connections == 0


async def test_a_name_is_judged_by_the_address_behind_it(open_transport: Opener) -> None:
    transport = open_transport(judge=lambda _: "not today")
    async with Server({"/": answer(b"secret")}) as server:
        result = await transport.send(Request(server.url(host="localhost")))
    assert isinstance(result, Forbidden)
    assert result.address in ("127.0.0.1", "::1")
    assert server.connections == 0


async def test_a_name_with_one_allowed_address_is_reached_there(open_transport: Opener) -> None:
    """libcurl resolves localhost to ::1 and 127.0.0.1 by itself; only the second may be used."""
    transport = open_transport(judge=lambda ip: None if ip == "127.0.0.1" else "forbidden")
    async with Server({"/": answer(b"open")}) as server:
        result = await transport.send(Request(server.url(host="localhost")))
    assert isinstance(result, Response)
    assert result.address == "127.0.0.1"


async def test_every_new_connection_is_judged(open_transport: Opener) -> None:
    judged: list[str] = []
    transport = open_transport(judge=judged.append)
    async with Server({"/": raw(OK + b"\r\nclosing")}) as server:
        for _ in range(3):
            await transport.send(Request(server.url()))
    assert set(judged) == {"127.0.0.1"}
    assert len(judged) >= 3


async def test_a_judge_that_fails_forbids(open_transport: Opener) -> None:
    def broken(_address: str) -> str | None:
        raise RuntimeError("no verdict")

    async with Server({"/": answer()}) as server:
        result = await open_transport(judge=broken).send(Request(server.url()))
    assert isinstance(result, Failure)
    assert (result.fault, server.connections) == (Fault.INTERNAL, 0)


# -- Faults (FE-6)


async def test_nobody_listening_is_connect_refused(transport: Transport) -> None:
    result = await transport.send(Request(f"http://127.0.0.1:{closed_port()}/"))
    assert isinstance(result, Failure)
    assert (result.fault, result.status) == (Fault.CONNECT_REFUSED, None)


async def test_a_name_without_an_address_is_a_dns_fault(transport: Transport) -> None:
    """A label of 64 letters cannot be looked up, so no resolver is asked."""
    result = await transport.send(Request(f"http://{'a' * 64}.example/"))
    assert isinstance(result, Failure)
    assert result.fault == Fault.DNS


async def test_a_name_libcurl_refuses_is_a_fault(transport: Transport) -> None:
    """WHATWG lets a host hold characters that no resolver takes."""
    assert isinstance(await transport.send(Request("http://a!b.example/")), Failure)


@pytest.fixture
def full_backlog() -> Iterator[int]:
    """A port whose queue of connections is full: the next SYN is left unanswered."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        clients = []
        for _ in range(4):
            client = socket.socket()
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
            clients.append(client)
        yield listener.getsockname()[1]
        for client in clients:
            client.close()


async def test_no_answer_to_the_connection_is_connect_timeout(
    transport: Transport, full_backlog: int
) -> None:
    limits = RequestLimits(connect=0.3, total=60.0)
    result = await transport.send(Request(f"http://127.0.0.1:{full_backlog}/", limits=limits))
    assert isinstance(result, Failure)
    assert result.fault == Fault.CONNECT_TIMEOUT


async def test_a_tls_handshake_without_an_end_is_connect_timeout(transport: Transport) -> None:
    limits = RequestLimits(connect=0.3, total=60.0)
    async with listening(b"") as port:
        result = await transport.send(Request(f"https://127.0.0.1:{port}/", limits=limits))
    assert isinstance(result, Failure)
    assert result.fault == Fault.CONNECT_TIMEOUT


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        pytest.param(raw_then_hang(), Fault.READ_TIMEOUT, id="hangs before the headers"),
        pytest.param(raw_then_hang(OK), Fault.READ_TIMEOUT, id="hangs inside the headers"),
        pytest.param(
            raw_then_hang(OK + b"Content-Length: 9\r\n\r\nabc"),
            Fault.READ_TIMEOUT,
            id="hangs inside the body",
        ),
        pytest.param(drip(b"x", every=0.02), Fault.READ_TIMEOUT, id="drips the body"),
        pytest.param(
            endless(b"X-A: b\r\n", first=OK, every=0.02), Fault.READ_TIMEOUT, id="drips the headers"
        ),
        pytest.param(
            endless(b"HTTP/1.1 102 Processing\r\n\r\n", every=0.1),
            Fault.READ_TIMEOUT,
            id="drips interim answers",
        ),
    ],
)
async def test_a_server_that_stalls_is_a_read_timeout(
    transport: Transport, script: Script, fault: Fault
) -> None:
    told = await fault_of(transport, script, HASTE)
    if told == Fault.CONNECT_TIMEOUT:  # the machine was too slow for so little time
        told = await fault_of(transport, script, RequestLimits(connect=10.0, total=10.0))
    assert told == fault


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(raw(), id="closes without a word"),
        pytest.param(raw(b"HTTP/1.1 20"), id="closes inside the status line"),
        pytest.param(raw(OK + b"Content-Len"), id="closes inside the headers"),
        pytest.param(raw(b"HTTP/1.1 103 Early Hints\r\n\r\n"), id="closes after a hint"),
        pytest.param(raw(OK + b"Content-Length: 9\r\n\r\nabc"), id="body shorter than declared"),
        pytest.param(
            raw(OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab"), id="closes inside a chunk"
        ),
        pytest.param(
            raw(OK + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(b"abc", end=b"")),
            id="closes between chunks",
        ),
        pytest.param(raw_then_reset(), id="resets at once"),
        pytest.param(raw_then_reset(OK), id="resets inside the headers"),
        pytest.param(
            raw_then_reset(OK + b"Content-Length: 9\r\n\r\nabc"), id="resets inside the body"
        ),
    ],
)
async def test_an_answer_cut_short_is_a_reset(transport: Transport, script: Script) -> None:
    assert await fault_of(transport, script) == Fault.RESET


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(raw(b"SSH-2.0-OpenSSH_9.2\r\n"), id="another protocol"),
        pytest.param(raw(b"<html>no headers at all</html>"), id="no status line"),
        pytest.param(raw(b"HTTP/1.1 two hundred\r\n\r\n"), id="status in words"),
        pytest.param(raw(OK + b"Content-Length: ten\r\n\r\n0123456789"), id="length in words"),
        pytest.param(raw(OK + b"Content-Length: -1\r\n\r\nabc"), id="negative length"),
        pytest.param(
            raw(OK + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"), id="two lengths"
        ),
        pytest.param(raw(OK + b"no colon here\r\n\r\n"), id="header without a colon"),
        pytest.param(raw(OK + b"X: a\0b\r\n\r\n"), id="NUL in a header"),
        pytest.param(
            raw(OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n"), id="chunk size in words"
        ),
        pytest.param(
            raw(OK + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n0\r\n\r\n"),
            id="chunk longer than declared",
        ),
        pytest.param(
            raw(OK + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nabc\r\n"),
            id="chunk size beyond numbers",
        ),
        pytest.param(
            raw(OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + chunked(b"abc")),
            id="transfer coding nobody asked for",
        ),
        pytest.param(
            raw_then_hang(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nabc"),
            id="switches protocols",
        ),
        pytest.param(endless(b"X-A: b\r\n", first=OK), id="endless headers"),
        pytest.param(endless(b"a" * 4096, first=OK + b"X: "), id="endless header"),
        pytest.param(endless(b"HTTP/1.1 100 Continue\r\n\r\n"), id="endless interim answers"),
        pytest.param(raw(OK + b"X: %b\r\n\r\n" % (b"a" * 70_000)), id="headers over 64 KB"),
        pytest.param(raw(OK + b"X: a\r\n" * 1001 + b"\r\n"), id="a thousand headers"),
        pytest.param(
            raw(b"HTTP/1.1 100 Continue\r\n\r\n" * 11 + OK + b"Content-Length: 0\r\n\r\n"),
            id="eleven interim answers",
        ),
    ],
)
async def test_a_server_that_breaks_the_protocol_is_a_protocol_fault(
    transport: Transport, script: Script
) -> None:
    assert await fault_of(transport, script) == Fault.PROTOCOL


async def test_a_fault_after_the_headers_tells_the_status(transport: Transport) -> None:
    result = await ask(transport, raw(b"HTTP/1.1 503 Busy\r\nContent-Length: 9\r\n\r\nabc"))
    assert isinstance(result, Failure)
    assert (result.fault, result.status, result.timing.wire_bytes) == (Fault.RESET, 503, 3)
    assert result.address == "127.0.0.1"


async def test_one_bad_server_does_not_harm_the_others(transport: Transport) -> None:
    scripts = {
        "/good": answer(b"good"),
        "/reset": raw_then_reset(OK),
        "/garbage": raw(b"\0\1\2\3"),
        "/hang": raw_then_hang(),
        "/flood": endless(b"x" * 10_000, first=OK + b"\r\n"),
    }
    async with Server(scripts) as server:
        paths = [*scripts] * 6
        limits = RequestLimits(connect=5.0, total=5.0, body_bytes=100_000)
        results = await asyncio.gather(
            *(transport.send(Request(server.url(path), limits=limits)) for path in paths)
        )
    good = [result for path, result in zip(paths, results, strict=True) if path == "/good"]
    assert [r.body for r in good if isinstance(r, Response)] == [b"good"] * 6


# -- Sizes and codings (FE-2, SEC-2)


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", gzip.compress(b"hello" * 99)),
        ("deflate", zlib.compress(b"hello" * 99)),
        ("br", brotli.compress(b"hello" * 99)),
        ("zstd", zstandard.compress(b"hello" * 99)),
    ],
    ids=["gzip", "deflate", "br", "zstd"],
)
async def test_every_promised_coding_arrives_decoded(
    transport: Transport, coding: str, packed: bytes
) -> None:
    assert coding in ACCEPT_ENCODING
    result = await response_to(transport, answer(packed, headers={"Content-Encoding": coding}))
    assert result.body == b"hello" * 99
    assert result.timing.wire_bytes == len(packed)


async def test_codings_named_in_two_headers_are_stacked(transport: Transport) -> None:
    packed = gzip.compress(brotli.compress(b"hello"))
    head = b"Content-Encoding: br\r\nContent-Encoding: gzip\r\n\r\n"
    assert (await response_to(transport, raw(OK + head + packed))).body == b"hello"


async def test_an_undecodable_body_is_an_encoding_fault(transport: Transport) -> None:
    script = answer(gzip.compress(b"hello" * 99)[:-4], headers={"Content-Encoding": "gzip"})
    assert await fault_of(transport, script) == Fault.ENCODING


async def test_a_bomb_is_too_large_and_costs_little_memory(transport: Transport) -> None:
    script = answer(gzip_bomb(1000), headers={"Content-Encoding": "gzip"})
    tracemalloc.start()
    fault = await fault_of(transport, script, RequestLimits())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert fault == Fault.TOO_LARGE
    assert peak < 60_000_000


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(endless(b"x" * 10_000, first=OK + b"\r\n"), id="without a length"),
        pytest.param(
            endless(
                b"2710\r\n%b\r\n" % (b"x" * 10_000),
                first=OK + b"Transfer-Encoding: chunked\r\n\r\n",
            ),
            id="in chunks",
        ),
        pytest.param(
            endless(b"x" * 10_000, first=OK + b"Content-Length: 9999999999\r\n\r\n"), id="declared"
        ),
        pytest.param(
            raw_then_hang(OK + b"Content-Length: %b\r\n\r\nx" % (b"9" * 40)), id="beyond numbers"
        ),
        pytest.param(
            raw_then_hang(OK + b"Content-Length: 100001\r\n\r\nx"), id="declared one byte over"
        ),
    ],
)
async def test_a_body_over_the_limit_is_cut(transport: Transport, script: Script) -> None:
    result = await ask(transport, script)
    assert isinstance(result, Failure)
    assert (result.fault, result.status) == (Fault.TOO_LARGE, 200)
    assert result.timing.wire_bytes < SMALL.body_bytes + 200_000


async def test_a_body_of_exactly_the_limit_is_read(transport: Transport) -> None:
    body = (await response_to(transport, answer(b"x" * SMALL.body_bytes))).body
    assert body is not None
    assert len(body) == SMALL.body_bytes


async def test_a_body_that_is_not_text_is_recorded_not_read(transport: Transport) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 9999999999\r\n\r\n"
    result = await response_to(transport, endless(b"x" * 10_000, first=head))
    assert (result.status, result.body) == (200, None)
    assert result.content_type == "video/mp4"


async def test_a_body_of_any_type_is_read_when_asked_for(transport: Transport) -> None:
    async with Server({"/": answer(b"\x89PNG", content_type="image/png")}) as server:
        result = await transport.send(Request(server.url(), any_type=True))
    assert isinstance(result, Response)
    assert result.body == b"\x89PNG"


async def test_a_body_without_a_type_is_read(transport: Transport) -> None:
    assert (await response_to(transport, answer(b"bare", content_type=None))).body == b"bare"


async def test_the_body_of_an_error_is_read_whatever_its_type(transport: Transport) -> None:
    script = answer(b"denied", "403 Forbidden", content_type="application/octet-stream")
    assert (await response_to(transport, script)).body == b"denied"


async def test_an_error_with_an_endless_body_is_still_that_error(transport: Transport) -> None:
    script = endless(b"x" * 50_000, first=b"HTTP/1.1 404 Not Found\r\n\r\n")
    result = await response_to(transport, script, RequestLimits(total=60.0))
    assert (result.status, result.body) == (404, None)
    assert result.timing.wire_bytes <= ERROR_BODY_BYTES + 100_000


async def test_an_error_with_an_undecodable_body_is_still_that_error(
    transport: Transport,
) -> None:
    script = answer(b"\x1f\x8b\x08broken", "410 Gone", {"Content-Encoding": "gzip"})
    result = await response_to(transport, script)
    assert (result.status, result.body) == (410, None)


# -- TLS and HTTP/2 (SEC-3)


async def test_a_trusted_certificate_is_accepted(open_transport: Opener, tmp_path: Path) -> None:
    certificate = self_signed(tmp_path)
    async with Server({"/": answer(b"private")}, tls=certificate.context()) as server:
        transport = open_transport(ca_file=str(certificate.path))
        result = await transport.send(Request(server.url()))
    assert isinstance(result, Response)
    assert result.body == b"private"


async def test_a_certificate_nobody_vouches_for_is_a_tls_fault(
    transport: Transport, tmp_path: Path
) -> None:
    async with Server({"/": answer(b"x")}, tls=self_signed(tmp_path).context()) as server:
        result = await transport.send(Request(server.url()))
    assert isinstance(result, Failure)
    assert result.fault == Fault.TLS
    assert server.asked == []


@pytest.mark.parametrize(
    "flaw", [{"names": ("b.example",)}, {"expired": True}], ids=["other name", "expired"]
)
async def test_a_flawed_certificate_is_a_tls_fault(
    open_transport: Opener, tmp_path: Path, flaw: dict[str, tuple[str, ...]]
) -> None:
    certificate = self_signed(tmp_path, **flaw)  # type: ignore[arg-type]  # one of two flaws
    async with Server({"/": answer(b"x")}, tls=certificate.context()) as server:
        transport = open_transport(ca_file=str(certificate.path))
        result = await transport.send(Request(server.url()))
    assert isinstance(result, Failure)
    assert result.fault == Fault.TLS


async def test_plain_http_where_tls_was_expected_is_a_tls_fault(transport: Transport) -> None:
    async with listening(b"HTTP/1.1 400 Bad Request\r\n\r\nspeak TLS elsewhere") as port:
        result = await transport.send(Request(f"https://127.0.0.1:{port}/", limits=SMALL))
    assert isinstance(result, Failure)
    assert result.fault == Fault.TLS


async def test_ssl_cert_file_names_whom_to_trust(
    open_transport: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = self_signed(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.path))
    async with Server({"/": answer(b"x")}, tls=certificate.context()) as server:
        assert isinstance(await open_transport().send(Request(server.url())), Response)


async def test_http_2_is_spoken_where_it_is_offered(open_transport: Opener, tmp_path: Path) -> None:
    certificate = self_signed(tmp_path)
    async with Server({}, tls=certificate.context("h2", "http/1.1")) as server:
        transport = open_transport(ca_file=str(certificate.path))
        results = [await transport.send(Request(server.url("/%7e?a"))) for _ in range(2)]
    assert [(r.status, r.body) for r in results if isinstance(r, Response)] == [(200, b"hello")] * 2
    assert server.connections == 1


# -- Its life


async def test_a_cancelled_exchange_lets_go_and_the_next_one_works(
    transport: Transport,
) -> None:
    async with Server({"/hang": raw_then_hang(OK), "/": answer(b"next")}) as server:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await transport.send(Request(server.url("/hang")))
        result = await transport.send(Request(server.url()))
    assert isinstance(result, Response)
    assert result.body == b"next"


async def test_closing_cancels_what_is_under_way(open_transport: Opener) -> None:
    transport = open_transport()
    async with Server({"/": raw_then_hang(OK)}) as server:
        sending = asyncio.create_task(transport.send(Request(server.url())))
        await server.was_asked.wait()
        await transport.close()
        with pytest.raises(asyncio.CancelledError):
            await sending


async def test_waiting_for_a_connection_of_ours_is_not_the_hosts_fault() -> None:
    """The caps are libcurl's, whose queue spends the timeouts of what waits in it."""
    transport = HttpTransport(judge=anyone, connections_per_host=1)
    async with Server({"/": raw_then_hang(OK)}) as server:
        first = asyncio.create_task(transport.send(Request(server.url())))
        await server.was_asked.wait()
        result = await transport.send(Request(server.url(), limits=HASTE))
        await transport.close()
        await asyncio.gather(first, return_exceptions=True)
    assert isinstance(result, Failure)
    assert result.fault == Fault.INTERNAL
    assert server.connections == 1


async def test_closing_twice_is_fine(open_transport: Opener) -> None:
    transport = open_transport()
    await transport.close()
    await transport.close()


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts descriptors in /proc")
async def test_nothing_is_left_open(open_transport: Opener) -> None:
    async with Server({"/": answer(b"x"), "/reset": raw_then_reset(OK)}) as server:
        before = descriptors()
        transport = open_transport()
        for path in ("/", "/reset", "/", "/reset"):
            await asyncio.gather(*(transport.send(Request(server.url(path))) for _ in range(20)))
        await transport.close()
        await server.all_gone()
        assert descriptors() <= before


async def test_running_out_of_descriptors_is_our_fault_not_the_hosts(
    transport: Transport,
) -> None:
    await transport.send(Request(f"http://127.0.0.1:{closed_port()}/"))  # it has what it needs
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        next_free = os.dup(listener.fileno())
        os.close(next_free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (next_free, hard))
        try:
            result = await transport.send(Request(url, limits=HASTE))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert isinstance(result, Failure)
    assert result.fault == Fault.INTERNAL


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
@pytest.mark.parametrize("name", TRANSPORTS)
def test_it_runs_on_either_event_loop(
    name: str, run: Callable[..., list[Response | Failure | Forbidden]]
) -> None:
    async def exchange() -> list[Response | Failure | Forbidden]:
        transport = TRANSPORTS[name](judge=anyone)
        async with Server({"/": answer(b"x" * 200_000)}) as server:
            results = await asyncio.gather(
                *(transport.send(Request(server.url())) for _ in range(10))
            )
        await transport.close()
        return results

    assert {r.status for r in run(exchange()) if isinstance(r, Response)} == {200}


async def test_a_request_that_may_not_leave_any_more_is_not_sent(transport: Transport) -> None:
    """FR-4: a process stopped for hours while it connected does not ask when it goes on."""
    async with Server({"/": answer(b"hello")}) as server:
        withheld = await transport.send(Request(server.url(), may_leave=lambda: False))
        assert isinstance(withheld, Failure)
        assert withheld.withheld
        assert isinstance(await transport.send(Request(server.url())), Response)
    assert len(server.asked) == 1, "and the next one is as if nothing had been"


async def test_whether_it_may_leave_is_asked_for_every_request(transport: Transport) -> None:
    """Also over a connection that was kept, where libcurl has nothing to wait for."""
    asked: list[int] = []
    async with Server({"/": answer(b"hello")}) as server:

        def may_leave() -> bool:
            asked.append(len(server.asked))
            return len(asked) != 3

        told = [await transport.send(Request(server.url(), may_leave=may_leave)) for _ in range(4)]
    assert [isinstance(each, Response) for each in told] == [True, True, False, True]
    assert asked == [0, 1, 2, 2], "each before its request was there"


async def test_whether_it_may_leave_is_asked_when_nothing_is_left_to_wait_for(
    open_transport: Opener, tmp_path: Path
) -> None:
    """A handshake can take as long as the right to ask lasts."""
    certificate = self_signed(tmp_path)
    order: list[str] = []

    def shake_hands_late() -> None:
        connection, _ = listener.accept()
        time.sleep(0.05)
        order.append("handshake")
        # A TLS 1.3 client is done before the server is; then it may leave as it likes.
        with contextlib.suppress(OSError), connection:
            certificate.context().wrap_socket(connection, server_side=True).close()

    def may_leave() -> bool:
        order.append("leaving")
        return False

    transport = open_transport(ca_file=str(certificate.path))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = asyncio.create_task(asyncio.to_thread(shake_hands_late))
        url = f"https://127.0.0.1:{listener.getsockname()[1]}/"
        await transport.send(Request(url, may_leave=may_leave, limits=SMALL))
        await server
    assert order == ["handshake", "leaving"]
