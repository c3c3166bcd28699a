"""Which hosts of this process are in trouble, and how deep? So few that each may be named."""

from __future__ import annotations

import heapq

from msgspec import Struct

from tenax.hosts.breaker import Circuit, circuit
from tenax.model import Host

_KEPT = 1_000
"""Hosts remembered; beyond them those whose trouble is over are forgotten first."""
NAMED = 10
"""Hosts that may stand in a label (OBS-1)."""


class HostSeen(Struct, frozen=True):
    """A troubled host, as figures tell of it."""

    name: str
    circuit: Circuit
    failures: int
    """In a row."""
    backoff: float
    """Seconds until it may be asked again."""


class TroubledHosts:
    """Told whenever the treatment of a host changes."""

    def __init__(self) -> None:
        self._hosts: dict[str, Host] = {}

    def heard(self, host: Host) -> None:
        self._hosts.pop(host.name, None)
        if host.health.failures or host.health.trouble is not None or host.pace.backoff_until:
            self._hosts[host.name] = host
            if len(self._hosts) > _KEPT:
                del self._hosts[next(iter(self._hosts))]

    def circuits(self, now: float) -> dict[Circuit, int]:
        """How many there are of each that is not closed."""
        counts = {Circuit.OPEN: 0, Circuit.HALF_OPEN: 0}
        for host in self._hosts.values():
            state = circuit(host.health, now)
            if state is not Circuit.CLOSED:
                counts[state] += 1
        return counts

    def worst(self, now: float) -> list[HostSeen]:
        """Those with the longest row of failures, the worst first."""
        seen = (self._seen(host, now) for host in self._hosts.values())
        meant = (each for each in seen if each.failures or each.backoff)
        return heapq.nlargest(NAMED, meant, key=lambda each: (each.failures, each.backoff))

    def _seen(self, host: Host, now: float) -> HostSeen:
        breaker = host.health.trouble.breaker.until if host.health.trouble else 0.0
        until = max(host.pace.backoff_until, breaker)
        return HostSeen(
            host.name, circuit(host.health, now), host.health.failures, max(0.0, until - now)
        )
