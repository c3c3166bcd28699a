"""How far is the crawl? A live line on a terminal, a plain one now and then elsewhere."""

from __future__ import annotations

import asyncio
import shutil
import sys
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from tenax.cli.terminal.say import duration, plural, told_wait
from tenax.cli.terminal.stalls import sightings, told_visit
from tenax.compose import Ledger
from tenax.jobs.eta import least_time, visits_left
from tenax.model import Job, JobState, State
from tenax.ports import Counts

_EVERY = 0.5
_EVERY_PLAIN = 10.0
_WINDOW = 20
"""Samples the rate is averaged over: ten seconds on a terminal."""
_LOOK_AT_QUEUES = 10.0
_SLOW = 5.0
"""Seconds after which a visit is worth naming where nothing else happens."""


class LiveLine:
    """A line on stderr: written over on a terminal, elsewhere a new one when it is worth it."""

    def __init__(self) -> None:
        self.is_terminal = sys.stderr.isatty()
        self.every = _EVERY if self.is_terminal else _EVERY_PLAIN
        self._shown_at = time.monotonic()
        self._shown = ""

    @property
    def is_due(self) -> bool:
        return time.monotonic() - self._shown_at >= self.every

    def show(self, line: str) -> None:
        self._shown_at = time.monotonic()
        if self.is_terminal:
            # A line that wraps cannot be written over.
            width = shutil.get_terminal_size((100, 24)).columns
            print(f"\r\x1b[2K{line[: width - 1]}", end="", file=sys.stderr, flush=True)
        elif line != self._shown:
            print(line, file=sys.stderr, flush=True)
        self._shown = line

    def clear(self) -> None:
        if self.is_terminal:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)


class ProgressLine:
    """Reads the ledger's totals, so that it tells the same for one process and for many."""

    def __init__(self, ledger: Ledger, job: Job | None) -> None:
        """Of this job, or of all that are running."""
        self._ledger = ledger
        self._job = job
        self._line = LiveLine()
        self._samples: deque[tuple[float, int]] = deque(maxlen=_WINDOW)
        self._least = 0.0
        """Seconds that one host's delay alone will take, when last looked at."""
        self._looked_at = 0.0

    @classmethod
    @asynccontextmanager
    async def shown(cls, ledger: Ledger, job: Job | None, *, quiet: bool) -> AsyncIterator[None]:
        """Show progress while the body runs."""
        if quiet or ledger.settings.log.is_talkative:
            yield
            return
        progress = cls(ledger, job)
        task = asyncio.create_task(progress._run())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            progress._line.clear()

    async def _run(self) -> None:
        told = self._tell_job if self._job is not None else self._tell_all
        await told()
        while True:
            await asyncio.sleep(self._line.every)
            self._line.show(await told())

    async def _tell_job(self) -> str:
        job = self._job
        assert job is not None
        counts = await self._ledger.jobs.counts(job.id)
        rate = self._rate(counts.fresh)
        line = _figures(counts.pages, rate, counts.unfinished)
        line += _troubles(counts) + await self._eta(job, counts, rate)
        if rate == 0 and counts.unfinished:
            line += await self._waits(job)
        return line

    async def _tell_all(self) -> str:
        jobs = self._ledger.jobs
        states = await jobs.states()
        running = [id for id, state in states.items() if state is JobState.RUNNING]
        paused = sum(state is JobState.PAUSED for state in states.values())
        all_counts = {id: await jobs.counts(id) for id in states}
        rate = self._rate(sum(counts.fresh for counts in all_counts.values()))
        resting = f", {paused:,} paused" if paused else ""
        if not running:
            return f"no job is running{resting} · waiting for one: tenax jobs start NAME"
        pages = sum(all_counts[id].pages for id in running)
        queued = sum(all_counts[id].unfinished for id in running)
        told = f"{plural(len(running), 'job')} running{resting}"
        return f"{told} · {_figures(pages, rate, queued)}"

    def _rate(self, fresh: int) -> float:
        self._samples.append((self._ledger.clock.now(), fresh))
        (first_at, first), (last_at, last) = self._samples[0], self._samples[-1]
        # Pages that become due again, or jobs that are deleted, are no progress backwards.
        return max(0.0, (last - first) / (last_at - first_at)) if last_at > first_at else 0.0

    async def _eta(self, job: Job, counts: Counts, rate: float) -> str:
        """A floor, as every page may still name new ones."""
        left = visits_left(job, counts)
        if not rate or left <= rate:
            return ""
        now = self._ledger.clock.now()
        if now - self._looked_at >= _LOOK_AT_QUEUES:
            lately = await self._ledger.jobs.pace(job.id)
            self._least = least_time(lately, self._ledger.settings.pace, left)
            self._looked_at = now
        return f" · at least {duration(max(left / rate, self._least))} to go"

    async def _waits(self, job: Job) -> str:
        if (await self._ledger.jobs.states()).get(job.id) is JobState.PAUSED:
            return " · paused: tenax jobs resume goes on"
        slow = sightings(
            await self._ledger.overview.workers(), lambda visit: visit.job_id == job.id
        )
        now = self._ledger.clock.now()
        if slow and now - slow[0].visit.began_at >= _SLOW:
            return f" · {told_visit(slow[0].visit, now)}"
        waiting = await self._ledger.hosts.waiting(job.id, limit=1)
        return "".join(f" · {told_wait(*wait)}" for wait in waiting)


def _figures(pages: int, rate: float, queued: int) -> str:
    return f"{pages:,} pages · {rate:,.1f}/s · {queued:,} queued"


def _troubles(counts: Counts) -> str:
    kinds = (State.FAILED, State.GONE, State.BLOCKED, State.REJECTED)
    return "".join(f" · {counts.of(kind):,} {kind}" for kind in kinds if counts.of(kind))
