"""Create a job: one validation, one transaction, one answer, whoever asks (FR-7).

The job and its seeds are written together: of a creation that was cut off nothing is there, and
the name is free. Very many seeds, from files, follow in batches; the same order goes on with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from tenax.crawl.admit import Admission
from tenax.crawl.settle import Admitted
from tenax.jobs.calendar import ScheduleError, parse_schedule
from tenax.jobs.revisit_policy import RecrawlPolicy, wrong_interval
from tenax.model import Job, JobSpec, JobState, Post, Reason, ScopeKind, Target
from tenax.model.knobs import OutOfBounds, checked
from tenax.ops.jobs.context import JobContext
from tenax.ports import Jobs
from tenax.urls.normalise import resolve, seed_url

AT_ONCE = 100_000
"""Targets that are written together with their job: all that fit into a request to the API or into
a command line. Only a program can name more, and those follow in transactions of their own."""
LONGEST_NAME = 255


class NewJob(Struct, frozen=True):
    """A job as somebody wants it."""

    name: str
    spec: JobSpec
    """Its seeds and sitemaps may be written as people write them."""
    is_started: bool = False
    grounds: tuple[str | Post, ...] | None = None
    """Where more seeds follow in batches: what they bring into its scope. Such a job may begin
    with none, and is started once they are in."""


class JobCreated(Struct, frozen=True):
    job: Job
    taken: int
    """Seeds and sitemaps that it has now."""
    refused: tuple[tuple[str, Reason], ...] = ()


class JobExists(Struct, frozen=True):
    """There is one of this name, and nothing was changed."""

    job: Job
    is_same: bool
    """It is asked to do the same: a creation that was cut off can go on."""


class JobInvalid(Struct, frozen=True):
    """What is wrong with what was asked for; nothing was written."""

    field: str
    why: str
    """A sentence that begins small and ends without a full stop."""
    refused: tuple[tuple[str, Reason], ...] = ()
    """Where it is the seeds: each of them."""


async def create_job(context: JobContext, wanted: NewJob) -> JobCreated | JobExists | JobInvalid:
    there = await context.jobs.get(wanted.name) if "\0" not in wanted.name else None
    # Older ledgers may have names that are none any more: their jobs go on.
    if there is None and (why := _wrong_name(wanted.name)):
        return JobInvalid("name", why)
    if not wanted.spec.starts and wanted.grounds is None:
        return JobInvalid("seeds", "where to start? Name seeds, or sitemaps")
    spec = checked_wishes(wanted.spec, context.recrawl, before=there.spec if there else None)
    if isinstance(spec, JobInvalid):
        return spec
    whole = with_grounds(spec, wanted.grounds)
    admission = admission_of(context, Job(0, wanted.name, JobState.STOPPED, whole, 0.0))
    if isinstance(admission, JobInvalid):
        return admission
    if there is not None:
        return JobExists(there, there.spec == whole)
    offer = admission.offer_seeds(spec)
    if not offer.found and wanted.grounds is None:
        return nothing_to_crawl(offer)
    starts = wanted.is_started and wanted.grounds is None
    state = JobState.RUNNING if starts else JobState.STOPPED
    made = await context.frontier.create_job(wanted.name, whole, state, offer.found[:AT_ONCE])
    if made is None:
        return await _of_whoever_was_faster(context, wanted, whole)
    await add_rest(context, made.job.id, offer.found)
    return JobCreated(made.job, len(offer.found), offer.kept)


async def _of_whoever_was_faster(
    context: JobContext, wanted: NewJob, whole: JobSpec
) -> JobCreated | JobExists | JobInvalid:
    there = await context.jobs.get(wanted.name)
    if there is None:  # and deleted meanwhile
        return await create_job(context, wanted)
    return JobExists(there, there.spec == whole)


async def archive_job(jobs: Jobs, name: str, spec: JobSpec) -> Job:
    """The job of this name, or a new one that archives are taken into: they are all it has, so it
    has no scope, nothing to start from, and is done."""
    there = await jobs.get(name)
    if there is not None:
        return there
    return await jobs.save(name, replace(spec, scope=ScopeKind.ANY), JobState.DONE)


def checked_wishes(
    spec: JobSpec, recrawl: RecrawlPolicy, before: JobSpec | None = None
) -> JobSpec | JobInvalid:
    """What was so `before` is not to be judged by the settings of today."""
    try:
        spec = checked(spec)
    except OutOfBounds as error:
        return JobInvalid(*_told(str(error)))
    is_kept = before is not None and before.recrawl == spec.recrawl
    # 0 leaves it to recrawl.interval.
    if spec.recrawl and not is_kept and (why := wrong_interval(spec.recrawl, recrawl)):
        return JobInvalid("recrawl", why.rstrip("."))
    try:
        schedule = parse_schedule(spec.schedule).text if spec.schedule else ""
    except ScheduleError as error:
        return JobInvalid("schedule", str(error).rstrip("."))
    return replace(whole_starts(spec), schedule=schedule)


def _told(error: str) -> tuple[str, str]:
    """`max_pages = 0: must be …` as the field and what is wrong with it."""
    name, _, why = error.partition(": ")
    return name.partition(" = ")[0], why.rstrip(".")


def _wrong_name(name: str) -> str:
    if not name.strip():
        return "a job needs a name"
    if len(name) > LONGEST_NAME:
        return f"longer than {LONGEST_NAME} characters"
    if any(char < " " or char in "/\x7f" for char in name):
        return "has a slash or a control character"
    return ""


def admission_of(context: JobContext, job: Job) -> Admission | JobInvalid:
    """The door of the job as it is to be: patterns that cannot be meant are told by name."""
    try:
        return context.admission(job)
    except ValueError as error:
        field, _, why = str(error).partition(": ")
        return JobInvalid(field, why.rstrip("."))


def nothing_to_crawl(offer: Admitted) -> JobInvalid:
    reasons = ", ".join(sorted({reason.value for _, reason in offer.kept})) or "nothing to start"
    return JobInvalid("seeds", f"none of its seeds can be crawled: {reasons}", offer.kept)


async def add_rest(context: JobContext, job_id: int, found: Sequence[Target]) -> None:
    """What was too much for the transaction of the job itself."""
    for start in range(AT_ONCE, len(found), AT_ONCE):
        await context.frontier.add(job_id, found[start : start + AT_ONCE])


def whole_urls(typed: Iterable[str]) -> tuple[str, ...]:
    """Seeds as people write them, each a whole URL where it can be one."""
    return tuple(resolve(seed_url(url)) or url for url in typed)


def whole_starts(spec: JobSpec) -> JobSpec:
    """The same of all that a job starts from."""
    return replace(
        spec,
        seeds=whole_urls(spec.seeds),
        sitemaps=whole_urls(spec.sitemaps),
        posts=tuple(replace(post, url=whole_urls([post.url])[0]) for post in spec.posts),
    )


def with_grounds(spec: JobSpec, grounds: Sequence[str | Post] | None) -> JobSpec:
    """With what opens its scope besides. What is sent somewhere must not be asked for instead."""
    urls = [ground for ground in grounds or () if isinstance(ground, str)]
    posts = [ground for ground in grounds or () if not isinstance(ground, str)]
    return replace(
        spec,
        seeds=tuple(dict.fromkeys((*spec.seeds, *urls))),
        posts=tuple(dict.fromkeys((*spec.posts, *posts))),
    )
