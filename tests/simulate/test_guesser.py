"""What a host's own order suggests is asked for, and little else (DISC-2, DISC-3)."""

from __future__ import annotations

from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.hosts.pace import PacePolicy
from tenax.model import JobState, Request, Response, State, UrlSource
from tenax.settings import Settings
from tenax.testing import SimulatedWeb, crawl, page, robots, simulate, start_job, status

SETTINGS = Settings(contact="mailto:test@example.org", pace=PacePolicy(delay=1.0))
SITE = "https://a.example"
EVERYTHING = tuple(UrlSource)


def listing(pages: int, per_page: int = 5) -> dict[str, Response]:
    """A listing in numbered pages that do not lead on to each other, and its items."""
    answers: dict[str, Response] = {}
    for n in range(1, pages + 1):
        items = [f"/item-{n}-{k}" for k in range(per_page)]
        answers[f"{SITE}/list?page={n}"] = page(f"list {n}", *items)
        for item in items:
            answers[SITE + item] = page(item)
    return answers


def serve(web: SimulatedWeb, answers: dict[str, Response]) -> None:
    for url, answer in answers.items():
        web.at(url, answer)


def test_pages_beyond_the_last_one_named_are_found_until_one_is_not_there() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{SITE}/", page("front", "/list?page=1", "/list?page=2"))
        serve(web, listing(12))
        counts = await crawl(app, f"{SITE}/", discover=(UrlSource.PAGINATION,))
        assert counts.pages == 1 + 12 + 60
        assert f"{SITE}/list?page=13" in web.urls()
        assert f"{SITE}/list?page=14" not in web.urls()
        assert await app.ledger.auditor.audit() == []

    simulate(story, SETTINGS)


def test_nothing_is_guessed_by_a_job_that_does_not_want_it() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{SITE}/", page("front", "/list?page=1", "/list?page=2"))
        serve(web, listing(4))
        await crawl(app, f"{SITE}/", discover=())
        assert f"{SITE}/list?page=3" not in web.urls()

    simulate(story, SETTINGS)


def test_what_one_job_guessed_right_the_next_is_told_at_once() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{SITE}/", page("front", "/list?page=1", "/list?page=2"))
        serve(web, listing(8))
        await crawl(app, f"{SITE}/", name="first", discover=EVERYTHING)
        before = len(web.urls())
        counts = await crawl(app, f"{SITE}/", name="second", discover=EVERYTHING)
        assert counts.pages == 1 + 8 + 40
        assert f"{SITE}/list?page=9" not in web.urls()[before:]

    simulate(story, SETTINGS)


def test_a_guess_obeys_robots_txt() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{SITE}/robots.txt", robots("User-agent: *\nDisallow: /list?page=3"))
        web.at(f"{SITE}/", page("front", "/list?page=1", "/list?page=2"))
        serve(web, listing(5))
        await crawl(app, f"{SITE}/", discover=EVERYTHING)
        assert f"{SITE}/list?page=3" not in web.urls()

    simulate(story, SETTINGS)


def test_a_site_that_answers_everything_alike_is_asked_for_few_guesses() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        def same(_: Request) -> Response:
            return page("the same for everybody", "/?page=2", "/2025/03/")

        web.host("a.example", same)
        web.at(f"{SITE}/robots.txt", status(404))
        await crawl(app, f"{SITE}/", discover=EVERYTHING)
        assert len(web.urls()) < 15

    simulate(story, SETTINGS)


def test_an_archive_by_month_is_followed_back_in_time() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        months = [(2026 - back // 12, 12 - back % 12) for back in range(3, 40)]
        latest = [f"/news/{y}/{m:02d}/story-{k}" for y, m in months[:2] for k in range(8)]
        web.at(f"{SITE}/", page("front", *latest))
        for y, m in months:
            stories = [f"/news/{y}/{m:02d}/story-{k}" for k in range(8)]
            web.at(f"{SITE}/news/{y}/{m:02d}/", page(f"{y} {m}", *stories))
            for story_ in stories:
                web.at(SITE + story_, page(story_))
        counts = await crawl(app, f"{SITE}/", discover=EVERYTHING)
        assert counts.pages >= 0.95 * (1 + len(months) * 9)
        asked = web.urls()
        assert counts.of(State.GONE) < 0.05 * len(asked)
        assert await app.ledger.auditor.audit() == []

    simulate(story, SETTINGS)


def test_what_was_learned_survives_the_process() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{SITE}/", page("front", "/list?page=1", "/list?page=2"))
        serve(web, listing(3))
        await crawl(app, f"{SITE}/", discover=EVERYTHING)
        record = await app.ledger.hosts.get("a.example")
        assert record is not None
        known = await app.ledger.rules.load(record.host.id)
        assert known is not None
        assert [series.missed for series in known.series.values()] == [(4,)]

    simulate(story, SETTINGS)


def test_two_jobs_at_one_host_share_its_budget() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.host("a.example", lambda request: page(request.url, "/x", "/y"))
        web.at(f"{SITE}/robots.txt", status(404))
        for name in ("one", "two"):
            job = await start_job(app, f"{SITE}/", name=name, discover=EVERYTHING)
            assert job.state is not JobState.DONE
        for name in ("one", "two"):
            await crawl(app, f"{SITE}/", name=name, discover=EVERYTHING)
        assert len(web.urls()) < 30

    simulate(story, replace(SETTINGS, pace=PacePolicy(delay=0.1)))
