"""How is a host doing? Counts failures that concern the whole site, not one URL."""

from __future__ import annotations

from dataclasses import replace

from tenax.model import Fault, Health
from tenax.outcome import SITE_WIDE


def succeeded(health: Health, now: float) -> Health:
    """Any answer of the server's own, a 404 included, shows that it is there."""
    return replace(health, failures=0, last_fault=None, last_success_at=now)


def failed(health: Health, fault: Fault, now: float) -> Health:
    """URL-specific faults say nothing about the host and leave its record alone."""
    if fault not in SITE_WIDE:
        return health
    return replace(health, failures=health.failures + 1, last_fault=fault, last_failure_at=now)
