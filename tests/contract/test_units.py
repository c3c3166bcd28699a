"""Hosts that share their politeness are held one at a time, by whichever worker (FR-5)."""

from __future__ import annotations

from msgspec.structs import replace

from tenax.hosts.pace import PacePolicy, PoliteTo
from tests.ledgers import LEASES, POLITE, UNPACED, Ledger, get_to_know, settlement, target

A, B = "a.shop.example", "b.shop.example"
BY_DOMAIN = replace(POLITE, key=PoliteTo.DOMAIN)
BY_ADDRESS = replace(POLITE, key=PoliteTo.IP)


async def two_hosts(ledger: Ledger, pace: PacePolicy) -> int:
    """A job with targets at two hosts that were met before; its id."""
    worker, job = await ledger.worker(pace), await ledger.job()
    for host in (A, B):
        await get_to_know(ledger, worker, job, host)
    urls = [f"https://{host}/{n}" for host in (A, B) for n in range(5)]
    await worker.frontier.add(job, [target(url) for url in urls])
    ledger.clock.time += 60
    return job


async def test_two_workers_never_hold_two_hosts_of_a_domain(ledger: Ledger) -> None:
    job = await two_hosts(ledger, BY_DOMAIN)
    first, second = await ledger.worker(BY_DOMAIN), await ledger.worker(BY_DOMAIN)
    (held,) = await first.frontier.claim([job])
    assert held.unit == "shop.example"
    assert await second.frontier.claim([job]) == []


async def test_the_next_in_line_is_claimed_once_the_holder_has_gone_and_not_before_its_delay(
    ledger: Ledger,
) -> None:
    job = await two_hosts(ledger, BY_DOMAIN)
    first, second = await ledger.worker(BY_DOMAIN), await ledger.worker(BY_DOMAIN)
    (held,) = await first.frontier.claim([job])
    assert await second.frontier.claim([job]) == []
    asked = replace(held.host, pace=replace(held.host.pace, next_at=ledger.clock.now() + 1.0))
    done = replace(settlement(held, held.targets[0]), host=asked)
    await first.frontier.commit([done], released=[held.id])
    assert await second.frontier.claim([job]) == []
    ledger.clock.time += 1.0
    (other,) = await second.frontier.claim([job])
    assert other.host.name != held.host.name


async def test_what_a_vanished_worker_held_is_free_after_its_lease(ledger: Ledger) -> None:
    job = await two_hosts(ledger, BY_DOMAIN)
    first, second = await ledger.worker(BY_DOMAIN), await ledger.worker(BY_DOMAIN)
    await first.frontier.claim([job])
    assert await second.frontier.claim([job]) == []
    ledger.clock.time += LEASES.seconds + 1
    await second.frontier.claim([job])  # takes back what expired: its turn counts as spent
    ledger.clock.time += 2
    assert await second.frontier.claim([job])


async def test_hosts_that_turn_out_to_share_an_address_take_turns_from_then_on(
    ledger: Ledger,
) -> None:
    job = await two_hosts(ledger, BY_ADDRESS)
    worker = await ledger.worker(BY_ADDRESS)
    one, other = await worker.frontier.claim([job])
    assert await worker.frontier.join(one, "192.0.2.7") is not None
    assert await worker.frontier.join(other, "192.0.2.7") is None
    await worker.frontier.commit([], released=[other.id])
    assert await worker.frontier.claim([job]) == []
    await worker.frontier.commit([], released=[one.id])
    ledger.clock.time += 2
    (next_one,) = await worker.frontier.claim([job])
    assert next_one.unit == "192.0.2.7"


async def test_a_host_without_delay_shares_with_nobody(ledger: Ledger) -> None:
    job = await two_hosts(ledger, replace(UNPACED, key=PoliteTo.DOMAIN))
    worker = await ledger.worker(replace(UNPACED, key=PoliteTo.DOMAIN))
    assert {held.host.name for held in await worker.frontier.claim([job])} == {A, B}
