"""Does the frontier hand out hosts and take URLs by the rules of their sites? (HOST-7, FR-4)"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tenax.hosts.pace import PacePolicy
from tenax.model import Reason, SiteRules, Target
from tenax.urls.sites import Sites
from tests.ledgers import LEDGERS, UNPACED, Ledger, target

POLITE_BY_DEFAULT = PacePolicy(delay=1.0)


@pytest.fixture(params=LEDGERS)
async def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Ledger]:
    async with LEDGERS[request.param](tmp_path) as made:
        yield made


def pages(host: str, count: int = 20) -> list[Target]:
    return [target(f"https://{host}/{number}") for number in range(count)]


async def known(ledger: Ledger, *hosts: str) -> None:
    """Hosts that were visited before: at the first visit everybody else has to wait."""
    for host in hosts:
        await ledger.sql(
            "UPDATE hosts SET state = :state WHERE name = :name", name=host, state='{"visits":1}'
        )


async def test_a_site_takes_so_many_urls_of_a_host_and_no_more(ledger: Ledger) -> None:
    sites = Sites((SiteRules("*.example", max_pages=3),))
    worker, job = await ledger.worker(sites=sites), await ledger.job(max_pages_per_host=5)
    for host, most in (("a.example", 3), ("b.example", 3), ("c.org", 5)):
        added = await worker.frontier.add(job, pages(host, 7))
        assert (added.new, len(added.over_limit)) == (most, 7 - most)
        assert {reason for _, reason in added.over_limit} == {Reason.HOST_LIMIT}
    more = [target("https://a.example/more")]
    assert await worker.frontier.objections(job, more) == [Reason.HOST_LIMIT]


async def test_a_limit_that_is_raised_lets_more_in(ledger: Ledger) -> None:
    sites = Sites()
    sites.heed(1, [SiteRules("a.example", max_pages=2)])
    worker, job = await ledger.worker(sites=sites), await ledger.job()
    assert (await worker.frontier.add(job, pages("a.example", 6))).new == 2
    sites.heed(2, [SiteRules("a.example", max_pages=4)])
    assert (await worker.frontier.add(job, pages("a.example", 6))).new == 2


async def test_a_site_with_a_delay_has_one_holder_where_others_have_none(ledger: Ledger) -> None:
    sites = Sites((SiteRules("slow.example", delay=5.0, concurrency=8),))
    one = await ledger.worker(UNPACED, sites=sites)
    two = await ledger.worker(UNPACED, sites=sites)
    job = await ledger.job()
    for host in ("fast.example", "slow.example"):
        await one.frontier.add(job, pages(host, 200))
    await known(ledger, "fast.example", "slow.example")
    one.frontier.inner.expect(2)
    mine = {each.host.name: each.slots for each in await one.frontier.claim([job], 5)}
    theirs = {each.host.name for each in await two.frontier.claim([job], 5)}
    assert mine["slow.example"] == 1
    assert theirs == {"fast.example"}


async def test_a_site_without_delay_is_asked_as_often_at_once_as_it_says(ledger: Ledger) -> None:
    sites = Sites((SiteRules("a.example", delay=0.0, concurrency=3),))
    worker = await ledger.worker(POLITE_BY_DEFAULT, sites=sites)
    job = await ledger.job()
    for host in ("a.example", "b.example"):
        await worker.frontier.add(job, pages(host))
    await known(ledger, "a.example", "b.example")
    claimed = {each.host.name: each for each in await worker.frontier.claim([job], 5)}
    assert {name: each.slots for name, each in claimed.items()} == {"a.example": 3, "b.example": 1}
    refilled = await worker.frontier.refill(claimed["a.example"], 4, 3)
    assert refilled.slots == 3


async def test_sites_with_priority_are_handed_out_first(ledger: Ledger) -> None:
    sites = Sites((SiteRules("last.example", priority=9), SiteRules("first.example", priority=1)))
    worker, job = await ledger.worker(sites=sites), await ledger.job()
    for host in ("last.example", "a.example", "b.example", "first.example"):
        await worker.frontier.add(job, pages(host, 2))
        ledger.clock.time += 1.0
    order = [
        assignment.host.name
        for _ in range(4)
        for assignment in await worker.frontier.claim([job], 1)
    ]
    assert order == ["first.example", "a.example", "b.example", "last.example"]
