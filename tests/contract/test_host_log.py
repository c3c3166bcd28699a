"""The promises of what is kept of each host: every request, every incident, and not without end."""

from __future__ import annotations

from msgspec.structs import replace

from tenax.adapters.sql.records import host_log
from tenax.model import Breaker, HostHealth, HostTrouble, IncidentKind, Pace, Throttle
from tenax.outcome import RequestStart
from tests.ledgers import START, UNPACED, Ledger, Worker, get_to_know, settlement, target

A = "a.example"


async def busy(ledger: Ledger, count: int) -> tuple[Worker, int, int]:
    worker = await ledger.worker(UNPACED)
    job = await ledger.job()
    await get_to_know(ledger, worker, job, A)
    await worker.frontier.add(job, [target(f"https://{A}/{n}") for n in range(count)])
    host = await ledger.hosts.view(A)
    assert host is not None
    return worker, job, host.id


async def test_requests_are_told_in_the_order_in_which_they_left(ledger: Ledger) -> None:
    worker, job, host = await busy(ledger, 2)
    (held,) = await worker.frontier.claim([job])
    first, second = held.targets
    starts = (RequestStart(START + 3, 200, 412.4, 1.0), RequestStart(START + 1, None, 9e12, 0.0))
    later = RequestStart(START + 2, 429, 7, 2.5)
    await worker.frontier.commit([
        replace(settlement(held, first), starts=starts),
        replace(settlement(held, second), starts=(later,)),
    ])  # fmt: skip
    found = await ledger.hosts.requests(host, START)
    assert [each.at for each in found] == [START + 1, START + 2, START + 3]
    assert found[1] == later
    assert found[2] == RequestStart(START + 3, 200, 412.0, 1.0)
    assert found[0].status is None
    assert await ledger.hosts.requests(host, START + 2.5) == [found[2]]
    assert await ledger.hosts.requests(host + 1, 0) == []


async def test_the_last_hundreds_of_requests_are_kept_and_for_some_hours(ledger: Ledger) -> None:
    worker, job, host = await busy(ledger, 1_200)
    (held,) = await worker.frontier.claim([job])
    now = START
    while more := (await worker.frontier.refill(held, 50, using=1)).targets:
        now = ledger.clock.time = ledger.clock.time + 1
        starts = (RequestStart(now, 200, 1, 0.0),)
        told = [replace(settlement(held, each), starts=starts) for each in more]
        await worker.frontier.commit(told)
    ((kept,),) = await ledger.sql("SELECT sum(count) FROM host_requests")
    assert host_log.KEPT_REQUESTS <= kept <= host_log.KEPT_REQUESTS + 150
    newest = await ledger.hosts.requests(host, 0)
    assert newest[-1].at == now
    # Of a host that is asked no more, others take the rest away.
    await worker.frontier.add(job, [target("https://b.example/")])
    ledger.clock.time += host_log.KEPT_SECONDS + 1_000
    (other,) = [a for a in await worker.frontier.claim([job]) if a.host.name == "b.example"]
    starts = (RequestStart(ledger.clock.now(), 200, 1, 0.0),)
    told = [replace(settlement(other, each), starts=starts) for each in other.targets]
    await worker.frontier.commit(told, [other.id])
    assert await ledger.hosts.requests(host, 0) == []
    assert len(await ledger.hosts.requests(other.host.id, 0)) == 1


async def test_what_closes_a_host_is_noted_once(ledger: Ledger) -> None:
    worker, job, host = await busy(ledger, 3)
    (held,) = await worker.frontier.claim([job])
    breaker = Breaker(trips=1, until=START + 60, changed_at=START)
    health = HostHealth(failures=5, trouble=HostTrouble(breaker=breaker))
    broken = replace(held.host, health=health)
    waits = Pace(backoff_until=START + 120, throttle=Throttle(START, START + 120, 1, 4.0))
    for target_, as_left in zip(held.targets, (broken, broken, replace(broken, pace=waits)),
                                strict=True):  # fmt: skip
        await worker.frontier.commit([settlement(held, target_, host=as_left)])
    told = await ledger.hosts.incidents(host)
    assert [(each.kind, each.until) for each in told] == [
        (IncidentKind.SILENCE, START + 120),
        (IncidentKind.BREAKER, START + 60),
    ]
    for act in (ledger.hosts.pause, ledger.hosts.resume, ledger.hosts.reset):
        await act(A)
    told = await ledger.hosts.incidents(host, 3)
    kinds = [each.kind for each in told]
    assert kinds == [IncidentKind.RESET, IncidentKind.RESUMED, IncidentKind.PAUSED]


async def test_of_each_host_the_last_hundred_incidents_are_kept(ledger: Ledger) -> None:
    _, _, host = await busy(ledger, 1)
    for _ in range(host_log.KEPT_INCIDENTS // 2 + 5):
        ledger.clock.time += 1
        await ledger.hosts.pause(A)
        await ledger.hosts.resume(A)
    told = await ledger.hosts.incidents(host, 1_000)
    assert len(told) == host_log.KEPT_INCIDENTS
    assert told[0].at == ledger.clock.now()
