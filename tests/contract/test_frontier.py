"""The frontier's promises, kept by every ledger; after each call the ledger is audited (FR-10)."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from contextlib import closing

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from tenax.adapters.sql.frontier import frontier as sql_frontier
from tenax.crawl.policy import LeasePolicy
from tenax.hosts.pace import PacePolicy
from tenax.model import JobState, Pace, Reason, State
from tenax.outcome import End, Later
from tenax.ports import Unavailable
from tenax.urls.priority import LEAST
from tests.ledgers import (
    LEASES,
    POLITE,
    START,
    UNPACED,
    Ledger,
    get_to_know,
    page,
    settlement,
    settlements,
    target,
    urls,
)

A = "https://a.example"
B = "https://b.example"


async def test_adding_a_url_twice_keeps_one_and_counts_the_other_as_known(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    first = await worker.frontier.add(job, [target(f"{A}/1"), target(f"{A}/2")])
    again = await worker.frontier.add(job, [target(f"{A}/2"), target(f"{A}/3"), target(f"{A}/3")])
    assert (first.new, first.known) == (2, 0)
    assert (again.new, again.known) == (1, 2)
    counts = await ledger.jobs.counts(job)
    assert counts.states == {State.PENDING: 3}
    assert counts.rejected == {Reason.KNOWN: 2}


async def test_what_stands_against_adding_is_told_without_adding_anything(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job(max_pages_per_host=2)
    await worker.frontier.add(job, [target(f"{A}/1")])
    asked = [target(f"{B}/1"), target(f"{A}/1"), target(f"{A}/2"), target(f"{A}/3")]
    before = await ledger.jobs.counts(job)
    told = await worker.frontier.objections(job, asked)
    assert told == [None, Reason.KNOWN, None, Reason.HOST_LIMIT]
    assert await ledger.jobs.counts(job) == before
    assert await ledger.hosts.get("b.example") is None


async def test_a_job_that_is_full_objects_to_all_that_is_new(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job(max_urls=1)
    await worker.frontier.add(job, [target(f"{A}/1")])
    told = await worker.frontier.objections(job, [target(f"{A}/1"), target(f"{B}/1")])
    assert told == [Reason.KNOWN, Reason.JOB_LIMIT]


async def test_two_jobs_may_know_the_same_url(ledger: Ledger) -> None:
    """FR-2: identity is (job, URL)."""
    worker = await ledger.worker()
    one, two = await ledger.job("one"), await ledger.job("two")
    assert (await worker.frontier.add(one, [target(f"{A}/")])).new == 1
    assert (await worker.frontier.add(two, [target(f"{A}/")])).new == 1


async def test_a_target_already_visited_is_still_known(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    assert (await worker.frontier.add(job, [target(f"{A}/known")])).known == 1
    assert await worker.frontier.claim([job]) == []


async def test_an_unknown_host_gives_out_a_single_target(ledger: Ledger) -> None:
    """Its robots.txt has to be read before anybody can say how it wants to be treated."""
    worker, job = await ledger.worker(UNPACED), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/{n}") for n in range(5)])
    (assignment,) = await worker.frontier.claim([job])
    assert len(assignment.targets) == 1
    assert assignment.slots == 1
    assert await worker.frontier.claim([job]) == []


async def test_a_paced_host_is_held_by_one_worker(ledger: Ledger) -> None:
    """FR-4"""
    first, second, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await get_to_know(ledger, first, job, "a.example")
    await first.frontier.add(job, [target(f"{A}/{n}") for n in range(50)])
    (held,) = await first.frontier.claim([job])
    assert held.slots == 1
    assert await second.frontier.claim([job]) == []
    assert await first.frontier.claim([job]) == []


async def test_an_assignment_carries_what_can_be_politely_served(ledger: Ledger) -> None:
    """FR-4: at a delay of 2 s, twenty seconds hold ten targets."""
    worker = await ledger.worker(replace(POLITE, delay=2.0))
    job = await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    await worker.frontier.add(job, [target(f"{A}/{n}") for n in range(50)])
    ledger.clock.time += 2
    (assignment,) = await worker.frontier.claim([job])
    assert len(assignment.targets) == 10


async def test_one_claim_takes_no_more_hosts_than_asked_for(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"https://{name}.example/") for name in "abcde"])
    assert len(await worker.frontier.claim([job], 2)) == 2
    assert len(await worker.frontier.claim([job], 10)) == 3


async def test_a_released_host_is_handed_out_again(ledger: Ledger) -> None:
    first, second, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await first.frontier.add(job, [target(f"{A}/1"), target(f"{A}/2")])
    (held,) = await first.frontier.claim([job])
    await first.frontier.commit(settlements(held), [held.id])
    (again,) = await second.frontier.claim([job])
    assert set(urls(held) + urls(again)) == {f"{A}/1", f"{A}/2"}


async def test_targets_not_settled_return_to_pending_on_release(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/1")])
    (held,) = await worker.frontier.claim([job])
    assert await ledger.state(f"{A}/1") is State.LEASED
    await worker.frontier.commit([], [held.id])
    assert await ledger.state(f"{A}/1") is State.PENDING
    (again,) = await worker.frontier.claim([job])
    assert urls(again) == urls(held)


async def test_concurrent_claims_never_hand_a_target_to_two_holders(ledger: Ledger) -> None:
    workers = [await ledger.worker(UNPACED) for _ in range(4)]
    job = await ledger.job()
    for name in "abcd":
        await get_to_know(ledger, workers[0], job, f"{name}.example")
    wanted = [target(f"https://{name}.example/{n}") for name in "abcd" for n in range(40)]
    await workers[0].frontier.add(job, wanted)
    claimed = await asyncio.gather(*(w.frontier.inner.claim([job], 4) for w in workers * 2))
    handed = Counter(leased.id for given in claimed for a in given for leased in a.targets)
    assert handed
    assert set(handed.values()) == {1}
    assert await ledger.auditor.audit() == []


async def test_an_unpaced_host_is_shared_up_to_its_slots_and_never_beyond(ledger: Ledger) -> None:
    """FR-4: the first to come has all slots; it shrinks as others join and use theirs."""
    first, second, job = await ledger.worker(UNPACED), await ledger.worker(UNPACED), 0
    job = await ledger.job()
    await get_to_know(ledger, first, job, "a.example")
    await first.frontier.add(job, [target(f"{A}/{n}") for n in range(200)])
    (mine,) = await first.frontier.claim([job])
    assert mine.slots == 8
    assert await second.frontier.claim([job]) == []

    # The holder learns of the second worker but still has eight requests under way.
    shrinking = await first.frontier.refill(mine, 4, using=8)
    assert shrinking.slots == 4
    assert await second.frontier.claim([job]) == []

    settled = await first.frontier.refill(mine, 4, using=4)
    assert settled.slots == 4
    (theirs,) = await second.frontier.claim([job])
    assert theirs.slots == 4
    assert not set(urls(theirs)) & set(urls(mine) + urls(shrinking) + urls(settled))


async def test_visits_are_counted_once_whoever_made_them_and_nothing_else_is(
    ledger: Ledger,
) -> None:
    """Two hold the host and do not know of each other's visits; what was not asked for, because
    robots.txt forbids it or the host is closed, is no visit."""
    first, second = await ledger.worker(UNPACED), await ledger.worker(UNPACED)
    job = await ledger.job()
    await get_to_know(ledger, first, job, "a.example")
    before = await ledger.hosts.get("a.example")
    assert before is not None
    await first.frontier.add(job, [target(f"{A}/{n}") for n in range(200)])
    (mine,) = await first.frontier.claim([job])
    assert await second.frontier.claim([job]) == []
    await first.frontier.refill(mine, 4, using=8)
    await first.frontier.refill(mine, 4, using=4)
    (theirs,) = await second.frontier.claim([job])
    done = settlements(mine, stored=True)
    unasked = replace(done[-1], attempt=None, page=None, next=End(State.BLOCKED, "robots"))
    await first.frontier.commit([*done[:-1], unasked], [mine.id])
    await second.frontier.commit(settlements(theirs, stored=True), [theirs.id])
    after = await ledger.hosts.get("a.example")
    assert after is not None
    made = len(done) - 1 + len(theirs.targets)
    assert after.host.visits == before.host.visits + made


async def test_who_is_expected_finds_a_share_when_it_comes(ledger: Ledger) -> None:
    first, second = await ledger.worker(UNPACED), await ledger.worker(UNPACED)
    job = await ledger.job()
    await get_to_know(ledger, first, job, "a.example")
    await first.frontier.add(job, [target(f"{A}/{n}") for n in range(200)])
    first.frontier.expect(2)
    (mine,) = await first.frontier.claim([job])
    assert mine.slots == 4
    assert await first.frontier.claim([job]) == []
    assert (await first.frontier.refill(mine, 4, using=4)).slots == 4
    (theirs,) = await second.frontier.claim([job])
    assert theirs.slots == 4


async def test_who_is_expected_no_longer_leaves_its_share_to_the_others(ledger: Ledger) -> None:
    first, job = await ledger.worker(UNPACED), await ledger.job()
    await get_to_know(ledger, first, job, "a.example")
    await first.frontier.add(job, [target(f"{A}/{n}") for n in range(200)])
    first.frontier.expect(2)
    (mine,) = await first.frontier.claim([job])
    first.frontier.expect(1)
    assert (await first.frontier.refill(mine, 4, using=4)).slots == 8


async def test_a_holder_grows_again_when_the_other_has_left(ledger: Ledger) -> None:
    first, second, job = await ledger.worker(UNPACED), await ledger.worker(UNPACED), 0
    job = await ledger.job()
    await get_to_know(ledger, first, job, "a.example")
    await second.membership.join()
    await first.frontier.add(job, [target(f"{A}/{n}") for n in range(200)])
    (mine,) = await first.frontier.claim([job])
    (theirs,) = await second.frontier.claim([job])
    assert (mine.slots, theirs.slots) == (4, 4)
    assert (await first.frontier.refill(mine, 4, using=4)).slots == 4
    await second.frontier.commit([], [theirs.id])
    await second.membership.leave()
    assert (await first.frontier.refill(mine, 4, using=4)).slots == 8


async def test_a_second_worker_may_only_take_slots_nobody_uses(ledger: Ledger) -> None:
    first, second, third = [await ledger.worker(UNPACED) for _ in range(3)]
    job = await ledger.job()
    await get_to_know(ledger, first, job, "a.example")
    await first.frontier.add(job, [target(f"{A}/{n}") for n in range(200)])
    (mine,) = await first.frontier.claim([job])
    await second.membership.join()
    await first.frontier.refill(mine, 1, using=6)
    (theirs,) = await second.frontier.claim([job])
    assert theirs.slots == 2
    assert await third.frontier.claim([job]) == []


async def test_refills_continue_in_order_and_end_when_nothing_is_left(ledger: Ledger) -> None:
    worker, job = await ledger.worker(UNPACED, replace(LEASES, targets_per_slot=1)), 0
    job = await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    await worker.frontier.add(job, [target(f"{A}/{n}") for n in range(12)])
    (held,) = await worker.frontier.claim([job])
    refill = await worker.frontier.refill(held, 10, using=8)
    assert sorted(urls(held) + urls(refill)) == sorted(f"{A}/{n}" for n in range(12))
    assert (await worker.frontier.refill(held, 10, using=8)).targets == ()


async def test_a_refill_of_a_lost_assignment_says_so(ledger: Ledger) -> None:
    first, second, job = await ledger.worker(UNPACED), await ledger.worker(UNPACED), 0
    job = await ledger.job()
    await get_to_know(ledger, first, job, "a.example")
    await first.frontier.add(job, [target(f"{A}/{n}") for n in range(90)])
    (mine,) = await first.frontier.claim([job])
    first.die()
    await second.frontier.reclaim()
    refill = await first.frontier.refill(mine, 4, using=8)
    assert (refill.held, refill.targets) == (False, ())


async def test_the_most_urgent_target_is_handed_out_first(ledger: Ledger) -> None:
    """FR-3: by priority, then by due time, then in the order of discovery."""
    worker, job = await ledger.worker(), await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    priorities = {"/low": 8, "/first": 1, "/medium": 5, "/also-medium": 5, "/high": 2}
    await worker.frontier.add(job, [target(A + path, priority=p) for path, p in priorities.items()])
    (held,) = await worker.frontier.claim([job])
    wanted = ["/first", "/high", "/medium", "/also-medium", "/low"]
    assert urls(held) == [A + path for path in wanted]


async def test_within_a_priority_the_longest_due_goes_first(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    await worker.frontier.add(job, [target(f"{A}/{n}") for n in range(3)])
    (held,) = await worker.frontier.claim([job])
    due = (30, 10, 20)
    again = [
        settlement(held, leased, Later(START + wait, counts=True))
        for leased, wait in zip(held.targets, due, strict=True)
    ]
    await worker.frontier.commit(again, [held.id])
    ledger.clock.time = START + 60
    (later,) = await worker.frontier.claim([job])
    assert urls(later) == [f"{A}/1", f"{A}/2", f"{A}/0"]


async def test_a_retry_is_not_handed_out_before_it_is_due(ledger: Ledger) -> None:
    """FE-7: waiting happens in the frontier."""
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    (held,) = await worker.frontier.claim([job])
    await worker.frontier.commit(settlements(held, Later(START + 8, counts=True)), [held.id])
    ledger.clock.time = START + 7.9
    assert await worker.frontier.claim([job]) == []
    ledger.clock.time = START + 8
    (again,) = await worker.frontier.claim([job])
    assert again.targets[0].attempts == 1


async def test_a_due_target_does_not_bring_one_along_that_is_not(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/later")])
    (held,) = await worker.frontier.claim([job])
    await worker.frontier.commit(settlements(held, Later(START + 4, counts=True)), [held.id])
    await worker.frontier.add(job, [target(f"{A}/now")])
    (again,) = await worker.frontier.claim([job])
    assert urls(again) == [f"{A}/now"]


async def test_a_wait_that_does_not_count_spends_no_attempt(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    (held,) = await worker.frontier.claim([job])
    await worker.frontier.commit(settlements(held, Later(START, counts=False)), [held.id])
    (again,) = await worker.frontier.claim([job])
    assert again.targets[0].attempts == 0


async def test_what_is_put_off_lets_all_others_go_first(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    await worker.frontier.add(job, [target(f"{A}/doubtful"), target(f"{A}/least")])
    (held,) = await worker.frontier.claim([job])
    off = [
        settlement(held, leased, Later(START, counts=False, sinks=sinks))
        for leased, sinks in zip(held.targets, (6, 99), strict=True)
    ]
    await worker.frontier.commit(off, [held.id])
    await worker.frontier.add(job, [target(f"{A}/last", priority=10)])
    (later,) = await worker.frontier.claim([job])
    assert urls(later) == [f"{A}/last", f"{A}/doubtful", f"{A}/least"]
    assert [leased.priority for leased in later.targets] == [10, 11, LEAST]
    assert {leased.attempts for leased in later.targets} == {0}


async def test_a_host_gives_nothing_out_before_it_opens(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/1"), target(f"{A}/2")])
    (held,) = await worker.frontier.claim([job])
    told_to_wait = replace(held.host, pace=Pace(backoff_until=START + 60))
    done = settlement(held, held.targets[0], host=told_to_wait)
    await worker.frontier.commit([done], [held.id])
    ledger.clock.time = START + 59
    assert await worker.frontier.claim([job]) == []
    ledger.clock.time = START + 60
    assert len(await worker.frontier.claim([job])) == 1


async def test_new_links_do_not_open_a_host_that_asked_us_to_wait(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/1")])
    (held,) = await worker.frontier.claim([job])
    told_to_wait = replace(held.host, pace=Pace(backoff_until=START + 60))
    done = settlement(held, held.targets[0], host=told_to_wait)
    await worker.frontier.commit([done], [held.id])
    await worker.frontier.add(job, [target(f"{A}/2")])
    assert await worker.frontier.claim([job]) == []
    assert await worker.frontier.next_ready([job]) == START + 60


async def test_an_expired_lease_returns_its_targets(ledger: Ledger) -> None:
    """FR-4: expired assignments return to pending by themselves."""
    first, second, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await first.frontier.add(job, [target(f"{A}/")])
    (lost,) = await first.frontier.claim([job])
    ledger.clock.time += LEASES.seconds - 1
    assert await second.frontier.claim([job]) == []
    # The host counts as just asked, so its targets come back first and are handed out later.
    ledger.clock.time += 1
    assert await second.frontier.claim([job]) == []
    assert await ledger.state(f"{A}/") is State.PENDING
    ledger.clock.time += POLITE.delay
    (taken,) = await second.frontier.claim([job])
    assert urls(taken) == urls(lost)
    assert taken.id != lost.id


async def test_a_renewed_lease_does_not_expire(ledger: Ledger) -> None:
    first, second, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await first.frontier.add(job, [target(f"{A}/")])
    (held,) = await first.frontier.claim([job])
    ledger.clock.time += LEASES.seconds - 1
    assert await first.frontier.renew() == {held.id: ledger.clock.time + LEASES.seconds}
    ledger.clock.time += LEASES.seconds - 1
    assert await second.frontier.claim([job]) == []
    assert (await first.frontier.commit(settlements(held), [held.id])).lost == frozenset()


async def test_renewing_tells_a_worker_what_it_has_lost(ledger: Ledger) -> None:
    first, second, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await first.frontier.add(job, [target(f"{A}/")])
    await first.frontier.claim([job])
    ledger.clock.time += LEASES.seconds
    await second.frontier.claim([job])
    assert await first.frontier.renew() == {}


async def test_a_late_commit_is_refused_and_writes_nothing(ledger: Ledger) -> None:
    """FR-4: no page, no links, no totals, no attempt; of the host only that it wants to be left
    alone, which holds whoever has heard it."""
    first, second, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await first.frontier.add(job, [target(f"{A}/")])
    (late,) = await first.frontier.claim([job])
    ledger.clock.time += LEASES.seconds
    await second.frontier.claim([job])
    ledger.clock.time += POLITE.delay
    (taken,) = await second.frontier.claim([job])
    before = await ledger.jobs.counts(job)
    rejected = {Reason.OUT_OF_SCOPE: 7}
    spoilt = replace(late.host, pace=Pace(backoff_until=START * 2))
    visit = settlement(
        late,
        late.targets[0],
        stored=True,
        found=[target(f"{A}/new")],
        rejected=rejected,
        host=spoilt,
    )

    committed = await first.frontier.commit([visit], [late.id])

    assert committed.lost == {(late.targets[0].id, late.id)}
    assert committed.new == 0
    assert await ledger.jobs.counts(job) == before
    assert await ledger.pages.find() == []
    assert await ledger.pages.attempts(late.targets[0].id) == []
    record = await ledger.hosts.get("a.example")
    assert record is not None
    assert record.host == replace(
        taken.host, pace=replace(taken.host.pace, backoff_until=START * 2)
    )
    assert await ledger.state(f"{A}/") is State.LEASED
    assert (await second.frontier.commit(settlements(taken), [taken.id])).lost == frozenset()


async def test_what_is_still_held_is_written_beside_what_was_lost(ledger: Ledger) -> None:
    first, second, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await first.frontier.add(job, [target(f"{A}/")])
    (lost,) = await first.frontier.claim([job])
    ledger.clock.time += LEASES.seconds + 1
    await second.frontier.claim([job])
    await first.frontier.add(job, [target(f"{B}/")])
    (kept,) = [a for a in await first.frontier.claim([job]) if a.host.name == "b.example"]
    both = settlements(lost) + settlements(kept)
    committed = await first.frontier.commit(both, [lost.id, kept.id])
    assert committed.lost == {(lost.targets[0].id, lost.id)}
    assert await ledger.state(f"{B}/") is State.DONE


async def test_a_target_cannot_be_settled_twice(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    (held,) = await worker.frontier.claim([job])
    await worker.frontier.commit(settlements(held, stored=True))
    again = await worker.frontier.commit(settlements(held, End(State.FAILED)), [held.id])
    assert again.lost == {(held.targets[0].id, held.id)}
    assert await ledger.state(f"{A}/") is State.DONE


async def test_what_a_dead_worker_held_comes_back_at_once(ledger: Ledger) -> None:
    first, second, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await get_to_know(ledger, first, job, "a.example")
    await first.frontier.add(job, [target(f"{A}/{n}") for n in range(5)])
    await first.frontier.claim([job])
    assert await second.frontier.reclaim() == 0
    first.die()
    assert await second.frontier.reclaim() == 5
    assert await ledger.state(f"{A}/1") is State.PENDING
    assert (await ledger.jobs.counts(job)).of(State.LEASED) == 0


async def test_the_host_of_a_dead_worker_is_left_alone_for_its_delay(ledger: Ledger) -> None:
    """The dead may have asked it a moment ago, so its turn counts as spent."""
    policy = PacePolicy(delay=3.0, margin=0.0)
    first, second = await ledger.worker(policy), await ledger.worker(policy)
    job = await ledger.job()
    await first.frontier.add(job, [target(f"{A}/")])
    await first.frontier.claim([job])
    first.die()
    await second.frontier.reclaim()
    ledger.clock.time += 2.9
    assert await second.frontier.claim([job]) == []
    ledger.clock.time += 0.1
    assert len(await second.frontier.claim([job])) == 1


async def test_a_turn_taken_back_is_spent_when_the_ledger_is_ours_not_when_we_asked_for_it(
    sqlite_ledger: Ledger,
) -> None:
    """While one waits for the ledger, the other may ask its host once more before it dies."""
    ledger = sqlite_ledger
    first, second, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await first.frontier.add(job, [target(f"{A}/")])
    await first.frontier.claim([job])
    first.die()
    with closing(sqlite3.connect(ledger.folder / "ledger.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        reclaiming = asyncio.create_task(second.frontier.reclaim())
        await asyncio.sleep(0.05)
        ledger.clock.time += 10
        other.rollback()
    await reclaiming
    record = await ledger.hosts.get("a.example")
    assert record is not None
    assert record.host.pace.next_at == ledger.clock.time + POLITE.delay


async def test_a_dead_workers_late_commit_is_refused(ledger: Ledger) -> None:
    first, second, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await first.frontier.add(job, [target(f"{A}/")])
    (late,) = await first.frontier.claim([job])
    first.die()
    await second.frontier.reclaim()
    committed = await first.frontier.commit(settlements(late, stored=True), [late.id])
    assert committed.lost == {(late.targets[0].id, late.id)}
    assert await ledger.pages.find() == []


async def test_of_two_visits_to_a_target_in_one_batch_the_one_that_holds_it_counts(
    ledger: Ledger,
) -> None:
    """A worker that was stopped may lose a target, claim it anew, and bring both answers at once.

    Which of the two is told by the lease: the target is settled once, and by the right one.
    """
    worker, job = await ledger.worker(UNPACED), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    (late,) = await worker.frontier.claim([job])
    ledger.clock.time += LEASES.seconds + 1
    (held,) = await worker.frontier.claim([job])
    both = settlements(late, End(State.GONE)) + settlements(held, stored=True)
    committed = await worker.frontier.commit(both, [late.id, held.id])
    assert committed.lost == {both[0].lease}
    assert await ledger.state(f"{A}/") is State.DONE
    assert (await ledger.jobs.counts(job)).states == {State.DONE: 1}


async def test_a_living_worker_is_not_robbed(ledger: Ledger) -> None:
    first, second, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await first.frontier.add(job, [target(f"{A}/")])
    (held,) = await first.frontier.claim([job])
    await second.membership.join()
    assert await second.frontier.reclaim() == 0
    assert await first.frontier.reclaim() == 0
    assert (await first.frontier.commit(settlements(held), [held.id])).lost == frozenset()


async def test_what_a_worker_still_held_when_it_left_comes_back_at_once(ledger: Ledger) -> None:
    """A run that broke off could not give its hosts back; leaving must not hide that."""
    first, second, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await first.frontier.add(job, [target(f"{A}/")])
    await first.frontier.claim([job])
    await first.membership.leave()
    assert await ledger.auditor.audit() == []
    assert await second.frontier.reclaim() == 1
    assert await ledger.state(f"{A}/") is State.PENDING


async def test_a_commit_that_fails_inside_changes_nothing(ledger: Ledger) -> None:
    """Atomic: the broken page comes after a good one, its links and a release."""
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/"), target(f"{B}/")])
    good, bad = await worker.frontier.claim([job])
    before = await ledger.jobs.counts(job)
    fine = settlement(good, good.targets[0], stored=True, found=[target(f"{A}/new")])
    broken = replace(
        settlement(bad, bad.targets[0], stored=True),
        page=replace(page(f"{B}/"), status=None),
    )
    with pytest.raises(Unavailable):
        await worker.frontier.commit([fine, broken], [good.id, bad.id])
    assert await ledger.auditor.audit() == []
    assert await ledger.jobs.counts(job) == before
    assert await ledger.pages.find() == []
    assert await ledger.pages.attempts(good.targets[0].id) == []
    assert await ledger.state(f"{A}/") is State.LEASED
    committed = await worker.frontier.commit([fine, *settlements(bad)], [good.id, bad.id])
    assert (committed.lost, committed.new) == (frozenset(), 1)


async def test_a_commit_stores_the_page_its_links_and_what_was_refused(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    (held,) = await worker.frontier.claim([job])
    links = [target(f"{A}/1"), target(f"{A}/2"), target(f"{A}/")]
    refused = {Reason.TOO_DEEP: 3}
    visit = settlement(held, held.targets[0], stored=True, found=links, rejected=refused)
    committed = await worker.frontier.commit([visit], [held.id])
    counts = await ledger.jobs.counts(job)
    assert committed.new == 2
    assert counts.states == {State.PENDING: 2, State.DONE: 1}
    assert counts.pages == 1
    assert counts.rejected == {Reason.TOO_DEEP: 3, Reason.KNOWN: 1}
    assert len(await ledger.pages.attempts(held.targets[0].id)) == 1


async def test_max_pages_is_exact_under_concurrent_claims(ledger: Ledger) -> None:
    """URL-5: pages stored and visits under way together never exceed the limit."""
    workers = [await ledger.worker(UNPACED) for _ in range(3)]
    job = await ledger.job(max_pages=10)
    for name in "abc":
        await get_to_know(ledger, workers[0], job, f"{name}.example")
    wanted = [target(f"https://{name}.example/{n}") for name in "abc" for n in range(20)]
    await workers[0].frontier.add(job, wanted)
    stored = 0
    for _ in range(6):
        claimed = await asyncio.gather(*(w.frontier.inner.claim([job], 3) for w in workers))
        under_way = [(w, a) for w, given in zip(workers, claimed, strict=True) for a in given]
        for worker, assignment in under_way:
            more = await worker.frontier.refill(assignment, 8, using=1)
            assert (await ledger.jobs.counts(job)).of(State.LEASED) + stored <= 10
            visits = [
                settlement(assignment, leased, stored=index % 2 == 0)
                for index, leased in enumerate([*assignment.targets, *more.targets])
            ]
            await worker.frontier.commit(visits, [assignment.id])
            stored += sum(1 for visit in visits if visit.page)
    assert stored == 10
    assert (await ledger.jobs.counts(job)).pages == 10
    assert (await ledger.jobs.counts(job)).unfinished > 0


async def test_max_pages_per_host_is_kept_at_the_door(ledger: Ledger) -> None:
    """URL-5; what was over the limit is told, counted and kept (URL-4)."""
    worker, job = await ledger.worker(), await ledger.job(max_pages_per_host=2)
    added = await worker.frontier.add(job, [target(f"{A}/{n}") for n in range(4)])
    assert (added.new, added.known) == (2, 0)
    assert added.over_limit == ((f"{A}/2", Reason.HOST_LIMIT), (f"{A}/3", Reason.HOST_LIMIT))
    again = await worker.frontier.add(job, [target(f"{A}/0"), target(f"{A}/9")])
    assert (again.new, again.known, len(again.over_limit)) == (0, 1, 1)
    assert (await worker.frontier.add(job, [target(f"{B}/")])).new == 1
    assert (await ledger.jobs.counts(job)).rejected[Reason.HOST_LIMIT] == 3
    ((name, reason, at),) = await ledger.pages.rejection(f"{A}/3")
    assert (name, reason, at) == ("job", Reason.HOST_LIMIT, START)


async def test_nothing_of_a_paused_job_is_handed_out(ledger: Ledger) -> None:
    """FR-7"""
    worker, job, other = await ledger.worker(), await ledger.job(), await ledger.job("other")
    await worker.frontier.add(job, [target(f"{A}/")])
    await worker.frontier.add(other, [target(f"{B}/")])
    await ledger.jobs.set_state(job, JobState.PAUSED)
    (held,) = await worker.frontier.claim([job, other])
    assert urls(held) == [f"{B}/"]
    await ledger.jobs.set_state(job, JobState.RUNNING)
    (resumed,) = await worker.frontier.claim([job, other])
    assert urls(resumed) == [f"{A}/"]


async def test_a_refill_brings_nothing_of_a_paused_job(ledger: Ledger) -> None:
    worker, job = await ledger.worker(UNPACED), await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    await worker.frontier.add(job, [target(f"{A}/{n}") for n in range(100)])
    (held,) = await worker.frontier.claim([job])
    await ledger.jobs.set_state(job, JobState.PAUSED)
    assert (await worker.frontier.refill(held, 8, using=8)).targets == ()


async def test_nothing_of_other_jobs_is_handed_out(ledger: Ledger) -> None:
    worker, mine, other = await ledger.worker(), await ledger.job("mine"), await ledger.job("other")
    await worker.frontier.add(mine, [target(f"{A}/mine")])
    await worker.frontier.add(other, [target(f"{A}/other"), target(f"{B}/other")])
    (held,) = await worker.frontier.claim([mine])
    assert urls(held) == [f"{A}/mine"]


async def test_jobs_share_a_host_alike(ledger: Ledger) -> None:
    """FR-2: one host, one pace; a large job does not starve a small one."""
    worker, large, small = (
        await ledger.worker(),
        await ledger.job("large"),
        await ledger.job("small"),
    )
    await get_to_know(ledger, worker, large, "a.example")
    await worker.frontier.add(large, [target(f"{A}/{n}", priority=1) for n in range(100)])
    await worker.frontier.add(small, [target(f"{A}/{n}", priority=9) for n in range(100)])
    (held,) = await worker.frontier.claim([large, small])
    shares = Counter(leased.job_id for leased in held.targets)
    assert shares[large] == shares[small] == len(held.targets) // 2


async def test_jobs_take_turns_over_hosts(ledger: Ledger) -> None:
    worker, one, two = await ledger.worker(), await ledger.job("one"), await ledger.job("two")
    await worker.frontier.add(one, [target(f"https://one-{n}.example/") for n in range(20)])
    await worker.frontier.add(two, [target(f"https://two-{n}.example/") for n in range(20)])
    claimed = await worker.frontier.claim([one, two], 10)
    assert Counter(a.targets[0].job_id for a in claimed) == {one: 5, two: 5}


async def test_a_host_held_for_one_job_is_not_given_out_for_another(ledger: Ledger) -> None:
    """FR-2: politeness is per host across all jobs and workers."""
    first, second = await ledger.worker(), await ledger.worker()
    one, two = await ledger.job("one"), await ledger.job("two")
    await first.frontier.add(one, [target(f"{A}/one")])
    await first.frontier.add(two, [target(f"{A}/two")])
    await first.frontier.claim([one])
    assert await second.frontier.claim([two]) == []
    await second.frontier.add(two, [target(f"{A}/three")])
    assert await second.frontier.claim([two]) == []


async def test_assignment_ids_are_never_used_again(ledger: Ledger) -> None:
    """Else a late worker's lease could look like somebody's newer one."""
    worker, job = await ledger.worker(), await ledger.job()
    seen = []
    for n in range(5):
        await worker.frontier.add(job, [target(f"https://h{n}.example/")])
        (held,) = await worker.frontier.claim([job])
        seen.append(held.id)
        await worker.frontier.commit(settlements(held), [held.id])
    assert len(set(seen)) == 5
    assert seen == sorted(seen)


async def test_next_ready_is_none_when_nothing_waits(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    assert await worker.frontier.next_ready([job]) is None
    await get_to_know(ledger, worker, job, "a.example")
    assert await worker.frontier.next_ready([job]) is None


async def test_next_ready_is_not_in_the_future_while_work_is_due_or_held(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    ready = await worker.frontier.next_ready([job])
    assert ready is not None
    assert ready <= START
    await worker.frontier.claim([job])
    assert await worker.frontier.next_ready([job]) == START


async def test_next_ready_is_the_earliest_of_the_waiting_hosts(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/"), target(f"{B}/")])
    first, second = await worker.frontier.claim([job])
    waits = settlements(first, Later(START + 50, counts=True))
    waits += settlements(second, Later(START + 30, counts=True))
    await worker.frontier.commit(waits, [first.id, second.id])
    assert await worker.frontier.next_ready([job]) == START + 30
    assert await worker.frontier.next_ready([]) is None


async def test_a_host_told_to_wait_by_one_of_its_workers_waits_for_all(ledger: Ledger) -> None:
    """A worker that has not heard of the 429 yet must not talk the ledger out of it."""
    first, second = await ledger.worker(UNPACED), await ledger.worker(UNPACED)
    job = await ledger.job()
    await get_to_know(ledger, first, job, "a.example")
    await second.membership.join()
    await first.frontier.add(job, [target(f"{A}/{n}") for n in range(200)])
    (mine,) = await first.frontier.claim([job])
    (theirs,) = await second.frontier.claim([job])
    told = replace(mine.host, pace=Pace(backoff_until=START + 60))
    wait = settlement(mine, mine.targets[0], Later(START + 60, counts=False), host=told)
    await first.frontier.commit([wait], [mine.id])
    await second.frontier.commit([settlement(theirs, theirs.targets[0])], [theirs.id])
    ledger.clock.time += 59
    assert await second.frontier.claim([job]) == []
    ledger.clock.time += 1
    assert len(await second.frontier.claim([job])) == 1


async def test_a_short_lease_is_given_as_asked(ledger: Ledger) -> None:
    worker = await ledger.worker(leases=LeasePolicy(seconds=7.0))
    job = await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    (held,) = await worker.frontier.claim([job])
    assert held.expires_at == START + 7.0


async def test_a_url_is_handed_out_as_it_was_discovered(ledger: Ledger) -> None:
    """URL-2: what is requested is the discovered spelling, whatever origin the host has."""
    worker, job = await ledger.worker(), await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    spelled = [f"{A}/b?z=1&a=2", "http://a.example/plain", f"{A}//double", f"{A}/%7Eme"]
    await worker.frontier.add(job, [target(url) for url in spelled])
    (held,) = await worker.frontier.claim([job])
    assert urls(held) == spelled


async def test_two_hosts_in_one_commit_keep_their_own_figures(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/"), target(f"{B}/")])
    both = await worker.frontier.claim([job])
    await worker.frontier.commit(
        [s for a in both for s in settlements(a, stored=True)], [a.id for a in both]
    )
    for name in ("a.example", "b.example"):
        record = await ledger.hosts.get(name)
        assert record is not None
        assert (record.known, record.pages, record.leased, record.host.visits) == (1, 1, 0, 1)


async def test_when_the_next_host_is_ready_is_one_step_into_an_index(sqlite_ledger: Ledger) -> None:
    """It is asked whenever nothing is: of a crawl of very many hosts, too (FR-9)."""

    def steps(connection: sa.Connection) -> str:
        text = str(sql_frontier._earliest._build(connection).compile(connection))
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", (1,))
        return "; ".join(row[3] for row in rows)

    plan = await sqlite_ledger.database.read(steps)
    assert "SEARCH lanes USING COVERING INDEX lanes_ready" in plan
    assert "SCAN" not in plan
