"""Does a program's loop lose nothing, and does a slow one slow the crawl? (REC-4)"""

from __future__ import annotations

from tenax.compose.crawler import Crawler
from tenax.hosts.pace import PacePolicy
from tenax.library import Crawl
from tenax.library.loop import MOST_AHEAD
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, page, simulate

HOME = "https://a.example/"
PAGES = [f"{HOME}{n}" for n in range(400)]
FAST = Settings(contact="mailto:test@example.org", pace=PacePolicy(delay=0.0))


def wide(web: SimulatedWeb) -> None:
    web.at(HOME, page("all of them", *PAGES))
    for n, url in enumerate(PAGES):
        web.at(url, page(f"about number {n} and nothing else"))


def test_a_slow_reader_slows_the_crawl_and_gets_every_page() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> tuple[list[str], list[int]]:
        wide(web)
        crawl, read, ahead = Crawl(app), [], []
        async for each in crawl.run(HOME, job="all", discover=()):
            read.append(each.url)
            if len(read) in (1, 2, 150):
                await app.ledger.clock.sleep(300)
                ahead.append((await crawl.counts("all")).pages - len(read))
        return read, ahead

    read, ahead = simulate(story, FAST)
    assert sorted(read) == sorted([HOME, *PAGES]), "each exactly once: nobody was killed"
    # What is under way when it is enough comes on top: as many as one host may be asked at once.
    assert MOST_AHEAD // 2 <= max(ahead) <= MOST_AHEAD + 70, ahead


def test_a_loop_that_is_left_goes_on_with_the_page_it_was_left_at() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> list[list[str]]:
        wide(web)
        crawl, runs = Crawl(app), list[list[str]]()
        for most in (3, 50, 1_000):
            runs.append([])
            async for each in crawl.run(HOME, job="all", discover=()):
                runs[-1].append(each.url)
                if len(runs[-1]) == most:
                    break
        return runs

    first, second, third = simulate(story, FAST)
    assert second[0] == first[-1]
    assert third[0] == second[-1]
    assert sorted([*first[:-1], *second[:-1], *third]) == sorted([HOME, *PAGES])


def test_a_page_that_changed_comes_again_and_others_do_not() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> list[list[str]]:
        web.at(HOME, page("home", "/x"))
        web.at(f"{HOME}x", page("as it was"), page("something else"))
        crawl, runs = Crawl(app), []
        for again in (False, True, False):
            run = crawl.run(HOME, job="all", again=again, discover=())
            runs.append([each.url async for each in run])
        return runs

    assert simulate(story) == [[HOME, f"{HOME}x"], [f"{HOME}x"], []]


def test_each_consumer_has_its_own_place_and_stored_pages_can_be_read_at_any_time() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> tuple[list[str], list[str], list[str]]:
        web.at(HOME, page("home", "/x"))
        web.at(f"{HOME}x", page("more of it"))
        crawl = Crawl(app)
        async for _ in crawl.run(HOME, job="all", discover=()):
            pass
        last = app.ledger.clock.now()
        late = [p.url async for p in crawl.run(HOME, job="all", consumer="late", discover=())]
        stored = [p.main_text.split()[0] async for p in crawl.pages("all")]
        return late, stored, [p.url async for p in crawl.pages("all", since=last + 1)]

    late, stored, newer = simulate(story)
    assert late == [HOME, f"{HOME}x"]
    assert stored == ["home", "more"]
    assert newer == []
