"""Has a host turned us away? Then it is left in peace for a while (HOST-4)."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from tenax.model import HostHealth, HostTrouble
from tenax.model.knobs import AtLeastOne, Seconds


class CooldownPolicy(Struct, frozen=True):
    refusals: AtLeastOne = 5
    """Answers 403 or 429 in a row that start it; a block page starts it alone."""
    seconds: Seconds = 600.0
    """How long nobody visits."""


def refused(health: HostHealth, started: float, now: float, policy: CooldownPolicy) -> HostHealth:
    """One more 403 or 429. After a cooldown the row begins anew."""
    if started < _until(health):
        return health
    if health.refusals + 1 < policy.refusals:
        return replace(health, refusals=health.refusals + 1)
    return _cooled(health, now, policy)


def walled(health: HostHealth, started: float, now: float, policy: CooldownPolicy) -> HostHealth:
    return health if started < _until(health) else _cooled(health, now, policy)


def accepted(health: HostHealth) -> HostHealth:
    """Any other answer ends the row."""
    return replace(health, refusals=0) if health.refusals else health


def _until(health: HostHealth) -> float:
    """What was sent before the end of a cooldown was sent before it began, and is part of it."""
    return health.trouble.cool_until if health.trouble else 0.0


def _cooled(health: HostHealth, now: float, policy: CooldownPolicy) -> HostHealth:
    known = health.trouble or HostTrouble()
    until = max(known.cool_until, now + policy.seconds)
    return replace(health, refusals=0, trouble=replace(known, cooled_at=now, cool_until=until))
