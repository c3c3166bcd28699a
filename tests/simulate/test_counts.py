"""Does a process count what the servers saw, whatever they do? (OBS-1)"""

from __future__ import annotations

from collections import Counter

from tenax.compose.crawler import Crawler
from tenax.crawl.policy import FeedPolicy, RetryPolicy
from tenax.fetch.tally import Tally
from tenax.model import Fault, Request, Response
from tenax.settings import Settings
from tenax.testing import (
    SimulatedWeb,
    crawl,
    failing,
    page,
    redirect,
    robots,
    simulate,
    status,
    throttled,
)  # fmt: skip

PATIENT = Settings(
    contact="mailto:test@example.org",
    feed=FeedPolicy(patience=1e6, patience_at_first=1e6, poll_most=5.0, reclaim=60.0, look=30.0),
    retry=RetryPolicy(attempts=2),
)


def test_every_answer_outcome_and_change_is_counted_once() -> None:
    answered: Counter[int] = Counter()

    async def story(web: SimulatedWeb, app: Crawler) -> Tally:
        home = "https://a.example/"
        links = ("/b", "/gone", "/moved", "/broken", "/cut", "/slow", "/private/x", "/dull.zip")
        web.at(f"{home}robots.txt", robots("User-agent: *\nDisallow: /private/"))
        web.at(home, page("home", *links))
        web.at(f"{home}b", page("b"))
        web.at(f"{home}gone", status(404))
        web.at(f"{home}moved", redirect("/b2"))
        web.at(f"{home}b2", page("b2"))
        web.at(f"{home}broken", status(500))
        web.at(f"{home}cut", failing(Fault.RESET), page("whole"))
        web.at(f"{home}slow", throttled(5.0), page("patience"))
        send = web.send

        async def counted(request: Request) -> object:
            answer = await send(request)
            if isinstance(answer, Response):
                answered[answer.status] += 1
            return answer

        web.send = counted  # type: ignore[method-assign, assignment]  # it only looks on
        await crawl(app, home)
        return app.ledger.tallies.total()

    tally = simulate(story, PATIENT)
    assert dict(tally.codes) == answered
    assert tally.unanswered == {"reset": 1}
    assert (tally.pages, tally.sizes.counts and sum(tally.sizes.counts)) == (5, 5)
    assert tally.robots == 1
    # /broken twice and /cut once; each is tried again once, and /broken is given up.
    assert (tally.failed, tally.retries, tally.dead) == (3, 2, 1)
    assert tally.requeued == 3  # and what was told to wait
    assert tally.rejected["file_type"] == 1
    assert tally.changes == {"throttled": 1}
    assert {word: n for word, n in tally.visits.items() if n} == {
        "read": 5, "gone": 1, "failed": 3, "throttled": 1, "refused": 1,
    }  # fmt: skip
    # Each visit that asked, and no robots.txt; both hops of the redirect are one.
    assert sum(tally.durations.counts) == 10
    assert sum(tally.database["write"].counts) > 0


def test_a_host_that_goes_and_comes_is_counted_as_that() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> tuple[Tally, list[str]]:
        home = "https://a.example/"
        links = [f"/{n}" for n in range(12)]
        web.at(f"{home}robots.txt", status(404))
        web.at(home, page("home", *links))
        downs = [failing(Fault.CONNECT_TIMEOUT)] * 5
        web.at(f"{home}0", *downs, page("back"))
        for n in range(1, 12):
            web.at(f"{home}{n}", *downs[:1], page(f"page {n}"))
        await crawl(app, home)
        now = app.parts.clock.now()
        return app.ledger.tallies.total(), [s.name for s in app.ledger.observer.hosts.worst(now)]

    tally, worst = simulate(story, PATIENT)
    assert tally.changes["breaker_opened"] >= 1
    assert tally.changes["breaker_closed"] == 1
    assert tally.probes["passed"] >= 1
    assert worst == []
