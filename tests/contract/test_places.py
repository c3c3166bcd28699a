"""One target wanted now: its place in the line for its host, kept by every ledger (FR-4, CLI-1)."""

from __future__ import annotations

from msgspec.structs import replace

from tenax.hosts.pace import PacePolicy, PoliteTo
from tenax.model import Assignment, Reason, State
from tenax.outcome import End
from tenax.ports import Place
from tests.ledgers import (
    UNPACED,
    Ledger,
    Worker,
    get_to_know,
    settlement,
    settlements,
    target,
    urls,
)

A = "https://a.example"


async def called(worker: Worker, place: Place, job: int | None, url: str) -> Assignment:
    assignment = await worker.frontier.call(place, job, target(url))
    assert isinstance(assignment, Assignment)
    return assignment


async def test_a_target_never_seen_is_leased_at_once(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    place = await worker.frontier.line_up(target(f"{A}/now"))
    assignment = await called(worker, place, job, f"{A}/now")
    assert urls(assignment) == [f"{A}/now"]
    await worker.frontier.commit(settlements(assignment, stored=True), [place.id])
    assert await ledger.state(f"{A}/now") is State.DONE


async def test_whoever_holds_the_host_comes_first_and_nobody_in_between(ledger: Ledger) -> None:
    """FR-2, FR-4: the holder finishes; then it is ours, however soon others claim."""
    crawl, other, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await get_to_know(ledger, crawl, job, "a.example")
    await crawl.frontier.add(job, [target(f"{A}/{n}") for n in range(40)])
    ledger.clock.time += 10
    (held,) = await crawl.frontier.claim([job])
    place = await other.frontier.line_up(target(f"{A}/now"))
    assert await other.frontier.call(place, job, target(f"{A}/now")) is None
    ledger.clock.time += 100
    await crawl.frontier.commit(settlements(held), [held.id])
    assert await crawl.frontier.claim([job]) == []
    assignment = await called(other, place, job, f"{A}/now")
    await other.frontier.commit(settlements(assignment), [place.id])
    ledger.clock.time += 10
    assert len(await crawl.frontier.claim([job])) == 1


async def test_places_are_called_in_the_order_they_were_taken(ledger: Ledger) -> None:
    one, two = await ledger.worker(), await ledger.worker()
    first = await one.frontier.line_up(target(f"{A}/1"))
    second = await two.frontier.line_up(target(f"{A}/2"))
    assert await two.frontier.call(second, None, target(f"{A}/2")) is None
    await called(one, first, None, f"{A}/1")
    await one.frontier.step_out(first)
    await called(two, second, None, f"{A}/2")


async def test_a_place_without_a_job_writes_nothing_but_the_host(ledger: Ledger) -> None:
    worker = await ledger.worker()
    place = await worker.frontier.line_up(target(f"{A}/dry"))
    assignment = await called(worker, place, None, f"{A}/dry")
    assert assignment.targets == ()
    await worker.frontier.step_out(place, replace(assignment.host, visits=1))
    assert (await ledger.sql("SELECT count(*) FROM targets"))[0][0] == 0
    known = await ledger.hosts.get("a.example")
    assert known is not None
    assert known.host.visits == 1


async def test_a_host_without_a_delay_is_shared(ledger: Ledger) -> None:
    crawl, other = await ledger.worker(UNPACED), await ledger.worker(UNPACED)
    job = await ledger.job()
    await get_to_know(ledger, crawl, job, "a.example")
    await crawl.frontier.add(job, [target(f"{A}/{n}") for n in range(40)])
    (held,) = await crawl.frontier.claim([job])
    place = await other.frontier.line_up(target(f"{A}/now"))
    assert await other.frontier.call(place, job, target(f"{A}/now")) is None
    refill = await crawl.frontier.refill(held, 1, held.slots)
    assert refill.held
    assert refill.slots < held.slots
    await crawl.frontier.refill(held, 1, refill.slots)
    await called(other, place, job, f"{A}/now")


async def test_what_was_finished_or_given_up_is_visited_anew(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    for end in (End(State.GONE), End(State.FAILED, "no"), End(State.BLOCKED), End(State.DONE)):
        ledger.clock.time += 10
        place = await worker.frontier.line_up(target(f"{A}/now"))
        assignment = await called(worker, place, job, f"{A}/now")
        await worker.frontier.commit(
            [settlement(assignment, assignment.targets[0], end)], [place.id]
        )
        assert await ledger.state(f"{A}/now") is end.state
    place = await worker.frontier.line_up(target(f"{A}/now"))
    await called(worker, place, job, f"{A}/now")
    assert await ledger.sql("SELECT * FROM dead_letters") == []


async def test_a_target_that_another_visits_is_waited_for(ledger: Ledger) -> None:
    crawl, other = await ledger.worker(UNPACED), await ledger.worker(UNPACED)
    job = await ledger.job()
    await get_to_know(ledger, crawl, job, "a.example")
    await crawl.frontier.add(job, [target(f"{A}/now")])
    (held,) = await crawl.frontier.claim([job])
    place = await other.frontier.line_up(target(f"{A}/now"))
    assert await other.frontier.call(place, job, target(f"{A}/now")) is None
    await crawl.frontier.commit(settlements(held), [held.id])
    await called(other, place, job, f"{A}/now")


async def test_a_limit_of_the_job_is_named(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job(max_urls=1)
    await worker.frontier.add(job, [target(f"{A}/1")])
    place = await worker.frontier.line_up(target(f"{A}/2"))
    assert await worker.frontier.call(place, job, target(f"{A}/2")) is Reason.JOB_LIMIT
    await worker.frontier.step_out(place)


async def test_the_place_of_a_dead_process_is_nobodys(ledger: Ledger) -> None:
    one, two, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    place = await one.frontier.line_up(target(f"{A}/now"))
    await called(one, place, job, f"{A}/now")
    one.die()
    await two.frontier.reclaim()
    assert await ledger.state(f"{A}/now") is State.PENDING
    ledger.clock.time += 10
    assert urls((await two.frontier.claim([job]))[0]) == [f"{A}/now"]


async def test_called_twice_it_is_still_ours(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    place = await worker.frontier.line_up(target(f"{A}/now"))
    first = await called(worker, place, job, f"{A}/now")
    again = await called(worker, place, job, f"{A}/now")
    assert urls(first) == urls(again) == [f"{A}/now"]


async def test_hosts_of_one_domain_stand_in_one_line(ledger: Ledger) -> None:
    """FR-5: where a whole domain is asked as if it were one host."""
    together = PacePolicy(delay=1.0, margin=0.0, key=PoliteTo.DOMAIN)
    crawl, other = await ledger.worker(together), await ledger.worker(together)
    job = await ledger.job()
    await crawl.frontier.add(job, [target("https://one.example.com/1")])
    (held,) = await crawl.frontier.claim([job])
    wanted = "https://two.example.com/now"
    place = await other.frontier.line_up(target(wanted))
    assert await other.frontier.call(place, job, target(wanted)) is None
    await crawl.frontier.add(job, [target("https://three.example.com/1")])
    await crawl.frontier.commit(settlements(held), [held.id])
    ledger.clock.time += 100
    assert await crawl.frontier.claim([job]) == []
    assignment = await called(other, place, job, wanted)
    await other.frontier.commit(settlements(assignment), [place.id])
    ledger.clock.time += 100
    assert len(await crawl.frontier.claim([job])) == 1
