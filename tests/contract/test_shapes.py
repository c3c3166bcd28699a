"""Whatever the ledger, visits are added up by shape, whoever made them. (URL-6)"""

from __future__ import annotations

from msgspec.structs import replace

from tenax.model import Assignment
from tenax.outcome import Settlement
from tenax.ports import ShapeCounts, ShapeRecord
from tests.ledgers import UNPACED, Ledger, Worker, get_to_know, settlement, target

A = "https://a.example"


async def claim(ledger: Ledger, worker: Worker, job: int, count: int) -> Assignment:
    await get_to_know(ledger, worker, job, "a.example")
    await worker.frontier.add(job, [target(f"{A}/cal/{n}") for n in range(count)])
    (assignment,) = await worker.frontier.claim([job])
    return assignment


def visits(assignment: Assignment, fruitless: int) -> list[Settlement]:
    return [
        replace(settlement(assignment, leased), shape="/cal/N", fruitless=place < fruitless)
        for place, leased in enumerate(assignment.targets)
    ]


async def test_visits_are_added_up(ledger: Ledger) -> None:
    worker, job = await ledger.worker(pace=UNPACED), await ledger.job()
    assignment = await claim(ledger, worker, job, 6)
    batch = visits(assignment, fruitless=4)
    await worker.frontier.commit(batch[:2])
    await worker.frontier.commit(batch[2:], [assignment.id])
    counted = await worker.frontier.shapes(job, assignment.host.id)
    assert counted == {"/cal/N": ShapeCounts(visits=6, fruitless=4, fed=0)}
    assert await ledger.hosts.shapes("a.example") == [ShapeRecord("job", "/cal/N", 6, 4)]
    assert await ledger.hosts.shapes("b.example") == []


async def test_a_visit_whose_lease_was_lost_counts_for_nothing(ledger: Ledger) -> None:
    worker, job = await ledger.worker(pace=UNPACED), await ledger.job()
    assignment = await claim(ledger, worker, job, 2)
    lost = [replace(s, assignment_id=s.assignment_id + 7) for s in visits(assignment, 2)]
    await worker.frontier.commit(lost)
    assert await worker.frontier.shapes(job, assignment.host.id) == {}


async def test_jobs_count_for_themselves(ledger: Ledger) -> None:
    worker, job = await ledger.worker(pace=UNPACED), await ledger.job()
    other = await ledger.job("other")
    assignment = await claim(ledger, worker, job, 2)
    await worker.frontier.commit(visits(assignment, 1), [assignment.id])
    assert await worker.frontier.shapes(other, assignment.host.id) == {}


async def test_what_pages_of_other_kinds_name_is_counted_too(ledger: Ledger) -> None:
    worker, job = await ledger.worker(pace=UNPACED), await ledger.job()
    assignment = await claim(ledger, worker, job, 3)
    first, second, third = visits(assignment, 0)
    named = [replace(target(f"{A}/x/{n}"), shape="/cal/N") for n in range(5)]
    lists = replace(second, shape="/list/N", found=tuple(named[:3]))
    itself = replace(third, found=tuple(named[3:]))
    await worker.frontier.commit([first, lists, itself], [assignment.id])
    counted = await worker.frontier.shapes(job, assignment.host.id)
    assert counted["/cal/N"] == ShapeCounts(visits=2, fruitless=0, fed=3)
