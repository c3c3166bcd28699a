"""The promises of `HostBook` and `RobotsStore`: what we know of hosts, and what they asked for."""

from __future__ import annotations

import math
from random import Random

import pytest
from msgspec.structs import replace

from tenax.discover.gathered import ListingPolicy
from tenax.hosts import conduct
from tenax.hosts.conduct import HostPolicies, Why
from tenax.hosts.signs import FailedWith, Sign, ToldToWait, Unreached, WalledOff
from tenax.model import Client, Fault, Habit, Host, HostHealth, Pace, RobotsRecord, Role
from tenax.outcome import Later
from tenax.ports import HostRecord, ListingCount, NotNow
from tests.ledgers import (
    LEASES,
    POLITE,
    START,
    UNPACED,
    Ledger,
    Worker,
    get_to_know,
    settlement,
    settlements,
    target,
    urls,
)

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
        health=HostHealth(2, Fault.DNS, START, START - 5),
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


async def test_a_host_that_somebody_works_on_is_not_waited_for(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target("https://a.example/")])
    await worker.frontier.add(job, [target("https://a.example/2")])
    await worker.frontier.claim([job])
    assert await ledger.hosts.waiting(job) == []
    await ledger.hosts.pause("a.example")
    assert await ledger.hosts.waiting(job) == []


POLICIES = HostPolicies(pace=POLITE)
A = "https://a.example"
TROUBLES: dict[str, list[Sign]] = {
    "breaker open (5 failures in a row, the last dns)": [FailedWith(START, Fault.DNS)] * 5,
    "locked (6 failures in 5 min)": [FailedWith(START, Fault.CLIENT_ERROR)] * 6,
    "cooling down (it turned us away)": [WalledOff(START)],
    "told to wait (by a 429, or a 503 with Retry-After)": [ToldToWait(START, 60.0)],
}
troubles = pytest.mark.parametrize(("why", "signs"), TROUBLES.items(), ids=list(TROUBLES))


def taught(host: Host, *signs: Sign, at: float = START) -> Host:
    for sign in signs:
        host = conduct.learn(host, sign, at, POLICIES, Random(0))
    return host


async def record(ledger: Ledger, name: str = "a.example") -> HostRecord:
    found = await ledger.hosts.get(name)
    assert found is not None
    return found


async def in_trouble(ledger: Ledger, signs: list[Sign]) -> tuple[Worker, int]:
    """A host in trouble, its targets told to come back when it is over."""
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    (held,) = await worker.frontier.claim([job])
    host = taught(held.host, *signs)
    again = Later(conduct.opens_at(host, POLICIES).at, counts=False)
    await worker.frontier.commit([settlement(held, held.targets[0], again, host=host)], [held.id])
    ledger.clock.time += 10
    return worker, job


@troubles
async def test_why_a_host_is_waited_for_is_told_in_words(
    ledger: Ledger, why: str, signs: list[Sign]
) -> None:
    _, job = await in_trouble(ledger, signs)
    opens = conduct.opens_at((await record(ledger)).host, POLICIES).at
    assert await ledger.hosts.waiting(job) == [("a.example", opens, why)]


async def test_a_robots_file_that_cannot_be_had_is_told_with_its_error(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    (held,) = await worker.frontier.claim([job])
    await ledger.robots.save(replace(ROBOTS, status=503, text="", error="answered 503"))
    host = replace(held.host, pace=Pace(backoff_until=START + 60))
    wait = settlement(held, held.targets[0], Later(START + 60, counts=False), host=host)
    await worker.frontier.commit([wait], [held.id])
    why = "its robots.txt cannot be had (answered 503)"
    assert await ledger.hosts.waiting(job) == [("a.example", START + 60, why)]


# What a person does to a host (FR-7).


@pytest.mark.parametrize("act", ["pause", "resume", "reset"])
async def test_a_host_that_is_not_known_cannot_be_changed(ledger: Ledger, act: str) -> None:
    assert await getattr(ledger.hosts, act)("a.example") is False


async def test_nothing_of_a_paused_host_is_handed_out_until_it_is_resumed(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    assert await ledger.hosts.pause("a.example")
    assert await worker.frontier.claim([job]) == []
    assert await worker.frontier.next_ready([job]) is None
    assert (await record(ledger)).host.paused
    assert await ledger.hosts.resume("a.example")
    (held,) = await worker.frontier.claim([job])
    assert urls(held) == [f"{A}/"]


async def test_links_found_meanwhile_do_not_open_a_paused_host(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    await ledger.hosts.pause("a.example")
    await worker.frontier.add(job, [target(f"{A}/2")])
    assert await worker.frontier.claim([job]) == []
    assert await worker.frontier.next_ready([job]) is None


async def test_a_paused_host_is_waited_for_without_end(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"https://{name}.example/") for name in "ab"])
    await ledger.hosts.pause("b.example")
    assert await ledger.hosts.waiting(job) == [("b.example", math.inf, "paused")]
    assert await ledger.hosts.waiting(job + 1) == []


async def test_a_paused_host_with_nothing_left_is_not_waited_for(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    await ledger.hosts.pause("a.example")
    assert await ledger.hosts.waiting(job) == []


async def test_a_holder_that_has_not_heard_of_a_pause_does_not_undo_it(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    ledger.clock.time += 5
    await worker.frontier.add(job, [target(f"{A}/{n}") for n in range(3)])
    (held,) = await worker.frontier.claim([job])
    await ledger.hosts.pause("a.example")
    assert not held.host.paused
    await worker.frontier.commit([settlement(held, held.targets[0])], [held.id])
    ledger.clock.time += 5
    assert (await record(ledger)).host.paused
    assert await worker.frontier.claim([job]) == []


async def test_a_holder_hears_of_a_pause_when_it_asks_for_more(ledger: Ledger) -> None:
    worker, job = await ledger.worker(UNPACED), await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    await worker.frontier.add(job, [target(f"{A}/{n}") for n in range(200)])
    (held,) = await worker.frontier.claim([job])
    await ledger.hosts.pause("a.example")
    more = await worker.frontier.refill(held, 8, 8)
    assert more.targets == ()
    assert more.host is not None
    assert more.host.paused


@troubles
async def test_a_reset_opens_a_host_in_trouble_at_once(
    ledger: Ledger, why: str, signs: list[Sign]
) -> None:
    """HOST-5: what waited for its end is due at once, too."""
    worker, job = await in_trouble(ledger, signs)
    assert await worker.frontier.claim([job]) == []
    assert await ledger.hosts.reset("a.example")
    (held,) = await worker.frontier.claim([job])
    assert urls(held) == [f"{A}/"]
    assert conduct.opens_at(held.host, POLICIES).why is Why.DELAY


@pytest.mark.parametrize("is_paused", [False, True])
async def test_a_reset_does_not_hurry_what_waits_for_another_reason(
    ledger: Ledger, is_paused: bool
) -> None:
    worker, job = await in_trouble(ledger, [ToldToWait(START, 60.0)])
    later = replace(target(f"{A}/tomorrow"), due_at=START + 86_400)
    await worker.frontier.add(job, [later])
    if is_paused:
        await ledger.hosts.pause("a.example")
    await ledger.hosts.reset("a.example")
    await ledger.hosts.resume("a.example")
    (held,) = await worker.frontier.claim([job])
    assert urls(held) == [f"{A}/"]


async def test_a_reset_leaves_a_paused_host_paused(ledger: Ledger) -> None:
    worker, job = await in_trouble(ledger, [WalledOff(START)])
    await ledger.hosts.pause("a.example")
    await ledger.hosts.reset("a.example")
    assert await worker.frontier.claim([job]) == []
    await ledger.hosts.resume("a.example")
    assert len(await worker.frontier.claim([job])) == 1


async def test_a_reset_keeps_the_delay_between_requests(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    (held,) = await worker.frontier.claim([job])
    host = taught(replace(held.host, pace=Pace(5.0, START + 5)), WalledOff(START))
    again = Later(START, counts=False)
    await worker.frontier.commit([settlement(held, held.targets[0], again, host=host)], [held.id])
    await ledger.hosts.reset("a.example")
    assert await worker.frontier.claim([job]) == []
    ledger.clock.time += 5
    assert len(await worker.frontier.claim([job])) == 1


async def test_a_holder_that_has_not_heard_of_a_reset_does_not_undo_it(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await get_to_know(ledger, worker, job, "a.example")
    ledger.clock.time += 5
    await worker.frontier.add(job, [target(f"{A}/{n}") for n in range(3)])
    (held,) = await worker.frontier.claim([job])
    stale = taught(held.host, *[FailedWith(START, Fault.DNS)] * 5, at=START + 6)
    ledger.clock.time += 5
    await ledger.hosts.reset("a.example")
    await worker.frontier.commit([settlement(held, held.targets[0], host=stale)], [held.id])
    trouble = (await record(ledger)).host.health.trouble
    assert trouble is not None
    assert (trouble.breaker.trips, trouble.reset_at) == (0, START + 10)
    assert len(await worker.frontier.claim([job])) == 1


async def test_what_a_host_did_after_its_reset_counts(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    (held,) = await worker.frontier.claim([job])
    await ledger.hosts.reset("a.example")
    cooled = taught(held.host, WalledOff(START + 1), at=START + 1)
    again = Later(START, counts=False)
    await worker.frontier.commit([settlement(held, held.targets[0], again, host=cooled)], [held.id])
    ledger.clock.time += 10
    assert await worker.frontier.claim([job]) == []


async def test_a_host_changed_while_it_is_held_stays_its_holders(ledger: Ledger) -> None:
    worker, other, job = await ledger.worker(), await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    (held,) = await worker.frontier.claim([job])
    for act in (ledger.hosts.pause, ledger.hosts.resume, ledger.hosts.reset):
        await act("a.example")
        assert await other.frontier.claim([job]) == []
    ledger.clock.time += LEASES.seconds + 1
    assert await other.frontier.claim([job]) == [], "its turn counts as spent"
    ledger.clock.time += 1
    (taken,) = await other.frontier.claim([job])
    assert urls(taken) == urls(held)


async def test_a_reset_has_a_robots_file_that_failed_asked_for_again(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    failed = replace(ROBOTS, status=503, text="", error="answered 503")
    good, foreign = replace(ROBOTS, origin="http://a.example"), replace(failed, origin=f"{A}:8443")
    for known in (failed, good, foreign):
        await ledger.robots.save(known)
    await ledger.hosts.reset("a.example")
    assert await ledger.robots.load(failed.origin) == replace(failed, expires_at=START)
    assert await ledger.robots.load(good.origin) == good
    assert await ledger.robots.load(foreign.origin) == foreign


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


async def test_turns_of_a_host_that_nobody_holds_follow_each_other(ledger: Ledger) -> None:
    """The next one counts from the last, with as much again for connecting."""
    first = await ledger.hosts.spend_turn("new.example", "https://new.example", 10.0)
    second = await ledger.hosts.spend_turn("new.example", "https://new.example", 10.0)
    assert first == START
    assert isinstance(second, float)
    assert second - first >= 2 * POLITE.delay
    third = await ledger.hosts.spend_turn("new.example", "", 0.5)
    assert isinstance(third, NotNow)
    assert third.until - second == pytest.approx(second - first)


async def test_whoever_claims_a_host_counts_from_the_turn_that_was_spent(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    # Asking for robots.txt, which told the delay, was a turn: it is stretched.
    assert await ledger.hosts.spend_turn("a.example", A, 10.0, crawl_delay=5.0) == START + 4
    ledger.clock.time += 5
    assert await worker.frontier.claim([job]) == []
    ledger.clock.time += 10
    (held,) = await worker.frontier.claim([job])
    assert held.host.pace.next_at >= START + 14
    assert held.host.pace.crawl_delay == 5.0


async def test_a_host_that_somebody_holds_has_no_turn_for_others(ledger: Ledger) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    (held,) = await worker.frontier.claim([job])
    assert await ledger.hosts.spend_turn("a.example", A, 10.0) == NotNow(
        START + 30, "others are asking a.example"
    )
    ledger.clock.time = held.expires_at + 1
    assert isinstance(await ledger.hosts.spend_turn("a.example", A, 10.0), float)


async def test_a_closed_host_has_no_turns(ledger: Ledger) -> None:
    await in_trouble(ledger, [ToldToWait(START, 60.0)])
    said = await ledger.hosts.spend_turn("a.example", A, 100.0)
    assert isinstance(said, NotNow)
    assert said.until > START + 50
    await ledger.hosts.pause("a.example")
    said = await ledger.hosts.spend_turn("a.example", A, 100.0)
    assert isinstance(said, NotNow)
    assert math.isfinite(said.until)
    assert "paused" in said.why


async def test_what_somebody_saw_of_a_host_without_holding_it_holds_for_all(ledger: Ledger) -> None:
    """That it is away, and which client it likes; who has it next does not ask it before."""
    assert await ledger.hosts.view("a.example") is None
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    before = await ledger.hosts.view("a.example")
    assert before is not None
    assert isinstance(await ledger.hosts.spend_turn("a.example", A, 10.0), float)
    away = Unreached(START, Fault.CONNECT_REFUSED)
    seen = conduct.learn(before, away, START, HostPolicies(), Random(1))
    seen = replace(seen, habit=Habit(client=Client.CURL))
    await ledger.hosts.heed(seen)
    known = await ledger.hosts.view("a.example")
    assert known is not None
    assert known.health == seen.health
    assert known.habit == seen.habit
    assert known.pace.next_at > START, "the turn that was spent is not forgotten"
    ledger.clock.time += 29
    assert await worker.frontier.claim([job]) == []
    assert isinstance(await ledger.hosts.spend_turn("a.example", A, 10.0), NotNow)
    ledger.clock.time += 2
    assert len(await worker.frontier.claim([job])) == 1


async def test_sitemaps_beyond_their_budget_are_refused_and_those_taken_are_counted(
    ledger: Ledger,
) -> None:
    worker, job = await ledger.worker(), await ledger.job()
    await worker.frontier.add(job, [target(f"{A}/")])
    most = ListingPolicy().budget
    listed = [target(f"{A}/{n}.xml", priority=3, found_on=1) for n in range(most + 5)]
    sitemaps = [replace(each, role=Role.SITEMAP) for each in listed]
    asked_for = replace(target(f"{A}/own.xml"), role=Role.SITEMAP)
    assert (await worker.frontier.add(job, sitemaps[:600])).new == 600
    added = await worker.frontier.add(job, [*sitemaps, asked_for])
    assert (added.new, added.known, len(added.over_limit)) == (401, 600, 5)
    assert await ledger.hosts.listings("a.example") == [ListingCount("job", Role.SITEMAP, most + 1)]
    priorities = await ledger.sql("SELECT priority, count(*) FROM targets GROUP BY 1 ORDER BY 1")
    assert priorities == [(3, 100), (5, 2), (9, 900)]
