"""One login at a host: its page, its form, what comes then, and whether that proves it.

Three requests or so, each in the host's turn and past its robots.txt. The fields go to that host
alone, and what is told of a failure never has them in it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from hashlib import sha256

import msgspec
from msgspec import Struct

from tenax.fetch.answers import account, judge
from tenax.fetch.cookies.jar import Jar
from tenax.fetch.fetcher import Fetcher
from tenax.fetch.redirects import RedirectPolicy, follow, is_redirect, keeps_request
from tenax.fetch.turns import HostAtGate
from tenax.hosts.signs import sign_of
from tenax.model import Client, Request, Response, SiteRules
from tenax.outcome import RETRYABLE, Failed, Outcome, Throttled, Waiting
from tenax.page.charset import decide_charset, decode
from tenax.page.forms.login_form import NoForm, fill_in, finds, has_password
from tenax.urls.normalise import origin_of

MayAsk = Callable[[str], Awaitable[Outcome | None]]
"""What robots.txt and the host's record say of a URL: None to go on."""
_FORM = "application/x-www-form-urlencoded"


class LoginPlan(Struct, frozen=True):
    """What the rules of a site say of logging in. Two that are the same open the same session."""

    url: str
    fields: dict[str, str]
    is_json: bool = False
    check: str = ""

    @property
    def mark(self) -> bytes:
        """By which a session is known to be of this login, and of no other account."""
        return sha256(msgspec.json.encode(self)).digest()[:16]

    def __repr__(self) -> str:
        """Nothing of it: reprs end up in logs (SEC-3)."""
        return f"LoginPlan({self.url})"


class LoginFailed(Struct, frozen=True):
    why: str
    passing: Outcome | None = None
    """What ended it for now, where it says nothing of the login: no answer, or told to wait."""


def plan_of(rules: SiteRules, url: str) -> LoginPlan:
    fields = rules.login_fields or {}
    return LoginPlan(url, fields, rules.login_as == "json", rules.login_check or "")


async def log_in(
    plan: LoginPlan, fetcher: Fetcher, turns: HostAtGate, may_ask: MayAsk, jar: Jar
) -> LoginFailed | None:
    """None when we are logged in; the cookies are in the jar then."""
    if not plan.fields:
        return LoginFailed("login_fields names nothing to send")
    asker = _Asker(fetcher, turns, may_ask, jar)
    if plan.is_json:
        came = await asker.post(
            plan.url, msgspec.json.encode(plan.fields), "application/json", plan.url
        )
    else:
        page = await asker.get(plan.url)
        if isinstance(page, LoginFailed):
            return page
        filled = fill_in(page.body or b"", page.headers.get("content-type"), page.url, plan.fields)
        if isinstance(filled, NoForm):
            return LoginFailed(f"{page.url}: {filled.why}")
        came = await asker.post(filled.url, filled.body, _FORM, page.url)
    return came if isinstance(came, LoginFailed) else _doubts(plan.check, came, jar)


def _doubts(check: str, came: Response, jar: Jar) -> LoginFailed | None:
    """Why the answer does not prove it; None when it does."""
    body, kind = came.body or b"", came.headers.get("content-type")
    if check.startswith("cookie:"):
        name = check.removeprefix("cookie:").strip()
        is_there = name in jar.names
        return None if is_there else LoginFailed(f"no cookie {name!r} came: {_hint(came)}")
    if check.startswith("css:"):
        found = finds(body, kind, check.removeprefix("css:").strip())
        if found is None:
            return LoginFailed("login_check is no CSS selector")
        return None if found else LoginFailed(f"the page after it has no {check}: {_hint(came)}")
    if check:
        is_there = check in decode(body, decide_charset(body, kind).name)
        return (
            None
            if is_there
            else LoginFailed(f"the page after it does not say {check!r}: {_hint(came)}")
        )
    if not jar.names:
        return LoginFailed(f"no cookie came: {_hint(came)}")
    return LoginFailed(_hint(came)) if has_password(body, kind) else None


def _hint(came: Response) -> str:
    if has_password(came.body or b"", came.headers.get("content-type")):
        return "it asks for a password again, so user or password may be wrong"
    return f"http {came.status} at {came.url}"


class _Asker:
    """Asks one host, takes its cookies, and follows it as long as it stays there."""

    def __init__(self, fetcher: Fetcher, turns: HostAtGate, may_ask: MayAsk, jar: Jar) -> None:
        self._fetcher = fetcher
        self._turns = turns
        self._may_ask = may_ask
        self._jar = jar

    async def get(self, url: str, chain: tuple[str, ...] = ()) -> Response | LoginFailed:
        while True:
            answer = await self._send(url, "GET")
            if isinstance(answer, LoginFailed) or not is_redirect(answer):
                return answer
            chain += (url,)
            step = follow(answer, chain, RedirectPolicy(self._fetcher.most_redirects))
            if not isinstance(step, str):
                return answer if len(chain) > 1 else LoginFailed(f"{url}: {account(step)}")
            url = step

    async def post(self, url: str, body: bytes, kind: str, referer: str) -> Response | LoginFailed:
        extra = (("Content-Type", kind), ("Origin", origin_of(url)), ("Referer", referer))
        answer = await self._send(url, "POST", extra, body)
        if isinstance(answer, LoginFailed) or not is_redirect(answer):
            return answer
        if keeps_request(answer):
            return LoginFailed(f"{url}: http {answer.status} wants the fields sent elsewhere")
        # Where it leads may be what was asked for before: the chain begins anew.
        step = follow(answer, (), RedirectPolicy(self._fetcher.most_redirects))
        # What it says elsewhere is not ours to read; cookies may prove enough.
        return await self.get(step) if isinstance(step, str) else answer

    async def _send(
        self,
        url: str,
        method: str,
        extra: tuple[tuple[str, str], ...] = (),
        body: bytes = b"",
    ) -> Response | LoginFailed:
        denied = await self._may_ask(url)
        if denied is not None:
            return _failed(url, denied)
        fetcher = self._fetcher
        headers = fetcher.introductions.headers_to_log_in(url, self._jar) + extra
        limits = fetcher.request(url).limits
        request = Request(url, method, headers, limits, fresh=method == "POST", body=body)
        client, _ = fetcher.clients_for(self._turns)
        client = Client.HTTP if client is Client.BROWSER else client
        answer, started = await fetcher.send(request, self._turns, client)
        result = answer if isinstance(answer, Waiting) else judge(answer, fetcher.clock.now())
        if isinstance(answer, Response):
            self._jar.take(url, answer.headers.all("set-cookie"))
            if is_redirect(answer) or isinstance(result, Response):
                return answer
        assert not isinstance(result, Response), "every answer is a response or has an outcome"
        failed = _failed(url, result)
        if failed.passing is None:
            # What passes is the visit's own outcome, and the host learns from that.
            self._turns.learn(sign_of(result, started))
        return failed


def _failed(url: str, outcome: Outcome) -> LoginFailed:
    is_passing = isinstance(outcome, Waiting | Throttled) or (
        isinstance(outcome, Failed) and outcome.fault in RETRYABLE
    )
    return LoginFailed(f"{url}: {account(outcome)}", outcome if is_passing else None)
