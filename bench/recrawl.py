"""Does adapting to a page's changes pay? 90 days of simulated visits, all ways at the same cost.

    python -m bench.recrawl            # the table
    python -m bench.recrawl --budget 2 # visits a page and day that can be made

2,000 pages of 20 sites change at known rates. Each way of choosing the next visit runs against the
same changes. `fixed` visits all pages in turn, exactly as often as the way it is compared with:
reading sitemaps counts as visits too.
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_right
from dataclasses import dataclass, field
from random import Random

from tenax.crawl.recrawl import (
    Honesty,
    RecrawlPolicy,
    Seen,
    again_at,
    believed,
    is_on_trial,
    is_trusted,
    judge,
    next_interval,
)

HOUR, DAY = 3_600.0, 86_400.0
DAYS = 90

RATES: tuple[tuple[str, float, float], ...] = (
    ("every 4 hours", 0.05, 4 * HOUR),
    ("daily", 0.15, DAY),
    ("weekly", 0.25, 7 * DAY),
    ("monthly", 0.25, 30 * DAY),
    ("never", 0.25, math.inf),
    ("in bursts", 0.05, 0.0),
)
"""Kinds of pages, the share of each, and the mean time between their changes."""


@dataclass(frozen=True, slots=True)
class Site:
    """How a site's sitemap tells of changes."""

    kind: str
    """honest, daily (only the date), lying (always now) or none."""


@dataclass(frozen=True, slots=True)
class Page:
    site: int
    kind: str
    changes: tuple[float, ...]

    def version(self, at: float) -> int:
        return bisect_right(self.changes, at)

    def lastmod(self, at: float, kind: str) -> float | None:
        """What the sitemap says at this moment."""
        if kind == "lying":
            return at
        seen = self.version(at)
        told = self.changes[seen - 1] if seen else -DAY
        return told - told % DAY if kind == "daily" else told


@dataclass(frozen=True, slots=True)
class World:
    pages: tuple[Page, ...]
    sites: tuple[Site, ...]
    days: int


@dataclass(slots=True)
class Result:
    visits: int = 0
    sitemaps: int = 0
    freshness: float = 0.0
    """The share of copies that were current, over all pages and all the time."""
    age: float = 0.0
    """Seconds between a change and the visit that found it, on average."""
    by_kind: dict[str, float] = field(default_factory=dict)
    spent: dict[str, int] = field(default_factory=dict)
    trusted: frozenset[int] = frozenset()

    @property
    def cost(self) -> int:
        return self.visits + self.sitemaps


def make_world(seed: int = 0, pages: int = 2_000, sites: int = 20, days: int = DAYS) -> World:
    rng = Random(seed)
    kinds = ("honest", "daily", "lying", "none")
    made = []
    for n in range(pages):
        name, _, mean = rng.choices(RATES, [share for _, share, _ in RATES])[0]
        changes = _bursts(rng, days) if name == "in bursts" else _poisson(rng, mean, 0, days * DAY)
        made.append(Page(n % sites, name, tuple(changes)))
    return World(tuple(made), tuple(Site(kinds[n % len(kinds)]) for n in range(sites)), days)


def _poisson(rng: Random, mean: float, start: float, end: float) -> list[float]:
    times: list[float] = []
    if mean == math.inf:
        return times
    at = start + rng.expovariate(1 / mean)
    while at < end:
        times.append(at)
        at += rng.expovariate(1 / mean)
    return times


def _bursts(rng: Random, days: int) -> list[float]:
    """Two days of a change every two hours, every three weeks or so."""
    times: list[float] = []
    for start in _poisson(rng, 21 * DAY, 0, days * DAY):
        times += _poisson(rng, 2 * HOUR, start, min(start + 2 * DAY, days * DAY))
    return sorted(times)


def fixed(world: World, visits: int) -> Result:
    """All pages in turn, `visits` in all."""
    end = world.days * DAY
    score = Score(world)
    for n in range(visits):
        score.visit(n % len(world.pages), end * n / visits)
    return score.result()


def adaptive(
    world: World, policy: RecrawlPolicy, per_day: float, *, lastmod: bool = False
) -> Result:
    """By the policy, at most `per_day` visits a day: what is due waits its turn."""
    return _Adaptive(world, policy, per_day, lastmod).run()


class Score:
    """What each page's copy was worth, told visit by visit."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.end = world.days * DAY
        self.last: list[float] = [0.0] * len(world.pages)
        self.fresh: list[float] = [0.0] * len(world.pages)
        self.ages = 0.0
        self.spent: dict[str, int] = {}
        self.visits = 0

    def visit(self, n: int, at: float) -> bool:
        """Whether the page had changed since the last visit."""
        page = self.world.pages[n]
        self.visits += 1
        self.spent[page.kind] = self.spent.get(page.kind, 0) + 1
        changed = self._account(n, at)
        self.last[n] = at
        return changed

    def result(self) -> Result:
        for n in range(len(self.world.pages)):
            self._account(n, self.end)
        pages = self.world.pages
        changes = sum(len(page.changes) for page in pages)
        by_kind: dict[str, list[float]] = {}
        for page, fresh in zip(pages, self.fresh, strict=True):
            by_kind.setdefault(page.kind, []).append(fresh / self.end)
        return Result(
            visits=self.visits,
            freshness=sum(self.fresh) / self.end / len(pages),
            age=self.ages / max(1, changes),
            by_kind={kind: sum(values) / len(values) for kind, values in by_kind.items()},
            spent=self.spent,
        )

    def _account(self, n: int, at: float) -> bool:
        changes = self.world.pages[n].changes
        first, after = bisect_right(changes, self.last[n]), bisect_right(changes, at)
        self.fresh[n] += (changes[first] if first < after else at) - self.last[n]
        self.ages += sum(at - changes[i] for i in range(first, after))
        return after > first


class _Adaptive:
    def __init__(self, world: World, policy: RecrawlPolicy, per_day: float, lastmod: bool) -> None:
        self.world = world
        self.policy = policy
        self.lastmod = lastmod
        self.turn = DAY / per_day
        self.score = Score(world)
        count = len(world.pages)
        self.intervals: list[float | None] = [None] * (count + len(world.sites))
        self.next_at = [0.0] * (count + len(world.sites))
        self.told: list[float | None] = [None] * count
        self.honesty = [Honesty() for _ in world.sites]
        self.queue: list[tuple[float, int]] = []
        self.sitemaps = 0

    def run(self) -> Result:
        count = len(self.world.pages)
        for n in range(count):
            self._plan(n, 0.0, Seen.SAME)
        if self.lastmod:
            for site, told in enumerate(self.world.sites):
                if told.kind != "none":
                    self._plan(count + site, 0.0, Seen.SAME)
        at = 0.0
        while self.queue:
            due_at, n = heapq.heappop(self.queue)
            if due_at != self.next_at[n]:
                continue
            at = max(at + self.turn, due_at)
            if at >= self.score.end:
                break
            if n < count:
                self._visit(n, at)
            else:
                self._read_sitemap(n, n - count, at)
        result = self.score.result()
        result.sitemaps = self.sitemaps
        result.trusted = frozenset(
            n for n, known in enumerate(self.honesty) if is_trusted(known, self.policy)
        )
        return result

    def _visit(self, n: int, at: float) -> None:
        site = self.world.pages[n].site
        before = self.score.last[n]
        changed = self.score.visit(n, at)
        known = judge(self.honesty[site], self.told[n], before, changed, self.policy)
        self.honesty[site] = known
        told = self.told[n]
        is_calm = told is not None and told <= at and is_trusted(known, self.policy)
        self._plan(n, at, Seen.CHANGED if changed else Seen.SAME, is_calm)

    def _read_sitemap(self, n: int, site: int, at: float) -> None:
        self.sitemaps += 1
        kind = self.world.sites[site].kind
        mine = range(site, len(self.world.pages), len(self.world.sites))
        newer = []
        for page in mine:
            told = self.told[page] = self.world.pages[page].lastmod(at, kind)
            if told is not None and told > self.score.last[page]:
                newer.append(page)
        is_heeded = bool(newer) and is_trusted(self.honesty[site], self.policy)
        if is_heeded:
            for page in newer[: believed(len(newer), len(mine), self.policy)]:
                if self.next_at[page] > at:
                    self.next_at[page] = at
                    heapq.heappush(self.queue, (at, page))
        tells = bool(newer) and is_on_trial(self.honesty[site], self.policy)
        self._plan(n, at, Seen.CHANGED if tells else Seen.SAME)

    def _plan(self, n: int, at: float, seen: Seen, is_calm: bool = False) -> None:
        interval = self.intervals[n] = next_interval(self.intervals[n], seen, self.policy)
        self.next_at[n] = again_at(at, interval, n, self.policy, is_calm)
        heapq.heappush(self.queue, (self.next_at[n], n))
