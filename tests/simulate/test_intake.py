"""What the door does when very much is proposed at once (FR-8), and limits of a job (URL-4)."""

from __future__ import annotations

from tenax.compose.crawler import Crawler
from tenax.crawl.admit import Intake
from tenax.crawl.fleet.intake import Busy
from tenax.crawl.policy import FeedPolicy
from tenax.crawl.run import offer_seeds
from tenax.model import Fault, Reason, ScopeKind, SiteRules, State, Url
from tenax.settings import Settings
from tenax.testing import (
    START,
    SimulatedWeb,
    crawl,
    failing,
    page,
    redirect,
    simulate,
    start_job,
    status,
)

CONTACT = "mailto:test@example.org"


def test_a_source_of_very_many_urls_has_them_wait_not_dropped() -> None:
    """Scope any: 1,000 at once, then 100 a second."""
    names = [f"https://h{n}.example/" for n in range(900)]

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at("https://a.example/", page("a", *names, "https://a.example/more"))
        web.at("https://a.example/more", page("b", *[f"{n}two" for n in names]))
        counts = await crawl(app, "https://a.example/", scope=ScopeKind.ANY)
        assert counts.known == 1 + 900 + 1 + 900
        asked = {r.url: r.at for r in web.requests}
        second = sorted(asked[f"{n}two"] for n in names)
        offered = asked["https://a.example/more"]
        # 901 were taken at once, the bucket has refilled for a second since: some 800 wait.
        assert second[-1] - offered >= 6.0
        assert second[-1] - offered <= 20.0

    simulate(story)


def test_the_bucket_fills_by_itself_up_to_its_burst() -> None:
    spent, waits = Intake().take(1_100, now=START)
    assert waits[999] == 0
    assert waits[1_099] == 1.0
    refilled, waits = spent.take(1, now=START + 3_600)
    assert waits == [0.0]
    assert refilled.level == 999


def test_a_full_frontier_answers_busy_and_loses_nothing() -> None:
    settings = Settings(contact=CONTACT, feed=FeedPolicy(frontier_limit=2))

    async def story(_web: SimulatedWeb, app: Crawler) -> None:
        job = await start_job(app, "https://a.example/1", "https://a.example/2")
        answer = await offer_seeds(app.parts, app.ledger.admission(job))
        assert isinstance(answer, Busy)
        assert answer.retry_at > app.parts.clock.now()
        counts = await app.parts.jobs.counts(job.id)
        assert counts.of(State.PENDING) == 2

    simulate(story, settings)


def test_a_job_takes_no_more_urls_than_it_may() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at("https://a.example/", page("home", *[f"/{n}" for n in range(20)]))
        web.host("a.example", lambda request: page("leaf", f"{request.url}x"))
        counts = await crawl(app, "https://a.example/", max_urls=15)
        assert counts.known == 15
        assert counts.rejected[Reason.JOB_LIMIT] > 0
        assert await app.ledger.auditor.audit() == []
        urls = [f"https://a.example/{n}" for n in range(20)]
        told = [await app.ledger.pages.rejection(url) for url in urls]
        assert sum(1 for rows in told if rows and rows[0][1] is Reason.JOB_LIMIT) == 6

    simulate(story)


def test_what_failed_before_sinks_by_one() -> None:
    """FR-3: others of the same priority go first."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at("https://a.example/", failing(Fault.RESET), page("home"))
        job = await start_job(app, "https://a.example/")
        await app.run(job).run()
        [record] = await app.ledger.pages.targets(Url("https://a.example/"), "a.example")
        assert record.priority == 3
        assert record.state is State.DONE

    simulate(story)


def test_a_moved_page_has_its_new_place_as_canonical_url() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at("https://a.example/", redirect("/new", 301))
        web.at("https://a.example/new", page("new"))
        await crawl(app, "https://a.example/")
        [stored] = await app.ledger.pages.find()
        assert stored.url == "https://a.example/"
        assert stored.canonical == "https://a.example/new"

    simulate(story)


def test_site_rules_reach_the_wire() -> None:
    sites = (SiteRules("a.example", headers={"X-Key": "k"}, force_https=True),)

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at("https://a.example/", page("secure"))
        web.at("http://a.example/", status(500))
        counts = await crawl(app, "http://a.example/")
        assert counts.pages == 1
        asked = [r for r in web.requests if r.url == "https://a.example/"]
        assert ("X-Key", "k") in asked[0].headers

    simulate(story, Settings(contact=CONTACT, sites=sites))
