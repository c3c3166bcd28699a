"""`/api/jobs`: create, start, pause, resume, stop and delete jobs, and see how far they are."""

from __future__ import annotations

from typing import Annotated, Any, assert_never

import msgspec
from fastapi import Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from tenax.api import cursors
from tenax.api.bounds import bounds_of
from tenax.api.guard import Doors, guard_of
from tenax.api.listing import Cursor, Limit, listed, the_job
from tenax.api.problems import Problem
from tenax.compose.api import Opened
from tenax.jobs.states import JobOrder, Refusal
from tenax.model import Job, JobSpec, ScopeKind
from tenax.ops.jobs.change import JobChange, JobChanged, change_job
from tenax.ops.jobs.create import JobCreated, JobExists, JobInvalid, NewJob, create_job
from tenax.ops.jobs.facts import job_facts, job_json, whole_job_json
from tenax.ops.jobs.orders import delete_job, order_job, run_again
from tenax.ops.jobs.preview import MOST, preview_job, preview_json
from tenax.ports.accounts import ApiRole

JobName = Annotated[str, Path(max_length=255)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=4_096, pattern=r"^[^\x00]*$")]
Texts = Annotated[list[Text], Field(max_length=1_000)]
_STEP_SECONDS = 30.0
"""Spent on deleting in one request; what is left takes another."""


class JobWishes(BaseModel):
    """What a job may be asked to do."""

    model_config = ConfigDict(extra="forbid", strict=False)

    seeds: Texts = []
    sitemaps: Texts = []
    scope: ScopeKind | None = None
    include: Texts | None = None
    exclude: Texts | None = None
    max_pages: Annotated[int, bounds_of(JobSpec, "max_pages")] | None = None
    max_depth: Annotated[int, bounds_of(JobSpec, "max_depth")] | None = None
    recrawl: Annotated[float, bounds_of(JobSpec, "recrawl")] | None = None
    schedule: Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")] | None = None


class JobBody(JobWishes):
    """What is not named here is as in the settings of the process."""

    name: Annotated[
        str, StringConstraints(min_length=1, max_length=255, pattern=r"^[^\x00-\x1f/]*$")
    ]
    start: bool = False


class PreviewBody(JobWishes):
    """A job as it might be, and URLs to ask its door about."""

    urls: Annotated[list[Text], Field(max_length=MOST)] = []


def add(doors: Doors, opened: Opened) -> None:
    jobs = _Jobs(opened)
    doors.get("/api/jobs", jobs.list, ApiRole.USER)
    doors.post("/api/jobs", jobs.create, ApiRole.ADMIN, status_code=201)
    doors.post("/api/jobs/preview", jobs.preview, ApiRole.USER)
    doors.get("/api/jobs/{name}", jobs.get, ApiRole.USER)
    doors.patch("/api/jobs/{name}", jobs.change, ApiRole.ADMIN)
    doors.delete("/api/jobs/{name}", jobs.delete, ApiRole.ADMIN)
    doors.get("/api/jobs/{name}/failures", jobs.failures, ApiRole.USER)
    doors.post("/api/jobs/{name}/run", jobs.run, ApiRole.ADMIN)
    doors.get("/api/jobs/{name}/progress", jobs.progress, ApiRole.USER)
    doors.post("/api/jobs/{name}/start", jobs.start, ApiRole.ADMIN)
    doors.post("/api/jobs/{name}/pause", jobs.pause, ApiRole.ADMIN)
    doors.post("/api/jobs/{name}/resume", jobs.resume, ApiRole.ADMIN)
    doors.post("/api/jobs/{name}/stop", jobs.stop, ApiRole.ADMIN)


class _Jobs:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger
        self._jobs = opened.ledger.jobs
        self._context = opened.ledger.job_context

    async def list(self, limit: Limit = 100, cursor: Cursor = None) -> dict[str, Any]:
        """Jobs, in the order they were created."""
        after = cursors.number(cursor)
        found = [job for job in await self._jobs.all() if job.id > after][:limit]
        place = found[-1].id if len(found) == limit else None
        return listed([await self._facts(job) for job in found], place)

    async def get(self, name: JobName) -> dict[str, Any]:
        """A job: its figures, and what it was asked to do."""
        job = await the_job(self._ledger, name)
        return await self._whole(job)

    async def progress(self, name: JobName) -> dict[str, Any]:
        """How fast it is, when it may be done, and what it waits for."""
        return await self._whole(await the_job(self._ledger, name))

    async def create(self, wanted: JobBody, request: Request) -> dict[str, Any]:
        """Create a job. It waits until it is started, unless `start` is true."""
        await guard_of(request).count_seeds(request)
        answer = await create_job(self._context, self._wanted(wanted))
        match answer:
            case JobCreated(job=job, refused=refused):
                not_taken = [{"url": url, "reason": reason.value} for url, reason in refused]
                return {**await self._facts(job), "refused": not_taken}
            case JobExists(is_same=True):
                raise Problem(409, "There is a job of this name already, and it asks for the same.")
            case JobExists():
                raise Problem(409, "There is a job of this name already.")
            case JobInvalid(field=field, why=why):
                raise Problem(422, f"{field}: {why}.")
            case _:
                assert_never(answer)

    async def change(self, name: JobName, wanted: JobWishes, request: Request) -> dict[str, Any]:
        """Change what it is asked to do: seeds and sitemaps are added, everything else that is
        named replaces what was. URLs that are known already stay. Processes at work go by it once
        the job is resumed."""
        job = await the_job(self._ledger, name)
        given = wanted.model_dump(mode="json", exclude_unset=True)
        if given.get("seeds") or given.get("sitemaps"):
            await guard_of(request).count_seeds(request)
        defaults = msgspec.to_builtins(JobSpec())
        given = {key: defaults[key] if value is None else value for key, value in given.items()}
        old = {**msgspec.to_builtins(job.spec), "seeds": (), "sitemaps": ()}
        spec = msgspec.convert({**old, **given}, JobSpec)
        match await change_job(self._context, JobChange(job, spec)):
            case JobChanged(job=changed, refused=refused):
                not_taken = [{"url": url, "reason": reason.value} for url, reason in refused]
                return {**await self._whole(changed), "refused": not_taken}
            case JobInvalid(field=field, why=why):
                raise Problem(422, f"{field}: {why}.")

    async def preview(self, wanted: PreviewBody) -> dict[str, Any]:
        """What a job would take and refuse: its seeds, and up to 200 URLs as links from them, with
        what each check says. Nothing is written, and nothing fetched."""
        given = wanted.model_dump(mode="json", exclude_none=True, exclude={"urls"})
        spec = msgspec.convert(msgspec.to_builtins(self._ledger.settings.job) | given, JobSpec)
        answer = await preview_job(self._context, spec, wanted.urls)
        if isinstance(answer, JobInvalid):
            raise Problem(422, f"{answer.field}: {answer.why}.")
        return preview_json(answer)

    async def run(self, name: JobName) -> dict[str, Any]:
        """Visit everything of it again, beginning now, and what is left of it."""
        answer = await run_again(self._context, await the_job(self._ledger, name))
        if isinstance(answer, Refusal):
            raise Problem(409, f"This cannot be done to the job: {answer.why}.")
        facts = await self._facts(await the_job(self._ledger, name))
        return {**facts, "again": answer.again}

    async def failures(self, name: JobName, limit: Limit = 20) -> dict[str, Any]:
        """The commonest reasons of URLs that failed, with how many each."""
        job = await the_job(self._ledger, name)
        found = await self._ledger.pages.failures(job.id, limit)
        return {"items": [{"reason": reason, "count": count} for reason, count in found]}

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
        job = await the_job(self._ledger, name)
        done = await delete_job(self._context, job, patience=0.0, seconds=_STEP_SECONDS)
        if done.held and not done.deleted:
            told = f"It is stopped, but {done.held:,} of its URLs are under way. Try again."
            raise Problem(409, told)
        response.status_code = 200 if done.is_gone else 202
        return {"job": name, "deleted": done.deleted, "is_gone": done.is_gone}

    async def _order(self, name: str, order: JobOrder) -> dict[str, Any]:
        job = await the_job(self._ledger, name)
        answer = await order_job(self._context, job, order)
        if isinstance(answer, Refusal):
            raise Problem(409, f"This cannot be done to the job: {answer.why}.", state=job.state)
        return await self._facts(await the_job(self._ledger, name))

    async def _facts(self, job: Job) -> dict[str, Any]:
        return job_json(await job_facts(self._jobs, job, self._ledger.settings.pace))

    async def _whole(self, job: Job) -> dict[str, Any]:
        ledger = self._ledger
        return whole_job_json(await job_facts(self._jobs, job, ledger.settings.pace, ledger.hosts))

    def _wanted(self, body: JobBody) -> NewJob:
        given = body.model_dump(mode="json", exclude_none=True, exclude={"name", "start"})
        spec = msgspec.convert(msgspec.to_builtins(self._ledger.settings.job) | given, JobSpec)
        return NewJob(body.name, spec, body.start)
