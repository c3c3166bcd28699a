"""What does a host's own order suggest? Numbered pages and archives, learned while visiting it.

The rules are pure (discover/guesses.py); here they are loaded, fed with what visits brought, asked
what to try next, and kept in the ledger. A guess passes the one door like any other URL.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from msgspec import Struct, field

from tenax.crawl.admit import Admission
from tenax.crawl.gate import Gate
from tenax.discover.guess_policy import GuessPolicy
from tenax.discover.guesses import Guess, merged, observe, propose, remembered
from tenax.discover.sights import Result, result_of
from tenax.model import (
    Assignment,
    Candidate,
    Host,
    HostRules,
    LeasedTarget,
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
_SAVED_EVERY = 50
"""Changes after which a host's rules are written down although it is still held."""
_GUESSED = frozenset({UrlSource.PAGINATION, UrlSource.ARCHIVES, UrlSource.SITEMAPS})


class _Studied(Struct):
    """A host as this process has come to know it."""

    rules: HostRules
    unsaved: int = 0
    """Changes that the ledger does not have."""
    met: set[int] = field(default_factory=set)
    """Jobs that were told what earlier guesses found."""
    proposed_by: HostRules | None = None
    """The rules when guesses were last asked for, and all else that they depend on: while these
    stay the same, so does the answer."""
    proposed_at: tuple[int, bool, int] = (0, False, 0)


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

    async def leave(self, host_id: int) -> None:
        """The host is given back: what it taught is written down."""
        self._waiting.pop(host_id, None)
        self._drained.discard(host_id)
        studied = self._hosts.get(host_id)
        if studied is not None and studied.unsaved:
            await self._save(host_id, studied)

    async def learn(
        self,
        outcome: Outcome,
        target: LeasedTarget,
        host: Host,
        admission: Admission,
        found: Sequence[Target],
    ) -> None:
        """A visit has ended: what it teaches of its host, and what that makes worth a try."""
        sources = admission.job.spec.discover
        if _GUESSED.isdisjoint(sources):
            return
        studied = self._hosts.get(host.id) or await self._study(host.id)
        new = [t.url for t in found]
        self._see(studied, target.url, target.role, result_of(outcome, target.url), new)
        waiting = self._left(host, target, found)
        if target.job_id not in studied.met:
            # Whatever waits there: its sitemap may be where sitemaps are.
            studied.met.add(target.job_id)
            waiting = 0
            for guess in remembered(studied.rules, sources):
                await self._offer(guess, target, admission)
        moment = (target.job_id, waiting < self._policy.few, int(self._policy.share * host.visits))
        if studied.rules is not studied.proposed_by or moment != studied.proposed_at:
            await self._propose(studied, waiting, target, host, admission)
            studied.proposed_by, studied.proposed_at = studied.rules, moment
        if studied.unsaved >= _SAVED_EVERY:
            await self._save(host.id, studied)

    async def _propose(
        self,
        studied: _Studied,
        waiting: int,
        target: LeasedTarget,
        host: Host,
        admission: Admission,
    ) -> None:
        asking, guesses = propose(
            studied.rules,
            host.visits,
            self._clock.now(),
            self._policy,
            waiting=waiting,
            sources=admission.job.spec.discover,
            has_sitemap=bool(self._gate.sitemaps(origin_of(target.url))),
        )
        self._change(studied, asking)
        for guess in guesses:
            said = await self._offer(guess, target, admission)
            if said is not None:
                self._see(studied, guess.url, guess.role, said, ())

    def _see(
        self, studied: _Studied, url: str, role: Role, result: Result, found: Sequence[str]
    ) -> None:
        now = self._clock.now()
        self._change(studied, observe(studied.rules, url, role, result, found, now, self._policy))

    def _left(self, host: Host, target: LeasedTarget, found: Sequence[Target]) -> int:
        """How many URLs of high priority the job has left there after this visit."""
        waiting = self._waiting.get(host.id, {})
        left = waiting.get(target.job_id, self._policy.few)
        if host.id in self._drained:
            if found:
                left += sum(new.priority <= HIGH and new.host == host.name for new in found)
            left -= target.priority <= HIGH
            waiting[target.job_id] = left
        return left

    async def _offer(
        self, guess: Guess, target: LeasedTarget, admission: Admission
    ) -> Result | None:
        """Let the door and the ledger have their say; None when it is to be visited."""
        depth = 0 if guess.role is Role.SITEMAP else target.depth
        candidate = Candidate(
            guess.url, depth=depth, found_on=target.id, priority=DISCOVERY, role=guess.role
        )
        offer = admission.offer(candidate)
        if not offer.found:
            return Result.REFUSED
        added = await self._frontier.add(target.job_id, offer.found)
        if added.new:
            return None
        return Result.KNOWN if added.known else Result.REFUSED

    async def _study(self, host_id: int) -> _Studied:
        known = await self._rules.load(host_id)
        studied = self._hosts.setdefault(host_id, _Studied(known or HostRules()))
        if len(self._hosts) > _HOSTS:
            self._hosts.popitem(last=False)
        return studied

    def _change(self, studied: _Studied, rules: HostRules) -> None:
        if rules is not studied.rules:
            studied.rules = rules
            studied.unsaved += 1

    async def _save(self, host_id: int, studied: _Studied) -> None:
        """Others may have learned of the host meanwhile, and so may we while it is written."""
        written, studied.unsaved = studied.rules, 0
        stored = await self._rules.save(host_id, written)
        going_on = studied.rules is not written
        studied.rules = merged(studied.rules, stored, self._policy) if going_on else stored
