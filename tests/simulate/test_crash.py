"""Workers are killed between any two things they do: nothing is lost, doubled or impolite."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.hosts.pace import PacePolicy
from tenax.model import Fault, ScopeKind, State
from tenax.ports import Counts
from tenax.settings import Settings
from tenax.testing import (
    SimulatedWeb,
    crawl,
    failing,
    page,
    redirect,
    robots,
    run_virtually,
    scratch,
    status,
)
from tests.simulate.mortal import SETTINGS, Life, start_worker
from tests.simulate.sites import assert_polite, assert_whole, outcomes, small_site

HOME = "https://a.example/"


def a_web() -> tuple[SimulatedWeb, list[str]]:
    """Two hosts with a bit of everything; every URL ends the same way however often it is asked."""
    web = SimulatedWeb()
    urls = small_site(web, "a.example", 5) + small_site(web, "b.example", 3)
    web.at("https://a.example/robots.txt", robots("User-agent: *\nDisallow: /secret"))
    extra = ("/gone", "/flaky", "/hop", "/secret")
    web.at(HOME, page("home", *urls, *extra))
    web.at("https://a.example/gone", status(410))
    web.at("https://a.example/flaky", failing(Fault.RESET), page("at last"))
    web.at("https://a.example/hop", redirect("/1"))
    return web, urls + [f"https://a.example{path}" for path in extra]


@dataclass
class Told:
    """What a crawl came to."""

    web: SimulatedWeb
    states: dict[str, State]
    counts: Counts
    steps: int


async def crawl_all(app: Crawler) -> Counts:
    return await crawl(app, HOME, scope=ScopeKind.ANY)


async def crawl_in_two_lives(folder: Path, last_step: int | None, config: Settings) -> Told:
    web, urls = a_web()
    life = Life(last_step)
    first = await start_worker(web, folder, life, crawl_all, config)
    await first.end()
    second = Life()
    told: list[Told] = []

    async def finish(app: Crawler) -> None:
        counts = await crawl_all(app)
        await assert_whole(app)
        told.append(Told(web, await outcomes(app, urls), counts, life.steps))

    await (await start_worker(web, folder, second, finish, config)).end()
    await first.clear_away()
    return told[0]


def killed_at(step: int | None, config: Settings = SETTINGS) -> Told:
    with scratch() as folder:
        return run_virtually(crawl_in_two_lives(Path(folder), step, config))


@pytest.fixture(scope="module")
def undisturbed() -> Told:
    return killed_at(None)


def test_the_undisturbed_crawl_visits_everything_once(undisturbed: Told) -> None:
    assert undisturbed.counts.unfinished == 0
    assert undisturbed.counts.pages == 10
    assert_polite(undisturbed.web)
    asked = undisturbed.web.urls()
    twice = {url for url in asked if asked.count(url) > 1}
    assert twice == {"https://a.example/flaky", "https://a.example/1"}


def check(told: Told, undisturbed: Told) -> None:
    assert told.states == undisturbed.states
    assert told.counts.pages == undisturbed.counts.pages
    assert_polite(told.web)
    again = len(told.web.requests) - len(undisturbed.web.requests)
    assert again <= 4, f"{again} requests were made again"


def test_a_crawl_killed_at_any_step_is_finished_by_the_next(undisturbed: Told) -> None:
    for step in range(1, undisturbed.steps + 1, 7):
        check(killed_at(step), undisturbed)


@given(share=st.floats(0, 1))
@settings(max_examples=6)
def test_a_crawl_killed_at_a_random_step_is_finished_by_the_next(
    undisturbed: Told, share: float
) -> None:
    check(killed_at(1 + int(share * (undisturbed.steps - 1))), undisturbed)


def test_an_unpaced_crawl_killed_at_any_step_loses_nothing() -> None:
    config = replace(SETTINGS, pace=PacePolicy(delay=0.0))
    whole = killed_at(None, config)
    for step in range(1, whole.steps + 1, 7):
        told = killed_at(step, config)
        assert told.states == whole.states
        assert told.counts.pages == whole.counts.pages


async def crawl_with_two_workers(folder: Path, last_step: int | None) -> Told:
    web, urls = a_web()
    told: list[Told] = []
    life = Life(last_step)

    async def survive(app: Crawler) -> None:
        counts = await crawl_all(app)
        await assert_whole(app)
        told.append(Told(web, await outcomes(app, urls), counts, life.steps))

    mortal = await start_worker(web, folder, life, crawl_all)
    survivor = await start_worker(web, folder, Life(), survive)
    await asyncio.gather(mortal.end(), survivor.end())
    await mortal.clear_away()
    return told[0]


def together(step: int | None) -> Told:
    with scratch() as folder:
        return run_virtually(crawl_with_two_workers(Path(folder), step))


def test_two_workers_share_a_crawl_and_stay_polite(undisturbed: Told) -> None:
    """FR-2: politeness is per host across all workers."""
    told = together(None)
    assert told.states == undisturbed.states
    assert_polite(told.web)
    assert sorted(told.web.urls()) == sorted(undisturbed.web.urls())


def test_when_one_of_two_workers_dies_the_other_finishes(undisturbed: Told) -> None:
    steps = together(None).steps
    for step in range(2, steps + 1, 9):
        check(together(step), undisturbed)


@given(share=st.floats(0, 1))
@settings(max_examples=5)
def test_a_worker_dying_at_a_random_step_leaves_nothing_behind(
    undisturbed: Told, share: float
) -> None:
    check(together(1 + int(share * 100)), undisturbed)
