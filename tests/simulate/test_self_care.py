"""Does a process look after itself? Network, disk, memory, and visits that hang (OBS-3)."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.compose.health import telling_health
from tenax.crawl.outages.own_network import is_ours
from tenax.crawl.outages.self_care import stalled_since
from tenax.crawl.policy import CarePolicy
from tenax.model import Fault, Host, Request, State, Step, UnderWay, VisitUnderWay
from tenax.settings import Settings
from tenax.testing import (
    START,
    Answer,
    SimulatedWeb,
    VirtualClock,
    crawl,
    failing,
    open_test_app,
    page,
    run_virtually,
    scratch,
    start_job,
    status,
)  # fmt: skip
from tests.simulate.test_counts import PATIENT
from tests.simulate.test_log import logged

HOSTS = tuple(f"{name}.example" for name in "abcd")
PAGES = 30


class Web(SimulatedWeb):
    """Four sites, and a cable that can be pulled out."""

    def __init__(self, away: tuple[float, float] = (0.0, 0.0)) -> None:
        super().__init__()
        self.away = away
        self.probes: list[float] = []
        for name in HOSTS:
            self.host(name, self._answered)

    @property
    def passed(self) -> float:
        return VirtualClock().now() - START

    @property
    def is_there(self) -> bool:
        return not self.away[0] <= self.passed < self.away[1]

    async def probe(self) -> bool:
        self.probes.append(self.passed)
        return self.is_there

    def _answered(self, request: Request) -> Answer:
        if not self.is_there:
            return failing(Fault.DNS)
        if request.url.endswith("/robots.txt"):
            return status(404)
        number = request.url.rpartition("/")[2] or "0"
        return page(f"page {request.url}", *(f"/{n}" for n in range(1, PAGES)), title=number)


def told(
    web: SimulatedWeb,
    story: Callable[[Crawler], Awaitable[object]],
    settings: Settings = PATIENT,
    probe: Callable[[], Awaitable[bool]] | None = None,
) -> None:
    async def main() -> None:
        with scratch() as folder:
            async with open_test_app(web, Path(folder), settings, probe=probe) as app:
                await story(app)

    run_virtually(main())


async def hosts(app: Crawler) -> list[Host]:
    found = [await app.ledger.hosts.get(name) for name in HOSTS]
    return [each.host for each in found if each is not None]


@pytest.mark.parametrize("away", [(0.0, 100.0), (8.0, 200.0), (8.0, 9.0)])
def test_nothing_is_held_against_a_host_while_our_own_network_is_away(
    away: tuple[float, float],
) -> None:
    web = Web(away)

    async def story(app: Crawler) -> None:
        counts = await crawl(app, *(f"https://{name}/" for name in HOSTS))
        assert counts.of(State.DONE) == len(HOSTS) * PAGES
        for host in await hosts(app):
            assert host.health.failures == 0
            assert host.health.trouble is None
        tally = app.ledger.tallies.own
        assert (tally.failed, tally.retries, tally.changes) == (0, 0, {})

    told(web, story, probe=web.probe)
    asked = [each.at - START for each in web.requests]
    # What was on its way when the cable was pulled, and no more until it was seen to be back.
    lost = [at for at in asked if away[0] <= at < away[1]]
    assert len(lost) <= 2 * len(HOSTS)
    assert all(at < away[0] + 2.0 for at in lost)


def test_what_is_in_hand_is_given_back_as_soon_as_the_network_is_seen_to_be_away(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Not at the next look at everything: until then each URL that waits would be taken out, and
    put back with a line and a write of its own."""
    web = Web((8.0, 200.0))

    async def story(app: Crawler) -> None:
        await crawl(app, *(f"https://{name}/" for name in HOSTS))

    with caplog.at_level(logging.INFO, "tenax"):
        told(web, story, probe=web.probe)
    said = [line for line in logged(caplog) if line["event"] == "visit"]
    waited = [line for line in said if line["outcome"] == "waiting"]
    assert len(waited) <= 2 * len(HOSTS)


def test_the_network_is_looked_for_every_half_minute_and_work_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    web = Web((8.0, 200.0))

    async def story(app: Crawler) -> None:
        await crawl(app, *(f"https://{name}/" for name in HOSTS))
        assert app.ledger.care.held == ""

    with caplog.at_level(logging.WARNING, "tenax"):
        told(web, story, probe=web.probe)
    during = [at for at in web.probes if 8.0 <= at < 200.0]
    assert 5 <= len(during) <= 8
    assert [line["event"] for line in logged(caplog)] == ["network_away", "network_back"]


def test_a_host_that_is_away_while_others_answer_is_to_blame() -> None:
    web = Web()
    web.host("b.example", lambda _: failing(Fault.CONNECT_TIMEOUT))

    async def story(app: Crawler) -> None:
        await start_job(app, *(f"https://{name}/" for name in HOSTS))
        run = app.serve_jobs()
        task = asyncio.create_task(run.run())
        await asyncio.sleep(60.0)
        run.stop()
        await task
        (host,) = [each for each in await hosts(app) if each.name == "b.example"]
        assert host.health.trouble is not None
        assert host.health.trouble.breaker.trips

    told(web, story, probe=web.probe)


def test_a_host_is_to_blame_when_the_probe_says_so() -> None:
    web = SimulatedWeb()
    web.host("a.example", lambda _: failing(Fault.DNS))
    asked: list[float] = []

    async def probe() -> bool:
        asked.append(VirtualClock().now())
        return True

    async def story(app: Crawler) -> None:
        await crawl(app, "https://a.example/")
        (host,) = await hosts(app)
        assert host.health.failures

    told(web, story, Settings(contact=PATIENT.contact), probe)
    assert asked


class Machine:
    def __init__(self) -> None:
        self.share = 0.5
        self.taken = 0

    def free(self) -> float | None:
        return self.share

    def resident(self) -> int:
        return self.taken


def test_nothing_is_claimed_while_the_disk_is_nearly_full(caplog: pytest.LogCaptureFixture) -> None:
    web = Web()
    machine = Machine()

    async def story(app: Crawler) -> None:
        app.ledger.care.resources = machine
        await start_job(app, *(f"https://{name}/" for name in HOSTS))
        run = app.serve_jobs(until_done=True)
        task = asyncio.create_task(run.run())
        await asyncio.sleep(8.0)
        machine.share = 0.04
        await asyncio.sleep(10.0)
        full = len(web.requests)
        assert "disk" in app.ledger.care.held
        await asyncio.sleep(50.0)
        machine.share = 0.055  # not enough to begin again
        await asyncio.sleep(50.0)
        assert len(web.requests) == full
        machine.share = 0.2
        await task
        assert len(web.requests) > full

    with caplog.at_level(logging.WARNING, "tenax"):
        told(web, story)
    assert [line["event"] for line in logged(caplog)] == ["disk_low", "disk_free"]


def test_a_process_that_takes_too_much_memory_finishes_and_ends() -> None:
    web, machine = Web(), Machine()

    async def story(app: Crawler) -> None:
        app.ledger.care.resources = machine
        await start_job(app, *(f"https://{name}/" for name in HOSTS))
        task = asyncio.create_task(app.serve_jobs().run())
        await asyncio.sleep(8.0)
        machine.taken = 2_000_000_000
        await asyncio.wait_for(task, 60.0)
        assert app.ledger.care.is_full
        assert await app.ledger.auditor.audit() == []
        counts = await app.ledger.overview.totals()
        assert (counts.of(State.LEASED), counts.of(State.PENDING) > 0) == (0, True)

    told(web, story, replace(PATIENT, care=CarePolicy(memory=1_000_000_000)))


def test_a_visit_that_hangs_is_named_with_its_step(caplog: pytest.LogCaptureFixture) -> None:
    web = Web()
    free = asyncio.Event()
    send = web.send

    async def hang(request: Request) -> Answer:
        if request.url == "https://a.example/3":
            await asyncio.wait([asyncio.ensure_future(free.wait())], timeout=2_000.0)
        return await send(request)

    web.send = hang  # type: ignore[method-assign]  # a server that says nothing

    async def story(app: Crawler) -> None:
        await start_job(app, "https://a.example/")
        task = asyncio.create_task(app.serve_jobs(until_done=True).run())
        await asyncio.sleep(280.0)
        assert app.ledger.care.stalled is None
        await asyncio.sleep(200.0)
        assert "nothing has happened" in app.ledger.care.stall_trouble
        free.set()
        await task
        assert app.ledger.care.stalled is None
        assert app.ledger.tallies.own.stalls == 1

    with caplog.at_level(logging.WARNING, "tenax"):
        told(web, story)
    (stalled, over) = logged(caplog)
    assert (stalled["event"], over["event"]) == ("stalled", "stall_over")
    assert stalled["waiting_in"] == "request of https://a.example/3"
    assert stalled["diagnosis"] == "network, database, queue and disk are well"


def test_systemd_hears_no_sign_of_life_while_visits_are_stalled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that its watchdog starts the process again; and hears some before and afterwards."""
    web = Web()
    free = asyncio.Event()
    send = web.send

    async def hang(request: Request) -> Answer:
        if request.url == "https://a.example/3":
            await asyncio.wait([asyncio.ensure_future(free.wait())], timeout=2_000.0)
        return await send(request)

    web.send = hang  # type: ignore[method-assign]  # a server that says nothing
    heard: list[set[bytes]] = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        monkeypatch.setenv("WATCHDOG_USEC", "30000000")

        def hear() -> set[bytes]:
            said = set()
            with suppress(BlockingIOError):
                while True:
                    said.add(systemd.recv(100))
            return said

        async def story(app: Crawler) -> None:
            await start_job(app, "https://a.example/")
            async with telling_health(app.ledger, None):
                task = asyncio.create_task(app.serve_jobs(until_done=True).run())
                for seconds in (280.0, 100.0, 100.0):
                    await asyncio.sleep(seconds)
                    heard.append(hear())
                assert app.ledger.care.stalled is not None
                free.set()
                await task
                await asyncio.sleep(30.0)
                heard.append(hear())

        told(web, story)
    alive = b"WATCHDOG=1"
    assert heard[0] == {b"READY=1", alive}
    assert heard[2:] == [set(), {alive}]


def test_only_a_probe_can_tell_when_nobody_has_answered_lately() -> None:
    now = 1_000.0
    assert is_ours(990.0, now, answered_at=999.0, back_at=0.0) is False
    assert is_ours(980.0, now, answered_at=990.0, back_at=0.0) is None
    assert is_ours(999.5, now, answered_at=999.0, back_at=0.0) is None
    assert is_ours(990.0, now, answered_at=999.0, back_at=995.0) is True
    assert is_ours(996.0, now, answered_at=990.0, back_at=995.0) is None
    # A clock that was set back is no evidence.
    assert is_ours(990.0, now, answered_at=2_000.0, back_at=0.0) is None


def test_who_waits_for_a_turn_is_not_stalled() -> None:
    def under_way(*steps: tuple[Step, float]) -> UnderWay:
        visits = tuple(VisitUnderWay("u", "h", 1, step, since, since) for step, since in steps)
        return UnderWay(0.0, {}, visits)

    policy = CarePolicy()
    assert stalled_since(under_way(), 1e6, policy) is None
    assert stalled_since(under_way((Step.TURN, 0.0)), 1e6, policy) is None
    assert stalled_since(under_way((Step.REQUEST, 0.0)), 299.0, policy) is None
    assert stalled_since(under_way((Step.REQUEST, 0.0)), 300.0, policy) == 0.0
    assert stalled_since(under_way((Step.REQUEST, 0.0), (Step.READ, 9.0)), 305.0, policy) is None
    assert stalled_since(under_way((Step.COMMIT, 0.0)), 1e6, CarePolicy(stall=0.0)) is None
