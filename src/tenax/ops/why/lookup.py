"""Which target, page or dead letter does a URL name? Every job has its own idea of equal URLs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from msgspec import Struct

from tenax.model import Job, JobSpec, Sends, State
from tenax.ports import DeadLetter, DeadLetters, Letters, PageRecord, Pages, TargetRecord
from tenax.urls.normalise import IdentityRules, host_of, normalise, resolve, seed_url


def as_asked(text: str) -> str | None:
    """The URL a person means, if it is one that can be crawled."""
    href = resolve(seed_url(text))
    return href if href and href.startswith(("http://", "https://")) else None


def rules_of(spec: JobSpec) -> IdentityRules:
    return IdentityRules(spec.drop_parameters, spec.drop_trailing_slash)


async def target_in(
    job: Job, href: str, pages: Pages, sends: Sends | None = None
) -> TargetRecord | None:
    records = await pages.targets(normalise(href, rules_of(job.spec)), host_of(href), sends)
    return next((record for record in records if record.job == job.name), None)


async def targets_of(text: str, jobs: Iterable[Job], pages: Pages) -> list[TargetRecord]:
    """The URL in each of these jobs that knows it."""
    href = as_asked(text)
    if href is None:
        return []
    # Nearly all jobs have the same idea of equal URLs: one question serves them all.
    by_rules: dict[IdentityRules, set[str]] = defaultdict(set)
    for job in jobs:
        by_rules[rules_of(job.spec)].add(job.name)
    return [
        target
        for rules, names in by_rules.items()
        for target in await pages.targets(normalise(href, rules), host_of(href))
        if target.job in names
    ]


async def stored_page(
    text: str, jobs: Iterable[Job], pages: Pages, sends: Sends | None = None
) -> PageRecord | None:
    """The newest copy of a page in these jobs; or of what its URL answers to what is sent there."""
    href = as_asked(text)
    if href is None:
        return None
    found = [await _page_in(job, href, pages, sends) for job in jobs]
    return max((p for p in found if p), key=lambda page: page.fetched_at, default=None)


async def letters_of(
    text: str, jobs: Iterable[Job], pages: Pages, dead: DeadLetters
) -> list[DeadLetter]:
    """The letters of a URL: one for each of these jobs that gave it up, and one for each request
    that sends something there."""
    href = as_asked(text)
    if href is None:
        return []
    ids: tuple[int, ...] = ()
    for job in jobs:
        record = await target_in(job, href, pages)
        posted = await posted_in(job, href, pages)
        ids += tuple(each.id for each in (record, *posted) if each)
    return await dead.find(Letters(ids=ids), limit=max(1, len(ids)))


async def posted_in(job: Job, href: str, pages: Pages) -> list[TargetRecord]:
    """What is sent to the URL in this job."""
    found = await pages.posted(normalise(href, rules_of(job.spec)), host_of(href))
    return [record for record in found if record.job == job.name]


class PostedThere(Struct, frozen=True):
    """A request of the job that sends something to the URL."""

    body: str
    content_type: str
    state: State


async def posted_there(job: Job, href: str, pages: Pages) -> tuple[PostedThere, ...]:
    return tuple(
        PostedThere(each.sends.body, each.sends.content_type, each.state)
        for each in await posted_in(job, href, pages)
        if each.sends is not None
    )


async def _page_in(
    job: Job, href: str, pages: Pages, sends: Sends | None = None
) -> PageRecord | None:
    record = await target_in(job, href, pages, sends)
    return await pages.page(record.id) if record else None
