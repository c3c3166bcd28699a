"""The jobs this process works on, looked at again and again: so pauses and stops take effect."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tenax.crawl.admit import Admission
from tenax.crawl.fleet.site_news import SiteNews
from tenax.model import Job, JobSpec, JobState
from tenax.ports import Jobs


class Roster:
    """Jobs with their doors, as of the last look at the ledger: others pause and stop them."""

    def __init__(
        self,
        jobs: Jobs,
        enter: Callable[[Job], Admission],
        only: Iterable[Job] | None = None,
        news: SiteNews | None = None,
    ) -> None:
        """`only` names the jobs to work on; None is for all there are, and all to come. `news` are
        of the rules of sites, which are looked at with the jobs."""
        self._news = news
        self._jobs = jobs
        self._enter = enter
        self._only = None if only is None else {job.id: job for job in only}
        self._admissions: dict[int, Admission] = {}
        self._specs: dict[int, JobSpec] = {}
        """As the ledger had them when their doors were opened."""
        self._states: dict[int, JobState] = {}

    @property
    def is_open(self) -> bool:
        """Whether it is for all jobs there are."""
        return self._only is None

    @property
    def running(self) -> list[int]:
        return [id for id, state in self._states.items() if state is JobState.RUNNING]

    @property
    def paused(self) -> list[int]:
        return [id for id, state in self._states.items() if state is JobState.PAUSED]

    def admission(self, job_id: int) -> Admission:
        """The door of a job that is, or was, running here."""
        return self._admissions[job_id]

    def welcome(self, job: Job) -> None:
        """Open the door of a job that is worked on whatever its state."""
        self._admissions[job.id] = self._enter(job)

    async def refresh(self) -> set[int]:
        """Look again; the jobs that were running when we last looked and are not any more."""
        before = set(self.running)
        states = await self._jobs.states()
        if self._news is not None:
            await self._news.look()
        self._states = {
            id: state for id, state in states.items() if self._only is None or id in self._only
        }
        for job_id in self.running:
            if job_id not in self._admissions or job_id not in before:
                await self._admit(job_id)
            else:
                await self._heed_changes(job_id)
        return before - set(self.running)

    async def meet(self) -> None:
        """Look for jobs that were started since we last looked. What was stopped meanwhile is left
        to `refresh`: somebody has to be told of that."""
        known = set(self.running)
        for job_id, state in (await self._jobs.states()).items():
            is_ours = self._only is None or job_id in self._only
            if is_ours and state is JobState.RUNNING and job_id not in known:
                await self._admit(job_id)
                if job_id in self._admissions:
                    self._states[job_id] = state

    async def _admit(self, job_id: int) -> None:
        job = await self._find(job_id)
        if job is not None:
            self._admissions[job_id] = self._enter(job)
            self._specs[job_id] = job.spec

    async def _heed_changes(self, job_id: int) -> None:
        """What a person changes while it runs, or between two looks, holds from the next one on."""
        job = await self._jobs.get(self._admissions[job_id].job.name)
        if job is not None and job.id == job_id:
            before = self._specs.setdefault(job_id, job.spec)
            if job.spec != before:
                self._specs[job_id] = job.spec
                self._admissions[job_id] = self._enter(job)

    async def _find(self, job_id: int) -> Job | None:
        return next((job for job in await self._jobs.all() if job.id == job_id), None)
