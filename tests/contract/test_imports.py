"""What a ledger promises of pages that nobody fetched: they are pages like any other."""

from __future__ import annotations

from msgspec.structs import replace

from tenax.adapters.sql.records.imports import SqlImports
from tenax.fetch.fetch_policy import SimilarPolicy
from tenax.model import State
from tenax.ports.imports import Imported, Taken
from tests.ledgers import START, Ledger, page, settlements, target

A, B = "https://a.example/", "https://b.example/x"
TEXT = 0x0123_4567_89AB_CDEF


def imported(url: str, at: float = START, title: str = "archived") -> Imported:
    read = replace(page(url, at=at), title=title, simhash=TEXT)
    return Imported(target(url, depth=0), read, b"h" * 32)


def importing(ledger: Ledger) -> SqlImports:
    return SqlImports(ledger.database, SimilarPolicy())


async def test_imported_pages_are_stored_and_their_targets_done(ledger: Ledger) -> None:
    job = await ledger.job()
    taken = await importing(ledger).take(job, [imported(A), imported(B)])
    assert taken == Taken(new=2)
    assert [r.title for r in await ledger.pages.find()] == ["archived"] * 2
    assert await ledger.state(A) is State.DONE
    assert (await ledger.jobs.counts(job)).pages == 2
    assert (await ledger.jobs.counts(job)).duplicates == 1
    (first, *_) = await ledger.pages.find()
    (attempt,) = await ledger.pages.attempts(first.target_id)
    assert (attempt.client, attempt.status, attempt.at) == ("warc", 200, START)
    assert await ledger.auditor.audit() == []


async def test_the_newest_copy_stays_in_whatever_order_they_come(ledger: Ledger) -> None:
    job, imports = await ledger.job(), importing(ledger)
    both = [imported(A, START + 5, "new"), imported(A, START, "old")]
    assert await imports.take(job, both) == Taken(new=1, older=1)
    assert await imports.take(job, [imported(A, START + 5)]) == Taken(older=1)
    assert await imports.take(job, [imported(A, START + 9, "newest")]) == Taken(renewed=1)
    assert [r.title for r in await ledger.pages.find()] == ["newest"]
    assert await ledger.auditor.audit() == []


async def test_what_was_waiting_to_be_fetched_is_done_then(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(A), target(B)])
    assert await importing(ledger).take(job, [imported(A)]) == Taken(new=1)
    assert await ledger.state(A) is State.DONE
    assert await ledger.auditor.audit() == []
    claimed = await worker.frontier.claim([job])
    assert [leased.url for held in claimed for leased in held.targets] == [B]


async def test_what_a_worker_has_in_hand_is_left_to_it(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(A)])
    (held,) = await worker.frontier.claim([job])
    assert await importing(ledger).take(job, [imported(A)]) == Taken(held=1)
    await worker.frontier.commit(settlements(held, stored=True), [held.id])
    assert [r.title for r in await ledger.pages.find()] == ["hello"]


async def test_a_crawl_visits_an_imported_page_again_when_told_to(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await importing(ledger).take(job, [imported(A)])
    assert await worker.frontier.revisit(job) == 1
    (held,) = await worker.frontier.claim([job])
    assert held.targets[0].copy is not None


async def test_nothing_is_taken_from_nothing(ledger: Ledger) -> None:
    assert await importing(ledger).take(await ledger.job(), []) == Taken()
