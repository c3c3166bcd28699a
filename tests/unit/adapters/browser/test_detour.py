"""Does the browser's guard go through a proxy of the pool, and only there? FE-11, SEC-1, SEC-3.

Real proxies and servers; no browser is needed for what happens between them.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from tenax.adapters.browser.bounds import RequestBounds
from tenax.adapters.browser.guard import GuardProxy, Permit
from tenax.model import Failure, Fault, Forbidden, ProxyAddress, ProxyScheme, RequestLimits
from tests.proxies import HttpProxy, Mood, ProxyServer, SocksProxy
from tests.servers import Server, answer, self_signed

ALLOWED, INSIDE = "127.0.0.1", "127.0.0.2"
SILENCE = 1.0
LOGIN = ("me", "p:ß@/ w")
kinds = pytest.mark.parametrize("kind", [HttpProxy, SocksProxy], ids=["http", "socks5"])


def judge(address: str) -> str | None:
    return None if address == ALLOWED else "inside"


async def resolve(host: str) -> Sequence[str]:
    return {
        "a.example": [ALLOWED],
        "both.example": [ALLOWED, INSIDE],
        "proxy.example": [ALLOWED],
        "inside.example": [INSIDE],
    }[host]


@pytest.fixture
async def guard() -> AsyncIterator[GuardProxy]:
    opened = GuardProxy(judge, resolve)
    await opened.open()
    yield opened
    await opened.close()


def admit(guard: GuardProxy, proxy: ProxyAddress, connect: float = 20.0) -> Permit:
    bounds = RequestBounds("a.example", 100, 100)
    return guard.admit(RequestLimits(connect=connect), 1_000_000, bounds, proxy)


async def get(guard: GuardProxy, permit: Permit, url: str) -> bytes:
    """What a browser hears that asks the guard for a page in plain http."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(guard.url.rpartition(":")[2]))
    pair = base64.b64encode(f"{permit.username}:{permit.password}".encode()).decode()
    host = url.split("/")[2]
    head = f"GET {url} HTTP/1.1\r\nHost: {host}\r\nProxy-Authorization: Basic {pair}\r\n\r\n"
    writer.write(head.encode())
    heard = b""
    try:
        while chunk := await asyncio.wait_for(reader.read(65_536), SILENCE):
            heard += chunk
        return heard
    except (ConnectionError, TimeoutError):
        return heard
    finally:
        writer.close()


def lost(permit: Permit) -> Failure:
    (failure,) = permit.lost.values()
    assert failure.fault is Fault.PROXY
    return failure


@kinds
@pytest.mark.parametrize("login", [None, LOGIN], ids=["open", "login"])
async def test_a_page_comes_through_and_no_name_is_left_to_the_proxy(
    guard: GuardProxy, kind: type[ProxyServer], login: tuple[str, str] | None
) -> None:
    async with Server({"/": answer(b"hello")}) as web, kind(login=login) as proxy:
        permit = admit(guard, proxy.address())
        assert b"hello" in await get(guard, permit, f"http://a.example:{web.port}/")
        assert [(w.target, w.user) for w in proxy.asked] == [
            (f"{ALLOWED}:{web.port}", login[0] if login else "")
        ]
    assert web.asked[0].header("host") == f"a.example:{web.port}"
    assert web.asked[0].header("proxy-authorization") is None


async def test_an_https_proxy_has_to_show_a_certificate_that_is_trusted(tmp_path: Path) -> None:
    certificate = self_signed(tmp_path)
    for roots, comes in ((str(certificate.path), True), ("", False)):
        guard = GuardProxy(judge, resolve, roots)
        await guard.open()
        async with (
            Server({"/": answer(b"hello")}) as web,
            HttpProxy(tls=certificate.context(), login=LOGIN) as proxy,
        ):
            permit = admit(guard, proxy.address())
            heard = await get(guard, permit, f"http://a.example:{web.port}/")
        await guard.close()
        assert (b"hello" in heard) is comes
        assert bool(proxy.asked) is comes, "nobody is told the login who is not trusted"


@kinds
async def test_without_a_pin_the_proxy_resolves_the_name(
    guard: GuardProxy, kind: type[ProxyServer]
) -> None:
    """And forwards what is not encrypted, if it is an HTTP proxy."""
    async with Server({"/": answer(b"hello")}) as web, kind(login=LOGIN) as proxy:
        permit = admit(guard, replace(proxy.address(), pinned=False))
        await get(guard, permit, f"http://a.example:{web.port}/")
    (wanted,) = proxy.asked
    assert "a.example" in wanted.target
    assert wanted.tunnel is (kind is SocksProxy)
    assert wanted.user == LOGIN[0]


@kinds
async def test_an_address_behind_the_fence_is_never_asked_for(
    guard: GuardProxy, kind: type[ProxyServer]
) -> None:
    """One such address of a name is enough: which one a proxy takes is not in our hands."""
    async with kind() as proxy:
        permit = admit(guard, proxy.address())
        for name in ("inside.example", "both.example", INSIDE):
            assert await get(guard, permit, f"http://{name}:80/") == b""
        assert proxy.asked == []
    assert {host: type(why) for (host, _), why in permit.refused.items()} == {
        "inside.example": Forbidden, "both.example": Forbidden, INSIDE: Forbidden,
    }  # fmt: skip
    assert permit.lost == {}


async def test_a_proxy_by_name_has_to_lead_to_where_we_may_connect(guard: GuardProxy) -> None:
    async with Server({"/": answer(b"hello")}) as web, HttpProxy() as proxy:
        permit = admit(guard, proxy.address(host="proxy.example"))
        assert b"hello" in await get(guard, permit, f"http://a.example:{web.port}/")
        inside = admit(guard, proxy.address(host="inside.example"))
        assert await get(guard, inside, f"http://a.example:{web.port}/") == b""
        assert len(proxy.asked) == 1
    assert "may not be connected to" in lost(inside).detail


@kinds
@pytest.mark.parametrize(
    ("mood", "is_alive"),
    [(Mood.DROPS, False), (Mood.BABBLES, False), (Mood.REFUSES, True)],
)
async def test_a_proxy_in_the_way_is_told_from_the_host(
    guard: GuardProxy, kind: type[ProxyServer], mood: Mood, is_alive: bool
) -> None:
    refusal = 503 if kind is HttpProxy else 4
    async with Server({"/": answer(b"hello")}) as web, kind(mood=mood, refusal=refusal) as proxy:
        permit = admit(guard, proxy.address())
        assert b"hello" not in await get(guard, permit, f"http://a.example:{web.port}/")
        assert web.asked == []
    assert lost(permit).proxy_alive is is_alive


@kinds
async def test_a_wrong_login_is_the_proxy_s_matter_and_is_not_told(
    guard: GuardProxy, kind: type[ProxyServer]
) -> None:
    async with kind(login=LOGIN) as proxy:
        for pinned in (True, False):
            address = replace(proxy.address(("me", "wrong-secret")), pinned=pinned)
            permit = admit(guard, address)
            await get(guard, permit, "http://a.example:80/")
            assert not lost(permit).proxy_alive
            assert "wrong-secret" not in lost(permit).detail


async def test_a_proxy_that_is_silent_may_be_either_s_fault(guard: GuardProxy) -> None:
    async with HttpProxy(mood=Mood.SILENT) as proxy:
        permit = admit(guard, proxy.address(), connect=0.2)
        await get(guard, permit, "http://a.example:80/")
    assert lost(permit).proxy_alive


async def test_nobody_listening_is_a_dead_proxy(guard: GuardProxy) -> None:
    permit = admit(guard, ProxyAddress(ProxyScheme.SOCKS5, "127.0.0.1", 1))
    await get(guard, permit, "http://a.example:80/")
    assert not lost(permit).proxy_alive
