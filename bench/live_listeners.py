"""What does it cost a crawl that a hundred people watch it, and how old is what they see?

    python -m bench.live_listeners [--listeners 100] [--seconds 10] [--rounds 5]

`tenax serve` crawls a large site of this machine. Rounds with and without listeners on `/api/live`,
as the console of somebody who is logged in listens, take turns in one run, and what counts is the
processor time of the server for each page it visits: a busy machine changes how many pages there
are, and hardly what one costs. How old figures are is
measured when the next ones come: then they are oldest.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, run
from typing import NamedTuple
from urllib.request import Request, urlopen

from bench.report import Table
from services.ports import free_ports
from tenax.demo import TreeSite, serving

_TICKS = os.sysconf("SC_CLK_TCK")
_SETTINGS = {
    "TENAX_ALLOW_PRIVATE": "127.0.0.1/32",
    "TENAX_PACE__DELAY": "0",
    "TENAX_JOB__DISCOVER": "",
}


class Served(NamedTuple):
    pid: int
    port: int
    key: str

    def pages(self) -> int:
        address = f"http://127.0.0.1:{self.port}/api/stats"
        request = Request(address, headers={"Authorization": f"Bearer {self.key}"})
        try:
            with urlopen(request, timeout=30) as answer:
                return int(json.load(answer)["pages"])
        except OSError:
            return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--listeners", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    site = TreeSite(pages=2_000_000)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving([site]),
        _server(Path(folder), site.url) as served,
    ):
        table = asyncio.run(_measure(served, args.listeners, args.seconds, args.rounds))
    print(table.markdown())


@contextmanager
def _server(folder: Path, site: str) -> Iterator[Served]:
    (port,) = free_ports(1)
    tenax, data = (sys.executable, "-m", "tenax.cli"), ("--data", str(folder))
    environment = os.environ | _SETTINGS
    create = (*tenax, "jobs", "create", "tree", site, "--start", *data)
    run(create, env=environment, stdout=DEVNULL, stderr=DEVNULL, check=True)
    add = (*tenax, "key", "api", "add", "bench", "--role", "admin", *data)
    key = run(add, env=environment, stdout=PIPE, text=True, check=True).stdout.strip()
    command = (*tenax, "serve", "--port", str(port), *data)
    serve = Popen(command, env=environment, stdout=DEVNULL, stderr=DEVNULL)
    served = Served(serve.pid, port, key)
    try:
        while not served.pages():
            time.sleep(0.2)
        yield served
    finally:
        serve.terminate()
        serve.wait()


async def _measure(served: Served, count: int, seconds: float, rounds: int) -> Table:
    alone: list[float] = []
    watched: list[float] = []
    ages: list[float] = []
    for _ in range(rounds):
        alone.append(await _a_page(served, seconds))
        streams = [asyncio.create_task(_listen(served, ages)) for _ in range(count)]
        await asyncio.sleep(1.0)
        watched.append(await _a_page(served, seconds))
        for stream in streams:
            stream.cancel()
        await asyncio.gather(*streams, return_exceptions=True)
    ratios = [w / a for a, w in zip(alone, watched, strict=True)]
    ages.sort()
    rows = [
        ["ms of processor a page, alone", f"{statistics.median(alone):.3f}"],
        ["ms of processor a page, watched", f"{statistics.median(watched):.3f}"],
        ["watched / alone", f"{statistics.median(ratios):.3f}"],
        ["lowest and highest of that", f"{min(ratios):.3f}, {max(ratios):.3f}"],
        ["seconds old when the next come, median", f"{statistics.median(ages):.2f}"],
        ["the same, 99 % are younger", f"{ages[int(len(ages) * 0.99)]:.2f}"],
    ]
    title = f"{count} listeners, {rounds} rounds of {seconds:g} s each way"
    return Table("live", title, ["", "measured"], rows, [])


async def _a_page(served: Served, seconds: float) -> float:
    """Milliseconds of processor time."""
    pages, spent = await asyncio.to_thread(served.pages), _processor(served.pid)
    await asyncio.sleep(seconds)
    done = await asyncio.to_thread(served.pages) - pages
    return (_processor(served.pid) - spent) / max(1, done) * 1000


async def _listen(served: Served, ages: list[float]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port, limit=2**20)
    head = (
        f"GET /api/live?jobs=true HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {served.key}"
    )
    writer.write(f"{head}\r\n\r\n".encode())
    at: float | None = None
    try:
        while line := await reader.readline():
            if not line.startswith(b"data: "):
                continue
            if at is not None:
                ages.append(time.time() - at)
            data = json.loads(line[6:])
            told = data.get("at") or (data.get("now") or {}).get("at")
            at = datetime.fromisoformat(told).timestamp() if told else None
    finally:
        writer.close()


def _processor(pid: int) -> float:
    """Seconds of it and of all that it has started."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    spent = sum(map(int, fields[11:15])) / _TICKS
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return spent + sum(_processor(int(child)) for child in children)


if __name__ == "__main__":
    main()
