"""What has changed in how a host is treated, and what is that to people? Told by comparing how it
stood with how it stands. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from tenax.hosts import budget
from tenax.hosts.conduct import HostPolicies
from tenax.hosts.standing import is_told_to_wait
from tenax.model import Breaker, Fault, Host, HostTrouble, Incident, IncidentKind


class TreatmentChange(StrEnum):
    BREAKER_OPENED = "breaker_opened"
    """It stopped answering: until then nothing is asked, then one probe."""
    BREAKER_HALF_OPEN = "breaker_half_open"
    """It answered the probe: requests go one at a time."""
    BREAKER_CLOSED = "breaker_closed"
    """It is back: requests go as before."""
    BUDGET_SPENT = "budget_spent"
    """It failed too often lately, and is left alone until then."""
    COOLDOWN_BEGUN = "cooldown_begun"
    """It turned us away, and is left alone until then."""
    THROTTLED = "throttled"
    """It told us to slow down: nothing until then, and slower afterwards."""
    ROBOTS_AWAY = "robots_away"
    """Its robots.txt cannot be had: nothing until then."""


class HostChange(Struct, frozen=True):
    what: TreatmentChange
    host: str
    until: float = 0.0
    """When it may be asked again; 0 for now."""
    failures: int = 0
    """In a row."""
    fault: Fault | None = None
    """The last one."""


def host_changes(before: Host, after: Host, policies: HostPolicies) -> Iterator[HostChange]:
    """What visits or a probe have changed; most change nothing."""
    health = after.health
    was, now = before.health.trouble or _NONE, health.trouble or _NONE
    if was is not now:
        for what, until in _changed(was, now, policies):
            yield HostChange(what, after.name, until, health.failures, health.last_fault)
    if after.pace.backoff_until > before.pace.backoff_until:
        told = is_told_to_wait(after)
        what = TreatmentChange.THROTTLED if told else TreatmentChange.ROBOTS_AWAY
        yield HostChange(what, after.name, after.pace.backoff_until)


def incidents(before: Host, after: Host, now: float, policies: HostPolicies) -> list[Incident]:
    """What is new of what keeps the host from being asked, for its history."""
    return [
        Incident(now, kind, _why(change, after, policies), change.until)
        for change in host_changes(before, after, policies)
        if change.until > now and (kind := _INCIDENTS.get(change.what)) is not None
    ]


def is_troubled(host: Host) -> bool:
    """Whether there is more to tell of it than that it answers, or was not asked yet."""
    pace, health = host.pace, host.health
    return (
        host.paused
        or pace.throttle is not None
        or pace.backoff_until > 0
        or health.trouble is not None
        or health.failures > 0
    )


_NONE = HostTrouble()
_INCIDENTS = {
    TreatmentChange.BREAKER_OPENED: IncidentKind.BREAKER,
    TreatmentChange.BUDGET_SPENT: IncidentKind.BUDGET,
    TreatmentChange.COOLDOWN_BEGUN: IncidentKind.COOLDOWN,
    TreatmentChange.THROTTLED: IncidentKind.SILENCE,
    TreatmentChange.ROBOTS_AWAY: IncidentKind.ROBOTS,
}
"""What closes a host; that it is back is no incident."""


def _changed(
    was: HostTrouble, now: HostTrouble, policies: HostPolicies
) -> Iterator[tuple[TreatmentChange, float]]:
    if (breaker := _breaker_changed(was.breaker, now.breaker)) is not None:
        yield breaker, now.breaker.until
    locked = budget.locked_until(now.failed_at, policies.budget)
    if locked > budget.locked_until(was.failed_at, policies.budget):
        yield TreatmentChange.BUDGET_SPENT, locked
    if now.cool_until > was.cool_until:
        yield TreatmentChange.COOLDOWN_BEGUN, now.cool_until


def _breaker_changed(was: Breaker, now: Breaker) -> TreatmentChange | None:
    # Not by the number of trips: between two records it may have closed, and opened anew.
    if now.trips and now.until > was.until:
        return TreatmentChange.BREAKER_OPENED
    if was.trips and not now.trips:
        return TreatmentChange.BREAKER_CLOSED
    if now.passed > was.passed:
        return TreatmentChange.BREAKER_HALF_OPEN
    return None


def _why(change: HostChange, after: Host, policies: HostPolicies) -> str:
    match change.what:
        case TreatmentChange.THROTTLED:
            return "429, or 503 with Retry-After"
        case TreatmentChange.ROBOTS_AWAY:
            return "its robots.txt cannot be had"
        case TreatmentChange.BREAKER_OPENED if change.fault:
            return f"{change.failures:,} in a row, the last {change.fault}"
        case TreatmentChange.COOLDOWN_BEGUN if after.health.refusals:
            return f"{after.health.refusals:,} refusals in a row"
        case TreatmentChange.BUDGET_SPENT:
            return f"{policies.budget.failures} failures in {policies.budget.window:g} s"
        case _:
            return ""
