"""Does the crawl log in where rules of sites say so, again when it has to, and never too often?"""

from __future__ import annotations

import logging
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from msgspec.structs import replace

from tenax.cli.look.show_hosts import login_lines
from tenax.compose.crawler import Crawler
from tenax.fetch.freshness import FreshnessPolicy
from tenax.hosts.pace import PacePolicy
from tenax.model import Fault, Request, Response, SiteRules, State
from tenax.settings import Settings
from tenax.testing import (
    SimulatedWeb,
    crawl,
    failing,
    open_test_app,
    page,
    redirect,
    robots,
    run_virtually,
    scratch,
    simulate,
    status,
)

CLUB = "club.example"
HOME = f"https://{CLUB}/"
LOGIN = f"https://{CLUB}/login"
PASSWORD = "hunter2 & more"
FIELDS = {"user": "me", "password": PASSWORD}
RULES = SiteRules(CLUB, login="/login", login_fields=FIELDS)
FORM = """<!doctype html><title>Log in</title><form action="/search"><input name="q"></form>
<form method="post" action="/session"><input type="hidden" name="csrf" value="{token}">
<input name="user"><input type="password" name="password"><button name="go" value="1">Go</button>
</form>"""


class Club:
    """A site whose pages are for members: a form with a token, sessions that end."""

    def __init__(self, web: SimulatedWeb, pages: int = 4) -> None:
        self.pages = pages
        self.tokens: set[str] = set()
        self.sessions: set[str] = set()
        self.posts: list[dict[str, str]] = []
        self.answer_login: Response | None = None
        self.lasts = 10**9
        """Pages that a session is good for."""
        self.rotates = False
        self.read: list[tuple[str, str]] = []
        web.host(CLUB, self)

    def __call__(self, request: Request) -> Response:
        path = request.url.removeprefix(f"https://{CLUB}").partition("?")[0]
        cookies = dict(
            each.split("=", 1)
            for each in dict(request.headers).get("Cookie", "").split("; ")
            if each
        )
        match path:
            case "/robots.txt":
                assert "Cookie" not in dict(request.headers)
                return status(404, set_cookie="sid=stranger; Path=/")
            case "/login":
                return self._login()
            case "/session":
                return self._session(request, cookies)
            case _:
                return self._page(path, cookies.get("sid", ""))

    def _login(self) -> Response:
        token = f"token-{len(self.tokens)}"
        self.tokens.add(token)
        html = {"content-type": "text/html"}
        return status(200, FORM.format(token=token), set_cookie=f"pre={token}; Path=/", **html)

    def _session(self, request: Request, cookies: dict[str, str]) -> Response:
        sent = dict(parse_qsl(request.body.decode()))
        self.posts.append(sent)
        assert request.method == "POST"
        assert dict(request.headers)["Referer"] == LOGIN
        if sent["csrf"] not in self.tokens or cookies["pre"] != sent["csrf"]:
            return status(403, "forged")
        if self.answer_login is not None:
            return self.answer_login
        if sent["password"] != PASSWORD:
            return redirect("/login?wrong=1")
        return self._opened(redirect("/home"))

    def _opened(self, answer: Response) -> Response:
        sid = f"s{len(self.posts)}.{len(self.read)}"
        self.sessions = {sid}
        pairs = (*answer.headers.pairs, ("set-cookie", f"sid={sid}; Path=/; Secure; HttpOnly"))
        return replace(answer, headers=type(answer.headers)(pairs))

    def _page(self, path: str, sid: str) -> Response:
        if sid not in self.sessions:
            return redirect(f"/login?next={path}")
        self.read.append((path, sid))
        self.lasts -= 1
        if self.lasts == 0:
            self.sessions, self.lasts = set(), 10**9
        links = [f"/m/{n}" for n in range(self.pages)] if path == "/" else []
        answer = page(f"Members only {path}: {' '.join(f'w{path}{n}' for n in range(40))}", *links)
        return self._opened(answer) if self.rotates else answer


def settings(rules: SiteRules = RULES) -> Settings:
    contact = "mailto:test@example.org"
    return Settings(contact=contact, sites=(rules,), pace=PacePolicy(delay=1.0))


async def told(app: Crawler) -> list[str]:
    host = await app.ledger.hosts.get(CLUB)
    assert host is not None
    incidents = await app.ledger.hosts.incidents(host.host.id)
    (line,) = login_lines(incidents)
    assert incidents[0].why in line, "tenax hosts HOST tells the last"
    return [each.why for each in incidents]


def test_a_crawl_logs_in_once_before_the_first_page_and_reads_what_members_see() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        club = Club(web)
        counts = await crawl(app, HOME)
        assert counts.states == {State.DONE: 5}
        expected = {"csrf": "token-0", "go": "1", "user": "me", "password": PASSWORD}
        assert club.posts == [expected]
        assert web.urls()[:3] == [LOGIN, f"https://{CLUB}/session", f"{HOME}home"]
        gaps = [b - a for a, b in zip(web.asked(CLUB), web.asked(CLUB)[1:], strict=False)]
        assert min(gaps) >= 1.0, "every request of a login waits for its turn"
        assert await told(app) == ["logged in"]

    simulate(story, settings())


def test_a_session_that_ends_in_the_middle_is_begun_again_and_the_page_asked_for_again() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        club = Club(web)
        club.lasts = 3
        counts = await crawl(app, HOME)
        assert counts.states == {State.DONE: 5}
        assert len(club.posts) == 2
        assert {path for path, _ in club.read} >= {"/", "/m/0", "/m/1", "/m/2", "/m/3"}
        assert await told(app) == ["logged in", "logged in"]

    simulate(story, settings())


def test_a_session_survives_the_process_and_is_no_other_jobs(tmp_path: Path) -> None:
    async def main() -> None:
        web = SimulatedWeb()
        club = Club(web)
        async with open_test_app(web, tmp_path, settings()) as app:
            await crawl(app, HOME)
        async with open_test_app(web, tmp_path, settings()) as app:
            assert (await crawl(app, HOME, again=True)).pages == 5
            assert len(club.posts) == 1, "the session of the first process is gone on with"
            await crawl(app, HOME, name="another")
            assert len(club.posts) == 2, "each job has a session of its own"
        other = replace(RULES, login_fields={**FIELDS, "user": "you"})
        async with open_test_app(web, tmp_path, settings(other)) as app:
            await crawl(app, HOME, again=True)
            assert [sent["user"] for sent in club.posts] == ["me", "me", "you"]

    run_virtually(main())


def test_whoever_takes_the_login_out_of_the_rules_is_a_stranger_again(tmp_path: Path) -> None:
    async def main() -> None:
        web = SimulatedWeb()
        club = Club(web)
        async with open_test_app(web, tmp_path, settings()) as app:
            await crawl(app, HOME)
        read = len(club.read)
        async with open_test_app(web, tmp_path, replace(settings(), sites=())) as app:
            host = await app.ledger.hosts.get(CLUB)
            assert host is not None
            assert [each.names for each in await app.ledger.hosts.cookies(host.host.id)]
            await crawl(app, HOME, again=True)
            (kept,) = await app.ledger.hosts.cookies(host.host.id)
            assert kept.names == ("pre",), "what the login page sets, and not the session"
        assert len(club.read) == read

    run_virtually(main())


def test_a_session_that_every_page_renews_is_followed() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        club = Club(web)
        club.rotates = True
        assert (await crawl(app, HOME)).pages == 5
        assert len(club.posts) == 1

    simulate(story, settings())


def test_a_wrong_password_is_told_and_not_tried_again_at_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    wrong = replace(RULES, login_fields={"user": "me", "password": "s3cr3t-wrong"})

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        club = Club(web)
        counts = await crawl(app, *(f"{HOME}m/{n}" for n in range(6)))
        assert counts.states == {State.REJECTED: 6}
        assert len(club.posts) == 1
        (why,) = await told(app)
        assert "user or password may be wrong" in why
        await app.parts.clock.sleep(1_200)
        await crawl(app, f"{HOME}m/9", name="later")
        assert len(club.posts) == 2

    with caplog.at_level(logging.DEBUG):
        simulate(story, settings(wrong))
    assert "could not log in" in caplog.text
    assert "s3cr3t" not in caplog.text


def test_there_are_three_logins_an_hour_at_most() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        club = Club(web)
        seeds = [f"{HOME}m/{n}" for n in range(6)]
        for seed in seeds:
            web.at(seed, redirect("/login"))
        counts = await crawl(app, *seeds)
        assert counts.states == {State.REJECTED: 6}
        assert len(club.posts) == 3
        assert await told(app) == [
            "no further login: there were 3 within an hour", *3 * ["logged in"],
        ]  # fmt: skip

    simulate(story, settings())


def test_robots_txt_has_its_say_about_the_login_too() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        club = Club(web)
        web.at(f"{HOME}robots.txt", robots("User-agent: *\nDisallow: /login"))
        await crawl(app, HOME)
        assert (club.posts, web.urls()) == ([], [HOME])
        assert any("robots" in why for why in await told(app))

    simulate(story, settings())


def test_a_login_that_cannot_be_asked_for_puts_the_visit_off() -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        club = Club(web)
        web.at(LOGIN, failing(Fault.RESET), club)
        assert (await crawl(app, HOME)).pages == 5
        assert [path for path, _ in club.read][:2] == ["/home", "/"], (
            "nothing was read as a stranger"
        )
        assert len(club.posts) == 1

    simulate(story, settings())


@pytest.mark.parametrize(
    ("check", "is_proof"),
    [("Members only", True), ("css:main p", True), ("cookie:sid", True),
     ("Welcome back", False), ("css:.logout", False), ("cookie:other", False)],
)  # fmt: skip
def test_what_proves_a_login_is_looked_for(check: str, is_proof: bool) -> None:
    async def story(web: SimulatedWeb, app: Crawler) -> None:
        Club(web)
        counts = await crawl(app, HOME)
        assert (counts.pages > 0) is is_proof
        assert ("logged in" in await told(app)) is is_proof

    simulate(story, settings(replace(RULES, login_check=check)))


def test_fields_can_be_sent_as_json() -> None:
    rules = replace(RULES, login="/api/session", login_as="json", login_check="welcome")

    async def story(web: SimulatedWeb, app: Crawler) -> None:
        club = Club(web)
        seen: list[bytes] = []

        def answer(request: Request) -> Response:
            seen.append(request.body)
            assert dict(request.headers)["Content-Type"] == "application/json"
            return club._opened(status(200, '{"welcome": true}', content_type="application/json"))

        web.at(f"{HOME}api/session", answer)
        assert (await crawl(app, HOME)).pages == 5
        assert seen == [b'{"user":"me","password":"hunter2 & more"}']

    simulate(story, settings(rules))


def test_what_a_member_read_serves_no_job_that_is_not_logged_in() -> None:
    """Copies and duplicates belong to a job; here the second would take any copy there is."""

    async def main() -> None:
        web = SimulatedWeb()
        club = Club(web)

        def both(request: Request) -> Response:
            is_member = "sid=s" in dict(request.headers).get("Cookie", "")
            return club(request) if is_member else page("What everybody may see")

        web.at(HOME, both)
        plain = replace(settings(), sites=(), freshness=FreshnessPolicy(prefer_cache=True))
        with scratch() as folder:
            async with open_test_app(web, Path(folder), settings()) as app:
                await crawl(app, HOME, name="members")
            asked = len(web.urls())
            async with open_test_app(web, Path(folder), plain) as app:
                assert (await crawl(app, HOME, name="open")).pages == 1
                assert web.urls()[asked:] == [HOME]
                titles = {}
                for name in ("members", "open"):
                    stored = await app.ledger.pages.find(name)
                    titles[name] = {each.url: each.title for each in stored}[HOME]
                assert titles["open"] == "What everybody may see"
                assert titles["members"].startswith("Members only /")

    run_virtually(main())
