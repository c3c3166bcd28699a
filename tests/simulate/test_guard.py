"""Two workers that both believe to hold a host: with a guard between them it hears one of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.fleet.start_guard import Watch
from tenax.crawl.turns import HostTurns
from tenax.fetch.turns import HostClosed, LeaseExpired
from tenax.hosts.conduct import HostPolicies
from tenax.hosts.pace import PacePolicy, PoliteTo
from tenax.hosts.signs import ToldToWait
from tenax.model import Assignment, Host
from tenax.ports import StartGuard
from tenax.settings import Settings
from tenax.testing import (
    SimulatedWeb,
    VirtualClock,
    crawl,
    open_test_app,
    page,
    run_virtually,
    throttled,
)
from tests.guards import MemoryGuard
from tests.simulate.sites import small_site

CONFIG = Settings(contact="mailto:test@example.org")


@asynccontextmanager
async def guarded(
    web: SimulatedWeb, folder: Path, guard: StartGuard | None, config: Settings = CONFIG
) -> AsyncIterator[Crawler]:
    """A worker on a ledger of its own: nothing but the guard knows of the other."""
    async with open_test_app(web, folder, config) as app:
        watch = Watch(guard, app.parts.clock, config.pace) if guard is not None else None
        yield replace(app, parts=replace(app.parts, watch=watch))


async def crawl_twice(
    web: SimulatedWeb,
    folder: Path,
    guard: StartGuard | None,
    config: Settings = CONFIG,
    seeds: tuple[str, ...] = ("https://a.example/",) * 2,
) -> None:
    async with (
        guarded(web, folder / "one", guard, config) as one,
        guarded(web, folder / "two", guard, config) as two,
    ):
        await asyncio.gather(crawl(one, seeds[0]), crawl(two, seeds[1]))


def gaps(web: SimulatedWeb, *hosts: str) -> list[float]:
    asked = sorted(at for host in hosts or ("a.example",) for at in web.asked(host))
    return [after - before for before, after in pairwise(asked)]


def test_their_requests_are_one_row(tmp_path: Path) -> None:
    async def main() -> list[float]:
        web = SimulatedWeb()
        small_site(web, "a.example", 5)
        await crawl_twice(web, tmp_path, MemoryGuard(VirtualClock()))
        return gaps(web)

    found = run_virtually(main())
    assert len(found) == 11
    assert min(found) >= 1.0
    assert max(found) < 2.1, "nor does anybody wait for long"


def test_without_it_they_would_be_two(tmp_path: Path) -> None:
    """So the test above tests something."""

    async def main() -> list[float]:
        web = SimulatedWeb()
        small_site(web, "a.example", 5)
        await crawl_twice(web, tmp_path, None)
        return gaps(web)

    assert min(run_virtually(main())) < 1.0


def test_a_lost_guard_leaves_each_to_its_own_pace(tmp_path: Path) -> None:
    """OBS-5: never to no pacing."""

    async def main() -> tuple[SimulatedWeb, list[float]]:
        web = SimulatedWeb()
        small_site(web, "a.example", 5)
        guard = MemoryGuard(VirtualClock(), is_down=True)
        async with guarded(web, tmp_path, guard) as app:
            await crawl(app, "https://a.example/")
        return web, gaps(web)

    web, found = run_virtually(main())
    assert len(web.urls()) == 5
    assert min(found) >= 1.0


def test_without_a_delay_both_together_keep_to_the_slots(tmp_path: Path) -> None:
    config = replace(CONFIG, pace=PacePolicy(delay=0, slots_unpaced=3))

    class Counting(SimulatedWeb):
        most = 0

        def _answer(self, request):  # type: ignore[no-untyped-def]  # as its parent's
            self.most = max(self.most, self.under_way + 1)
            return super()._answer(request)

    async def main() -> int:
        web = Counting()
        small_site(web, "a.example", 30)
        await crawl_twice(web, tmp_path, MemoryGuard(VirtualClock()), config)
        assert len(web.urls()) == 60
        return web.most

    assert run_virtually(main()) == 3


@pytest.mark.parametrize("key", [PoliteTo.DOMAIN, PoliteTo.IP])
def test_hosts_of_one_owner_are_one_row_where_that_counts(tmp_path: Path, key: PoliteTo) -> None:
    """FR-5: by domain, and by address from the first request on."""
    config = replace(CONFIG, pace=PacePolicy(key=key))

    async def main() -> list[float]:
        web = SimulatedWeb()
        web.addresses = dict.fromkeys(("a.example.org", "b.example.org"), "192.0.2.7")
        seeds = tuple(f"https://{name}.example.org/" for name in "ab")
        for name in ("a.example.org", "b.example.org"):
            small_site(web, name, 3)
        await crawl_twice(web, tmp_path, MemoryGuard(VirtualClock()), config, seeds)
        return gaps(web, "a.example.org", "b.example.org")

    assert min(run_virtually(main())) >= 1.0


def test_what_one_is_told_the_other_heeds_at_once(tmp_path: Path) -> None:
    """HOST-1: a 429 to one of them silences both."""

    async def main() -> SimulatedWeb:
        web = SimulatedWeb()
        web.at("https://a.example/", page("home", "/1", "/2"))
        web.at("https://a.example/1", throttled(retry_after=60), page("one"))
        web.at("https://a.example/2", page("two"))
        await crawl_twice(web, tmp_path, MemoryGuard(VirtualClock()))
        return web

    web = run_virtually(main())
    told_at = next(r.at for r in web.requests if r.url.endswith("/1"))
    after = min(at for at in web.asked("a.example") if at > told_at)
    assert after - told_at >= 60
    assert len([url for url in web.urls() if url.endswith("/2")]) == 2, "both go on afterwards"


def turns_of(guard: StartGuard, clock: VirtualClock, expires_at: float = 1e12) -> HostTurns:
    host = Host("a.example", "https://a.example")
    assignment = Assignment(1, host, (), 1, expires_at)
    watch = Watch(guard, clock, PacePolicy())
    return HostTurns(host, clock, HostPolicies(), Random(1), expires_at, watch.over(assignment))


def test_a_request_that_was_cut_off_counts_as_sent() -> None:
    async def main() -> None:
        clock = VirtualClock()
        guard = MemoryGuard(clock)
        one, two = turns_of(guard, clock), turns_of(guard, clock)
        turn = await one.take()
        assert turn.may_leave()
        turn.over()
        begun = clock.now()
        await two.take()
        assert clock.now() - begun >= 1.0

    run_virtually(main())


def test_a_process_stopped_between_grant_and_request_sends_nothing() -> None:
    """As SIGSTOP does it: others have been asking since."""

    class Stopped(VirtualClock):
        away = 0.0

        def now(self) -> float:
            return super().now() + self.away

    async def main() -> None:
        clock = Stopped()
        turns = turns_of(MemoryGuard(VirtualClock()), clock)
        turn = await turns.take()
        clock.away = 31
        assert not turn.may_leave()

    run_virtually(main())


def test_who_waits_for_another_gives_up_when_its_lease_ends() -> None:
    async def main() -> None:
        clock = VirtualClock()
        guard = MemoryGuard(clock)
        await turns_of(guard, clock).take()
        with pytest.raises(LeaseExpired):
            await turns_of(guard, clock, clock.now() + 5).take()
        assert guard.clock.now() < clock.now() + 7

    run_virtually(main())


def test_a_closed_host_is_left_with_the_moment_it_opens() -> None:
    async def main() -> None:
        clock = VirtualClock()
        guard = MemoryGuard(clock)
        one, two = turns_of(guard, clock), turns_of(guard, clock)
        one.learn(ToldToWait(clock.now(), 60.0))
        with pytest.raises(HostClosed):
            await two.take()
        assert two.host.pace.backoff_until == pytest.approx(clock.now() + 60, abs=1)
        assert two.is_silenced

    run_virtually(main())


def test_a_moment_before_it_opens_a_host_is_waited_for() -> None:
    async def main() -> None:
        clock = VirtualClock()
        guard = MemoryGuard(clock)
        guard.shut("a.example", 0.5, "breaker")
        begun = clock.now()
        await turns_of(guard, clock).take()
        assert clock.now() - begun >= 0.5

    run_virtually(main())
