"""What does it cost a crawl that a hundred people watch it, and how old is what they see?

    python -m bench.live_listeners [--listeners 100] [--seconds 8] [--rounds 6] [--consoles]

`tenax serve` crawls a site of this machine, first a few pages a second, then as fast as it can.
Times with and without listeners on `/api/live`, who listen as the console of somebody who is logged
in does, take turns (alone, watched, watched, alone …): what changes meanwhile weighs on both
alike. At a few pages a second the listeners are all there is to see: what they take of a processor
is told as such. At full speed it is told what a page costs, by the processor time of the server,
which a busy machine changes little, and how many pages there were, which it changes much.

With `--consoles` each of them also asks what an open page asks for now and then: half of them have
the overview open, half the page of the job.

How old figures are is measured when the next ones come: then they are oldest. The listeners are a
process of their own. About two and a half minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import heapq
import json
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from multiprocessing.connection import Connection
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, run
from typing import NamedTuple
from urllib.request import Request, urlopen

from bench.report import Table, heading
from services.ports import free_ports
from tenax.demo import TreeSite, serving

_TICKS = os.sysconf("SC_CLK_TCK")
_SETTINGS = {
    "TENAX_ALLOW_PRIVATE": "127.0.0.1/32",
    "TENAX_JOB__DISCOVER": "",
    # They are all of one key here, and would reach its limit.
    "TENAX_API__ADMIN": "1000000",
}
_SLOWLY, _FAST = 0.25, 0.0
"""Seconds between requests."""
_OPEN: dict[str, tuple[tuple[str, float], ...]] = {
    "overview": (("/api/domains?trouble=true&limit=20", 60),),
    "job": (
        ("/api/stats/timeseries?job=tree&minutes=10&step=1", 60),
        ("/api/jobs/tree/failures?limit=12", 60),
    ),
}
"""What an open page of the console asks for every so many seconds, as a Chromium told. The stream
tells the rest. Of hosts in trouble and failures it tells when they have changed, and on this site
nothing fails: they are asked for as if it did all the time."""
_WITH_CLOCKS = 10
"""One in so many looks at how old figures are; the others read and forget."""


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


class Spent(NamedTuple):
    """Within some seconds."""

    seconds: float
    processor: float
    pages: int

    @property
    def a_page(self) -> float:
        return self.processor / max(1, self.pages)

    @property
    def rate(self) -> float:
        return self.pages / self.seconds


class Watching(NamedTuple):
    number: int
    asks: bool
    """Whether they are whole consoles."""


class Compared(NamedTuple):
    alone: list[Spent]
    watched: list[Spent]
    ages: list[float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--listeners", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--consoles", action="store_true", help="who also ask as open pages do")
    args = parser.parse_args()
    print(heading("python -m bench.live_listeners"))
    site = TreeSite(pages=2_000_000)
    with serving([site]):
        who = Watching(args.listeners, args.consoles)
        few = _compare(site.url, _SLOWLY, who, args.seconds / 2, args.rounds)
        print(_few_told(few, args.listeners).markdown(), flush=True)
        many = _compare(site.url, _FAST, who, args.seconds, args.rounds)
        print(_many_told(many, args.listeners).markdown())


def _compare(site: str, delay: float, who: Watching, seconds: float, rounds: int) -> Compared:
    found = Compared([], [], [])
    with tempfile.TemporaryDirectory() as folder, _server(Path(folder), site, delay) as served:
        _spend(served, 2.0)
        for number in range(rounds):
            if number % 2 == 0:
                found.alone.append(_spend(served, seconds))
            with _listeners(served, who, found.ages):
                found.watched.append(_spend(served, seconds))
            if number % 2 == 1:
                found.alone.append(_spend(served, seconds))
    return found


@contextmanager
def _server(folder: Path, site: str, delay: float) -> Iterator[Served]:
    (port,) = free_ports(1)
    tenax, data = (sys.executable, "-m", "tenax.cli"), ("--data", str(folder))
    environment = os.environ | _SETTINGS | {"TENAX_PACE__DELAY": str(delay)}
    create = (*tenax, "jobs", "create", "tree", site, "--start", *data)
    run(create, env=environment, stdout=DEVNULL, stderr=DEVNULL, check=True)
    add = (*tenax, "key", "api", "add", "bench", "--role", "admin", *data)
    told = run(add, env=environment, stdout=PIPE, stderr=DEVNULL, text=True, check=True)
    key = told.stdout.strip()
    command = (*tenax, "serve", "--port", str(port), *data)
    serve = Popen(command, env=environment, stdout=DEVNULL, stderr=DEVNULL)
    served = Served(serve.pid, port, key)
    try:
        while not served.pages():
            if serve.poll() is not None:
                sys.exit("The server ended.")
            time.sleep(0.2)
        yield served
    finally:
        serve.terminate()
        serve.wait()


def _spend(served: Served, seconds: float) -> Spent:
    at, pages, spent = time.monotonic(), served.pages(), _processor(served.pid)
    time.sleep(seconds)
    done = served.pages() - pages
    return Spent(time.monotonic() - at, _processor(served.pid) - spent, done)


@contextmanager
def _listeners(served: Served, who: Watching, ages: list[float]) -> Iterator[None]:
    """There from when all of them were told something."""
    spawning = multiprocessing.get_context("spawn")
    here, there = spawning.Pipe()
    listening = spawning.Process(target=_listen_all, args=(served, who, there), daemon=True)
    listening.start()
    there.close()
    try:
        here.recv()
        yield
        here.send(None)
        ages += here.recv()
    finally:
        listening.kill()
        listening.join()


def _listen_all(served: Served, who: Watching, caller: Connection) -> None:
    asyncio.run(_listening(served, who, caller))


async def _listening(served: Served, who: Watching, caller: Connection) -> None:
    ages: list[float] = []
    there = asyncio.Semaphore(0)
    streams = [
        asyncio.create_task(_listen(served, there, ages if n % _WITH_CLOCKS == 0 else None))
        for n in range(who.number)
    ]
    for _ in range(who.number):
        if any(each.done() for each in streams):
            return
        await there.acquire()
    for n in range(who.number if who.asks else 0):
        asks = _ask(served, _OPEN["job" if n % 2 else "overview"], n / who.number)
        streams.append(asyncio.create_task(asks))
    ages.clear()
    caller.send(None)
    await asyncio.to_thread(caller.recv)
    caller.send(list(ages))
    for stream in streams:
        stream.cancel()
    await asyncio.gather(*streams, return_exceptions=True)


async def _listen(served: Served, there: asyncio.Semaphore, ages: list[float] | None) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port, limit=2**20)
    head = (
        f"GET /api/live?jobs=true HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {served.key}"
    )
    writer.write(f"{head}\r\n\r\n".encode())
    at: float | None = None
    is_there = False
    try:
        answer = await reader.readline()
        if b" 200 " not in answer:
            sys.exit(f"A listener was answered {answer.decode().strip()}.")
        while line := await reader.readline():
            if not line.startswith(b"data: "):
                continue
            if not is_there:
                is_there = True
                there.release()
            if ages is None:
                continue
            if at is not None:
                ages.append(time.time() - at)
            data = json.loads(line[6:])
            told = data.get("at") or (data.get("now") or {}).get("at")
            at = datetime.fromisoformat(told).timestamp() if told else None
    finally:
        writer.close()


async def _ask(served: Served, page: tuple[tuple[str, float], ...], begin: float) -> None:
    """The questions of an open page, each in its turn, on a connection that is kept."""
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port, limit=2**20)
    now = time.monotonic()
    due = [(now + every * begin, path, every) for path, every in page]
    heapq.heapify(due)
    try:
        while True:
            at, path, every = heapq.heappop(due)
            heapq.heappush(due, (at + every, path, every))
            await asyncio.sleep(at - time.monotonic())
            head = (
                f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip, br\r\n"
                f"Authorization: Bearer {served.key}\r\n\r\n"
            )
            writer.write(head.encode())
            answer = (await reader.readuntil(b"\r\n\r\n")).lower()
            if b" 200 " not in answer:
                sys.exit(f"{path} was answered {answer.decode().splitlines()[0]}.")
            length = answer.partition(b"content-length:")[2].partition(b"\r\n")[0]
            await reader.readexactly(int(length))
    finally:
        writer.close()


def _few_told(found: Compared, count: int) -> Table:
    alone, watched = (
        [each.processor / each.seconds * 100 for each in several]
        for several in (found.alone, found.watched)
    )
    more = [w - a for a, w in zip(alone, watched, strict=True)]
    rows = [
        ["% of a processor, alone", f"{statistics.median(alone):.2f}"],
        ["% of a processor, watched", f"{statistics.median(watched):.2f}"],
        ["what the listeners take of a processor, %", f"{statistics.median(more):.2f}"],
        ["lowest and highest of that", f"{min(more):.2f}, {max(more):.2f}"],
        *_ages_told(found.ages),
    ]
    title = f"{count} listeners, a few pages a second, {len(more)} rounds each way"
    return Table("live", title, ["", "measured"], rows, [])


def _many_told(found: Compared, count: int) -> Table:
    costs = [w.a_page / a.a_page for a, w in zip(found.alone, found.watched, strict=True)]
    rates = [w.rate / a.rate for a, w in zip(found.alone, found.watched, strict=True)]
    rows = [
        ["ms of processor a page, alone", _middle([each.a_page * 1000 for each in found.alone])],
        ["the same, watched", _middle([each.a_page * 1000 for each in found.watched])],
        ["watched / alone", _middle(costs)],
        ["lowest and highest of that", f"{min(costs):.3f}, {max(costs):.3f}"],
        ["pages a second, alone", f"{statistics.median(each.rate for each in found.alone):.0f}"],
        ["the same, watched", f"{statistics.median(each.rate for each in found.watched):.0f}"],
        ["watched / alone", _middle(rates)],
        ["lowest and highest of that", f"{min(rates):.3f}, {max(rates):.3f}"],
        *_ages_told(found.ages),
    ]
    title = f"{count} listeners, as fast as it can, {len(costs)} rounds each way"
    return Table("live", title, ["", "measured"], rows, [])


def _middle(values: list[float]) -> str:
    return f"{statistics.median(values):.3f}"


def _ages_told(ages: list[float]) -> list[list[str]]:
    ages = sorted(ages)
    return [
        ["seconds old when the next come, median", f"{statistics.median(ages):.2f}"],
        ["the same, 99 % are younger", f"{ages[int(len(ages) * 0.99)]:.2f}"],
        ["the oldest", f"{ages[-1]:.2f}"],
    ]


def _processor(pid: int) -> float:
    """Seconds of it and of all that it has started."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    spent = sum(map(int, fields[11:15])) / _TICKS
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return spent + sum(_processor(int(child)) for child in children)


if __name__ == "__main__":
    main()
