"""How fast are many hosts crawled that may each be asked once a second, and is any asked too early?

All of it is taken from the server's log: a crawler's own clock cannot tell when it was impolite.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.broad_server import address
from bench.server import end

DELAY = 1.0
"""Seconds between two requests to one host, robots.txt included."""
TOLERANCE = 0.005
"""Seconds by which a request may be early and still not count as such: between the crawler's
decision to send and the arrival lie two processes and a kernel that schedules them."""


@dataclass(frozen=True, slots=True)
class Conduct:
    """What the server saw of one crawl."""

    pages_a_second: float
    """In the measured window, as are the next two."""
    requests_a_second: float
    pages_of_hosts: tuple[int, float, int]
    """Pages of the host that got the fewest, of the median host, of the one that got the most."""
    requests: int
    """In all, as are the rest."""
    early: int
    """Requests that came sooner after their predecessor than the delay less the tolerance."""
    below: int
    """Those that came sooner than the delay by anything at all."""
    smallest_gap: float


@dataclass(slots=True)
class BroadWeb:
    seeds: tuple[str, ...]
    log: Path
    cpu: float = 0.0
    """Seconds the server took; known when it has ended."""


@contextmanager
def broad_web(hosts: int, pages: int, core: int | None = None) -> Iterator[BroadWeb]:
    """So many hosts with so many pages each, served until the block ends; then the log is there."""
    with tempfile.TemporaryDirectory(prefix="tenax-bench-server-") as folder:
        log = Path(folder) / "requests.log"
        script = str(Path(__file__).with_name("broad_server.py"))
        command = [sys.executable, script, str(hosts), str(pages), str(log)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert process.stdout is not None
        try:
            port = json.loads(process.stdout.readline() or b"0")
            if not port:
                raise RuntimeError("the hosts could not be served (see above)")
            seeds = tuple(f"http://{address(number)}:{port}/" for number in range(hosts))
            web = BroadWeb(seeds, log)
            yield web
        finally:
            end(process)


def conduct(lines: Iterable[str], hosts: int, ramp: float, seconds: float) -> Conduct:
    """Judge a log. The window begins `ramp` seconds after the first request."""
    arrivals: dict[int, list[float]] = defaultdict(list)
    pages: list[tuple[float, int]] = []
    for line in lines:
        moment, host, path = line.split(" ", 2)
        arrivals[int(host)].append(float(moment))
        if path.startswith(("/note/", "/\n")):
            pages.append((float(moment), int(host)))
    moments = [moment for of_host in arrivals.values() for moment in of_host]
    since = min(moments, default=0.0) + ramp
    gaps = [
        later - earlier
        for of_host in arrivals.values()
        for earlier, later in zip(sorted(of_host), sorted(of_host)[1:], strict=False)
    ]
    counted = Counter(host for moment, host in pages if since <= moment < since + seconds)
    each = [counted[host] for host in range(hosts)]
    return Conduct(
        pages_a_second=sum(each) / seconds,
        requests_a_second=sum(since <= moment < since + seconds for moment in moments) / seconds,
        pages_of_hosts=(min(each), statistics.median(each), max(each)),
        requests=len(moments),
        early=sum(gap < DELAY - TOLERANCE for gap in gaps),
        below=sum(gap < DELAY for gap in gaps),
        smallest_gap=min(gaps, default=0.0),
    )
