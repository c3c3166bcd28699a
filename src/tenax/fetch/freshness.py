"""Does what we have of a page still hold, and how do we ask for it only if it changed? (FE-4, FE-5)"""

from __future__ import annotations

from dataclasses import dataclass

from tenax.model import Copy, Fault, Page
from tenax.outcome import SITE_WIDE, Failed, Outcome, Stale


@dataclass(frozen=True, slots=True)
class FreshnessPolicy:
    max_age: float = -1.0
    """Seconds a stored copy serves without a request; -1 for never."""
    prefer_cache: bool = False
    """Any stored copy serves, whatever its age."""


def is_fresh(copy: Copy, now: float, policy: FreshnessPolicy) -> bool:
    return policy.prefer_cache or now - copy.fetched_at < policy.max_age


def conditions(copy: Copy | None) -> tuple[tuple[str, str], ...]:
    """What makes the server answer 304 when nothing changed."""
    if copy is None:
        return ()
    pairs = (("If-None-Match", copy.etag), ("If-Modified-Since", copy.last_modified))
    return tuple(pair for pair in pairs if pair[1])


def same_content(page: Page, copy: Copy | None) -> bool:
    return copy is not None and bool(page.digest) and page.digest == copy.digest


def stale_instead(outcome: Outcome, copy: Copy | None, is_final: bool) -> Outcome:
    """The earlier copy serves where its host fails."""
    if copy is None or not isinstance(outcome, Failed):
        return outcome
    if outcome.fault in (Fault.INTERNAL, Fault.PROXY):
        return outcome
    return Stale(outcome.fault) if is_final or outcome.fault in SITE_WIDE else outcome
