"""How much work at once, and when is a failed target tried again? Pure arithmetic."""

from __future__ import annotations

from random import Random

from msgspec import Struct

from tenax.ports.retry import Backoff


class RetryPolicy(Struct, frozen=True):
    attempts: int = 3
    """Tries in all before a target counts as failed (FE-7)."""
    base: float = 1.0
    """Seconds before the second try; each further one waits twice as long."""
    cap: float = 8.0
    """The longest of those waits."""
    jitter: float = 0.2
    """The share by which a wait may be longer or shorter, so that retries don't march in step."""
    retry_after_cap: float = 86_400.0
    """The longest wait a Retry-After may impose on the target."""


class LeasePolicy(Struct, frozen=True):
    seconds: float = 300.0
    """How long a worker may be silent before its hosts are given to others (FR-4)."""
    silence: float = 120.0
    """How long until it is counted out: it gets no share of unpaced hosts, and is taken for dead
    where its lock cannot be seen (OBS-3)."""
    horizon: float = 20.0
    """Seconds of polite work in one assignment: short enough that new priorities get a say."""
    most_targets: int = 32
    """Targets of a paced host in one assignment, at most."""
    targets_per_slot: int = 8
    """Targets of an unpaced host in one assignment, per request under way."""

    def size(self, delay: float, slots: int) -> int:
        """How many targets an assignment carries at this delay."""
        if delay <= 0:
            return slots * self.targets_per_slot
        return max(1, min(self.most_targets, int(self.horizon / delay)))


def retry_at(
    spent: int, now: float, retry_after: float | None, policy: RetryPolicy, rng: Random
) -> float | None:
    """When to try again after `spent` earlier attempts and one more failure; None for never."""
    if spent + 1 >= policy.attempts:
        return None
    backoff = Backoff(policy.base, longest=policy.cap, jitter=policy.jitter)
    wait = backoff.pause(spent + 1, rng)
    asked = min(retry_after or 0.0, policy.retry_after_cap)
    return now + max(wait, asked)
