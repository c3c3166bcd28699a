"""Does work cost more in a large frontier than in a small one?

    python -m bench.frontier [--urls 10000000] [--hosts 100000] [--folder /var/tmp]

Grows a ledger through the frontier's own calls, decade by decade, and at each measures what it
costs to claim a target, to commit a page and to add a URL, at hosts that come up in random order.
A ledger of the first decade is kept beside it and measured in turn, slice by slice: whatever else
the machine does, it does to both.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TypeVar

from msgspec.structs import replace
from sqlalchemy.engine import Connection

from bench.ledger import measure_ledger
from bench.report import Table, heading, number
from tenax.adapters.sql.engine.sqlite import Database
from tenax.adapters.sql.frontier.frontier import SqlFrontier
from tenax.adapters.sql.records.jobs import SqlJobs
from tenax.adapters.sql.records.workers import Membership
from tenax.crawl.policy import LeasePolicy
from tenax.hosts.conduct import HostPolicies
from tenax.model import Assignment, JobSpec, LeasedTarget, Page, State, Target
from tenax.model.words import Url
from tenax.outcome import Attempt, End, Settlement
from tenax.urls.normalise import url_key

T = TypeVar("T")

FOLDER = Path("/var/tmp")
"""A real disk: in memory nothing would be slow that is slow in a large ledger."""
MOST_HOSTS = 100_000
FIRST_DECADE = 100_000
URLS_A_HOST = 100
"""Hosts grow with the URLs until there are as many as allowed; from then on each has more."""
ROUNDS = 10
"""A host's URLs come in so many portions, with all other hosts' between them, as in a crawl."""
VISITS = (1, 4)
"""Pages of every host that are there before anything is measured: one to make its acquaintance,
then some more."""
SLICES = 12
HOSTS_A_SLICE = 25
BATCH = 64
"""Pages in one commit."""
ADDED = 500
"""URLs added in one go, ten to a host."""
BYTES_A_URL = 500
"""What is asked of the disk before a ledger is grown: it takes less than half of this."""


@dataclass(slots=True)
class HandClock:
    time: float = 1_790_000_000.0

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.time += seconds


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds for one of each."""

    claim: float
    commit: float
    add: float

    @property
    def visit(self) -> float:
        return self.claim + self.commit


@dataclass(slots=True)
class Ledger:
    """A frontier with made-up hosts: number 0, 1, 2 … with so many URLs each."""

    path: Path
    clock: HandClock
    database: Database
    frontier: SqlFrontier
    job_id: int
    membership: Membership
    rng: Random
    has: list[int] = field(default_factory=list)
    """The URLs of each host."""

    @property
    def known(self) -> int:
        return sum(self.has)

    async def grow(self, urls: int, most_hosts: int) -> None:
        """Up to so many URLs; what is new was visited a little."""
        before = len(self.has)
        hosts = max(before, min(most_hosts, urls // URLS_A_HOST))
        self.has += [0] * (hosts - before)
        for number_ in range(ROUNDS):
            for some in _portions(range(hosts), 1_000):
                wanted = [urls // hosts * (number_ + 1) // ROUNDS for _ in some]
                new = [
                    target(host, n)
                    for host, last in zip(some, wanted, strict=True)
                    for n in range(self.has[host], last)
                ]
                if new:
                    await self.frontier.add(self.job_id, new)
                for host, last in zip(some, wanted, strict=True):
                    self.has[host] = max(self.has[host], last)
        for pages in VISITS:
            await self._visit_all(hosts - before, pages)
        await self.database.write(self._shuffle)

    async def slice(self) -> Costs:
        """Claim some hosts that are due, visit all they gave out, add some URLs."""
        self.clock.time += 1_000
        claiming, assignments = await _timed(self.frontier.claim([self.job_id], HOSTS_A_SLICE))
        committing, pages = 0.0, 0
        for batch, released in self._visits(assignments):
            self.clock.time += 1
            seconds, _ = await _timed(self.frontier.commit(batch, released))
            committing += seconds
            pages += len(batch)
        hosts = self.rng.choices(range(len(self.has)), k=ADDED // 10)
        new = [self._next(host) for host in hosts for _ in range(10)]
        adding, _ = await _timed(self.frontier.add(self.job_id, new))
        return Costs(claiming / max(1, pages), committing / max(1, pages), adding / len(new))

    def _visits(
        self, assignments: list[Assignment], *, finding: bool = True
    ) -> Iterator[tuple[list[Settlement], list[int]]]:
        """Batches as a broad crawl makes them: the hosts take turns, and go when they are done."""
        batch: list[Settlement] = []
        released: list[int] = []
        for turn in range(max((len(a.targets) for a in assignments), default=0)):
            for assignment in assignments:
                if turn < len(assignment.targets):
                    batch.append(self._settled(assignment, assignment.targets[turn], finding))
                if turn == len(assignment.targets) - 1:
                    released.append(assignment.id)
                if len(batch) == BATCH:
                    yield batch, released
                    batch, released = [], []
        if batch or released:
            yield batch, released

    def _settled(self, assignment: Assignment, leased: LeasedTarget, finding: bool) -> Settlement:
        now, number_ = self.clock.time, int(assignment.host.name[1:7])
        host = replace(
            assignment.host,
            visits=assignment.host.visits + 1,
            pace=replace(assignment.host.pace, next_at=now + 1.005),
        )
        digest = hashlib.sha256(leased.url.encode()).digest()
        page = Page(
            leased.url, 200, "text/html", leased.url.encode(), now, charset="utf-8",
            title=f"What {leased.url[-40:]} is about", content_hash=digest, digest=digest,
            words=400, links=("/",) * 30, simhash=int.from_bytes(digest[:8], "big"),
        )  # fmt: skip
        return Settlement(
            leased.id, leased.job_id, assignment.id, End(State.DONE, "read"),
            Attempt(now, "read", 200, 20.0, 30.0, 40_000, address="127.0.0.1"), page=page,
            url_hash=digest, found=tuple(self._found(number_)) if finding else (), host=host,
        )  # fmt: skip

    def _found(self, host: int) -> Iterator[Target]:
        """Of thirty links most are known, and most lead to the host itself."""
        rng = self.rng
        others = rng.choices(range(len(self.has)), k=4)
        yield from (target(host, rng.randrange(self.has[host])) for _ in range(24))
        yield from (target(other, rng.randrange(self.has[other])) for other in others[:3])
        yield from (self._next(host), self._next(host), self._next(others[3]))

    def _next(self, host: int) -> Target:
        self.has[host] += 1
        return target(host, self.has[host] - 1)

    async def _visit_all(self, hosts: int, pages: int) -> None:
        """Visit those not visited lately: they are the first to be due."""
        self.clock.time += 1_000
        few = SqlFrontier(
            self.database, self.clock, HostPolicies(), LeasePolicy(horizon=pages), self.membership
        )
        while hosts > 0:
            assignments = await few.claim([self.job_id], min(hosts, 200))
            if not assignments:
                raise RuntimeError(f"{hosts} hosts are left that nobody may visit")
            for batch, released in self._visits(assignments, finding=False):
                await few.commit(batch, released)
            hosts -= len(assignments)

    def _shuffle(self, connection: Connection) -> None:
        """As after weeks of crawling: which host is due next has nothing to do with its id."""
        connection.exec_driver_sql(
            "UPDATE lanes SET ready_at = ? + abs(random() % 1000000) / 1e6", (self.clock.time,)
        )


def target(host: int, number: int) -> Target:
    origin = f"https://h{host:06d}.example"
    # A path of usual length, different for every one.
    url = f"{origin}/articles/{number * 7919 % 1_000_003:06d}/a-title-of-some-words-{number}.html"
    return Target(url, Url(url), url_key(Url(url)), origin[8:], origin, 3, 5, found_on=1)


@asynccontextmanager
async def open_ledger(folder: Path) -> AsyncIterator[Ledger]:
    async with AsyncExitStack() as stack:
        clock = HandClock()
        path = folder / "ledger.db"
        database = await Database.open(path)
        stack.push_async_callback(database.close)
        membership = Membership(database, clock, folder / "workers")
        stack.callback(membership.let_go)
        frontier = SqlFrontier(database, clock, HostPolicies(), LeasePolicy(), membership)
        job = await SqlJobs(database, clock).save("bench", JobSpec())
        yield Ledger(path, clock, database, frontier, job.id, membership, Random(7))


@dataclass(frozen=True, slots=True)
class Decade:
    urls: int
    hosts: int
    costs: Costs
    small: Costs
    """Of the ledger of the first decade, measured in turn with it."""
    rss: int
    bytes_a_url: float
    seconds: float
    """What growing to it took."""


async def measure(
    folder: Path, urls: int, most_hosts: int, say: Callable[[str], None]
) -> list[Decade]:
    found: list[Decade] = []
    async with open_ledger(folder / "small") as small, open_ledger(folder / "large") as large:
        await small.grow(FIRST_DECADE, most_hosts)
        size = FIRST_DECADE
        while size <= urls:
            started = time.perf_counter()
            await large.grow(size, most_hosts)
            seconds = time.perf_counter() - started
            say(f"{size:,} URLs after {seconds:.0f} s")
            pairs = [(await small.slice(), await large.slice()) for _ in range(SLICES)]
            # The first of each reads what the others find at hand.
            ours, theirs = (_median(list(side)) for side in zip(*pairs[1:], strict=True))
            rss = _resident()
            stored = measure_ledger(large.path.parent).file_bytes
            found.append(
                Decade(
                    large.known, len(large.has), theirs, ours, rss, stored / large.known, seconds
                )
            )
            say(f"  claim and commit {theirs.visit / ours.visit:.2f} of the small ledger's")
            size *= 10
    return found


def table(decades: list[Decade]) -> Table:
    columns = [
        "known URLs", "hosts", "claim, µs/target", "commit, µs/page", "add, µs/URL",
        "claim + commit against 100 k", "add against 100 k", "RSS MB", "bytes/URL",
    ]  # fmt: skip
    rows = [
        [
            number(d.urls), number(d.hosts), *(number(each * 1e6) for each in _each(d.costs)),
            f"{d.costs.visit / d.small.visit:.2f}", f"{d.costs.add / d.small.add:.2f}",
            number(d.rss / 1e6), number(d.bytes_a_url),
        ]
        for d in decades
    ]  # fmt: skip
    notes = [
        f"Medians of {SLICES - 1} slices of {HOSTS_A_SLICE} hosts, in random order, and what"
        " they give out; thirty links a page, three of them new. Of every ledger at least"
        f" {sum(VISITS)} pages a host were visited before. The ratio is to another ledger of"
        f" {FIRST_DECADE:,} URLs that was measured in turn with this one. The file is that of the"
        " whole ledger, pages and attempts included. Aim: 2.0, better 1.2."
    ]
    return Table("P4", "the frontier at scale", columns, rows, notes)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.frontier", description=__doc__)
    parser.add_argument("--urls", type=int, default=10_000_000, help="100000000 on a large disk")
    parser.add_argument("--hosts", type=int, default=MOST_HOSTS, help="at most")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="on a real disk")
    options = parser.parse_args()
    if problem := lacking(options.folder, options.urls):
        parser.error(problem)
    print(heading(" ".join(["python -m bench.frontier", *sys.argv[1:]])), flush=True)

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory(prefix="tenax-bench-", dir=options.folder) as folder:
        decades = asyncio.run(measure(Path(folder), options.urls, options.hosts, say))
    print(table(decades).markdown())
    return 0


def lacking(folder: Path, urls: int) -> str:
    """Why the disk will not do; empty when it will."""
    free, wanted = shutil.disk_usage(folder).free, (urls + FIRST_DECADE) * BYTES_A_URL
    if free >= wanted:
        return ""
    return (
        f"{folder}: {free / 1e9:.1f} GB are free, and {urls:,} URLs may take {wanted / 1e9:.1f}."
        " Name a larger disk with --folder, or fewer URLs with --urls."
    )


async def _timed(work: Awaitable[T]) -> tuple[float, T]:
    started = time.perf_counter()
    result = await work
    return time.perf_counter() - started, result


def _median(costs: list[Costs]) -> Costs:
    return Costs(*(statistics.median(column) for column in zip(*map(_each, costs), strict=True)))


def _each(costs: Costs) -> tuple[float, float, float]:
    return costs.claim, costs.commit, costs.add


def _portions(values: range, size: int) -> Iterator[range]:
    return (values[at : at + size] for at in range(0, len(values), size))


def _resident() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
