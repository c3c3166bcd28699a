"""What does a host's own order suggest? Numbered pages and archives, learned while visiting it.

The rules are pure (discover/guesses.py); here they are loaded, fed with what visits brought, and
asked what to try next. A guess passes the one door like any other URL, and is written with the
visit that led to it, together with the rules that remember it: nothing is written here.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from tenax.crawl.admit import Admission
from tenax.crawl.gate import Gate
from tenax.crawl.settle import Lesson
from tenax.discover.archives import SITEMAPS
from tenax.discover.guess_policy import GuessPolicy
from tenax.discover.guesses import Guess, merged, observe, propose, remembered
from tenax.discover.sights import Result, result_of
from tenax.model import (
    Assignment,
    Candidate,
    Host,
    HostRules,
    LeasedTarget,
    Reason,
    Role,
    Target,
    UrlSource,
)
from tenax.outcome import Outcome
from tenax.ports import Clock, Frontier, Rules
from tenax.urls.normalise import origin_of
from tenax.urls.priority import DISCOVERY, HIGH

_HOSTS = 20_000
"""Hosts remembered in this process; the ledger has them all."""
_GUESSED = frozenset({UrlSource.PAGINATION, UrlSource.ARCHIVES, UrlSource.SITEMAPS})


class _Studied(Struct):
    """A host as this process has come to know it."""

    rules: HostRules
    told: HostRules
    """The rules as they were last given to a visit to be written."""
    met: set[int] = field(default_factory=set)
    """Jobs that were told what earlier guesses found."""
    proposed_by: HostRules | None = None
    """The rules when guesses were last asked for, and all else that they depend on: while these
    stay the same, so does the answer."""
    proposed_at: tuple[int, bool, int] = (0, False, 0)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Visits side by side teach one after the other: each sees what the others have asked for."""


class Guesser:
    """Learns how the hosts of this process file their pages, and proposes some."""

    def __init__(
        self, frontier: Frontier, rules: Rules, gate: Gate, clock: Clock, policy: GuessPolicy
    ) -> None:
        self._frontier = frontier
        self._rules = rules
        self._gate = gate
        self._clock = clock
        self._policy = policy
        self._hosts: OrderedDict[int, _Studied] = OrderedDict()
        self._waiting: dict[int, dict[int, int]] = {}
        """By host and job: URLs of high priority that are left, as far as is known."""
        self._drained: set[int] = set()
        """Hosts of which we hold all that is due."""

    def enter(self, assignment: Assignment) -> None:
        # Of a host just met one target is handed out, whatever waits there: little, as a rule.
        is_all = assignment.is_all or assignment.host.visits == 0
        self.received(assignment.host.id, assignment.targets, is_all)

    def received(self, host_id: int, targets: Sequence[LeasedTarget], is_all: bool) -> None:
        """These were handed out, the most urgent ones first; `is_all` when there are no more."""
        waiting: dict[int, int] = {}
        for target in targets:
            waiting[target.job_id] = waiting.get(target.job_id, 0) + (target.priority <= HIGH)
        if is_all:
            self._drained.add(host_id)
        else:
            self._drained.discard(host_id)
            if sum(waiting.values()) == len(targets):
                # There may be any number of them.
                waiting = dict.fromkeys(waiting, self._policy.few)
        self._waiting[host_id] = waiting

    def leave(self, host_id: int) -> None:
        """The host is given back."""
        self._waiting.pop(host_id, None)
        self._drained.discard(host_id)

    def heard(self, known: Mapping[int, HostRules]) -> None:
        """What the ledger knows of hosts beyond what it was told: others learn there, too."""
        for host_id, rules in known.items():
            studied = self._hosts.get(host_id)
            if studied is not None:
                together = merged(studied.rules, rules, self._policy)
                if studied.rules is studied.told:
                    studied.told = together
                studied.rules = together

    async def learn(
        self,
        outcome: Outcome,
        target: LeasedTarget,
        host: Host,
        admission: Admission,
        found: Sequence[Target],
    ) -> Lesson:
        """A visit has ended: what it teaches of its host, and what that makes worth a try.

        Nothing is remembered of a lesson that is broken off: its visit is made again.
        """
        if _GUESSED.isdisjoint(admission.job.spec.discover):
            return _NOTHING
        studied = self._hosts.get(host.id) or await self._study(host.id)
        await studied.turn.acquire()
        try:
            return await self._taught(studied, outcome, target, host, admission, found)
        finally:
            studied.turn.release()

    async def _taught(
        self,
        studied: _Studied,
        outcome: Outcome,
        target: LeasedTarget,
        host: Host,
        admission: Admission,
        found: Sequence[Target],
    ) -> Lesson:
        before, now, url = studied.rules, self._clock.now(), target.url
        result, new = result_of(outcome, url), [t.url for t in found]
        rules = observe(before, url, target.role, result, new, now, self._policy)
        waiting = self._left(host, target, found)
        guesses: list[Target] = []
        is_new = target.job_id not in studied.met
        if is_new:
            # Whatever waits there: its sitemap may be where sitemaps are.
            waiting = 0
            known = remembered(rules, admission.job.spec.discover)
            guesses += admission.offer_each(_candidate(guess, target) for guess in known).found
        is_due = now - rules.looked_at >= self._policy.look_again
        moment = (target.job_id, waiting < self._policy.few, int(self._policy.share * host.visits))
        if is_due or rules is not studied.proposed_by or moment != studied.proposed_at:
            rules, more = await self._propose(rules, waiting, target, host, admission)
            guesses += more
            studied.proposed_by, studied.proposed_at = rules, moment
        if is_new:
            studied.met.add(target.job_id)
        if studied.rules is not before:
            # The ledger told what others have learned, while it was asked what is known.
            rules = merged(rules, studied.rules, self._policy)
        studied.rules = rules
        if rules is studied.told:
            return Lesson(tuple(guesses)) if guesses else _NOTHING
        studied.told = rules
        return Lesson(tuple(guesses), rules)

    async def _propose(
        self,
        rules: HostRules,
        waiting: int,
        target: LeasedTarget,
        host: Host,
        admission: Admission,
    ) -> tuple[HostRules, list[Target]]:
        """What to try, and the rules that remember that it is tried."""
        origin = origin_of(target.url)
        named = await self._gate.sitemaps(origin)
        rules, guesses = propose(
            rules,
            host.visits,
            self._clock.now(),
            self._policy,
            waiting=waiting,
            sources=admission.job.spec.discover,
            has_sitemap=any(f"{origin}{path}" in named for path in SITEMAPS),
        )
        if not guesses:
            return rules, []
        verdicts = admission.decide_each(_candidate(guess, target) for guess in guesses)
        wanted = [verdict for verdict in verdicts if isinstance(verdict, Target)]
        objections = await self._frontier.objections(target.job_id, wanted) if wanted else []
        against = dict(zip((t.key for t in wanted), objections, strict=True))
        tried: list[Target] = []
        for guess, verdict in zip(guesses, verdicts, strict=True):
            reason = against[verdict.key] if isinstance(verdict, Target) else verdict.reason
            if isinstance(verdict, Target) and reason is None:
                tried.append(verdict)
                continue
            said = Result.KNOWN if reason is Reason.KNOWN else Result.REFUSED
            now = self._clock.now()
            rules = observe(rules, guess.url, guess.role, said, (), now, self._policy)
        return rules, tried

    def _left(self, host: Host, target: LeasedTarget, found: Sequence[Target]) -> int:
        """How many URLs of high priority the job has left there after this visit."""
        waiting = self._waiting.get(host.id, {})
        is_drained = host.id in self._drained
        left = waiting.get(target.job_id, 0 if is_drained else self._policy.few)
        if is_drained:
            if found:
                left += sum(new.priority <= HIGH and new.host == host.name for new in found)
            left -= target.priority <= HIGH
            waiting[target.job_id] = left
        return left

    async def _study(self, host_id: int) -> _Studied:
        known = await self._rules.load(host_id) or HostRules()
        studied = self._hosts.setdefault(host_id, _Studied(known, known))
        if len(self._hosts) > _HOSTS:
            self._hosts.popitem(last=False)
        return studied


_NOTHING = Lesson()


def _candidate(guess: Guess, target: LeasedTarget) -> Candidate:
    depth = 0 if guess.role is Role.SITEMAP else target.depth
    return Candidate(
        guess.url, depth=depth, found_on=target.id, priority=DISCOVERY, role=guess.role
    )
