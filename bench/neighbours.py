"""How fast are healthy hosts crawled that have hostile ones beside them?"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.measure import pinned
from bench.server import end

PAGES = 400
"""More than can be asked for in the time: at the end nobody waits for the slowest host."""
SECONDS = 12.0
"""Counted from the first page on."""


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    healthy: tuple[int, ...]
    """Ports, each a host of its own."""
    hostile: tuple[int, ...]
    pages: int
    """What every host has; of a hostile one only the front page can be had."""
    log: Path
    """One line a request, `<seconds since the epoch> <port> <path>`, written on its arrival."""

    def rate(self, since: float) -> float:
        """Pages a second of the healthy hosts, as the server saw them.

        Counted from the first one on, so that starting the program takes nothing away.
        """
        ports = set(map(str, self.healthy))
        requests = (line.split(" ", 2) for line in self.log.read_text().splitlines())
        pages = sorted(
            float(moment)
            for moment, port, path in requests
            if float(moment) >= since and port in ports and path != "/robots.txt"
        )
        return sum(moment < pages[0] + SECONDS for moment in pages) / SECONDS if pages else 0.0


@contextmanager
def neighbourhood(healthy: int, hostile: int, core: int | None) -> Iterator[Neighbourhood]:
    """Hosts on ports of their own, served until the block ends."""
    with tempfile.TemporaryDirectory(prefix="tenax-bench-server-") as folder:
        log = Path(folder) / "requests.log"
        script = str(Path(__file__).with_name("neighbours_server.py"))
        command = [sys.executable, script, str(healthy), str(hostile), str(PAGES), str(log)]
        process = subprocess.Popen(pinned(command, core), stdout=subprocess.PIPE)
        try:
            assert process.stdout is not None
            ports = json.loads(process.stdout.readline() or b"[]")
            if len(ports) != healthy + hostile:
                raise RuntimeError("the neighbourhood could not be served (see above)")
            yield Neighbourhood(tuple(ports[:healthy]), tuple(ports[healthy:]), PAGES, log)
        finally:
            end(process)
