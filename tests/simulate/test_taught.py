"""What a visit teaches is written with it or not at all, wherever its worker is killed."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from tenax.adapters.sql.schema.tables import targets
from tenax.compose.crawler import Crawler
from tenax.crawl import commit
from tenax.model import HostRules, Role, State, UrlSource
from tenax.ports import Counts
from tenax.testing import SimulatedWeb, crawl, page, robots, run_virtually, scratch, status
from tests.simulate.mortal import Life, start_worker
from tests.simulate.sites import assert_polite, assert_whole

SITE = "https://a.example"
LISTED = 7
GUESSED = {f"/list?page={n}" for n in range(3, 7)}
_GUESSES = (Role.PAGINATION, Role.ARCHIVE)


@pytest.fixture(autouse=True)
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sitemap is a large one: three transactions."""
    monkeypatch.setattr(commit, "_MOST_FOUND", 3)


def a_web() -> SimulatedWeb:
    """A listing that names two of its five pages, and a sitemap."""
    web = SimulatedWeb()
    listed = "".join(f"<url><loc>{SITE}/listed/{n}</loc></url>" for n in range(LISTED))
    xml = {"content-type": "application/xml"}
    web.at(f"{SITE}/robots.txt", robots(f"Sitemap: {SITE}/sitemap.xml"))
    web.at(f"{SITE}/sitemap.xml", status(200, f"<urlset>{listed}</urlset>", **xml))
    web.at(f"{SITE}/", page("front", "/list?page=1", "/list?page=2"))
    for n in range(LISTED):
        web.at(f"{SITE}/listed/{n}", page(f"listed {n}"))
    for n in range(1, 6):
        web.at(f"{SITE}/list?page={n}", page(f"list {n}", f"/item-{n}"))
        web.at(f"{SITE}/item-{n}", page(f"item {n}"))
    return web


PAGES = 1 + LISTED + 5 + 5


async def crawl_it(app: Crawler) -> Counts:
    wanted = (UrlSource.PAGINATION, UrlSource.SITEMAPS)
    return await crawl(app, f"{SITE}/", discover=wanted)


async def assert_remembered(app: Crawler) -> None:
    """Guesses that wait for their answer in the frontier are those that the rules remember."""
    record = await app.ledger.hosts.get("a.example")
    known = await app.ledger.rules.load(record.host.id) if record else None
    query = sa.select(targets.c.url, targets.c.state).where(targets.c.role.in_(_GUESSES))
    guessed = await app.ledger.database.read(lambda c: c.execute(query).all())
    open_ = {url for url, state in guessed if state in (State.PENDING, State.LEASED)}
    assert open_ == set((known or HostRules()).asked)


async def in_two_lives(folder: Path, last_step: int | None) -> tuple[SimulatedWeb, Counts, int]:
    web, life, told = a_web(), Life(last_step), []
    first = await start_worker(web, folder, life, crawl_it)
    await first.end()

    async def finish(app: Crawler) -> None:
        await assert_remembered(app)
        told.append(await crawl_it(app))
        await assert_remembered(app)
        await assert_whole(app)

    await (await start_worker(web, folder, Life(), finish)).end()
    await first.clear_away()
    return web, told[0], life.steps


def killed_at(step: int | None) -> tuple[SimulatedWeb, Counts, int]:
    with scratch() as folder:
        return run_virtually(in_two_lives(Path(folder), step))


def test_guesses_and_listings_of_a_crawl_killed_at_any_step_are_neither_lost_nor_doubled() -> None:
    web, whole, steps = killed_at(None)
    assert whole.pages == PAGES
    assert {url.removeprefix(SITE) for url in web.urls()} >= GUESSED
    for step in range(1, steps + 1, 13):
        again, counts, _ = killed_at(step)
        assert (counts.states, counts.pages) == (whole.states, whole.pages), step
        assert_polite(again)
        # Robots.txt, and the visit it was killed in the middle of.
        assert len(again.requests) - len(web.requests) <= 2, step
