"""How far is the crawl? A live line on a terminal, a plain one now and then elsewhere."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from tenax.cli.hosts import told_wait
from tenax.cli.say import duration
from tenax.compose import App
from tenax.model import Job, State
from tenax.ports import Counts

_EVERY = 0.5
_EVERY_PLAIN = 10.0
_WINDOW = 20
"""Samples the rate is averaged over: ten seconds on a terminal."""


class Progress:
    """Reads the ledger's totals, so that it tells the same for one process and for many."""

    def __init__(self, app: App, job: Job) -> None:
        self._app = app
        self._job = job
        self._samples: deque[tuple[float, int]] = deque(maxlen=_WINDOW)
        self._is_terminal = sys.stderr.isatty()

    @classmethod
    @asynccontextmanager
    async def shown(cls, app: App, job: Job, *, quiet: bool) -> AsyncIterator[None]:
        """Show progress while the body runs."""
        if quiet:
            yield
            return
        progress = cls(app, job)
        task = asyncio.create_task(progress._run())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            progress._clear()

    async def _run(self) -> None:
        counts = await self._app.parts.jobs.counts(self._job.id)
        self._samples.append((self._app.parts.clock.now(), counts.fresh))
        while True:
            await asyncio.sleep(_EVERY if self._is_terminal else _EVERY_PLAIN)
            self._show(await self._line())

    async def _line(self) -> str:
        parts = self._app.parts
        counts = await parts.jobs.counts(self._job.id)
        self._samples.append((parts.clock.now(), counts.fresh))
        rate = self._rate()
        line = f"{counts.pages:,} pages · {rate:,.1f}/s · {counts.unfinished:,} queued"
        line += _troubles(counts) + self._eta(counts, rate)
        if rate == 0 and counts.of(State.PENDING):
            line += await self._waits()
        return line

    def _rate(self) -> float:
        (first_at, first), (last_at, last) = self._samples[0], self._samples[-1]
        return (last - first) / (last_at - first_at) if last_at > first_at else 0.0

    def _eta(self, counts: Counts, rate: float) -> str:
        """A floor, as every page may still name new ones."""
        left = counts.unfinished
        if self._job.spec.max_pages is not None:
            left = min(left, self._job.spec.max_pages - counts.fresh)
        return f" · at least {duration(left / rate)} to go" if rate and left > rate else ""

    async def _waits(self) -> str:
        waiting = await self._app.hosts.waiting(self._job.id, limit=1)
        return "".join(f" · {told_wait(*wait)}" for wait in waiting)

    def _show(self, line: str) -> None:
        if self._is_terminal:
            print(f"\r\x1b[2K{line}", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)

    def _clear(self) -> None:
        if self._is_terminal:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)


def _troubles(counts: Counts) -> str:
    kinds = (State.FAILED, State.GONE, State.BLOCKED, State.REJECTED)
    return "".join(f" · {counts.of(kind):,} {kind}" for kind in kinds if counts.of(kind))
