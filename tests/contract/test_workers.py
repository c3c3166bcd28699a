"""Who counts as a worker? The living by their locks, the unseen by their heartbeats (OBS-3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenax.model import State
from tests.ledgers import LEASES, POLITE, UNPACED, Ledger, Worker, settlement, target

A = "https://a.example"


def locks(ledger: Ledger) -> list[Path]:
    return sorted((ledger.folder / "workers").glob("*.lock"))


async def holding_something(ledger: Ledger) -> tuple[Worker, Worker]:
    """Two workers, of which the first has a lease."""
    first, second, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await first.frontier.add(job, [target(f"{A}/")])
    await first.frontier.claim([job])
    return first, second


async def test_a_worker_whose_lock_file_was_cleaned_away_is_believed_by_its_heartbeat(
    ledger: Ledger,
) -> None:
    first, second = await holding_something(ledger)
    for lock in locks(ledger):
        lock.unlink()
    for _ in range(5):
        ledger.clock.time += LEASES.silence - 1
        await first.frontier.renew()
        assert await second.frontier.reclaim() == 0
    ledger.clock.time += LEASES.silence + 1
    assert await second.frontier.reclaim() == 0, "it may be using its lease"
    ledger.clock.time += LEASES.seconds - LEASES.silence
    assert await second.frontier.reclaim() == 1
    assert await ledger.state(f"{A}/") is State.PENDING


async def test_a_lock_says_nothing_of_a_worker_on_another_machine(ledger: Ledger) -> None:
    """A folder may be shared by machines whose locks do not reach each other."""
    here, job = await ledger.worker(kernel="here-"), await ledger.job()
    there = await ledger.worker(kernel="there-")
    await there.frontier.add(job, [target(f"{A}/")])
    await there.frontier.claim([job])
    there.die()
    assert await here.frontier.reclaim() == 0
    ledger.clock.time += LEASES.seconds + 1
    assert await here.frontier.reclaim() == 1


async def test_a_worker_that_was_taken_for_dead_goes_on_under_a_new_name(ledger: Ledger) -> None:
    """Its machine was cut off for a while; what it held is others' now."""
    here, job = await ledger.worker(kernel="here-"), await ledger.job()
    there = await ledger.worker(kernel="there-")
    await there.frontier.add(job, [target(f"{A}/")])
    (late,) = await there.frontier.claim([job])
    ledger.clock.time += LEASES.seconds + 1
    assert await here.frontier.reclaim() == 1
    assert await there.frontier.renew() == {}
    committed = await there.frontier.commit([settlement(late, late.targets[0])], [late.id])
    assert committed.lost == {(late.targets[0].id, late.id)}
    ledger.clock.time += POLITE.delay
    (again,) = await there.frontier.claim([job])
    assert again.id in await there.frontier.renew()
    assert await here.frontier.reclaim() == 0


async def test_a_lease_that_was_renewed_in_time_is_not_taken_back(ledger: Ledger) -> None:
    first, second = await holding_something(ledger)
    ledger.clock.time += LEASES.seconds + 1
    (renewed,) = await first.frontier.renew()
    assert await second.frontier.claim([1]) == []
    assert renewed in await first.frontier.renew()


async def test_a_worker_that_is_stopped_keeps_what_it_has_for_as_long_as_its_leases(
    ledger: Ledger,
) -> None:
    """Its lock is held: it may go on at any moment, and has asked for things."""
    _, second = await holding_something(ledger)
    ledger.clock.time += LEASES.silence + 1
    assert await second.frontier.reclaim() == 0
    assert await second.frontier.claim([1]) == []
    ledger.clock.time += LEASES.seconds
    assert await second.frontier.claim([1]) == [], "it may have asked the host a moment ago"
    ledger.clock.time += POLITE.delay
    assert len(await second.frontier.claim([1])) == 1


async def test_the_lock_of_a_dead_worker_tells_at_once_however_fresh_its_heartbeat(
    ledger: Ledger,
) -> None:
    first, second = await holding_something(ledger)
    await first.frontier.renew()
    first.die()
    assert len(locks(ledger)) == 1, "a kill leaves the file"
    assert await second.frontier.reclaim() == 1
    assert locks(ledger) == []


async def test_a_worker_that_leaves_in_order_leaves_nothing_behind(ledger: Ledger) -> None:
    worker = await ledger.worker()
    await worker.membership.join()
    assert len(locks(ledger)) == 1
    await worker.membership.leave()
    assert locks(ledger) == []
    assert await (await ledger.worker()).frontier.reclaim() == 0


async def test_one_that_leaves_with_something_in_hand_is_taken_for_dead_by_the_next(
    ledger: Ledger,
) -> None:
    first, second = await holding_something(ledger)
    await first.membership.leave()
    assert await second.frontier.reclaim() == 1
    assert locks(ledger) == []


@pytest.mark.parametrize(("silent_for", "slots"), [(0.0, 4), (LEASES.silence + 1, 8)])
async def test_who_is_silent_gets_no_share_of_an_unpaced_host(
    ledger: Ledger, silent_for: float, slots: int
) -> None:
    silent, heard, job = await ledger.worker(UNPACED), await ledger.worker(UNPACED), 0
    job = await ledger.job()
    await silent.frontier.add(job, [target(f"{A}/{n}") for n in range(100)])
    (known,) = await silent.frontier.claim([job])
    await silent.frontier.commit([settlement(known, known.targets[0])], [known.id])
    await heard.membership.join()
    ledger.clock.time += silent_for
    await heard.frontier.renew()
    (held,) = await heard.frontier.claim([job])
    assert held.slots == slots
