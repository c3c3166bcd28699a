"""How does guessing fare on a site? A whole crawl of it as one pure loop, without a network.

A site is a function from a path to its links, or to None where nothing is. The crawl visits what
has the best priority first, tells the rules of every visit, and asks them what to guess.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count

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
    done, order = Crawl(), count()
    known = set(seeds)
    queue = [(0, next(order), path, Role.PAGE, 0) for path in seeds]
    while queue and len(done.visited) < most:
        _, _, path, role, depth = heapq.heappop(queue)
        links = site(path)
        found = [link for link in dict.fromkeys(links or ()) if link not in known]
        known.update(found)
        for link in found:
            rank = priority(link, depth + 1, is_seed=False)
            heapq.heappush(queue, (rank, next(order), link, Role.PAGE, depth + 1))
        done.visited[path] = role
        if role is not Role.PAGE and not found:
            done.wasted.append(path)
        result = Result.GONE if links is None else Result.READ
        urls = [f"{HOME}{link}" for link in found]
        done.at += 1
        rules = observe(done.rules, f"{HOME}{path}", role, result, urls, done.at, policy)
        waiting = sum(entry[0] <= MEDIUM for entry in queue)
        rules, guesses = propose(rules, len(done.visited), done.at, policy, waiting=waiting)
        for guess in guesses:
            target = guess.url.removeprefix(HOME)
            if target in known:
                rules = observe(rules, guess.url, guess.role, Result.KNOWN, (), done.at, policy)
                continue
            known.add(target)
            heapq.heappush(queue, (DISCOVERY, next(order), target, guess.role, depth + 1))
        done.rules = rules
        check(done)
    assert total(done.rules).misses == len(done.wasted)
    return done
