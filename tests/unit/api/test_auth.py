"""Do people get in by their password, stay in by their cookie, and nobody else by it? (API-2)"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import pytest

from tenax.ops.accounts.api_keys import add_key
from tenax.ports.accounts import ApiRole
from tests.asking import Answer, Asker, ask, opened

pytest.importorskip("argon2", reason="the extra `api` is not installed")
PASSWORD = "correct horse battery"


class Browser:
    """Keeps the cookie, and says of its requests what browsers say."""

    def __init__(self, asker: Asker, host: str = "127.0.0.1:8080") -> None:
        self.asker = asker
        self.host = host
        self.cookie = ""
        self.said: SimpleCookie = SimpleCookie()

    async def ask(
        self,
        path: str,
        method: str = "GET",
        body: bytes = b"",
        client: str = "127.0.0.1",
        **headers: str,
    ) -> Answer:
        given = {"host": self.host, **{k.replace("_", "-"): v for k, v in headers.items()}}
        if self.cookie:
            given["cookie"] = f"tenax_session={self.cookie}"
        answer = await ask(self.asker.api, path, method, None, body, given, client)
        if "set-cookie" in answer.headers:
            self.said = SimpleCookie(answer.headers["set-cookie"])
            self.cookie = self.said["tenax_session"].value
        return answer

    async def act(self, path: str, method: str = "POST", body: bytes = b"") -> Answer:
        """As a page of ours asks."""
        return await self.ask(path, method, body, sec_fetch_site="same-origin")

    async def log_in(self, name: str = "anna", password: str = PASSWORD, **more: Any) -> Answer:
        body = f'{{"name": "{name}", "password": "{password}"}}'.encode()
        return await self.ask("/api/auth/login", "POST", body, **more)


@pytest.fixture
async def asker(tmp_path: Path) -> AsyncIterator[Asker]:
    async with opened(tmp_path) as made:
        found = Asker(made)
        await made.accounts.add("anna", ApiRole.ADMIN, PASSWORD)
        await made.accounts.add("uwe", ApiRole.USER, PASSWORD)
        yield found


@pytest.fixture
def browser(asker: Asker) -> Browser:
    return Browser(asker)


def pass_time(monkeypatch: pytest.MonkeyPatch, asker: Asker, seconds: float) -> None:
    clock = asker.opened.ledger.clock
    then = time.time() + seconds
    monkeypatch.setattr(clock, "now", lambda: then)


async def test_who_logs_in_may_do_what_their_role_may(asker: Asker) -> None:
    anna, uwe = Browser(asker), Browser(asker)
    assert (await anna.ask("/api/jobs")).status == 401
    for browser, name in ((anna, "anna"), (uwe, "uwe")):
        answer = await browser.log_in(name)
        assert (answer.status, answer.json["name"]) == (200, name)
    assert (await anna.ask("/api/jobs")).status == 200
    assert (await uwe.ask("/api/jobs")).status == 200
    assert (await anna.ask("/api/users")).status == 200
    assert (await uwe.ask("/api/users")).status == 403
    me = (await uwe.ask("/api/auth/me")).json
    assert (me["kind"], me["name"], me["role"]) == ("user", "uwe", "user")


async def test_the_cookie_is_for_this_site_and_out_of_reach_of_scripts(asker: Asker) -> None:
    for host, is_secure in (("127.0.0.1:8080", False), ("[::1]:8080", False),
                            ("localhost", False), ("tenax.example", True)):  # fmt: skip
        browser = Browser(asker, host)
        assert (await browser.log_in()).status == 200
        morsel = browser.said["tenax_session"]
        assert morsel["httponly"]
        assert morsel["samesite"].lower() == "strict"
        assert morsel["max-age"] == "86400"
        assert morsel["path"] == "/"
        assert bool(morsel["secure"]) == is_secure, host


async def test_a_wrong_name_and_a_wrong_password_are_told_alike(browser: Browser) -> None:
    wrong = await browser.log_in(password="wrong horse battery")
    nobody = await browser.log_in("nobody")
    assert (wrong.status, wrong.body) == (401, nobody.body)
    assert not browser.cookie


async def test_logging_in_makes_a_new_session_and_ends_the_old_one(browser: Browser) -> None:
    await browser.log_in()
    old = browser.cookie
    await browser.log_in()
    new = browser.cookie
    assert old != new
    browser.cookie = old
    assert (await browser.ask("/api/jobs")).status == 401
    browser.cookie = new
    assert (await browser.ask("/api/jobs")).status == 200


async def test_after_logging_out_a_stolen_cookie_opens_nothing(browser: Browser) -> None:
    await browser.log_in()
    stolen = browser.cookie
    answer = await browser.act("/api/auth/logout", "POST")
    assert answer.json == {"logged_out": True}
    browser.cookie = stolen
    assert (await browser.ask("/api/jobs")).status == 401
    assert (await browser.ask("/api/auth/me")).json["role"] == "anonymous"


async def test_a_session_ends_after_a_day(
    browser: Browser, asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    await browser.log_in()
    pass_time(monkeypatch, asker, 86_390.0)
    assert (await browser.ask("/api/jobs")).status == 200
    pass_time(monkeypatch, asker, 86_410.0)
    assert (await browser.ask("/api/jobs")).status == 401


async def test_what_changes_something_has_to_come_from_a_page_of_ours(browser: Browser) -> None:
    token = (await browser.log_in()).json["csrf_token"]
    assert (await browser.ask("/api/auth/me")).json["csrf_token"] == token
    stop = "/api/jobs/nobody/stop"
    for headers in ({}, {"sec_fetch_site": "cross-site"}, {"sec_fetch_site": "same-site"},
                    {"sec_fetch_site": "none"}, {"x_csrf_token": "guessed"},
                    {"sec_fetch_site": "cross-site", "x_csrf_token": token}):  # fmt: skip
        assert (await browser.ask(stop, "POST", **headers)).status == 403, headers
    for headers in ({"sec_fetch_site": "same-origin"}, {"x_csrf_token": token}):
        assert (await browser.ask(stop, "POST", **headers)).status == 404, headers


async def test_another_site_does_not_log_anybody_in(browser: Browser) -> None:
    assert (await browser.log_in(sec_fetch_site="cross-site")).status == 403


async def test_another_site_does_not_log_anybody_out(browser: Browser) -> None:
    """Their cookie is not sent along; an answer that takes it away would end the session all the
    same."""
    await browser.log_in()
    given: dict[str, str] = {"sec-fetch-site": "cross-site"}
    for headers in (given, {**given, "cookie": f"tenax_session={browser.cookie}"}):
        said = await ask(browser.asker.api, "/api/auth/logout", "POST", headers=headers)
        assert said.json == {"logged_out": False}
        assert "set-cookie" not in said.headers
    assert (await browser.ask("/api/jobs")).status == 200


async def test_whoever_tries_passwords_has_to_wait(browser: Browser) -> None:
    said = [await browser.log_in(password=f"wrong horse {n}") for n in range(6)]
    assert [each.status for each in said] == [401] * 5 + [429]
    assert said[-1].headers["retry-after"]
    assert (await browser.log_in()).status == 429, "also with the right one"
    assert (await browser.log_in(client="10.1.1.1")).status == 200, "from elsewhere"


async def test_one_name_is_not_tried_from_everywhere(browser: Browser) -> None:
    said = [
        (await browser.log_in(password="wrong horse", client=f"10.0.{n}.1")).status
        for n in range(21)
    ]
    assert said == [401] * 20 + [429]


async def test_a_team_behind_one_address_logs_in(browser: Browser, asker: Asker) -> None:
    """More of them than may fail from one address, and each asks first who they are."""
    for number in range(25):
        name = "anna" if number % 5 else "uwe"
        newcomer = Browser(asker)
        me = await newcomer.ask("/api/auth/me", sec_fetch_site="same-origin")
        assert me.json["role"] == "anonymous"
        assert (await newcomer.log_in(name)).status == 200, number
    said = [await browser.log_in(password=f"wrong horse {n}") for n in range(6)]
    assert [each.status for each in said] == [401] * 5 + [429]


async def test_who_says_who_they_are_and_is_not_is_counted(browser: Browser) -> None:
    browser.cookie = "made up"
    said = [
        (await browser.ask("/api/auth/me", sec_fetch_site="same-origin")).status for _ in range(11)
    ]
    assert said == [200] * 10 + [429]


async def test_a_one_time_password_is_good_for_choosing_another(tmp_path: Path) -> None:
    async with opened(tmp_path) as made:
        asker = Asker(made)
        password = await made.accounts.add_first()
        assert password is not None
        assert await made.accounts.add_first() is None
        browser = Browser(asker)
        assert (await browser.log_in("admin", password)).json["must_choose_password"]
        refused = await browser.ask("/api/jobs")
        assert (refused.status, "password" in refused.json["detail"]) == (403, True)
        choose = "/api/auth/password"
        for new, status in (("short", 422), (PASSWORD, 200)):
            body = f'{{"old": "{password}", "new": "{new}"}}'.encode()
            answer = await browser.act(choose, body=body)
            assert answer.status == status
        assert (await browser.ask("/api/jobs")).status == 401, "log in again"
        assert not (await browser.log_in("admin")).json["must_choose_password"]
        assert (await browser.ask("/api/jobs")).status == 200


async def test_users_are_added_listed_and_removed_by_admins(browser: Browser) -> None:
    await browser.log_in()
    body = f'{{"name": "bea", "role": "user", "password": "{PASSWORD}"}}'.encode()
    assert (await browser.act("/api/users", body=body)).status == 201
    assert (await browser.act("/api/users", body=body)).status == 409
    weak = b'{"name": "eva", "role": "user", "password": "short"}'
    assert (await browser.act("/api/users", body=weak)).status == 422
    listed = (await browser.ask("/api/users")).json["items"]
    assert [each["name"] for each in listed] == ["anna", "bea", "uwe"]
    assert all("hash" not in str(each) and "argon" not in str(each) for each in listed)
    gone = await browser.act("/api/users/bea", "DELETE")
    assert gone.json == {"name": "bea", "removed": True}
    last = await browser.act("/api/users/anna", "DELETE")
    assert last.status == 409
    acts = (await browser.ask("/api/acts")).json["items"]
    assert [(each["who"], each["what"], each["status"]) for each in acts[:2]] == [
        ("user anna", "DELETE /api/users/anna", 409),
        ("user anna", "DELETE /api/users/bea", 200),
    ]


async def test_keys_are_made_once_seen_and_expire(
    browser: Browser, asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    await browser.log_in()
    body = b'{"name": "ci", "role": "user", "expires_in": 3600}'
    made = await browser.act("/api/keys", body=body)
    key = made.json["key"]
    assert made.status == 201
    assert (await ask(asker.api, "/api/jobs", key=key)).status == 200
    (told,) = (await browser.ask("/api/keys")).json["items"]
    assert key not in str(told)
    assert told["used_at"] is not None
    pass_time(monkeypatch, asker, 3_601.0)
    assert (await ask(asker.api, "/api/jobs", key=key)).status == 401


async def test_a_key_for_a_job_sees_and_changes_that_job_alone(asker: Asker) -> None:
    await asker.make_keys()
    for name in ("mine", "other"):
        body = {"name": name, "seeds": [f"https://{name}.example/"]}
        assert (await asker.ask("/api/jobs", "POST", body=body)).status == 201
    key = await add_key(asker.opened.keys, "bound", ApiRole.ADMIN, jobs=("mine",))
    for method, path, status in (
        ("GET", "/api/jobs/mine", 200),
        ("GET", "/api/jobs/other", 403),
        ("GET", "/api/jobs", 403),
        ("GET", "/api/frontier/urls?job=mine", 200),
        ("GET", "/api/frontier/urls?job=other", 403),
        ("GET", "/api/frontier/urls", 403),
        ("GET", "/api/pages?job=mine", 200),
        ("GET", "/api/workers", 403),
        ("GET", "/api/acts", 403),
        ("POST", "/api/jobs/mine/start", 200),
        ("POST", "/api/jobs/other/start", 403),
        ("GET", "/api/stats", 200),
    ):
        assert (await ask(asker.api, path, method, key)).status == status, (method, path)
