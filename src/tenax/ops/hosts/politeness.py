"""How politely was a host asked? Each request, whether it was too early, and what closed the host.

Nothing is taken on trust of those who asked: the gaps between requests are measured against the
delay that was in force, and against the silences that the host had asked for (FR-5, HOST-1).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tenax.model import Host, Incident, IncidentKind
from tenax.outcome import RequestStart
from tenax.ports import HostBook

_SILENCES = frozenset({IncidentKind.SILENCE, IncidentKind.BREAKER, IncidentKind.COOLDOWN})
_EXACT = 0.001
"""Seconds to which moments are kept."""


class TimelineRequest(Struct, frozen=True):
    """A request as it left."""

    at: float
    status: int | None
    """None when no answer came."""
    ms: int
    delay: float
    """Seconds that were to be kept from the request before."""
    too_early: bool


class Politeness(Struct, frozen=True):
    since: float
    requests: tuple[TimelineRequest, ...]
    too_early: int
    incidents: tuple[Incident, ...]
    """The latest first."""


async def politeness(hosts: HostBook, host: Host, minutes: int, now: float) -> Politeness:
    since = now - 60.0 * minutes
    # All that are kept: the first one shown may be too early after one that is not.
    starts = await hosts.requests(host.id, 0.0)
    incidents = await hosts.incidents(host.id)
    shown = tuple(each for each in judged(starts, incidents) if each.at >= since)
    return Politeness(
        since, shown, sum(each.too_early for each in shown),
        tuple(each for each in incidents if (each.until or each.at) >= since),
    )  # fmt: skip


def judged(starts: Sequence[RequestStart], incidents: Sequence[Incident]) -> list[TimelineRequest]:
    """Requests in the order in which they left, each with whether it was too early."""
    found: list[TimelineRequest] = []
    last: float | None = None
    for start in sorted(starts):
        is_early = last is not None and start.at - last < start.delay - _EXACT
        is_early = is_early or _is_in_silence(start, incidents)
        ms = round(start.ms)
        found.append(TimelineRequest(start.at, start.status, ms, start.delay, is_early))
        last = start.at
    return found


def _is_in_silence(start: RequestStart, incidents: Sequence[Incident]) -> bool:
    """Whether it left after the host had asked for silence, and before that was over. A probe asks
    a host whose breaker is open, once that ends."""
    resets = [each.at for each in incidents if each.kind is IncidentKind.RESET]
    return any(
        each.kind in _SILENCES
        and each.until is not None
        and each.at < start.at < each.until - _EXACT
        and not any(each.at <= reset <= start.at for reset in resets)
        for each in incidents
    )
