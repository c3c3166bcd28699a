"""Does adapting to a page's changes pay? 90 days of simulated visits, all ways at the same cost.

    python -m bench.recrawl            # the table, in a quarter of a minute
    python -m bench.recrawl --seed 7   # other changes, as likely

2,000 pages of 20 sites change at known rates: a few every few hours, most seldom or never. Each way
of choosing the next visit meets the same changes, with room for so many visits a page and day and
no more: what is due waits its turn, as it does at a polite pace. `fixed` visits all pages in turn,
exactly as often as the way it is compared with; reading a sitemap costs a visit, too.
"""

from __future__ import annotations

import argparse
import heapq
import math
from bisect import bisect_right
from dataclasses import dataclass, field
from random import Random

from bench.report import Table, number
from tenax.jobs.revisit_policy import (
    Honesty,
    RecrawlPolicy,
    VisitFinding,
    believed,
    is_disproved,
    is_trusted,
    judge,
    next_interval,
)

HOUR, DAY = 3_600.0, 86_400.0
DAYS = 90
ROOMS = (0.2, 0.5, math.inf)
"""Visits a page and day that there is room for."""
NARROW = RecrawlPolicy(shortest=6 * HOUR, longest=4 * DAY)
WAYS = (
    ("1 h to 30 days", RecrawlPolicy(), False),
    ("1 h to 30 days, lastmod", RecrawlPolicy(), True),
    ("6 h to 4 days", NARROW, False),
    ("6 h to 4 days, lastmod", NARROW, True),
)
"""Bounds of the intervals, the first ones by default, and whether sitemaps are listened to."""

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
    """For how many seconds a copy had been out of date, over all pages and all the time."""
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
        self.outdated = 0.0
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
        by_kind: dict[str, list[float]] = {}
        for page, fresh in zip(pages, self.fresh, strict=True):
            by_kind.setdefault(page.kind, []).append(fresh / self.end)
        return Result(
            visits=self.visits,
            freshness=sum(self.fresh) / self.end / len(pages),
            age=self.outdated / self.end / len(pages),
            by_kind={kind: sum(values) / len(values) for kind, values in by_kind.items()},
            spent=self.spent,
        )

    def _account(self, n: int, at: float) -> bool:
        changes = self.world.pages[n].changes
        first, after = bisect_right(changes, self.last[n]), bisect_right(changes, at)
        if first == after:
            self.fresh[n] += at - self.last[n]
            return False
        # Its age grows from 0 since the first change that the copy does not have.
        stale = at - changes[first]
        self.fresh[n] += changes[first] - self.last[n]
        self.outdated += stale * stale / 2
        return True


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
            self._plan(n, 0.0, VisitFinding.SAME)
        if self.lastmod:
            for site, told in enumerate(self.world.sites):
                if told.kind != "none":
                    self._plan(count + site, 0.0, VisitFinding.SAME)
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
        site, told, before = self.world.pages[n].site, self.told[n], self.score.last[n]
        changed = self.score.visit(n, at)
        if told is not None:
            self.honesty[site] = judge(self.honesty[site], told, before, changed, self.policy)
        self._plan(n, at, VisitFinding.CHANGED if changed else VisitFinding.SAME)

    def _read_sitemap(self, n: int, site: int, at: float) -> None:
        self.sitemaps += 1
        kind, honesty = self.world.sites[site].kind, self.honesty[site]
        mine = range(site, len(self.world.pages), len(self.world.sites))
        newer = []
        for page in mine:
            told = self.told[page] = self.world.pages[page].lastmod(at, kind)
            if told is not None and told > self.score.last[page]:
                newer.append((told, page))
        if is_trusted(honesty, self.policy):
            newer.sort(reverse=True)
            for _, page in newer[: believed(len(newer), len(mine), self.policy)]:
                if self.next_at[page] > at:
                    self.next_at[page] = at
                    heapq.heappush(self.queue, (at, page))
        has_news = bool(newer) and not is_disproved(honesty, self.policy)
        self._plan(n, at, VisitFinding.CHANGED if has_news else VisitFinding.SAME)

    def _plan(self, n: int, at: float, seen: VisitFinding) -> None:
        before = self.intervals[n]
        is_listing = n >= len(self.world.pages)
        interval = (
            self.policy.interval
            if before is None
            else next_interval(before, seen, self.policy, is_listing=is_listing)
        )
        self.intervals[n] = interval
        self.next_at[n] = at + interval
        heapq.heappush(self.queue, (self.next_at[n], n))


def compare(seed: int = 0) -> Table:
    """Adaptive, with and without sitemaps, against visiting all pages in turn."""
    world = make_world(seed)
    rows = []
    for room in ROOMS:
        for name, policy, listens in WAYS:
            found = adaptive(world, policy, room * len(world.pages), lastmod=listens)
            same = fixed(world, found.cost)
            rows.append([
                "any number" if room == math.inf else f"{room:g}",
                name,
                number(found.cost),
                f"{found.freshness:.3f}",
                f"{same.freshness:.3f}",
                f"{found.age / HOUR:.1f} h",
                f"{same.age / HOUR:.1f} h",
            ])  # fmt: skip
    columns = ["room, visits a page and day", "adaptive", "visits", "fresh", "fresh, fixed", "age"]
    kinds = ", ".join(f"{share:.0%} {kind}" for kind, share, _ in RATES)
    notes = [
        f"{len(world.pages):,} pages of {len(world.sites)} sites, {world.days} days. They change:"
        f" {kinds}.",
        "Of the sites a quarter each has honest sitemaps, honest ones with dates only, sitemaps"
        " where everything is always new, and none.",
        "fresh: the share of copies that are current, over all pages and all the time; age: how"
        " long a copy had been out of date, on average. fixed: all pages in turn, as many visits.",
    ]
    return Table("recrawl", "adaptive against fixed", [*columns, "age, fixed"], rows, notes)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.recrawl", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the changes (default 0)")
    print(compare(parser.parse_args().seed).markdown())


if __name__ == "__main__":
    main()
