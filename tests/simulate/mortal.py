"""How does a worker die in a simulation? At a chosen step, for good, without a last word.

Steps are the moments the outside world sees: before and after every request and every
transaction. After its death nothing a worker still has in memory has any effect: each of its
tasks stops at the next port it touches, as if the process were gone. Time goes on for others.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any, TypeVar, cast

from msgspec.structs import replace
from sqlalchemy.engine import Connection

from tenax.adapters.sql.frontier.frontier import SqlFrontier
from tenax.compose.crawler import Crawler, open_crawler
from tenax.model import Failure, Forbidden, Request, Response
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, VirtualClock

T = TypeVar("T")
SETTINGS = Settings(contact="mailto:test@example.org")


class Life:
    """Counts the steps of one worker, and ends it at one of them."""

    def __init__(self, steps: int | None = None) -> None:
        self.steps = 0
        self.is_over = False
        self.ended = asyncio.Event()
        self._last = steps
        self._is_buried = False

    async def step(self) -> None:
        if not self.is_over:
            self.steps += 1
            if self.steps != self._last:
                return
            self.end()
        await self.stop_if_over()

    async def stop_if_over(self) -> None:
        if self._is_buried:
            raise asyncio.CancelledError
        if self.is_over:
            await asyncio.get_running_loop().create_future()

    def end(self) -> None:
        self.is_over = True
        self.ended.set()

    def bury(self) -> None:
        """From now on its tasks may be cleared away; they still reach nothing."""
        self._is_buried = True


class MortalClock(VirtualClock):
    def __init__(self, life: Life) -> None:
        self._life = life

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds)
        await self._life.stop_if_over()


class MortalWeb:
    """The simulated web as one worker sees it."""

    name = "simulated"

    def __init__(self, web: SimulatedWeb, life: Life) -> None:
        self._web = web
        self._life = life

    async def send(self, request: Request) -> Response | Failure | Forbidden:
        await self._life.step()
        answer = await self._web.send(request)
        await self._life.step()
        return answer

    async def close(self) -> None:
        pass


@asynccontextmanager
async def open_mortal_app(
    web: SimulatedWeb, folder: Path, life: Life, settings: Settings = SETTINGS
) -> AsyncIterator[Crawler]:
    async with open_crawler(
        replace(settings, data=str(folder)),
        clock=MortalClock(life),
        rng=Random(0),
        web=MortalWeb(web, life),
        threads=False,
    ) as app:
        _make_ledger_mortal(app, life)
        yield app


def _make_ledger_mortal(app: Crawler, life: Life) -> None:
    database = cast(SqlFrontier, app.parts.frontier)._database
    inner = database.write

    async def write(work: Callable[[Connection], T]) -> T:
        await life.step()
        result = await inner(work)
        await life.step()
        return result

    database.write = write  # type: ignore[method-assign]  # the seam nobody else needs


class Worker:
    """A worker at work in the background: it finishes, or dies at its time."""

    def __init__(self, life: Life, task: asyncio.Task[None], let_go: Callable[[], None]) -> None:
        self.life = life
        self._task = task
        self._let_go = let_go

    async def end(self) -> None:
        """Wait until it is done or dead; the kernel drops a dead one's lock."""
        ended = asyncio.ensure_future(self.life.ended.wait())
        await asyncio.wait((self._task, ended), return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        if self.life.is_over:
            self._let_go()
        else:
            await self._task

    async def clear_away(self) -> None:
        self.life.bury()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


async def start_worker(
    web: SimulatedWeb,
    folder: Path,
    life: Life,
    work: Callable[[Crawler], Coroutine[Any, Any, object]],
    settings: Settings = SETTINGS,
) -> Worker:
    """Open an app and let it do its work in a task of its own."""
    opened: asyncio.Future[Crawler] = asyncio.get_running_loop().create_future()

    async def live() -> None:
        async with open_mortal_app(web, folder, life, settings) as app:
            opened.set_result(app)
            await work(app)

    task = asyncio.create_task(live())
    app = await opened
    membership = cast(SqlFrontier, app.parts.frontier)._membership
    return Worker(life, task, membership.let_go)
