"""Does a fetch find its way through the proxies that work, and wait when none does? (FE-11)"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

import pytest
from msgspec.structs import replace

from tenax.fetch.proxies.choice import ProxyPolicy, Strategy, disabled, replay
from tenax.fetch.proxies.pool import ProxyPool, Sent
from tenax.model import (
    Failure,
    Fault,
    Forbidden,
    Headers,
    Proxy,
    ProxyAddress,
    ProxyEvent,
    ProxyHealth,
    ProxyReport,
    ProxyScheme,
    Request,
    Response,
    Timing,
)
from tenax.outcome import Waiting
from tenax.ports import Unavailable
from tests.ledgers import START, HandClock

URL = "http://a.example/"
DEAD = Failure(Fault.PROXY, "refused")
NO_WAY = Failure(Fault.PROXY, "answered 502", proxy_alive=True)
Answer = Response | Failure | Forbidden


def status(code: int) -> Response:
    return Response(URL, code, Headers(), b"", Timing(total_ms=50.0))


@dataclass
class Store:
    """The port as the ledger keeps it, in a dictionary."""

    proxies: dict[int, Proxy] = field(default_factory=dict)
    policy: ProxyPolicy = field(default_factory=ProxyPolicy)
    syncs: int = 0
    is_down: bool = False

    async def sync(self, reports: Sequence[ProxyReport]) -> list[Proxy]:
        if self.is_down:
            raise Unavailable("the ledger is locked")
        self.syncs += 1
        for each in reports:
            if (known := self.proxies.get(each.proxy_id)) is not None:
                health = replay(known.health, [each], self.policy)
                self.proxies[known.id] = replace(known, health=health)
        return list(self.proxies.values())

    async def all(self) -> list[Proxy]:
        raise NotImplementedError

    async def add(self, proxy: Proxy) -> bool:
        raise NotImplementedError

    async def remove(self, name: str) -> bool:
        return self.proxies.pop(int(name[1:]), None) is not None

    async def change(self, name: str, change: Callable[[Proxy], Proxy]) -> Proxy | None:
        id = int(name[1:])
        self.proxies[id] = change(self.proxies[id])
        return self.proxies[id]


@dataclass
class Web:
    """What comes back through each proxy, by its number; and who was asked, when."""

    clock: HandClock
    answers: dict[int, Answer] = field(default_factory=dict)
    asked: list[int] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)

    async def ask(self, request: Request) -> Answer:
        number = request.proxy.port - 3000 if request.proxy else 0
        self.asked.append(number)
        self.requests.append(request)
        return self.answers.get(number, status(200))


@dataclass
class Bench:
    """A pool of proxies 1 to 3, the web behind them, and a clock that stands still."""

    policy: ProxyPolicy = field(default_factory=ProxyPolicy)
    count: int = 3

    def __post_init__(self) -> None:
        self.clock = HandClock()
        self.web = Web(self.clock)
        self.store = Store(policy=self.policy)
        for id in range(1, self.count + 1):
            address = ProxyAddress(ProxyScheme.HTTP, "127.0.0.1", 3000 + id, "me", "secret")
            self.store.proxies[id] = Proxy(f"p{id}", address, id, group="eu")
        self.pool = self.another_process()

    def another_process(self) -> ProxyPool:
        return ProxyPool(self.store, self.clock, Random(1), self.policy)

    async def fetch(self, host: str = "a.example", delay: float = 0.0, group: str = "eu") -> Sent:
        return await self.pool.send(Request(URL), host, group, self.web.ask, delay)

    async def health(self, id: int) -> ProxyHealth:
        await self.pool.sync()
        return self.store.proxies[id].health


def code(sent: Sent) -> int:
    assert isinstance(sent.answer, Response), sent
    return sent.answer.status


# -- Ways through


async def test_without_a_group_requests_go_directly() -> None:
    bench = Bench()
    sent = await bench.fetch(group="")
    assert (code(sent), sent.proxy) == (200, "")
    assert bench.web.asked == [0]
    assert bench.store.syncs == 0


async def test_requests_take_the_proxies_in_turn() -> None:
    bench = Bench()
    sent = [await bench.fetch() for _ in range(4)]
    assert [each.proxy for each in sent] == ["p1", "p2", "p3", "p1"]
    assert bench.web.requests[0].proxy == bench.store.proxies[1].address


async def test_a_dead_proxy_in_three_costs_no_page_and_no_host() -> None:
    bench = Bench()
    bench.web.answers = {2: DEAD}
    sent = [await bench.fetch() for _ in range(12)]
    assert [code(each) for each in sent] == [200] * 12
    assert bench.web.asked.count(2) == 3, "banned after its third failure"
    assert (await bench.health(2)).bans == 1
    assert (await bench.health(1)).failures == 0


async def test_what_a_proxy_delivers_is_counted_with_its_time() -> None:
    bench = Bench(count=1)
    await bench.fetch()
    health = await bench.health(1)
    assert (health.successes, health.average_ms, health.last_used_at) == (1, 50.0, START)


@pytest.mark.parametrize("turned_away", [403, 429, 503])
async def test_a_proxy_the_site_turns_away_is_banned_and_the_next_one_asked(
    turned_away: int,
) -> None:
    bench = Bench()
    bench.web.answers = {1: status(turned_away)}
    sent = await bench.fetch()
    assert (code(sent), sent.proxy) == (200, "p2")
    assert (await bench.health(1)).banned_until == START + 300
    for _ in range(6):
        await bench.fetch()
    assert bench.web.asked.count(1) == 1


async def test_a_page_forbidden_to_all_is_forbidden_and_bans_nobody() -> None:
    bench = Bench()
    bench.web.answers = dict.fromkeys((1, 2, 3), status(403))
    assert code(await bench.fetch()) == 403
    assert [(await bench.health(id)).bans for id in (1, 2, 3)] == [0, 0, 0]


async def test_a_host_that_no_proxy_reaches_is_the_hosts_trouble() -> None:
    bench = Bench()
    bench.web.answers = dict.fromkeys((1, 2, 3), NO_WAY)
    for _ in range(9):
        sent = await bench.fetch()
        assert isinstance(sent.answer, Failure)
        assert sent.answer.fault is Fault.CONNECT_REFUSED
    assert [(await bench.health(id)).bans for id in (1, 2, 3)] == [0, 0, 0]


async def test_no_more_proxies_are_tried_in_one_fetch_than_allowed() -> None:
    bench = Bench(ProxyPolicy(tries=2))
    bench.web.answers = dict.fromkeys((1, 2, 3), DEAD)
    sent = await bench.fetch()
    assert bench.web.asked == [1, 2]
    assert isinstance(sent.answer, Failure)
    assert sent.answer.fault is Fault.PROXY
    assert sent.answer.detail == "p1: refused; p2: refused"


async def test_an_address_that_is_not_allowed_ends_the_fetch_at_once() -> None:
    bench = Bench()
    bench.web.answers = {1: Forbidden("10.0.0.1")}
    assert (await bench.fetch()).answer == Forbidden("10.0.0.1")
    assert bench.web.asked == [1]


async def test_the_pin_of_the_settings_reaches_the_transport() -> None:
    bench = Bench(ProxyPolicy(pin=False))
    await bench.fetch()
    proxy = bench.web.requests[0].proxy
    assert proxy is not None
    assert proxy.pinned is False


async def test_a_cancelled_fetch_still_tells_what_it_saw() -> None:
    bench = Bench()

    async def ask(request: Request) -> Answer:
        if len(bench.web.asked) == 1:
            raise asyncio.CancelledError
        bench.web.asked.append(1)
        return status(403)

    with pytest.raises(asyncio.CancelledError):
        await bench.pool.send(Request(URL), "a.example", "eu", ask)
    assert (await bench.health(1)).bans == 1


# -- Waiting, never going around


async def test_when_every_proxy_is_banned_the_fetch_waits_for_the_first_to_return() -> None:
    bench = Bench()
    bench.web.answers = dict.fromkeys((1, 2, 3), DEAD)
    for _ in range(3):
        await bench.fetch()
        bench.clock.time += 10
    bench.web.asked.clear()
    sent = await bench.fetch()
    assert isinstance(sent.answer, Waiting)
    assert sent.answer.until == START + 20 + 300
    assert bench.web.asked == [], "nothing was sent, least of all directly"


async def test_a_ban_that_is_over_lets_the_proxy_back() -> None:
    bench = Bench(count=1)
    bench.web.answers = {1: status(429)}
    await bench.fetch()
    bench.web.answers = {}
    assert isinstance((await bench.fetch()).answer, Waiting)
    bench.clock.time += 300
    assert code(await bench.fetch()) == 200


@pytest.mark.parametrize("group", ["us", "EU"])
async def test_an_unknown_group_never_means_directly(group: str) -> None:
    bench = Bench()
    sent = await bench.fetch(group=group)
    assert isinstance(sent.answer, Waiting)
    assert f"no proxy of group {group!r} is known" in sent.answer.why
    assert bench.web.asked == []


async def test_a_group_out_of_service_never_means_directly() -> None:
    bench = Bench()
    for id, each in bench.store.proxies.items():
        bench.store.proxies[id] = replace(each, health=disabled(each.health))
    sent = await bench.fetch()
    assert isinstance(sent.answer, Waiting)
    assert sent.answer.until > START
    assert "tenax proxies list" in sent.answer.why
    assert bench.web.asked == []


async def test_a_short_wait_is_waited_in_place() -> None:
    bench = Bench(ProxyPolicy(ban=4.0), count=1)
    bench.web.answers = {1: status(429)}
    await bench.fetch()
    bench.web.answers = {}
    assert code(await bench.fetch()) == 200
    assert bench.clock.now() == START + 4


# -- Pace of a host and a proxy


async def test_a_pair_of_host_and_proxy_keeps_the_hosts_delay() -> None:
    bench = Bench(count=2)
    starts: dict[int, list[float]] = {}

    async def ask(request: Request) -> Answer:
        assert request.proxy is not None
        starts.setdefault(request.proxy.port, []).append(bench.clock.now())
        return status(200)

    for _ in range(6):
        await bench.pool.send(Request(URL), "a.example", "eu", ask, 3.0)
    for times in starts.values():
        gaps = [b - a for a, b in pairwise(times)]
        assert min(gaps) >= 3.0


async def test_a_longer_delay_for_pairs_holds_and_other_hosts_do_not_share_it() -> None:
    bench = Bench(ProxyPolicy(pair_delay=60.0), count=1)
    assert code(await bench.fetch("a.example", delay=1.0)) == 200
    assert code(await bench.fetch("b.example")) == 200
    sent = await bench.fetch("a.example", delay=1.0)
    assert isinstance(sent.answer, Waiting)
    assert sent.answer.until == START + 60


# -- Several processes, and people, on one ledger


async def test_what_one_process_learned_another_knows_after_the_sync() -> None:
    bench = Bench()
    other = bench.another_process()
    await other.sync()
    bench.web.answers = {1: status(403)}
    await bench.fetch()
    await bench.pool.sync()
    await other.sync()
    picked = other.pick("eu", "a.example")
    assert isinstance(picked, Proxy)
    assert picked.name == "p2"


async def test_a_ban_is_passed_on_at_once() -> None:
    bench = Bench()
    bench.web.answers = {1: status(403)}
    await bench.fetch()
    assert bench.store.syncs == 1
    await bench.fetch()
    assert bench.store.proxies[1].health.bans == 1, "no time has passed"


async def test_counts_of_two_processes_add_up() -> None:
    bench = Bench(count=1)
    other = bench.another_process()
    for pool in (bench.pool, other, bench.pool):
        await pool.send(Request(URL), "a.example", "eu", bench.web.ask)
    await bench.pool.close()
    await other.close()
    assert bench.store.proxies[1].health.successes == 3


async def test_a_person_can_bring_a_proxy_back_while_a_crawl_runs() -> None:
    bench = Bench(count=1)
    bench.web.answers = {1: status(403)}
    await bench.fetch()
    bench.web.answers = {}
    await bench.pool.sync()
    await bench.store.change("p1", lambda proxy: replace(proxy, health=ProxyHealth()))
    bench.clock.time += 5
    assert code(await bench.fetch()) == 200


async def test_a_removed_proxy_is_not_used_any_more() -> None:
    bench = Bench()
    await bench.fetch()
    await bench.store.remove("p2")
    bench.clock.time += 5
    for _ in range(6):
        await bench.fetch()
    assert 2 not in bench.web.asked


async def test_a_failing_ledger_does_not_stop_a_fetch_and_loses_no_report(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bench = Bench(count=1)
    await bench.fetch()
    bench.store.is_down = True
    bench.clock.time += 5
    with caplog.at_level(logging.WARNING):
        assert code(await bench.fetch()) == 200
    assert "kept for later" in caplog.text
    bench.store.is_down = False
    assert (await bench.health(1)).successes == 2


async def test_a_pool_that_was_never_loaded_needs_its_ledger() -> None:
    bench = Bench()
    bench.store.is_down = True
    with pytest.raises(Unavailable):
        await bench.fetch()
    assert bench.web.asked == []


async def test_the_ledger_is_asked_every_few_seconds_not_every_request() -> None:
    bench = Bench()
    for _ in range(100):
        await bench.fetch()
    assert bench.store.syncs == 1
    bench.clock.time += 5
    await bench.fetch()
    assert bench.store.syncs == 2


async def test_what_happens_during_a_sync_is_not_lost() -> None:
    bench = Bench(count=1)
    await bench.pool.sync()
    inner = bench.store.sync

    async def slow(reports: Sequence[ProxyReport]) -> list[Proxy]:
        found = await inner(reports)
        bench.pool.report(found[0], ProxyEvent.SHUNNED)
        return found

    bench.store.sync = slow  # type: ignore[method-assign]  # a ledger that takes its time
    await bench.pool.sync()
    assert isinstance(bench.pool.pick("eu", "a.example"), Waiting)


async def test_bans_are_logged_without_secrets(caplog: pytest.LogCaptureFixture) -> None:
    """SEC-3."""
    bench = Bench()
    bench.web.answers = {1: status(403)}
    with caplog.at_level(logging.DEBUG):
        await bench.fetch()
    assert "proxy p1 is banned (shunned)" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize("strategy", list(Strategy))
async def test_concurrent_fetches_use_every_proxy_that_works(strategy: Strategy) -> None:
    bench = Bench(ProxyPolicy(strategy=strategy))
    bench.web.answers = {2: DEAD}
    sent = await asyncio.gather(*(bench.fetch() for _ in range(40)))
    assert [code(each) for each in sent] == [200] * 40
