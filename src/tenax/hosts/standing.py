"""How does a host stand, in plain words? What keeps us from it, what slows us down, until when."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from tenax.hosts import budget, conduct
from tenax.hosts.conduct import HostEntry, HostPolicies, Why
from tenax.hosts.pace import usual_delay
from tenax.model import Breaker, Host


class Word(StrEnum):
    """A host's standing; of several, the first named here that is true of it."""

    PAUSED = "paused"
    COOLDOWN = "cooldown"
    BREAKER = "breaker"
    BUDGET = "budget"
    TOLD_TO_WAIT = "told_to_wait"
    ROBOTS = "robots"
    PROBE = "probe"
    SINGLE = "single"
    FAILING = "failing"
    SLOWED = "slowed"
    NEW = "new"
    OK = "ok"


class HostStanding(Struct, frozen=True):
    word: Word
    says: str
    """The same for people, without the clock: that is told in the reader's own zone."""
    because: str = ""
    until: float | None = None
    """When it ends, be it by a probe; None when no clock ends it."""


def standing(host: Host, now: float, policies: HostPolicies) -> HostStanding:
    stance = conduct.stance(host, now, policies)
    match stance.entry:
        case HostEntry.CLOSED:
            return _closed(host, stance, policies)
        case HostEntry.PROBE:
            return HostStanding(
                Word.PROBE, "breaker half-open", "a probe will ask whether it is back"
            )
        case HostEntry.SINGLE:
            passed = f"{_breaker(host).passed} of {policies.breaker.successes}"
            because = f"{passed} answers that close it; one request at a time"
            return HostStanding(Word.SINGLE, "breaker half-open", because)
        case HostEntry.OPEN:
            return _open(host, policies)


def _closed(host: Host, stance: conduct.Stance, policies: HostPolicies) -> HostStanding:
    match stance.why:
        case Why.PAUSED:
            return HostStanding(Word.PAUSED, "paused", "by a person, who can resume it")
        case Why.COOLDOWN:
            return HostStanding(Word.COOLDOWN, "cooling down", "it turned us away", stance.until)
        case Why.BREAKER:
            return HostStanding(Word.BREAKER, "breaker open", _row(host), stance.until)
        case Why.BUDGET:
            spent = f"{policies.budget.failures} failures in {lasting(policies.budget.window)}"
            return HostStanding(Word.BUDGET, f"locked ({spent})", "", stance.until)
        case _ if is_told_to_wait(host):
            return HostStanding(Word.TOLD_TO_WAIT, "told to wait", _incidents(host), stance.until)
        case _:
            return HostStanding(Word.ROBOTS, "its robots.txt cannot be had", "", stance.until)


def _open(host: Host, policies: HostPolicies) -> HostStanding:
    if host.health.failures > 1:
        # One is an accident.
        last = f"the last {host.health.last_fault}"
        return HostStanding(Word.FAILING, f"{host.health.failures} failures in a row", last)
    if (interval := slowed_to(host, policies)) > 0:
        says = f"slowed to one request per {interval:.3g} s"
        return HostStanding(Word.SLOWED, says, "since it told us to wait")
    if not host.visits and host.health.last_success_at is None and not host.health.failures:
        return HostStanding(Word.NEW, "not asked yet")
    return HostStanding(Word.OK, "ok")


def is_told_to_wait(host: Host) -> bool:
    """Whether the silence was the host's own wish; the other reason is its robots.txt."""
    throttle = host.pace.throttle
    return throttle is not None and host.pace.backoff_until <= throttle.until


def slowed_to(host: Host, policies: HostPolicies) -> float:
    """The seconds between requests that complaints have left; 0 when they change nothing."""
    throttle = host.pace.throttle
    if throttle is None or throttle.interval <= usual_delay(host.pace, policies.pace):
        return 0.0
    return throttle.interval


def budget_used(host: Host, now: float, policies: HostPolicies) -> int:
    """Failures that still count towards a lock; a lock that was served has paid for its own."""
    policy = policies.budget
    failed_at = host.health.trouble.failed_at if host.health.trouble else ()
    until = budget.locked_until(failed_at, policy)
    if until and until <= now:
        return 0
    return policy.failures if until else sum(now - at <= policy.window for at in failed_at)


def lasting(seconds: float) -> str:
    """A configured span, as short as it can be said."""
    if seconds >= 60 and seconds % 60 == 0:
        return f"{seconds / 60:g} min"
    return f"{seconds:g} s"


def _row(host: Host) -> str:
    failures = host.health.failures
    if not failures:
        return ""
    row = "1 failure" if failures == 1 else f"{failures:,} failures in a row"
    return f"{row}, the last {host.health.last_fault}"


def _incidents(host: Host) -> str:
    throttle = host.pace.throttle
    count = throttle.incidents if throttle else 0
    return f"{count:,} times in a row" if count > 1 else "by a 429, or a 503 with Retry-After"


def _breaker(host: Host) -> Breaker:
    return host.health.trouble.breaker if host.health.trouble else Breaker()
