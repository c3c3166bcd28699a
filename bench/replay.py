"""How fast are stored bodies read again, beside the crawl that brought them?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.crawlers import Run
from bench.report import Table, number, spread


def replay(data: Path, processes: int, cores: Sequence[int] | None) -> float:
    """Pages a second, from starting to read until the last page is read."""
    command = [
        sys.executable, "-m", "tenax.cli", "replay", "--data", str(data), "--dry-run", "--json",
        "--processes", str(processes),
    ]  # fmt: skip
    confine = (lambda: os.sched_setaffinity(0, cores)) if cores else None
    told = subprocess.run(command, check=True, capture_output=True, preexec_fn=confine).stdout
    outcome = json.loads(told)
    return float(outcome["pages"] / outcome["seconds"])


def table(runs: Sequence[tuple[Run, float, float]], describe: str) -> Table:
    """Of (crawl, rate of one process reading again, rate of two)."""
    crawls = [run.rate for run, _, _ in runs]
    rows = [["tenax crawl, one process", number(sum(crawls) / len(crawls)), ""]]
    labelled = {
        "tenax replay": [one for _, one, _ in runs],
        "tenax replay --processes 2": [two for _, _, two in runs],
    }
    for label, rates in labelled.items():
        shares = [rate / crawl for rate, crawl in zip(rates, crawls, strict=True)]
        rows.append([label, number(sum(rates) / len(rates)), spread(shares)])
    notes = [describe, "Share of the crawl's rate, round by round. Aim for two: 1.2, better 1.8."]
    return Table("P9", "stored bodies read again", ["what", "pages/s", "share"], rows, notes)
