"""What waits for a browser: given to those who have one, seen by nobody else, on every ledger."""

from __future__ import annotations

from tenax.model import FOR_A_BROWSER, State
from tenax.outcome import End, Later
from tests.ledgers import (
    START,
    Ledger,
    Worker,
    get_to_know,
    settlement,
    settlements,
    target,
    urls,
)

A, B = "https://a.example", "https://b.example"
PARKED = Later(FOR_A_BROWSER, counts=False, reason="empty_shell: waits for a browser")


async def parked(ledger: Ledger, worker: Worker, job: int, *pages: str) -> None:
    """A host that is known, with these targets waiting for a browser."""
    await get_to_know(ledger, worker, job, pages[0].split("/")[2])
    await worker.frontier.add(job, [target(url) for url in pages])
    ledger.clock.time += 5
    (held,) = await worker.frontier.claim([job])
    assert sorted(urls(held)) == sorted(pages)
    done = [settlement(held, each, PARKED) for each in held.targets]
    await worker.frontier.commit(done, [held.id])
    ledger.clock.time += 5


async def test_it_is_pending_and_no_other_claim_brings_it(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await parked(ledger, worker, job, f"{A}/1", f"{A}/2")
    assert await worker.frontier.claim([job]) == []
    assert await worker.frontier.offer([job]) == []
    counts = await ledger.jobs.counts(job)
    assert (counts.of(State.PENDING), counts.unrendered) == (2, 2)
    assert await worker.frontier.next_ready([job]) == FOR_A_BROWSER, "no crawl waits for that"
    assert await ledger.hosts.waiting(job) == [], "and its host does not wait for a time"
    await worker.frontier.add(job, [target(f"{A}/3")])
    ((only,),) = [a.targets for a in await worker.frontier.claim([job])]
    assert (only.url, only.for_browser) == (f"{A}/3", False)


async def test_whoever_has_a_browser_gets_it_and_nothing_else(ledger: Ledger) -> None:
    plain, browser, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await parked(ledger, plain, job, f"{A}/1", f"{A}/2")
    await parked(ledger, plain, job, f"{B}/1")
    await plain.frontier.add(job, [target(f"{A}/ordinary")])
    moment = await browser.frontier.next_for_browser([job])
    assert moment is not None
    assert moment <= ledger.clock.time
    claimed = await browser.frontier.claim_for_browser([job])
    assert sorted(url for each in claimed for url in urls(each)) == [f"{A}/1", f"{A}/2", f"{B}/1"]
    assert all(each.for_browser for assignment in claimed for each in assignment.targets)
    assert (await ledger.jobs.counts(job)).unrendered == 0
    assert await browser.frontier.claim_for_browser([job]) == [], "a host has one holder"
    for held in claimed:
        await browser.frontier.commit(settlements(held), [held.id])
    assert await browser.frontier.next_for_browser([job]) is None
    ledger.clock.time += 5
    (rest,) = await plain.frontier.claim([job])
    assert urls(rest) == [f"{A}/ordinary"]


async def test_a_host_that_is_asked_by_another_is_left_to_it(ledger: Ledger) -> None:
    plain, browser, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await parked(ledger, plain, job, f"{A}/1")
    await plain.frontier.add(job, [target(f"{A}/2")])
    (held,) = await plain.frontier.claim([job])
    assert await browser.frontier.claim_for_browser([job]) == []
    await plain.frontier.commit(settlements(held), [held.id])
    ledger.clock.time += 5
    (rendered,) = await browser.frontier.claim_for_browser([job])
    assert urls(rendered) == [f"{A}/1"]


async def test_what_a_dead_browser_held_waits_for_the_next_one(ledger: Ledger) -> None:
    plain, browser, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await parked(ledger, plain, job, f"{A}/1")
    assert len(await browser.frontier.claim_for_browser([job])) == 1
    browser.die()
    assert await plain.frontier.reclaim() == 1
    assert (await ledger.jobs.counts(job)).unrendered == 1
    ledger.clock.time += 60
    assert await plain.frontier.claim([job]) == []
    another = await ledger.worker()
    assert len(await another.frontier.claim_for_browser([job])) == 1


async def test_a_retry_due_later_does_not_hide_it(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await parked(ledger, worker, job, f"{A}/1")
    await worker.frontier.add(job, [target(f"{A}/2")])
    (held,) = await worker.frontier.claim([job])
    later = Later(START + 90_000, counts=True, reason="server_error")
    await worker.frontier.commit([settlement(held, held.targets[0], later)], [held.id])
    ledger.clock.time += 5
    (rendered,) = await worker.frontier.claim_for_browser([job])
    assert urls(rendered) == [f"{A}/1"]


async def test_a_page_limit_holds_for_it_too(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job(max_pages=1)
    await worker.frontier.add(job, [target(f"{A}/1")])
    (held,) = await worker.frontier.claim([job])
    await worker.frontier.commit([settlement(held, held.targets[0], PARKED)], [held.id])
    ledger.clock.time += 5
    (rendered,) = await worker.frontier.claim_for_browser([job])
    assert len(rendered.targets) == 1


async def test_a_paused_host_gives_none_out(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await parked(ledger, worker, job, f"{A}/1")
    await ledger.hosts.pause("a.example")
    assert await worker.frontier.claim_for_browser([job]) == []
    assert await worker.frontier.next_for_browser([job]) is None


async def test_one_that_is_given_up_waits_no_more(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await parked(ledger, worker, job, f"{A}/1")
    (held,) = await worker.frontier.claim_for_browser([job])
    end = End(State.REJECTED, "empty_shell")
    await worker.frontier.commit([settlement(held, held.targets[0], end)], [held.id])
    counts = await ledger.jobs.counts(job)
    assert (counts.states, counts.unrendered) == ({State.DONE: 1, State.REJECTED: 1}, 0)
