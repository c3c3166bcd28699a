"""Is a crawl slower while a million old rows are removed beside it? By windows of one crawl.

    python -m bench.retention                       # a million rows, 100 windows: four minutes
    python -m bench.retention --rows 100000 --windows 8

One crawl goes on all the time on a ledger with a million visits of long ago. Beside it a process
removes them as `tenax gc --yes` does, in every second window, and rests between its batches in the
others, so that whatever else the machine does meets both alike. What counts is how many requests
the web was asked in each, and the processor time that the crawl took for them. The interval is that
of the same pairs of neighbouring windows, drawn again and again. Told is, too, for how long each
transaction of the cleaning held the ledger, waiting for its turn included.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tenax.compose import open_ledger
from tenax.compose.lifecycle.upkeep import cleaning_parts
from tenax.demo import TreeSite, serving
from tenax.ops.lifecycle.retention import clean
from tenax.ports import Clock
from tenax.ports.lifecycle.retention import Retention
from tenax.settings import Settings

PAGES = 400_000
SECONDS = 2.0
OLD = 1_700_000_000.0
TENAX = [sys.executable, "-m", "tenax.cli"]
_TICKS = os.sysconf("SC_CLK_TCK")


def prepare(folder: Path, rows: int) -> None:
    """A ledger that has visited one page very often, long ago."""
    with serving([TreeSite(name="old", pages=1)]) as web:
        _tenax(folder, "crawl", *web.seeds, "--quiet", "--job", "old").wait()
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


class Window(Struct, frozen=True):
    seconds: float
    requests: int
    busy: float
    """Seconds of a processor that the crawl took."""

    @property
    def rate(self) -> float:
        return self.requests / self.seconds

    @property
    def cost(self) -> float:
        return self.busy / max(self.requests, 1)


class Pair(Struct, frozen=True):
    alone: Window
    beside: Window


def measure(folder: Path, count: int) -> tuple[list[Pair], list[float]]:
    """The windows, and seconds of each removal, the shortest first."""
    site = TreeSite(name="tree", pages=PAGES)
    with serving([site]) as web:
        crawl = _tenax(folder, "crawl", site.url, "--quiet", "--delay", "0", "--job", "new")
        cleaner = subprocess.Popen(
            [sys.executable, "-m", "bench.retention", "--clean", str(folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert cleaner.stdin is not None
        assert cleaner.stdout is not None
        try:
            while len(web.log) < 1_000:
                assert crawl.poll() is None, "the crawl has ended"
                time.sleep(0.1)
            pairs = []
            for number in range(count // 2):
                windows: dict[bool, Window] = {}
                # The crawl changes as it grows: each comes first as often as the other.
                for is_on in (True, False) if number % 2 else (False, True):
                    cleaner.stdin.write("on\n" if is_on else "off\n")
                    cleaner.stdin.flush()
                    begun, asked, busy = time.monotonic(), len(web.log), _busy(crawl.pid)
                    time.sleep(SECONDS)
                    windows[is_on] = Window(
                        time.monotonic() - begun, len(web.log) - asked, _busy(crawl.pid) - busy
                    )
                pairs.append(Pair(windows[False], windows[True]))
            assert crawl.poll() is None, "the crawl has ended"
            assert cleaner.poll() is None, "the cleaning has ended"
            cleaner.stdin.close()
            return pairs, json.loads(cleaner.stdout.read())
        finally:
            cleaner.stdin.close()
            crawl.send_signal(signal.SIGINT)
            for each in (crawl, cleaner):
                each.wait(120)


class _GatedClock:
    """A clock on which a rest lasts until the gate is open, too: no batch is cut in two."""

    def __init__(self, clock: Clock, gate: asyncio.Event) -> None:
        self._clock = clock
        self._gate = gate

    def now(self) -> float:
        return self._clock.now()

    async def sleep(self, seconds: float) -> None:
        await self._clock.sleep(seconds)
        await self._gate.wait()


class _TimedRetention:
    """How long each removal took: its turn, and its transaction."""

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


async def remove(folder: str) -> None:
    """Clean up while stdin says "on", until it ends; then tell how long the removals took."""
    gate = asyncio.Event()

    async def listen() -> None:
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            gate.set() if line == "on\n" else gate.clear()

    async with open_ledger(Settings(data=folder), create=False) as ledger:
        parts = cleaning_parts(ledger)
        listening = asyncio.create_task(listen())
        await gate.wait()
        timed = _TimedRetention(parts.retention)
        gated = replace(parts, retention=timed, clock=_GatedClock(parts.clock, gate))
        cleaning = asyncio.create_task(clean(gated, ledger.settings.retention, everything=True))
        await listening
        cleaning.cancel()
        await asyncio.gather(cleaning, return_exceptions=True)
        print(json.dumps(sorted(timed.seconds)))


def _busy(pid: int) -> float:
    """Processor time of a process, and of those that it has started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS + sum(_busy(int(each)) for each in children)


def _tenax(folder: Path, *command: str) -> subprocess.Popen[bytes]:
    clean_ones = {key: value for key, value in os.environ.items() if not key.startswith("TENAX_")}
    told = {"TENAX_ALLOW_PRIVATE": "127.0.0.1/32", "TENAX_JOB__DISCOVER": "",
            "TENAX_TRAPS__PATIENCE": "1000000"}  # fmt: skip
    return subprocess.Popen(
        [*TENAX, *command, "--data", str(folder)], env=clean_ones | told,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _old_rows(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "ledger.db", timeout=60)) as ledger:
        (count,) = ledger.execute("SELECT count(*) FROM attempts WHERE at <= ?", (OLD,)).fetchone()
    return int(count)


def rate_of(pairs: Sequence[Pair]) -> float:
    """Requests with the cleaning, by those without, of all windows together."""
    beside = sum(p.beside.requests for p in pairs) / sum(p.beside.seconds for p in pairs)
    return beside / (sum(p.alone.requests for p in pairs) / sum(p.alone.seconds for p in pairs))


def cost_of(pairs: Sequence[Pair]) -> float:
    """Processor time of the crawl for a request with the cleaning, by that without."""
    beside = sum(p.beside.busy for p in pairs) / sum(p.beside.requests for p in pairs)
    return beside / (sum(p.alone.busy for p in pairs) / sum(p.alone.requests for p in pairs))


def interval(pairs: Sequence[Pair], of: object = rate_of) -> tuple[float, float]:
    """Within which 95 of 100 draws of as many pairs lie."""
    assert callable(of)
    dice = random.Random(1)
    drawn = sorted(of(dice.choices(pairs, k=len(pairs))) for _ in range(2_000))
    return round(drawn[50], 3), round(drawn[-51], 3)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.retention", description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--windows", type=int, default=100)
    parser.add_argument("--clean", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.clean:
        asyncio.run(remove(asked.clean))
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "crawl"
        prepare(folder, asked.rows)
        pairs, removals = measure(folder, asked.windows)
        removed = asked.rows - _old_rows(folder)
    told = {
        "pairs": len(pairs),
        "seconds_each": SECONDS,
        "requests_a_second_alone": round(statistics.mean(p.alone.rate for p in pairs), 1),
        "removed": removed,
        "removals": len(removals),
        "share_of_time_in_removals": round(
            sum(removals) / sum(pair.beside.seconds for pair in pairs), 3
        ),
        "ms_a_removal": [
            round(1_000 * removals[n * (len(removals) - 1) // 10]) for n in (5, 9, 10)
        ],
        "rate": round(rate_of(pairs), 3),
        "rate_median": round(statistics.median(p.beside.rate / p.alone.rate for p in pairs), 3),
        "rate_95": interval(pairs),
        "processor_time_a_request": round(cost_of(pairs), 3),
        "processor_time_95": interval(pairs, cost_of),
        "rate_of_each_pair": [round(p.beside.rate / max(p.alone.rate, 0.01), 2) for p in pairs],
    }
    print(json.dumps(told, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
