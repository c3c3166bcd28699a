"""The ledger goes away in the middle of a crawl and comes back: the crawl waits and goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy.engine import Connection

from tenax.adapters.sql.engine.sqlite import Database
from tenax.crawl.outages.outage import Away, OutagePatience, OutagePolicy
from tenax.crawl.policy import CommitPolicy, FeedPolicy, LeasePolicy
from tenax.hosts.pace import PacePolicy
from tenax.model import State
from tenax.ports import Counts, Unavailable
from tenax.settings import Settings
from tenax.testing import START, SimulatedWeb, VirtualClock, crawl, open_test_app, run_virtually
from tests.simulate.sites import assert_polite, assert_whole, telling_site

T = TypeVar("T")
PAGES = 60
LEASE = 20.0


@dataclass
class Shaky:
    """A ledger that does not answer for a while, by the virtual clock."""

    inner: Database
    policy: OutagePolicy
    begins: float
    ends: float
    calls: int = 0
    patience: OutagePatience = field(init=False)

    def __post_init__(self) -> None:
        self.patience = OutagePatience("the ledger", self.policy, VirtualClock())

    async def write(self, work: Callable[[Connection], T]) -> T:
        return await self.patience.insist(lambda: self._answer(self.inner.write, work))

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await self.patience.insist(lambda: self._answer(self.inner.read, work))

    async def _answer(self, ask: Any, work: Callable[[Connection], T]) -> T:
        self.calls += 1
        if self.begins <= VirtualClock().now() - START < self.ends:
            raise Away("the ledger does not answer.")
        result: T = await ask(work)
        return result

    async def close(self) -> None:
        await self.inner.close()


def crawled(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    *,
    away: tuple[float, float],
    patience: float = 600.0,
    delay: float = 1.0,
) -> tuple[SimulatedWeb, Counts]:
    opened = Database.open
    policy = OutagePolicy(patience=patience)

    async def shaky(*given: Any, **named: Any) -> Shaky:
        return Shaky(await opened(*given, **named), policy, *away)

    monkeypatch.setattr(Database, "open", shaky)
    settings = Settings(
        contact="mailto:test@example.org",
        pace=PacePolicy(delay=delay, slots_unpaced=4),
        lease=LeasePolicy(seconds=LEASE, silence=LEASE),
        feed=FeedPolicy(heartbeat=5.0),
        commit=CommitPolicy(most=8),
    )

    async def story() -> tuple[SimulatedWeb, Counts]:
        web = SimulatedWeb()
        telling_site(web, "a.example", PAGES)
        async with open_test_app(web, folder, settings) as app:
            counts = await crawl(app, "https://a.example/")
            await assert_whole(app)
        return web, counts

    return run_virtually(story())


@pytest.mark.parametrize("delay", [0.0, 1.0], ids=["unpaced", "polite"])
def test_a_crawl_goes_on_when_its_ledger_is_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, delay: float
) -> None:
    web, counts = crawled(monkeypatch, tmp_path, away=(0.4, 60.0), delay=delay)
    assert counts.of(State.DONE) == counts.pages == PAGES
    if delay:
        assert_polite(web, delay)


def test_no_host_is_asked_on_a_lease_that_ran_out_meanwhile(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    begins, ends = 8.0, 90.0
    web, _ = crawled(monkeypatch, tmp_path, away=(begins, ends))
    asked = [at - START for at in web.asked("a.example")]
    assert [at for at in asked if begins + LEASE < at < ends] == []
    assert [at for at in asked if begins < at <= begins + LEASE], "work in hand went on"
    assert min(at for at in asked if at >= ends) < ends + 5.0, "it is back at once"


def test_results_wait_in_bounded_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An unpaced host could be asked for all it has while nobody writes it down."""
    web, _ = crawled(monkeypatch, tmp_path, away=(0.4, 19.0), delay=0.0)
    meanwhile = [at for at in web.asked("a.example") if 0.5 < at - START < 19.0]
    assert len(meanwhile) <= 8 + 4 + 4, "the commit policy's most, and what was under way"


def test_a_ledger_that_stays_away_ends_the_crawl_with_its_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(Unavailable, match="the ledger does not answer"):
        crawled(monkeypatch, tmp_path, away=(2.0, 10_000.0), patience=100.0)
