"""Fetch one URL now: one visit by the rules of all visits, whoever asks (CLI-1, CLI-3).

Door, robots.txt, the host's gate and pace, clients, verdict, reading and record are those of a
crawl, on the same ledger, so crawls under way and this visit ask a host in turn. Dry, nothing is
written but how the host was treated and its robots.txt.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from tenax.crawl.one_visit import NOBODY, OneVisit, Visited
from tenax.crawl.run import CrawlParts, conclude
from tenax.model import (
    Candidate,
    Fault,
    Job,
    JobSpec,
    JobState,
    Page,
    Rejected,
    ScopeKind,
    Sends,
)
from tenax.ops.jobs.context import JobContext
from tenax.ops.jobs.create import JobInvalid, admission_of, whole_urls
from tenax.outcome import (
    Attempt,
    Failed,
    Later,
    Moved,
    Outcome,
    Read,
    Refused,
    Settlement,
    Stale,
    Unchanged,
    Waiting,
)
from tenax.ports import PageRecord, Pages

JOB = "fetch"
"""The job that keeps what was fetched so, unless another one is named."""
WAIT = 30.0
"""Seconds that a fetch waits for its turn, and for further tries, unless told otherwise."""
_LEAST = 0.5
"""Seconds between two tries, at least."""


class FetchContext(Struct, frozen=True):
    parts: CrawlParts
    jobs: JobContext
    pages: Pages
    spec: JobSpec
    """What is usual for jobs here: which parameters make no difference, whether of products."""


class FetchOrder(Struct, frozen=True):
    url: str
    """As people write it."""
    job: str | None = None
    """The job that it becomes a page of, by that one's scope and limits."""
    dry: bool = False
    wait: float = WAIT
    sends: Sends | None = None
    """What is sent there, by POST; None to ask for it."""


class Fetched(Struct, frozen=True):
    """What became of it."""

    url: str
    outcome: Outcome
    page: Page | None = None
    """What was read, or the earlier copy where that still serves."""
    job: str = ""
    """Whose page it is; empty when nothing was to be written."""
    url_hash: str = ""
    settlement: Settlement | None = None
    attempts: tuple[Attempt, ...] = ()
    hops: tuple[str, ...] = ()
    """Where it was looked for before, at other hosts."""
    again_at: float | None = None
    """When it is worth another try; None when it is not, or was read."""


async def fetch_now(context: FetchContext, order: FetchOrder) -> Fetched | JobInvalid:
    job = await _job(context, order)
    if isinstance(job, JobInvalid):
        return job
    admission = admission_of(context.jobs, job)
    if isinstance(admission, JobInvalid):
        return admission
    clock = context.parts.clock
    visit = OneVisit(context.parts, admission, dry=order.dry)
    until = clock.now() + order.wait
    (url,) = whole_urls([order.url])
    fetched = Fetched(url, Waiting(until, "not asked yet"), job="" if order.dry else job.name)
    # Seeds are in scope wherever they are; what is put to a job is not a seed of it.
    depth = 0 if order.job is None else min(1, job.spec.max_depth)
    spent, sends = 0, order.sends
    while True:
        verdict = admission.door.decide(Candidate(url, depth=depth, sends=sends))
        if isinstance(verdict, Rejected):
            fetched = replace(fetched, outcome=Refused(verdict.reason, verdict.detail))
            break
        visited = await visit.visit(verdict, spent, until)
        hashed = admission.hash_of(verdict.url, verdict.sends).hex()
        fetched = await _with(context, replace(fetched, url=verdict.url, url_hash=hashed), visited)
        if isinstance(visited.outcome, Moved):
            if len(fetched.hops) >= context.parts.fetcher.most_redirects:
                detail = f"moved from host to host more than {len(fetched.hops)} times"
                failed = Failed(Fault.TOO_MANY_REDIRECTS, detail)
                fetched = replace(fetched, outcome=failed)
                break
            fetched = replace(fetched, hops=(*fetched.hops, url))
            url, spent, sends = visited.outcome.to, 0, visited.outcome.sends
            continue
        again = visited.settlement.next if visited.settlement else None
        if not isinstance(again, Later) or max(again.at, clock.now() + _LEAST) > until:
            break
        spent += again.counts
        await clock.sleep(max(again.at - clock.now(), _LEAST))
    if not order.dry and order.job is None:
        await conclude(context.parts, job)
    return fetched


async def _job(context: FetchContext, order: FetchOrder) -> Job | JobInvalid:
    jobs = context.jobs.jobs
    if order.job is not None:
        named = await jobs.get(order.job) if "\0" not in order.job else None
        if named is None:
            return JobInvalid("job", f"there is no job {order.job!r}")
        # What a dry visit teaches of where pages are is not remembered, so nothing is learned.
        unwritten = replace(named, id=NOBODY, spec=replace(named.spec, discover=()))
        return unwritten if order.dry else named
    # One URL and no further: what it links to is nobody's wish.
    spec = JobSpec(
        scope=ScopeKind.ANY,
        max_depth=0,
        discover=(),
        drop_parameters=context.spec.drop_parameters,
        drop_trailing_slash=context.spec.drop_trailing_slash,
        blocked_hosts=context.spec.blocked_hosts,
        products=context.spec.products,
    )
    if order.dry:
        return Job(NOBODY, JOB, JobState.DONE, spec, 0.0)
    made = await jobs.get(JOB) or await jobs.create(JOB, spec, JobState.DONE)
    # Of two that create it at once, one does.
    return made or await jobs.get(JOB) or JobInvalid("job", f"{JOB!r} was deleted meanwhile")


async def _with(context: FetchContext, fetched: Fetched, visited: Visited) -> Fetched:
    outcome, settlement = visited.outcome, visited.settlement
    tries: tuple[Attempt, ...] = ()
    if settlement is not None:
        tries = (*settlement.earlier, *([settlement.attempt] if settlement.attempt else []))
    return replace(
        fetched,
        outcome=outcome,
        page=await _page(context, outcome, settlement),
        settlement=settlement,
        attempts=(*fetched.attempts, *tries),
        again_at=_again_at(visited),
    )


async def _page(
    context: FetchContext, outcome: Outcome, settlement: Settlement | None
) -> Page | None:
    if isinstance(outcome, Read):
        return outcome.page
    if settlement is None or not isinstance(outcome, Unchanged | Stale):
        return None
    record = await context.pages.page(settlement.target_id)
    if record is None:
        return None
    body = await context.parts.bodies.get(bytes.fromhex(record.digest)) if record.digest else None
    return _stored(record, body)


def _stored(record: PageRecord, body: bytes | None) -> Page:
    return Page(
        url=record.final_url,
        status=record.status,
        content_type=record.content_type,
        body=body,
        fetched_at=record.fetched_at,
        charset=record.charset,
        title=record.title,
        description=record.description,
        canonical=record.canonical,
        language=record.language,
        published=record.published,
        modified=record.modified,
        words=record.words,
        etag=record.etag,
        last_modified=record.last_modified,
        rights=record.rights,
    )


def _again_at(visited: Visited) -> float | None:
    if visited.settlement is None:
        return visited.outcome.until if isinstance(visited.outcome, Waiting) else None
    then = visited.settlement.next
    return then.at if isinstance(then, Later) else None
