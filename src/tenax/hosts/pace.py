"""When may a host be asked next? Our delay and its back-off, as two clocks kept apart."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from tenax.hosts import throttle
from tenax.model import Pace
from tenax.model.knobs import AtLeastOne, Seconds

if TYPE_CHECKING:
    from tenax.urls.sites import SiteAtHost


class PoliteTo(StrEnum):
    """Who is spared when hosts share an owner or a machine."""

    HOST = "host"
    DOMAIN = "domain"
    """All hosts of a registrable domain together."""
    IP = "ip"
    """All hosts served from one address together."""


class PacePolicy(Struct, frozen=True):
    delay: Seconds = 1.0
    """Seconds between request starts at one host (FR-5)."""
    crawl_delay_cap: Seconds = 60.0
    """The longest Crawl-delay we obey; more would mean never finishing."""
    slots_unpaced: AtLeastOne = 8
    """Requests under way at once at a host with no delay at all."""
    key: PoliteTo = PoliteTo.HOST
    """Whom the delay is for: each host, the hosts of a domain together, or those of an address."""
    margin: Seconds = 0.005
    """Added to every delay: the server's clock, not ours, decides what was too early."""


def pace_at(policy: PacePolicy, site: SiteAtHost) -> PacePolicy:
    """The policy at a host, by the rules of its site."""
    delay, slots = site.rules.delay, site.rules.concurrency
    if delay is None and slots is None:
        return policy
    return replace(
        policy,
        delay=policy.delay if delay is None else delay,
        slots_unpaced=policy.slots_unpaced if slots is None else slots,
    )


def retimed(pace: Pace, now: float, before: PacePolicy, after: PacePolicy) -> Pace:
    """The delay was changed: the next turn is as far from the last one as it is now."""
    old, new = delay_of(pace, before), delay_of(pace, after)
    if old == new:
        return pace
    if old <= 0:
        # No turns were counted: the last one may have been just now.
        return _with_next(pace, max(pace.next_at, _after(now, pace, after)))
    shorter = old + before.margin if new <= 0 else old - new
    return _with_next(pace, pace.next_at - shorter)


def delay_of(pace: Pace, policy: PacePolicy) -> float:
    """The largest of what we want, what the host asks for, and what its complaints left us."""
    usual = usual_delay(pace, policy)
    return usual if pace.throttle is None else max(usual, pace.throttle.interval)


def usual_delay(pace: Pace, policy: PacePolicy) -> float:
    """The delay of a host that does not complain."""
    return max(policy.delay, pace.crawl_delay)


def opens_at(pace: Pace) -> float:
    return max(pace.next_at, pace.backoff_until)


def start(pace: Pace, now: float, policy: PacePolicy) -> tuple[Pace, float]:
    """Take the next turn: when to start, and the pace with that turn spent."""
    at = max(now, opens_at(pace))
    if delay_of(pace, policy) <= 0:
        return pace, at
    return _with_next(pace, _after(at, pace, policy)), at


def sent(pace: Pace, at: float, policy: PacePolicy) -> Pace:
    """The request left at `at`, later than planned (connecting takes time): count from there."""
    if delay_of(pace, policy) <= 0:
        return pace
    return _with_next(pace, max(pace.next_at, _after(at, pace, policy)))


def heed(pace: Pace, other: Pace) -> Pace:
    """Several may hold an unpaced host: what any of them was told holds for all."""
    known = throttle.heed(pace.throttle, other.throttle)
    next_at = max(pace.next_at, other.next_at)
    backoff_until = max(pace.backoff_until, other.backoff_until)
    if (next_at, backoff_until, known) == (pace.next_at, pace.backoff_until, pace.throttle):
        return pace
    return Pace(pace.crawl_delay, next_at, backoff_until, known)


def interrupted(pace: Pace, now: float, policy: PacePolicy) -> Pace:
    """A worker vanished: it may have sent a request just now, so its turn counts as spent."""
    return replace(pace, next_at=max(pace.next_at, _after(now, pace, policy)))


def obey(pace: Pace, crawl_delay: float | None, now: float, policy: PacePolicy) -> Pace:
    """Take over what robots.txt asks for; the turn already taken is stretched to it.

    Without a delay of our own no turns are counted, but asking for robots.txt was one.
    """
    wanted = min(max(crawl_delay or 0.0, 0.0), policy.crawl_delay_cap)
    if wanted == pace.crawl_delay:
        return pace
    obeyed = replace(pace, crawl_delay=wanted)
    stretch = delay_of(obeyed, policy) - delay_of(pace, policy)
    if stretch <= 0:
        return obeyed
    return replace(obeyed, next_at=max(pace.next_at, now) + stretch)


def _with_next(pace: Pace, next_at: float) -> Pace:
    # Spelled out: `replace` costs three times as much, and this runs twice a page.
    return Pace(pace.crawl_delay, next_at, pace.backoff_until, pace.throttle)


def _after(at: float, pace: Pace, policy: PacePolicy) -> float:
    delay = delay_of(pace, policy)
    return at + delay + policy.margin if delay > 0 else at
