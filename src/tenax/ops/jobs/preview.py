"""What would a job take and refuse? Its door is asked about URLs, and nothing is written."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from tenax.model import Candidate, Job, JobSpec, JobState, Rejected
from tenax.ops.jobs.context import JobContext
from tenax.ops.jobs.create import JobInvalid, admission_of, checked_wishes, whole_urls

MOST = 200


class PreviewedUrl(Struct, frozen=True):
    url: str
    """As it would be asked for, where it is one at all."""
    taken: bool
    reason: str = ""
    """Why not, in one word."""
    detail: str = ""
    priority: int | None = None
    checks: tuple[str, ...] = ()
    """What each check says of it, in the order they are made."""


async def preview_job(
    context: JobContext, spec: JobSpec, urls: Iterable[str]
) -> list[PreviewedUrl] | JobInvalid:
    """Of seeds first, then of these URLs as links one step behind a seed."""
    wishes = checked_wishes(spec, context.recrawl)
    if isinstance(wishes, JobInvalid):
        return wishes
    job = Job(0, "preview", JobState.STOPPED, wishes, context.clock.now())
    admission = admission_of(context, job)
    if isinstance(admission, JobInvalid):
        return admission
    seeds = [Candidate(url) for url in wishes.seeds]
    seeds += [Candidate(post.url, sends=post.sends) for post in wishes.posts]
    links = [Candidate(url, depth=1) for url in whole_urls(urls)]
    found = []
    for candidate in (*seeds, *links)[:MOST]:
        decided = admission.door.decide(candidate)
        checks = tuple(admission.door.explain(candidate))
        if isinstance(decided, Rejected):
            found.append(
                PreviewedUrl(decided.url, False, decided.reason.value, decided.detail, None, checks)
            )
        else:
            found.append(PreviewedUrl(decided.url, True, priority=decided.priority, checks=checks))
    return found


class JobPreview(Struct, frozen=True):
    taken: int
    items: list[PreviewedUrl]


def job_preview(found: list[PreviewedUrl]) -> JobPreview:
    return JobPreview(sum(each.taken for each in found), found)
