"""Why is this URL where it is, or where would it go? The whole story, for one URL (CLI-2).

Nothing is asked of the web. What was decided at the door is decided again, because deciding is
pure; the rest is read from the ledger, if there is one.
"""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import replace

from tenax.crawl.policy import RetryPolicy
from tenax.hosts import conduct
from tenax.hosts.robots_policy import Access, RobotsPolicy, robots_at
from tenax.hosts.standing import HostStanding, standing
from tenax.model import (
    Candidate,
    Job,
    JobSpec,
    Reason,
    Rejected,
    Role,
    Sends,
    Target,
)
from tenax.ops.search.near_duplicates import Likeness, likeness
from tenax.ops.sites.facts import SiteFact, site_facts
from tenax.ops.why import next_visit
from tenax.ops.why.answer import answer_of
from tenax.ops.why.last_try import meaning
from tenax.ops.why.lookup import PostedThere, as_asked, posted_there, rules_of, target_in
from tenax.ops.why.robots_advice import RobotsAdvice, advise
from tenax.outcome import Attempt
from tenax.ports import (
    DeadLetter,
    DeadLetters,
    HostBook,
    HostRecord,
    Jobs,
    Letters,
    PageRecord,
    Pages,
    RobotsStore,
    TargetRecord,
)
from tenax.urls.addresses import AddressRules
from tenax.urls.decide import Door
from tenax.urls.normalise import (
    explain,
    host_of,
    normalise,
    origin_of,
    seed_url,
    target_digest,
)
from tenax.urls.sites import SiteAtHost, Sites


class StoryLedger(Struct, frozen=True):
    """Where the story is read."""

    jobs: Jobs
    pages: Pages
    hosts: HostBook
    robots: RobotsStore
    dead: DeadLetters


class House(Struct, frozen=True):
    """What decides about a URL besides its job: our own settings."""

    spec: JobSpec
    """What a new crawl would be like."""
    addresses: AddressRules
    token: str
    robots: RobotsPolicy
    treatment: conduct.HostPolicies = field(default_factory=conduct.HostPolicies)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    sites: Sites = field(default_factory=Sites)
    pdf: bool = False
    """PDF files are read."""

    def door(self, spec: JobSpec, now: float, sites: Sites | None = None) -> Door:
        return Door(spec, self.addresses, now, sites, pdf=self.pdf)


class Normal(Struct, frozen=True):
    """What a job counts as this URL."""

    form: str
    changes: tuple[str, ...]
    """One sentence per rule that changed something."""
    url_hash: str


class DoorVerdict(Struct, frozen=True, kw_only=True):
    """What the door says, asked now."""

    taken: bool
    reason: str = ""
    detail: str = ""
    priority: int | None
    seen_as: str
    """What the door took it for: a seed, or a link so many steps from one."""
    checks: tuple[str, ...]


class KeptRefusal(Struct, frozen=True):
    """A refusal that depended on the moment, written down when it happened."""

    reason: Reason
    at: float


class JobStory(Struct, frozen=True, kw_only=True):
    job: str | None
    """None for the crawl that could be started here."""
    job_state: str = ""
    answer: str
    """The short answer, in one sentence."""
    normal: Normal
    door: DoorVerdict
    target: TargetRecord | None
    attempts: tuple[Attempt, ...]
    meaning: str = ""
    """What the last of them meant; empty when its outcome says it all."""
    page: PageRecord | None
    similar: Likeness | None
    """What its page is nearly the same as, or what is nearly the same as its page."""
    dead_letter: DeadLetter | None
    """There while it is given up and nobody has returned or purged it."""
    kept_rejections: tuple[KeptRefusal, ...]
    next: next_visit.Prospect
    cookies: tuple[str, ...] = ()
    """Names of those that the host has set in this job, and gets back."""
    posted: tuple[PostedThere, ...] = ()
    """What is sent to this URL in the job, each a target of its own: the first of them."""


class Story(Struct, frozen=True, kw_only=True):
    asked: str
    url: str | None
    """What would be requested; None when the text is no URL that can be crawled."""
    problem: str = ""
    """Why it cannot be crawled by anybody; empty when it can."""
    jobs: tuple[JobStory, ...] = ()
    robots: RobotsAdvice | None = None
    host: HostRecord | None = None
    standing: HostStanding | None = None
    """The host's: whether it may be asked now, and if not, why and until when."""
    site: tuple[SiteFact, ...] = ()
    """What the rules of its site decide, and which of them does."""


async def tell(
    asked: str,
    ledger: StoryLedger | None,
    house: House,
    now: float,
    job: str | None = None,
    sends: Sends | None = None,
    *,
    alone: bool = False,
) -> Story:
    """Everything known of a URL, or of what it answers to what is sent there, in every job or in
    one. Without a ledger: what would be. To whoever may see one job `alone`, no host is told of
    that this job does not know, nor how much of it others know."""
    href = as_asked(asked)
    if href is None:
        return _not_crawlable(asked, house, now)
    record = await ledger.robots.load(origin_of(href)) if ledger else None
    host = await ledger.hosts.get(host_of(href)) if ledger else None
    jobs = [j for j in await ledger.jobs.all() if job in (None, j.name)] if ledger else []
    is_theirs = alone and not (ledger and host and await _is_of(ledger, host, jobs))
    if is_theirs:
        record, host = None, None
    site = house.sites.of(host_of(href))
    house = replace(
        house,
        robots=robots_at(house.robots, site),
        treatment=conduct.policies_at(house.treatment, site),
    )
    scene = _Scene(
        asked=asked,
        href=href,
        house=house,
        now=now,
        robots=advise(href, record, house.token, house.robots, now),
        host=host,
        standing=standing(host.host, now, house.treatment) if host else None,
        site=site,
        sends=sends,
    )
    if ledger and jobs:
        stories = [await _in_job(scene, j, ledger) for j in jobs]
    else:
        stories = [_in_a_new_crawl(scene)]
    return Story(
        asked=asked,
        url=href,
        jobs=tuple(stories),
        robots=scene.robots,
        host=None if alone else scene.host,
        standing=scene.standing,
        site=() if is_theirs else site_facts(site),
    )


async def _is_of(ledger: StoryLedger, host: HostRecord, jobs: list[Job]) -> bool:
    return any([await ledger.hosts.is_of(host.host.id, job.id) for job in jobs])


class _Scene(Struct, frozen=True):
    """What is the same in every job."""

    asked: str
    href: str
    house: House
    now: float
    robots: RobotsAdvice
    host: HostRecord | None
    standing: HostStanding | None
    site: SiteAtHost
    sends: Sends | None = None


def _not_crawlable(asked: str, house: House, now: float) -> Story:
    verdict = house.door(house.spec, now).decide(Candidate(seed_url(asked)))
    problem = f"{verdict.reason}: {verdict.detail}" if isinstance(verdict, Rejected) else ""
    return Story(asked=asked, url=None, problem=problem)


async def _in_job(scene: _Scene, job: Job, ledger: StoryLedger) -> JobStory:
    target = await target_in(job, scene.href, ledger.pages, scene.sends)
    counts = await ledger.jobs.counts(job.id)
    kept = await ledger.pages.rejection(scene.href)
    attempts = await ledger.pages.attempts(target.id) if target else []
    page = await ledger.pages.page(target.id) if target else None
    door = scene.house.door(job.spec, scene.now, scene.house.sites)
    story = JobStory(
        job=job.name,
        job_state=job.state.value,
        answer="",
        normal=_normal(scene, job.spec),
        door=_ask(door, _candidate(scene, job.spec, target)),
        target=target,
        attempts=tuple(attempts),
        meaning=meaning(target, attempts[-1], scene.house.retry) if target and attempts else "",
        page=page,
        similar=await likeness(page, ledger.pages) if page else None,
        dead_letter=await _letter(ledger, target),
        kept_rejections=tuple(
            KeptRefusal(reason, at) for name, reason, at in kept if name == job.name
        ),
        next=next_visit.NOTHING,
        cookies=await _cookies(scene, job, ledger),
        posted=await posted_there(job, scene.href, ledger.pages) if scene.sends is None else (),
    )
    house = scene.house
    situation = next_visit.Situation(
        job, counts, target, scene.host, scene.now, house.treatment, house.retry
    )
    return _concluded(story, scene, next_visit.of_target(situation))


async def _cookies(scene: _Scene, job: Job, ledger: StoryLedger) -> tuple[str, ...]:
    found = await ledger.hosts.cookies(scene.host.host.id) if scene.host else []
    return next((each.names for each in found if each.job_id == job.id), ())


async def _letter(ledger: StoryLedger, target: TargetRecord | None) -> DeadLetter | None:
    found = await ledger.dead.find(Letters(ids=(target.id,))) if target else []
    return found[0] if found else None


def _in_a_new_crawl(scene: _Scene) -> JobStory:
    spec = replace(scene.house.spec, seeds=(scene.href,))
    story = JobStory(
        job=None,
        answer="",
        normal=_normal(scene, spec),
        door=_ask(
            scene.house.door(spec, scene.now, scene.house.sites),
            Candidate(scene.href, sends=scene.sends),
        ),
        target=None,
        attempts=(),
        page=None,
        similar=None,
        dead_letter=None,
        kept_rejections=(),
        next=next_visit.NOTHING,
    )
    return _concluded(story, scene, next_visit.START)


def _concluded(story: JobStory, scene: _Scene, next: next_visit.Prospect) -> JobStory:
    refused = "" if story.door.taken else f"{story.door.reason}: {story.door.detail}"
    if story.target is not None:
        answer = answer_of(story.target, story.page, story.attempts, scene.standing, scene.robots)
        if story.similar is not None and story.similar.original:
            answer += f"; {story.similar.told}"
        return replace(story, answer=answer, next=next)
    if story.kept_rejections:
        reason = story.kept_rejections[-1].reason
        answer = f"not taken: {reason}{_limit(reason, scene.site)}, when a page named it"
        return replace(story, answer=answer, next=next_visit.REFUSED)
    if refused:
        return replace(
            story, answer=f"would be refused at the door: {refused}", next=next_visit.REFUSED
        )
    if scene.robots.access is Access.DISALLOW_ALL:
        answer = f"would be taken, then wait: {scene.robots.why}"
        return replace(story, answer=answer, next=next)
    if scene.robots.allowed is False:
        answer = f"would be taken, then blocked by robots.txt {scene.robots.why}"
        return replace(story, answer=answer, next=next_visit.BLOCKED)
    doubt = ", unless its robots.txt forbids it" if scene.robots.allowed is None else ""
    return replace(story, answer=f"would be fetched{doubt}", next=next)


def _limit(reason: Reason, site: SiteAtHost) -> str:
    """Which rule of the site may have been meant, where the job has none."""
    if reason is not Reason.HOST_LIMIT or site.rules.max_pages is None:
        return ""
    return f" (max_pages {site.rules.max_pages} by the {site.decided['max_pages'].told})"


def _normal(scene: _Scene, spec: JobSpec) -> Normal:
    meant = seed_url(scene.asked)
    told = explain(meant, None, rules_of(spec))
    assert told is not None, "it resolved"
    form, changes = told
    if meant != scene.asked.strip():
        changes = [f"added {meant.partition('://')[0]}://", *changes]
    return Normal(form, tuple(changes), target_digest(form, scene.sends).hex())


def _candidate(scene: _Scene, spec: JobSpec, target: TargetRecord | None) -> Candidate:
    """The URL as this job met it; one it never met, as a link on a seed's page."""
    href, sends = scene.href, scene.sends
    if target is not None:
        found_on = None if target.found_on is None else 0
        role = Role.PAGE if sends is not None else target.role
        return Candidate(target.url, depth=target.depth, found_on=found_on, role=role, sends=sends)
    rules = rules_of(spec)
    texts = spec.seeds if sends is None else [p.url for p in spec.posts if p.sends == sends]
    seeds = {normalise(seed, rules) for text in texts if (seed := as_asked(text))}
    is_seed = normalise(href, rules) in seeds
    if is_seed:
        return Candidate(href, sends=sends)
    return Candidate(href, depth=1, found_on=0, sends=sends)


_SEEN_AS = {
    Role.PAGE: "a link",
    Role.SITEMAP: "a sitemap",
    Role.FEED: "a feed",
    Role.ARCHIVE: "a guess at an archive",
    Role.PAGINATION: "a guess at a further page of a listing",
    Role.IMAGE: "a picture of a product",
    Role.POSTED: "something sent there",
}


def _ask(door: Door, candidate: Candidate) -> DoorVerdict:
    is_seed = candidate.depth == 0 and candidate.found_on is None
    steps = "1 step" if candidate.depth == 1 else f"{candidate.depth} steps"
    kind = _SEEN_AS[candidate.role if candidate.sends is None else Role.POSTED]
    seen_as = "a seed" if is_seed else f"{kind}, {steps} from a seed"
    checks = tuple(door.explain(candidate))
    match door.decide(candidate):
        case Rejected(reason=reason, detail=detail):
            return DoorVerdict(
                taken=False, reason=reason.value, detail=detail, priority=None, seen_as=seen_as,
                checks=checks,
            )  # fmt: skip
        case Target(priority=priority):
            return DoorVerdict(taken=True, priority=priority, seen_as=seen_as, checks=checks)
