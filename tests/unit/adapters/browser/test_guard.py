"""Does the browser's proxy let through what may pass, and nothing else? SEC-1, SEC-2."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Sequence

import pytest

from tenax.adapters.browser.bounds import RequestBounds
from tenax.adapters.browser.guard import GuardProxy, Permit
from tenax.model import Fault, Forbidden, RequestLimits
from tests.servers import OK, Connection, Script, Server, answer, endless, raw, raw_then_hang

ALLOWED, INSIDE = "127.0.0.1", "127.0.0.2"
SILENCE = 0.3


def judge(address: str) -> str | None:
    return None if address == ALLOWED else "inside"


async def resolve(host: str) -> Sequence[str]:
    return {"a.example": [ALLOWED], "inside.example": [INSIDE], "both.example": [INSIDE, ALLOWED]}[
        host
    ]


def unbounded() -> RequestBounds:
    return RequestBounds("a.example", 1000, 1000)


@pytest.fixture
async def guard() -> AsyncIterator[GuardProxy]:
    opened = GuardProxy(judge, resolve)
    await opened.open()
    yield opened
    await opened.close()
    left = (task.get_coro() for task in asyncio.all_tasks())
    assert [coro for coro in left if "Guard" in getattr(coro, "__qualname__", "")] == []


@pytest.fixture
def permit(guard: GuardProxy) -> Permit:
    return guard.admit(RequestLimits(connect=1.0, header_bytes=2_000), 100_000, unbounded())


async def speak(guard: GuardProxy, words: bytes, permit: Permit | None = None) -> bytes:
    """Everything the proxy answers to these words, until it hangs up or falls silent."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(guard.url.rpartition(":")[2]))
    if permit is not None:
        pair = base64.b64encode(f"{permit.username}:{permit.password}".encode())
        words = words.replace(b"\r\n", b"\r\nProxy-Authorization: Basic %b\r\n" % pair, 1)
    writer.write(words)
    heard = b""
    try:
        while chunk := await asyncio.wait_for(reader.read(65_536), SILENCE):
            heard += chunk
    except (ConnectionError, TimeoutError):
        return heard
    finally:
        writer.close()
    return heard


def get(url: str) -> bytes:
    return f"GET {url} HTTP/1.1\r\nHost: x\r\n\r\n".encode()


def connect(host: str, port: int, then: bytes = b"") -> bytes:
    return f"CONNECT {host}:{port} HTTP/1.1\r\nHost: x\r\n\r\n".encode() + then


async def test_a_plain_exchange_passes_and_ends_the_connection(
    guard: GuardProxy, permit: Permit
) -> None:
    async with Server({"/x": answer(b"hello")}) as server:
        heard = await speak(guard, get(server.url("/x")), permit)
    assert heard.startswith(b"HTTP/1.1 200 OK\r\nConnection: close\r\n")
    assert heard.endswith(b"\r\n\r\nhello")
    assert server.asked[0].header("connection") == "close"
    assert server.asked[0].header("proxy-authorization") is None
    assert permit.peers == {(ALLOWED, server.port): ALLOWED}


async def test_a_tunnel_passes_bytes_as_they_are(guard: GuardProxy, permit: Permit) -> None:
    async with Server({"/": raw(b"whatever")}) as server:
        words = connect("a.example", server.port, b"GET / HTTP/1.1\r\n\r\n")
        assert await speak(guard, words, permit) == b"HTTP/1.1 200 Connected\r\n\r\nwhatever"


async def test_a_body_is_passed_on(guard: GuardProxy, permit: Permit) -> None:
    got = []

    async def take(connection: Connection) -> None:
        got.append(await connection.receive(5))
        await answer(b"thanks")(connection)

    async with Server({"/": take}) as server:
        words = f"POST {server.url()} HTTP/1.1\r\nContent-Length: 5\r\n\r\n12345".encode()
        assert (await speak(guard, words, permit)).endswith(b"thanks")
    assert got == [b"12345"]


async def test_strangers_get_nowhere(guard: GuardProxy, permit: Permit) -> None:
    stranger = Permit("somebody", "else", RequestLimits(), 1, unbounded())
    async with Server({"/": answer(b"secret")}) as server:
        for words in (get(server.url()), connect(ALLOWED, server.port)):
            assert (await speak(guard, words)).startswith(b"HTTP/1.1 407 ")
            assert (await speak(guard, words, stranger)).startswith(b"HTTP/1.1 407 ")
    assert server.connections == 0


async def test_a_permit_ends_with_its_visit(guard: GuardProxy, permit: Permit) -> None:
    async with Server({"/": answer(b"secret")}) as server:
        await guard.dismiss(permit)
        assert (await speak(guard, get(server.url()), permit)).startswith(b"HTTP/1.1 407 ")
    assert server.connections == 0


@pytest.mark.parametrize("host", [INSIDE, "inside.example"])
async def test_a_forbidden_address_is_not_connected_to(
    guard: GuardProxy, permit: Permit, host: str
) -> None:
    async with Server({"/": answer(b"secret")}, address=INSIDE) as server:
        assert await speak(guard, get(server.url(host=host)), permit) == b""
        heard = await speak(guard, connect(host, server.port), permit)
    assert heard.startswith(b"HTTP/1.1 502 ")
    assert server.connections == 0
    assert permit.refused == {(host, server.port): Forbidden(INSIDE, "inside")}


async def test_a_name_is_reached_at_the_address_that_is_allowed(
    guard: GuardProxy, permit: Permit
) -> None:
    async with Server({"/": answer(b"open")}) as server:
        assert b"open" in await speak(guard, get(server.url(host="both.example")), permit)
    assert permit.peers == {("both.example", server.port): ALLOWED}


async def test_a_judge_that_fails_forbids() -> None:
    def broken(_address: str) -> str | None:
        raise RuntimeError("no verdict")

    guard = GuardProxy(broken)
    await guard.open()
    permit = guard.admit(RequestLimits(), 1000, unbounded())
    async with Server({"/": answer(b"x")}) as server:
        assert await speak(guard, get(server.url()), permit) == b""
    await guard.close()
    assert server.connections == 0
    assert permit.faults[ALLOWED, server.port][0] == Fault.INTERNAL


async def test_a_second_request_on_a_connection_goes_nowhere(
    guard: GuardProxy, permit: Permit
) -> None:
    """It would be meant for another place, and unseen by the judge."""
    async with Server({"/": answer(b"one")}) as server:
        heard = await speak(guard, get(server.url()) + get(server.url()), permit)
        assert heard.count(b"HTTP/1.1 200 OK") == 1
    assert len(server.asked) == 1


async def test_interim_answers_pass(guard: GuardProxy, permit: Permit) -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    async with Server({"/": raw(early + OK + b"\r\nbody")}) as server:
        heard = await speak(guard, get(server.url()), permit)
    assert heard.startswith(early + b"HTTP/1.1 200 OK\r\nConnection: close\r\n")
    assert heard.endswith(b"\r\n\r\nbody")


async def test_bare_line_feeds_pass_at_once(guard: GuardProxy, permit: Permit) -> None:
    async with Server({"/": raw_then_hang(b"HTTP/1.1 200 OK\nA: b\n\nbody")}) as server:
        assert b"\nA: b\n\nbody" in await speak(guard, get(server.url()), permit)


async def test_what_is_not_http_passes_as_it_is(guard: GuardProxy, permit: Permit) -> None:
    async with Server({"/": raw(b"SSH-2.0-OpenSSH\r\n")}) as server:
        assert await speak(guard, get(server.url()), permit) == b"SSH-2.0-OpenSSH\r\n"


@pytest.mark.parametrize(
    "flood",
    [
        endless(b"X-A: b\r\n" * 50, first=OK),
        endless(b"HTTP/1.1 100 Continue\r\n\r\n" * 20),
        raw(OK + b"X: %b\r\n\r\n" % (b"a" * 3_000)),
    ],
    ids=["endless head", "endless interim answers", "long head"],
)
async def test_a_head_over_the_limit_is_cut(
    guard: GuardProxy, permit: Permit, flood: Script
) -> None:
    async with Server({"/": flood}) as server:
        await speak(guard, get(server.url()), permit)
    assert permit.faults[ALLOWED, server.port] == (Fault.PROTOCOL, "headers over 2000 bytes")


async def test_a_visit_that_has_moved_its_share_is_hung_up_on(
    guard: GuardProxy, permit: Permit
) -> None:
    async with Server({"/": endless(b"x" * 10_000, first=OK + b"\r\n")}) as server:
        await speak(guard, get(server.url()), permit)
        assert permit.is_spent
        assert permit.moved < 400_000
        assert await speak(guard, get(server.url()), permit) == b""
    assert server.connections == 1


async def test_nobody_listening_is_noted_as_such(guard: GuardProxy, permit: Permit) -> None:
    async with Server({}) as server:
        place = (ALLOWED, server.port)
    await speak(guard, connect(*place), permit)
    assert permit.faults[place][0] == Fault.CONNECT_REFUSED


async def test_a_client_that_says_nothing_is_let_go(
    guard: GuardProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenax.adapters.browser.guard._HEAD_SECONDS", 0.05)
    assert await speak(guard, b"") == b""


@pytest.mark.parametrize("words", [b"x" * 70_000, b"GET / HTTP/1.1\r\n\r\n", b"\r\n\r\n"])
async def test_nonsense_is_hung_up_on(guard: GuardProxy, words: bytes) -> None:
    assert await speak(guard, words) == b""


async def test_a_client_that_leaves_takes_its_connection_along(
    guard: GuardProxy, permit: Permit
) -> None:
    async with Server({"/": raw_then_hang()}) as server:
        reading = asyncio.create_task(speak(guard, get(server.url()), permit))
        await server.was_asked.wait()
        reading.cancel()
        await server.all_gone()
    assert permit.faults == {}


async def test_no_more_connections_are_made_than_the_visit_may_have(guard: GuardProxy) -> None:
    async with Server({"/": answer(b"hello")}) as web:
        permit = guard.admit(RequestLimits(), 100_000, RequestBounds("page.example", 9, 2))
        ask = f"GET http://a.example:{web.port}/ HTTP/1.1\r\nHost: a.example\r\n\r\n".encode()
        heard = [await speak(guard, ask, permit) for _ in range(4)]
        assert [b"hello" in each for each in heard] == [True, True, False, False]
        assert web.connections == 2
    assert permit.bounds.told.startswith("2 requests of the page not sent (2 to a.example)")
