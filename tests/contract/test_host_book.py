"""The promises of `HostBook` and `RobotsStore`: what we know of hosts, and what they asked for."""

from __future__ import annotations

from dataclasses import replace

from tenax.model import Fault, Health, Pace, RobotsRecord
from tenax.outcome import Later
from tests.ledgers import START, Ledger, settlement, settlements, target

ROBOTS = RobotsRecord(
    "https://a.example", 200, "User-agent: *\nDisallow: /ü", START, START, START + 60
)


async def test_a_host_is_unknown_until_it_has_a_target(ledger: Ledger) -> None:
    assert await ledger.hosts.get("a.example") is None
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target("https://a.example:8443/x")])
    found = await ledger.hosts.get("a.example:8443")
    assert found is not None
    assert found.host.origin == "https://a.example:8443"
    assert (found.known, found.pages, found.leased) == (1, 0, 0)


async def test_what_a_visit_learned_of_a_host_is_kept(ledger: Ledger) -> None:
    """HOST-5: it survives a restart."""
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target("https://a.example/")])
    (held,) = await worker.frontier.claim([job])
    learned = replace(
        held.host,
        pace=Pace(crawl_delay=7.0, next_at=START + 7, backoff_until=START + 90),
        health=Health(2, Fault.DNS, START, START - 5),
    )
    visit = settlement(held, held.targets[0], host=learned)
    await worker.frontier.commit([visit], [held.id])
    found = await ledger.hosts.get("a.example")
    assert found is not None
    assert found.host == replace(learned, visits=1)


async def test_hosts_are_listed_by_name_a_page_at_a_time(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"https://{name}.example/") for name in "cab"])
    first = await ledger.hosts.all(limit=2)
    rest = await ledger.hosts.all(after=first[-1].host.name)
    assert [r.host.name for r in first + rest] == ["a.example", "b.example", "c.example"]


async def test_hosts_a_job_waits_for_are_told_latest_first(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"https://{name}.example/") for name in "abc"])
    held = await worker.frontier.claim([job])
    waits = zip(held, (30, 90, 60), strict=True)
    later = [
        one
        for assignment, wait in waits
        for one in settlements(assignment, Later(START + wait, counts=True))
    ]
    await worker.frontier.commit(later, [a.id for a in held])
    waiting = await ledger.hosts.waiting(job)
    assert [(name, until) for name, until, _ in waiting] == [
        ("b.example", START + 90), ("c.example", START + 60), ("a.example", START + 30),
    ]  # fmt: skip
    assert all(why for _, _, why in waiting)
    ledger.clock.time += 61
    assert [name for name, _, _ in await ledger.hosts.waiting(job)] == ["b.example"]


async def test_robots_are_kept_by_origin(ledger: Ledger) -> None:
    assert await ledger.robots.load(ROBOTS.origin) is None
    await ledger.robots.save(ROBOTS)
    other = replace(ROBOTS, origin="http://a.example", status=None, error="reset")
    await ledger.robots.save(other)
    assert await ledger.robots.load("https://a.example") == ROBOTS
    assert await ledger.robots.load("http://a.example") == other


async def test_a_newer_robots_takes_the_place_of_the_older(ledger: Ledger) -> None:
    await ledger.robots.save(ROBOTS)
    newer = replace(ROBOTS, text="", status=404, error="answered 404", expires_at=START + 9)
    await ledger.robots.save(newer)
    assert await ledger.robots.load(ROBOTS.origin) == newer
