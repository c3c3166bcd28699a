"""Whole crawls of sites that say one thing under several URLs (PAGE-2)."""

from __future__ import annotations

import pytest

from tenax.cli.explain.show_story import lines
from tenax.compose.crawler import Crawler
from tenax.compose.why import books_of
from tenax.fetch.fetch_policy import SimilarPolicy
from tenax.ops.why.story import House, tell
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, crawl, page, simulate
from tenax.urls.addresses import AddressRules
from tests.simulate.sites import assert_whole, stored

HOME = "https://a.example/"
ARTICLE = (
    "The harbour of the old town was closed for repairs this week, and nobody knows when the"
    " ferries will run again. Fishermen moved their boats to the next bay, where the council had"
    " built a wooden pier for them before winter. The bakery by the quay stays open, its owner"
    " says, because bread is wanted by people who wait just as much as by people who travel."
)
OTHER = (
    "A museum of clocks opens in the former post office. Most of its exhibits come from a private"
    " collection that was kept in a barn for forty years, and some of them still tell the time."
    " Visitors may wind one clock each; the pendulum of the largest is as tall as a grown man."
)


SAME = ("story", "story?session=81", "story?session=97&sort=asc", "print/story", "2024/story")


def one_article_under_five_urls(web: SimulatedWeb) -> list[str]:
    urls = [f"{HOME}{path}" for path in SAME]
    web.at(HOME, page("home", *urls, f"{HOME}museum"))
    for number, url in enumerate(urls):
        web.at(url, page(f"Printed at 1{number}:0{number}. {ARTICLE}"))
    web.at(f"{HOME}museum", page(f"Printed at 10:00. {OTHER}"))
    return urls


def test_of_an_article_under_five_urls_four_are_near_duplicates_of_the_first() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        urls = one_article_under_five_urls(web)
        counts = await crawl(app, HOME)
        assert (counts.pages, counts.duplicates) == (7, 4)
        pages = await stored(app)
        first, *others = sorted((pages[url] for url in urls), key=lambda p: p.fetched_at)
        assert first.duplicate_of == ""
        assert {other.duplicate_of for other in others} == {first.url}
        assert pages[f"{HOME}museum"].duplicate_of == ""
        outcomes = [
            (await app.ledger.pages.attempts(p.target_id))[-1].outcome for p in (first, *others)
        ]
        assert outcomes == ["read", *["duplicate"] * 4]
        await assert_whole(app)

    simulate(story)


def test_visited_again_without_a_change_they_stay_what_they_were() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        urls = one_article_under_five_urls(web)
        await crawl(app, HOME)
        before = {url: (await stored(app))[url].duplicate_of for url in urls}
        counts = await crawl(app, HOME, again=True)
        assert counts.duplicates == 4
        assert {url: (await stored(app))[url].duplicate_of for url in urls} == before
        await assert_whole(app)

    simulate(story)


def test_when_the_original_changes_the_others_have_another_original() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        urls = one_article_under_five_urls(web)
        await crawl(app, HOME)
        pages = await stored(app)
        (original,) = [url for url in urls if not pages[url].duplicate_of]
        web.at(original, page(f"Corrected. {OTHER}"))
        counts = await crawl(app, HOME, again=True)
        pages = await stored(app)
        left = [url for url in urls if url != original]
        (heir,) = [url for url in left if not pages[url].duplicate_of]
        assert {pages[url].duplicate_of for url in left} == {"", heir}
        # What it says now, the museum's page says too: whichever was committed first.
        assert counts.duplicates == 3 + (
            bool(pages[original].duplicate_of) or bool(pages[f"{HOME}museum"].duplicate_of)
        )
        await assert_whole(app)

    simulate(story)


@pytest.mark.parametrize("distance", [0, 3])
def test_why_tells_what_a_near_duplicate_is_like(distance: int) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        urls = one_article_under_five_urls(web)
        await crawl(app, HOME)
        pages = await stored(app)
        ledger = books_of(app.ledger)
        house = House(
            app.ledger.settings.job, AddressRules(()), "tenax", app.ledger.settings.robots
        )
        (original,) = [url for url in urls if not pages[url].duplicate_of]
        copy = next(url for url in urls if url != original)
        told = await tell(copy, ledger, house, app.parts.clock.now())
        said = f"near-duplicate of {original} (same SimHash)"
        assert told.jobs[0].answer == f"fetched and stored; {said}"
        assert any(said in line for line in lines(told, app.ledger.settings, 0.0))
        told = await tell(original, ledger, house, app.parts.clock.now())
        assert told.jobs[0].answer == "fetched and stored"
        named = told.jobs[0].similar
        assert named is not None
        assert set(named.others) == set(urls) - {original}

    simulate(
        story,
        Settings(contact="mailto:test@example.org", similar=SimilarPolicy(distance=distance)),
    )
