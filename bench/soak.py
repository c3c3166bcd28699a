"""Does a fleet that runs for long stay as it is? Memory, descriptors, ledger and log.

    python -m bench.soak                  # half an hour
    python -m bench.soak --minutes 600    # a night

A worker, a scheduler and a server, on a queue of Redis, visit the pages of four sites again and
again, some of which change each time or fail, while somebody asks the API and what is old goes.
All is looked at every ten seconds. After the first third, in which everything fills up, nothing
may grow: the middle third is compared with the last by their medians. Ends with 1 where something
grew, or a role has ended.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import services
from services.ports import free_ports
from tenax.demo import DemoWeb, Reply, TreeSite, serving

ROLES = ("worker", "scheduler", "serve")
SITES, PAGES = 4, 100
LOOK = 10.0
"""Seconds between two looks."""
KEPT = 120.0
"""Seconds that the history of visits is kept here, instead of a week."""
ROOM = {"memory": (0.05, 4_000_000), "descriptors": (0.05, 3), "ledger": (0.05, 200_000),
        "log": (0.0, 20_000)}  # fmt: skip
"""What may be added from one third to the next: a share, and as much of its own unit."""


@dataclass
class RestlessSite(TreeSite):
    """One page in ten says something else each time, one in fifty fails now and then."""

    turns: int = 0

    def _page(self, number: int) -> Reply:
        self.turns += 1
        if number % 50 == 7 and self.turns % 3 == 0:
            return Reply(b"busy", status=503, kind="text/plain")
        reply = super()._page(number)
        if number % 10 == 3:
            told = f"<p>Turn {self.turns % 16} of this page.</p></body>"
            reply.body = reply.body.replace(b"</body>", told.encode())
        return reply


@dataclass(frozen=True)
class Look:
    at: float
    """Seconds since the beginning."""
    memory: dict[str, int]
    descriptors: dict[str, int]
    ledger: int
    log: int
    rows: dict[str, int]
    requests: int

    def figures(self) -> dict[str, float]:
        by_role: dict[str, float] = {
            f"memory of {role}": value for role, value in self.memory.items()
        }
        by_role |= {f"descriptors of {role}": value for role, value in self.descriptors.items()}
        rows = {f"rows of {table}": value for table, value in self.rows.items()}
        return by_role | {"ledger": self.ledger, "log": self.log} | rows


@dataclass
class Soak:
    folder: Path
    web: DemoWeb
    begun: float = field(default_factory=time.monotonic)
    looks: list[Look] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)

    def look(self, roles: dict[str, subprocess.Popen[bytes]]) -> Look:
        trees = {name: _tree(role.pid) for name, role in roles.items()}
        made = Look(
            round(time.monotonic() - self.begun, 1),
            {name: sum(map(_memory, pids)) for name, pids in trees.items()},
            {name: sum(map(_descriptors, pids)) for name, pids in trees.items()},
            sum(file.stat().st_size for file in (self.folder / "data").glob("ledger.db*")),
            sum(file.stat().st_size for file in self.folder.glob("*.log")),
            _rows(self.folder / "data" / "ledger.db"),
            len(self.web.log),
        )
        self.looks.append(made)
        return made

    def report(self) -> dict[str, object]:
        """Middle third and last third of each figure, and what grew by more than it may."""
        third = len(self.looks) // 3
        middle, last = self.looks[third : 2 * third], self.looks[2 * third :]
        names = last[-1].figures()
        table = {
            name: (
                statistics.median(each.figures().get(name, 0) for each in middle),
                statistics.median(each.figures().get(name, 0) for each in last),
            )
            for name in names
        }
        grew = [name for name, (was, is_now) in table.items() if is_now > _most(name, was)]
        return {
            "seconds": self.looks[-1].at,
            "looks": len(self.looks),
            "requests": self.looks[-1].requests,
            "middle_and_last_third": table,
            "grew": grew,
            "ended": self.ended,
        }


def _most(name: str, was: float) -> float:
    """Rows are bounded by time, not by number: a fifth more of them is still no growth."""
    share, more = ROOM.get(name.partition(" ")[0], (0.2, 500))
    return was * (1 + share) + more


def run(minutes: float, folder: Path, redis: str) -> Soak:
    sites = [RestlessSite(name=f"soak{n}", pages=PAGES) for n in range(SITES)]
    with serving(sites) as web:
        soak = Soak(folder, web)
        with _fleet(folder, redis, [site.url for site in sites]) as (roles, api):
            end = soak.begun + minutes * 60
            pause = min(LOOK, minutes * 60 / 30)
            while time.monotonic() < end:
                time.sleep(pause)
                _ask(api)
                look = soak.look(roles)
                soak.ended = [name for name, role in roles.items() if role.poll() is not None]
                if len(soak.looks) % 6 == 0:
                    print(json.dumps(look.figures() | {"at": look.at}), file=sys.stderr)
                if soak.ended:
                    break
        return soak


@contextmanager
def _fleet(
    folder: Path, redis: str, urls: list[str]
) -> Iterator[tuple[dict[str, subprocess.Popen[bytes]], str]]:
    day = 86_400.0
    ports = dict(zip(ROLES, free_ports(len(ROLES)), strict=True))
    settings: dict[str, object] = {
        "data": folder / "data", "allow_private": "127.0.0.1/32", "pace__delay": 0.02,
        "recrawl__shortest": 10, "recrawl__interval": 15, "recrawl__longest": 25,
        "retention__every": 30, "retention__attempts": KEPT / day,
        "job__discover": "", "redis": redis, "queue": "redis:",
    }  # fmt: skip
    clean = {key: value for key, value in os.environ.items() if not key.startswith("TENAX_")}
    told = clean | {f"TENAX_{key.upper()}": str(value) for key, value in settings.items()}
    tenax = [sys.executable, "-m", "tenax.cli"]
    subprocess.run([*tenax, "jobs", "create", "soak", *urls, "--recrawl", "15s", "--start"],
                   env=told, cwd=folder, check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    roles: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for role in ROLES:
            flags = ["--port", str(ports[role])] if role == "serve" else ["--quiet"]
            own = {} if role == "serve" else {"TENAX_HEALTH__PORT": str(ports[role])}
            with (folder / f"{role}.log").open("wb") as said:
                roles[role] = subprocess.Popen(
                    [*tenax, role, *flags], env=told | own, stdout=said, stderr=said, cwd=folder
                )
        yield roles, f"http://127.0.0.1:{ports['serve']}"
    finally:
        for process in roles.values():
            process.send_signal(signal.SIGTERM)
        for process in roles.values():
            process.wait(60)


def _ask(api: str) -> None:
    """As a console and Prometheus do; that it does not answer yet is nothing to stop for."""
    for path in ("/health/ready", "/metrics", "/api/jobs"):
        try:
            with urllib.request.urlopen(api + path, timeout=10) as answer:
                answer.read()
        except OSError:
            continue


def _tree(pid: int) -> list[int]:
    found, wanted = [], [pid]
    while wanted:
        each = wanted.pop()
        try:
            text = Path(f"/proc/{each}/task/{each}/children").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        found.append(each)
        wanted += map(int, text.split())
    return found


def _memory(pid: int) -> int:
    """What is its own: what processes share would be counted for each."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return sum(int(line.split()[1]) * 1_024 for line in lines if line.startswith("Private_"))


def _descriptors(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except (FileNotFoundError, ProcessLookupError):
        return 0


def _rows(ledger: Path) -> dict[str, int]:
    with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True, timeout=10)) as asked:
        names = asked.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
            " AND name NOT LIKE '%fts%' AND name NOT LIKE 'pages\\_%' ESCAPE '\\'"
        ).fetchall()
        counts = {name: asked.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
                  for (name,) in names}  # fmt: skip
    return {name: count for name, count in counts.items() if count}


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.soak", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as name,
        services.private("redis", Path(name)) as redis,
    ):
        soak = run(asked.minutes, Path(name), redis.url)
        report = soak.report()
        for log in sorted(Path(name).glob("*.log")):
            if text := log.read_text(errors="replace")[-1_000:]:
                print(f"{log.name}: {text}", file=sys.stderr)
    print(json.dumps(report, indent=2))
    return 1 if report["grew"] or report["ended"] else 0


if __name__ == "__main__":
    sys.exit(main())
