"""Whole crawls of sites that one client cannot read (FE-9)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tenax.compose.crawler import Crawler, open_crawler
from tenax.crawl.policy import FeedPolicy
from tenax.fetch.proxies.choice import parse_proxy
from tenax.model import (
    Client,
    Failure,
    Fault,
    Forbidden,
    JobState,
    Proxy,
    Request,
    Response,
    SiteRules,
    State,
)
from tenax.settings import Settings
from tenax.testing import (
    START,
    SimulatedWeb,
    VirtualClock,
    crawl,
    failing,
    page,
    robots,
    run_virtually,
    scratch,
    status,
)
from tests.simulate.sites import assert_polite, assert_whole, record, stored

CONTACT = "mailto:test@example.org"
SHELL = (
    "<!doctype html><html><head><title>Crawler</title></head><body><div id=root></div>"
    "<noscript>You need to enable JavaScript to run this app.</noscript>"
    "<script src=/app.js></script></body></html>"
)
HOME = "https://a.example/"
PAGES = 12
Story = Callable[[SimulatedWeb, SimulatedWeb, SimulatedWeb, Crawler], object]


def with_clients(story: Story, settings: Settings | None = None) -> None:
    """A main client, a second one and a browser, each with a web of its own."""

    async def main() -> None:
        web, curl, browser = SimulatedWeb(), SimulatedWeb(), SimulatedWeb(latency=1.0)
        curl.name, browser.name = "curl", "browser"
        with scratch() as folder:
            chosen = replace(settings or Settings(contact=CONTACT), data=folder)
            async with open_crawler(
                chosen,
                clock=VirtualClock(),
                web=web,
                fallbacks={Client.CURL: curl, Client.BROWSER: browser},
                threads=False,
            ) as app:
                await story(web, curl, browser, app)  # type: ignore[misc]  # stories are coroutines
                await assert_whole(app)

    run_virtually(main())


def needs_javascript(web: SimulatedWeb, browser: SimulatedWeb) -> None:
    links = [f"/{n}" for n in range(1, PAGES)]
    for url in [HOME, *(f"{HOME}{n}" for n in range(1, PAGES))]:
        web.at(url, status(200, SHELL, content_type="text/html"))
        browser.at(url, page(f"rendered {url}", "/", *links))


def test_a_site_of_shells_is_crawled_by_the_browser_and_learned_after_three_pages() -> None:
    async def story(
        web: SimulatedWeb, curl: SimulatedWeb, browser: SimulatedWeb, app: Crawler
    ) -> None:
        needs_javascript(web, browser)
        counts = await crawl(app, HOME)
        assert counts.states == {State.DONE: PAGES}
        assert len(web.urls()) == 3, "three pages taught us"
        assert len(browser.urls()) == PAGES
        assert curl.urls() == []
        both = SimulatedWeb()
        both.requests = sorted(web.requests + browser.requests, key=lambda r: r.at)
        assert_polite(both)
        assert all("rendered" in p.title for p in (await stored(app)).values())
        tried = await app.ledger.pages.attempts((await record(app, HOME)).id)
        assert [(a.client, a.outcome) for a in tried] == [
            ("simulated", "garbage"), ("browser", "read"),
        ]  # fmt: skip
        assert "needs_javascript" in tried[0].error

    with_clients(story)


def test_without_a_browser_a_shell_is_rejected_with_its_reason() -> None:
    async def story(
        web: SimulatedWeb, curl: SimulatedWeb, browser: SimulatedWeb, app: Crawler
    ) -> None:
        needs_javascript(web, browser)
        counts = await crawl(app, HOME)
        assert counts.states == {State.REJECTED: 1}
        assert counts.pages == 0
        assert "needs_javascript" in (await record(app, HOME)).reason
        assert browser.requests == []

    never = SiteRules(host="a.example", render="never")
    with_clients(story, Settings(contact=CONTACT, sites=(never,)))


def test_where_no_browser_is_at_hand_a_shell_waits_for_one() -> None:
    """The crawl without one ends; a later one with a browser reads all, asking it alone."""

    async def main() -> None:
        clock, web, browser = VirtualClock(), SimulatedWeb(), SimulatedWeb(latency=1.0)
        browser.name = "browser"
        needs_javascript(web, browser)
        web.at(f"{HOME}text", page("A page of text", "/1", "/2"))
        with scratch() as folder:
            settings = Settings(contact=CONTACT, data=folder)
            async with open_crawler(settings, clock=clock, web=web, threads=False) as app:
                counts = await crawl(app, f"{HOME}text")
                assert counts.states == {State.DONE: 1, State.PENDING: 2}
                assert counts.unrendered == 2
                assert (await app.ledger.jobs.all())[0].state is JobState.STOPPED
                waiting = await record(app, f"{HOME}1")
                assert waiting.reason == "needs_javascript: waits for a browser"
                assert waiting.outcome == "unrendered"
                await assert_whole(app)
                asked = len(web.requests)
                counts = await crawl(app, f"{HOME}text")
                assert counts.unrendered == 2, "nobody has come"
                assert len(web.requests) == asked, "nothing was asked in vain"
            async with open_crawler(
                settings, clock=clock, web=web, fallbacks={Client.BROWSER: browser}, threads=False
            ) as app:
                counts = await crawl(app, f"{HOME}text")
                assert counts.states == {State.DONE: PAGES + 1}
                assert counts.unrendered == 0
                tried = await app.ledger.pages.attempts(waiting.id)
                assert [a.client for a in tried] == ["simulated", "browser"]
                await assert_whole(app)

    run_virtually(main())


def test_what_waits_for_a_browser_is_left_to_the_worker_that_has_one() -> None:
    """Two workers of one ledger: the one without a browser asks for no page twice."""

    async def main() -> None:
        clock, web, browser = VirtualClock(), SimulatedWeb(), SimulatedWeb(latency=1.0)
        browser.name = "browser"
        needs_javascript(web, browser)
        links = [f"/{n}" for n in range(1, PAGES)]
        web.at(f"{HOME}text", page("A page of text", *links, "/more"))
        web.at(f"{HOME}more", page("More text", "/"))
        with scratch() as folder:
            settings = Settings(contact=CONTACT, data=folder)
            async with (
                open_crawler(settings, clock=clock, web=web, threads=False) as without,
                open_crawler(
                    settings,
                    clock=clock,
                    web=web,
                    fallbacks={Client.BROWSER: browser},
                    threads=False,
                ) as with_one,
            ):
                counts = await crawl(without, f"{HOME}text")
                assert counts.unrendered == PAGES
                job = (await without.ledger.jobs.all())[0]
                await without.ledger.jobs.set_state(job.id, JobState.RUNNING)
                serving = asyncio.create_task(with_one.serve_jobs(until_done=True).run())
                await without.serve_jobs(until_done=True).run()
                await serving
                counts = await without.ledger.jobs.counts(job.id)
                assert counts.states == {State.DONE: PAGES + 2}
                assert [u for u in web.urls() if web.urls().count(u) > 1] == []
                assert len(browser.urls()) == PAGES

    run_virtually(main())


def test_a_site_may_always_be_rendered() -> None:
    async def story(
        web: SimulatedWeb, curl: SimulatedWeb, browser: SimulatedWeb, app: Crawler
    ) -> None:
        needs_javascript(web, browser)
        counts = await crawl(app, HOME)
        assert counts.states == {State.DONE: PAGES}
        assert web.urls() == []

    always = SiteRules(host="a.example", render="always")
    with_clients(story, Settings(contact=CONTACT, sites=(always,)))


def test_a_server_that_hangs_up_on_one_client_is_read_by_the_next() -> None:
    async def story(
        web: SimulatedWeb, curl: SimulatedWeb, browser: SimulatedWeb, app: Crawler
    ) -> None:
        for number in range(8):
            url = HOME + str(number or "")
            web.at(url, failing(Fault.RESET))
            curl.at(url, page(f"page {number}", *(f"/{n}" for n in range(1, 8))))
        counts = await crawl(app, HOME)
        assert counts.states == {State.DONE: 8}
        assert len(web.urls()) == 3
        assert browser.requests == []
        host = await app.ledger.hosts.get("a.example")
        assert host is not None
        assert host.host.health.failures == 0, "the host is not to blame"

    with_clients(story)


def dislikes(web: SimulatedWeb) -> None:
    """All of the host, robots.txt too: it knows the client before it knows what it wants."""
    web.host("a.example", lambda _: failing(Fault.RESET))


def serves(web: SimulatedWeb, pages: int = 8) -> None:
    web.at(f"{HOME}robots.txt", robots("User-agent: *\nDisallow: /7"))
    links = [f"/{n}" for n in range(1, pages)]
    web.host("a.example", lambda request: page(request.url, *links))


def test_a_host_that_dislikes_a_client_is_read_by_another_from_robots_txt_on() -> None:
    """What it says there is obeyed, whoever brought it."""

    async def story(
        web: SimulatedWeb, curl: SimulatedWeb, browser: SimulatedWeb, app: Crawler
    ) -> None:
        dislikes(web)
        serves(curl)
        counts = await crawl(app, HOME)
        assert counts.states == {State.DONE: 7, State.BLOCKED: 1}
        asked = [*web.urls(robots=True), *curl.urls(robots=True)]
        assert asked.count(f"{HOME}robots.txt") == 2, "once by each"
        assert len(web.urls()) == 2, "robots.txt and two pages taught us"
        assert browser.requests == []
        both = SimulatedWeb()
        both.requests = sorted(web.requests + curl.requests, key=lambda r: r.at)
        assert_polite(both)

    with_clients(story)


def test_a_host_that_likes_but_browsers_is_read_by_one_from_robots_txt_on() -> None:
    async def story(
        web: SimulatedWeb, curl: SimulatedWeb, browser: SimulatedWeb, app: Crawler
    ) -> None:
        dislikes(web)
        dislikes(curl)
        serves(browser)
        counts = await crawl(app, HOME)
        assert counts.states == {State.DONE: 7, State.BLOCKED: 1}
        assert browser.urls(robots=True).count(f"{HOME}robots.txt") == 1

    with_clients(story)


def test_a_host_nobody_reaches_is_asked_no_more_often_for_having_more_clients() -> None:
    """ROB-1: two retries, by whichever client."""

    async def story(
        web: SimulatedWeb, curl: SimulatedWeb, browser: SimulatedWeb, app: Crawler
    ) -> None:
        for each in (web, curl, browser):
            dislikes(each)
        await crawl(app, HOME)
        for each in (web, curl, browser):
            assert [r.url for r in each.requests if r.at < START + 25] == [f"{HOME}robots.txt"]
        host = await app.ledger.hosts.get("a.example")
        assert host is not None
        assert host.host.habit.respite_until == 0

    with_clients(story)


@pytest.mark.parametrize("friend", [Client.CURL, Client.BROWSER])
def test_a_host_that_was_away_is_probed_by_the_client_it_answers(friend: Client) -> None:
    """HOST-3: by the main client it would never be found to be back."""

    async def story(
        web: SimulatedWeb, curl: SimulatedWeb, browser: SimulatedWeb, app: Crawler
    ) -> None:
        dislikes(web)
        dislikes(curl)
        answers = {Client.CURL: curl, Client.BROWSER: browser}[friend]
        serves(answers, 30)
        script = answers._hosts["a.example"]

        def away(request: Request) -> Response | Failure | Forbidden:
            passed = asyncio.get_running_loop().time()
            return failing(Fault.CONNECT_REFUSED) if 15 < passed < 60 else script(request)

        answers.host("a.example", away)
        counts = await crawl(app, HOME)
        assert counts.states == {State.DONE: 29, State.BLOCKED: 1}
        failed = [r for r in answers.requests if 15 < r.at - START < 60]
        assert len(failed) >= 5, "it was away, and the breaker knew"

    with_clients(story)


def test_a_page_that_no_client_can_get_keeps_none_of_them_from_the_others() -> None:
    async def story(
        web: SimulatedWeb, curl: SimulatedWeb, browser: SimulatedWeb, app: Crawler
    ) -> None:
        dislikes(web)
        serves(curl)
        for bad in (f"{HOME}1", f"{HOME}4"):
            curl.at(bad, failing(Fault.RESET))
            browser.at(bad, failing(Fault.RESET))
        counts = await crawl(app, HOME)
        assert counts.states == {State.DONE: 5, State.BLOCKED: 1, State.FAILED: 2}

    with_clients(story)


def test_a_connection_that_died_of_age_is_asked_over_a_new_one_in_its_turn() -> None:
    """FE-9, FE-12: neither host, URL nor client is to blame, and both requests are recorded."""
    died = Failure(Fault.RESET, "ended", kept=True)

    async def story(
        web: SimulatedWeb, curl: SimulatedWeb, browser: SimulatedWeb, app: Crawler
    ) -> None:
        urls = [HOME, *(f"{HOME}{n}" for n in range(1, 20))]
        for url in urls:
            web.at(url, died, page(url, *urls))
        counts = await crawl(app, HOME)
        assert counts.states == {State.DONE: len(urls)}
        assert_polite(web)
        assert (curl.requests, browser.requests) == ([], [])
        for url in urls:
            found = await record(app, url)
            tried = await app.ledger.pages.attempts(found.id)
            asked = [r.at for r in web.requests if r.url == url]
            assert [a.at for a in tried] == pytest.approx(asked, abs=0.01)
            assert (tried[0].outcome, tried[0].cause) == ("failed", "reset")
            assert tried[1].outcome in ("read", "duplicate")
        host = await app.ledger.hosts.get("a.example")
        assert host is not None
        assert (host.host.health.failures, host.host.health.trouble) == (0, None)

    with_clients(story)


def test_a_challenge_under_a_403_is_taken_to_the_browser() -> None:
    wall = (
        "<!doctype html><html><head><title>Just a moment...</title></head><body><h1>Checking"
        " your browser before accessing a.example</h1><noscript>Enable JavaScript and cookies"
        " to continue</noscript><script src=/cdn-cgi/challenge-platform/x.js></script></html>"
    )

    async def story(
        web: SimulatedWeb, curl: SimulatedWeb, browser: SimulatedWeb, app: Crawler
    ) -> None:
        web.at(HOME, status(403, wall, content_type="text/html", cf_mitigated="challenge"))
        browser.at(HOME, page("let in"))
        counts = await crawl(app, HOME)
        assert counts.states == {State.DONE: 1}

    with_clients(story)


def test_a_plain_403_is_not_asked_for_again_by_others() -> None:
    async def story(
        web: SimulatedWeb, curl: SimulatedWeb, browser: SimulatedWeb, app: Crawler
    ) -> None:
        web.at(HOME, status(403, "<h1>Forbidden</h1>", content_type="text/html"))
        await crawl(app, HOME)
        assert (curl.requests, browser.requests) == ([], [])

    with_clients(story)


def test_a_captcha_is_rejected_and_its_host_cools_down() -> None:
    """VAL-1, VAL-3, HOST-4: nothing is stored of it."""
    wall = (
        "<!doctype html><html><head><title>Are you a robot?</title></head><body><h1>Please verify"
        " you are a human</h1><p>Complete the CAPTCHA below to continue.</p>"
        '<div class="g-recaptcha" data-sitekey=x></div></body></html>'
    )

    async def story(
        web: SimulatedWeb, curl: SimulatedWeb, browser: SimulatedWeb, app: Crawler
    ) -> None:
        web.at(HOME, page("home", *(f"/{n}" for n in range(1, 10))))
        for number in range(1, 10):
            web.at(f"{HOME}{number}", status(200, wall, content_type="text/html"))
        counts = await crawl(app, HOME)
        assert counts.of(State.REJECTED) == 1, "one is enough to leave it alone"
        assert counts.pages == 1
        host = await app.ledger.hosts.get("a.example")
        assert host is not None
        assert host.host.health.trouble is not None
        assert host.host.health.trouble.cool_until > web.requests[-1].at + 590

    with_clients(story)


def test_a_site_behind_proxies_is_rendered_through_them() -> None:
    """FE-11: the browser asks through the pool, as every other client does."""

    async def story(
        web: SimulatedWeb, curl: SimulatedWeb, browser: SimulatedWeb, app: Crawler
    ) -> None:
        assert await app.ledger.proxies.add(
            Proxy(id=0, name="p", address=parse_proxy("http://192.0.2.1:3128"), group="eu")
        )
        needs_javascript(web, browser)
        counts = await crawl(app, HOME)
        assert counts.states == {State.DONE: PAGES}
        tried = await app.ledger.pages.attempts((await record(app, HOME)).id)
        assert [(a.client, a.proxy) for a in tried] == [("browser", "p")]
        (proxy,) = await app.ledger.proxies.all()
        assert proxy.health.successes > 0

    proxied = SiteRules(host="a.example", proxy="eu", render="always")
    # The proxy is added after the pool has looked: it looks again in five minutes.
    patient = FeedPolicy(patience=1_000.0)
    with_clients(story, Settings(contact=CONTACT, sites=(proxied,), feed=patient))
