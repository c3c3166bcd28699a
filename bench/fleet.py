"""What does a server cost, and what does a second worker bring? (P10)

One worker on SQLite and on PostgreSQL crawl the same site in turn; then one worker and two, all on
PostgreSQL, crawl hosts that take 200 ms for every answer, so that waiting is all there is to share;
the middle three fifths of the requests count, as the hosts saw them.
"""

from __future__ import annotations

import os
import statistics
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import services
from bench.report import Table, number, spread
from tenax.demo import TreeSite, serving

HOSTS = 12
LATENCY = 0.2
CONCURRENCY = 6
"""Of each worker: what one has under way is all it can wait for."""


@dataclass(frozen=True, slots=True)
class Postgres:
    """A server of our own, which keeps what it was told as servers do."""

    url: str
    tenax: tuple[str, ...]

    def fresh(self, name: str) -> dict[str, str]:
        """The environment of a crawl on an empty ledger."""
        url = urlsplit(self.url)._replace(path=f"/{name}").geturl()
        drop = f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'
        subprocess.run(["psql", "-qX", self.url, "-c", drop], check=True, capture_output=True)
        environment = {**os.environ, "TENAX_DATABASE": url}
        subprocess.run(
            [*self.tenax, "db", "upgrade"], env=environment, check=True, capture_output=True
        )
        return environment


@contextmanager
def postgres(folder: Path, tenax: list[str]) -> Iterator[Postgres]:
    with services.private("postgres", folder, fsync="on") as server:
        yield Postgres(server.url, tuple(tenax))


def workers(server: Postgres, folder: Path, count: int, pages: int) -> float:
    """Pages a second that so many workers bring from hosts that are slow to answer."""
    sites = [TreeSite(name=f"slow{n}", pages=pages, delay=LATENCY) for n in range(HOSTS)]
    environment = server.fresh("bench_workers") | {
        "TENAX_ALLOW_PRIVATE": "127.0.0.0/8",
        "TENAX_JOB__DISCOVER": "",
        "TENAX_PACE__DELAY": "0",
        "TENAX_FETCH__CONCURRENCY": str(CONCURRENCY),
    }
    with serving(sites) as web:
        urls = [site.url for site in sites]
        data = ["--data", str(folder)]
        create = [*server.tenax, "jobs", "create", "slow", *urls, "--start", *data]
        subprocess.run(create, env=environment, check=True, capture_output=True)
        command = [*server.tenax, "worker", "--until-done", "--quiet", *data]
        running = [
            subprocess.Popen(
                command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            for _ in range(count)
        ]
        for each in running:
            each.wait(600)
        moments = sorted(visit.at for visit in web.log)
    # Without the first and the last: there one starts, or has nothing left to do, before the other.
    edge = len(moments) // 5
    return (len(moments) - 2 * edge) / (moments[-edge - 1] - moments[edge])


def table(
    ledgers: list[tuple[float, float]], crews: list[tuple[float, float]], notes: list[str]
) -> Table:
    rows = [
        ["PostgreSQL against SQLite, one worker", *_compared(ledgers)],
        [f"two workers against one, {LATENCY * 1000:.0f} ms a request", *_compared(crews)],
    ]
    told = [
        "Pages a second. The server is on the same machine, with fsync. Aim: 0.70, better 0.95;"
        " and 1.6.",
        *notes,
    ]
    return Table("P10", "a ledger on PostgreSQL", ["what", "before", "then", "ratio"], rows, told)


def _compared(pairs: list[tuple[float, float]]) -> list[str]:
    if not pairs:
        return ["", "", "failed"]
    before, then = zip(*pairs, strict=True)
    ratios = [after / first for first, after in pairs]
    return [number(statistics.median(before)), number(statistics.median(then)), spread(ratios)]
