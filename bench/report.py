"""How are the figures told? Markdown to read and paste, JSON to keep."""

from __future__ import annotations

import json
import os
import platform
import statistics
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.crawlers import Run


@dataclass(frozen=True, slots=True)
class Table:
    case: str
    title: str
    columns: list[str]
    rows: list[list[str]]
    notes: list[str]

    def markdown(self) -> str:
        used = [
            at for at, name in enumerate(self.columns)
            if name != "problem" or any(row[at] for row in self.rows)
        ]  # fmt: skip
        lines = [[self.columns[at] for at in used], ["---"] * len(used)]
        lines += [[row[at].replace("|", "\\|") for at in used] for row in self.rows]
        table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        return f"### {self.case}: {self.title}\n\n{table}\n\n" + " ".join(self.notes) + "\n"


def heading(command: str) -> str:
    """When, where and how, without which a figure means nothing."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    machine = f"{len(os.sched_getaffinity(0))} x {_processor()}, Python {platform.python_version()}"
    return f"{when}, `{command}`, {machine}, load at the start {load}.\n"


def save(folder: Path, head: str, tables: list[Table], runs: list[tuple[str, Run]]) -> Path:
    """Both forms under one time stamp; the answer is the Markdown file."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    record = {
        "heading": head,
        "tables": [asdict(table) for table in tables],
        "runs": [{"case": case, **asdict(run)} for case, run in runs],
    }
    (folder / f"{stem}.json").write_text(json.dumps(record, indent=1), encoding="utf-8")
    path = folder / f"{stem}.md"
    path.write_text("\n".join([head, *(table.markdown() for table in tables)]), encoding="utf-8")
    return path


def spread(values: list[float]) -> str:
    """The median, and how far the rounds lay apart: a noisy machine must show in the table."""
    if len(values) < 2:
        return "".join(f"{value:.2f}" for value in values)
    return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})"


def number(value: float) -> str:
    return f"{value:,.0f}"


def megabytes(value: float) -> str:
    return f"{value / 1e6:,.0f}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
