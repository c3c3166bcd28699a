"""What a transport promises behind a proxy: FE-11 (kinds, logins, faults), SEC-1 and SEC-3.

Everything is real: the proxies, the servers behind them, and the bytes in between.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest

from tenax.adapters.libcurl.through_proxy import is_configured
from tenax.model import (
    Failure,
    Fault,
    Forbidden,
    ProxyAddress,
    ProxyScheme,
    Request,
    RequestLimits,
    Response,
)
from tenax.ports import Transport
from tests.contract.test_transport import TRANSPORTS, closed_port
from tests.proxies import HttpProxy, Mood, ProxyServer, SocksProxy
from tests.servers import Server, answer, raw, raw_then_hang, self_signed

PATIENCE = RequestLimits(connect=60.0, total=60.0)
HASTE = RequestLimits(connect=3.0, total=3.0)
"""For those who never answer."""
KINDS = {"http": HttpProxy, "socks5": SocksProxy}


def loopback_only(address: str) -> str | None:
    return None if address.startswith("127.0.0.") else "not for tests"


Client = Callable[..., Transport]


@pytest.fixture(params=TRANSPORTS)
def client(request: pytest.FixtureRequest) -> Client:
    return TRANSPORTS[request.param]


@pytest.fixture
async def transport(client: Client) -> AsyncIterator[Transport]:
    opened = client(judge=loopback_only)
    yield opened
    await opened.close()


async def failure(
    transport: Transport, url: str, proxy: ProxyAddress, limits: RequestLimits = PATIENCE
) -> Failure:
    result = await transport.send(Request(url, limits=limits, proxy=proxy))
    assert isinstance(result, Failure), result
    return result


kinds = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())


# -- The way through


@kinds
@pytest.mark.parametrize("login", [None, ("me", "p:ß@/ w")])
async def test_a_page_comes_through_a_proxy(
    transport: Transport, kind: type[ProxyServer], login: tuple[str, str] | None
) -> None:
    async with Server({"/%7e": answer(b"hello")}) as server, kind(login=login) as proxy:
        result = await transport.send(Request(server.url("/%7e"), proxy=proxy.address()))
    assert isinstance(result, Response)
    assert (result.status, result.body) == (200, b"hello")
    assert result.headers.get("x-from-proxy") is None, "the proxy's own headers are not the page's"
    assert [wanted.user for wanted in proxy.asked] == [login[0] if login else ""]
    assert server.asked[0].header("proxy-authorization") is None


@kinds
async def test_tls_is_between_us_and_the_site(
    client: Client, kind: type[ProxyServer], tmp_path: Path
) -> None:
    certificate = self_signed(tmp_path)
    transport = client(judge=loopback_only, ca_file=str(certificate.path))
    async with (
        Server({"/": answer(b"hello")}, tls=certificate.context()) as server,
        kind() as proxy,
    ):
        url = server.url("/", "localhost")
        result = await transport.send(Request(url, proxy=proxy.address()))
        await transport.close()
    assert isinstance(result, Response)
    assert result.body == b"hello"
    assert server.asked[0].header("host") == f"localhost:{server.port}"


async def test_an_https_proxy_is_spoken_to_in_tls(client: Client, tmp_path: Path) -> None:
    certificate = self_signed(tmp_path)
    transport = client(judge=loopback_only, ca_file=str(certificate.path))
    async with (
        Server({"/": answer(b"hello")}) as server,
        HttpProxy(tls=certificate.context(), login=("me", "secret")) as proxy,
    ):
        result = await transport.send(Request(server.url(), proxy=proxy.address()))
        await transport.close()
    assert isinstance(result, Response)
    assert proxy.asked[0].user == "me"


async def test_an_https_proxy_with_a_certificate_nobody_knows_is_not_trusted(
    transport: Transport, tmp_path: Path
) -> None:
    """SEC-3: user and password are not told to whoever answers."""
    certificate = self_signed(tmp_path)
    async with (
        Server({"/": answer(b"x")}) as server,
        HttpProxy(tls=certificate.context(), login=("me", "secret")) as proxy,
    ):
        result = await failure(transport, server.url(), proxy.address())
    assert result.fault is Fault.PROXY
    assert proxy.asked == []


@kinds
async def test_a_connection_through_a_proxy_is_kept(
    transport: Transport, kind: type[ProxyServer]
) -> None:
    async with Server({"/": answer(b"hello")}) as server, kind() as proxy:
        for _ in range(3):
            await transport.send(Request(server.url(), proxy=proxy.address()))
    assert (proxy.connections, server.connections) == (1, 1)


@kinds
async def test_two_users_of_one_proxy_share_no_connection(
    transport: Transport, kind: type[ProxyServer]
) -> None:
    """Providers tell sessions apart by the user; a shared tunnel would mix them."""
    async with Server({"/": answer(b"hello")}) as server, kind(login=("a", "x")) as proxy:
        await transport.send(Request(server.url(), proxy=proxy.address()))
        proxy.login = ("b", "x")
        await transport.send(Request(server.url(), proxy=proxy.address()))
    assert [wanted.user for wanted in proxy.asked] == ["a", "b"]


async def test_requests_with_and_without_a_proxy_do_not_mix(transport: Transport) -> None:
    async with Server({"/": answer(b"hello")}) as server, HttpProxy() as proxy:
        for way in (proxy.address(), None, proxy.address(), None):
            result = await transport.send(Request(server.url(), proxy=way))
            assert isinstance(result, Response)
    assert len(proxy.asked) == 1
    assert server.connections == 2


@pytest.mark.parametrize("variable", ["no_proxy", "NO_PROXY"])
async def test_the_environment_cannot_lead_around_a_proxy(
    transport: Transport, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "*")
    async with Server({"/": answer(b"hello")}) as server, HttpProxy() as proxy:
        await transport.send(Request(server.url(), proxy=proxy.address()))
    assert len(proxy.asked) == 1


# -- Who resolves names (SEC-1)


@kinds
async def test_a_proxy_is_asked_for_the_judged_address_not_for_the_name(
    transport: Transport, kind: type[ProxyServer]
) -> None:
    async with Server({"/": answer(b"hello")}) as server, kind() as proxy:
        result = await transport.send(Request(server.url("/", "localhost"), proxy=proxy.address()))
    assert isinstance(result, Response)
    assert result.address == "127.0.0.1"
    assert [wanted.target for wanted in proxy.asked] == [f"127.0.0.1:{server.port}"]
    assert server.asked[0].header("host") == f"localhost:{server.port}"


@kinds
@pytest.mark.parametrize("addresses", [["10.0.0.1"], ["127.0.0.1", "10.0.0.1"], ["fd00::1"]])
async def test_a_name_with_a_private_address_reaches_no_proxy(
    client: Client, kind: type[ProxyServer], addresses: Sequence[str]
) -> None:
    async def resolver(_host: str) -> Sequence[str]:
        return addresses

    transport = client(judge=loopback_only, resolver=resolver)
    async with kind() as proxy:
        url = "http://rebound.example/"
        result = await transport.send(Request(url, limits=PATIENCE, proxy=proxy.address()))
        await transport.close()
    assert isinstance(result, Forbidden)
    assert result.address == addresses[-1]
    assert proxy.connections == 0


async def test_a_name_that_changes_its_address_is_followed_by_nobody(client: Client) -> None:
    """DNS rebinding: the proxy gets the address that was judged, whatever the name says next."""
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])

    async def resolver(_host: str) -> Sequence[str]:
        return next(answers)

    transport = client(judge=loopback_only, resolver=resolver)
    async with Server({"/": answer(b"hello")}) as server, HttpProxy() as proxy:
        url = server.url("/", "rebound.example")
        result = await transport.send(Request(url, limits=PATIENCE, proxy=proxy.address()))
        await transport.close()
    assert isinstance(result, Response)
    assert proxy.asked[0].target == f"127.0.0.1:{server.port}"


async def test_a_literal_private_address_reaches_no_proxy(transport: Transport) -> None:
    async with HttpProxy() as proxy:
        result = await transport.send(Request("http://10.0.0.1/", proxy=proxy.address()))
    assert isinstance(result, Forbidden)
    assert proxy.connections == 0


async def test_a_name_nobody_knows_is_no_fault_of_the_proxy(client: Client) -> None:
    transport = client(judge=loopback_only)
    async with HttpProxy() as proxy:
        result = await failure(transport, "http://no-such.invalid/", proxy.address())
        await transport.close()
    assert result.fault is Fault.DNS
    assert proxy.connections == 0


async def test_another_address_of_the_host_is_tried_when_there_was_no_way_to_one(
    client: Client,
) -> None:
    async def resolver(_host: str) -> Sequence[str]:
        return ["127.0.0.9", "127.0.0.1"]

    transport = client(judge=loopback_only, resolver=resolver)
    async with Server({"/": answer(b"hello")}) as server, HttpProxy() as proxy:
        request = Request(server.url("/", "two.example"), limits=PATIENCE, proxy=proxy.address())
        first = await transport.send(request)
        second = await transport.send(request)
        await transport.close()
    assert isinstance(first, Failure)
    assert isinstance(second, Response)


async def test_without_a_pin_the_proxy_resolves_and_forwards(transport: Transport) -> None:
    unpinned = {}
    async with Server({"/%7e": answer(b"hello")}) as server:
        for kind in (HttpProxy, SocksProxy):
            async with kind() as proxy:
                address = proxy.address()
                way = ProxyAddress(address.scheme, address.host, address.port, pinned=False)
                url = server.url("/%7e", "localhost")
                result = await transport.send(Request(url, proxy=way))
                assert isinstance(result, Response), result
                assert (result.body, result.address) == (b"hello", "")
                unpinned[kind] = proxy.asked
    assert server.asked[0].target == "/%7e"
    assert unpinned[HttpProxy][0].target == f"http://localhost:{server.port}/%7e"
    assert not unpinned[HttpProxy][0].tunnel
    assert unpinned[SocksProxy][0].target == f"localhost:{server.port}"


# -- The proxy's own address (SEC-1)


def nobody(_address: str) -> str:
    return "private"


async def test_a_private_proxy_is_allowed_by_being_configured_and_nothing_else_is(
    client: Client,
) -> None:
    def judge(address: str) -> str | None:
        return None if address == "127.0.0.2" else "private"

    transport = client(judge=judge)
    async with (
        Server({"/": answer(b"hello")}, address="127.0.0.2") as server,
        HttpProxy() as proxy,
    ):
        through = await transport.send(Request(server.url(), proxy=proxy.address()))
        direct = await transport.send(Request(f"http://127.0.0.1:{proxy.port}/"))
        await transport.close()
    assert isinstance(through, Response)
    assert isinstance(direct, Forbidden)


async def test_a_proxy_whose_name_leads_to_a_private_address_is_not_used(client: Client) -> None:
    """A name is in somebody's hands: only an address that was typed is permission."""

    def judge(address: str) -> str | None:
        return None if address == "127.0.0.2" else "private"

    transport = client(judge=judge)
    async with (
        Server({"/": answer(b"hello")}, address="127.0.0.2") as server,
        HttpProxy() as proxy,
    ):
        result = await failure(transport, server.url(), proxy.address(host="localhost"))
        await transport.close()
    assert result.fault is Fault.PROXY
    assert "allow_private" in result.detail
    assert proxy.connections == 0


@pytest.mark.parametrize(
    ("ip", "port", "is_permitted"),
    [
        ("10.0.0.1", 3128, True),
        ("10.0.0.1", 22, False),
        ("10.0.0.2", 3128, False),
        ("::ffff:10.0.0.1", 3128, False),
        ("nonsense", 3128, False),
    ],
)
def test_permission_is_for_one_address_and_port(ip: str, port: int, is_permitted: bool) -> None:
    proxy = ProxyAddress(ProxyScheme.HTTP, "10.0.0.1", 3128)
    assert is_configured(proxy, ip, port) is is_permitted


# -- Whose fault


@pytest.mark.parametrize("scheme", list(ProxyScheme))
async def test_a_dead_proxy_is_the_proxys_fault(transport: Transport, scheme: ProxyScheme) -> None:
    dead = ProxyAddress(scheme, "127.0.0.1", closed_port())
    async with Server({"/": answer(b"x")}) as server:
        result = await failure(transport, server.url(), dead)
    assert (result.fault, result.proxy_alive) == (Fault.PROXY, False)
    assert str(dead) in result.detail


async def test_a_proxy_whose_name_nobody_knows_is_the_proxys_fault(
    transport: Transport,
) -> None:
    gone = ProxyAddress(ProxyScheme.HTTP, "no-such-proxy.invalid", 3128)
    result = await failure(transport, "http://127.0.0.1/", gone)
    assert (result.fault, result.proxy_alive) == (Fault.PROXY, False)


@pytest.mark.parametrize("scheme", ["http", "https"])
@kinds
@pytest.mark.parametrize("mood", [Mood.DROPS, Mood.BABBLES, Mood.SILENT])
async def test_a_proxy_that_does_not_do_its_part_is_at_fault(
    transport: Transport, kind: type[ProxyServer], mood: Mood, scheme: str
) -> None:
    async with kind(mood=mood) as proxy:
        limits = HASTE if mood is Mood.SILENT else PATIENCE
        result = await failure(transport, f"{scheme}://127.0.0.1/", proxy.address(), limits)
    assert result.fault is Fault.PROXY
    # A host that swallows packets makes a proxy silent too.
    assert result.proxy_alive is (mood is Mood.SILENT)
    assert result.status is None


@pytest.mark.parametrize(("status", "alive"), [
    (403, True), (429, False), (503, True), (502, True), (504, True), (402, False),
])  # fmt: skip
async def test_a_refusal_by_the_proxy_is_never_an_answer_of_the_site(
    transport: Transport, status: int, alive: bool
) -> None:
    async with HttpProxy(mood=Mood.REFUSES, refusal=status) as proxy:
        for scheme in ("http", "https"):
            result = await failure(transport, f"{scheme}://127.0.0.1/", proxy.address())
            assert (result.fault, result.status) == (Fault.PROXY, None)
            assert result.proxy_alive is alive
            assert f"answered {status}" in result.detail


@pytest.mark.parametrize("reply", [1, 2, 3, 4, 5, 6])
async def test_a_socks_proxy_that_cannot_connect_is_alive_and_at_fault(
    transport: Transport, reply: int
) -> None:
    async with SocksProxy(mood=Mood.REFUSES, refusal=reply) as proxy:
        result = await failure(transport, "http://127.0.0.1/", proxy.address())
    assert (result.fault, result.proxy_alive) == (Fault.PROXY, True)


@kinds
@pytest.mark.parametrize("login", [("", ""), ("me", "wrong"), ("you", "secret")])
async def test_a_wrong_login_is_the_proxys_fault_and_never_told(
    transport: Transport, kind: type[ProxyServer], login: tuple[str, str]
) -> None:
    async with kind(login=("me", "secret")) as proxy:
        address = ProxyAddress(proxy.scheme, "127.0.0.1", proxy.port, *login)
        result = await failure(transport, "http://127.0.0.1/", address)
    assert (result.fault, result.proxy_alive) == (Fault.PROXY, False)
    assert "wrong" not in result.detail
    assert "secret" not in repr(result)


async def test_a_forwarding_proxy_that_wants_a_login_is_no_answer_of_the_site(
    transport: Transport,
) -> None:
    async with HttpProxy(login=("me", "secret")) as proxy:
        way = ProxyAddress(ProxyScheme.HTTP, "127.0.0.1", proxy.port, pinned=False)
        result = await failure(transport, "http://127.0.0.1/", way)
    assert (result.fault, result.proxy_alive) == (Fault.PROXY, False)


FAR_ENDS: list[tuple[Callable[..., object], Fault]] = [
    (raw_then_hang, Fault.READ_TIMEOUT),
    (raw, Fault.RESET),
]


@kinds
@pytest.mark.parametrize(("script", "fault"), FAR_ENDS, ids=["hangs", "hangs up"])
async def test_what_the_site_does_behind_the_proxy_is_told_as_ever(
    transport: Transport, kind: type[ProxyServer], script: Callable[..., object], fault: Fault
) -> None:
    async with Server({"/": script()}) as server, kind() as proxy:  # type: ignore[dict-item]  # scripts
        limits = HASTE if fault is Fault.READ_TIMEOUT else PATIENCE
        result = await failure(transport, server.url(), proxy.address(), limits)
    assert (result.fault, result.proxy_alive) == (fault, False)


@kinds
async def test_a_proxy_that_drops_its_tunnels_looks_like_a_reset(
    transport: Transport, kind: type[ProxyServer]
) -> None:
    async with Server({"/": answer(b"x")}) as server, kind(mood=Mood.DROPS_TUNNELS) as proxy:
        result = await failure(transport, server.url(), proxy.address())
    assert result.fault is Fault.RESET


def test_the_secrets_of_a_proxy_are_in_no_repr() -> None:
    address = ProxyAddress(ProxyScheme.HTTP, "127.0.0.1", 1, "customer", "hunter2")
    for shown in (repr(address), str(address), repr(Request("http://a/", proxy=address))):
        assert "hunter2" not in shown
        assert "customer" not in shown
