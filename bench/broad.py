"""How fast are many hosts crawled that may each be asked once a second, and is any asked too early?

    python -m bench.broad [--hosts 1000] [--seconds 30] [--processes 1,2]

All of it is taken from the server's log: a crawler's own clock cannot tell when it was impolite.
"""

from __future__ import annotations

import argparse
import json
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from bench.broad_server import address
from bench.crawlers import Crawl, Crawler, Run, Tenax
from bench.report import Table, heading, megabytes, number
from bench.server import end

DELAY = 1.0
"""Seconds between two requests to one host, robots.txt included."""
TOLERANCE = 0.005
"""Seconds by which a request may be early and still not count as such: between the crawler's
decision to send and the arrival lie two processes and a kernel that schedules them."""
STARTING = 12.0
"""Seconds a crawl is given, before the counted ones, to make all hosts' acquaintance: each is
asked for robots.txt and, a delay later, for its first page."""


@dataclass(frozen=True, slots=True)
class Conduct:
    """What the server saw of one crawl."""

    hosts: int
    """Hosts that gave a page."""
    pages: int
    requests: int
    started: float
    """Seconds from the first request until every host had been asked for a page."""
    sustained: float
    """Pages a second from then on."""
    overall: float
    """Pages a second from the first request on."""
    pages_of_hosts: tuple[int, float, int]
    """Of the sustained part: pages of the host that got the fewest, the median host, the most."""
    early: int
    """Requests that came sooner after their predecessor than the delay less the tolerance."""
    below: int
    """Those that came sooner than the delay by anything at all."""
    smallest_gap: float


@dataclass(slots=True)
class BroadWeb:
    seeds: tuple[str, ...]
    log: Path
    cpu: float = 0.0
    """Seconds the server took; known when it has ended."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One crawl: what it says of itself, what its server says, and what the server took."""

    run: Run
    processes: int
    conduct: Conduct
    server_cpu: float

    @property
    def told(self) -> str:
        if self.run.problem:
            return self.run.problem
        return (
            f"{self.processes} processes: {self.conduct.sustained:,.0f} pages/s,"
            f" {self.conduct.early} too early"
        )


def measure(crawler: Crawler, folder: Path, hosts: int, seconds: float, processes: int = 1) -> Seen:
    """One crawl of so many hosts, ended by Ctrl-C while all of them have pages left."""
    with broad_web(folder, hosts, pages=int(seconds + STARTING) * 2) as web:
        first, *others = web.seeds
        crawl = Crawl(
            first, folder, 0, None, also=tuple(others), delay=DELAY, processes=processes,
            interrupt=seconds + STARTING,
        )  # fmt: skip
        run = crawler.run(crawl)
    with web.log.open() as lines:
        return Seen(run, processes, judge(lines, hosts), web.cpu)


@contextmanager
def broad_web(folder: Path, hosts: int, pages: int) -> Iterator[BroadWeb]:
    """So many hosts with so many pages each, served until the block ends; then the log is there."""
    log = folder / "requests.log"
    script = str(Path(__file__).with_name("broad_server.py"))
    command = [sys.executable, script, str(hosts), str(pages), str(log)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    web = BroadWeb((), log)
    try:
        port = json.loads(process.stdout.readline() or b"0")
        if not port:
            raise RuntimeError("the hosts could not be served (see above)")
        web.seeds = tuple(f"http://{address(number)}:{port}/" for number in range(hosts))
        yield web
    finally:
        end(process)
        web.cpu = float(process.stdout.read() or 0)


def judge(lines: Iterable[str], hosts: int) -> Conduct:
    """Read a log: `<seconds> <host> <status> <path>` a request."""
    arrivals: dict[int, list[float]] = defaultdict(list)
    pages: dict[int, list[float]] = defaultdict(list)
    for line in lines:
        moment, host, status, path = line.split(" ", 3)
        arrivals[int(host)].append(float(moment))
        if status == "200" and path != "/robots.txt\n":
            pages[int(host)].append(float(moment))
    moments = [moment for of_host in arrivals.values() for moment in of_host]
    first, last = min(moments, default=0.0), max(moments, default=0.0)
    # A host never asked for a page leaves nothing to be counted: that would be no broad crawl.
    going = max(min(of_host) for of_host in pages.values()) if len(pages) == hosts else last
    counted = Counter(
        {host: sum(moment > going for moment in of_host) for host, of_host in pages.items()}
    )
    each = [counted[host] for host in range(hosts)]
    gaps = [gap for of_host in arrivals.values() for gap in _gaps(of_host)]
    return Conduct(
        hosts=len(pages),
        pages=sum(map(len, pages.values())),
        requests=len(moments),
        started=going - first,
        sustained=sum(each) / (last - going) if last > going else 0.0,
        overall=sum(map(len, pages.values())) / (last - first) if last > first else 0.0,
        pages_of_hosts=(min(each), statistics.median(each), max(each)),
        early=sum(gap < DELAY - TOLERANCE for gap in gaps),
        below=sum(gap < DELAY for gap in gaps),
        smallest_gap=min(gaps, default=0.0),
    )


def _gaps(moments: list[float]) -> Iterator[float]:
    ordered = sorted(moments)
    return (later - earlier for earlier, later in pairwise(ordered))


COLUMNS = (
    "processes", "pages/s sustained", "pages/s overall", "too early", "requests",
    "smallest gap, s", "pages a host (least, median, most)", "all hosts going after, s",
    "CPU ms/page", "server CPU ms/request", "RSS MB", "problem",
)  # fmt: skip


def table(crawls: list[Seen], hosts: int) -> Table:
    rows = [_row(seen) for seen in sorted(crawls, key=lambda seen: seen.processes)]
    notes = [
        f"{hosts:,} hosts, a request to each every {DELAY:g} s at most, robots.txt included; all as"
        " the server's kernel saw requests arrive. Sustained is from the moment when every host"
        " had been asked for a page until the last request. Too early is a request less than"
        f" {DELAY - TOLERANCE:g} s after the one before it at its host. CPU time is that of the"
        " whole run, start included. Nothing is pinned: crawler and server share the cores."
        " Aim: 700 pages/s with 0 too early, better 950."
    ]
    return Table("P3", "a broad, polite crawl", list(COLUMNS), rows, notes)


def _row(seen: Seen) -> list[str]:
    run, conduct = seen.run, seen.conduct
    return [
        str(seen.processes),
        number(conduct.sustained),
        number(conduct.overall),
        number(conduct.early),
        number(conduct.requests),
        f"{conduct.smallest_gap:.4f}",
        "{}, {:g}, {}".format(*conduct.pages_of_hosts),
        f"{conduct.started:.1f}",
        f"{run.cpu / max(1, conduct.pages) * 1000:.2f}",
        f"{seen.server_cpu / max(1, conduct.requests) * 1000:.2f}",
        megabytes(run.rss),
        run.problem,
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.broad", description=__doc__)
    parser.add_argument("--hosts", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=30.0, help="counted, after the start")
    parser.add_argument("--processes", default="1,2", help="crawls, by their number of processes")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the crawl stores; else a temporary one")
    parser.add_argument("--tenax", default="", help="the command to start Tenax with")
    options = parser.parse_args()
    crawler = Tenax(program=tuple(shlex.split(options.tenax)))
    print(heading(" ".join(["python -m bench.broad", *sys.argv[1:]])), flush=True)
    crawls = []
    for _ in range(options.rounds):
        for processes in map(int, options.processes.split(",")):
            with tempfile.TemporaryDirectory(prefix="tenax-bench-", dir=options.folder) as folder:
                seen = measure(crawler, Path(folder), options.hosts, options.seconds, processes)
            print(seen.told, file=sys.stderr, flush=True)
            crawls.append(seen)
    print(table(crawls, options.hosts).markdown())
    return int(any(seen.run.problem or seen.conduct.early for seen in crawls))


if __name__ == "__main__":
    raise SystemExit(main())
