"""How do several crawlers compare on the same work? Each as a share of the reference loop."""

from __future__ import annotations

import statistics
from collections.abc import Callable

from bench.crawlers import Run
from bench.report import Table, megabytes, number, spread

COLUMNS = (
    "crawler", "pages/s", "share", "share by wall time", "share by CPU time", "CPU ms/page",
    "RSS MB", "problem",
)  # fmt: skip


def compare(
    case: str, title: str, runs: dict[str, list[Run]], absent: dict[str, str], notes: list[str]
) -> Table:
    """A row a crawler; `runs` holds the rounds of each, in the same order for all."""
    reference = runs.get("reference", [])
    rows = [_row(made, reference) for made in runs.values()]
    rows += [_empty(name, f"not available: {why}") for name, why in absent.items()]
    how = "Median of the rounds (lowest-highest); shares are taken round by round."
    return Table(case, title, list(COLUMNS), rows, [*notes, how])


def _row(runs: list[Run], reference: list[Run]) -> list[str]:
    good = [run for run in runs if not run.problem]
    problems = "; ".join(sorted({run.problem for run in runs} - {""}))
    if not good:
        return _empty(runs[0].crawler, problems)
    pairs = [
        (run, base)
        for run, base in zip(runs, reference, strict=False)
        if not run.problem and not base.problem
    ]
    return [
        runs[0].crawler,
        number(statistics.median(run.rate for run in good)),
        _share(pairs, lambda run: run.rate),
        _share(pairs, lambda run: run.pages / run.wall),
        _share(pairs, lambda run: run.pages / run.cpu),
        f"{statistics.median(run.cpu / run.pages * 1000 for run in good):.2f}",
        megabytes(statistics.median(run.rss for run in good)),
        problems,
    ]


def _share(pairs: list[tuple[Run, Run]], rate: Callable[[Run], float]) -> str:
    return spread([rate(run) / rate(base) for run, base in pairs])


def _empty(name: str, problem: str) -> list[str]:
    return [name, *[""] * (len(COLUMNS) - 2), problem]
