"""May this target be visited now? robots.txt first, then the host's record and its pace."""

from __future__ import annotations

import asyncio
import logging
import math
from random import Random

from msgspec.structs import replace

from tenax.crawl.fleet.start_guard import Guarded
from tenax.fetch.answers import account, refused_address
from tenax.fetch.fetcher import Fetcher
from tenax.fetch.robots import RobotsBook
from tenax.fetch.turns import LeaseExpired, Turn
from tenax.hosts import conduct, pace
from tenax.hosts.robots import Robots
from tenax.hosts.robots_policy import Access, RobotsPolicy, access
from tenax.hosts.signs import Sign, sign_of_probe
from tenax.model import Forbidden, Habit, Host, Pace, Reason, RobotsRecord, Step
from tenax.outcome import Refused, Waiting
from tenax.ports import Clock
from tenax.urls.normalise import origin_of, path_of

log = logging.getLogger(__name__)

_ASK_LATER = 30.0
"""Seconds after which a host is looked at again that could not be probed for reasons of ours."""


class HostTurns:
    """The holder's live view of a host: takes its turns and learns from its answers."""

    def __init__(
        self,
        host: Host,
        clock: Clock,
        policies: conduct.HostPolicies,
        rng: Random,
        expires_at: float = math.inf,
        guarded: Guarded | None = None,
    ) -> None:
        """`guarded` asks whoever else could hold the host, where leases can overlap."""
        self.host = host
        self.expires_at = expires_at
        self.is_waiting = False
        self._clock = clock
        self._policies = policies
        self._rng = rng
        self._guarded = guarded

    @property
    def longest_delay(self) -> float:
        return self._policies.pace.crawl_delay_cap

    @property
    def is_paced(self) -> bool:
        return self.delay > 0

    @property
    def delay(self) -> float:
        return pace.delay_of(self.host.pace, self._policies.pace)

    @property
    def habit(self) -> Habit:
        return self.host.habit

    @habit.setter
    def habit(self, new: Habit) -> None:
        if new is not self.host.habit:
            self.host = replace(self.host, habit=new)

    @property
    def stance(self) -> conduct.Stance:
        return conduct.stance(self.host, self._clock.now(), self._policies)

    @property
    def is_silenced(self) -> bool:
        """Whether the host is to be left alone beyond the usual delay."""
        return self.stance.entry is conduct.HostEntry.CLOSED

    async def take(self) -> Turn:
        """Wait for a turn. It is spent before the wait, so that two never share one."""
        now = self._clock.now()
        before = self.host.pace
        spent, at = pace.start(before, now, self._policies.pace)
        self._set_pace(spent)
        if at > now:
            self.is_waiting = True
            try:
                await self._clock.sleep(at - now)
            except asyncio.CancelledError:
                self._set_pace(replace(self.host.pace, next_at=before.next_at))
                raise
            finally:
                self.is_waiting = False
        if not self.may_leave():
            raise LeaseExpired
        return self if self._guarded is None else await self._guarded.take(self)

    def enter(self, step: Step) -> None:
        """Nobody's: a visit has marked turns of its own, and is at the gate while that asks."""

    def may_leave(self) -> bool:
        """Asked last, at the moment of sending: a process may be stopped for hours before it."""
        return self._clock.now() < self.expires_at

    def forfeit(self) -> None:
        """Somebody else holds the host: nothing more may leave for it from here."""
        self.expires_at = -math.inf

    def sent(self, at: float) -> None:
        self._set_pace(pace.sent(self.host.pace, at, self._policies.pace))

    def over(self) -> None:
        """Nobody but the guard waits for the end of a request."""

    def obey(self, crawl_delay: float | None) -> None:
        now = self._clock.now()
        self._set_pace(pace.obey(self.host.pace, crawl_delay, now, self._policies.pace))

    def leave_alone_until(self, until: float) -> None:
        later = max(self.host.pace.backoff_until, until)
        self._set_pace(replace(self.host.pace, backoff_until=later))

    def learn(self, sign: Sign | None) -> None:
        """What a visit or a probe says about the host."""
        now = self._clock.now()
        self.host = conduct.learn(self.host, sign, now, self._policies, self._rng)
        if self._guarded is not None:
            self._guarded.learned(self.stance)

    def heed(self, other: Host) -> None:
        """What others who hold the host were told holds for us too, and whether it is paused."""
        heeding = conduct.heed(self.host, other, self._policies)
        self.host = replace(heeding, paused=other.paused)

    def share(self, unit: str) -> None:
        """The host takes turns with all at this address."""
        if self._guarded is not None and unit and self.is_paced:
            self._guarded.unit = unit

    def _set_pace(self, new: Pace) -> None:
        host = self.host
        if new is not host.pace:
            # Spelled out: `replace` costs three times as much, and this runs twice a page.
            self.host = Host(
                host.name, host.origin, host.id, host.visits, new, host.health, host.paused,
                host.habit,
            )  # fmt: skip


class Gate:
    """Asks robots.txt on behalf of one product token, and the host's own record."""

    def __init__(
        self, robots: RobotsBook, fetcher: Fetcher, clock: Clock, policy: RobotsPolicy, token: str
    ) -> None:
        self._robots = robots
        self._fetcher = fetcher
        self._clock = clock
        self._policy = policy
        self.token = token

    async def enter(self, url: str, turns: HostTurns) -> Refused | Waiting | None:
        """None to go ahead; else why not, and until when. The moment is asked last (FE-1)."""
        origin = origin_of(url)
        known = self._recall(origin, turns)
        if known is not None:
            if (asked := known[1].crawl_delay(self.token)) and asked > turns.host.pace.crawl_delay:
                # The host's other scheme asks for less, or what we learned last time was lost.
                turns.obey(asked)
            denied = self._judge(url, known, turns)
            if denied is not None or turns.stance.entry is conduct.HostEntry.OPEN:
                return denied
            return await self._open(origin, known, turns)
        closed = await self._open(origin, None, turns)
        if closed is not None:
            return closed
        consulted = await self._robots.consult(origin, turns)
        if isinstance(consulted, Forbidden):
            return refused_address(consulted)
        if isinstance(consulted, Waiting):
            return consulted
        self._obey(origin, consulted[1].crawl_delay(self.token), turns)
        return self._judge(url, consulted, turns)

    def _recall(self, origin: str, turns: HostTurns) -> tuple[RobotsRecord, Robots] | None:
        """What we know of its robots.txt; not a failure from before a person reset the host."""
        known = self._robots.recall(origin)
        if known is None or not known[0].error:
            return known
        trouble = turns.host.health.trouble
        if trouble is None or trouble.reset_at < known[0].fetched_at:
            return known
        self._robots.forget(origin)
        return None

    async def _open(
        self, origin: str, known: tuple[RobotsRecord, Robots] | None, turns: HostTurns
    ) -> Waiting | None:
        """Whether the host takes visits now; one that may be back is asked first (HOST-3)."""
        stance, why = turns.stance, ""
        if stance.entry is conduct.HostEntry.OPEN:
            return None
        if stance.entry is conduct.HostEntry.PROBE:
            outcome, started = await self._fetcher.probe(self._probed(origin, known), turns)
            turns.learn(sign_of_probe(outcome, started))
            stance, why = turns.stance, account(outcome)
        if stance.entry is conduct.HostEntry.PROBE:
            # It could not even be asked: no proxy, no address that may be connected to.
            return Waiting(self._clock.now() + _ASK_LATER, f"the host could not be probed: {why}")
        if stance.entry is conduct.HostEntry.CLOSED:
            # Nobody knows how long a pause lasts: the host's lane waits for it, not the target.
            until = self._clock.now() if math.isinf(stance.until) else stance.until
            return Waiting(until, f"the host is closed: {stance.why}")
        return None

    def _probed(self, origin: str, known: tuple[RobotsRecord, Robots] | None) -> str:
        """What the probe asks for: the root, unless we may not; robots.txt is everybody's."""
        if known is not None and not known[1].decide("/", self.token).allowed:
            return f"{origin}/robots.txt"
        return f"{origin}/"

    def _obey(self, origin: str, crawl_delay: float | None, turns: HostTurns) -> None:
        if crawl_delay is not None and crawl_delay > turns.longest_delay:
            log.warning(
                "%s asks for a Crawl-delay of %g s; %g s is the longest we wait",
                origin, crawl_delay, turns.longest_delay,
            )  # fmt: skip
        turns.obey(crawl_delay)

    def rights(self, url: str) -> tuple[tuple[str, str], ...]:
        """Which robots.txt applied, and what it says about using this page (ROB-4)."""
        known = self._robots.applied(origin_of(url))
        if known is None or not known[0].text:
            return ()
        said = known[1].rights(path_of(url), self.token)
        return (("robots.txt sha256", known[1].sha256), *said)

    def sitemaps(self, origin: str) -> tuple[str, ...]:
        """What the origin's robots.txt names, as far as it is known."""
        known = self._robots.applied(origin)
        return known[1].sitemaps if known is not None else ()

    def _judge(
        self, url: str, known: tuple[RobotsRecord, Robots], turns: HostTurns
    ) -> Refused | Waiting | None:
        record, rules = known
        right, why = access(record, self._clock.now(), self._policy)
        match right:
            case Access.ALLOW_ALL:
                return None
            case Access.DISALLOW_ALL:
                turns.leave_alone_until(record.expires_at)
                return Waiting(record.expires_at, f"robots.txt: {why}")
            case Access.RULES:
                verdict = rules.decide(path_of(url), self.token)
                if verdict.allowed:
                    return None
                return Refused(Reason.ROBOTS, f"robots.txt line {verdict.line}: {verdict.rule}")
