"""How fast are healthy hosts crawled that have hostile ones beside them?"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.measure import pinned
from bench.server import end

PAGES = 100


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    healthy: tuple[int, ...]
    """Ports, each a host of its own."""
    hostile: tuple[int, ...]
    pages: int
    """What a healthy host has; of a hostile one only the front page can be had."""
    log: Path
    """One line a request, `<seconds since the epoch> <port> <path>`, written on its arrival."""

    def to_be_had(self, ports: Collection[int]) -> int:
        """Pages of these hosts."""
        return sum(self.pages if port in self.healthy else 1 for port in ports)

    def rate(self, since: float) -> float | None:
        """Pages a second of the healthy hosts, as the server saw them; None if some are missing.

        From the first request to the last, so that starting and ending the program don't count.
        """
        ports = set(self.healthy)
        asked: dict[tuple[str, str], float] = {}
        for line in self.log.read_text().splitlines():
            moment, port, path = line.split(" ", 2)
            if float(moment) >= since and int(port) in ports and path != "/robots.txt":
                asked.setdefault((port, path), float(moment))
        if len(asked) != self.to_be_had(ports):
            return None
        return len(asked) / (max(asked.values()) - min(asked.values()))


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
