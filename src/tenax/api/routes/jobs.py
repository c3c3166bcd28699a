"""`/api/jobs`: create, start, pause, resume, stop and delete jobs, and see how far they are."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import Path, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from tenax.api import cursors
from tenax.api.bounds import bounds_of
from tenax.api.guard import Doors
from tenax.api.listing import Cursor, Limit, listed, the_job
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.crawl.run import offer_seeds
from tenax.crawl.settle import Busy
from tenax.jobs.calendar import ScheduleError, parse_schedule
from tenax.jobs.revisit_policy import wrong_interval
from tenax.jobs.states import JobOrder, Refusal
from tenax.model import Job, JobSpec, JobState, ScopeKind
from tenax.ops.jobs.facts import (
    held_after_stop,
    job_facts,
    look,
    order_about,
    told_queues,
    told_waits,
)
from tenax.ops.plain import plain
from tenax.ports.api_keys import ApiRole
from tenax.settings import SettingsError
from tenax.urls.normalise import resolve, seed_url

JobName = Annotated[str, Path(max_length=255)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=4_096, pattern=r"^[^\x00]*$")]
Texts = Annotated[list[Text], Field(max_length=1_000)]
_STEP_SECONDS = 30.0
"""Spent on deleting in one request; what is left takes another."""
_SHOWN = 5


class NewJob(BaseModel):
    """What is not named here is as in the settings of the process."""

    model_config = ConfigDict(extra="forbid", strict=False)

    name: Annotated[
        str, StringConstraints(min_length=1, max_length=255, pattern=r"^[^\x00-\x1f/]*$")
    ]
    seeds: Texts = []
    sitemaps: Texts = []
    scope: ScopeKind | None = None
    include: Texts | None = None
    exclude: Texts | None = None
    max_pages: Annotated[int, bounds_of(JobSpec, "max_pages")] | None = None
    max_depth: Annotated[int, bounds_of(JobSpec, "max_depth")] | None = None
    recrawl: Annotated[float, bounds_of(JobSpec, "recrawl")] | None = None
    schedule: Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")] | None = None
    start: bool = False


def add(doors: Doors, opened: Opened) -> None:
    jobs = _Jobs(opened)
    doors.get("/api/jobs", jobs.list, ApiRole.USER)
    doors.post("/api/jobs", jobs.create, ApiRole.ADMIN, status_code=201)
    doors.get("/api/jobs/{name}", jobs.get, ApiRole.USER)
    doors.delete("/api/jobs/{name}", jobs.delete, ApiRole.ADMIN)
    doors.get("/api/jobs/{name}/progress", jobs.progress, ApiRole.USER)
    doors.post("/api/jobs/{name}/start", jobs.start, ApiRole.ADMIN)
    doors.post("/api/jobs/{name}/pause", jobs.pause, ApiRole.ADMIN)
    doors.post("/api/jobs/{name}/resume", jobs.resume, ApiRole.ADMIN)
    doors.post("/api/jobs/{name}/stop", jobs.stop, ApiRole.ADMIN)


class _Jobs:
    def __init__(self, opened: Opened) -> None:
        self._app = opened.app
        self._jobs = opened.app.parts.jobs

    async def list(self, limit: Limit = 100, cursor: Cursor = None) -> dict[str, Any]:
        """Jobs, in the order they were created."""
        after = cursors.number(cursor)
        found = [job for job in await self._jobs.all() if job.id > after][:limit]
        place = found[-1].id if len(found) == limit else None
        return listed([await self._facts(job) for job in found], place)

    async def get(self, name: JobName) -> dict[str, Any]:
        """A job: its figures, and what it was asked to do."""
        job = await the_job(self._app, name)
        return {**await self._facts(job), "spec": plain(job.spec)}

    async def progress(self, name: JobName) -> dict[str, Any]:
        """How fast it is, when it may be done, and what it waits for."""
        job = await the_job(self._app, name)
        sight = await look(self._jobs, job, self._app.settings.pace)
        found = await self._app.hosts.waiting(job.id, _SHOWN) if sight.is_running else []
        return {**job_facts(sight), "queues": told_queues(sight), "waiting": told_waits(found)}

    async def create(self, wanted: NewJob, response: Response) -> dict[str, Any]:
        """Create a job. It waits until it is started, unless `start` is true."""
        spec = self._spec(wanted)
        self._check(wanted.name, spec)
        job = await self._jobs.create(wanted.name, spec, JobState.STOPPED)
        if job is None:
            raise Problem(409, "There is a job of this name already.")
        offer = await offer_seeds(self._app.parts, self._app.admission(job))
        refused = [] if isinstance(offer, Busy) else list(offer.kept)
        if isinstance(offer, Busy) or not offer.found:
            await self._jobs.delete(job.id)
            why = ", ".join(sorted({reason.value for _, reason in refused})) or "nothing to start"
            raise Problem(422, f"None of its seeds can be crawled: {why}.")
        if wanted.start:
            await self._jobs.set_state(job.id, JobState.RUNNING)
        not_taken = [{"url": url, "reason": reason.value} for url, reason in refused]
        return {**await self._facts(await the_job(self._app, job.name)), "refused": not_taken}

    async def start(self, name: JobName) -> dict[str, Any]:
        """Start a job that is stopped: workers take it up within a second."""
        return await self._order(name, JobOrder.START)

    async def pause(self, name: JobName) -> dict[str, Any]:
        """Let a running job rest: whoever works on it asks for nothing more within two seconds."""
        return await self._order(name, JobOrder.PAUSE)

    async def resume(self, name: JobName) -> dict[str, Any]:
        """Go on with a paused job where it was."""
        return await self._order(name, JobOrder.RESUME)

    async def stop(self, name: JobName) -> dict[str, Any]:
        """Stop a job. What is left stays; `start` goes on with it."""
        return await self._order(name, JobOrder.STOP)

    async def delete(self, name: JobName, response: Response) -> dict[str, Any]:
        """Delete a job with all its URLs, pages and history, step by step: 202 says that some are
        left, and that the request is to be repeated. 409 while workers have some of it in hand."""
        job = await the_job(self._app, name)
        parts = self._app.parts
        if held := await held_after_stop(self._jobs, parts.frontier, job):
            raise Problem(409, f"It is stopped, but {held:,} of its URLs are under way. Try again.")
        deleted, until = 0, parts.clock.now() + _STEP_SECONDS
        is_gone = False
        while not is_gone and parts.clock.now() < until:
            step = await self._jobs.delete(job.id)
            deleted, is_gone = deleted + step.targets, step.is_gone
            if step.held and not step.targets:
                break
        response.status_code = 200 if is_gone else 202
        return {"job": name, "deleted": deleted, "is_gone": is_gone}

    async def _order(self, name: str, order: JobOrder) -> dict[str, Any]:
        job = await the_job(self._app, name)
        answer = await order_about(self._jobs, job, order)
        if isinstance(answer, Refusal):
            raise Problem(409, f"This cannot be done to the job: {answer.why}.", state=job.state)
        return await self._facts(await the_job(self._app, name))

    async def _facts(self, job: Job) -> dict[str, Any]:
        counts = await self._jobs.counts(job.id)
        return {
            "job": job.name,
            "state": job.state,
            "known": counts.known,
            "pages": counts.pages,
            "pending": counts.unfinished,
            "states": {state.value: n for state, n in counts.states.items() if n},
            **plain({
                "created_at": job.created_at, "ended_at": job.ended_at,
                "next_run_at": job.next_run_at,
            }),
        }  # fmt: skip

    def _spec(self, wanted: NewJob) -> JobSpec:
        given = wanted.model_dump(mode="json", exclude_none=True, exclude={"name", "start"})
        for key in ("seeds", "sitemaps"):
            given[key] = [resolve(seed_url(url)) or url for url in given[key]]
        if not given["seeds"] and not given["sitemaps"]:
            raise Problem(422, "Where to start? Name seeds, or sitemaps.")
        try:
            if given.get("schedule"):
                given["schedule"] = parse_schedule(given["schedule"]).text
        except ScheduleError as error:
            raise Problem(422, f"schedule: {error}") from error
        # 0 leaves it to the settings, as everywhere.
        if wanted.recrawl and (why := wrong_interval(wanted.recrawl, self._app.settings.recrawl)):
            raise Problem(422, f"recrawl = {wanted.recrawl:g} seconds: {why}")
        defaults = msgspec.to_builtins(self._app.settings.job)
        return msgspec.convert(defaults | given, JobSpec)

    def _check(self, name: str, spec: JobSpec) -> None:
        """What is wrong with the wishes is told before anything is written."""
        try:
            self._app.admission(Job(0, name, JobState.STOPPED, spec, 0.0))
        except SettingsError as error:
            raise Problem(422, str(error)) from error
