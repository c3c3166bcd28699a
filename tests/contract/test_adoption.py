"""An assignment changes hands at most once, whatever becomes of its ticket; on every ledger."""

from __future__ import annotations

from msgspec.structs import replace

from tenax.model import JobState, State
from tenax.ports import Ticket
from tests.ledgers import (
    POLITE,
    UNPACED,
    Ledger,
    get_to_know,
    settlement,
    settlements,
    target,
    urls,
)

A = "https://a.example"
B = "https://b.example"


async def test_what_is_offered_is_worked_on_by_whoever_adopts_it(ledger: Ledger) -> None:
    scheduler, worker, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await get_to_know(ledger, scheduler, job, "a.example")
    await scheduler.frontier.add(job, [target(f"{A}/{n}", priority=n) for n in (3, 2, 4)])
    ledger.clock.time += 5
    (ticket,) = await scheduler.frontier.offer([job])
    assert ticket.priority == 2
    (adopted,) = await worker.frontier.adopt([ticket], [job])
    assert urls(adopted) == [f"{A}/2", f"{A}/3", f"{A}/4"], "the most urgent first, as claimed"
    assert adopted.host.name == "a.example"
    assert adopted.is_all
    await worker.frontier.commit(settlements(adopted, stored=True), [adopted.id])
    assert (await ledger.jobs.counts(job)).pages == 3


async def test_while_it_waits_nobody_else_gets_the_host(ledger: Ledger) -> None:
    scheduler, worker, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await scheduler.frontier.add(job, [target(f"{A}/1"), target(f"{A}/2")])
    (ticket,) = await scheduler.frontier.offer([job])
    assert await worker.frontier.claim([job]) == []
    await worker.frontier.adopt([ticket], [job])
    assert await scheduler.frontier.offer([job]) == []


async def test_a_ticket_is_good_for_one(ledger: Ledger) -> None:
    """Brokers deliver twice; two workers must never ask one host."""
    scheduler, first, second = [await ledger.worker() for _ in range(3)]
    job = await ledger.job()
    await scheduler.frontier.add(job, [target(f"{A}/1")])
    tickets = await scheduler.frontier.offer([job])
    assert len(await first.frontier.adopt(tickets, [job])) == 1
    assert await second.frontier.adopt(tickets, [job]) == []
    assert await first.frontier.adopt(tickets, [job]) == []


async def test_a_ticket_for_what_was_done_long_ago_is_worth_nothing(ledger: Ledger) -> None:
    scheduler, worker, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await scheduler.frontier.add(job, [target(f"{A}/1"), target(f"{A}/2")])
    tickets = await scheduler.frontier.offer([job])
    (held,) = await worker.frontier.adopt(tickets, [job])
    await worker.frontier.commit(settlements(held), [held.id])
    assert await worker.frontier.adopt(tickets, [job]) == []
    assert await worker.frontier.adopt([Ticket(99, "nobody", 1)], [job]) == []


async def test_a_ticket_of_another_ledger_is_worth_nothing(ledger: Ledger) -> None:
    """Two fleets may share a server by mistake: equal numbers are not equal assignments."""
    scheduler, worker, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await scheduler.frontier.add(job, [target(f"{A}/1")])
    (ticket,) = await scheduler.frontier.offer([job])
    assert await worker.frontier.adopt([replace(ticket, holder="other")], [job]) == []
    assert len(await worker.frontier.adopt([ticket], [job])) == 1


async def test_an_offer_that_nobody_adopts_can_be_withdrawn(ledger: Ledger) -> None:
    scheduler, worker, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await scheduler.frontier.add(job, [target(f"{A}/1"), target(f"{B}/1")])
    tickets = await scheduler.frontier.offer([job])
    (adopted,) = await worker.frontier.adopt(tickets[:1], [job])
    assert await scheduler.frontier.withdraw([ticket.assignment_id for ticket in tickets]) == 1
    assert await worker.frontier.adopt(tickets, [job]) == []
    (again,) = await worker.frontier.claim([job])
    assert {again.host.name, adopted.host.name} == {"a.example", "b.example"}
    await worker.frontier.commit(settlements(adopted), [adopted.id])


async def test_a_worker_keeps_what_it_adopted_when_the_scheduler_dies(ledger: Ledger) -> None:
    scheduler, worker, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await scheduler.frontier.add(job, [target(f"{A}/1"), target(f"{B}/1")])
    tickets = await scheduler.frontier.offer([job])
    (adopted,) = await worker.frontier.adopt(tickets[:1], [job])
    scheduler.die()
    assert await worker.frontier.reclaim() == 1, "only what had not been adopted"
    result = await worker.frontier.commit(settlements(adopted, stored=True), [adopted.id])
    assert not result.lost
    assert await worker.frontier.adopt(tickets[1:], [job]) == []


async def test_what_a_dead_worker_had_adopted_is_taken_back(ledger: Ledger) -> None:
    scheduler, worker, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await scheduler.frontier.add(job, [target(f"{A}/1")])
    tickets = await scheduler.frontier.offer([job])
    await worker.frontier.adopt(tickets, [job])
    worker.die()
    assert await scheduler.frontier.reclaim() == 1
    ledger.clock.time += 5
    assert len(await scheduler.frontier.offer([job])) == 1


async def test_adopting_renews_the_lease(ledger: Ledger) -> None:
    scheduler, worker, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await scheduler.frontier.add(job, [target(f"{A}/1")])
    tickets = await scheduler.frontier.offer([job])
    ledger.clock.time += 200
    (adopted,) = await worker.frontier.adopt(tickets, [job])
    assert adopted.expires_at == ledger.clock.time + 300
    assert await scheduler.frontier.renew() == {}
    assert await worker.frontier.renew() == {adopted.id: adopted.expires_at}


async def test_targets_of_a_job_that_was_paused_meanwhile_go_back(ledger: Ledger) -> None:
    scheduler, worker = await ledger.worker(), await ledger.worker()
    one, two = await ledger.job("one"), await ledger.job("two")
    await get_to_know(ledger, scheduler, one, "a.example")
    await scheduler.frontier.add(one, [target(f"{A}/1")])
    await scheduler.frontier.add(two, [target(f"{A}/2")])
    ledger.clock.time += 5
    (ticket,) = await scheduler.frontier.offer([one, two])
    await ledger.jobs.set_state(one, JobState.PAUSED)
    (adopted,) = await worker.frontier.adopt([ticket], [two])
    assert urls(adopted) == [f"{A}/2"]
    assert await ledger.state(f"{A}/1", "one") is State.PENDING
    await worker.frontier.commit(settlements(adopted), [adopted.id])
    ledger.clock.time += 5
    await ledger.jobs.set_state(one, JobState.RUNNING)
    (later,) = await worker.frontier.claim([one, two])
    assert urls(later) == [f"{A}/1"]


async def test_a_job_paused_since_the_worker_last_looked_is_not_worked_on(ledger: Ledger) -> None:
    scheduler, worker, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await scheduler.frontier.add(job, [target(f"{A}/1")])
    tickets = await scheduler.frontier.offer([job])
    await ledger.jobs.set_state(job, JobState.PAUSED)
    assert await worker.frontier.adopt(tickets, [job]) == []
    assert await ledger.state(f"{A}/1") is State.PENDING


async def test_with_nothing_left_of_running_jobs_it_is_released(ledger: Ledger) -> None:
    scheduler, worker, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await scheduler.frontier.add(job, [target(f"{A}/1")])
    tickets = await scheduler.frontier.offer([job])
    assert await worker.frontier.adopt(tickets, []) == []
    assert await ledger.state(f"{A}/1") is State.PENDING
    assert len(await worker.frontier.claim([job])) == 1


async def test_a_host_paused_meanwhile_is_not_asked(ledger: Ledger) -> None:
    scheduler, worker, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await scheduler.frontier.add(job, [target(f"{A}/1")])
    tickets = await scheduler.frontier.offer([job])
    await ledger.hosts.pause("a.example")
    assert await worker.frontier.adopt(tickets, [job]) == []
    assert await worker.frontier.claim([job]) == []
    await ledger.hosts.resume("a.example")
    assert len(await worker.frontier.claim([job])) == 1


async def test_shares_of_an_unpaced_host_are_adopted_one_by_one(ledger: Ledger) -> None:
    scheduler, worker = await ledger.worker(UNPACED), await ledger.worker(UNPACED)
    job = await ledger.job()
    await get_to_know(ledger, scheduler, job, "a.example")
    await scheduler.frontier.add(job, [target(f"{A}/{n}") for n in range(200)])
    slots = 0
    while tickets := await scheduler.frontier.offer([job]):
        (adopted,) = await worker.frontier.adopt(tickets, [job])
        slots += adopted.slots
    assert slots == UNPACED.slots_unpaced


async def test_what_is_settled_after_adoption_is_refilled_from_the_same_jobs(
    ledger: Ledger,
) -> None:
    scheduler, worker = await ledger.worker(UNPACED), await ledger.worker(UNPACED)
    one, two = await ledger.job("one"), await ledger.job("two")
    await get_to_know(ledger, scheduler, one, "a.example")
    await scheduler.frontier.add(one, [target(f"{A}/{n}") for n in range(100)])
    (ticket,) = await scheduler.frontier.offer([one, two])
    (adopted,) = await worker.frontier.adopt([ticket], [one, two])
    await worker.frontier.add(two, [target(f"{A}/x")])
    await worker.frontier.commit([settlement(adopted, leased) for leased in adopted.targets])
    refill = await worker.frontier.refill(adopted, 200, using=adopted.slots)
    assert f"{A}/x" in urls(refill)


async def test_a_polite_host_keeps_its_pace_across_hands(ledger: Ledger) -> None:
    scheduler, worker = await ledger.worker(POLITE), await ledger.worker(POLITE)
    job = await ledger.job()
    await get_to_know(ledger, scheduler, job, "a.example")
    await scheduler.frontier.add(job, [target(f"{A}/1")])
    ledger.clock.time += 5
    (ticket,) = await scheduler.frontier.offer([job])
    (adopted,) = await worker.frontier.adopt([ticket], [job])
    asked = replace(adopted.host, pace=replace(adopted.host.pace, next_at=ledger.clock.time + 1))
    await worker.frontier.commit(
        [settlement(adopted, adopted.targets[0], host=asked)], [adopted.id]
    )
    await worker.frontier.add(job, [target(f"{A}/2")])
    assert await scheduler.frontier.offer([job]) == []
    ledger.clock.time += 1
    assert len(await scheduler.frontier.offer([job])) == 1
