"""Is a host answering at all? Failures in a row open the breaker, a probe half-opens it (HOST-3).

No timer moves it: an open breaker whose back-off has ended is half-open. From then on the
first success is the probe's, and lets requests through one at a time. What was sent before
the back-off ended is news of the outage we know, and changes nothing. A fault that may be a
single URL's does not open it again once the probe was answered: a new row of them does.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from tenax.hosts.signs import AMBIGUOUS
from tenax.model import Breaker, Fault, HostHealth, HostTrouble
from tenax.model.knobs import AtLeastOne, Seconds
from tenax.outcome import SITE_WIDE
from tenax.ports.retry import nth


class BreakerPolicy(Struct, frozen=True):
    failures: AtLeastOne = 5
    """Failures in a row that open it: site-wide ones, and those that may be (FE-6)."""
    backoffs: tuple[Seconds, ...] = (30.0, 60.0, 120.0, 300.0)
    """Seconds it stays open: the first time, the second …; the last one for ever after."""
    successes: AtLeastOne = 2
    """Successes in a row that close it, the probe's included."""


class Circuit(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


def circuit(health: HostHealth, now: float) -> Circuit:
    breaker = _breaker(health)
    if not breaker.trips:
        return Circuit.CLOSED
    return Circuit.OPEN if now < breaker.until else Circuit.HALF_OPEN


def is_old_news(health: HostHealth, started: float) -> bool:
    """Whether a request of that moment belongs to the outage that opened the breaker."""
    breaker = _breaker(health)
    return breaker.trips > 0 and started < breaker.until


def answered(health: HostHealth, started: float, now: float, policy: BreakerPolicy) -> HostHealth:
    """Any answer of the server's own, a 404 included, shows that it is there."""
    if is_old_news(health, started):
        return replace(health, last_success_at=now)
    alive = replace(health, failures=0, last_fault=None, last_success_at=now)
    breaker = _breaker(health)
    if not breaker.trips:
        return alive
    passed = breaker.passed + 1
    if passed < policy.successes:
        return _set(alive, replace(breaker, passed=passed, changed_at=now))
    return _set(alive, Breaker(changed_at=now))


def failing(
    health: HostHealth, fault: Fault, started: float, now: float, policy: BreakerPolicy
) -> HostHealth:
    """A failure that is, or may be, the whole site's. Others say nothing about the host."""
    if fault not in SITE_WIDE and fault not in AMBIGUOUS:
        return health
    worse = replace(health, failures=health.failures + 1, last_fault=fault, last_failure_at=now)
    breaker = _breaker(health)
    if is_old_news(health, started):
        return worse
    # The probe's answer has ended the row of before: what fails now may be this URL alone.
    is_row_needed = not breaker.trips or (breaker.passed > 0 and fault in AMBIGUOUS)
    if is_row_needed and worse.failures < policy.failures:
        return worse
    return _opened(worse, now, policy)


def unreached(
    health: HostHealth, fault: Fault, started: float, now: float, policy: BreakerPolicy
) -> HostHealth:
    """Without its robots.txt nothing may be asked, so there is no row to wait for. A host that
    answers meanwhile, over its other scheme, is not away: this origin of it is."""
    lately = now - max(policy.backoffs, default=0.0)
    if not health.failures and (health.last_success_at or 0.0) > lately:
        return health
    worse = replace(health, failures=health.failures + 1, last_fault=fault, last_failure_at=now)
    return worse if is_old_news(health, started) else _opened(worse, now, policy)


def backoff(trips: int, policy: BreakerPolicy) -> float:
    """Seconds of the back-off that was begun last."""
    return nth(policy.backoffs, trips, 0.0)


def heed(mine: Breaker, theirs: Breaker) -> Breaker:
    """The later change is right: a stale view neither closes a breaker nor keeps it open."""
    return max(mine, theirs, key=_age)


def _age(breaker: Breaker) -> tuple[float, ...]:
    # Two changes at one moment: the more careful one.
    return breaker.changed_at, breaker.trips, -breaker.passed, breaker.until


def _breaker(health: HostHealth) -> Breaker:
    return health.trouble.breaker if health.trouble else _CLOSED


_CLOSED = Breaker()


def _opened(health: HostHealth, now: float, policy: BreakerPolicy) -> HostHealth:
    trips = _breaker(health).trips + 1
    return _set(health, Breaker(trips, now + backoff(trips, policy), changed_at=now))


def _set(health: HostHealth, breaker: Breaker) -> HostHealth:
    return replace(health, trouble=replace(health.trouble or HostTrouble(), breaker=breaker))
