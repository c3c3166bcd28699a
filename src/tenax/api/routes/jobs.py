"""`/api/jobs`: create, start, pause, resume, stop and delete jobs, and see how far they are."""

from __future__ import annotations

from typing import Annotated, assert_never

import msgspec
from fastapi import Path, Request, Response
from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from tenax.api import cursors
from tenax.api.bounds import STRICT, WHOLE, bounds_of
from tenax.api.guard import Doors, guard_of
from tenax.api.listing import Cursor, Limit, ListPart, Name, listed, the_job
from tenax.api.problems import Problem
from tenax.api.routes.frontier import UrlRefused
from tenax.compose.api import Opened
from tenax.jobs.states import JobOrder, Refusal
from tenax.model import FORM, Job, JobSpec, JobState, Reason, ScopeKind
from tenax.ops.jobs.change import JobChange, JobChanged, change_job
from tenax.ops.jobs.create import JobCreated, JobExists, JobInvalid, NewJob, create_job
from tenax.ops.jobs.facts import JobDetail, JobSummary, job_detail, job_facts, job_summary
from tenax.ops.jobs.orders import delete_job, order_job, run_again
from tenax.ops.jobs.preview import MOST, JobPreview, job_preview, preview_job
from tenax.ops.plain import extended
from tenax.ports.accounts import ApiRole
from tenax.ports.overview import JobShape, JobSieve

JobName = Annotated[str, Path(max_length=255)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=4_096, pattern=r"^[^\x00]*$")]
Texts = Annotated[list[Text], Field(max_length=1_000)]
_FEW = 5
"""Examples of each reason, where none is named."""
_STEP_SECONDS = 30.0
"""Spent on deleting in one request; what is left takes another."""


SentText = Annotated[str, StringConstraints(max_length=65_536, pattern=r"^[^\x00]*$")]
SentType = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"^[ -~]*$")]


class PostBody(BaseModel):
    """A request to start from that sends something."""

    model_config = ConfigDict(extra="forbid", strict=False)

    url: Text
    body: SentText = ""
    content_type: SentType = FORM


class JobWishes(BaseModel):
    """What a job may be asked to do."""

    model_config = ConfigDict(extra="forbid", strict=False)

    seeds: Texts = []
    sitemaps: Texts = []
    posts: Annotated[list[PostBody], Field(max_length=1_000)] = []
    scope: ScopeKind | None = None
    include: Texts | None = None
    exclude: Texts | None = None
    max_pages: Annotated[int, bounds_of(JobSpec, "max_pages"), WHOLE] | None = None
    max_depth: Annotated[int, bounds_of(JobSpec, "max_depth"), WHOLE] | None = None
    recrawl: Annotated[float, STRICT, bounds_of(JobSpec, "recrawl")] | None = None
    schedule: Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")] | None = None


class JobBody(JobWishes):
    """What is not named here is as in the settings of the process."""

    name: Annotated[
        str, StringConstraints(min_length=1, max_length=255, pattern=r"^[^\x00-\x1f/]*$")
    ]
    start: Annotated[bool, STRICT] = False


class PreviewBody(JobWishes):
    """A job as it might be, and URLs to ask its door about."""

    urls: Annotated[list[Text], Field(max_length=MOST)] = []


class CreatedJob(JobSummary, frozen=True, kw_only=True):
    refused: list[UrlRefused]
    """Seeds that are not crawled."""


class ChangedJob(JobDetail, frozen=True, kw_only=True):
    refused: list[UrlRefused]
    """New seeds that are not crawled."""


class RunJob(JobSummary, frozen=True, kw_only=True):
    again: int
    """URLs that are visited again."""


class RefusedUrl(Struct, frozen=True):
    """A URL that was not taken."""

    url: str
    reason: Reason
    at: float


class RefusedUrls(Struct, frozen=True):
    counts: dict[Reason, int]
    """How many were not taken, by reason."""
    items: list[RefusedUrl]
    """Examples."""
    next: str | None = None
    """To be passed on as `cursor`; null at the end, and where no reason is named."""


class FailureCount(Struct, frozen=True):
    reason: str
    count: int


class DeletedJob(Struct, frozen=True):
    job: str
    deleted: int
    """URLs, in this step."""
    is_gone: bool
    """False when the request is to be repeated."""


def add(doors: Doors, opened: Opened) -> None:
    jobs = _Jobs(opened)
    doors.get("/api/jobs", jobs.list, ApiRole.USER)
    doors.post("/api/jobs", jobs.create, ApiRole.ADMIN, status_code=201)
    doors.post("/api/jobs/preview", jobs.preview, ApiRole.USER)
    doors.get("/api/jobs/{name}", jobs.get, ApiRole.USER, problems=(404,))
    doors.patch("/api/jobs/{name}", jobs.change, ApiRole.ADMIN, problems=(404,))
    doors.delete("/api/jobs/{name}", jobs.delete, ApiRole.ADMIN, problems=(404, 409), also=(202,))
    doors.get("/api/jobs/{name}/failures", jobs.failures, ApiRole.USER, problems=(404,))
    doors.get("/api/jobs/{name}/rejections", jobs.rejections, ApiRole.USER, problems=(404,))
    doors.get("/api/jobs/{name}/shapes", jobs.shapes, ApiRole.USER, problems=(404,))
    doors.post("/api/jobs/{name}/run", jobs.run, ApiRole.ADMIN, problems=(404,))
    doors.get("/api/jobs/{name}/progress", jobs.progress, ApiRole.USER, problems=(404,))
    doors.post("/api/jobs/{name}/start", jobs.start, ApiRole.ADMIN, problems=(404,))
    doors.post("/api/jobs/{name}/pause", jobs.pause, ApiRole.ADMIN, problems=(404,))
    doors.post("/api/jobs/{name}/resume", jobs.resume, ApiRole.ADMIN, problems=(404,))
    doors.post("/api/jobs/{name}/stop", jobs.stop, ApiRole.ADMIN, problems=(404,))


class _Jobs:
    def __init__(self, opened: Opened) -> None:
        self._ledger = opened.ledger
        self._jobs = opened.ledger.jobs
        self._context = opened.ledger.job_context
        self._overview = opened.overview

    async def list(
        self,
        state: JobState | None = None,
        contains: Name = None,
        limit: Limit = 100,
        cursor: Cursor = None,
    ) -> ListPart[JobSummary]:
        """Jobs, in the order they were created; `contains` is a part of their names."""
        sieve = JobSieve(state, contains or "")
        found, place = await self._overview.jobs(sieve, cursors.number(cursor), limit)
        return listed([await self._facts(job) for job in found], place)

    async def get(self, name: JobName) -> JobDetail:
        """A job: its figures, and what it was asked to do."""
        job = await the_job(self._ledger, name)
        return await self._whole(job)

    async def progress(self, name: JobName) -> JobDetail:
        """How fast it is, when it may be done, and what it waits for."""
        return await self._whole(await the_job(self._ledger, name))

    async def create(self, wanted: JobBody, request: Request) -> CreatedJob:
        """Create a job. It waits until it is started, unless `start` is true."""
        await guard_of(request).count_seeds(request)
        answer = await create_job(self._context, self._wanted(wanted))
        match answer:
            case JobCreated(job=job, refused=refused):
                not_taken = [UrlRefused(url, reason) for url, reason in refused]
                return extended(CreatedJob, await self._facts(job), refused=not_taken)
            case JobExists(is_same=True):
                raise Problem(409, "There is a job of this name already, and it asks for the same.")
            case JobExists():
                raise Problem(409, "There is a job of this name already.")
            case JobInvalid(field=field, why=why):
                raise Problem(422, f"{field}: {why}.")
            case _:
                assert_never(answer)

    async def change(self, name: JobName, wanted: JobWishes, request: Request) -> ChangedJob:
        """Change what it is asked to do: seeds and sitemaps are added, everything else that is
        named replaces what was. URLs that are known already stay. Processes at work go by it once
        the job is resumed."""
        job = await the_job(self._ledger, name)
        given = wanted.model_dump(mode="json", exclude_unset=True)
        if given.get("seeds") or given.get("sitemaps") or given.get("posts"):
            await guard_of(request).count_seeds(request)
        defaults = msgspec.to_builtins(JobSpec())
        given = {key: defaults[key] if value is None else value for key, value in given.items()}
        old = {**msgspec.to_builtins(job.spec), "seeds": (), "sitemaps": (), "posts": ()}
        spec = msgspec.convert({**old, **given}, JobSpec)
        match await change_job(self._context, JobChange(job, spec)):
            case JobChanged(job=changed, refused=refused):
                not_taken = [UrlRefused(url, reason) for url, reason in refused]
                return extended(ChangedJob, await self._whole(changed), refused=not_taken)
            case JobInvalid(field=field, why=why):
                raise Problem(422, f"{field}: {why}.")

    async def preview(self, wanted: PreviewBody) -> JobPreview:
        """What a job would take and refuse: its seeds, and up to 200 URLs as links from them, with
        what each check says. Nothing is written, and nothing fetched."""
        given = wanted.model_dump(mode="json", exclude_none=True, exclude={"urls"})
        spec = msgspec.convert(msgspec.to_builtins(self._ledger.settings.job) | given, JobSpec)
        answer = await preview_job(self._context, spec, wanted.urls)
        if isinstance(answer, JobInvalid):
            raise Problem(422, f"{answer.field}: {answer.why}.")
        return job_preview(answer)

    async def run(self, name: JobName) -> RunJob:
        """Visit everything of it again, beginning now, and what is left of it."""
        answer = await run_again(self._context, await the_job(self._ledger, name))
        if isinstance(answer, Refusal):
            raise Problem(409, f"This cannot be done to the job: {answer.why}.")
        facts = await self._facts(await the_job(self._ledger, name))
        return extended(RunJob, facts, again=answer.again)

    async def failures(self, name: JobName, limit: Limit = 20) -> ListPart[FailureCount]:
        """The commonest reasons of URLs that failed, with how many each."""
        job = await the_job(self._ledger, name)
        found = await self._ledger.pages.failures(job.id, limit)
        return listed(FailureCount(reason, count) for reason, count in found)

    async def rejections(
        self,
        name: JobName,
        reason: Reason | None = None,
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> RefusedUrls:
        """How many URLs were not taken for which reason, with examples: of one reason the latest
        first, or a few of each. Of most reasons the first 20 are kept; of `trap` and limits more,
        and of `known` none."""
        job = await the_job(self._ledger, name)
        counts = dict(sorted((await self._jobs.counts(job.id)).rejected.items()))
        before = cursors.number(cursor) or None
        wanted = [each for each in counts if reason in (None, each)]
        most = limit if reason is not None else min(limit, _FEW)
        items: list[RefusedUrl] = []
        last: int | None = None
        for each in wanted:
            rows = await self._overview.rejected(job.id, each, before, most)
            items += [RefusedUrl(url, each, at) for _, url, at in rows]
            last = rows[-1][0] if reason is not None and len(rows) == most else None
        return RefusedUrls(counts, items, None if last is None else cursors.encode(last))

    async def shapes(self, name: JobName, limit: Limit = 50) -> ListPart[JobShape]:
        """The kinds of URLs that it has visited most, and how many visits of each brought
        nothing new (URL-6)."""
        job = await the_job(self._ledger, name)
        return listed(await self._overview.shapes(job.id, limit))

    async def start(self, name: JobName) -> JobSummary:
        """Start a job that is stopped: workers take it up within a second."""
        return await self._order(name, JobOrder.START)

    async def pause(self, name: JobName) -> JobSummary:
        """Let a running job rest: whoever works on it asks for nothing more within two seconds."""
        return await self._order(name, JobOrder.PAUSE)

    async def resume(self, name: JobName) -> JobSummary:
        """Go on with a paused job where it was."""
        return await self._order(name, JobOrder.RESUME)

    async def stop(self, name: JobName) -> JobSummary:
        """Stop a job. What is left stays; `start` goes on with it."""
        return await self._order(name, JobOrder.STOP)

    async def delete(self, name: JobName, response: Response) -> DeletedJob:
        """Delete a job with all its URLs, pages and history, step by step: 202 says that some are
        left, and that the request is to be repeated. 409 while workers have some of it in hand."""
        job = await the_job(self._ledger, name)
        done = await delete_job(self._context, job, patience=0.0, seconds=_STEP_SECONDS)
        if done.held and not done.deleted:
            told = f"It is stopped, but {done.held:,} of its URLs are under way. Try again."
            raise Problem(409, told)
        response.status_code = 200 if done.is_gone else 202
        return DeletedJob(name, done.deleted, done.is_gone)

    async def _order(self, name: str, order: JobOrder) -> JobSummary:
        job = await the_job(self._ledger, name)
        answer = await order_job(self._context, job, order)
        if isinstance(answer, Refusal):
            raise Problem(409, f"This cannot be done to the job: {answer.why}.", state=job.state)
        return await self._facts(await the_job(self._ledger, name))

    async def _facts(self, job: Job) -> JobSummary:
        return job_summary(await job_facts(self._jobs, job, self._ledger.settings.pace))

    async def _whole(self, job: Job) -> JobDetail:
        ledger = self._ledger
        return job_detail(await job_facts(self._jobs, job, ledger.settings.pace, ledger.hosts))

    def _wanted(self, body: JobBody) -> NewJob:
        given = body.model_dump(mode="json", exclude_none=True, exclude={"name", "start"})
        spec = msgspec.convert(msgspec.to_builtins(self._ledger.settings.job) | given, JobSpec)
        return NewJob(body.name, spec, body.start)
