"""The promises of a job's pace: what it did in the last minutes, and how long its queues are."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tenax.adapters.sql.reports import stats
from tenax.model import Fault, State
from tenax.outcome import Attempt, End
from tests.ledgers import START, UNPACED, Ledger, Worker, get_to_know, settlement, target

A_MINUTE = START - START % 60
"""Some whole minute."""


async def busy(ledger: Ledger) -> tuple[Worker, int]:
    """A job with work at a host that may be asked as often as one likes."""
    ledger.clock.time = A_MINUTE
    worker = await ledger.worker(UNPACED)
    job_id = await ledger.job()
    ledger.clock.time = A_MINUTE - 3600
    await get_to_know(ledger, worker, job_id, "a.example")
    ledger.clock.time = A_MINUTE
    await worker.frontier.add(job_id, [target(f"https://a.example/{n}") for n in range(2_000)])
    return worker, job_id


async def visit(ledger: Ledger, worker: Worker, job_id: int, count: int) -> None:
    (assignment,) = await worker.frontier.claim([job_id])
    visited = [settlement(assignment, each, stored=True) for each in assignment.targets]
    while len(visited) < count:
        more = await worker.frontier.refill(assignment, count - len(visited), using=1)
        visited += [settlement(assignment, each, stored=True) for each in more.targets]
    await worker.frontier.commit(visited[:count], [assignment.id])


async def test_a_job_that_did_nothing_has_no_pace(ledger: Ledger) -> None:
    job_id = await ledger.job()
    lately = await ledger.jobs.pace(job_id)
    assert (lately.visits, lately.seconds, lately.rate) == (0, 0.0, 0.0)


async def test_the_pace_is_that_of_the_last_minutes(ledger: Ledger) -> None:
    worker, job_id = await busy(ledger)
    for _ in range(10):
        await visit(ledger, worker, job_id, 60)
        ledger.clock.time += 60
    lately = await ledger.jobs.pace(job_id)
    assert lately.visits == 60 * stats.MINUTES
    assert lately.seconds == 60 * stats.MINUTES
    assert lately.rate == pytest.approx(1.0)


async def test_of_a_job_just_begun_the_minute_it_began_in_does_not_count(ledger: Ledger) -> None:
    """It began at the end of one, and so did not do little, but begin late."""
    worker, job_id = await busy(ledger)
    ledger.clock.time = A_MINUTE + 55
    await visit(ledger, worker, job_id, 10)
    ledger.clock.time = A_MINUTE + 60
    await visit(ledger, worker, job_id, 40)
    ledger.clock.time = A_MINUTE + 80
    lately = await ledger.jobs.pace(job_id)
    assert (lately.visits, lately.seconds) == (40, 20)


async def test_in_the_first_minute_of_a_new_job_its_age_counts(ledger: Ledger) -> None:
    worker = await ledger.worker(UNPACED)
    ledger.clock.time = A_MINUTE + 50
    job_id = await ledger.job()
    await worker.frontier.add(job_id, [target("https://a.example/")])
    await visit(ledger, worker, job_id, 1)
    ledger.clock.time = A_MINUTE + 55
    lately = await ledger.jobs.pace(job_id)
    assert (lately.visits, lately.seconds) == (1, 5)


async def test_what_is_long_ago_is_no_pace(ledger: Ledger) -> None:
    worker, job_id = await busy(ledger)
    await visit(ledger, worker, job_id, 60)
    ledger.clock.time += 3600
    assert (await ledger.jobs.pace(job_id)).visits == 0


async def test_failures_bytes_and_pages_are_told_apart(ledger: Ledger) -> None:
    worker, job_id = await busy(ledger)
    (assignment,) = await worker.frontier.claim([job_id])
    read, failed, waiting, *_ = assignment.targets
    given_up = End(State.FAILED, "x", Fault.READ_TIMEOUT)
    attempt = Attempt(ledger.clock.time, "read", 200, bytes=700)
    earlier = (replace(attempt, outcome="failed", bytes=40),)
    await worker.frontier.commit(
        [
            replace(settlement(assignment, read, stored=True), attempt=attempt, earlier=earlier),
            replace(
                settlement(assignment, failed, given_up),
                attempt=replace(attempt, outcome="failed", bytes=2),
            ),
            replace(settlement(assignment, waiting), attempt=None),
        ],
        [assignment.id],
    )
    lately = await ledger.jobs.pace(job_id)
    told = (lately.visits, lately.pages, lately.failures, lately.bytes)
    assert told == (2, 1, 1, 742)


async def test_each_job_has_a_pace_of_its_own(ledger: Ledger) -> None:
    worker, job_id = await busy(ledger)
    other = await ledger.job("other")
    await visit(ledger, worker, job_id, 30)
    assert (await ledger.jobs.pace(other)).visits == 0
    assert (await ledger.jobs.pace(job_id)).visits == 30


async def test_the_longest_queues_are_told(ledger: Ledger) -> None:
    worker = await ledger.worker()
    job_id, other = await ledger.job(), await ledger.job("other")
    sizes = {"a.example": 3, "b.example": 50, "c.example": 7}
    for host, size in sizes.items():
        urls = [target(f"https://{host}/{n}") for n in range(size)]
        await worker.frontier.add(job_id, urls)
        await worker.frontier.add(other, urls)
    queues = (await ledger.jobs.pace(job_id)).queues
    assert (await ledger.jobs.pace(job_id, queues[:1])).queues == queues[:1], "not counted again"
    told = [(queue.host.name, queue.waiting) for queue in queues]
    assert told == [("b.example", 50), ("c.example", 7), ("a.example", 3)]


async def test_what_is_older_than_a_week_is_thrown_away(ledger: Ledger) -> None:
    worker, job_id = await busy(ledger)
    hour = A_MINUTE - A_MINUTE % 3600 + 3600
    ledger.clock.time = hour
    await visit(ledger, worker, job_id, 8)
    ledger.clock.time = hour + 3 * 24 * 3600
    await visit(ledger, worker, job_id, 8)
    assert len(await minutes(worker)) == 3, "the host was got to know in another"
    ledger.clock.time = hour + 7 * 24 * 3600 + 3600
    await visit(ledger, worker, job_id, 8)
    kept = await minutes(worker)
    assert kept == [(hour + 3 * 24 * 3600) // 60, ledger.clock.time // 60]


async def minutes(worker: Worker) -> list[float]:
    query = "SELECT minute FROM stats ORDER BY minute"
    return await worker.database.read(lambda c: [row[0] for row in c.exec_driver_sql(query)])
