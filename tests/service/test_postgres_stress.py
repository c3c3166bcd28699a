"""Many workers on one PostgreSQL at the same time: nobody gets in anybody's way, all adds up."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from tenax.hosts.pace import PacePolicy
from tenax.model import Assignment, State
from tenax.outcome import End, Later, Settlement
from tests.ledgers import Ledger, Worker, postgresql, settlement, target

HOSTS = [f"h{n}.example" for n in range(12)]
WORKERS = 6
# No delay worth the name, and still a host that belongs to one worker at a time.
PACED = PacePolicy(delay=1e-6, margin=0.0)
SHARED = PacePolicy(delay=0.0, slots_unpaced=8)


@dataclass
class Crawl:
    """Workers that claim, visit for a moment, find links to each other's hosts, and commit."""

    ledger: Ledger
    job: int
    pace: PacePolicy
    held: Counter[str] = field(default_factory=Counter)
    overlaps: list[str] = field(default_factory=list)
    visited: Counter[int] = field(default_factory=Counter)
    claims: int = 0

    async def work(self, worker: Worker, seed: int, rounds: int) -> None:
        rng = Random(seed)
        frontier = worker.frontier.inner
        for _ in range(rounds):
            self.ledger.clock.time += 0.01
            claimed = await frontier.claim([self.job], rng.randint(1, 4))
            self.claims += len(claimed)
            for each in claimed:
                self.held[each.host.name] += 1
                if self.pace is PACED and self.held[each.host.name] > 1:
                    self.overlaps.append(each.host.name)
            await asyncio.sleep(rng.random() * 0.005)
            if claimed and rng.random() < 0.3:
                await frontier.renew()
            done = [self.visit(each, rng) for each in claimed]
            # Before the answer: as soon as it is committed another may have it.
            self.held.subtract(each.host.name for each in claimed)
            committed = await frontier.commit(
                [one for some in done for one in some], [each.id for each in claimed]
            )
            assert not committed.lost

    def visit(self, held: Assignment, rng: Random) -> list[Settlement]:
        settled: list[Settlement] = []
        for leased in held.targets:
            links = [target(f"https://{rng.choice(HOSTS)}/{rng.randint(0, 400)}") for _ in range(8)]
            rng.shuffle(links)
            if rng.random() < 0.1:
                then = Later(self.ledger.clock.time, counts=True, reason="again")
                settled.append(settlement(held, leased, then))
            else:
                self.visited[leased.id] += 1
                end = End(State.DONE, "read")
                settled.append(settlement(held, leased, end, stored=True, found=links))
        return settled


async def crawl(
    folder: Path, pace: PacePolicy, rounds: int = 15, **limits: int | None
) -> tuple[Crawl, dict[State, int], int]:
    async with postgresql(folder) as ledger:
        job = await ledger.job("job", **limits)
        workers = [await ledger.worker(pace) for _ in range(WORKERS)]
        crawled = Crawl(ledger, job, pace)
        await workers[0].frontier.add(job, [target(f"https://{host}/") for host in HOSTS])
        await asyncio.gather(*(crawled.work(worker, n, rounds) for n, worker in enumerate(workers)))
        assert await ledger.auditor.audit() == []
        counts = await ledger.jobs.counts(job)
        return crawled, counts.states, counts.pages


@pytest.mark.parametrize("pace", [PACED, SHARED], ids=["paced", "shared"])
async def test_workers_side_by_side_leave_the_ledger_whole(
    tmp_path: Path, pace: PacePolicy
) -> None:
    crawled, states, pages = await crawl(tmp_path, pace)
    assert crawled.overlaps == [], "a paced host belongs to one worker at a time"
    assert max(crawled.visited.values()) == 1, "nothing is visited twice"
    assert crawled.claims > 50
    assert pages == states[State.DONE] == len(crawled.visited)


async def test_a_page_limit_is_exact_however_many_workers_claim(tmp_path: Path) -> None:
    _, states, pages = await crawl(tmp_path, SHARED, max_pages=90)
    assert pages == 90
    assert not states.get(State.LEASED)


async def test_a_limit_of_urls_is_exact_however_many_workers_add(tmp_path: Path) -> None:
    _, states, _ = await crawl(tmp_path, PACED, max_urls=120)
    assert sum(states.values()) == 120


async def test_a_limit_per_host_is_exact_however_many_workers_add(tmp_path: Path) -> None:
    async with postgresql(tmp_path) as ledger:
        job = await ledger.job(max_pages_per_host=20)
        workers = [await ledger.worker(SHARED) for _ in range(WORKERS)]
        crawled = Crawl(ledger, job, SHARED)
        await workers[0].frontier.add(job, [target(f"https://{host}/") for host in HOSTS])
        await asyncio.gather(*(crawled.work(worker, n, 12) for n, worker in enumerate(workers)))
        known = await ledger.sql("SELECT known FROM lanes")
        assert max(count for (count,) in known) == 20
        assert await ledger.auditor.audit() == []
