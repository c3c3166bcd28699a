"""For how long is nobody told of an alert? One reading of what was typed, for every door. Pure."""

from __future__ import annotations

from tenax.jobs.durations import parse_duration

LONGEST = 30 * 86_400.0
"""Whoever wants to hear nothing for longer switches the rule off."""


def silenced_until(how_long: str, now: float) -> float:
    """Raises ValueError with what is wrong."""
    seconds = parse_duration(how_long)
    if seconds > LONGEST:
        raise ValueError("at most 30d; an [[alerts]] table with `off = true` ends it for good.")
    return now + seconds
