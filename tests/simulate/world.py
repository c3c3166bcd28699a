"""How do several processes live in one virtual time? Each has an event loop of its own, which can
be stopped between any two of its steps, as SIGSTOP does, or never run again, as after `kill -9`.

A stopped process knows nothing: its timers, requests and answers are as it left them, and when it
goes on it is later. Servers, and the other processes, have had that time.
"""

from __future__ import annotations

import asyncio
import math
import os
import selectors
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Protocol, TypeVar, cast

from msgspec.structs import replace
from sqlalchemy.engine import Connection

from tenax.adapters.local.clock import SharedClock
from tenax.adapters.sql.frontier.frontier import SqlFrontier
from tenax.compose.crawler import Crawler, open_crawler
from tenax.model import WITHHELD, Failure, Forbidden, Request, Response, Timing
from tenax.ports import Unavailable
from tenax.settings import Settings
from tenax.testing import START, status
from tenax.urls.normalise import host_of

T = TypeVar("T")
_CONNECT, _LATENCY = 0.03, 0.4
"""Seconds until a request leaves, and from there to its answer."""
_MOST_TURNS = 100_000


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as the server saw it, by the one time that is nobody's clock."""

    at: float
    url: str
    by: str


@dataclass
class World:
    """The time, the servers, and the machine's clock, which can be set."""

    folder: Path
    settings: Settings
    now: float = 0.0
    wall: float = START
    """What the clock on the wall shows at time 0; a step of it is a change of this."""
    asked: list[Asked] = field(default_factory=list)
    answers: Callable[[Asked], Response] = lambda asked: status(404)
    processes: list[Process] = field(default_factory=list)
    role: Callable[[Process, Crawler], Role] = lambda process, app: app.serve_jobs()
    """What a process does."""

    def start(self) -> Process:
        process = Process(self, f"process {len(self.processes)}")
        self.processes.append(process)
        return process

    @property
    def awake(self) -> list[Process]:
        return [each for each in self.processes if each.is_awake]

    def run(self, seconds: float) -> None:
        """Let everybody who is awake live on, side by side, step by step."""
        end = self.now + seconds
        while True:
            self._until_idle()
            soonest = min((each.due_at for each in self.awake), default=math.inf)
            if soonest > end:
                break
            self.now = max(self.now, soonest)
        self.now = end

    def run_until(self, condition: Callable[[], bool], seconds: float) -> bool:
        end = self.now + seconds
        while not condition() and self.now < end:
            self.run(1.0)
        return condition()

    def until_next(self, process: Process) -> None:
        """Go on until this process has something to do."""
        while process.is_awake and self.now < process.due_at < math.inf:
            self._until_idle()
            self.now = max(self.now, min(each.due_at for each in self.awake))

    def suspend(self, seconds: float) -> None:
        """The lid is closed: time passes, and nobody has any of it."""
        self.now += seconds

    def call(self, work: Callable[[Crawler], Coroutine[Any, Any, T]]) -> T:
        """What a command of a moment does, while all others stand still."""
        loop = _Loop(self)

        async def briefly() -> T:
            async with self.open(Random(0), _Nowhere()) as app:
                return await work(app)

        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            return runner.run(briefly())

    def open(self, rng: Random, web: Any) -> Any:
        file = self.folder / "workers" / "clock"
        clock = SharedClock(file, lambda: self.wall + self.now, lambda: self.now, boot="one")
        settings = replace(self.settings, data=str(self.folder))
        return _Opened(open_crawler(settings, clock=clock, rng=rng, web=web, threads=False), clock)

    def close(self) -> None:
        for process in self.processes:
            process.clear_away()

    def _until_idle(self) -> None:
        for _ in range(_MOST_TURNS):
            busy = [each for each in self.awake if each.due_at <= self.now]
            if not busy:
                return
            for process in busy:
                process.step()
        raise AssertionError("somebody is busy for ever, and no time passes")


class Role(Protocol):
    async def run(self) -> None: ...

    def stop(self) -> None: ...


class Process:
    """A worker for all jobs, in a loop of its own; or what else the world lets it be."""

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.name = name
        self.is_stopped = False
        self.is_dead = False
        self.failing = 0
        """How many of its next transactions fail."""
        self.due_at = world.now
        self.under_way = 0
        self._loop = _Loop(world)
        self._app: Crawler | None = None
        self._opened: _Opened | None = None
        self._run: Role | None = None
        self._task = self._loop.create_task(self._live())

    @property
    def is_awake(self) -> bool:
        return not (self.is_dead or self.is_stopped or self._task.done())

    @property
    def is_over(self) -> bool:
        return self.is_dead or self._task.done()

    def step(self, most: int = 1) -> None:
        """Run what can run now, at most so many rounds of it."""
        self.due_at = self._loop.run_rounds(most)

    def terminate(self) -> None:
        """SIGTERM: it ends in order."""
        if self._run is not None:
            self._run.stop()
            self.due_at = self.world.now

    def kill(self) -> None:
        """The kernel drops its locks; nothing else of it happens."""
        self.is_dead = True
        if self._opened is not None:
            self._opened.clock.close()
        if self._app is not None:
            membership = cast(SqlFrontier, self._app.parts.frontier)._membership
            lock, membership._lock = membership._lock, None
            if lock is not None:
                os.close(lock)

    def clear_away(self) -> None:
        """Free what a dead or living process holds of this one's memory; it still does nothing."""
        self.is_dead = True
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_rounds(200)
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_rounds(200)
        if self._opened is not None:
            self._opened.clock.close()
        assert self._task.done(), f"{self.name} cannot be cleared away"
        self.error()  # heard, or asyncio would print it
        self._loop.close()

    def error(self) -> BaseException | None:
        """What it failed of; what it cannot be blamed for is none."""
        if not self._task.done() or self._task.cancelled():
            return None
        error = self._task.exception()
        return None if isinstance(error, Unavailable) else error

    async def send(self, request: Request) -> Response | Failure | Forbidden:
        started = self.world.now
        await self._wait(_CONNECT)
        if request.may_leave is not None and not request.may_leave():
            return WITHHELD
        sent = self.world.now
        asked = Asked(sent, request.url, self.name)
        self.world.asked.append(asked)
        answer = self.world.answers(asked)
        self.under_way += 1
        try:
            await self._wait(_LATENCY)
        finally:
            self.under_way -= 1
        timing = Timing(1000 * (sent - started), 0.0, 1000 * (self.world.now - started), 1_000)
        return replace(answer, url=request.url, timing=timing)

    async def _wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        if self.is_dead:
            raise asyncio.CancelledError

    async def _live(self) -> None:
        self._opened = self.world.open(Random(self.name), _Line(self))
        async with self._opened as app:
            self._app = app
            self._watch_the_ledger(app)
            self._run = self.world.role(self, app)
            await self._run.run()

    def _watch_the_ledger(self, app: Crawler) -> None:
        database = cast(SqlFrontier, app.parts.frontier)._database
        write, read = database.write, database.read

        async def watched(work: Callable[[Connection], T]) -> T:
            await self._step()
            result = await write(work)
            await self._step()
            return result

        async def looked_at(work: Callable[[Connection], T]) -> T:
            await self._step()
            return await read(work)

        # The seam nobody else needs: a process may be stopped before and behind a transaction.
        database.write = watched  # type: ignore[method-assign]
        database.read = looked_at  # type: ignore[method-assign]

    async def step_behind(self) -> None:
        """Something outside was asked: whoever it is may be stopped or dead by now."""
        await asyncio.sleep(0)
        if self.is_dead:
            raise asyncio.CancelledError

    async def _step(self) -> None:
        await asyncio.sleep(0)
        if self.is_dead:
            raise asyncio.CancelledError
        if self.failing:
            self.failing -= 1
            raise Unavailable("the ledger cannot be had, says the simulation")


class _Opened:
    """An app and its clock, which outlives it by nothing."""

    def __init__(self, opening: Any, clock: SharedClock) -> None:
        self.opening = opening
        self.clock = clock

    async def __aenter__(self) -> Crawler:
        return cast(Crawler, await self.opening.__aenter__())

    async def __aexit__(self, *error: Any) -> Any:
        try:
            return await self.opening.__aexit__(*error)
        finally:
            self.clock.close()


@dataclass
class _Line:
    """A process's way to the servers."""

    process: Process
    name: str = "simulated"

    async def send(self, request: Request) -> Response | Failure | Forbidden:
        return await self.process.send(request)

    async def close(self) -> None:
        pass


class _Nowhere:
    name = "nowhere"

    async def send(self, request: Request) -> Response | Failure | Forbidden:
        raise AssertionError(f"{request.url}: nobody was to ask for anything")

    async def close(self) -> None:
        pass


class _Selector(selectors.SelectSelector):
    """Never waits: it tells how long it would have."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: Callable[[float | None], None] = lambda timeout: None

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.asked(timeout)
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self, world: World) -> None:
        self._world = world
        self._patience = _Selector()
        self._rounds: float = math.inf
        self._next: float = math.inf
        super().__init__(self._patience)
        self._patience.asked = self._is_about_to_wait

    def time(self) -> float:
        return self._world.now

    def run_rounds(self, most: int) -> float:
        """Run until nothing can, at most so many rounds; when something can run again."""
        self._rounds = most
        self.run_forever()
        self._rounds = math.inf
        return self._next

    def _is_about_to_wait(self, timeout: float | None) -> None:
        self._rounds -= 1
        self._next = math.inf if timeout is None else self._world.now + timeout
        if math.isinf(self._rounds):
            # A command of a moment: whatever it waits for comes at once.
            self._world.now += timeout or 0.0
        elif timeout != 0 or self._rounds <= 0:
            self.stop()


def by_host(asked: Iterable[Asked]) -> dict[str, list[Asked]]:
    hosts: dict[str, list[Asked]] = {}
    for each in asked:
        hosts.setdefault(host_of(each.url), []).append(each)
    return hosts
