"""How do I test a crawl without a network or a wait? A simulated web on a virtual clock.

Shipped, so that users can test their own sites' shapes. Hours pass in milliseconds: the event
loop itself skips the time in which nothing happens.

    def test_a_throttled_host_is_left_alone():
        async def story(web, app):
            web.at("https://a.example/", throttled(retry_after=60), page("hello"))
            await crawl(app, "https://a.example/")
        simulate(story)
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import selectors
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from tenax.compose.crawler import Crawler, open_crawler
from tenax.crawl.run import conclude, offer_seeds, revisit
from tenax.model import (
    WITHHELD,
    Failure,
    Fault,
    Forbidden,
    Headers,
    Job,
    JobSpec,
    JobState,
    Request,
    Response,
    Timing,
)
from tenax.ports import Counts
from tenax.settings import Settings
from tenax.urls.normalise import host_of

T = TypeVar("T")
START = 1_790_000_000.0
"""When simulations begin: an ordinary moment in 2026."""
_MEMORY = Path("/dev/shm")
_PREFIX = "tenax-story-"
_ROOM = 4 << 30
"""Bytes that have to be free there: many simulations may run at once, and a container has 64 MB."""


class VirtualClock:
    """The time of the event loop, shifted to a plausible date."""

    def now(self) -> float:
        return START + asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(seconds, 0.0))


class _SkippingSelector(selectors.SelectSelector):
    """Instead of waiting for the next timer, moves the time forward to it."""

    def __init__(self) -> None:
        super().__init__()
        self.skipped = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("the simulation is stuck: everybody waits and no timer is set")
        self.skipped += max(timeout, 0.0)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time passes only while nothing can run."""

    def __init__(self) -> None:
        self._skipping = _SkippingSelector()
        super().__init__(self._skipping)

    def time(self) -> float:
        return self._skipping.skipped


def run_virtually(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end on a virtual clock."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)


Answer = Response | Failure | Forbidden
Script = Callable[[Request], Answer]


class Asked(Struct, frozen=True):
    """One request as the simulated server saw it."""

    at: float
    url: str
    method: str
    headers: tuple[tuple[str, str], ...]


class SimulatedWeb:
    """A transport whose servers are a table: URL → answers, given in turn, the last for ever."""

    name = "simulated"

    def __init__(self, latency: float = 0.05) -> None:
        self.latency = latency
        self.addresses: dict[str, str] = {}
        """Where names lead; one that is not in here has an address of its own."""
        self.requests: list[Asked] = []
        self.under_way = 0
        self._answers: dict[str, list[Answer | Script]] = {}
        self._hosts: dict[str, Script] = {}
        self._clock = VirtualClock()

    def at(self, url: str, *answers: Answer | Script) -> None:
        """What this URL answers, first to last."""
        self._answers[url] = list(answers)

    def host(self, name: str, script: Script) -> None:
        """What every other URL of this host answers."""
        self._hosts[name] = script

    def asked(self, host: str) -> list[float]:
        """When requests reached this host."""
        return [r.at for r in self.requests if host_of(r.url) == host]

    def urls(self, *, robots: bool = False) -> list[str]:
        """What was asked for, in order; robots.txt only when wanted."""
        return [r.url for r in self.requests if robots or not r.url.endswith("/robots.txt")]

    async def send(self, request: Request) -> Answer:
        if request.may_leave is not None and not request.may_leave():
            return WITHHELD
        self.requests.append(Asked(self._clock.now(), request.url, request.method, request.headers))
        self.under_way += 1
        try:
            await self._clock.sleep(self.latency)
        finally:
            self.under_way -= 1
        answer = self._answer(request)
        if isinstance(answer, Response):
            answer = replace(answer, url=request.url)
        return answer

    async def address(self, name: str) -> str | None:
        return self.addresses.get(name, name)

    async def close(self) -> None:
        pass

    def _answer(self, request: Request) -> Answer:
        turns = self._answers.get(request.url)
        if turns:
            answer = turns.pop(0) if len(turns) > 1 else turns[0]
        elif host_of(request.url) in self._hosts:
            answer = self._hosts[host_of(request.url)]
        else:
            answer = status(404)
        return answer(request) if callable(answer) else answer


def page(text: str = "", *links: str, title: str = "", **headers: str) -> Response:
    """A small HTML page with these links."""
    anchors = "".join(f'<p><a href="{link}">{link}</a></p>' for link in links)
    html = (
        f"<!doctype html><title>{title or text}</title><main><p>{text}</p>{anchors}"
        f"<p>{_ENOUGH}</p></main>"
    )
    return status(200, html, **{"content-type": "text/html; charset=utf-8", **headers})


# What says less than this is taken for an empty shell.
_ENOUGH = "A page of the simulated web, with as many words as it takes to be one."


def robots(text: str) -> Response:
    return status(200, text, **{"content-type": "text/plain"})


def status(code: int, body: str = "", **headers: str) -> Response:
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Response(url="", status=code, headers=Headers(pairs), body=body.encode(), timing=_TIMING)


def redirect(to: str, code: int = 302) -> Response:
    return status(code, location=to)


def throttled(retry_after: float | None = None, code: int = 429) -> Response:
    return status(code, **({"retry-after": f"{retry_after:.0f}"} if retry_after else {}))


def failing(fault: Fault, detail: str = "simulated") -> Failure:
    return Failure(fault, detail, timing=_TIMING)


_TIMING = Timing(sent_ms=1.0, ttfb_ms=40.0, total_ms=50.0, wire_bytes=1_000)


@asynccontextmanager
async def open_test_app(
    web: SimulatedWeb,
    folder: Path,
    settings: Settings | None = None,
    seed: int = 0,
    probe: Callable[[], Awaitable[bool]] | None = None,
) -> AsyncIterator[Crawler]:
    """An app on the simulated web, its ledger in `folder`, no threads, dice from `seed`. `probe`
    says whether we have a network at all."""
    chosen = replace(settings or Settings(contact="mailto:test@example.org"), data=str(folder))
    async with open_crawler(
        chosen,
        clock=VirtualClock(),
        rng=Random(seed),
        web=web,
        names=web,
        threads=False,
        probe=probe,
    ) as app:
        yield app


async def crawl(
    app: Crawler, *seeds: str, name: str = "test", again: bool = False, **spec: Any
) -> Counts:
    """Crawl these seeds as a job until it ends; the job's figures. `again` as with `--again`."""
    job = await start_job(app, *seeds, name=name, **spec)
    if again:
        await revisit(app.parts, job)
    await app.run(job).run()
    await conclude(app.parts, job)
    return await app.parts.jobs.counts(job.id)


async def start_job(app: Crawler, *seeds: str, name: str = "test", **spec: Any) -> Job:
    # Nothing is asked for that the story does not name, unless it wants discovery.
    job = await app.parts.jobs.save(name, JobSpec(seeds=seeds, **{"discover": (), **spec}))
    await app.parts.jobs.set_state(job.id, JobState.RUNNING)
    await offer_seeds(app.parts, app.ledger.admission(job))
    return job


def scratch(memory: Path = _MEMORY, room: int = _ROOM) -> TemporaryDirectory[str]:
    """A folder for the length of a story: in memory, where there is plenty; else on disk.

    What is thrown away at the end need not wait for a disk, nor pay for its journal."""
    is_roomy = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free >= room
    return _InMemory(memory) if is_roomy else TemporaryDirectory()


class _InMemory(TemporaryDirectory[str]):
    """A folder that is locked for as long as its process is there: what one that was killed has
    left takes memory until the next one sees that it is nobody's."""

    def __init__(self, memory: Path) -> None:
        _sweep(memory)
        super().__init__(prefix=_PREFIX, dir=memory)
        self._held = os.open(self.name, os.O_RDONLY)
        fcntl.flock(self._held, fcntl.LOCK_EX)

    def cleanup(self) -> None:
        super().cleanup()
        if self._held >= 0:
            os.close(self._held)
            self._held = -1


@cache
def _sweep(memory: Path) -> None:
    for folder in memory.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            # One that was made this minute may not be locked yet.
            if time.time() - folder.stat().st_mtime > 60 and _is_nobodys(folder):
                shutil.rmtree(folder)


def _is_nobodys(folder: Path) -> bool:
    looked_at = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(looked_at, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(looked_at)
    return True


def simulate(
    story: Callable[[SimulatedWeb, Crawler], Awaitable[T]], settings: Settings | None = None
) -> T:
    """Run a story on a fresh simulated web and ledger."""

    async def main() -> T:
        web = SimulatedWeb()
        with scratch() as folder:
            async with open_test_app(web, Path(folder), settings) as app:
                return await story(web, app)

    return run_virtually(main())
