"""How does guessing fare on a site? A whole crawl of it as one pure loop, without a network.

A site is a function from a path to its links, or to None where nothing is. The crawl visits what
has the best priority first, tells the rules of every visit, and asks them what to guess.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tenax.discover.guess_policy import GuessPolicy
from tenax.discover.guesses import observe, propose, total
from tenax.discover.sights import Result
from tenax.model import HostRules, Role
from tenax.urls.priority import DISCOVERY, MEDIUM, priority

NOW = 1_766_400_000.0
"""2025-12-22."""
HOME = "https://a.example"
POLICY = GuessPolicy()

Site = Callable[[str], Sequence[str] | None]


@dataclass
class Crawl:
    """What was visited, and what of it was guessed."""

    rules: HostRules = field(default_factory=HostRules)
    visited: dict[str, Role] = field(default_factory=dict)
    wasted: list[str] = field(default_factory=list)
    """Guesses that were asked for and named nothing new, or were not there."""
    at: float = NOW

    @property
    def share_wasted(self) -> float:
        return len(self.wasted) / len(self.visited)

    @property
    def guesses(self) -> list[str]:
        return [path for path, role in self.visited.items() if role is not Role.PAGE]

    def found(self, paths: Iterable[str]) -> float:
        """The share of these that was visited."""
        wanted = list(paths)
        return sum(path in self.visited for path in wanted) / len(wanted)


def crawl(
    site: Site,
    *,
    seeds: Sequence[str] = ("/",),
    policy: GuessPolicy = POLICY,
    most: int = 20_000,
    check: Callable[[Crawl], None] = lambda _: None,
) -> Crawl:
    """Crawl until nothing is left, or so many were visited."""
    done, queue = Crawl(), _Queue()
    asked, asked_in = done.rules, (False, 0)
    for path in seeds:
        queue.put(0, path, Role.PAGE, 0)
    while queue.entries and len(done.visited) < most:
        path, role, depth = queue.take()
        links = site(path)
        found = [link for link in dict.fromkeys(links or ()) if link not in queue.known]
        for link in found:
            queue.put(priority(link, depth + 1, is_seed=False), link, Role.PAGE, depth + 1)
        done.visited[path] = role
        if role is not Role.PAGE and not found:
            done.wasted.append(path)
        result = Result.GONE if links is None else Result.READ
        urls = [f"{HOME}{link}" for link in found]
        done.at += 1
        done.rules = observe(done.rules, f"{HOME}{path}", role, result, urls, done.at, policy)
        # Nothing else changes what is proposed, but the hour.
        state = (queue.waiting < policy.few, int(policy.share * len(done.visited)))
        if done.rules is not asked or state != asked_in:
            _guess(done, queue, depth, policy)
            asked, asked_in = done.rules, state
        check(done)
    assert total(done.rules).misses == len(done.wasted)
    return done


def _guess(done: Crawl, queue: _Queue, depth: int, policy: GuessPolicy) -> None:
    visits, waiting = len(done.visited), queue.waiting
    done.rules, guesses = propose(done.rules, visits, done.at, policy, waiting=waiting)
    for url, role in guesses:
        path = url.removeprefix(HOME)
        if path in queue.known:
            done.rules = observe(done.rules, url, role, Result.KNOWN, (), done.at, policy)
        else:
            queue.put(DISCOVERY, path, role, depth + 1)


@dataclass
class _Queue:
    """What is to be visited, the most urgent first."""

    known: set[str] = field(default_factory=set)
    entries: list[tuple[int, int, str, Role, int]] = field(default_factory=list)
    waiting: int = 0
    """Those of them that are not listings or guesses."""

    def put(self, rank: int, path: str, role: Role, depth: int) -> None:
        self.known.add(path)
        self.waiting += rank <= MEDIUM
        heapq.heappush(self.entries, (rank, len(self.known), path, role, depth))

    def take(self) -> tuple[str, Role, int]:
        rank, _, path, role, depth = heapq.heappop(self.entries)
        self.waiting -= rank <= MEDIUM
        return path, role, depth
