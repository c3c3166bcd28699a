"""How is a host treated? What each answer teaches, and when and how it may be asked next.

The five policies of a host behind four questions: `learn`, `stance`, `opens_at`, `heed`.
Pure: the same in a process, between processes and in a test (HOST-6).
"""

from __future__ import annotations

import math
from enum import StrEnum
from random import Random
from typing import TYPE_CHECKING, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from tenax.hosts import breaker, budget, cooldown, pace, throttle
from tenax.hosts.breaker import BreakerPolicy
from tenax.hosts.budget import BudgetPolicy
from tenax.hosts.cooldown import CooldownPolicy
from tenax.hosts.pace import PacePolicy
from tenax.hosts.signs import (
    URL_SPECIFIC,
    Answered,
    FailedWith,
    Probed,
    Sign,
    ToldToWait,
    TurnedAway,
    Unreached,
    WalledOff,
)
from tenax.hosts.throttle import ThrottlePolicy
from tenax.model import Breaker, Fault, Host, HostHealth, HostTrouble, Pace

if TYPE_CHECKING:
    from tenax.urls.sites import SiteAtHost


class HostPolicies(Struct, frozen=True):
    """Everything that decides how a host is treated."""

    pace: PacePolicy = field(default_factory=PacePolicy)
    throttle: ThrottlePolicy = field(default_factory=ThrottlePolicy)
    budget: BudgetPolicy = field(default_factory=BudgetPolicy)
    breaker: BreakerPolicy = field(default_factory=BreakerPolicy)
    cooldown: CooldownPolicy = field(default_factory=CooldownPolicy)


def policies_at(policies: HostPolicies, site: SiteAtHost) -> HostPolicies:
    """The policies at a host, by the rules of its site."""
    at_site = pace.pace_at(policies.pace, site)
    return policies if at_site is policies.pace else replace(policies, pace=at_site)


class Why(StrEnum):
    """What keeps a host from being asked; of several, the first named here that lasts longest."""

    PAUSED = "paused"
    COOLDOWN = "cooldown"
    BREAKER = "breaker"
    BUDGET = "budget"
    BLACKOUT = "blackout"
    DELAY = "delay"


class Opening(Struct, frozen=True):
    """The earliest moment a host may be asked, and what it has to wait for until then."""

    at: float
    """Infinite while the host is paused; a moment that has passed means now."""
    why: Why


class HostEntry(StrEnum):
    OPEN = "open"
    """As many requests as its pace allows."""
    SINGLE = "single"
    """The probe was answered: one request at a time, until the breaker closes."""
    PROBE = "probe"
    """Nothing but the breaker's question whether the host is back."""
    CLOSED = "closed"


class Stance(Struct, frozen=True):
    """How a host may be entered now. The delay between requests is not part of it."""

    entry: HostEntry
    until: float = 0.0
    """When a closed host is worth another look; 0 for one that is not closed."""
    why: Why | None = None


def opens_at(host: Host, policies: HostPolicies) -> Opening:
    """When the host may be asked next, be it by a probe, and why not before."""
    opening = _closed_until(host, policies)
    if host.pace.next_at > opening.at:
        return Opening(host.pace.next_at, Why.DELAY)
    return opening


def stance(host: Host, now: float, policies: HostPolicies) -> Stance:
    """How the host may be entered now; its delay is waited out by whoever takes the turn."""
    trouble = host.health.trouble
    if trouble is None and host.pace.backoff_until <= now and not host.paused:
        return _OPEN
    opening = _closed_until(host, policies)
    if opening.at > now:
        return Stance(HostEntry.CLOSED, opening.at, opening.why)
    if trouble is None or not trouble.breaker.trips:
        return _OPEN
    return Stance(HostEntry.SINGLE if trouble.breaker.passed else HostEntry.PROBE, why=Why.BREAKER)


_OPEN = Stance(HostEntry.OPEN)


def _closed_until(host: Host, policies: HostPolicies) -> Opening:
    if host.paused:
        return Opening(math.inf, Why.PAUSED)
    trouble = host.health.trouble
    opening = Opening(host.pace.backoff_until, Why.BLACKOUT)
    if opening.at <= 0:
        opening = Opening(0.0, Why.DELAY)
    if trouble is None:
        return opening
    clocks = (
        (budget.locked_until(trouble.failed_at, policies.budget), Why.BUDGET),
        (trouble.breaker.until, Why.BREAKER),
        (trouble.cool_until, Why.COOLDOWN),
    )
    for at, why in clocks:
        if at > 0 and at >= opening.at:
            opening = Opening(at, why)
    return opening


def learn(host: Host, sign: Sign | None, now: float, policies: HostPolicies, rng: Random) -> Host:
    """The host as a visit leaves it; by None, as a visit that said nothing about it."""
    before, turns = host.health, host.pace
    if type(sign) is Answered and turns.throttle is None and _is_spotless(before):
        # Nearly every page of every crawl: nothing changes but the time of the last answer.
        if now - (before.last_success_at or 0.0) >= _MOMENT:
            before = HostHealth(0, None, before.last_failure_at, now)
        return _visited(host, turns, before)
    match sign:
        case None:
            return _visited(host, turns, before)
        case Probed():
            return replace(host, health=_probed(before, sign, now, policies))
        case Unreached(started=started, fault=fault):
            away = breaker.unreached(before, fault, started, now, policies.breaker)
            return replace(host, health=away)
        case Answered(started=started):
            usual = pace.usual_delay(turns, policies.pace)
            turns = throttle.succeeded(turns, started, usual, policies.throttle)
            return _visited(host, turns, _answered(before, started, now, policies))
        case ToldToWait():
            return _told_to_wait(host, sign, now, policies, rng)
        case TurnedAway(started=started):
            spent = _spent(before, Fault.CLIENT_ERROR, started, now, policies)
            alive = breaker.answered(spent, started, now, policies.breaker)
            cooled = cooldown.refused(alive, started, now, policies.cooldown)
            return _visited(host, turns, cooled)
        case WalledOff(started=started):
            alive = breaker.answered(before, started, now, policies.breaker)
            walled = cooldown.walled(alive, started, now, policies.cooldown)
            return _visited(host, turns, walled)
        case FailedWith():
            return _visited(host, turns, _failed(before, sign, now, policies))
        case never:
            assert_never(never)


def reset(host: Host, now: float) -> Host:
    """A person vouches for the host: what it did before now is forgotten (HOST-5)."""
    return _forgetting(host, now)


def heed(mine: Host, theirs: Host, policies: HostPolicies | None = None) -> Host:
    """Several may hold a host without delay: what any of them learned holds for all.

    Two views in either order give one, which either view adds nothing to. Only the name,
    whether it is paused and the Crawl-delay are taken from `mine`.
    """
    if mine.health.trouble is not theirs.health.trouble:
        cleared_at = max(_reset_at(mine), _reset_at(theirs))
        mine, theirs = _since(mine, cleared_at), _since(theirs, cleared_at)
    turns = pace.heed(mine.pace, theirs.pace)
    health = _heed_health(mine.health, theirs.health, (policies or _DEFAULTS).budget)
    if turns is mine.pace and health is mine.health and mine.visits >= theirs.visits:
        return mine
    return replace(mine, visits=max(mine.visits, theirs.visits), pace=turns, health=health)


_DEFAULTS = HostPolicies()
_MOMENT = 1.0
"""Seconds to which a healthy host's last answer is known: a new record per page costs more."""


def _is_spotless(health: HostHealth) -> bool:
    return health.trouble is None and not health.failures and not health.refusals


def _visited(host: Host, turns: Pace, health: HostHealth) -> Host:
    # Spelled out: `replace` costs three times as much, and this runs once a page.
    return Host(
        host.name, host.origin, host.id, host.visits + 1, turns, health, host.paused, host.habit
    )


def _answered(health: HostHealth, started: float, now: float, policies: HostPolicies) -> HostHealth:
    return cooldown.accepted(breaker.answered(health, started, now, policies.breaker))


def _probed(health: HostHealth, sign: Probed, now: float, policies: HostPolicies) -> HostHealth:
    """Not counted by the budget: its lock would keep the next probe from being sent in time."""
    if sign.fault is None:
        return breaker.answered(health, sign.started, now, policies.breaker)
    return breaker.failing(health, sign.fault, sign.started, now, policies.breaker)


def _told_to_wait(
    host: Host, told: ToldToWait, now: float, policies: HostPolicies, rng: Random
) -> Host:
    health = host.health
    if told.status != 503:
        # A 503 is a server, or what stands before it, that cannot work: the breaker waits on.
        health = breaker.answered(health, told.started, now, policies.breaker)
        # A burst is one incident here too, or eight requests at once would end in a cooldown.
        if throttle.is_new(host.pace, told.started):
            health = cooldown.refused(health, told.started, now, policies.cooldown)
    usual = pace.usual_delay(host.pace, policies.pace)
    turns = throttle.throttled(host.pace, told, usual, now, policies.throttle, rng)
    return _visited(host, turns, health)


def _failed(health: HostHealth, sign: FailedWith, now: float, policies: HostPolicies) -> HostHealth:
    spent = _spent(health, sign.fault, sign.started, now, policies)
    if sign.fault in URL_SPECIFIC:
        return _answered(spent, sign.started, now, policies)
    return breaker.failing(spent, sign.fault, sign.started, now, policies.breaker)


def _spent(
    health: HostHealth, fault: Fault, started: float, now: float, policies: HostPolicies
) -> HostHealth:
    """The failures of an outage are the breaker's, once it has opened."""
    if not budget.counts(fault, policies.budget) or breaker.is_old_news(health, started):
        return health
    known = health.trouble or HostTrouble()
    served = budget.locked_until(known.failed_at, policies.budget)
    paid_until = max(known.paid_until, served if served <= now else 0.0)
    failed_at = budget.spent(known.failed_at, now, policies.budget)
    return replace(health, trouble=replace(known, failed_at=failed_at, paid_until=paid_until))


def _reset_at(host: Host) -> float:
    return host.health.trouble.reset_at if host.health.trouble else 0.0


def _since(host: Host, cleared_at: float) -> Host:
    """The view of somebody who may not have heard that the host's record was cleared."""
    return host if _reset_at(host) >= cleared_at else _forgetting(host, cleared_at)


def _forgetting(host: Host, cleared_at: float) -> Host:
    """The host without anything that was learned until then."""
    turns, health = host.pace, host.health
    if turns.throttle is None or turns.throttle.since <= cleared_at:
        turns = replace(turns, backoff_until=0.0, throttle=None)
    known = health.trouble or HostTrouble()
    is_cooled_since = known.cooled_at > cleared_at
    trouble = HostTrouble(
        failed_at=tuple(at for at in known.failed_at if at > cleared_at),
        breaker=known.breaker if known.breaker.changed_at > cleared_at else Breaker(),
        cooled_at=known.cooled_at if is_cooled_since else 0.0,
        cool_until=known.cool_until if is_cooled_since else 0.0,
        reset_at=cleared_at,
        paid_until=known.paid_until,
    )
    if _last_event(health) <= cleared_at:
        health = replace(health, failures=0, last_fault=None, refusals=0)
    return replace(host, pace=turns, health=replace(health, trouble=trouble))


def _last_event(health: HostHealth) -> float:
    return max(health.last_failure_at or 0.0, health.last_success_at or 0.0)


def _heed_health(mine: HostHealth, theirs: HostHealth, policy: BudgetPolicy) -> HostHealth:
    if _adds_nothing(mine, theirs):
        return mine
    # Rows of equal answers are each holder's own; the one seen last is the best guess for all.
    latest = max(mine, theirs, key=_row_age)
    return HostHealth(
        failures=latest.failures,
        last_fault=latest.last_fault,
        last_failure_at=_later(mine.last_failure_at, theirs.last_failure_at),
        last_success_at=_later(mine.last_success_at, theirs.last_success_at),
        refusals=latest.refusals,
        trouble=_heed_trouble(mine.trouble, theirs.trouble, policy),
    )


def _adds_nothing(mine: HostHealth, theirs: HostHealth) -> bool:
    """Whether a host that does well was only heard of earlier: so it is with nearly every page."""
    return (
        _is_spotless(mine)
        and _is_spotless(theirs)
        and mine.last_fault == theirs.last_fault
        and mine.last_failure_at == theirs.last_failure_at
        and mine.last_success_at is not None
        and mine.last_success_at >= (theirs.last_success_at or 0.0)
    )


def _row_age(health: HostHealth) -> tuple[float, int, int, str]:
    return _last_event(health), health.failures, health.refusals, health.last_fault or ""


def _later(mine: float | None, theirs: float | None) -> float | None:
    return max((at for at in (mine, theirs) if at is not None), default=None)


def _heed_trouble(
    mine: HostTrouble | None, theirs: HostTrouble | None, policy: BudgetPolicy
) -> HostTrouble | None:
    if mine is None or theirs is None or mine == theirs:
        return mine or theirs
    until, since = max((t.cool_until, t.cooled_at) for t in (mine, theirs))
    paid_until = max(mine.paid_until, theirs.paid_until)
    ours, others = (budget.since(t.failed_at, paid_until) for t in (mine, theirs))
    return HostTrouble(
        failed_at=budget.heed(ours, others, policy),
        breaker=breaker.heed(mine.breaker, theirs.breaker),
        cooled_at=since,
        cool_until=until,
        reset_at=max(mine.reset_at, theirs.reset_at),
        paid_until=paid_until,
    )
