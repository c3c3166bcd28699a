"""Are pages kept fresh for months, no more often than they change, and politely? (FR-6)"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.policy import CarePolicy, FeedPolicy, LeasePolicy
from tenax.crawl.run import CrawlRun
from tenax.model import JobState, Request, Response, State, UrlSource
from tenax.settings import Settings
from tenax.testing import START, SimulatedWeb, crawl, page, robots, simulate, start_job, status
from tests.simulate.sites import assert_polite, assert_whole, small_site

HOUR, DAY = 3_600.0, 86_400.0
STEP = 3 * HOUR
# Nobody looks every half second for three months: everything that polls does so in long steps.
IDLE = Settings(
    contact="mailto:test@example.org",
    feed=FeedPolicy(poll=600.0, poll_most=STEP, look=STEP, reclaim=DAY, heartbeat=DAY),
    lease=LeasePolicy(seconds=4 * DAY),
    care=CarePolicy(look=STEP),
)
HOME = "https://a.example/"


async def at(moment: float) -> None:
    await asyncio.sleep(moment - asyncio.get_running_loop().time())


class serving:
    """All jobs are worked on while the body runs."""

    def __init__(self, app: Crawler) -> None:
        self._run: CrawlRun = app.serve_jobs()

    async def __aenter__(self) -> None:
        self._task = asyncio.ensure_future(self._run.run())

    async def __aexit__(self, *_: object) -> None:
        self._run.stop()
        await self._task


class Changing:
    """A page that changes at regular moments, told by its text; every answer has a nonce."""

    def __init__(self, url: str, every: float) -> None:
        self.url = url
        self.every = every
        self.answers = 0

    @property
    def version(self) -> int:
        return int(asyncio.get_running_loop().time() / self.every) if self.every else 0

    @property
    def changed_at(self) -> float:
        """When it last did."""
        return START + self.version * self.every

    def answer(self, _: Request) -> Response:
        self.answers += 1
        answer = page(f"version {self.version} of {self.url}")
        nonce = f"<!-- {self.answers} --></main>".encode()
        return replace(answer, body=(answer.body or b"").replace(b"</main>", nonce))


def visits(web: SimulatedWeb, url: str) -> list[float]:
    return [request.at - START for request in web.requests if request.url == url]


def test_for_ninety_days_each_page_is_visited_as_often_as_it_changes() -> None:
    kinds = {"daily": DAY, "weekly": 7 * DAY, "never": 0.0}

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        pages = {name: Changing(f"{HOME}{name}", every) for name, every in kinds.items()}
        web.at(HOME, page("home", *(p.url for p in pages.values())))
        for changing in pages.values():
            web.at(changing.url, changing.answer)
        await start_job(app, HOME, recrawl=DAY)
        async with serving(app):
            await at(90 * DAY)
            (job,) = await app.parts.jobs.all()
            assert job.state is JobState.RUNNING, "it has always something to come back to"
        found = {name: visits(web, p.url) for name, p in pages.items()}
        gaps = {name: [b - a for a, b in pairwise(times)] for name, times in found.items()}
        grown = [gap / DAY for gap in gaps["never"]]
        assert grown == pytest.approx([1.5**n for n in range(len(grown))], abs=2 * STEP / DAY)
        for name in ("daily", "weekly"):
            changes = 90 * DAY / kinds[name]
            assert changes <= len(found[name]) <= 4 * changes
        assert len(found["never"]) == 10, "after 1, 2.5, 4.75, … days, and the last after 75"
        for name in ("daily", "weekly"):
            late = _delays(found[name], kinds[name])
            assert sum(late) / len(late) < kinds[name], "found before the next one, on the whole"
        assert_polite(web)
        await assert_whole(app)

    simulate(story, IDLE)


def _delays(times: list[float], every: float) -> list[float]:
    """From each change to the visit that found it."""
    changes = [n * every for n in range(1, int(85 * DAY / every))]
    return [times[bisect_right(times, change)] - change for change in changes]


class Shifted(Changing):
    """One that first changes at this moment."""

    def __init__(self, url: str, every: float, first: float) -> None:
        super().__init__(url, every)
        self.first = first

    @property
    def version(self) -> int:
        return int((asyncio.get_running_loop().time() - self.first) // self.every) + 1

    @property
    def changed_at(self) -> float:
        return START + self.first + (self.version - 1) * self.every

    @property
    def changes(self) -> list[float]:
        return [self.first + n * self.every for n in range(3)]


def a_site(web: SimulatedWeb, lastmod: str) -> list[Shifted]:
    """Thirty pages of which one changes every day, each once a month; its sitemap is `honest`,
    or is `lying`: all of it has just changed."""
    pages = [Shifted(f"{HOME}{n}", 30 * DAY, n * DAY + 5 * HOUR) for n in range(30)]
    web.at(f"{HOME}robots.txt", robots(f"User-agent: *\nAllow: /\nSitemap: {HOME}sitemap.xml"))
    web.at(HOME, page("home"))
    for changing in pages:
        web.at(changing.url, changing.answer)

    def sitemap(_: Request) -> Response:
        now = START + asyncio.get_running_loop().time()
        entries = "".join(
            f"<url><loc>{p.url}</loc><lastmod>{_told(p, now, lastmod)}</lastmod></url>"
            for p in pages
        )
        text = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
        return status(200, text, **{"content-type": "application/xml"})

    web.at(f"{HOME}sitemap.xml", sitemap)
    return pages


def _told(changing: Changing, now: float, lastmod: str) -> str:
    moment = changing.changed_at if lastmod == "honest" else now
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize("lastmod", ["honest", "lying"])
def test_what_an_honest_sitemap_tells_of_is_visited_within_a_day(lastmod: str) -> None:
    """Once it has proved honest; and a liar has nothing of its lies."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        pages = a_site(web, lastmod)
        await start_job(app, HOME, recrawl=DAY, discover=("sitemaps",))
        async with serving(app):
            await at(90 * DAY)
        late = []
        for changing in pages:
            times = visits(web, changing.url)
            for change in changing.changes:
                if 30 * DAY < change < 85 * DAY:
                    # The end of the story is when it is found at the earliest, if it was not yet.
                    late.append([*times, 90 * DAY][bisect_right(times, change)] - change)
        total = sum(len(visits(web, p.url)) for p in pages)
        if lastmod == "honest":
            assert max(late) <= DAY
        else:
            assert max(late) > 2 * DAY
        assert total <= 30 * 20, "far from daily: it costs hardly more than not to listen"
        assert len(visits(web, f"{HOME}sitemap.xml")) <= 90 * 24 / 4
        assert_polite(web)
        await assert_whole(app)

    simulate(story, IDLE)


def test_a_crawl_ends_when_only_later_visits_are_left_and_takes_up_what_is_due() -> None:
    """ADR 0004: nobody sits before a terminal for a day."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 5)
        counts = await crawl(app, HOME, recrawl=DAY)
        assert counts.states == {State.DONE: 5}
        assert asyncio.get_running_loop().time() < 60
        assert len(web.urls()) == 5
        (job,) = await app.parts.jobs.all()
        assert job.state is JobState.DONE
        await crawl(app, HOME, recrawl=DAY)
        assert len(web.urls()) == 5, "not yet"
        await at(DAY + 60)
        counts = await crawl(app, HOME, recrawl=DAY)
        assert Counter(web.urls()) == dict.fromkeys(set(web.urls()), 2)
        assert counts.states == {State.DONE: 5}
        await assert_whole(app)

    simulate(story)


def test_what_is_due_within_the_patience_is_waited_for() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 3)
        await crawl(app, HOME, recrawl=DAY)
        await at(DAY - 100)
        await crawl(app, HOME, recrawl=DAY)
        assert len(web.urls()) == 6

    simulate(story)


def test_a_job_that_begins_to_recrawl_plans_for_what_it_has() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 5)
        await crawl(app, HOME)
        await at(3 * DAY)
        await crawl(app, HOME, recrawl=2 * DAY)
        assert Counter(web.urls()) == dict.fromkeys(set(web.urls()), 2)

    simulate(story)


def test_a_paused_job_misses_no_page_for_good() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 5)
        job = await start_job(app, HOME, recrawl=DAY)
        async with serving(app):
            await at(6 * HOUR)
            await app.parts.jobs.set_state(job.id, JobState.PAUSED)
            await at(5 * DAY)
            assert len(web.urls()) == 5
            await app.parts.jobs.set_state(job.id, JobState.RUNNING)
            await at(5 * DAY + 2 * STEP)
            assert len(web.urls()) == 10
        await assert_whole(app)

    simulate(story, IDLE)


def test_an_idle_host_is_looked_at_again_once_a_day() -> None:
    """DISC-2: nothing changes for weeks, and each page is due later and later. Then a month's page
    is there that nobody names: it is guessed a fortnight after the month began, on 15 October."""
    begun = datetime.fromtimestamp(START, UTC)
    assert (begun.year, begun.month, begun.day) == (2026, 9, 21)
    site, months, later = HOME[:-1], ("/2026/08/", "/2026/09/"), "/2026/10/"

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        for path in (*months, later):
            named = [f"{path}first", f"{path}second"]
            web.at(site + path, page(path, *named))
            for each in named:
                web.at(site + each, page(each))
        web.at(HOME, page("home", f"{months[-1]}first", f"{months[-1]}second"))
        await start_job(app, HOME, recrawl=DAY, discover=tuple(UrlSource))
        async with serving(app):
            await at(27 * DAY)
        stored = {record.url for record in await app.ledger.pages.find(limit=100)}
        assert f"{site}{months[0]}first" in stored, "what was there from the first"
        assert f"{site}{later}first" in stored
        assert max(b - a for a, b in pairwise(visits(web, HOME))) <= DAY + 2 * STEP
        assert_polite(web)

    simulate(story, IDLE)
