"""How slowly is a host asked that told us to slow down, and when is it forgiven? (HOST-1)

A complaint silences us for a while (the blackout) and then slows us down (the interval). A
burst of complaints is one incident: whatever was sent before the blackout's end, in flight or
in ignorance of it, was sent before we could have learned from it.
"""

from __future__ import annotations

from random import Random
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from tenax.hosts.signs import ToldToWait
from tenax.model import Pace, Throttle
from tenax.model.knobs import PER_MINUTE, AtLeastOne, Seconds, Share

_MINUTE = 60.0


class ThrottlePolicy(Struct, frozen=True):
    pause: Seconds = 45.0
    """How long a 429 without a usable Retry-After silences us."""
    second_pause: Seconds = 300.0
    """The shortest silence after the second incident in a row, whatever Retry-After says."""
    third_pause: Seconds = 900.0
    """The same after the third and every further one."""
    jitter: Share = 0.1
    """The share by which a silence may differ; one the host named is never cut short."""
    retry_after_cap: Seconds = 86_400.0
    """The longest silence a Retry-After may impose on the host."""
    cut: Annotated[float, Meta(ge=0.001, le=1)] = 0.25
    """What an incident leaves of the rate."""
    slowest: Annotated[float, Meta(ge=0.001), PER_MINUTE] = 1.0
    """Requests a minute below which no incident pushes the rate."""
    fastest: Annotated[float, Meta(ge=0.001), PER_MINUTE] = 300.0
    """Requests a minute at which it has recovered; a host without delay is cut from here."""
    step: Annotated[float, Meta(ge=0)] = 0.1
    """The share by which the rate grows in one step of recovery."""
    successes_per_step: AtLeastOne = 100
    """Answers it takes to earn a step."""
    forgiven_after: Seconds = 1_800.0
    """Seconds without an incident after which the next one counts as the first."""


def is_new(pace: Pace, started: float) -> bool:
    """Whether a complaint about a request of that moment is a new incident."""
    return pace.throttle is None or started >= pace.throttle.until


def throttled(
    pace: Pace, told: ToldToWait, usual: float, now: float, policy: ThrottlePolicy, rng: Random
) -> Pace:
    """The host complained; `usual` is the delay between requests in better times.

    A later, shorter answer never shortens the silence.
    """
    asked = _asked(told.retry_after)
    before = pace.throttle
    if before is not None and not is_new(pace, told.started):
        if asked is None:
            return pace
        # Only what it asks for: the shortest silence of this incident was counted from its start.
        until = max(before.until, now + _blackout(asked, 0, policy, rng))
        return _silenced(pace, replace(before, until=until))
    incidents = 1 if before is None or _is_forgiven(before, now, policy) else before.incidents + 1
    until = now + _blackout(asked, incidents, policy, rng)
    interval = _cut(max(usual, before.interval if before else 0.0), policy)
    return _silenced(pace, Throttle(now, until, incidents, interval))


def succeeded(pace: Pace, started: float, usual: float, policy: ThrottlePolicy) -> Pace:
    """A request was answered without complaint: a small step back to the usual rate.

    A step, not a single success, ends the row of incidents: a host at its limit lets some
    requests pass between two complaints, and would never see us wait longer.
    """
    throttle = pace.throttle
    if throttle is None or not throttle.interval or started < throttle.until:
        return pace
    successes = throttle.successes + 1
    if successes < policy.successes_per_step:
        return replace(pace, throttle=replace(throttle, successes=successes))
    interval = throttle.interval / (1 + policy.step)
    if interval <= max(usual, _MINUTE / policy.fastest):
        interval = 0.0
    later = replace(throttle, incidents=0, interval=interval, successes=0)
    return replace(pace, throttle=later)


def heed(mine: Throttle | None, theirs: Throttle | None) -> Throttle | None:
    """Of two views the one of the later blackout; of the same one, the further recovered."""
    if mine is None or theirs is None:
        return mine or theirs
    return max(mine, theirs, key=_age)


def _age(throttle: Throttle) -> tuple[float, ...]:
    return (
        throttle.until,
        -throttle.interval,
        throttle.successes,
        -throttle.incidents,
        throttle.since,
    )


def _asked(retry_after: float | None) -> float | None:
    """Nothing, zero, less than that and nonsense are all nothing."""
    return retry_after if retry_after is not None and retry_after > 0 else None


def _is_forgiven(throttle: Throttle, now: float, policy: ThrottlePolicy) -> bool:
    return now - throttle.until >= policy.forgiven_after


def _blackout(asked: float | None, incidents: int, policy: ThrottlePolicy, rng: Random) -> float:
    least = (0.0, 0.0, policy.second_pause, policy.third_pause)[min(incidents, 3)]
    wait = max(policy.pause if asked is None else asked, least)
    is_guess = asked is None and wait > least
    wait *= 1 + rng.uniform(-policy.jitter if is_guess else 0.0, policy.jitter)
    return min(wait, policy.retry_after_cap)


def _cut(interval: float, policy: ThrottlePolicy) -> float:
    """Without any delay there is no rate to cut; then it is the fastest we recover to."""
    base = max(interval, _MINUTE / policy.fastest)
    return min(base / policy.cut, _MINUTE / policy.slowest)


def _silenced(pace: Pace, throttle: Throttle) -> Pace:
    return replace(pace, backoff_until=max(pace.backoff_until, throttle.until), throttle=throttle)
