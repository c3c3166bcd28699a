"""Which target, page or dead letter does a URL name? Every job has its own idea of equal URLs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from tenax.model import Job, JobSpec
from tenax.ports import DeadLetter, DeadLetters, Letters, PageRecord, Pages, TargetRecord
from tenax.urls.normalise import IdentityRules, host_of, normalise, resolve, seed_url


def as_asked(text: str) -> str | None:
    """The URL a person means, if it is one that can be crawled."""
    href = resolve(seed_url(text))
    return href if href and href.startswith(("http://", "https://")) else None


def rules_of(spec: JobSpec) -> IdentityRules:
    return IdentityRules(spec.drop_parameters, spec.drop_trailing_slash)


async def target_in(job: Job, href: str, pages: Pages) -> TargetRecord | None:
    records = await pages.targets(normalise(href, rules_of(job.spec)), host_of(href))
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


async def stored_page(text: str, jobs: Iterable[Job], pages: Pages) -> PageRecord | None:
    """The newest copy of a page in these jobs."""
    href = as_asked(text)
    if href is None:
        return None
    found = [await _page_in(job, href, pages) for job in jobs]
    return max((p for p in found if p), key=lambda page: page.fetched_at, default=None)


async def letters_of(
    text: str, jobs: Iterable[Job], pages: Pages, dead: DeadLetters
) -> list[DeadLetter]:
    """The letters of a URL: one for each of these jobs that gave it up."""
    href = as_asked(text)
    if href is None:
        return []
    records = [await target_in(job, href, pages) for job in jobs]
    ids = tuple(record.id for record in records if record)
    return await dead.find(Letters(ids=ids), limit=max(1, len(ids)))


async def _page_in(job: Job, href: str, pages: Pages) -> PageRecord | None:
    record = await target_in(job, href, pages)
    return await pages.page(record.id) if record else None
