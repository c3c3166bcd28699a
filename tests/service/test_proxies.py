"""Do pages come through real proxies, whatever some of them do? (FE-11)

The pool, the main client, the ledger and the proxies together, without a crawl around them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from tenax.adapters.libcurl.http import HttpTransport
from tenax.adapters.local.clock import SystemClock
from tenax.adapters.local.vault import Vault
from tenax.adapters.sql.engine.sqlite import Database
from tenax.adapters.sql.records.proxies import SqlProxies
from tenax.fetch.proxies.choice import ProxyPolicy, parse_proxy
from tenax.fetch.proxies.pool import ProxyPool, Sent
from tenax.model import Failure, Fault, Proxy, ProxyHealth, Request, RequestLimits, Response
from tenax.outcome import Waiting
from tests.contract.test_transport import closed_port
from tests.proxies import HttpProxy, Mood, ProxyServer, SocksProxy
from tests.servers import Script, Server, answer

LIMITS = RequestLimits(connect=3.0, total=3.0)
LOGIN = ("me", "correct horse")


class Rig:
    """Three real proxies in one group, and a way to ask through them."""

    def __init__(self, folder: Path, stack: AsyncExitStack) -> None:
        self.folder = folder
        self.stack = stack
        self.servers: list[ProxyServer] = []
        self.transport = HttpTransport(judge=lambda address: None)
        stack.push_async_callback(self.transport.close)

    async def open(self) -> None:
        for kind in (HttpProxy, SocksProxy, HttpProxy):
            self.servers.append(await self.stack.enter_async_context(kind(login=LOGIN)))
        database = await Database.open(self.folder / "ledger.db")
        self.stack.push_async_callback(database.close)
        policy = ProxyPolicy()
        self.store = SqlProxies(database, Vault(self.folder), policy)
        for number, server in enumerate(self.servers, start=1):
            await self.store.add(Proxy(f"p{number}", parse_proxy(server.url), group="eu"))
        self.pool = ProxyPool(self.store, SystemClock(), Random(1), policy)

    async def fetch(self, url: str) -> Sent:
        request = Request(url, limits=LIMITS)
        return await self.pool.send(request, "host", "eu", self.transport.send)

    async def health(self) -> list[ProxyHealth]:
        await self.pool.close()
        return [proxy.health for proxy in await self.store.all()]


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with AsyncExitStack() as stack:
        made = Rig(tmp_path, stack)
        await made.open()
        yield made


def code(sent: Sent) -> int:
    assert isinstance(sent.answer, Response), sent
    return sent.answer.status


async def test_pages_come_through_every_kind_in_turn(rig: Rig) -> None:
    async with Server({"/": answer(b"hello")}) as server:
        sent = [await rig.fetch(server.url()) for _ in range(6)]
    assert [each.proxy for each in sent] == ["p1", "p2", "p3"] * 2
    assert [code(each) for each in sent] == [200] * 6
    assert [each.successes for each in await rig.health()] == [2, 2, 2]
    assert all(each.average_ms > 0 for each in await rig.health())


@pytest.mark.parametrize("number", [0, 1])
async def test_a_dead_proxy_of_three_costs_no_page_and_blames_no_host(
    rig: Rig, number: int
) -> None:
    await rig.servers[number].die()
    async with Server({"/": answer(b"hello")}) as server:
        sent = [await rig.fetch(server.url()) for _ in range(15)]
    assert [code(each) for each in sent] == [200] * 15
    health = await rig.health()
    assert health[number].failures == 3
    assert health[number].bans == 1
    assert [each.failures for i, each in enumerate(health) if i != number] == [0, 0]


@pytest.mark.parametrize("mood", [Mood.DROPS, Mood.BABBLES, Mood.SILENT, Mood.DROPS_TUNNELS])
async def test_a_sick_proxy_of_three_is_found_out_and_left_alone(rig: Rig, mood: Mood) -> None:
    rig.servers[1].mood = mood
    async with Server({"/": answer(b"hello")}) as server:
        sent = [await rig.fetch(server.url()) for _ in range(12)]
    assert [code(each) for each in sent] == [200] * 12
    assert [each.bans for each in await rig.health()] == [0, 1, 0]


async def test_a_proxy_that_refuses_everything_is_found_out(rig: Rig) -> None:
    rig.servers[0].mood, rig.servers[0].refusal = Mood.REFUSES, 503
    async with Server({"/": answer(b"hello")}) as server:
        sent = [await rig.fetch(server.url()) for _ in range(9)]
    assert [code(each) for each in sent] == [200] * 9
    assert [each.bans for each in await rig.health()] == [1, 0, 0]


async def test_a_dead_host_bans_no_proxy(rig: Rig) -> None:
    gone = f"http://127.0.0.1:{closed_port()}/"
    for _ in range(5):
        sent = await rig.fetch(gone)
        assert isinstance(sent.answer, Failure)
        assert sent.answer.fault is Fault.CONNECT_REFUSED
    async with Server({"/": answer(b"hello")}) as server:
        assert code(await rig.fetch(server.url())) == 200
    assert [each.bans for each in await rig.health()] == [0, 0, 0]


async def test_a_site_that_bans_one_proxy_is_read_through_the_others(rig: Rig) -> None:
    """The site tells its visitors apart by their connections: the first one it turns away."""
    turned_away = iter([True])

    async def site(connection: object) -> None:
        script: Script = answer(b"hello")
        if next(turned_away, False):
            script = answer(b"go away", "403 Forbidden")
        await script(connection)  # type: ignore[arg-type]  # a Connection

    async with Server({"/": site}) as server:
        sent = [await rig.fetch(server.url()) for _ in range(6)]
    assert [code(each) for each in sent] == [200] * 6
    assert [each.bans for each in await rig.health()] == [1, 0, 0]
    assert all(each.proxy != "p1" for each in sent)


async def test_when_all_are_dead_nothing_goes_directly(rig: Rig) -> None:
    for server in rig.servers:
        await server.die()
    async with Server({"/": answer(b"hello")}) as site:
        for _ in range(3):
            sent = await rig.fetch(site.url())
            assert isinstance(sent.answer, Failure)
            assert sent.answer.fault is Fault.PROXY
        sent = await rig.fetch(site.url())
        assert isinstance(sent.answer, Waiting)
        assert site.connections == 0
    assert LOGIN[1] not in repr(sent)


async def test_a_wrong_password_bans_the_proxy_and_is_in_no_report(rig: Rig) -> None:
    rig.servers[0].login = ("me", "another")
    async with Server({"/": answer(b"hello")}) as server:
        sent = [await rig.fetch(server.url()) for _ in range(9)]
    assert [code(each) for each in sent] == [200] * 9
    assert [each.bans for each in await rig.health()] == [1, 0, 0]


async def test_a_proxy_disabled_by_hand_is_not_asked_any_more(rig: Rig) -> None:
    await rig.store.change(
        "p2", lambda proxy: replace(proxy, health=replace(proxy.health, disabled="by hand"))
    )
    async with Server({"/": answer(b"hello")}) as server:
        sent = [await rig.fetch(server.url()) for _ in range(4)]
    assert {each.proxy for each in sent} == {"p1", "p3"}
