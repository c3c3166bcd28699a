"""Whole crawls: each way a visit can go ends where it should (FE-3, FE-6, FE-7, ROB-3, URL-4)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.crawl.run import conclude
from tenax.model import Fault, Forbidden, Headers, JobState, Reason, Request, Response, State, Url
from tenax.model import ScopeKind as Scope
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
from tests.simulate.sites import (
    assert_polite,
    assert_whole,
    gaps,
    record,
    small_site,
    state,
    stored,
)

HOME = "https://a.example/"


def test_a_retry_waits_a_second_then_two_and_the_third_failure_is_final() -> None:
    """FE-7: three attempts in total, 1 s base, doubling, a fifth of jitter."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, failing(Fault.RESET))
        counts = await crawl(app, HOME)
        _, *tries = web.asked("a.example")
        first, second = gaps(tries)
        # The latency of the answer and a look for work come on top.
        assert 1.0 <= first <= 1.2 + 0.05 + 0.6
        assert 1.6 <= second <= 2.4 + 0.05 + 0.6
        assert counts.states == {State.FAILED: 1}
        target = await record(app, HOME)
        assert target.reason == "reset: simulated"
        assert [a.outcome for a in await app.ledger.pages.attempts(target.id)] == ["failed"] * 3

    simulate(story)


def test_a_retry_that_succeeds_is_a_page_like_any_other() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, status(500), failing(Fault.READ_TIMEOUT), page("at last"))
        counts = await crawl(app, HOME)
        assert counts.states == {State.DONE: 1}
        assert counts.pages == 1

    simulate(story)


def test_retry_after_on_a_server_error_is_honoured() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, status(500, retry_after="20"), page("at last"))
        await crawl(app, HOME)
        _, first, second = web.asked("a.example")
        assert second - first >= 20

    simulate(story)


@pytest.mark.parametrize("fault", [Fault.TOO_LARGE, Fault.ENCODING])
def test_a_fault_that_will_not_pass_is_not_retried(fault: Fault) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, failing(fault))
        await crawl(app, HOME)
        assert web.urls() == [HOME]
        assert await state(app, HOME) is State.FAILED

    simulate(story)


@pytest.mark.parametrize(
    ("code", "ends"),
    [(404, State.GONE), (410, State.GONE), (402, State.BLOCKED), (403, State.FAILED)],
)
def test_a_final_answer_ends_the_target_at_once(code: int, ends: State) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, status(code))
        counts = await crawl(app, HOME)
        assert web.urls() == [HOME]
        assert counts.states == {ends: 1}
        assert counts.pages == 0

    simulate(story)


def test_a_redirect_within_the_host_is_followed_and_its_chain_recorded() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, redirect("/one"))
        web.at("https://a.example/one", redirect("two"))
        web.at("https://a.example/two", page("here", "three"))
        await crawl(app, HOME)
        assert_polite(web)
        found = (await stored(app))[HOME]
        assert found.final_url == "https://a.example/two"
        (attempt,) = await app.ledger.pages.attempts(found.target_id)
        assert attempt.chain == (HOME, "https://a.example/one", "https://a.example/two")
        assert (await record(app, "https://a.example/three")).depth == 1

    simulate(story)


def test_a_redirect_to_another_host_ends_as_moved_and_is_offered_at_the_same_depth() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("home", "/out"))
        web.at("https://a.example/out", redirect("https://b.example/in", 301))
        web.at("https://b.example/in", page("there"))
        await crawl(app, HOME, scope=Scope.ANY)
        moved = await record(app, "https://a.example/out")
        offered = await record(app, "https://b.example/in")
        assert moved.state is State.DONE
        assert moved.reason == "moved (301) to https://b.example/in"
        assert offered.state is State.DONE
        assert offered.depth == moved.depth == 1
        assert offered.found_on == "https://a.example/out"
        assert web.urls(robots=True).index("https://b.example/robots.txt") < web.urls(
            robots=True
        ).index("https://b.example/in")

    simulate(story)


def test_a_move_out_of_scope_is_not_followed() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("home", "/out"))
        web.at("https://a.example/out", redirect("https://b.example/in"))
        counts = await crawl(app, HOME)
        assert web.asked("b.example") == []
        assert counts.rejected[Reason.OUT_OF_SCOPE] == 1
        assert counts.states == {State.DONE: 2}

    simulate(story)


def test_a_redirect_loop_is_given_up() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, redirect("/one"))
        web.at("https://a.example/one", redirect("/"))
        await crawl(app, HOME)
        target = await record(app, HOME)
        assert target.state is State.FAILED
        assert target.reason.startswith("too_many_redirects: redirect loop")
        assert len(web.urls()) == 2

    simulate(story)


def test_five_redirects_are_followed_and_a_sixth_is_not() -> None:
    """FE-2"""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.host("a.example", lambda r: redirect(f"{r.url}x") if "robots" not in r.url else NONE)
        web.at("https://b.example/xxxxx", page("the fifth"))
        web.host("b.example", lambda r: redirect(f"{r.url}x") if "robots" not in r.url else NONE)
        await crawl(app, HOME, "https://b.example/")
        assert len([u for u in web.urls() if u.startswith(HOME)]) == 6
        assert (await record(app, HOME)).reason.startswith("too_many_redirects: more than 5")
        assert await state(app, "https://b.example/") is State.DONE

    simulate(story)


NONE = status(404)


def test_a_downgrade_to_http_is_refused() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, redirect("http://a.example/"))
        web.at("http://a.example/", page("in the clear"))
        await crawl(app, HOME)
        assert "http://a.example/" not in web.urls()
        assert (await record(app, HOME)).reason.startswith("scheme: redirect from https to http")

    simulate(story)


def test_an_upgrade_to_https_is_followed_after_that_sites_robots() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at("http://a.example/", redirect(HOME, 301))
        web.at(HOME, page("safe"))
        await crawl(app, "http://a.example/")
        assert web.urls(robots=True) == [
            "http://a.example/robots.txt",
            "http://a.example/",
            "https://a.example/robots.txt",
            HOME,
        ]
        assert_polite(web)

    simulate(story)


def test_a_redirect_into_what_robots_disallows_is_refused() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{HOME}robots.txt", robots("User-agent: *\nDisallow: /private"))
        web.at(HOME, redirect("/private/x"))
        web.at("https://a.example/private/x", page("secret"))
        counts = await crawl(app, HOME)
        assert web.urls() == [HOME]
        assert counts.states == {State.BLOCKED: 1}
        assert (await record(app, HOME)).reason.startswith("robots.txt line 2")
        assert (await record(app, HOME)).cause == Reason.ROBOTS

    simulate(story)


def test_a_redirect_the_door_refuses_is_not_followed() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, redirect("/excluded/x"))
        await crawl(app, HOME, exclude=("*/excluded/*",))
        assert web.urls() == [HOME]
        assert (await record(app, HOME)).reason.startswith("excluded: redirect to")

    simulate(story)


def test_what_robots_disallows_is_never_requested() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{HOME}robots.txt", robots("User-agent: *\nDisallow: /no"))
        web.at(HOME, page("home", "/yes", "/no", "/nothing"))
        web.at("https://a.example/yes", page("yes"))
        counts = await crawl(app, HOME)
        assert web.urls() == [HOME, "https://a.example/yes"]
        assert counts.of(State.BLOCKED) == 2

    simulate(story)


def test_links_of_a_nofollow_page_and_nofollow_links_are_counted_not_followed() -> None:
    """ROB-3"""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        html = '<a href="/no" rel="nofollow">n</a><a href="/quiet">q</a>'
        web.at(HOME, status(200, html, content_type="text/html"))
        web.at("https://a.example/quiet", page("shh", "/a", "/b", x_robots_tag="nofollow"))
        counts = await crawl(app, HOME)
        assert web.urls() == [HOME, "https://a.example/quiet"]
        assert counts.rejected == {Reason.NOFOLLOW: 3}
        assert counts.pages == 2

    simulate(story)


def test_a_noindex_page_is_read_for_links_but_not_stored() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("home", "/next", x_robots_tag="noindex"))
        web.at("https://a.example/next", page("next"))
        counts = await crawl(app, HOME)
        assert list(await stored(app)) == ["https://a.example/next"]
        assert counts.of(State.DONE) == 2
        assert (await record(app, HOME)).reason == "noindex"

    simulate(story)


def test_content_that_is_not_text_is_recorded_without_a_body() -> None:
    """FE-2"""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        headers = Headers((("content-type", "image/png"),))
        web.at(HOME, Response(HOME, 200, headers, body=None))
        counts = await crawl(app, HOME)
        found = (await stored(app))[HOME]
        assert counts.pages == 1
        assert (found.content_type, found.digest, found.length) == ("image/png", "", 0)
        await assert_whole(app)

    simulate(story)


def test_a_forbidden_address_blocks_the_target_and_says_why() -> None:
    """SEC-1"""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{HOME}robots.txt", Forbidden("10.0.0.1", "a private network"))
        counts = await crawl(app, HOME)
        assert counts.states == {State.BLOCKED: 1}
        assert (await record(app, HOME)).reason == "private_address: 10.0.0.1: a private network"

    simulate(story)


def test_a_bug_in_a_visit_fails_that_target_only() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        urls = small_site(web, "a.example", 4)
        web.at(urls[2], broken)
        counts = await crawl(app, HOME)
        assert counts.states == {State.DONE: 3, State.FAILED: 1}
        assert (await record(app, urls[2])).reason == "internal: ZeroDivisionError: a bug"
        await assert_whole(app)

    simulate(story)


def broken(request: Request) -> Response:
    raise ZeroDivisionError("a bug")


def test_a_crawl_ends_at_its_depth() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.host("a.example", lambda r: page("deeper", f"{r.url}{len(r.url)}/"))
        web.at(f"{HOME}robots.txt", NONE)
        counts = await crawl(app, HOME, max_depth=3)
        assert counts.pages == 4
        assert counts.rejected == {Reason.TOO_DEEP: 1}

    simulate(story)


def test_at_most_a_thousand_links_of_a_page_are_taken_in_order() -> None:
    """URL-7"""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(HOME, page("home", *(f"/{n}" for n in range(1_200))))
        counts = await crawl(app, HOME, max_pages=1)
        assert counts.known == 1_001
        assert await state(app, "https://a.example/999") is State.PENDING
        assert await app.ledger.pages.targets(Url("https://a.example/1000"), "a.example") == []

    simulate(story)


def test_a_crawl_stops_at_exactly_its_number_of_pages() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 20)
        small_site(web, "b.example", 20)
        web.at("https://a.example/1", NONE)
        counts = await crawl(app, HOME, "https://b.example/", max_pages=7)
        assert counts.pages == 7
        assert counts.of(State.LEASED) == 0
        job = await app.parts.jobs.get("test")
        assert job is not None
        assert job.state is JobState.DONE

    simulate(story)


def test_a_stopped_crawl_is_resumed_where_it_was() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        small_site(web, "a.example", 8)
        job = await start_job(app, HOME)
        run = app.run(job, lambda settled: run.stop())
        await run.run()
        assert await conclude(app.parts, job) is JobState.STOPPED
        counts = await crawl(app, HOME)
        assert counts.pages == 8
        assert len(web.urls()) == 8
        assert_polite(web)

    simulate(story)


def test_a_host_that_throttles_its_robots_is_treated_as_unreachable() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        web.at(f"{HOME}robots.txt", throttled(retry_after=5))
        web.at(HOME, page("home"))
        await crawl(app, HOME)
        assert web.urls() == []

    simulate(story)


def test_our_own_concurrency_bounds_the_requests_under_way() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        most = 0

        def watch(request: Request) -> Response:
            nonlocal most
            most = max(most, web.under_way + 1)
            return NONE

        for n in range(20):
            web.host(f"h{n}.example", watch)
        await crawl(app, *(f"https://h{n}.example/" for n in range(20)))
        assert most == 3

    settings = Settings(contact="mailto:test@example.org")
    simulate(story, replace(settings, fetch=replace(settings.fetch, concurrency=3)))


def test_a_page_that_moves_from_host_to_host_for_ever_ends() -> None:
    """FE-3: moves keep their depth, so something else has to count them."""

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        for host, other in (("a.example", "b.example"), ("b.example", "a.example")):

            def script(request: Request, other: str = other) -> Response:
                number = int(request.url.rpartition("/")[2] or 0)
                return redirect(f"https://{other}/{number + 1}")

            web.host(host, script)
            web.at(f"https://{host}/robots.txt", status(404))
        counts = await crawl(app, HOME, scope=Scope.ANY)
        assert len(web.urls()) == 6
        assert counts.states == {State.DONE: 5, State.FAILED: 1}

    simulate(story)
