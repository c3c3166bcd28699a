"""What is the second client's own: names looked up and pinned by us, and its own TLS stack."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tenax.adapters.libcurl.exchange import Judge
from tenax.adapters.libcurl.http import HttpTransport
from tenax.adapters.libcurl.names import Resolver
from tenax.adapters.libcurl.second_client import CurlTransport
from tenax.model import Failure, Fault, Forbidden, Request, RequestLimits, Response
from tests.servers import OK, Server, answer, raw_then_hang, self_signed


def anyone(_address: str) -> None:
    return None


def only_loopback(address: str) -> str | None:
    return None if address == "127.0.0.1" else "elsewhere"


class Book:
    """A resolver that says what it is told to say, and remembers what it was asked."""

    def __init__(self, *addresses: str) -> None:
        self.addresses: Sequence[str] = addresses
        self.asked: list[str] = []

    async def __call__(self, host: str) -> Sequence[str]:
        self.asked.append(host)
        return self.addresses


@asynccontextmanager
async def opened(
    judge: Judge = anyone, resolver: Resolver | None = None, ca_file: str | None = None
) -> AsyncIterator[CurlTransport]:
    transport = CurlTransport(judge=judge, resolver=resolver, ca_file=ca_file)
    try:
        yield transport
    finally:
        await transport.close()


@pytest.mark.parametrize("host", ["a.example", "a.example.", "localhost", "x.localhost", "a_b"])
async def test_a_name_leads_where_we_say_and_nowhere_else(host: str) -> None:
    """No resolver of libcurl's has a say, not even in what it knows without asking."""
    async with (
        opened(resolver=Book("127.0.0.1")) as transport,
        Server({"/": answer(b"here")}) as server,
    ):
        result = await transport.send(Request(server.url(host=host)))
        assert isinstance(result, Response)
        assert (result.body, result.address) == (b"here", "127.0.0.1")
        assert server.asked[0].header("host") == f"{host}:{server.port}"
    async with opened(resolver=Book("127.0.0.2")) as transport, Server({"/": answer()}) as server:
        refused = await transport.send(Request(server.url(host=host)))
        assert isinstance(refused, Failure)
        assert (refused.fault, server.connections) == (Fault.CONNECT_REFUSED, 0)


async def test_only_the_allowed_addresses_of_a_name_are_pinned() -> None:
    book = Book("10.0.0.1", "127.0.0.2", "127.0.0.1", "::1")
    async with (
        opened(judge=only_loopback, resolver=book) as transport,
        Server({"/": answer(b"open")}) as server,
    ):
        result = await transport.send(Request(server.url(host="a.example")))
        assert isinstance(result, Response)
        assert result.address == "127.0.0.1"


async def test_a_name_that_moves_into_a_forbidden_network_is_not_followed_there() -> None:
    """DNS rebinding: the address is judged at every exchange, however fresh the name is."""
    forbidden: set[str] = set()
    async with (
        opened(
            judge=lambda ip: "now private" if ip in forbidden else None, resolver=Book("127.0.0.1")
        ) as transport,
        Server({"/": answer(b"once")}) as server,
    ):
        url = server.url(host="a.example")
        assert isinstance(await transport.send(Request(url)), Response)
        forbidden.add("127.0.0.1")
        assert await transport.send(Request(url)) == Forbidden("127.0.0.1")
        assert len(server.asked) == 1


async def test_an_answer_from_an_address_that_was_not_allowed_is_kept_back() -> None:
    """The last line: should pinning ever fail, nothing of the answer is handed on."""
    verdicts = iter([None, "never"])
    async with (
        opened(judge=lambda _: next(verdicts)) as transport,
        Server({"/": answer(b"secret")}) as server,
    ):
        assert await transport.send(Request(server.url())) == Forbidden("127.0.0.1")


async def test_a_name_is_asked_for_once() -> None:
    book = Book("127.0.0.1")
    async with opened(resolver=book) as transport, Server({"/": answer()}) as server:
        for _ in range(3):
            await transport.send(Request(server.url(host="a.example")))
    assert book.asked == ["a.example"]


@pytest.mark.parametrize(
    "url",
    [
        "http://user@127.0.0.1/", "http://a.example\\@127.0.0.1/", "http://127.0.0.1%2f/",
        "http://[::1/", "http://a b/", "http://a.example:99999999/", "HTTP://a.example/",
        "http://a.example/\0", "http:///", "http://a.example?/",
    ],
)  # fmt: skip
async def test_what_two_parsers_could_read_differently_is_not_sent(url: str) -> None:
    book = Book("127.0.0.1")
    async with opened(resolver=book) as transport:
        result = await transport.send(Request(url))
    assert isinstance(result, Failure)
    assert (result.fault, book.asked) == (Fault.INTERNAL, [])


@pytest.mark.parametrize("host", ["*", "a!b.example", "a;b", "a,b", "a+b", '"'])
async def test_a_name_no_resolver_takes_is_not_looked_up(host: str) -> None:
    book = Book("127.0.0.1")
    async with opened(resolver=book) as transport:
        result = await transport.send(Request(f"http://{host}/"))
    assert isinstance(result, Failure)
    assert (result.fault, book.asked) == (Fault.PROTOCOL, [])


async def test_a_silent_resolver_is_a_dns_fault_in_bounded_time() -> None:
    async def silent(_host: str) -> Sequence[str]:
        await asyncio.Event().wait()
        return ()

    async with opened(resolver=silent) as transport:
        result = await transport.send(
            Request("http://a.example/", limits=RequestLimits(connect=0.05))
        )
    assert isinstance(result, Failure)
    assert result.fault == Fault.DNS
    assert 50 <= result.timing.total_ms < 60_000


async def test_a_name_without_addresses_is_a_dns_fault() -> None:
    async with opened(resolver=Book()) as transport:
        result = await transport.send(Request("http://a.example/"))
    assert isinstance(result, Failure)
    assert result.fault == Fault.DNS


@pytest.mark.alone
async def test_looking_up_is_part_of_the_time_an_exchange_takes() -> None:
    async def slow(_host: str) -> Sequence[str]:
        await asyncio.sleep(2.0)
        return ("127.0.0.1",)

    limits = RequestLimits(connect=3.0, total=3.0)
    async with opened(resolver=slow) as transport, Server({"/": raw_then_hang(OK)}) as server:
        result = await transport.send(Request(server.url(host="a.example"), limits=limits))
    assert isinstance(result, Failure)
    assert result.fault == Fault.READ_TIMEOUT
    assert result.timing.sent_ms >= 2_000
    assert 2_950 < result.timing.total_ms < 4_800


async def test_closing_cancels_a_look_up() -> None:
    asked = asyncio.Event()

    async def silent(_host: str) -> Sequence[str]:
        asked.set()
        await asyncio.Event().wait()
        return ()

    async with opened(resolver=silent) as transport:
        sending = asyncio.create_task(transport.send(Request("http://a.example/")))
        await asked.wait()
        await transport.close()
        with pytest.raises(asyncio.CancelledError):
            await sending


async def test_closing_cancels_what_waits_at_the_fence() -> None:
    transport = CurlTransport(judge=anyone, at_once=1)
    async with Server({"/": raw_then_hang(OK)}) as server:
        sending = [asyncio.create_task(transport.send(Request(server.url()))) for _ in range(3)]
        await server.was_asked.wait()
        await transport.close()
        results = await asyncio.gather(*sending, return_exceptions=True)
    assert [type(result) for result in results] == [asyncio.CancelledError] * 3
    assert server.connections == 1


async def test_waiting_at_the_fence_costs_none_of_the_time() -> None:
    transport = CurlTransport(judge=anyone, at_once=1)
    async with Server({"/": answer(b"x"), "/hang": raw_then_hang()}) as server:
        limits = RequestLimits(connect=3.0, total=3.0)
        hanging = asyncio.create_task(transport.send(Request(server.url("/hang"), limits=limits)))
        await server.was_asked.wait()
        result = await transport.send(Request(server.url(), limits=limits))
        await hanging
        await transport.close()
    assert isinstance(result, Response)


async def test_its_handshake_is_not_the_one_of_the_main_client(tmp_path: Path) -> None:
    """That is what it is for: OpenSSL's hello and BoringSSL's differ in what they offer."""
    certificate = self_signed(tmp_path)
    hellos = []
    for client in (HttpTransport, CurlTransport):
        transport = client(judge=anyone, ca_file=str(certificate.path))
        hellos.append(await _hello(transport))
        await transport.close()
    assert _ciphers(hellos[0]) != _ciphers(hellos[1])


async def _hello(transport: HttpTransport | CurlTransport) -> bytes:
    """The first record a client sends."""
    heard: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readexactly(5)
        heard.set_result(await reader.readexactly(int.from_bytes(head[3:], "big")))
        writer.close()

    async with await asyncio.start_server(listen, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        await transport.send(
            Request(f"https://127.0.0.1:{port}/", limits=RequestLimits(60.0, 60.0))
        )
        return await heard


def _ciphers(hello: bytes) -> bytes:
    """RFC 8446 4.1.2: type, length, version, random, session id, then the cipher suites."""
    start = 4 + 2 + 32
    start += 1 + hello[start]
    return hello[start + 2 : start + 2 + int.from_bytes(hello[start : start + 2], "big")]
