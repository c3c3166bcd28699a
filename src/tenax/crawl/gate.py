"""May this target be visited now? robots.txt first, then the host's own record."""

from __future__ import annotations

import logging
import math

from tenax.crawl.observe.observer import Observer
from tenax.crawl.turns import HostTurns
from tenax.fetch.answers import account, refused_address
from tenax.fetch.fetcher import Fetcher
from tenax.fetch.inquiry import probe
from tenax.fetch.robots import RobotsBook
from tenax.hosts import conduct
from tenax.hosts.robots import Robots
from tenax.hosts.robots_policy import (
    Access,
    RobotsPolicy,
    access,
    is_unreachable,
    robots_at,
)
from tenax.hosts.signs import sign_of_probe
from tenax.model import Forbidden, Reason, RobotsRecord
from tenax.outcome import Refused, Waiting
from tenax.ports import Clock
from tenax.urls.normalise import host_of, origin_of, path_of
from tenax.urls.sites import Sites

log = logging.getLogger(__name__)

_TOLD = 10_000
_ASK_LATER = 30.0
"""Seconds after which a host is looked at again that could not be probed for reasons of ours."""


class Gate:
    """Asks robots.txt on behalf of one product token, and the host's own record."""

    def __init__(
        self,
        robots: RobotsBook,
        fetcher: Fetcher,
        clock: Clock,
        policy: RobotsPolicy,
        token: str,
        sites: Sites | None = None,
        observer: Observer | None = None,
    ) -> None:
        self._observer = observer
        self._sites = Sites() if sites is None else sites
        self._robots = robots
        self._fetcher = fetcher
        self._clock = clock
        self._policy = policy
        self.token = token
        self._told: set[str] = set()
        """Origins that are crawled although their robots.txt cannot be had, and it was said."""

    async def enter(self, url: str, turns: HostTurns) -> Refused | Waiting | None:
        """None to go ahead; else why not, and until when. The moment is asked last (FE-1)."""
        origin = origin_of(url)
        known = self._robots.recall(origin, turns.trouble)
        if known is not None:
            if (asked := known[1].crawl_delay(self.token)) and asked > turns.host.pace.crawl_delay:
                # The host's other scheme asks for less, or what we learned last time was lost.
                turns.obey(asked)
            denied = self._judge(url, known, turns)
            if denied is not None or turns.stance.entry is conduct.HostEntry.OPEN:
                return denied
            return await self._open(origin, known, turns)
        if turns.stance.entry is conduct.HostEntry.CLOSED:
            return self._closed(turns)
        consulted = await self._robots.consult(origin, turns)
        if isinstance(consulted, Forbidden):
            return refused_address(consulted)
        if isinstance(consulted, Waiting):
            return consulted
        self._obey(origin, consulted[1].crawl_delay(self.token), turns)
        denied = self._judge(url, consulted, turns)
        if denied is not None or turns.stance.entry is conduct.HostEntry.OPEN:
            return denied
        # Of a host that was away robots.txt is asked first, and has told whether it is back;
        # unless somebody else had it.
        return await self._open(origin, consulted, turns)

    async def _open(
        self, origin: str, known: tuple[RobotsRecord, Robots], turns: HostTurns
    ) -> Waiting | None:
        """Whether the host takes visits now; one that may be back is asked first (HOST-3)."""
        stance, why = turns.stance, ""
        if stance.entry is conduct.HostEntry.OPEN:
            return None
        if stance.entry is conduct.HostEntry.PROBE:
            outcome, started = await probe(self._fetcher, self._probed(origin, known), turns)
            turns.learn(sign_of_probe(outcome, started))
            stance, why = turns.stance, account(outcome)
            if self._observer is not None:
                self._observer.probed(turns.host.name, stance.entry is conduct.HostEntry.SINGLE)
        if stance.entry is conduct.HostEntry.PROBE:
            # It could not even be asked: no proxy, no address that may be connected to.
            return Waiting(self._clock.now() + _ASK_LATER, f"the host could not be probed: {why}")
        return self._closed(turns) if stance.entry is conduct.HostEntry.CLOSED else None

    def _closed(self, turns: HostTurns, why: str = "") -> Waiting:
        stance, now = turns.stance, self._clock.now()
        # Nobody knows how long a pause lasts: the host's lane waits for it, not the target.
        until = now if math.isinf(stance.until) else stance.until
        return Waiting(until, why or f"the host is closed: {stance.why}")

    def _probed(self, origin: str, known: tuple[RobotsRecord, Robots]) -> str:
        """What the probe asks for: the root, unless we may not; robots.txt is everybody's."""
        if not known[1].decide("/", self.token).allowed:
            return f"{origin}/robots.txt"
        return f"{origin}/"

    def _obey(self, origin: str, crawl_delay: float | None, turns: HostTurns) -> None:
        if crawl_delay is not None and crawl_delay > turns.longest_delay:
            log.warning(
                "%s asks for a Crawl-delay of %g s; %g s is the longest we wait",
                origin, crawl_delay, turns.longest_delay,
            )  # fmt: skip
        turns.obey(crawl_delay)

    async def rights(self, url: str) -> tuple[tuple[str, str], ...]:
        """Which robots.txt applied, and what it says about using this page (ROB-4)."""
        known = await self._robots.applied(origin_of(url))
        if known is None or known[1].is_empty:
            return ()
        said = known[1].rights(path_of(url), self.token)
        return (("robots.txt sha256", known[1].sha256), *said)

    async def sitemaps(self, origin: str) -> tuple[str, ...]:
        """What the origin's robots.txt names, as far as it is known."""
        known = await self._robots.applied(origin)
        return known[1].sitemaps if known is not None else ()

    def _tell(self, record: RobotsRecord) -> None:
        """Loudly, once for each of them: we do what its owner could not allow (ROB-1)."""
        if len(self._told) >= _TOLD:
            self._told.clear()
        self._told.add(record.origin)
        log.warning(
            '%s is crawled although its robots.txt %s: on_error = "allow"',
            record.origin, record.error,
        )  # fmt: skip

    def _judge(
        self, url: str, known: tuple[RobotsRecord, Robots], turns: HostTurns
    ) -> Refused | Waiting | None:
        record, rules = known
        right, why = Access.RULES, ""
        if record.error:
            policy = self._policy
            if self._sites:
                policy = robots_at(policy, self._sites.of(host_of(url)))
            right, why = access(record, self._clock.now(), policy)
        match right:
            case Access.ALLOW_ALL:
                if is_unreachable(record) and record.origin not in self._told:
                    self._tell(record)
                return None
            case Access.DISALLOW_ALL:
                if record.status is not None:
                    turns.leave_alone_until(record.expires_at)
                if turns.is_silenced:
                    return self._closed(turns, f"robots.txt: {why}")
                # The host answers, but for this origin.
                return Waiting(record.expires_at, f"robots.txt: {why}")
            case Access.RULES:
                verdict = rules.decide(path_of(url), self.token)
                if verdict.allowed:
                    return None
                return Refused(Reason.ROBOTS, f"robots.txt line {verdict.line}: {verdict.rule}")
