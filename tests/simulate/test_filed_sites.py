"""Is all of it found where a site files its pages by date, or in numbered pages? (DISC-2, DISC-3)

And at what price: a request is wasted when nothing is there. The sites are generated, none is the
demo's. Once archives with quiet months gave 6 of 69 articles, shops of 20 pages by "next" 72 of 160
products, and those that name their second page alone 16.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from tenax.compose.crawler import Crawler
from tenax.model import UrlSource
from tenax.testing import SimulatedWeb, crawl, page, run_virtually, scratch, simulate
from tenax.urls.normalise import path_of
from tests.simulate.filed_sites import ARCHIVES, HOME, SHOPS, FiledSite, shop
from tests.simulate.mortal import Life, Worker, start_worker
from tests.simulate.sites import assert_whole

EVERYTHING = {**ARCHIVES, **SHOPS}
WASTED = {"quiet months": 29, "mostly quiet": 51}
"""Of months without an article nobody knows before they were asked for; else it is a handful."""
A_HANDFUL = 7
KILLED = ("quiet months", "days in years", "?page, next only", "offset named once")


async def found(app: Crawler, **spec: Any) -> set[str]:
    await crawl(app, f"{HOME}/", **{"discover": tuple(UrlSource), **spec})
    await assert_whole(app)
    return {path_of(record.url) for record in await app.ledger.pages.find(limit=10_000)}


@pytest.mark.parametrize("name", EVERYTHING)
def test_all_of_it_is_found_and_hardly_a_request_is_wasted(name: str) -> None:
    site = EVERYTHING[name]()

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site.put_up(web)
        assert site.worth - await found(app) == set()
        assert site.wasted(web.urls()) <= WASTED.get(name, A_HANDFUL)

    simulate(story)


@pytest.mark.parametrize("name", KILLED)
def test_the_same_when_it_is_killed_again_and_again(name: str) -> None:
    site, rng = EVERYTHING[name](), Random(name)
    web = SimulatedWeb()
    site.put_up(web)

    async def lives(folder: Path) -> set[str]:
        dead: list[Worker] = []
        told: list[set[str]] = []

        async def work(app: Crawler) -> None:
            told.append(await found(app))

        for last in (*(rng.randrange(20, 120) for _ in range(4)), None):
            worker = await start_worker(web, folder, Life(last), work)
            await worker.end()
            dead.append(worker)
        for worker in dead:
            await worker.clear_away()
        return told[-1]

    with scratch() as folder:
        assert site.worth - run_virtually(lives(Path(folder))) == set()
    # Whoever dies has asked for something that nobody knows of.
    assert site.wasted(web.urls()) <= WASTED.get(name, A_HANDFUL) + 4


def test_only_turning_pages_costs_no_depth() -> None:
    """Fourteen pages at the depth of the first; what they list is one deeper, and ends there."""
    site = shop("/shop", lambda n: f"/shop?page={n}")
    for path in site.worth:
        site.add(path, path, [f"{path}/more"])
        site.add(f"{path}/more", f"more of {path}")

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site.put_up(web)
        stored = await found(app, max_depth=2)
        assert site.worth <= stored
        assert not [path for path in stored if path.endswith("/more")]

    simulate(story)


def test_a_next_page_at_another_host_is_as_deep_as_any_link() -> None:
    site = FiledSite()
    site.add("/", "first", head='<link rel="next" href="https://b.example/2">')

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site.put_up(web)
        web.at("https://b.example/2", page("second"))
        web.at("https://b.example/3", page("third"))
        await found(app, max_depth=0, scope="any", discover=())
        assert web.urls() == [f"{HOME}/"]

    simulate(story)


def test_a_site_of_no_archives_pays_for_few_guesses() -> None:
    """Dated articles, of which no list by date is there."""
    site = FiledSite()
    paths = [f"/2026/0{month}/{day}/story" for month in range(1, 9) for day in (11, 12, 13)]
    for path in paths:
        site.add(path, f"a story {path}", ["/"])
    site.add("/", "front", paths)

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        site.put_up(web)
        await found(app)
        assert site.wasted(web.urls()) <= A_HANDFUL

    simulate(story)
