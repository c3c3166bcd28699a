"""The scheduler's part in every process: due runs are begun, due revisits brought back (FR-6).

A run visits everything once more that the job has visited. Whoever is the first of all processes to
move a job's next run on has begun it; runs that nobody was there to begin are not made up for.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from tenax.crawl.roster import Roster
from tenax.jobs.calendar import ScheduleError, following_run, parse_schedule
from tenax.model import Job, JobState
from tenax.ports import Clock, Frontier, Jobs

log = logging.getLogger(__name__)


class Keeper:
    """Looks after what the jobs of this process have to do again."""

    def __init__(
        self,
        jobs: Jobs,
        frontier: Frontier,
        roster: Roster,
        clock: Clock,
        is_over: Callable[[Job], Awaitable[bool]],
        offer_seeds: Callable[[Job], Awaitable[object]],
    ) -> None:
        """`is_over` says whether a job has nothing more to do for now."""
        self._jobs = jobs
        self._frontier = frontier
        self._roster = roster
        self._clock = clock
        self._is_over = is_over
        self._offer_seeds = offer_seeds
        self._misread: set[int] = set()

    async def look(self) -> int:
        """Begin what is due; how many targets became pending."""
        if self._roster.is_open:
            for job in await self._jobs.due():
                await self._begin(job)
        return await self._frontier.revive(self._roster.running)

    async def _begin(self, job: Job) -> None:
        due_at, now = job.next_run_at, self._clock.now()
        assert due_at is not None
        try:
            following = following_run(parse_schedule(job.spec.schedule), due_at, now)
        except ScheduleError as error:
            self._complain(job, error)
            return
        if await self._is_going(job):
            if await self._jobs.skip_run(job.id, due_at, following):
                log.warning("job %s: a run is left out: the last one is still going", job.name)
        elif await self._jobs.begin_run(job.id, due_at, following):
            await self._roster.refresh()
            if job.id in self._roster.running:
                await self._offer_seeds(job)

    async def _is_going(self, job: Job) -> bool:
        """A job that recrawls is never over; that is no reason to leave out its runs."""
        if job.state is not JobState.RUNNING or job.spec.recrawl is not None:
            return False
        return not await self._is_over(job)

    def _complain(self, job: Job, error: ScheduleError) -> None:
        """It was read when it was saved, maybe by a machine that knows more time zones."""
        if job.id not in self._misread:
            self._misread.add(job.id)
            log.error("job %s does not run by its schedule: %s", job.name, error)
