"""When is a page visited again, and is a sitemap to be believed about it? Pure arithmetic (FR-6).

A page that changed is visited sooner next time, one that did not later. What a site's sitemap
says of its pages counts only once it has proved true.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class RecrawlPolicy:
    interval: float = 86_400.0
    """Seconds until a page is visited again at first, where the job names none."""
    shortest: float = 3_600.0
    """However often a page changes, it is not visited more often than this."""
    longest: float = 2_592_000.0
    """However seldom it changes, it is visited this often."""
    shrink: float = 0.5
    """What the interval is multiplied by when the page has changed."""
    grow: float = 1.5
    """The same when it has not."""
    jitter: float = 0.1
    """The share by which a visit may be later: pages read together do not come back together."""
    evidence: float = 5.0
    """Visits that have to bear a sitemap out before its lastmod is believed."""
    honest: float = 0.8
    """The share of its claims that have to be true for that."""
    fading: float = 0.98
    """The weight that earlier visits keep at each new one: sites mend their ways, or lose them."""
    sweeping: float = 0.5
    """The share of a sitemap's URLs above which "all of this is new" is tried out first."""
    sample: int = 10
    """On how many of them."""
    quiet: float = 2.0
    """How much longer a page waits whose honest sitemap says that it has not changed."""


class Seen(StrEnum):
    """What a visit found, as far as the next one is concerned."""

    CHANGED = "changed"
    SAME = "same"
    ABSENT = "absent"
    """No page: gone, moved, blocked, refused or not worth the name."""
    STALE = "stale"
    """The host was in trouble: the visit says nothing of the page."""


@dataclass(frozen=True, slots=True)
class Honesty:
    """How a host's lastmods have compared with its pages, earlier visits fading."""

    honest: float = 0.0
    """It told of a change, and there was one."""
    lied: float = 0.0
    """It told of a change, and there was none."""
    silent: float = 0.0
    """There was a change, and it told of none."""
    calm: float = 0.0
    """It told of no change, and there was none. One that never does says nothing."""


def next_interval(interval: float | None, seen: Seen, policy: RecrawlPolicy) -> float:
    """How long until the next visit; `interval` is what it was before this one, None at first."""
    if interval is None:
        return _bounded(policy.interval, policy)
    match seen:
        case Seen.CHANGED:
            return _bounded(interval * policy.shrink, policy)
        case Seen.SAME | Seen.ABSENT:
            return _bounded(interval * policy.grow, policy)
        case Seen.STALE:
            return _bounded(interval, policy)


def judge(
    honesty: Honesty,
    lastmod: float | None,
    last_visit: float | None,
    changed: bool,
    policy: RecrawlPolicy,
) -> Honesty:
    """What a visit says of the lastmod that its page had; nothing, where it had none before."""
    if lastmod is None or last_visit is None:
        return honesty
    # Claims fade by claims, and calm by calm: a page visited hourly has many more of the latter.
    if lastmod > last_visit:
        return replace(
            honesty,
            honest=honesty.honest * policy.fading + changed,
            lied=honesty.lied * policy.fading + (not changed),
        )
    return replace(
        honesty,
        silent=honesty.silent * policy.fading + changed,
        calm=honesty.calm * policy.fading + (not changed),
    )


def is_trusted(honesty: Honesty, policy: RecrawlPolicy) -> bool:
    """Whether a newer lastmod is reason enough for a visit."""
    claims = honesty.honest + honesty.lied
    has_proved = honesty.honest >= policy.evidence and honesty.honest >= policy.honest * claims
    return has_proved and honesty.calm >= 1.0


def is_on_trial(honesty: Honesty, policy: RecrawlPolicy) -> bool:
    """Whether too little is known of a host's lastmods to believe them, or not to."""
    return honesty.honest + honesty.lied < policy.evidence or is_trusted(honesty, policy)


def believed(newer: int, known: int, policy: RecrawlPolicy) -> int:
    """How many of the `newer` URLs of a trusted sitemap are visited at once, of all it lists.

    One that calls most of them new was generated anew, more often than not.
    """
    is_sweeping = newer > policy.sample and newer > policy.sweeping * known
    return policy.sample if is_sweeping else newer


def due(
    now: float, next_at: float, lastmod: float | None, last_visit: float | None, trusted: bool
) -> bool:
    """Whether a page is to be visited: its time has come, or its trusted sitemap says so."""
    if now >= next_at:
        return True
    return trusted and lastmod is not None and (last_visit is None or lastmod > last_visit)


def again_at(
    done_at: float, interval: float, place: int, policy: RecrawlPolicy, is_calm: bool = False
) -> float:
    """The moment of the next visit; `place`, any number of the page's own, decides on the jitter.

    `is_calm` when a trusted sitemap says that the page has not changed.
    """
    if is_calm:
        interval = _bounded(interval * policy.quiet, policy)
    return done_at + interval * (1 + policy.jitter * (place * _GOLDEN % 1.0))


# Multiples of it fall evenly between 0 and 1, however many there are.
_GOLDEN = 0.6180339887498949


def _bounded(interval: float, policy: RecrawlPolicy) -> float:
    return min(max(interval, policy.shortest), policy.longest)
