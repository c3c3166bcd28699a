"""The promises of `Overview`: lists are complete and each step is short, totals add up."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tenax.adapters.sql.reports import overview
from tenax.adapters.sql.reports.overview import SqlOverview
from tenax.model import State, Step, UnderWay, VisitUnderWay
from tenax.ports.overview import Sieve, UrlRecord
from tests.ledgers import LEDGERS, START, Ledger, get_to_know, settlements, target

HOSTS = ("a.example", "b.example", "c.example")


@pytest.fixture(params=LEDGERS)
async def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Ledger]:
    async with LEDGERS[request.param](tmp_path) as made:
        yield made


@pytest.fixture
def seen(ledger: Ledger) -> SqlOverview:
    return SqlOverview(ledger.database, ledger.clock)


async def fill(ledger: Ledger) -> None:
    """Two jobs; of the first, each host has a page and some URLs that wait."""
    worker = await ledger.worker()
    for name in ("one", "two"):
        job = await ledger.job(name)
        found = [target(f"https://{host}/{n}") for host in HOSTS for n in range(4)]
        await worker.frontier.add(job, found)
    one = (await ledger.jobs.all())[0]
    for assignment in await worker.frontier.claim([one.id]):
        await worker.frontier.commit(settlements(assignment, stored=True), [assignment.id])


async def walked(seen: SqlOverview, sieve: Sieve, limit: int) -> list[UrlRecord]:
    found: list[UrlRecord] = []
    after: int | None = 0
    while after is not None:
        rows, after = await seen.urls(sieve, after, limit)
        found += rows
    return found


@pytest.mark.parametrize("window", [3, 5_000])
async def test_every_url_comes_once_however_short_the_steps(
    ledger: Ledger, seen: SqlOverview, monkeypatch: pytest.MonkeyPatch, window: int
) -> None:
    monkeypatch.setattr(overview, "WINDOW", window)
    await fill(ledger)
    everything = await walked(seen, Sieve(), 5)
    assert len(everything) == 24
    assert len({each.id for each in everything}) == 24
    for sieve, count in (
        (Sieve(job="two"), 12),
        (Sieve(host="b.example"), 8),
        (Sieve(job="one", host="b.example", state=State.DONE), 1),
        (Sieve(job="one", state=State.PENDING), 9),
        (Sieve(job="nobody"), 0),
    ):
        assert len(await walked(seen, sieve, 2)) == count, sieve


async def test_a_step_looks_at_so_many_rows_and_no_more(
    ledger: Ledger, seen: SqlOverview, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overview, "WINDOW", 6)
    await fill(ledger)
    rows, after = await seen.urls(Sieve(job="two"), 0, 100)
    assert rows == []
    assert after is not None, "there is more behind them"


async def test_pages_come_in_steps_and_by_their_hash(ledger: Ledger, seen: SqlOverview) -> None:
    await fill(ledger)
    first, after = await seen.pages(Sieve(), 0, 2)
    assert after is not None
    rest, end = await seen.pages(Sieve(), after, 2)
    assert (len(first), len(rest), end) == (2, 1, None)
    page = rest[0]
    key = bytes.fromhex(page.url_hash)
    host = page.url.split("/")[2]
    for name in (host, None):
        assert [each.url for each in await seen.pages_at(key, name) or []] == [page.url]
    assert await seen.pages_at(key, "elsewhere.example") == []
    assert await seen.pages_at(b"\0" * 32, None) == []


async def test_among_very_many_hosts_a_page_is_not_looked_for_without_its_host(
    ledger: Ledger, seen: SqlOverview, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(ledger)
    monkeypatch.setattr(overview, "MOST_LANES", 2)
    assert await seen.pages_at(b"\0" * 32, None) is None
    assert await seen.pages_at(b"\0" * 32, "a.example") == []


async def test_totals_are_those_of_all_jobs(ledger: Ledger, seen: SqlOverview) -> None:
    assert (await seen.totals()).known == 0
    await fill(ledger)
    totals = await seen.totals()
    assert (totals.known, totals.pages, totals.of(State.DONE)) == (24, 3, 3)
    assert totals.unfinished == 21


async def test_hosts_come_by_name_with_what_is_known_there(
    ledger: Ledger, seen: SqlOverview
) -> None:
    await fill(ledger)
    first = await seen.hosts("", 2)
    assert [sight.host.name for sight in first] == ["a.example", "b.example"]
    assert [sight.host.name for sight in await seen.hosts("b.example", 2)] == ["c.example"]
    assert first[0].known == 8
    assert first[0].host.visits == 1
    assert await seen.host("c.example") is not None
    assert await seen.host("d.example") is None


async def test_workers_are_seen_with_what_they_hold(ledger: Ledger, seen: SqlOverview) -> None:
    assert await seen.workers() == []
    worker = await ledger.worker()
    job = await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    await worker.frontier.add(job, [target("https://a.example/2")])
    ledger.clock.time += 10
    await worker.frontier.claim([job])
    (found,) = await seen.workers()
    assert (found.hosts, found.started_at) == (1, START)
    sight = await seen.host("a.example")
    assert sight is not None
    assert sight.holders == 1


async def test_visits_are_read_once_each(ledger: Ledger, seen: SqlOverview) -> None:
    assert await seen.visits(None, 10) == []
    await fill(ledger)
    (last,) = await seen.visits(None, 10)
    visits = await seen.visits(0, 10)
    assert [(visit.outcome, visit.status) for visit in visits] == [("read", 200)] * 3
    assert visits[-1] == last
    assert await seen.visits(last.id, 10) == []


async def test_what_was_done_lately_is_that_of_running_jobs(
    ledger: Ledger, seen: SqlOverview
) -> None:
    assert (await seen.lately()).visits == 0
    await fill(ledger)
    lately = await seen.lately()
    assert (lately.visits, lately.pages, lately.failures) == (3, 3, 0)
    assert lately.seconds > 0
    ledger.clock.time += 3_600
    assert (await seen.lately()).visits == 0


async def test_what_a_worker_does_is_seen_as_it_last_told(
    ledger: Ledger, seen: SqlOverview
) -> None:
    first, second = await ledger.worker(), await ledger.worker()
    await first.frontier.show(under_way(Step.TURN))
    told = under_way(Step.REQUEST, Step.COMMIT)
    await first.frontier.show(told)
    await first.frontier.renew()
    await second.frontier.renew()
    assert [each.under_way for each in await seen.workers()] == [told, None]
    assert first.membership is not None
    await first.membership.leave()
    assert [each.under_way for each in await seen.workers()] == [None]


def under_way(*steps: Step) -> UnderWay:
    visits = [VisitUnderWay("https://ä.example/?\x00", "a.example", 1, s, 7.5, 3.0) for s in steps]
    return UnderWay(9.25, dict.fromkeys(steps, 1), tuple(visits))
