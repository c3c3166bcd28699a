"""The promises of purging and clearing: what is meant goes, all else stays whole."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tenax.adapters.sql.lifecycle import purging
from tenax.adapters.sql.records import deletion
from tenax.model import State
from tenax.ops.lifecycle.purge_pages import PagesPurged, PurgeNamesNothing, purge_pages
from tenax.ports import PageChoice
from tests.ledgers import START, UNPACED, Ledger, Worker, get_to_know, settlement, target


async def stocked(ledger: Ledger) -> tuple[Worker, int]:
    """Two hosts with six pages each, fetched a minute apart, all nearly the same, and two URLs
    that wait at each."""
    worker = await ledger.worker(UNPACED)
    job = await ledger.job()
    for host in ("a.example", "b.example"):
        await get_to_know(ledger, worker, job, host)
        await worker.frontier.add(job, [target(f"https://{host}/{n}") for n in range(6)])
        (held,) = [a for a in await worker.frontier.claim([job]) if a.host.name == host]
        for number, each in enumerate(held.targets):
            told = settlement(held, each, stored=True)
            assert told.page is not None
            made = replace(told.page, simhash=7, fetched_at=START + 60 * number)
            await worker.frontier.commit([replace(told, page=made)])
        await worker.frontier.commit([], [held.id])
    waiting = [f"https://{host}/waits{n}" for host in ("a.example", "b.example") for n in range(2)]
    await worker.frontier.add(job, [target(url) for url in waiting])
    return worker, job


async def whole(ledger: Ledger) -> None:
    assert await ledger.auditor.audit() == []


@pytest.mark.parametrize("chunk", [2, 500])
async def test_pages_that_are_meant_go_and_the_ledger_stays_whole(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(purging, "CHUNK", chunk)
    monkeypatch.setattr(purging, "WINDOW", 3 * chunk)
    _, job = await stocked(ledger)
    for which, count in (
        (PageChoice(host="a.example", fetched_before=START + 120), 2),
        (PageChoice(contains="B.EXAMPLE/5"), 1),
        (PageChoice(job="nobody"), 0),
        (PageChoice(job="job"), 9),
    ):
        for dry in (True, False):
            done = await purge_pages(ledger.pages, ledger.clock, which, dry=dry, seconds=60)
            assert done == PagesPurged(count, is_whole=True), (which, dry)
            await whole(ledger)
    counts = await ledger.jobs.counts(job)
    assert (counts.pages, counts.duplicates, counts.of(State.DONE)) == (0, 0, 14)


async def test_nobody_means_all_pages_without_saying_so(ledger: Ledger) -> None:
    await stocked(ledger)
    refused = await purge_pages(ledger.pages, ledger.clock, PageChoice(), seconds=60)
    assert refused == PurgeNamesNothing()
    done = await purge_pages(ledger.pages, ledger.clock, PageChoice(), everything=True, seconds=60)
    assert done == PagesPurged(12, is_whole=True)
    await whole(ledger)


async def test_a_purge_whose_time_is_up_says_that_there_is_more(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purging, "CHUNK", 5)
    await stocked(ledger)
    done = await purge_pages(ledger.pages, ledger.clock, PageChoice(job="job"), seconds=0)
    assert done == PagesPurged(5, is_whole=False)
    await whole(ledger)


async def test_a_page_in_somebodys_hands_stays(ledger: Ledger) -> None:
    worker, job = await stocked(ledger)
    assert await worker.frontier.revisit(job, START) == 14
    held = await worker.frontier.claim([job], 1)
    in_hand = sum(len(each.targets) for each in held)
    done = await purge_pages(ledger.pages, ledger.clock, PageChoice(job="job"), seconds=60)
    assert isinstance(done, PagesPurged)
    assert 12 - in_hand <= done.pages < 12
    await whole(ledger)


@pytest.mark.parametrize("chunk", [1, 1_000])
async def test_what_was_never_visited_is_forgotten_and_all_else_stays(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(deletion, "CHUNK", chunk)
    worker, job = await stocked(ledger)
    other = await ledger.job("other")
    await worker.frontier.add(other, [target("https://a.example/waits0")])
    await worker.frontier.add(job, [target("https://new.example/")])
    cleared = 0
    place: int | None = 0
    while place is not None:
        count, place = await ledger.jobs.clear(job, place)
        cleared += count
        await whole(ledger)
    assert cleared == 5
    counts = await ledger.jobs.counts(job)
    assert (counts.of(State.PENDING), counts.of(State.DONE), counts.pages) == (0, 14, 12)
    assert (await ledger.jobs.counts(other)).of(State.PENDING) == 1
