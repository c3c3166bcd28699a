"""Does `why` tell the story of a URL truly, whatever became of it? (CLI-2)"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tenax.compose.crawler import Crawler
from tenax.compose.why import books_of
from tenax.hosts.standing import Word
from tenax.model import Failure, Fault, Forbidden, JobSpec, Reason, Response, State
from tenax.ops.why.story import House, JobStory, Story, tell
from tenax.ports import Letters, PageChoice
from tenax.settings import Settings
from tenax.testing import (
    START,
    SimulatedWeb,
    crawl,
    failing,
    page,
    redirect,
    robots,
    run_virtually,
    simulate,
    start_job,
    status,
    throttled,
)
from tenax.urls.addresses import AddressRules

HOME = "https://a.example/"
DEFAULTS = Settings(contact="mailto:test@example.org")


def house(settings: Settings = DEFAULTS, spec: JobSpec | None = None) -> House:
    return House(
        spec=spec or settings.job,
        addresses=AddressRules(settings.allow_private),
        token=settings.token,
        robots=settings.robots,
        treatment=settings.treatment,
        retry=settings.retry,
    )


async def ask(app: Crawler, url: str, job: str | None = None) -> Story:
    ledger = books_of(app.ledger)
    return await tell(url, ledger, house(app.ledger.settings), app.parts.clock.now(), job)


def story_of(url: str, *answers: Response | Failure | Forbidden, **spec: Any) -> JobStory:
    """The story of a URL that the home page links to, after a crawl."""

    async def play(web: SimulatedWeb, app: Crawler) -> JobStory:
        web.at(HOME, page("home", url))
        if answers:
            web.at(url, *answers)
        await crawl(app, HOME, **spec)
        return (await ask(app, url)).jobs[0]

    return simulate(play)


def would_be(url: str, spec: JobSpec | None = None) -> Story:
    """The story before any crawl."""
    return run_virtually(tell(url, None, house(spec=spec), START))


def target_state(told: JobStory) -> State:
    assert told.target is not None
    return told.target.state


# What became of URLs that a crawl met.


def test_a_stored_page_is_told_with_its_attempt_and_where_it_was_found() -> None:
    told = story_of("https://a.example/x", page("words"))
    assert told.answer == "fetched and stored"
    assert told.target is not None
    assert told.target.found_on == HOME
    assert [(a.outcome, a.status) for a in told.attempts] == [("read", 200)]
    assert told.page is not None
    assert told.page.title == "words"
    assert told.next.what == "nothing: it is done"


@pytest.mark.parametrize(
    ("again", "word"),
    [(None, "fetched and"), (status(304), "unchanged"), (status(502), "stale")],
    ids=["read", "unchanged", "stale"],
)
def test_a_page_that_was_purged_is_not_said_to_be_stored(again: Response | None, word: str) -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> list[str]:
        web.at(HOME, page("words", etag='"1"'), again or page("words"))
        await crawl(app, HOME)
        if again is not None:
            await crawl(app, HOME, again=True)
        told = [(await ask(app, HOME)).jobs[0]]
        await app.ledger.pages.purge(PageChoice(host="a.example"), 0, dry=False)
        told.append((await ask(app, HOME)).jobs[0])
        assert [each.page is None for each in told] == [False, True]
        return [each.answer for each in told]

    before, after = simulate(play)
    assert word in before
    assert "stored" in before
    assert after == "fetched and stored, but purged since"


def test_every_attempt_is_told() -> None:
    told = story_of("https://a.example/x", status(500), status(500), page("at last"))
    assert [a.status for a in told.attempts] == [500, 500, 200]
    assert target_state(told) is State.DONE


def test_a_target_given_up_says_that_its_attempts_are_spent() -> None:
    told = story_of("https://a.example/x", failing(Fault.READ_TIMEOUT))
    assert told.answer == "given up: read_timeout: simulated"
    assert len(told.attempts) == 3
    assert told.next.what == "nothing: its attempts are spent"


def test_a_fault_that_is_never_retried_says_so() -> None:
    told = story_of("https://a.example/x", status(403))
    assert target_state(told) is State.FAILED
    assert told.next.what == "nothing: trying again would not help"


def test_a_page_that_is_gone_says_what_the_server_said() -> None:
    assert story_of("https://a.example/x", status(410)).answer == "gone: http 410"


def test_a_redirect_tells_its_chain() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> JobStory:
        web.at(HOME, page("home", "/old"))
        web.at("https://a.example/old", redirect("/new"))
        web.at("https://a.example/new", page("new"))
        await crawl(app, HOME)
        return (await ask(app, "https://a.example/old")).jobs[0]

    told = simulate(play)
    assert told.attempts[0].chain == ("https://a.example/old", "https://a.example/new")
    assert told.page is not None
    assert told.page.final_url == "https://a.example/new"


def test_a_page_that_forbids_keeping_it_was_fetched_and_is_not_stored() -> None:
    told = story_of("https://a.example/x", page("secret", x_robots_tag="noindex"))
    assert told.answer == "fetched, not stored: the page asks not to be kept (noindex)"
    assert told.page is None


def test_a_throttled_target_names_the_moment_before_which_nothing_happens() -> None:
    told = story_of("https://a.example/x", throttled(retry_after=7200), page("later"))
    assert target_state(told) is State.PENDING
    assert told.next.not_before is not None
    assert told.next.not_before > START + 7200


def test_a_name_that_leads_to_a_private_address_is_told_with_that_address() -> None:
    told = story_of("https://a.example/x", Forbidden("10.0.0.1", "private"))
    assert told.answer == "blocked: private_address: 10.0.0.1: private"


def test_a_rejection_that_was_kept_is_told() -> None:
    told = story_of("https://a.example/calendar/2091/05/01/")
    assert [kept.reason for kept in told.kept_rejections] == [Reason.TRAP]
    assert told.answer == "not taken: trap, when a page named it"


def test_a_host_limit_that_refused_a_url_is_told() -> None:
    told = story_of("https://a.example/x", page("x"), max_pages_per_host=1)
    assert [kept.reason for kept in told.kept_rejections] == [Reason.HOST_LIMIT]


def test_what_waits_behind_a_page_limit_is_told_so() -> None:
    told = story_of("https://a.example/x", page("x"), max_pages=1)
    assert target_state(told) is State.PENDING
    assert told.next.what == "nothing: the job has its 1 pages"


def test_a_target_of_a_job_that_goes_on_waits_for_its_turn() -> None:
    async def play(_: SimulatedWeb, app: Crawler) -> JobStory:
        await start_job(app, HOME)
        return (await ask(app, HOME)).jobs[0]

    told = simulate(play)
    assert told.answer == "known, not fetched yet"
    assert told.next.what == "fetched when its turn comes"


# What a try meant, and what its host has to do with it.


def test_a_throttled_target_tells_the_header_and_that_it_cost_nothing() -> None:
    told = story_of("https://a.example/x", throttled(retry_after=7200), page("later"))
    assert told.attempts[-1].error == "http 429, Retry-After: 7200 s"
    assert told.answer == "waiting for its host: told to wait (http 429, Retry-After: 7200 s)"
    assert told.meaning == "it cost no attempt: the host told all of us to wait"
    assert told.next.because == "told to wait (by a 429, or a 503 with Retry-After)"


def test_a_throttled_target_of_a_running_job_waits_for_its_host() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> JobStory:
        web.at(HOME, throttled(retry_after=7200))
        job = await start_job(app, HOME)
        await app.run(job).run()
        return (await ask(app, HOME)).jobs[0]

    told = simulate(play)
    assert told.next.what == "fetched when its host is open again"


def test_a_host_that_is_away_costs_its_targets_nothing() -> None:
    """FE-8: the breaker counts, and its probe comes first."""
    told = story_of("https://a.example/x", failing(Fault.CONNECT_REFUSED))
    assert told.target is not None
    assert (told.target.state, told.target.attempts) == (State.PENDING, 0)
    assert told.meaning.startswith("it cost no attempt: the whole host is in trouble")
    assert told.answer.startswith("waiting for its host: breaker open (")
    assert told.next.because.endswith("the last connect_refused), and a probe goes first")
    assert told.next.not_before is not None


def test_a_target_between_two_attempts_tells_which_comes_next() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> JobStory:
        web.at(HOME, status(500, **{"retry-after": "7200"}))
        job = await start_job(app, HOME)
        await app.run(job).run()
        return (await ask(app, HOME)).jobs[0]

    told = simulate(play)
    assert told.attempts[-1].error == "server_error: http 500, Retry-After: 7200 s"
    assert told.meaning == "attempt 1 of 3 failed; such a fault may pass"
    assert told.next.what == "attempt 2 of 3"
    assert told.next.not_before is not None
    assert told.next.not_before >= START + 7200


@pytest.mark.parametrize(
    ("answer", "meaning"),
    [
        (status(500), "attempt 3 of 3 failed, and none is left"),
        (status(400), "the fault is this URL's own: another try would end like this one"),
        (status(402), "the site wants to be paid for it; whether to pay is yours to decide"),
        (status(404), ""),
        (page("words"), ""),
    ],
)
def test_what_the_last_try_meant_is_told(answer: Response, meaning: str) -> None:
    assert story_of("https://a.example/x", answer).meaning == meaning


def test_a_page_that_is_none_is_told_with_the_verdict_and_what_gave_it_away() -> None:
    fake = "<!doctype html><title>Page not found</title><h1>Page not found</h1><p>Sorry."
    told = story_of("https://a.example/x", status(200, fake, **{"content-type": "text/html"}))
    assert target_state(told) is State.REJECTED
    assert told.answer == f"fetched, not kept, for it is not the page: {told.attempts[-1].error}"
    assert told.attempts[-1].error.startswith("soft_404: ")
    assert told.meaning == "the server answered, but not with the page; it is not asked again"


def test_a_page_that_needs_a_browser_is_told_to_wait_for_one() -> None:
    shell = '<!doctype html><title>x</title><div id="root"></div><script src="/a.js"></script>'
    told = story_of("https://a.example/x", status(200, shell, **{"content-type": "text/html"}))
    assert target_state(told) is State.PENDING
    assert told.answer == f"waiting for a browser: {told.attempts[-1].error}"
    assert told.attempts[-1].error.startswith("empty_shell: ")
    assert told.meaning == "a browser may get the page, and none was at hand: it waits for one"
    assert told.next.what.startswith("read by the next crawl or worker that has a browser")
    assert told.next.not_before is None


def test_a_wall_is_told_to_cool_its_host() -> None:
    wall = "<!doctype html><title>Access denied</title><h1>Access denied</h1>"
    wall += "<p>You don't have permission to access this page on this server.</p>"

    async def play(web: SimulatedWeb, app: Crawler) -> Story:
        web.at(HOME, page("home", "/x"))
        web.at("https://a.example/x", status(200, wall, **{"content-type": "text/html"}))
        await crawl(app, HOME)
        return await ask(app, "https://a.example/x")

    told = simulate(play)
    assert told.jobs[0].attempts[-1].error.startswith("access_denied: ")
    assert told.jobs[0].meaning.startswith("the site turns us away: its host cools down")
    assert told.standing is not None
    assert told.standing.word is Word.COOLDOWN
    assert told.standing.until is not None


def test_a_paused_host_is_what_its_targets_wait_for() -> None:
    async def play(_: SimulatedWeb, app: Crawler) -> JobStory:
        await start_job(app, HOME)
        await app.ledger.hosts.pause("a.example")
        return (await ask(app, HOME)).jobs[0]

    told = simulate(play)
    assert told.answer == "waiting for its host, which is paused"
    assert told.next.what == "waits until its host is resumed: tenax hosts a.example --resume"
    assert told.next.not_before is None


def test_a_dead_letter_that_was_returned_has_no_attempt_that_counts() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> JobStory:
        web.at(HOME, status(500))
        await crawl(app, HOME)
        await app.ledger.dead.give_back(Letters())
        return (await ask(app, HOME)).jobs[0]

    told = simulate(play)
    assert len(told.attempts) == 3
    assert told.meaning == ""


# The line of robots.txt that decided.


def test_the_robots_line_that_decided_is_named() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> Story:
        web.at("https://a.example/robots.txt", robots("User-agent: *\n\nDisallow: /private/\n"))
        web.at(HOME, page("home", "/private/x"))
        await crawl(app, HOME)
        return await ask(app, "https://a.example/private/x")

    told = simulate(play)
    assert told.robots is not None
    assert (told.robots.allowed, told.robots.line) == (False, 3)
    assert told.robots.rule == "Disallow: /private/"
    assert told.jobs[0].answer == "blocked: robots.txt line 3: Disallow: /private/"


def test_a_url_never_seen_would_be_blocked_by_the_line_that_forbids_it() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> JobStory:
        web.at("https://a.example/robots.txt", robots("User-agent: tenax\nDisallow: /x\n"))
        web.at(HOME, page("home"))
        await crawl(app, HOME)
        return (await ask(app, "https://a.example/x")).jobs[0]

    told = simulate(play)
    assert told.target is None
    assert told.answer == "would be taken, then blocked by robots.txt line 2: Disallow: /x"


def test_an_unreachable_robots_file_makes_urls_wait() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> tuple[Story, Story]:
        web.at("https://a.example/robots.txt", status(503))
        web.at(HOME, page("home"))
        await crawl(app, HOME)
        return await ask(app, HOME), await ask(app, "https://a.example/never")

    known, unknown = simulate(play)
    assert target_state(known.jobs[0]) is State.PENDING
    assert known.jobs[0].next.not_before is not None
    assert unknown.jobs[0].answer.startswith("would be taken, then wait: robots.txt answered 503")


# Identity.


def test_each_rule_that_changed_the_url_has_its_sentence() -> None:
    (told,) = would_be("HTTPS://A.example:443/b/../x?utm_source=q&b=2&a=1#top").jobs
    assert told.normal.form == "https://a.example/x?a=1&b=2"
    assert set(told.normal.changes) >= {
        "dropped fragment #top",
        "dropped tracking parameter utm_source",
        "sorted query parameters",
        "dropped default port 443",
    }


def test_another_spelling_of_a_known_url_finds_its_story() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> JobStory:
        web.at(HOME, page("home", "/x?b=2&a=1"))
        web.at("https://a.example/x?b=2&a=1", page("x"))
        await crawl(app, HOME)
        return (await ask(app, "a.example/x?a=1&utm_source=mail&b=2#here")).jobs[0]

    told = simulate(play)
    assert told.target is not None
    assert told.target.url == "https://a.example/x?b=2&a=1"


def test_every_job_is_told_by_its_own_rules() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> Story:
        web.at(HOME, page("home", "/x?ref=1"))
        web.at("https://a.example/x?ref=1", page("x"))
        await crawl(app, HOME, name="usual")
        await crawl(app, HOME, name="exact", drop_parameters=())
        return await ask(app, "https://a.example/x?ref=1")

    usual, exact = simulate(play).jobs
    assert (usual.normal.form, exact.normal.form) == (
        "https://a.example/x",
        "https://a.example/x?ref=1",
    )
    assert usual.target is not None
    assert exact.target is not None


def test_one_job_can_be_asked_for() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> Story:
        web.at(HOME, page("home"))
        await crawl(app, HOME, name="one")
        await crawl(app, HOME, name="two")
        return await ask(app, HOME, job="two")

    assert [told.job for told in simulate(play).jobs] == ["two"]


# What would be, before any crawl.


def test_without_a_ledger_it_tells_what_a_crawl_would_do() -> None:
    story = would_be("example.com/a")
    assert story.url == "https://example.com/a"
    assert story.jobs[0].job is None
    assert story.jobs[0].answer == "would be fetched, unless its robots.txt forbids it"


@pytest.mark.parametrize(
    ("url", "answer"),
    [
        ("http://10.1.2.3/", "private_address: 10.1.2.3 is private"),
        ("http://[::1]/", "private_address: ::1 is loopback"),
        ("http://169.254.169.254/", "private_address: 169.254.169.254 is cloud metadata"),
        ("localhost:8000", "private_address: localhost is loopback"),
        ("https://a.example/a.zip", "file_type: .zip holds no text"),
        ("https://u:p@a.example/", "credentials_in_url: a user name or password before the host"),
    ],
)
def test_what_the_door_would_refuse_is_told_with_the_reason(url: str, answer: str) -> None:
    assert would_be(url).jobs[0].answer == f"would be refused at the door: {answer}"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("mailto:me@a.example", "scheme: mailto, not http or https"),
        ("http://", "malformed: not a URL"),
        ("", "malformed: not a URL"),
        ("/path/only", "malformed: not a URL"),
    ],
)
def test_what_is_no_url_is_told_so(text: str, problem: str) -> None:
    story = would_be(text)
    assert (story.url, story.problem, story.jobs) == (None, problem, ())


def test_a_job_that_would_refuse_a_url_says_all_its_reasons() -> None:
    async def play(web: SimulatedWeb, app: Crawler) -> JobStory:
        web.at(HOME, page("home"))
        await crawl(app, HOME)
        return (await ask(app, "https://b.example/a.zip")).jobs[0]

    told = simulate(play)
    refused = [check.partition(":")[0] for check in told.door.checks if "refused" in check]
    assert refused == ["out_of_scope", "file_type"]


@given(st.text(max_size=80) | st.from_regex(r"https?://[^\s/]{1,20}/[^\s]{0,30}", fullmatch=True))
def test_any_text_at_all_gets_a_story(text: str) -> None:
    story = would_be(text)
    assert bool(story.problem) == (story.url is None)


def test_a_changed_setting_does_not_hide_what_happened() -> None:
    """The door is asked with today's settings; the state is the ledger's."""

    async def play(web: SimulatedWeb, app: Crawler) -> JobStory:
        web.at("http://127.0.0.1/", page("local"))
        await crawl(app, "http://127.0.0.1/")
        ledger = books_of(app.ledger)
        story = await tell("http://127.0.0.1/", ledger, house(DEFAULTS), START)
        return story.jobs[0]

    told = simulate(play, replace(DEFAULTS, allow_private=("127.0.0.0/8",)))
    assert told.answer == "fetched and stored"
    assert told.door.reason == Reason.PRIVATE_ADDRESS
