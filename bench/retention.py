"""Is a crawl slower while a million old rows are removed beside it? By pages in equal time.

    python -m bench.retention                       # a million rows, three rounds: some minutes
    python -m bench.retention --rows 100000 --rounds 1

A ledger with a million visits of long ago is copied for each crawl. One crawls alone, the other
while `tenax gc --yes` goes on beside it, in turn. Both are stopped after the same time.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from tenax.demo import TreeSite, serving

PAGES = 20_000
SECONDS = 15.0
OLD = 1_700_000_000.0
TENAX = [sys.executable, "-m", "tenax.cli"]


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


def crawl(prepared: Path, *, cleaning: bool) -> tuple[int, int]:
    """Pages brought in the time there is, and rows removed meanwhile."""
    folder = prepared.parent / "copy"
    shutil.copytree(prepared, folder)
    try:
        before = _count(folder)
        site = TreeSite(name="tree", pages=PAGES)
        with serving([site]):
            roles = [_tenax(folder, "crawl", site.url, "--quiet", "--delay", "0", "--job", "new")]
            if cleaning:
                roles.append(_tenax(folder, "gc", "--yes"))
            time.sleep(SECONDS)
            for role in roles:
                if role.poll() is None:
                    role.send_signal(signal.SIGINT)
            for role in roles:
                role.wait(120)
        after = _count(folder)
        return after[0] - before[0], before[1] - after[1]
    finally:
        shutil.rmtree(folder)


def _tenax(folder: Path, *command: str) -> subprocess.Popen[bytes]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("TENAX_")}
    told = {"TENAX_ALLOW_PRIVATE": "127.0.0.1/32", "TENAX_JOB__DISCOVER": "",
            "TENAX_TRAPS__PATIENCE": "1000000"}  # fmt: skip
    return subprocess.Popen(
        [*TENAX, *command, "--data", str(folder)], env=clean | told,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _count(folder: Path) -> tuple[int, int]:
    """Pages, and visits of long ago."""
    with closing(sqlite3.connect(folder / "ledger.db", timeout=60)) as ledger:
        (pages,) = ledger.execute("SELECT count(*) FROM pages").fetchone()
        old = ledger.execute("SELECT count(*) FROM attempts WHERE at <= ?", (OLD,)).fetchone()
        return int(pages), int(old[0])


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.retention", description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    alone, beside, removed = [], [], []
    with tempfile.TemporaryDirectory() as name:
        prepared = Path(name) / "prepared"
        prepare(prepared, asked.rows)
        for _ in range(asked.rounds):
            alone.append(crawl(prepared, cleaning=False)[0])
            pages, gone = crawl(prepared, cleaning=True)
            beside.append(pages)
            removed.append(gone)
    ratios = [b / a for a, b in zip(alone, beside, strict=True)]
    told = {"alone": alone, "beside": beside, "removed": removed,
            "median_ratio": round(statistics.median(ratios), 3)}  # fmt: skip
    print(json.dumps(told, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
