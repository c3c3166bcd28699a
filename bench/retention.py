"""Is a crawl slower while a million old rows are removed beside it? By its own processor time.

    python -m bench.retention                       # a million rows, 400 slices: 100 s of processor
    python -m bench.retention --rows 100000 --slices 20

One process crawls a site of another process, on a ledger with a million visits of long ago, and
removes them as `tenax gc --yes` does, in every second slice of time. All time here is processor
time of that one process: that of a slice, and that of which the cleaning takes a twentieth and
rests for the others. So it does not matter what else the machine does, nor how fast it is, and
whatever the cleaning costs is missing in the crawl beside it, as on a machine with one processor.
With more of them it takes less: it runs beside the crawl.

What counts is how many requests the crawl sent for a second of a processor with the cleaning, and
without. The interval is that of the same pairs of neighbouring slices, drawn again and again. What
processor time does not show is how long the crawl waits for the ledger, where one writes at a time:
no longer than the removals hold it, whose share of the time is told.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tenax.compose import open_ledger
from tenax.compose.crawler import Crawler, open_crawler
from tenax.compose.lifecycle.upkeep import cleaning_parts
from tenax.demo import TreeSite, serving
from tenax.ops.lifecycle.retention import clean
from tenax.ports.lifecycle.retention import Retention
from tenax.settings import Settings, load
from tenax.testing import start_job

PAGES = 400_000
SLICE = 0.25
"""Seconds of a processor: some batches and their rests."""
OLD = 1_700_000_000.0
BEGUN = 1_000
"""Requests after which the crawl is as it will be."""
_LOOK = 0.002


def prepare(folder: Path, rows: int) -> None:
    """A ledger that has visited one page very often, long ago."""
    with serving([TreeSite(name="old", pages=1)]) as web:
        clean_ones = {k: v for k, v in os.environ.items() if not k.startswith("TENAX_")}
        subprocess.run(
            [sys.executable, "-m", "tenax.cli", "crawl", *web.seeds, "--quiet", "--job", "old",
             "--data", str(folder), "--allow-private", "127.0.0.1/32"],
            env=clean_ones | {"TENAX_JOB__DISCOVER": ""}, stdout=subprocess.DEVNULL, check=True,
        )  # fmt: skip
    with closing(sqlite3.connect(folder / "ledger.db")) as ledger:
        columns = [row[1] for row in ledger.execute("PRAGMA table_info(attempts)")]
        named = ", ".join(columns)
        told = ", ".join({"id": "number", "at": f"{OLD}"}.get(each, each) for each in columns)
        ledger.execute(
            f"INSERT INTO attempts ({named}) WITH RECURSIVE counted(number) AS"
            " (SELECT 1000 UNION ALL SELECT number + 1 FROM counted LIMIT ?)"
            f" SELECT {told} FROM counted, (SELECT * FROM attempts LIMIT 1)",
            (rows,),
        )
        ledger.commit()


class Slice(Struct, frozen=True):
    requests: int
    busy: float
    """Seconds of a processor."""


class Pair(Struct, frozen=True):
    alone: Slice
    beside: Slice


class BusyClock:
    """Shows this process's processor time, as moments of today, and stands still while the gate is
    shut: a rest is as long as it should be, and no batch is cut in two."""

    def __init__(self) -> None:
        self._moment = time.time() - time.process_time()
        self._shut_at: float | None = time.process_time()
        self.is_resting = True

    def now(self) -> float:
        return self._moment + (time.process_time() if self._shut_at is None else self._shut_at)

    async def sleep(self, seconds: float) -> None:
        self.is_resting = True
        until = self.now() + seconds
        await _until(lambda: self.now() >= until and self._shut_at is None)
        self.is_resting = False

    def open(self) -> None:
        assert self._shut_at is not None
        self._moment -= time.process_time() - self._shut_at
        self._shut_at = None

    async def shut(self) -> None:
        await _until(lambda: self.is_resting)
        self._shut_at = time.process_time()


class TimedRetention:
    """For how long each removal held the ledger, its wait for it included; by the wall's clock."""

    def __init__(self, inner: Retention) -> None:
        self._inner = inner
        self.seconds: list[float] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def remove(self, *given: Any) -> dict[str, int]:
        begun = time.perf_counter()
        removed: dict[str, int] = await self._inner.remove(*given)
        self.seconds.append(time.perf_counter() - begun)
        return removed


class Found(Struct, frozen=True):
    pairs: list[Pair]
    removals: list[float]
    """Seconds of each, the shortest first."""
    beside: float
    """Seconds by the wall's clock of all slices with the cleaning."""


async def measure(folder: Path, url: str, count: int) -> Found:
    settings = load({"data": str(folder), "pace.delay": 0.0, "allow_private": ["127.0.0.1/32"],
                     "traps.patience": 1_000_000}, environment={}).settings  # fmt: skip
    async with open_crawler(settings) as crawler, open_ledger(settings, create=False) as ledger:
        run = crawler.run(await start_job(crawler, url, name="new", max_depth=1_000))
        crawling = asyncio.create_task(run.run())
        await _until(lambda: _requests(crawler) >= BEGUN or crawling.done())
        clock, parts = BusyClock(), cleaning_parts(ledger)
        timed = TimedRetention(parts.retention)
        parts = replace(parts, retention=timed, clock=clock)
        cleaning = asyncio.create_task(_clean(parts, settings))
        pairs: list[Pair] = []
        beside = 0.0
        for number in range(count // 2):
            slices: dict[bool, Slice] = {}
            # The crawl changes as it grows: each comes first as often as the other.
            for is_on in (True, False) if number % 2 else (False, True):
                begun = time.perf_counter()
                slices[is_on] = await _slice(crawler, clock if is_on else None)
                beside += is_on * (time.perf_counter() - begun)
            pairs.append(Pair(slices[False], slices[True]))
            assert not crawling.done(), "the crawl has ended"
            assert not cleaning.done(), "the cleaning has ended: more rows, or fewer slices"
        for task in (cleaning, crawling):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        return Found(pairs, sorted(timed.seconds), beside)


async def _clean(parts: Any, settings: Settings) -> None:
    await parts.clock.sleep(0.0)  # until the first slice that is for it
    await clean(parts, settings.retention, everything=True)


async def _slice(crawler: Crawler, clock: BusyClock | None) -> Slice:
    asked, begun = _requests(crawler), time.process_time()
    if clock is not None:
        clock.open()
    await _until(lambda: time.process_time() - begun >= SLICE)
    if clock is not None:
        await clock.shut()
    return Slice(_requests(crawler) - asked, time.process_time() - begun)


async def _until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - nobody tells of processor time
        await asyncio.sleep(_LOOK)


def _requests(crawler: Crawler) -> int:
    return sum(crawler.ledger.tallies.own.codes.values())


def serve() -> None:
    site = TreeSite(name="tree", pages=PAGES)
    with serving([site]):
        print(site.url, flush=True)
        sys.stdin.read()


def _old_rows(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "ledger.db", timeout=60)) as ledger:
        (count,) = ledger.execute("SELECT count(*) FROM attempts WHERE at <= ?", (OLD,)).fetchone()
    return int(count)


def ratio(pairs: Sequence[Pair]) -> float:
    """Requests for a second of a processor with the cleaning, by those without."""
    beside = sum(p.beside.requests for p in pairs) / sum(p.beside.busy for p in pairs)
    return beside / (sum(p.alone.requests for p in pairs) / sum(p.alone.busy for p in pairs))


def interval(pairs: Sequence[Pair]) -> tuple[float, float]:
    """Within which 95 of 100 draws of as many pairs lie."""
    dice = random.Random(1)
    drawn = sorted(ratio(dice.choices(pairs, k=len(pairs))) for _ in range(2_000))
    return round(drawn[50], 3), round(drawn[-51], 3)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.retention", description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--slices", type=int, default=400)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        serve()
        return 0
    served = subprocess.Popen(
        [sys.executable, "-m", "bench.retention", "--serve"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with served, tempfile.TemporaryDirectory() as name:
        assert served.stdout is not None
        folder = Path(name) / "crawl"
        prepare(folder, asked.rows)
        found = asyncio.run(measure(folder, served.stdout.readline().strip(), asked.slices))
        removed = asked.rows - _old_rows(folder)
        served.communicate()
    pairs = found.pairs
    told = {
        "pairs": len(pairs),
        "processor_seconds": round(sum(p.alone.busy + p.beside.busy for p in pairs), 1),
        "requests": sum(p.alone.requests + p.beside.requests for p in pairs),
        "removed": removed,
        "requests_for_a_processor_second": round(ratio(pairs), 3),
        "in_95_of_100": interval(pairs),
        "median_of_pairs": round(
            statistics.median(
                (p.beside.requests / p.beside.busy) / max(p.alone.requests / p.alone.busy, 0.01)
                for p in pairs
            ),
            3,
        ),
        "share_of_time_in_removals": round(sum(found.removals) / found.beside, 4),
        "ms_a_removal": [
            round(1_000 * found.removals[n * (len(found.removals) - 1) // 10], 1)
            for n in (5, 9, 10)
        ],
    }
    print(json.dumps(told, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
