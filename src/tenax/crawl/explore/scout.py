"""Where else may pages be? In the sitemaps and feeds of a host, and what these list.

Whatever is proposed here passes the one door, and is written with the visit that gave rise to it:
so nothing is proposed twice, and nothing is lost (DISC-1). Nothing is written here.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from tenax.crawl.admit import Admission
from tenax.crawl.gate import Gate
from tenax.crawl.settle import Admitted
from tenax.discover.gathered import ListingPolicy
from tenax.model import (
    Candidate,
    Host,
    LeasedTarget,
    Listing,
    ListingEntry,
    Page,
    Reason,
    Rejected,
    Role,
    Target,
    UrlSource,
)
from tenax.outcome import Gone, Outcome, Read, Unchanged, Waiting
from tenax.ports import Clock, HostBook, Jobs
from tenax.urls.normalise import host_of, origin_of
from tenax.urls.priority import DISCOVERY, HIGH

_AT_ONCE = 1_000
"""Entries of a sitemap decided in one go; others are heard in between."""
_BUSY = 60.0
"""Seconds after which a sitemap is asked for again that found the frontier full."""
_GROUNDS = 20_000
_FEEDS = 20_000
_LISTINGS = frozenset({Role.SITEMAP, Role.FEED})
_SAYS_SOMETHING = (Read, Unchanged, Gone)


class Scout:
    """Proposes what no link names: for every job and host that this process works on."""

    def __init__(
        self,
        jobs: Jobs,
        hosts: HostBook,
        gate: Gate,
        clock: Clock,
        policy: ListingPolicy,
        frontier_limit: int,
    ) -> None:
        self._jobs = jobs
        self._hosts = hosts
        self._gate = gate
        self._clock = clock
        self._policy = policy
        self._frontier_limit = frontier_limit
        self._grounds: OrderedDict[tuple[int, int], float] = OrderedDict()
        """By job and host: when its sitemaps were last proposed."""
        self._named: set[tuple[int, str]] = set()
        """By job: feeds that need not be proposed again."""

    async def look_around(
        self, outcome: Outcome, target: LeasedTarget, host: Host, admission: Admission
    ) -> Admitted | None:
        """Documents that a visit gives reason to ask for; None when it gives none."""
        if target.role in _LISTINGS or not isinstance(outcome, _SAYS_SOMETHING):
            return None
        sources = admission.job.spec.discover
        looks, named = False, tuple[str, ...]()
        if UrlSource.SITEMAPS in sources:
            place = (target.job_id, host.id)
            if place not in self._grounds:
                looked_at = await self._hosts.looked_at(*place)
                self._grounds.setdefault(place, looked_at or 0.0)
            if self._is_due(place):
                named = await self._gate.sitemaps(origin_of(target.url))
                looks = self._looked(place)
        # Nothing is waited for from here on: what is named once is not named again.
        candidates: list[Candidate] = []
        if isinstance(outcome, Read) and outcome.page.feeds and UrlSource.FEEDS in sources:
            candidates += self._feeds(outcome.page, target, admission)
        if looks:
            candidates += self._sitemaps(named, target)
        if not candidates and not looks:
            return None
        return replace(admission.offer_each(candidates), looked=looks)

    async def take(
        self, listing: Listing, url: str, target: LeasedTarget, admission: Admission
    ) -> Admitted | Waiting:
        """What a sitemap or feed lists: decided a little at a time, and given back as a whole."""
        counts = await self._jobs.counts(target.job_id)
        if counts.unfinished >= self._frontier_limit:
            return Waiting(self._clock.now() + _BUSY, "the frontier is full")
        listed = _Listed(host_of(url), admission.is_example)
        entries: Sequence[ListingEntry] = listing.entries
        if target.depth + 1 > self._policy.index_depth:
            listed.rejected[Reason.TOO_DEEP] += sum(entry.is_sitemap for entry in entries)
            entries = [entry for entry in entries if not entry.is_sitemap]
        for start in range(0, len(entries), _AT_ONCE):
            some = entries[start : start + _AT_ONCE]
            asked = [_candidate(entry, listing.kind, url, target) for entry in some]
            listed.take(some, admission.decide_listed(asked, url))
            await asyncio.sleep(0)
        return listed.offer

    def _is_due(self, place: tuple[int, int]) -> bool:
        """Whether this job's sitemaps of the host are to be looked for."""
        return self._clock.now() - self._grounds.get(place, 0.0) >= self._policy.look_again

    def _looked(self, place: tuple[int, int]) -> bool:
        """The same; from then on they were looked for."""
        if not self._is_due(place):
            return False
        self._grounds[place] = self._clock.now()
        if len(self._grounds) > _GROUNDS:
            self._grounds.popitem(last=False)
        return True

    def _sitemaps(self, named: Sequence[str], target: LeasedTarget) -> list[Candidate]:
        """Those that robots.txt names; where it names none, there may be one all the same, and
        that is a guess like others."""
        origin = origin_of(target.url)
        some = named[: self._policy.per_host]
        return [_document(url, origin, target, 0, Role.SITEMAP) for url in some]

    def _feeds(self, page: Page, target: LeasedTarget, admission: Admission) -> list[Candidate]:
        fresh = [url for url in page.feeds if (target.job_id, url) not in self._named]
        if not fresh:
            return []
        if len(self._named) >= _FEEDS:
            self._named.clear()
        self._named.update((target.job_id, url) for url in fresh)
        feeds = [_document(url, page.url, target, 0, Role.FEED) for url in fresh]
        verdicts = admission.decide_listed(feeds, page.url)
        return [f for f, v in zip(feeds, verdicts, strict=True) if isinstance(v, Target)]


class _Listed:
    """What becomes of the URLs of one document, each counted once."""

    def __init__(self, host: str, is_example: Callable[[Reason, str], bool]) -> None:
        self._host = host
        self._is_example = is_example
        self._found: dict[bytes, Target] = {}
        self._kept: list[tuple[str, Reason]] = []
        self.rejected: Counter[Reason] = Counter()

    def take(self, entries: Iterable[ListingEntry], verdicts: Iterable[Target | Rejected]) -> None:
        for entry, verdict in zip(entries, verdicts, strict=True):
            if isinstance(verdict, Target):
                known = self._found.setdefault(verdict.key, verdict)
                # Nobody knows when the pages of others changed.
                if entry.modified is not None and verdict.host == self._host:
                    self._found[verdict.key] = replace(known, modified=entry.modified)
                continue
            self.rejected[verdict.reason] += 1
            if verdict.reason is Reason.TRAP or self._is_example(verdict.reason, verdict.url):
                self._kept.append((verdict.url, verdict.reason))

    @property
    def offer(self) -> Admitted:
        return Admitted(tuple(self._found.values()), dict(+self.rejected), tuple(self._kept))


def _candidate(entry: ListingEntry, kind: Role, url: str, target: LeasedTarget) -> Candidate:
    if entry.is_sitemap:
        return _document(entry.url, url, target, target.depth + 1, kind)
    return Candidate(entry.url, url, 1, found_on=target.id, priority=DISCOVERY)


def _document(url: str, base: str, target: LeasedTarget, depth: int, role: Role) -> Candidate:
    return Candidate(url, base, depth, found_on=target.id, priority=HIGH + 1, role=role)
