"""Does one URL fetched now go the way of all visits, and leave what it should? (CLI-1, CLI-3)"""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.hosts.pace import PacePolicy
from tenax.model import Fault, Reason, State
from tenax.ops.fetch.answer import FetchEnd, FetchForm, content, end_of, fetch_answer, sentence
from tenax.ops.fetch.fetch_now import JOB, Fetched, FetchOrder, fetch_now
from tenax.ops.jobs.create import JobInvalid
from tenax.ops.plain import plain
from tenax.outcome import Failed, Read, Refused, Throttled, Unchanged, Waiting
from tenax.settings import Settings
from tenax.testing import (
    SimulatedWeb,
    crawl,
    failing,
    page,
    redirect,
    robots,
    simulate,
    start_job,
    status,
    throttled,
)

A = "https://a.example"
POLITE = Settings(contact="mailto:test@example.org")


async def fetched(app: Crawler, url: str = f"{A}/now", **order: Any) -> Fetched:
    answer = await fetch_now(app.fetch_context, FetchOrder(url, **order))
    assert isinstance(answer, Fetched)
    return answer


async def rows(app: Crawler, table: str) -> int:
    query = sa.text(f"SELECT count(*) FROM {table}")
    return int(await app.ledger.database.read(lambda c: c.execute(query).scalar_one()))


def test_it_is_read_stored_and_nothing_else_is_asked_for() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{A}/now", page("hello", f"{A}/other"))
        answer = await fetched(app)
        assert isinstance(answer.outcome, Read)
        assert end_of(answer) is FetchEnd.GOT
        assert "hello" in str(content(answer, FetchForm.TEXT))
        assert web.urls(robots=True) == [f"{A}/robots.txt", f"{A}/now"]
        (record,) = await app.ledger.pages.find(JOB)
        assert record.url == f"{A}/now"
        assert await rows(app, "targets") == 1
        job = await app.ledger.jobs.get(JOB)
        assert job is not None
        assert job.state == "done"
        assert await app.ledger.auditor.audit() == []

    simulate(story)


def test_dry_nothing_is_written_but_how_the_host_was_treated() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{A}/now", page("hello", f"{A}/other"))
        answer = await fetched(app, dry=True)
        assert isinstance(answer.outcome, Read)
        for table in ("jobs", "targets", "pages", "attempts", "assignments", "lanes", "tallies"):
            assert await rows(app, table) == 0, table
        known = await app.ledger.hosts.get("a.example")
        assert known is not None
        assert known.host.pace.next_at > 0
        again = await fetched(app, dry=True)
        assert isinstance(again.outcome, Read)
        moments = web.asked("a.example")
        assert all(later - earlier >= 1.0 for earlier, later in pairwise(moments))
        assert web.urls(robots=True).count(f"{A}/robots.txt") == 1

    simulate(story, POLITE)


def test_what_robots_forbids_is_not_asked_for() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{A}/robots.txt", robots("User-agent: *\nDisallow: /now"))
        answer = await fetched(app)
        assert isinstance(answer.outcome, Refused)
        assert end_of(answer) is FetchEnd.REFUSED
        assert sentence(answer) == "not asked for, forbidden by robots.txt line 2: Disallow: /now"
        assert web.urls() == []

    simulate(story)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://a.example/", Reason.SCHEME),
        ("http://127.0.0.1/", Reason.PRIVATE_ADDRESS),
        ("https://user:word@a.example/", Reason.CREDENTIALS_IN_URL),
    ],
)
def test_what_the_door_refuses_is_told(url: str, reason: Reason) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        answer = await fetched(app, url)
        assert isinstance(answer.outcome, Refused)
        assert answer.outcome.reason is reason
        assert web.requests == []

    simulate(story)


def test_a_throttled_host_is_waited_for_or_told_of() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{A}/now", throttled(retry_after=20), throttled(retry_after=600))
        answer = await fetched(app, wait=60)
        assert isinstance(answer.outcome, Throttled)
        assert end_of(answer) is FetchEnd.NOT_NOW
        assert len(web.urls()) == 2
        assert answer.again_at is not None
        closed = await fetched(app, wait=60)
        assert isinstance(closed.outcome, Waiting)
        assert sentence(closed) == "not asked for now: the host is closed: blackout"
        assert len(web.urls()) == 2
        assert await app.ledger.auditor.audit() == []

    simulate(story)


def test_a_failure_is_tried_again_and_then_given_up() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{A}/now", status(500), status(500), page("there at last"))
        assert isinstance((await fetched(app, wait=60)).outcome, Read)
        web.at(f"{A}/gone", status(404))
        assert end_of(await fetched(app, f"{A}/gone")) is FetchEnd.NO_PAGE
        web.at(f"{A}/bad", status(500))
        bad = await fetched(app, f"{A}/bad", wait=60)
        assert isinstance(bad.outcome, Failed)
        assert end_of(bad) is FetchEnd.NO_PAGE
        assert len(bad.attempts) == 3
        assert await rows(app, "dead_letters") == 1
        web.at(f"{A}/bad", page("well again"))
        assert isinstance((await fetched(app, f"{A}/bad", wait=600)).outcome, Read)
        assert await rows(app, "dead_letters") == 0

    simulate(story)


def test_a_dead_site_is_left_to_its_breaker() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{A}/robots.txt", status(404))
        web.at(f"{A}/now", failing(Fault.CONNECT_REFUSED))
        answer = await fetched(app, wait=2)
        assert end_of(answer) is FetchEnd.NOT_NOW
        assert answer.again_at is not None
        counts = await app.ledger.jobs.counts((await app.ledger.jobs.all())[0].id)
        assert counts.of(State.PENDING) == 1

    simulate(story)


def test_a_page_that_is_none_is_rejected_with_the_evidence() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        html = (
            "<title>Attention Required! | Cloudflare</title><h1>Sorry, you have been blocked</h1>"
        )
        web.at(f"{A}/now", status(200, html, **{"content-type": "text/html"}))
        answer = await fetched(app)
        assert end_of(answer) is FetchEnd.NO_PAGE
        assert sentence(answer).startswith("rejected, the answer is not the page: ")
        assert answer.page is None

    simulate(story)


def test_a_move_to_another_host_is_followed_by_the_rules_of_that_one() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{A}/now", redirect("https://b.example/there", 301))
        web.at("https://b.example/there", page("moved here"))
        for dry in (True, False):
            answer = await fetched(app, dry=dry)
            assert isinstance(answer.outcome, Read)
            assert (answer.url, answer.hops) == ("https://b.example/there", (f"{A}/now",))
        assert "https://b.example/robots.txt" in web.urls(robots=True)

    simulate(story)


def test_moves_in_a_circle_end() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{A}/now", redirect("https://b.example/"))
        web.at("https://b.example/", redirect(f"{A}/now"))
        for dry in (True, False):
            answer = await fetched(app, dry=dry)
            assert isinstance(answer.outcome, Failed)
            assert answer.outcome.fault is Fault.TOO_MANY_REDIRECTS

    simulate(story, replace(POLITE, pace=PacePolicy(delay=0.0)))


def test_what_has_not_changed_comes_from_the_store() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{A}/now", page("hello", etag='"1"'), status(304))
        await fetched(app)
        answer = await fetched(app)
        assert isinstance(answer.outcome, Unchanged)
        assert "hello" in str(content(answer, FetchForm.MARKDOWN))
        told = plain(fetch_answer(answer))
        assert (told["page"]["title"], told["stored"]) == ("hello", True)
        assert told["page"]["headline"] == "hello"

    simulate(story)


def test_a_page_that_asks_not_to_be_kept_is_shown_and_not_kept() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{A}/now", page("hello", **{"x-robots-tag": "noindex"}))
        answer = await fetched(app)
        assert "noindex" in sentence(answer)
        assert "hello" in str(content(answer, FetchForm.TEXT))
        assert await rows(app, "pages") == 0

    simulate(story)


def test_it_becomes_a_page_of_a_named_job_whose_scope_holds() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{A}/", page("home"))
        web.at(f"{A}/now", page("hello", f"{A}/other"))
        await crawl(app, f"{A}/", name="site")
        answer = await fetched(app, job="site")
        assert answer.job == "site"
        assert {record.url for record in await app.ledger.pages.find("site")} == {
            f"{A}/",
            f"{A}/now",
        }
        outside = await fetched(app, "https://b.example/", job="site")
        assert isinstance(outside.outcome, Refused)
        assert outside.outcome.reason is Reason.OUT_OF_SCOPE
        none = await fetch_now(app.fetch_context, FetchOrder(f"{A}/", job="no such"))
        assert isinstance(none, JobInvalid)

    simulate(story)


def test_a_crawl_under_way_and_a_fetch_ask_the_host_in_turn() -> None:
    """The crawl's answers take longer than its delay, so that it claims anew at once, always."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.latency = 1.5
        web.at(f"{A}/", page("home", *(f"{A}/{n}" for n in range(100))))
        for n in range(100):
            web.at(f"{A}/{n}", page(f"page {n}"))
        web.at(f"{A}/now", page("hello"))
        job = await start_job(app, f"{A}/", name="site")
        run = app.run(job)
        crawling = asyncio.create_task(run.run())
        await asyncio.sleep(20)
        answer = await fetched(app, wait=60)
        assert isinstance(answer.outcome, Read)
        assert not crawling.done()
        before = len(web.urls())
        await asyncio.sleep(30)
        assert len(web.urls()) > before + 10, "the crawl goes on"
        moments = web.asked("a.example")
        assert all(later - earlier >= 1.0 for earlier, later in pairwise(moments))
        impatient = await fetched(app, f"{A}/now", wait=0)
        assert isinstance(impatient.outcome, Waiting)
        assert "other hands" in sentence(impatient)
        run.stop()
        await crawling
        assert await app.ledger.auditor.audit() == []

    simulate(story, POLITE)


def test_a_fetch_that_is_cut_off_leaves_the_host_free() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{A}/now", page("hello"))
        web.latency = 10
        cut = asyncio.create_task(fetch_now(app.fetch_context, FetchOrder(f"{A}/now")))
        await asyncio.sleep(15)
        cut.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cut
        assert await rows(app, "assignments") == 0
        assert isinstance((await fetched(app)).outcome, Read)

    simulate(story)
