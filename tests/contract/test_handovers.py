"""Is every stored page handed to every consumer until it is confirmed, and no more? (REC-4)"""

from __future__ import annotations

from msgspec.structs import replace

from tenax.adapters.sql.handover.consumers import SqlHandovers
from tenax.ports.programs.handover import PageConsumer
from tests.ledgers import UNPACED, Ledger, Worker, page, settlement, target

A = "https://a.example"


async def store(worker: Worker, job: int, *paths: str, body: bytes = b"<p>hello</p>") -> None:
    """Visit these, which stores their pages, in one commit each."""
    for path in paths:
        await worker.frontier.push(job, [target(f"{A}/{path}")])
        (claimed,) = await worker.frontier.claim([job])
        (leased,) = claimed.targets
        done = settlement(claimed, leased, stored=True)
        done = replace(done, page=page(leased.url, body))
        await worker.frontier.commit([done], [claimed.id])


async def waiting(handovers: SqlHandovers, consumer: PageConsumer) -> list[str]:
    found = await handovers.next(consumer)
    return [each.page.url.removeprefix(f"{A}/") for each in found if each.page is not None]


async def test_a_page_is_handed_over_until_it_is_confirmed(ledger: Ledger) -> None:
    handovers, worker = SqlHandovers(ledger.database, ledger.clock), await ledger.worker(UNPACED)
    job = await ledger.job()
    mine = await handovers.consumer(job, "mine")
    other = await handovers.consumer(job, "other")
    await store(worker, job, "c", "a", "b")
    assert await waiting(handovers, mine) == ["c", "a", "b"], "in the order of storing"
    await handovers.confirm(mine, (await handovers.next(mine))[:2])
    assert await waiting(handovers, mine) == ["b"]
    assert await waiting(handovers, other) == ["c", "a", "b"]
    assert await handovers.consumer(job, "mine") == mine
    assert (await handovers.ahead(mine, 100), await handovers.ahead(other, 2)) == (1, 2)


async def test_who_comes_late_is_handed_what_was_there_before(ledger: Ledger) -> None:
    handovers, worker = SqlHandovers(ledger.database, ledger.clock), await ledger.worker(UNPACED)
    job, another = await ledger.job(), await ledger.job("another")
    await store(worker, job, "a", "b", "c")
    await store(worker, another, "not mine")
    mine = await handovers.consumer(job, "mine")
    await store(worker, job, "d")
    await store(worker, job, "b", body=b"<p>changed</p>")
    assert await handovers.ahead(mine, 100) == 4
    assert await waiting(handovers, mine) == ["a", "c"]
    await handovers.confirm(mine, await handovers.next(mine))
    assert await waiting(handovers, mine) == ["d", "b"]
    await handovers.confirm(mine, await handovers.next(mine))
    assert (await handovers.next(mine), await handovers.ahead(mine, 9)) == ([], 0)


async def test_what_changed_after_it_was_read_is_not_confirmed_with_it(ledger: Ledger) -> None:
    handovers, worker = SqlHandovers(ledger.database, ledger.clock), await ledger.worker(UNPACED)
    job = await ledger.job()
    mine = await handovers.consumer(job, "mine")
    await store(worker, job, "a")
    read = await handovers.next(mine)
    await store(worker, job, "a", body=b"<p>changed</p>")
    await handovers.confirm(mine, read)
    assert await waiting(handovers, mine) == ["a"]


async def test_what_is_deleted_is_told_to_be_gone_and_goes_with_its_job(ledger: Ledger) -> None:
    handovers, worker = SqlHandovers(ledger.database, ledger.clock), await ledger.worker(UNPACED)
    job = await ledger.job()
    mine = await handovers.consumer(job, "mine")
    await store(worker, job, "a")
    await ledger.sql("DELETE FROM pages")
    assert [each.page for each in await handovers.next(mine)] == [None]
    while not (await ledger.jobs.delete(job)).is_gone:
        pass
    for table in ("consumers", "handovers"):
        assert await ledger.sql(f"SELECT count(*) FROM {table}") == [(0,)]
