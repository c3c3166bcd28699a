"""Admission of proposed URLs: the door's verdict and deduplication, with a bounded memory.

A page names a hundred URLs of which one is new. Two memories spare the rest their work: exact
spellings seen lately, and hashes of targets offered already. Both forget; the ledger decides in
the end.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress, filterfalse, islice
from operator import not_
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from tenax.crawl.seen_urls import Offered, Spellings
from tenax.crawl.settle import Admitted
from tenax.crawl.traps.detector import TrapDetector
from tenax.crawl.traps.judgement import TrapPolicy
from tenax.crawl.traps.kin import kin_of
from tenax.model import (
    MOMENTARY,
    Candidate,
    Job,
    JobSpec,
    LeasedTarget,
    Page,
    Reason,
    Rejected,
    Role,
    ScopeKind,
    Sends,
    Target,
)
from tenax.outcome import NEVER, Evidence, Garbage, Gone, Outcome, Read, Waiting
from tenax.urls.decide import Door
from tenax.urls.normalise import (
    host_of,
    normalise,
    origin_of,
    parts_of,
    path_of,
    resolve_all,
    target_digest,
)
from tenax.urls.paging import stem_of, turns
from tenax.urls.priority import ASKED, DISCOVERY, GRANTED, LAST, deferred
from tenax.urls.shapes import shape_of

if TYPE_CHECKING:
    from tenax.model import Product

_TEMPLATES = 16_384
_CROWDS = ((50, 9), (150, 10))
"""After so many URLs of one shape at one host, the next ones wait at this priority."""
_PLACES = 8_192
_EXAMPLES = 20
"""URLs kept for each reason against them that does not depend on the moment."""
_EXEMPLIFIED = frozenset(Reason) - MOMENTARY - {Reason.KNOWN}
_DEPTH_BOUND = frozenset({Reason.TOO_DEEP, Reason.NOFOLLOW})


class Admission:
    """One job's door, as this process remembers it."""

    def __init__(self, job: Job, door: Door, traps: TrapPolicy | None = None) -> None:
        self.job = job
        self.door = door
        self.traps = TrapDetector(traps or TrapPolicy())
        self._forget()
        self._examples: dict[Reason, set[str]] = {reason: set() for reason in _EXEMPLIFIED}
        """Those that were kept: the ledger takes no more of them than so many, either."""
        self._crowds: dict[tuple[str, str], int] = {}
        self._intakes: dict[str, Intake] = {}
        self._places: dict[str, _ShapePlace] = {}

    def offer_page(self, page: Page, depth: int, found_on: int) -> Admitted:
        """Decide on every link of a page. Where any host is in scope, a source of very many
        new URLs has to wait for the rest to be visited: later, not never (FR-8)."""
        if self._obeyed != self.door.changes:
            self._forget()
        offer = self._offer_links(page, depth, found_on)
        if self.job.spec.scope is not ScopeKind.ANY or not offer.found:
            return offer
        source = host_of(page.url)
        intake = self._intakes.get(source, Intake())
        if len(self._intakes) >= _TEMPLATES:
            self._intakes.clear()
        self._intakes[source], waits = intake.take(len(offer.found), page.fetched_at)
        due = [
            replace(target, due_at=page.fetched_at + wait) if wait else target
            for target, wait in zip(offer.found, waits, strict=True)
        ]
        return replace(offer, found=tuple(due))

    def _forget(self) -> None:
        """The rules of sites have changed: what was excluded or over a limit may be wanted now."""
        self._obeyed = self.door.changes
        self._spellings = Spellings()
        self._offered = Offered()

    def _offer_links(self, page: Page, depth: int, found_on: int) -> Admitted:
        links = page.links
        if page.directives.nofollow:
            refused = {Reason.NOFOLLOW: len(links)} if links else {}
            return Admitted(rejected=refused, kept=self._unfollowed(page, links))
        kept: tuple[tuple[str, Reason], ...] = ()
        if page.unfollowed:
            links = tuple(filterfalse(page.unfollowed.__contains__, links))
            kept = self._unfollowed(page, sorted(page.unfollowed))
        base = page.base or page.url
        spelled = self._spellings.of_folder(base[: base.rfind("/", 8) + 1])
        # A page has dozens of links and nearly all are known: those take no Python step each.
        told = [*map(spelled.get, links)]
        rejected = {reason: told.count(reason) for reason in dict.fromkeys(told) if reason}
        if page.unfollowed:
            rejected[Reason.NOFOLLOW] = len(page.links) - len(links)
        if None not in told:
            return Admitted((), rejected, kept)
        fresh = [*compress(links, map(not_, told))]
        offer = self._offer_fresh(fresh, page, depth + 1, found_on, spelled, rejected)
        return replace(offer, kept=kept + offer.kept) if kept else offer

    def _unfollowed(self, page: Page, hrefs: Iterable[str]) -> tuple[tuple[str, Reason], ...]:
        """Examples of links that are not to be followed."""
        if len(self._examples[Reason.NOFOLLOW]) >= _EXAMPLES:
            return ()
        urls = resolve_all(list(islice(hrefs, _EXAMPLES)), page.base or page.url)
        kept = [url for url in urls if url and self.is_example(Reason.NOFOLLOW, url)]
        return tuple((url, Reason.NOFOLLOW) for url in kept)

    def _offer_fresh(
        self,
        hrefs: list[str],
        page: Page,
        depth: int,
        found_on: int,
        spelled: dict[str, Reason],
        rejected: dict[Reason, int],
    ) -> Admitted:
        """Decide on links that the pages of this folder have not `spelled` so lately."""
        base = page.base or page.url
        named_by = self._place(page.url).shape
        found: dict[bytes, Target] = {}
        kept: list[tuple[str, Reason]] = []
        learned = {href: reason for href in hrefs if (reason := self.door.closes(href))}
        if learned:
            for reason in learned.values():
                rejected[reason] = rejected.get(reason, 0) + 1
            kept += [(href, why) for href, why in learned.items() if self.is_example(why, href)]
            hrefs = [*filterfalse(learned.__contains__, hrefs)]
        origin = origin_of(page.url)
        here = page.url[len(origin) :]
        near = origin + stem_of(here)
        for href, url in zip(hrefs, resolve_all(hrefs, base), strict=True):
            # The same URL under another relative spelling: resolving costs a tenth of deciding.
            reason = None if url is None else self._spellings.get(url)
            if url is None or reason is None:
                # Turning pages leads no deeper: a list of a hundred is as near as its first.
                is_turned = url is not None and (
                    (url.startswith(near) and turns(here, url[len(origin) :]))
                    or href == page.onward
                    or href in page.turned
                )
                verdict = (
                    self.door.decide(Candidate(href, base, depth, found_on=found_on))
                    if url is None
                    else self._decide(url, max(1, depth - is_turned), found_on, named_by)
                )
                if isinstance(verdict, Target):
                    found.setdefault(verdict.key, verdict)
                    learned[href] = Reason.KNOWN
                    continue
                url, reason = verdict.url, verdict.reason
                if reason not in _DEPTH_BOUND:
                    self._spellings.put(url, reason)
            rejected[reason] = rejected.get(reason, 0) + 1
            if reason in MOMENTARY or self.is_example(reason, url):
                kept.append((url, reason))
            if reason not in _DEPTH_BOUND:
                learned[href] = reason
        self._spellings.put_in(spelled, learned)
        self._remember(found.values())
        return Admitted(tuple(found.values()), rejected, tuple(kept))

    def offer(self, candidate: Candidate) -> Admitted:
        """Decide on one URL that is not a link of a page: a seed, or where a page moved to."""
        return self.offer_each((candidate,))

    def offer_each(self, candidates: Iterable[Candidate]) -> Admitted:
        """Decide on several of that kind."""
        found: list[Target] = []
        rejected: dict[Reason, int] = {}
        kept: list[tuple[str, Reason]] = []
        for candidate in candidates:
            verdict = self.door.decide(candidate)
            if isinstance(verdict, Target):
                found.append(verdict)
                continue
            rejected[verdict.reason] = rejected.get(verdict.reason, 0) + 1
            if verdict.reason in MOMENTARY:
                kept.append((verdict.url, verdict.reason))
        return Admitted(tuple(found), rejected, tuple(kept))

    def is_example(self, reason: Reason, url: str) -> bool:
        """Whether a URL refused for this reason is to be kept as an example of it: the first are,
        each once, and after those nothing is done."""
        kept = self._examples.get(reason)
        if kept is None or len(kept) >= _EXAMPLES or url in kept:
            return False
        kept.add(url)
        return True

    def decide_each(self, candidates: Iterable[Candidate]) -> list[Target | Rejected]:
        """The door's verdict on each, for those who want to know why not."""
        return [*map(self.door.decide, candidates)]

    def decide_listed(
        self, candidates: Iterable[Candidate], named_by: str
    ) -> list[Target | Rejected]:
        """The verdict on each URL that the document or page at `named_by` lists."""
        host = host_of(named_by)
        return [self._decide_listed(candidate, host) for candidate in candidates]

    def _decide_listed(self, candidate: Candidate, host: str) -> Target | Rejected:
        """Only robots.txt may send us to a document of a host that is out of scope: a sitemap or
        a page that could would send us anywhere, fifty thousand times."""
        verdict = self.door.decide(candidate)
        if candidate.role is Role.PAGE or isinstance(verdict, Rejected) or verdict.host == host:
            return verdict
        as_page = self.door.decide(replace(candidate, role=Role.PAGE))
        if isinstance(as_page, Rejected) and as_page.reason is Reason.OUT_OF_SCOPE:
            return as_page
        return verdict

    def offer_seeds(self, spec: JobSpec) -> Admitted:
        """Decide on what a job is to start from; those refused are kept with their reasons."""
        found: list[Target] = []
        refused: list[tuple[str, Reason]] = []
        for seed in spec.candidates:
            offer = self.offer(seed)
            found += offer.found
            refused += [(seed.url, reason) for reason in offer.rejected]
        return Admitted(tuple(found), kept=tuple(refused))

    def offer_images(self, product: Product, target: LeasedTarget) -> Admitted:
        """Decide on the pictures of a product, which stands on the page of this target."""
        return self.offer_each(
            Candidate(image.url, depth=target.depth, found_on=target.id, role=Role.IMAGE)
            for image in product.images
        )

    def asks_who_named(self, target: LeasedTarget) -> bool:
        """Whether it matters, before it is reconsidered, which page has named it first."""
        if not _is_judged(target) or target.priority > LAST:
            return False
        host, shape, *_ = self._place(target.url)
        return self.traps.is_endless(host, shape)

    def reconsider(
        self, target: LeasedTarget, now: float, named_by: str | None = None
    ) -> Waiting | None:
        """Whether it has to wait, by what its like have brought since it was found (URL-6): until
        all else was visited, and from then on while there is budget for it.

        Seeds, pages that are there already, what a sitemap lists and what somebody has asked for
        have other bounds.
        """
        if not self.traps.deferring or target.priority == ASKED:
            return None  # which is nearly always so
        if host_of(target.url) not in self.traps.deferring or not _is_judged(target):
            return None
        host, shape, *_ = self._place(target.url)
        namer = None if named_by is None else self._place(named_by).shape
        why = self.traps.why_deferred(host, shape, namer)
        if not why:
            return None
        last = deferred(target.depth)
        if target.priority < last:
            return Waiting(now, f"deferred until all else was visited: {why}", last)
        standing = self.traps.standing(host)
        if self.traps.begins(host, shape, target.id, is_granted=target.priority == GRANTED):
            return None
        self.traps.doubt(host)
        return Waiting(NEVER, f"deferred: {why}", shape=standing.name(shape))

    def weigh(self, target: LeasedTarget, outcome: Outcome, offer: Admitted) -> Evidence | None:
        """What a visit is evidence for; None when for nothing."""
        if not _is_judged(target):
            return None
        traps, is_last = self.traps, LAST < target.priority < ASKED
        if isinstance(outcome, Gone) and not (is_last or self._may_grow(target.url)):
            return None
        host, shape, *_ = self._place(target.url)
        standing = traps.standing(host)
        late = is_last and bool(traps.why_deferred(host, shape))
        traps.ends(host, target.id, is_counted=late and not isinstance(outcome, Waiting))
        match outcome:
            case Read(page=page) if page.listing is None:
                is_grown = len(offer.found) + offer.rejected.get(Reason.TOO_DEEP, 0) > 1
                times = 1 if late else traps.speaks_for(host, shape, page.url, grows=is_grown)
                if not times:
                    return traps.listen(host, shape, page) if is_grown else None
                kin = kin_of(page, host, shape, offer, standing, self._shape_at, self._key_at)
                evidence = traps.judge(host, shape, page, offer, kin, times=times, late=late)
                if page.canonical and self._is_another(page.canonical, page.url):
                    evidence = replace(evidence, elsewhere=True)
            case Garbage(verdict="soft_404"):
                # An error dressed as success: it says nothing, and names nothing.
                evidence = Evidence(standing.name(shape), judged=True, looked=True, copy=True)
            case Gone() if late or standing.may_grow(shape):
                # Whoever has named it: here it ends.
                evidence = Evidence(standing.name(shape), looked=True)
            case Garbage() if late:
                # There is nothing to read, so nothing leads on from here.
                evidence = Evidence(standing.name(shape), looked=True)
            case _ if late and not isinstance(outcome, Waiting):
                evidence = Evidence(standing.name(shape))
            case _:
                return None
        return replace(evidence, late=True) if late else evidence

    def _may_grow(self, url: str) -> bool:
        return bool(self.traps.growing) and host_of(url) in self.traps.growing

    def _shape_at(self, url: str) -> str:
        return self._place(url).shape

    def _key_at(self, url: str) -> bytes | None:
        if (place := self._places.get(url)) and place.key:
            return place.key
        named = self.door.follow(url, 1, 0)
        return named.key if isinstance(named, Target) else None

    def _is_another(self, canonical: str, url: str) -> bool:
        """Whether a page names another one of its site as what it is."""
        if canonical == url or not canonical.startswith(origin_of(url) + "/"):
            return False
        return self.hash_of(canonical) != self.hash_of(url)

    def _place(self, url: str) -> _ShapePlace:
        """Asked for four times in a visit, and known since it was found, as a rule."""
        place = self._places.get(url)
        if place is None:
            _, host, path = parts_of(url)
            identity = normalise(url, self.door.rules)
            shape = shape_of(path if identity == url else path_of(identity))
            place = self._put(url, _ShapePlace(host, shape, path))
        return place

    def _put(self, url: str, place: _ShapePlace) -> _ShapePlace:
        if len(self._places) >= _PLACES:
            self._places.clear()
        self._places[url] = place
        return place

    def hash_of(self, url: str, sends: Sends | None = None) -> bytes:
        """The public name of a target: the hash of its identity in this job."""
        return target_digest(normalise(url, self.door.rules), sends)

    def _decide(self, url: str, depth: int, found_on: int, named_by: str) -> Target | Rejected:
        verdict = self.door.follow(url, depth, found_on)
        if isinstance(verdict, Rejected):
            return verdict
        if verdict.key in self._offered:
            return Rejected(url, Reason.KNOWN)
        # Nothing stands between origin and path: whoever names credentials was refused.
        path = url[len(verdict.origin) :]
        if verdict.url == url:
            self._put(url, _ShapePlace(verdict.host, verdict.shape, path, verdict.key))
        return self._in_turn(verdict, path, named_by)

    def _remember(self, targets: Iterable[Target]) -> None:
        """These need not be offered again by the pages that follow.

        Sound, because their settlement is queued before any other page is read: whatever is
        committed behind it is committed with or after it. Should it lose its lease, the
        committer adds what it found all the same.
        """
        for target in targets:
            self._offered.add(target.key)
            self._spellings.put(target.url, Reason.KNOWN)

    def _in_turn(self, target: Target, path: str, named_by: str) -> Target:
        """Let rare shapes go before common ones, so that endless ones cannot starve the rest, and
        all others before those that are deferred."""
        template = (target.host, _template(path))
        crowd = self._crowds.get(template, 0) + 1
        if crowd == 1 and len(self._crowds) >= _TEMPLATES:
            self._crowds.clear()
        self._crowds[template] = crowd
        rank = 0
        for size, priority in _CROWDS:
            if crowd > size:
                rank = priority
        if self.traps.why_deferred(target.host, target.shape, named_by):
            rank = deferred(target.depth)
        elif rank <= target.priority:
            return target
        # Spelled out, because `replace` takes as long as everything else here together.
        return Target(target.url, target.identity, target.key, target.host, target.origin,
                      target.depth, rank, target.found_on, role=target.role,
                      shape=target.shape)  # fmt: skip


class _ShapePlace(NamedTuple):
    """Where a URL stands among those of its host."""

    host: str
    shape: str
    path: str
    """And query."""
    key: bytes = b""
    """As the ledger has it; empty for what was not found by this process."""


class Intake(Struct, frozen=True):
    """How many new URLs a source host may still name at once: a bucket that fills by itself."""

    level: float = 1_000.0
    at: float = 0.0
    rate: float = 100.0
    burst: float = 1_000.0

    def take(self, count: int, now: float) -> tuple[Intake, list[float]]:
        """Take room for so many URLs; how long each of them has to wait, 0 for not at all."""
        level = min(self.burst, self.level + max(0.0, now - self.at) * self.rate)
        waits = [max(0.0, (n - level) / self.rate) for n in range(1, count + 1)]
        return replace(self, level=level - count, at=now), waits


def _is_judged(target: LeasedTarget) -> bool:
    """Whether the visit says anything of its kind of URL: neither of seeds, nor of pages that are
    there already, nor of what a sitemap lists or was guessed."""
    return (
        target.role is Role.PAGE
        and target.copy is None
        and target.depth > 0
        and target.priority != DISCOVERY
    )


def _template(path_and_query: str) -> str:
    """The shape of a URL: its first folder, and whether it has a query."""
    path, mark, _ = path_and_query.partition("?")
    return path.split("/", 2)[1] + mark
