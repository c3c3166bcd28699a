"""Is a visit that hangs seen by others, in whichever step it does?"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.run import conclude
from tenax.model import Request, Response, Step, UnderWay
from tenax.ports import Frontier
from tenax.testing import START, SimulatedWeb, page, redirect, robots, simulate, start_job
from tests.simulate.sites import state

HOME = "https://a.example/"
LONG = 600.0
LOOK = 20.0


class SlowWeb:
    """Answers some URLs after ten minutes."""

    name = "slow"

    def __init__(self, web: SimulatedWeb, slow: str) -> None:
        self._web = web
        self._slow = slow

    async def send(self, request: Request) -> Any:
        if request.url == self._slow:
            await asyncio.sleep(LONG)
        return await self._web.send(request)

    async def close(self) -> None:
        pass


class SlowFrontier:
    """A ledger of which one question takes ten minutes, the first time."""

    def __init__(self, frontier: Frontier, slow: str) -> None:
        self._frontier = frontier
        self._slow = slow

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self._frontier, name)
        if name != self._slow:
            return asked
        self._slow = ""

        async def slowly(*given: Any, **named: Any) -> Any:
            await asyncio.sleep(LONG)
            return await asked(*given, **named)

        return slowly


def slow_request(url: str) -> Callable[[SimulatedWeb, Crawler], Crawler]:
    def hang(web: SimulatedWeb, app: Crawler) -> Crawler:
        fetcher = app.parts.fetcher
        fetcher._clients = dict.fromkeys(fetcher._clients, SlowWeb(web, url))
        return app

    return hang


def slow_turn(web: SimulatedWeb, app: Crawler) -> Crawler:
    web.at(f"{HOME}robots.txt", robots("User-agent: *\nCrawl-delay: 30"))
    return app


def slow_reading(web: SimulatedWeb, app: Crawler) -> Crawler:
    """Large pages are read one at a time: somebody else is at it."""
    web.at(HOME, page("word " * 300_000))

    async def somebody_else() -> None:
        async with app.parts.fetcher._reading:
            await asyncio.sleep(LONG)

    _BESIDE.append(asyncio.create_task(somebody_else()))
    return app


_BESIDE: list[asyncio.Task[None]] = []


def slow_ledger(call: str) -> Callable[[SimulatedWeb, Crawler], Crawler]:
    def hang(web: SimulatedWeb, app: Crawler) -> Crawler:
        if call == "moves":
            web.at(HOME, redirect("https://b.example/"))
        slow = cast("Frontier", SlowFrontier(app.parts.frontier, call))
        return replace(app, parts=replace(app.parts, frontier=slow))

    return hang


WAYS = {
    Step.GATE: slow_request(f"{HOME}robots.txt"),
    Step.TURN: slow_turn,
    Step.REQUEST: slow_request(HOME),
    Step.READ: slow_reading,
    Step.JUDGE: slow_ledger("moves"),
    Step.COMMIT: slow_ledger("commit"),
}


@pytest.mark.parametrize("step", Step)
def test_a_visit_that_hangs_is_seen_in_its_step_and_gone_when_it_is_over(step: Step) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("home"))
        app = WAYS[step](web, app)
        job = await start_job(app, HOME)
        crawling = asyncio.create_task(app.run(job).run())
        await app.parts.clock.sleep(LOOK)
        seen = await shown(app)
        (visit,) = seen.visits
        assert (visit.step, visit.url, visit.host) == (step, HOME, "a.example")
        assert (visit.job_id, seen.steps) == (job.id, {step: 1})
        assert START <= visit.began_at <= visit.since < START + 3, "since it came to that step"
        assert LOOK - 4 < seen.at - START <= LOOK
        await crawling
        await conclude(app.parts, job)
        assert app.parts.steps.look().visits == ()
        assert (await shown(app)).visits == ()
        for task in _BESIDE:
            await task
        _BESIDE.clear()

    simulate(story)


async def shown(app: Crawler) -> UnderWay:
    """As another process sees it."""
    (worker,) = await app.ledger.overview.workers()
    assert worker.under_way is not None
    return worker.under_way


def test_a_visit_that_was_cut_off_or_lost_its_lease_is_under_way_no_longer() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("home"))
        app = slow_request(HOME)(web, app)
        run = app.run(await start_job(app, HOME))
        crawling = asyncio.create_task(run.run())
        await app.parts.clock.sleep(LOOK)
        assert app.parts.steps.look().steps == {Step.REQUEST: 1}
        run.stop()
        await crawling
        assert app.parts.steps.look().visits == ()

    simulate(story)


def test_a_visit_that_lost_its_lease_on_its_way_is_under_way_no_longer() -> None:
    """Nothing is written for it: somebody else holds the host."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        job = await start_job(app, HOME)
        run = app.run(job)

        def lose(_: Request) -> Response:
            run._feeder.lost(run._feeder._runs)
            return redirect("/there")

        web.at(HOME, lose, redirect("/there"))
        web.at(f"{HOME}there", page("there"))
        await run.run()
        assert await state(app, HOME) == "done"
        assert len(web.asked("a.example")) == 4, "robots.txt, twice the home page, and there"
        assert app.parts.steps.look().visits == ()

    simulate(story)


def test_a_redirect_brings_a_visit_back_to_the_gate() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        seen: list[tuple[str, str]] = []

        def note(request: Request) -> Response:
            (visit,) = app.parts.steps.look().visits
            seen.append((request.url, visit.step))
            return robots("") if request.url.endswith(".txt") else page("there")

        plain = "http://a.example/"
        web.at(plain, redirect(f"{HOME}there"))
        for url in (f"{plain}robots.txt", f"{HOME}robots.txt", f"{HOME}there"):
            web.at(url, note)
        await app.run(await start_job(app, plain)).run()
        assert seen == [
            (f"{plain}robots.txt", Step.GATE),
            (f"{HOME}robots.txt", Step.GATE),
            (f"{HOME}there", Step.REQUEST),
        ]

    simulate(story)
