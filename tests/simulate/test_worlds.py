"""Healthy sites are crawled whole and traps within their budget, however the crawl goes (URL-6):
in one go, killed ten times, by two workers at once, and in another order of visits.

Here many worlds are crawled in one of these ways, and a few in all of them.
`python -m tests.simulate.table_of_worlds` makes the table of all in all ways.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.hosts.pace import PacePolicy
from tenax.model import Response
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, crawl, run_virtually, scratch, simulate
from tests.simulate.large_worlds import big_archive, big_tree, one_product
from tests.simulate.later_worlds import LATER_HEALTHY, LATER_TRAPS, parts, stops
from tests.simulate.more_healthy import MORE_HEALTHY
from tests.simulate.more_traps import MORE_TRAPS
from tests.simulate.mortal import Life, start_worker
from tests.simulate.other_healthy import OTHER_HEALTHY
from tests.simulate.other_traps import OTHER_TRAPS
from tests.simulate.sites import assert_whole
from tests.simulate.software_worlds import law, museum
from tests.simulate.thin_worlds import dead_leaves, lattice, playlists, printed, shared
from tests.simulate.unseen_worlds import dead_end_maze
from tests.simulate.worlds import World, healthy, traps

HURRY = Settings(contact="mailto:test@example.org", pace=PacePolicy(delay=0.0, slots_unpaced=8))
HOST = "world.example"
AT_MOST = 400
"""Requests for the traps of a host: the budget for what is deferred, and what it takes to know."""
HEALTHY = (
    *healthy(), playlists(), *(make() for make in (*MORE_HEALTHY, *OTHER_HEALTHY, *LATER_HEALTHY)),
)  # fmt: skip
TRAPS = (
    *traps(), printed(), lattice(), shared(),
    *(make() for make in (*MORE_TRAPS, *OTHER_TRAPS, *LATER_TRAPS)),
)  # fmt: skip
NOT_KNOWN = ("print-views", "quotes", "letter-case")
"""Views of pages, of which each of two workers has heard a part; parts of pages; and a folder in 32
spellings. Decision 0031 has the figures of these three."""


class Told(Struct):
    """What a crawl of a world asked for."""

    asked: set[str]
    on_traps: int
    """Different ones: what was under way when a crawl was killed is asked for again."""
    deferred: int


def whole(world: World, seed: int) -> Told:
    return run_virtually(_lives(world, [None]))


def killed(world: World, seed: int) -> Told:
    """At ten moments, and resumed each time."""
    dice = Random(f"{world.name} {seed}")
    return run_virtually(_lives(world, [dice.randrange(5, 200) for _ in range(10)] + [None]))


def two_workers(world: World, seed: int) -> Told:
    return run_virtually(_lives(world, [None], workers=2))


def another_order(world: World, seed: int) -> Told:
    """Each page names its links in an order of its own."""

    def answer(path: str) -> Response | None:
        found = world.answer(path)
        if found is None or found.body is None:
            return found
        before, mark, rest = found.body.partition(b"<li>")
        items = (mark + rest).split(b"<li>")
        Random(f"{path} {seed}").shuffle(items)
        return replace(found, body=before + b"<li>".join(items)) if mark else found

    return run_virtually(_lives(replace(world, answer=answer), [None]))


Way = Callable[[World, int], Told]
WAYS: tuple[Way, ...] = (whole, killed, two_workers, another_order)
_IN_ALL_WAYS = 4


async def _lives(world: World, ends: list[int | None], workers: int = 1) -> Told:
    """Crawl in as many lives as there are ends, which say after how many steps each is over."""
    web = SimulatedWeb()
    home = world.serve(web, HOST)
    told: list[Told] = []

    async def work(app: Crawler) -> None:
        counts = await crawl(app, home, max_depth=world.depth)
        assert counts.unfinished == 0
        await assert_whole(app)
        asked = [url.removeprefix(home[:-1]) for url in web.urls()]
        on_traps = sum(map(world.is_trap, set(asked)))
        told.append(Told(set(asked), on_traps, counts.deferred))

    with scratch() as folder:
        for end in ends:
            at_work = [
                await start_worker(web, Path(folder), Life(end), work, HURRY)
                for _ in range(workers)
            ]
            await asyncio.gather(*(worker.end() for worker in at_work))
            for worker in at_work:
                await worker.clear_away()
    return told[-1]


def _chosen(worlds: Sequence[World]) -> list[Any]:
    """The first ones in all ways; of the others every third one, in one way, by turns."""
    held = [world for world in worlds if world.name not in NOT_KNOWN]
    pairs = [(world, way) for world in held[:_IN_ALL_WAYS] for way in WAYS]
    pairs += [(world, WAYS[n % 4]) for n, world in enumerate(held[_IN_ALL_WAYS::3])]
    return [pytest.param(world, way, id=f"{world.name}-{way.__name__}") for world, way in pairs]


@pytest.mark.parametrize(("world", "way"), _chosen(HEALTHY))
def test_a_healthy_site_is_crawled_whole(world: World, way: Way) -> None:
    told = way(world, 0)
    missed = world.pages - told.asked
    assert not missed, f"{len(missed)} of {len(world.pages)}, {sorted(missed)[:5]}"
    assert told.deferred == 0


@pytest.mark.parametrize(("world", "way"), _chosen(TRAPS))
def test_a_trap_takes_its_budget_and_nothing_beside_it_is_missed(world: World, way: Way) -> None:
    told = way(world, 0)
    missed = world.pages - told.asked
    assert not missed, f"{len(missed)} of {len(world.pages)}, {sorted(missed)[:5]}"
    assert told.on_traps <= AT_MOST


def test_what_is_gone_is_an_end() -> None:
    """Nothing else shows that this tree has one."""
    world = dead_leaves()
    assert world.pages - whole(world, 0).asked == set()


@pytest.mark.parametrize(
    ("make", "way"), [(museum, whole), (museum, killed), (law, two_workers), (law, another_order),
                      (stops, whole), (stops, killed), (parts, two_workers)],
)  # fmt: skip
def test_what_runs_out_is_crawled_whole_though_it_says_nothing(
    make: Callable[[], World], way: Way
) -> None:
    """Each names the next ones and no list names any: only that fewer wait tells that it ends."""
    told = way(make(), 0)
    assert (make().pages - told.asked, told.deferred) == (frozenset(), 0)


@pytest.mark.parametrize("way", WAYS)
def test_a_maze_of_branches_and_dead_ends_keeps_to_its_budget(way: Way) -> None:
    """It has ends, and ever more that waits."""
    assert way(dead_end_maze(), 0).on_traps <= AT_MOST


@pytest.mark.parametrize("make", [big_tree, big_archive])
def test_a_site_of_a_million_pages_is_crawled_as_far_as_one_likes(
    make: Callable[[], World],
) -> None:
    """Hardly two of its first hundreds of pages name the same one."""

    async def story(web: SimulatedWeb, app: Crawler) -> int:
        counts = await crawl(app, make().serve(web, HOST), max_pages=600)
        assert counts.deferred == 0
        return len(set(web.urls()))

    assert simulate(story, HURRY) >= 600


def test_a_maze_that_sells_one_product_on_every_page_keeps_to_its_budget() -> None:
    world = one_product()
    told = whole(world, 0)
    assert world.pages - told.asked == set()
    assert told.on_traps <= AT_MOST
