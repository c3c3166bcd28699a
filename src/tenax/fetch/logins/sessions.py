"""When is a host logged in to? Before its first visit, and again when a wall says that the session
is over: once at a time for each host, and a few times an hour at most for each job.

The session is in the job's jar for that host, and with it in the ledger: the next process goes on
with it, and no job has that of another.

A login that fails costs no visit: what needs none is read, what does is refused as `login_wall`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from msgspec import Struct
from msgspec.structs import replace

from tenax.fetch.answers import account
from tenax.fetch.cookies.jar import Jar
from tenax.fetch.fetcher import Fetcher, FetchResult, MayVisit
from tenax.fetch.logins.log_in import LoginPlan, MayAsk, log_in, plan_of
from tenax.fetch.turns import HostAtGate
from tenax.model import Incident, IncidentKind
from tenax.outcome import Attempt, Failed, Garbage, Outcome, Waiting, cause
from tenax.urls.normalise import host_of, path_of
from tenax.urls.sites import Sites, login_url

log = logging.getLogger(__name__)
MOST = 3
"""Logins at a host in an hour: more would lock an account out."""
_HOUR = 3600.0
_RESPITE = 1200.0
"""Seconds after one that failed: what was wrong a moment ago is no better now."""
_REMEMBERED = 4_096
_WALL = "login_wall"
_WHY = 300

Ask = Callable[[MayVisit], Awaitable[FetchResult]]
"""Fetch, with this say on redirects."""
Told = Callable[[Incident], Awaitable[None]]
"""Written down of the host."""


class LoginVisit(Struct, frozen=True):
    """Whom a visit asks, and what it may."""

    url: str
    job_id: int
    jar: Jar
    """What the host has set in this job: the session, once there is one."""
    turns: HostAtGate
    may_visit: MayVisit
    """Of redirects: the door and robots.txt."""
    may_ask: MayAsk
    """Of the login's own URLs: robots.txt."""
    told: Told


class _Tries:
    """What this process has tried at one host."""

    def __init__(self, plan: LoginPlan) -> None:
        self.plan = plan
        self.lock = asyncio.Lock()
        self.of_job: dict[int, list[float]] = {}
        """When it was logged in to for each job, within the last hour."""
        self.failed_at = -_HOUR
        self.told: set[int] = set()
        """Jobs of which it is told that there were too many."""


class Logins:
    def __init__(self, fetcher: Fetcher, sites: Sites) -> None:
        self._fetcher = fetcher
        self._sites = sites
        self._tries: dict[str, _Tries] = {}

    @property
    def are_wanted(self) -> bool:
        """Whether the rules of any site name one; else nothing of this costs anything."""
        return self._sites.has_logins

    async def fetch(self, visit: LoginVisit, ask: Ask) -> FetchResult:
        """What `ask` brings, logged in where the rules of the site say so; asked a second time
        where a wall came and another login took it away."""
        plan = self._plan(visit.url)
        if plan is None:
            return await ask(visit.may_visit)
        tries, jar = self._tries_at(host_of(visit.url), plan), visit.jar
        if jar.login != plan.mark:
            begun = await self._renew(tries, jar.number, visit)
            if not isinstance(begun, bool):
                return self._put_off(begun)
        used = jar.number
        may_visit = _watching(plan.url, visit)
        fetched = await ask(may_visit)
        if not _is_wall(fetched.result) or _is_same(visit.url, plan.url):
            return fetched
        if await self._renew(tries, used, visit) is not True:
            return fetched
        again = await ask(may_visit)
        before = () if fetched.attempt is None else (fetched.attempt,)
        return replace(again, earlier=fetched.earlier + before + again.earlier)

    def _put_off(self, outcome: Outcome) -> FetchResult:
        """The login could not be asked for; nor could the page, most likely."""
        if isinstance(outcome, Waiting):
            return FetchResult(outcome, None)
        error = f"login: {account(outcome)}"
        now = self._fetcher.clock.now()
        attempt = Attempt(now, outcome.word, error=error, cause=cause(outcome))
        return FetchResult(outcome, attempt)

    def _plan(self, url: str) -> LoginPlan | None:
        host = host_of(url)
        rules = self._sites.of(host).rules
        where = None if rules.login is None else login_url(rules, host)
        return None if where is None else plan_of(rules, where)

    def _tries_at(self, host: str, plan: LoginPlan) -> _Tries:
        known = self._tries.get(host)
        if known is None or known.plan != plan:
            if len(self._tries) >= _REMEMBERED:
                del self._tries[next(iter(self._tries))]
            # Whoever changes a password logs in anew: the one before may be somebody else.
            known = self._tries[host] = _Tries(plan)
        return known

    async def _renew(self, tries: _Tries, used: int, visit: LoginVisit) -> bool | Outcome:
        """Log in, unless somebody else just did; whether there is another session than `used`, or
        what kept us from asking for one."""
        async with tries.lock:
            jar, plan = visit.jar, tries.plan
            if jar.number != used:
                return jar.login == plan.mark
            now = self._fetcher.clock.now()
            if now - tries.failed_at < _RESPITE:
                self._leave(jar)
                return False
            lately = [at for at in tries.of_job.get(visit.job_id, ()) if now - at < _HOUR]
            if len(lately) >= MOST:
                if visit.job_id not in tries.told:
                    tries.told.add(visit.job_id)
                    why = f"no further login: there were {MOST} within an hour"
                    await self._tell(visit, why, lately[0] + _HOUR)
                return False
            new = Jar(self._fetcher.clock)
            failed = await log_in(plan, self._fetcher, visit.turns, visit.may_ask, new)
            if failed is not None and failed.passing is not None:
                return failed.passing
            tries.of_job[visit.job_id] = [*lately, now]
            tries.told.discard(visit.job_id)
            if failed is not None:
                tries.failed_at = now
                self._leave(jar)
                await self._tell(visit, f"could not log in: {failed.why}"[:_WHY])
                return False
            jar.become(new, plan.mark)
            log.info("%s: logged in", host_of(visit.url))
            now = self._fetcher.clock.now()
            await visit.told(Incident(now, IncidentKind.LOGIN, "logged in"))
            return True

    def _leave(self, jar: Jar) -> None:
        """A session that is over, or somebody else's, is not gone on with."""
        if jar.login:
            jar.become(Jar(self._fetcher.clock), b"")

    async def _tell(self, visit: LoginVisit, why: str, until: float | None = None) -> None:
        log.warning("%s: %s", host_of(visit.url), why)
        now = self._fetcher.clock.now()
        await visit.told(Incident(now, IncidentKind.LOGIN, why, until))


def _watching(login: str, visit: LoginVisit) -> MayVisit:
    """A redirect to the login is a wall, and not worth a request."""

    async def may_visit(hop: str) -> Outcome | None:
        if _is_same(hop, login) and not _is_same(visit.url, login):
            return Garbage(_WALL, f"redirect to {hop}")
        return await visit.may_visit(hop)

    return may_visit


def _is_wall(result: object) -> bool:
    if isinstance(result, Garbage):
        return result.verdict == _WALL
    return isinstance(result, Failed) and result.status == 401


def _is_same(url: str, login: str) -> bool:
    """The same page, whatever it is to do afterwards (`/login?next=/members`)."""
    return path_of(url).partition("?")[0] == path_of(login).partition("?")[0]
